"""search_code: the files and spans that answer a question in words, best first.

Whoever reads the result pays for every token and may stop anywhere. So first come all files, each
with its best span and the line of it that says most; then more of their lines, and the more the
better a file ranks; then what ranks below them, by place alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clew.chunks.text import split_lines
from clew.errors import InputError
from clew.search import search
from clew.tools.result import (
    LINE_WIDTH,
    Page,
    Preview,
    SearchData,
    ToolResult,
    clip,
    evidence,
    plural,
    shown,
)
from clew.tools.scope import revision_labels
from clew.tools.telling import Said, most_telling, runs, said, telling, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clew.index.view import View
    from clew.tools.scope import Scope
    from clew.types import Evidence, Hit, HitSpan, SearchResult

MAX_TOP = 30
MAX_QUERY = 2_000  # characters
MORE = 20  # files that are named besides those asked for
PLACE_WIDTH = 300  # characters of a line that names a place
_FEWER = "ask for fewer with top_k, or more exactly"
# Lines of each of a file's spans, by the file's rank: of the first, of the next two, and so on.
LINES = ((1, (24, 16, 8)), (3, (16, 8, 4)), (6, (8, 4)), (MAX_TOP, (6,)))


def search_code(
    scope: Scope, query: str, top_k: int = 10, source: str | None = None
) -> ToolResult[SearchData]:
    """Find the files and functions that a question is about, best first, with the lines that tell.

    Use it first, for questions in words ("where are retries configured?") and for names. For an
    exact string use grep; to read more of what was found use read_file with the lines given.

    Args:
        scope: What may be looked at.
        query: The question or the words, names and paths to look for.
        top_k: How many files to return, 1 to 30.
        source: Only this source, by its name; without it all sources are searched.
    """
    if not query.strip() or len(query) > MAX_QUERY:
        raise InputError(f"A query has 1 to {MAX_QUERY:,} characters: ask for one thing in words.")
    if not 1 <= top_k <= MAX_TOP:
        raise InputError(f"top_k is a whole number from 1 to {MAX_TOP}.")
    views = scope.pick(source)
    found = search(
        query,
        views,
        k=min(top_k + MORE, MAX_TOP),
        options=scope.ranking,
        embedder=scope.embedder,
        reranker=scope.reranker() if scope.reranker else None,
    )
    by_name = {view.source.name: view for view in views}
    words = words_of(query)
    files = [
        _File(scope, by_name[hit.source], hit, words)
        for hit in found.hits
        if not scope.denied(hit.path)
    ]
    name = shown(query)
    page = Page(scope.max_chars)
    if not found.relevant or not files:
        return _nothing(page, views, found, name)
    best = files[:top_k]
    page.add(f'search_code "{name}": {plural(len(best), "file")}, best first')
    page.add(f"in {revision_labels(views)}", *(f"note: {w.message}" for w in found.warnings))
    listed, cut = _present(page, best, files[top_k:])
    rows = [row for file in listed for row in file.rows(f'search_code "{name}"')]
    data = SearchData(
        tuple(file.hit for file in listed),
        tuple(preview for preview, _ in rows),
        relevant=True,
        coverage=found.coverage,
        warnings=found.warnings,
    )
    spans = tuple(span for _, span in rows)
    summary = plural(len(listed), "file")
    return ToolResult("search_code", name, page.finish(cut), spans, data, cut, summary=summary)


def _nothing(
    page: Page, views: tuple[View, ...], found: SearchResult, name: str
) -> ToolResult[SearchData]:
    """Nothing relevant is said as such; the least bad hits would only mislead."""
    page.add(
        f'search_code "{name}": nothing relevant in {revision_labels(views)}.',
        "Try the words the code itself would use, an exact string with grep, or list_files.",
    )
    data = SearchData((), (), relevant=False, coverage=found.coverage, warnings=found.warnings)
    return ToolResult("search_code", name, page.finish(""), (), data, summary="nothing relevant")


def _present(page: Page, best: Sequence[_File], more: Sequence[_File]) -> tuple[list[_File], str]:
    """Fill the page; the files that are on it with a line at least, and what was left out."""
    listed: list[_File] = []
    for file in best:
        if not file.head(page):
            return listed, f"{len(listed)} of {plural(len(best), 'file')} shown; {_FEWER}"
        listed.append(file)
    above = ["their lines:"]
    for rank, file in enumerate(best):
        rooms = next(rooms for upto, rooms in LINES if rank < upto)
        if not file.body(page, rooms, above):
            return listed, f"more lines of {rank} of {plural(len(best), 'file')} shown; {_FEWER}"
    if more and page.add("further down:", f"  {more[0].place}"):
        for file in more[1:]:
            if not page.add(f"  {file.place}"):
                break
    return listed, ""


@dataclass(slots=True)
class _File:
    """One file that was found, and which of its lines have been shown, span by span."""

    scope: Scope
    view: View
    hit: Hit
    words: frozenset[str]
    text: list[str] | None = None
    said: dict[int, Said] = field(default_factory=dict[int, Said])
    seen: dict[int, set[int]] = field(default_factory=dict[int, set[int]])

    @property
    def place(self) -> str:
        """Its best span on one line."""
        path, span = self.scope.place(self.view, self.hit.path), self.hit.spans[0]
        return clip(f"{path}:{_title(span)}", PLACE_WIDTH)

    def head(self, page: Page) -> bool:
        """Add its best span with the line of it that says most; whether that fits."""
        span = self.hit.spans[0]
        lines = self._lines(span)
        if not lines:
            return page.add(self.place)
        at = most_telling(self._said(0))
        row = f"    {span.start_line + at}: {_shown(lines[at]).strip()}"
        fits = page.add(self.place, row)
        if fits:
            self.seen[0] = {span.start_line + at}
        return fits

    def body(self, page: Page, rooms: Sequence[int], above: list[str]) -> bool:
        """Add lines of its spans, unless all were shown; whether those of the first one fit.

        What is in `above` is added before the first of them, and taken out of it.
        """
        head = [*above, self.scope.place(self.view, self.hit.path)]
        for number, (span, room) in enumerate(zip(self.hit.spans, rooms, strict=False)):
            lines = self._lines(span)
            shown_at = telling(lines, span.symbol, self._said(number), room)
            numbers = {span.start_line + at for at in shown_at}
            if numbers <= self.seen.get(number, set()):
                continue
            rows = [f"    {span.start_line + at}: {_shown(lines[at])}" for at in shown_at]
            if not page.add(*head, f"  {_title(span)}", *rows):
                return number > 0
            head = []
            above.clear()
            self.seen.setdefault(number, set()).update(numbers)
        return True

    def rows(self, found_by: str) -> Iterator[tuple[Preview, Evidence]]:
        """What was shown of it, one row for lines in a row."""
        path, source = self.hit.path, self.hit.source
        for number, numbers in sorted(self.seen.items()):
            span = self.hit.spans[number]
            lines = self._lines(span)
            for first, last in runs(numbers):
                part = lines[first - span.start_line : last - span.start_line + 1]
                clipped = tuple(_shown(line) for line in part)
                yield (
                    Preview(source, path, first, last, span.symbol, span.kind, clipped),
                    evidence(self.view, path, first, part, found_by, span.symbol),
                )

    def _said(self, number: int) -> Said:
        if number not in self.said:
            self.said[number] = said(self._lines(self.hit.spans[number]), self.words)
        return self.said[number]

    def _lines(self, span: HitSpan) -> list[str]:
        if self.text is None:
            self.text = split_lines(self.view.text(self.hit.path))
        return self.text[span.start_line - 1 : span.end_line]


def _shown(line: str) -> str:
    return clip(line.removesuffix("\r"), LINE_WIDTH)


def _title(span: HitSpan) -> str:
    words = f"{span.start_line}-{span.end_line} {span.kind} {span.symbol}"
    return clip(words.rstrip(), PLACE_WIDTH)
