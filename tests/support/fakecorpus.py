"""A source held in a dictionary, with the shape that verification asks for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clew.types import Revision, Source

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@dataclass(frozen=True, slots=True)
class FakeDocument:
    path: str
    lines: int
    skip: str = ""


@dataclass(frozen=True, slots=True)
class FakeDefinition:
    name: str
    qualname: str
    path: str
    start_line: int
    end_line: int


class DictCorpus:
    """Files by path; `skipped` are there without text. Python definitions are its symbols."""

    def __init__(
        self, name: str, files: Mapping[str, str], skipped: Mapping[str, str] | None = None
    ) -> None:
        self.source = Source(id=name, name=name, kind="folder", location=f"/{name}")
        self.revision = Revision(id=f"{name}-rev", tree="t")
        self.files = dict(files)
        self.scans = 0
        self._lines = {path: _lines(text) for path, text in files.items()}
        rows = [FakeDocument(path, len(lines)) for path, lines in self._lines.items()]
        rows += [FakeDocument(path, 0, why) for path, why in (skipped or {}).items()]
        self._documents = {row.path: row for row in sorted(rows, key=lambda row: row.path)}
        self._words = {w for text in files.values() for w in re.findall(r"[A-Za-z_]\w*", text)}

    def document(self, path: str) -> FakeDocument | None:
        return self._documents.get(path)

    def documents(self) -> tuple[FakeDocument, ...]:
        return tuple(self._documents.values())

    def lines(self, path: str, start: int, end: int) -> list[str]:
        assert 1 <= start <= end <= len(self._lines[path])
        return self._lines[path][start - 1 : end]

    def texts(self) -> Iterator[tuple[FakeDocument, str]]:
        self.scans += 1
        for path, text in self.files.items():
            yield self._documents[path], text

    def has_name(self, name: str) -> bool:
        return name in self._words

    def symbols_in(self, path: str) -> list[FakeDefinition]:
        found: list[FakeDefinition] = []
        stack: list[tuple[int, str]] = []
        lines = self._lines.get(path, [])
        for at, line in enumerate(lines):
            m = re.match(r"( *)(?:def|class) (\w+)", line)
            if not m:
                continue
            depth = len(m[1])
            stack = [s for s in stack if s[0] < depth]
            end = at + 1
            while end < len(lines) and (
                not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip()) > depth
            ):
                end += 1
            while not lines[end - 1].strip():
                end -= 1
            qualname = ".".join([*(s[1] for s in stack), m[2]])
            found.append(FakeDefinition(m[2], qualname, path, at + 1, end))
            stack.append((depth, m[2]))
        return found


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines
