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
from clew.search.givens import without_givens
from clew.search.hits import hits
from clew.search.lexical import lexical
from clew.search.named import named
from clew.search.outside import near_or_words
from clew.search.pool import candidates
from clew.search.priors import priors
from clew.search.query import analyse
from clew.search.ranking import group, rank
from clew.search.relevance import FILES, coverage, is_relevant
from clew.search.rerank import reranked
from clew.search.weights import RankOptions
from clew.search.words import related, said
from clew.types import SearchResult

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clew.index.view import View
    from clew.models.embedder import Embedder
    from clew.models.reranker import Reranker
    from clew.search.corpus import Mask
    from clew.search.pool import Pool
    from clew.search.priors import Priors
    from clew.search.query import Query
    from clew.search.ranking import Ranked
    from clew.types import Caveat

DEFAULTS: Final = RankOptions()


def search(
    query: str,
    views: Sequence[View],
    *,
    k: int = 10,
    path_glob: str | None = None,
    options: RankOptions = DEFAULTS,
    embedder: Embedder | None = None,
    reranker: Reranker | None = None,
) -> SearchResult:
    """Finds the `k` best files in scope, each with its best spans.

    Args:
        query: A question, a name, a path or a quote, in any words.
        views: The sources in scope, each at its pinned revision.
        k: Files to return, at least 1.
        path_glob: Only files that match, as in .gitignore (`src/**/*.py`, `*.go`, `docs/`).
        options: Weights and limits.
        embedder: What made the views' vectors; without it, or as long as a view has none of its
            vectors, search goes by words and symbols alone.
        reranker: Reads the best spans again; None for the order without it.

    Raises:
        InputError: `k` is below 1 or the glob is not one.
    """
    started = time.perf_counter()
    if k < 1:
        raise InputError(f"The number of results must be at least 1, not {k}.")
    if not views:
        return SearchResult(hits=(), relevant=False, coverage=0.0, ms=_since(started))
    corpus = Corpus.of(views)
    asked = without_givens(analyse(query), corpus)
    pool, prior, warnings = gather(asked, corpus, matching(corpus, path_glob), options, embedder)
    ranked = best_files(pool, prior, max(k, FILES), options)
    files = group(ranked, corpus, max(k, FILES), options.spans)
    if reranker is not None:
        ranked, failed = reranked(ranked, corpus, files, asked.text, reranker, options.rerank)
        files = group(ranked, corpus, max(k, FILES), options.spans)
        warnings += (failed,) if failed else ()
    covered = coverage(pool, ranked, files)
    return SearchResult(
        hits=hits(corpus, pool.found, ranked, files[:k]),
        relevant=bool(files) and is_relevant(asked, pool.named, covered, options.floor),
        coverage=round(covered.share, 4),
        ms=_since(started),
        warnings=warnings,
    )


def gather(
    asked: Query,
    corpus: Corpus,
    allowed: Mask | None,
    options: RankOptions,
    embedder: Embedder | None,
) -> tuple[Pool, Priors, tuple[Caveat, ...]]:
    """The candidates with all that signals look at, what files lose, and what could not be done."""
    prior = priors(corpus, asked, options.weights)
    found = lexical(corpus, said(asked), options.fields, options.max_terms)
    others = related((term.text for term in found.terms), embedder)
    wider = lexical(corpus, others, options.fields, len(others))
    near, warnings = near_or_words(corpus, asked, embedder)
    exact = named(corpus, asked)
    pool = candidates(asked, corpus, found, wider.scores, near, exact, prior, allowed, options)
    return pool, prior, warnings


def matching(corpus: Corpus, path_glob: str | None) -> Mask | None:
    """Which documents the glob lets through; None is all of them."""
    if path_glob is None:
        return None
    try:
        spec = GitIgnoreSpec.from_lines([path_glob])
    except ValueError as error:
        raise InputError(f"The glob {path_glob!r} can't be read: {error}.") from error
    paths = (document.path for profile in corpus.profiles for document in profile.documents)
    return np.fromiter((spec.match_file(path) for path in paths), np.bool_, corpus.docs[-1])


def best_files(pool: Pool, prior: Priors, count: int, options: RankOptions) -> Ranked:
    """All chunks of the best files, ranked: the one that answers needn't be a candidate itself."""
    ranked = rank(pool, prior, options.weights)
    docs = list(dict.fromkeys(ranked.docs.tolist()))[:count]
    return rank(pool.whole(docs), prior, options.weights) if docs else ranked


def _since(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 3)
