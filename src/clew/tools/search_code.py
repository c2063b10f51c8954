"""search_code: the files and spans that answer a question in words, best first."""

from __future__ import annotations

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

if TYPE_CHECKING:
    from clew.index.view import View
    from clew.tools.scope import Scope
    from clew.types import Evidence, Hit, HitSpan, SearchResult

MAX_TOP = 30
MAX_QUERY = 2_000  # characters
PREVIEW_LINES = 8  # of each span


def search_code(
    scope: Scope, query: str, top_k: int = 10, source: str | None = None
) -> ToolResult[SearchData]:
    """Find the files and functions that a question is about, best first, with their first lines.

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
        k=top_k,
        options=scope.ranking,
        embedder=scope.embedder,
        reranker=scope.reranker() if scope.reranker else None,
    )
    by_name = {view.source.name: view for view in views}
    hits = tuple(hit for hit in found.hits if not scope.denied(hit.path))
    name = shown(query)
    page = Page(scope.max_chars)
    if not found.relevant or not hits:
        return _nothing(page, views, found, name)
    page.add(f'search_code "{name}": {plural(len(hits), "file")}')
    page.add(f"in {revision_labels(views)}", *(f"note: {w.message}" for w in found.warnings))
    previews: list[Preview] = []
    spans: list[Evidence] = []
    used: list[Hit] = []
    for hit in hits:
        view = by_name[hit.source]
        added = _add(scope, page, view, hit, f'search_code "{name}"')
        if not added:
            break
        used.append(hit)
        previews += [preview for preview, _ in added]
        spans += [span for _, span in added]
    cut = ""
    if len(used) < len(hits):
        cut = f"{len(used)} of {len(hits)} files shown; ask for fewer with top_k, or more exactly"
    data = SearchData(
        tuple(used),
        tuple(previews),
        relevant=True,
        coverage=found.coverage,
        warnings=found.warnings,
    )
    summary = plural(len(used), "file")
    text = page.finish(cut)
    return ToolResult("search_code", name, text, tuple(spans), data, cut, summary=summary)


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


def _add(
    scope: Scope, page: Page, view: View, hit: Hit, found_by: str
) -> list[tuple[Preview, Evidence]]:
    """Add one file with its spans; what was added is empty when not even the first span fits."""
    head = [scope.place(view, hit.path)]
    added: list[tuple[Preview, Evidence]] = []
    lines = split_lines(view.text(hit.path))
    for span in hit.spans:
        full = lines[span.start_line - 1 : min(span.end_line, span.start_line + PREVIEW_LINES - 1)]
        clipped = tuple(clip(line.removesuffix("\r"), LINE_WIDTH) for line in full)
        rows = [f"    {n}: {line}" for n, line in enumerate(clipped, span.start_line)]
        if not page.add(*head, _title(span), *rows):
            break
        head = []
        place = hit.source, hit.path, span.start_line, span.end_line
        preview = Preview(*place, span.symbol, span.kind, clipped)
        row = evidence(view, hit.path, span.start_line, full, found_by, span.symbol)
        added.append((preview, row))
    return added


def _title(span: HitSpan) -> str:
    return clip(f"  {span.start_line}-{span.end_line} {span.kind} {span.symbol}".rstrip(), 300)
