"""What a text's parse found, written as the tables of the language tests write it."""

from __future__ import annotations

from clew.chunks.parse import parse


def definitions(path: str, text: str) -> list[tuple[str, str, int, int, int]]:
    """Qualified name, kind, line of the name, first and last line of each definition."""
    found = parse(path, text).symbols
    return [(s.qualname, s.kind, s.line, s.start_line, s.end_line) for s in found]


def defined(path: str, text: str) -> str:
    """Qualified name and kind of each definition: `A class, A.f method`."""
    return ", ".join(f"{s.qualname} {s.kind}" for s in parse(path, text).symbols)


def used(path: str, text: str, kind: str) -> str:
    """Name and line of each reference of a kind: `close:16 bar:20`."""
    return " ".join(f"{r.name}:{r.line}" for r in parse(path, text).references if r.kind == kind)


def docs(path: str, text: str, *, but: str = "") -> list[str]:
    """The doc of each named chunk that is not of the kind `but`."""
    return [c.doc for c in parse(path, text).chunks if c.name and c.kind != but]
