"""The extract answerer's hands: runs the tools, reports each call, and keeps what was read.

Everything it shows to a composer came from a tool or from the pinned text. What counts as evidence
is what the answer goes on to use: the spans that search and find_symbol put first, and every line
that the answer cites. It reads only through the scope and composes nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from clew.answerers.base import Found, Step
from clew.answerers.quoting import asked, doc_at
from clew.answerers.textual import bare_name, definition_patterns, definitions_in, fitting
from clew.chunks.languages import LANGUAGES
from clew.chunks.parse import parse
from clew.errors import ClewError
from clew.index.tokens import terms
from clew.tools.calls import what_calls
from clew.tools.find_symbol import find_symbol
from clew.tools.grep import grep
from clew.tools.result import (
    CalleesData,
    Definition,
    GrepData,
    SearchData,
    SymbolData,
    ToolResult,
    evidence,
    plural,
)
from clew.tools.search_code import search_code
from clew.types import Caveat, Reference, ToolCallEvent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from clew.index.rows import ChunkRow, DocumentRow, ReferenceRow, SymbolRow
    from clew.index.view import View
    from clew.tools.scope import Scope
    from clew.types import Evidence

DataT = TypeVar("DataT")
AROUND = frozenset({"function", "method", "class", "struct", "interface", "trait", "enum", "macro"})
NAMELESS = frozenset({"module", "window", "section", "block"})
_SAID = {
    "search_code": "the words",
    "find_symbol": "the name",
    "what_calls": "the calls of",
}  # what a tool looked for
_PARSED = frozenset(language.name for language in LANGUAGES)


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
        return bool(self.name) and self.kind not in NAMELESS

    @property
    def bare(self) -> str:
        """Its name without what is around it."""
        return self.name.replace("::", ".").rpartition(".")[2]

    @property
    def key(self) -> tuple[str, str, int]:
        """What makes two places the same one."""
        return self.source, self.path, self.start_line


def _kind(kind: str) -> str:
    """A definition's kind; a named module is told from a file's top-level code."""
    return "mod" if kind == "module" else kind


class Looker:
    """Runs tools over one scope and tells `emit` about each of them."""

    def __init__(self, scope: Scope, emit: Callable[[Step], None]) -> None:
        self.scope = scope
        self.emit = emit
        self.searched: list[str] = []
        self.cuts: dict[Caveat, None] = {}  # what a tool left out, and why
        self._chunks: dict[tuple[str, str], list[ChunkRow]] = {}
        self._symbols: dict[tuple[str, str], list[SymbolRow]] = {}
        self._references: dict[tuple[str, str], tuple[Reference, ...]] = {}
        self._found: dict[str, SymbolData | None] = {}

    # --- tools -------------------------------------------------------------------------------

    def search(self, query: str, top: int) -> SearchData:
        """search_code, reported."""
        result = search_code(self.scope, query, top)
        # What has no vectors is told of the index as a whole.
        rest = [w for w in result.data.warnings if w.type != "words_only"]
        self.cuts.update(dict.fromkeys(rest))
        return self._run(result, result.evidence)

    def symbol(self, name: str) -> SymbolData | None:
        """find_symbol, reported; None when there is no such name.

        A name that the symbol table lacks may be defined in a language that has no grammar here:
        then the lines that define it, as most languages write a definition, are looked for.
        """
        if name not in self._found:
            self._found[name] = self._symbol(name)
        return self._found[name]

    def _symbol(self, name: str) -> SymbolData | None:
        try:
            result = find_symbol(self.scope, name)
        except ClewError as error:
            self.searched.append(f"the name {asked(name, 'asked for')}")
            self.emit(ToolCallEvent("find_symbol", name, error.message, ok=False))
            return self._by_text(name, None)
        data = result.data
        self._run(result, result.evidence[: len(data.definitions)])
        return data if data.definitions else self._by_text(name, data) or data

    def _by_text(self, name: str, data: SymbolData | None) -> SymbolData | None:
        pattern = definition_patterns(name)
        documents = (d for view in self.scope.views for d in view.documents())
        if all(d.skip or d.language in _PARSED for d in documents):
            return None
        if not pattern or not self.holds(name):
            return None
        rows: list[Definition] = []
        for file in self.grep(pattern, f"definitions of {asked(name)} by their text").files:
            lines = self.text_lines(file.source, file.path)
            wanted = {match.line for match in file.matches}
            rows += [
                replace(row, source=file.source, path=file.path)
                for row in definitions_in(file.path, lines, wanted)
            ]
        rows = fitting(rows, name)
        if not rows:
            return None
        found = data or SymbolData(name, (), (), 0, 0)
        last = rows[0].name
        return replace(found, name=last, definitions=tuple(rows), total_definitions=len(rows))

    def callees(self, place: Place) -> CalleesData | None:
        """what_calls of one definition, reported; None when it can't be told."""
        try:
            result = what_calls(self.scope, place.name, place.path, place.source)
        except ClewError as error:
            self.emit(ToolCallEvent("what_calls", place.name, error.message, ok=False))
            return None
        return self._run(result, result.evidence)

    def holds(self, name: str) -> bool:
        """Whether the last part of a name stands anywhere in the scope as one word."""
        found = terms(bare_name(name))
        return not found or any(len(v.postings(found[-1]).chunk) for v in self.scope.views)

    def spells(self, name: str) -> bool:
        """Whether the last part of a name stands on any line of the scope, whole, in any case."""
        bare = bare_name(name)
        pattern = rf"(?i)\b{re.escape(bare)}" + ("" if bare[-1:] in ("?", "!") else r"\b")
        return self.grep(pattern, f"lines with {asked(name, 'the name')}").total > 0

    def grep(self, pattern: str, looked_for: str, glob: str | None = None) -> GrepData:
        """Grep, reported as `looked_for` says; what is used of it is to be noted."""
        try:
            data = self._run(grep(self.scope, pattern, glob), (), looked_for)
        except ClewError as error:
            self.emit(ToolCallEvent("grep", pattern, error.message, ok=False))
            return GrepData((), 0, 0, 0)
        read = sum(len(file.matches) for file in data.files)
        if read < data.total:
            said = f"Of {data.total:,} {looked_for}, the first {read:,} were looked at."
            self.cuts[Caveat("cut", said)] = None
        if not data.complete:
            files = plural(data.searched, "file")
            said = f"The search for {looked_for} stopped after {files}: there may be more."
            self.cuts[Caveat("cut", said)] = None
        return data

    def _run(
        self, result: ToolResult[DataT], rows: tuple[Evidence, ...], looked_for: str = ""
    ) -> DataT:
        self.searched.append(
            looked_for or f"{_SAID[result.tool]} {asked(result.argument, 'of the question')}"
        )
        self.emit(ToolCallEvent(result.tool, result.argument, result.summary, result.ok))
        if rows:
            self.emit(Found(rows))
        return result.data

    # --- the index ---------------------------------------------------------------------------

    def view(self, source: str) -> View:
        """The view of a source by its name."""
        return self.scope.pick(source)[0]

    def documents(self) -> Iterator[tuple[View, DocumentRow]]:
        """Every document whose text may be shown."""
        for view in self.scope.views:
            for document in view.documents():
                if not document.skip and not self.scope.denied(document.path):
                    yield view, document

    def uses(self, name: str) -> list[tuple[View, ReferenceRow]]:
        """Every use of a name, each line once a kind, however many there are."""
        return [
            (view, row)
            for view in self.scope.views
            for row in dict.fromkeys(view.references(name))
            if not self.scope.denied(row.path)
        ]

    def symbols(self, source: str, path: str) -> list[SymbolRow]:
        """One file's definitions, in order."""
        key = (source, path)
        if key not in self._symbols:
            self._symbols[key] = self.view(source).symbols_in(path)
        return self._symbols[key]

    def chunks(self, source: str, path: str) -> list[ChunkRow]:
        """One file's chunks, in order, as the index holds them."""
        key = (source, path)
        if key not in self._chunks:
            view = self.view(source)
            document = view.document(path)
            ids = view.chunk_doc.searchsorted([document.id, document.id + 1]) if document else ()
            self._chunks[key] = view.chunks(range(*map(int, ids))) if document else []
        return self._chunks[key]

    def references(self, source: str, path: str) -> tuple[Reference, ...]:
        """The uses of names in one file, in order, from a parse of it."""
        key = (source, path)
        if key not in self._references:
            self._references[key] = parse(path, self.view(source).text(path)).references
        return self._references[key]

    def text_lines(self, source: str, path: str) -> list[str]:
        """A whole file's lines, none when it is empty."""
        view = self.view(source)
        document = view.document(path)
        return view.lines(path, 1, document.lines) if document and document.lines else []

    def lines(self, place: Place) -> list[str]:
        """A place's own lines."""
        return self.view(place.source).lines(place.path, place.start_line, place.end_line)

    # --- places ------------------------------------------------------------------------------

    def around(self, source: str, path: str, line: int) -> SymbolRow | None:
        """The innermost function or class that holds a line."""
        rows = self.symbols(source, path)
        held = [s for s in rows if s.kind in AROUND and s.start_line <= line <= s.end_line]
        return max(held, key=lambda s: (s.start_line, -s.end_line), default=None)

    def place(self, source: str, path: str, start: int, end: int, name: str, kind: str) -> Place:
        """A span that search found; a chunk of a definition becomes the whole definition."""
        same = [s for s in self.symbols(source, path) if s.qualname == name]
        held = [s for s in same if s.start_line <= end and start <= s.end_line]
        if held:  # of an overloaded function, the one with a body
            return self.placed(source, max(held, key=lambda s: s.end_line - s.start_line))
        if kind == "section" and not self._holds_heading(source, path, start, end, name):
            name = ""  # a part of a long section, without the heading
        rows = self.chunks(source, path)
        doc = next((c.doc_comment for c in rows if (c.start_line, c.end_line) == (start, end)), "")
        return Place(source, path, start, end, name, kind, doc=doc)

    def _holds_heading(self, source: str, path: str, start: int, end: int, name: str) -> bool:
        return name in "\n".join(self.view(source).lines(path, start, end))

    def placed(self, source: str, row: SymbolRow) -> Place:
        """The place of a row of the symbol table, with what its comment says."""
        doc = doc_at(self.text_lines(source, row.path), row.start_line, row.end_line)
        span = row.start_line, row.end_line
        return Place(source, row.path, *span, row.qualname, _kind(row.kind), row.signature, doc)

    def defined(self, row: Definition) -> Place:
        """The place of a definition."""
        doc = doc_at(self.text_lines(row.source, row.path), row.start_line, row.end_line)
        span = row.start_line, row.end_line
        kind = _kind(row.kind)
        return Place(row.source, row.path, *span, row.qualname, kind, row.signature, doc)

    def note(self, places: Iterable[Place], found_by: str) -> None:
        """Count the lines of places as evidence: the answer shows them."""
        rows = [
            evidence(self.view(p.source), p.path, p.start_line, self.lines(p), found_by, p.name)
            for p in places
        ]
        if rows:
            self.emit(Found(tuple(rows)))
