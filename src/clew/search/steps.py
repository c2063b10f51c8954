"""search(): which files and spans answer a question, best first, or that nothing does.

The steps stand here in order; each is a function of its own, so that another source of candidates
or another signal slots in without touching the rest. Search reads views only: the same question at
the same revisions gives the same result, whatever else is going on.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

import numpy as np
from pathspec import GitIgnoreSpec

from clew.errors import InputError
from clew.search.corpus import Corpus
from clew.search.lexical import best_rows, lexical, matched_fields
from clew.search.named import named
from clew.search.query import analyse
from clew.search.ranking import Pool, choose, coherence, penalties, rank
from clew.search.relevance import FILES, coverage, is_relevant
from clew.search.weights import RankOptions
from clew.types import Hit, HitSpan, SearchResult

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from clew.index.view import ChunkRow, View
    from clew.search.corpus import Mask
    from clew.search.lexical import Lexical
    from clew.search.named import Named
    from clew.search.query import Query
    from clew.search.ranking import Ranked

DEFAULTS: Final = RankOptions()


def search(
    query: str,
    views: Sequence[View],
    *,
    k: int = 10,
    path_glob: str | None = None,
    options: RankOptions = DEFAULTS,
) -> SearchResult:
    """Finds the `k` best files in scope, each with its best spans.

    Args:
        query: A question, a name, a path or a quote, in any words.
        views: The sources in scope, each at its pinned revision.
        k: Files to return, at least 1.
        path_glob: Only files that match, as in .gitignore (`src/**/*.py`, `*.go`, `docs/`).
        options: Weights and limits.

    Raises:
        InputError: `k` is below 1 or the glob is not one.
    """
    started = time.perf_counter()
    if k < 1:
        raise InputError(f"The number of results must be at least 1, not {k}.")
    asked = analyse(query)
    if not views:
        return SearchResult(hits=(), relevant=False, coverage=0.0, ms=_since(started))
    corpus = Corpus.of(views)
    allowed = matching(corpus, path_glob)
    found = lexical(corpus, asked.terms, options.fields, options.max_terms)
    exact = named(corpus, asked)
    pool, lost = candidates(corpus, asked, found, exact, allowed, options)
    ranked = rank(pool, lost, options.weights)
    files = group(ranked, corpus, max(k, FILES), options.spans)
    covered = coverage(found, ranked, files)
    return SearchResult(
        hits=_hits(corpus, ranked, files[:k]),
        relevant=bool(files) and is_relevant(asked, exact, covered, options.floor),
        coverage=round(covered.share, 4),
        ms=_since(started),
    )


def matching(corpus: Corpus, path_glob: str | None) -> Mask:
    """Which documents the glob lets through; all of them without one."""
    if path_glob is None:
        return np.ones(corpus.docs[-1], np.bool_)
    try:
        spec = GitIgnoreSpec.from_lines([path_glob])
    except ValueError as error:
        raise InputError(f"The glob {path_glob!r} can't be read: {error}.") from error
    paths = (document.path for profile in corpus.profiles for document in profile.documents)
    return np.fromiter((spec.match_file(path) for path in paths), np.bool_, corpus.docs[-1])


def candidates(
    corpus: Corpus, asked: Query, found: Lexical, exact: Named, allowed: Mask, options: RankOptions
) -> tuple[Pool, dict[str, NDArray[np.float64]]]:
    """The rows worth ranking: the best by words after the penalties, and all that are named."""
    hit = np.flatnonzero(found.scores > 0).astype(np.int32)
    hit = hit[allowed[corpus.doc[hit]]]
    wide = best_rows(found.scores, hit, options.wide)
    lost = penalties(corpus, asked, options.weights)
    together = coherence(corpus, found, wide, options)
    chosen = choose(corpus, found, lost.values(), hit, options.candidates)
    outright = [np.fromiter(exact.definitions, np.int32)]
    outright += [corpus.rows_of(doc)[: options.path_rows] for doc in exact.paths]
    rows = np.unique(np.concatenate([chosen, *outright])).astype(np.int32)
    rows = rows[allowed[corpus.doc[rows]]]
    matched = matched_fields(corpus, found, rows)
    pool = Pool(asked, corpus, found, exact, rows, corpus.doc[rows], matched, together)
    return pool, lost


def group(ranked: Ranked, corpus: Corpus, k: int, spans: int) -> list[list[int]]:
    """Positions in `ranked` by file: the `k` best files, each with its best spans, best first.

    Windows of one file overlap; a span that repeats most of a better one is left out.
    """
    files: dict[int, list[int]] = {}
    rows: list[int] = ranked.rows.tolist()
    for at, doc in enumerate(ranked.docs.tolist()):
        if doc not in files and len(files) == k:
            continue
        chosen = files.setdefault(doc, [])
        if len(chosen) < spans and not any(corpus.overlap(rows[at], rows[one]) for one in chosen):
            chosen.append(at)
    return list(files.values())


def _hits(corpus: Corpus, ranked: Ranked, files: list[list[int]]) -> tuple[Hit, ...]:
    """The files as results; each view is asked once for all its chunks."""
    wanted: dict[int, list[int]] = {}
    for at in (at for spans in files for at in spans):
        wanted.setdefault(corpus.view_of_row(int(ranked.rows[at])), []).append(at)
    chunks: dict[int, ChunkRow] = {}
    for number, places in wanted.items():
        rows = (ranked.rows[places] - corpus.rows[number]).tolist()
        chunks.update(zip(places, corpus.views[number].chunks(rows), strict=True))
    return tuple(_hit(corpus, ranked, spans, chunks) for spans in files)


def _hit(corpus: Corpus, ranked: Ranked, spans: list[int], chunks: dict[int, ChunkRow]) -> Hit:
    view = corpus.views[corpus.view_of_row(int(ranked.rows[spans[0]]))]
    return Hit(
        source=view.source.name,
        revision=view.revision.id,
        path=chunks[spans[0]].path,
        score=float(ranked.scores[spans[0]]),
        spans=tuple(
            HitSpan(
                start_line=chunks[at].start_line,
                end_line=chunks[at].end_line,
                symbol=chunks[at].qualname or chunks[at].name,
                kind=chunks[at].kind,
                score=float(ranked.scores[at]),
                signals=ranked.explain(at),
            )
            for at in spans
        ),
    )


def _since(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 3)
