"""The extract answerer's hands: runs the tools, reports each call, and keeps what was read.

Everything it shows to a composer came from a tool or from the pinned text, so everything counts
as evidence. It reads only through the scope and composes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from clew.answerers.base import Found, Step
from clew.chunks.parse import parse
from clew.errors import ClewError
from clew.tools.find_symbol import find_symbol
from clew.tools.grep import grep
from clew.tools.result import (
    Definition,
    GrepData,
    SearchData,
    SymbolData,
    ToolResult,
    evidence,
)
from clew.tools.search_code import search_code
from clew.types import Chunk, Parsed, ToolCallEvent

if TYPE_CHECKING:
    from collections.abc import Callable

    from clew.index.view import View
    from clew.tools.scope import Scope

DataT = TypeVar("DataT")


@dataclass(frozen=True, slots=True)
class Place:
    """A span worth telling about. `name` is qualified, "" for a span without one."""

    source: str
    path: str
    start_line: int
    end_line: int
    name: str
    kind: str
    signature: str = ""
    doc: str = ""

    @property
    def named(self) -> bool:
        """Whether it is a definition, and not lines without a name of their own."""
        return bool(self.name) and self.kind not in ("module", "window", "section", "block")

    @property
    def key(self) -> tuple[str, str, int]:
        """What makes two places the same one."""
        return self.source, self.path, self.start_line


class Looker:
    """Runs tools over one scope and tells `emit` about each of them."""

    def __init__(self, scope: Scope, emit: Callable[[Step], None]) -> None:
        self.scope = scope
        self.emit = emit
        self.searched: list[str] = []
        self._parsed: dict[tuple[str, str], Parsed] = {}

    def search(self, query: str, top: int) -> SearchData:
        """search_code, reported."""
        return self._run(search_code(self.scope, query, top)).data

    def symbol(self, name: str) -> SymbolData | None:
        """find_symbol, reported; None when there is no such name."""
        try:
            return self._run(find_symbol(self.scope, name)).data
        except ClewError as error:
            self.emit(ToolCallEvent("find_symbol", name, error.message, ok=False))
            return None

    def grep(self, pattern: str) -> GrepData:
        """Grep, reported."""
        return self._run(grep(self.scope, pattern)).data

    def view(self, source: str) -> View:
        """The view of a source by its name."""
        return self.scope.pick(source)[0]

    def parsed(self, source: str, path: str) -> Parsed:
        """One file's chunks, symbols and references, parsed once an answer."""
        key = (source, path)
        if key not in self._parsed:
            self._parsed[key] = parse(path, self.view(source).text(path))
        return self._parsed[key]

    def chunk_at(self, source: str, path: str, line: int) -> Chunk | None:
        """The innermost named chunk that holds a line."""
        chunks = self.parsed(source, path).chunks
        return next((c for c in chunks if c.start_line <= line <= c.end_line), None)

    def place(self, source: str, path: str, start: int, end: int, name: str, kind: str) -> Place:
        """A span with its signature and doc comment, as its own file gives them."""
        chunk = self.chunk_at(source, path, start)
        if chunk is None or (chunk.qualname or chunk.name) != name:
            return Place(source, path, start, end, name, kind)
        return Place(source, path, start, end, name, kind, chunk.signature, chunk.doc)

    def defined(self, row: Definition) -> Place:
        """The place of a definition."""
        chunk = self.chunk_at(row.source, row.path, row.line)
        doc = chunk.doc if chunk and row.name in (chunk.name, chunk.qualname) else ""
        span = row.start_line, row.end_line
        return Place(row.source, row.path, *span, row.qualname, row.kind, row.signature, doc)

    def excerpt(self, place: Place, lines: int) -> tuple[int, int, list[str]]:
        """The first lines of a place, counted as evidence: first line, last line, text."""
        view = self.view(place.source)
        last = min(place.end_line, place.start_line + lines - 1)
        text = view.lines(place.path, place.start_line, last)
        while len(text) > 1 and not text[-1].strip():
            text, last = text[:-1], last - 1
        shown = evidence(view, place.path, place.start_line, text, "extract", place.name)
        self.emit(Found((shown,)))
        return place.start_line, last, text

    def _run(self, result: ToolResult[DataT]) -> ToolResult[DataT]:
        self.searched.append(f"{result.tool} “{result.argument}”")
        self.emit(ToolCallEvent(result.tool, result.argument, result.summary, result.ok))
        self.emit(Found(result.evidence))
        return result
