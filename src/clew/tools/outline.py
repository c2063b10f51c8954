"""outline: the definitions of one file without their bodies, or every node of one type."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, get_args

from clew.chunks.nodes import node_types, nodes
from clew.chunks.text import split_lines
from clew.errors import InputError
from clew.tools.result import (
    HEADER_WIDTH,
    LINE_WIDTH,
    Outlined,
    OutlineData,
    Page,
    ToolResult,
    clip,
    evidence,
    plural,
    shown,
)
from clew.tools.scope import revision_label
from clew.types import SymbolKind

if TYPE_CHECKING:
    from clew.tools.paths import Located
    from clew.tools.scope import Scope
    from clew.types import Evidence

MAX_ROWS = 300
KINDS: tuple[str, ...] = get_args(SymbolKind)
_DETAIL = frozenset({"variable", "field"})  # left out of a long file's outline unless asked for
_LONG = 150  # rows


def outline(
    scope: Scope, path: str, kind: str | None = None, source: str | None = None
) -> ToolResult[OutlineData]:
    """List what a file defines: classes, functions, methods, types and constants without bodies.

    Use it before reading a long file, to see what is in it and at which lines; for a document it
    lists the headings. Then read_file with the lines of what matters.

    Args:
        scope: What may be looked at.
        path: The file's path relative to the source's root, such as "src/app.py".
        kind: Only these: "function", "method", "class", "interface", "struct", "enum", "trait",
            "type", "constant", "variable", "field", "module" or "macro", several with commas; or
            a node type of the file's grammar, such as "try_statement".
        source: The source's name; needed only when several sources hold that path.
    """
    located = scope.locate(path, source)
    file = located.document.path
    rows = _of_kind(located, kind.strip()) if kind is not None else _usual(located)
    page = Page(scope.max_chars)
    place = clip(scope.place(located.view, file), HEADER_WIDTH)
    total = len(rows)
    what = f" of kind {shown(kind)}" if kind is not None else ""
    summary = f"{plural(total, 'entry', 'entries')}{what}"
    page.add(f"outline {place}: {summary}, {plural(located.document.lines, 'line')}")
    page.add(f"in {revision_label(located.view)}")
    if not rows:
        page.add("Nothing in it is a definition that the parser knows: read_file shows its lines.")
    argument = shown(file, 200) + (f" {shown(kind)}" if kind is not None else "")
    told, spans = _present(located, page, rows, f"outline {argument}")
    cut = ""
    if len(told) < total:
        cut = f"{len(told)} of {total:,} shown; narrow with kind=…, or read_file from the last line"
    data = OutlineData(located.view.source.name, file, tuple(told), total)
    text = page.finish(cut)
    return ToolResult("outline", argument, text, tuple(spans), data, cut, summary=summary)


def _usual(located: Located) -> list[Outlined]:
    """Everything the symbol table has; a document's headings; a long file without its fields."""
    rows = _symbols(located, frozenset(KINDS)) or _headings(located)
    if len(rows) > _LONG:
        return [row for row in rows if row.kind not in _DETAIL] or rows
    return rows


def _of_kind(located: Located, kind: str) -> list[Outlined]:
    wanted = [part.strip() for part in kind.split(",")]
    if all(part in KINDS for part in wanted):
        return _symbols(located, frozenset(wanted))
    view, document = located
    text = view.text(document.path)
    known = node_types(document.path, text)
    if kind not in known:
        near = difflib.get_close_matches(kind, [*KINDS, *sorted(known)], n=3, cutoff=0.6)
        hint = f"did you mean {' or '.join(near)}?" if near else f"kinds: {', '.join(KINDS)}."
        which = (
            f"a node type of {document.language}" if known else "a node type (it has no grammar)"
        )
        raise InputError(f'"{shown(kind)}" is no kind of definition and not {which}; {hint}')
    found = nodes(document.path, text, kind)
    if found is None:
        raise InputError(f"{shown(document.path, 200)} can't be parsed in time: use grep on it.")
    lines = split_lines(text)
    return [
        Outlined("", kind, n.start_line, n.start_line, n.end_line, lines[n.start_line - 1].strip())
        for n in found
    ]


def _symbols(located: Located, kinds: frozenset[str]) -> list[Outlined]:
    rows: list[Outlined] = []
    open_until: list[int] = []  # last lines of the definitions around
    for s in located.view.symbols_in(located.document.path):
        while open_until and open_until[-1] < s.start_line:
            open_until.pop()
        if s.kind in kinds:
            depth = len(open_until) if len(kinds) == len(KINDS) else 0
            span = s.line, s.start_line, s.end_line
            rows.append(Outlined(s.qualname or s.name, s.kind, *span, s.signature, depth))
        if s.end_line > s.start_line:
            open_until.append(s.end_line)
    return rows


def _headings(located: Located) -> list[Outlined]:
    view, document = located
    ids = view.chunk_doc.searchsorted([document.id, document.id + 1])
    return [
        Outlined(c.qualname or c.name, c.kind, c.start_line, c.start_line, c.end_line, c.name)
        for c in view.chunks(range(int(ids[0]), int(ids[1])))
        if c.name
    ]


def _present(
    located: Located, page: Page, rows: list[Outlined], found_by: str
) -> tuple[list[Outlined], list[Evidence]]:
    view, document = located
    told: list[Outlined] = []
    spans: list[Evidence] = []
    for row in rows[:MAX_ROWS]:
        said = clip(row.signature or row.name, LINE_WIDTH)
        indent = "  " * min(row.depth + 1, 8)
        if not page.add(f"{indent}{row.start_line}-{row.end_line} {row.kind} {said}"):
            break
        told.append(row)
        lines = view.lines(document.path, row.line, row.line)
        spans.append(evidence(view, document.path, row.line, lines, found_by, row.name))
    return told, spans
