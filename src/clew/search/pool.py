"""The candidates: which chunks get every signal, and all that a signal may look at.

Chosen after the penalties, not before: a crowd of tests that repeat the question's words must not
push the code out. Nothing here fetches text.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from clew.search.lexical import best_of, best_rows, matched_fields

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from clew.search.corpus import Corpus, Floats, Ints, Mask
    from clew.search.dense import Near
    from clew.search.lexical import Lexical
    from clew.search.named import Named
    from clew.search.priors import Priors
    from clew.search.query import Query
    from clew.search.weights import RankOptions


@dataclass(frozen=True, slots=True)
class Peaks:
    """The greatest value of each measure among the candidates: what counts as 1.

    That of related words is the scope's, as candidates are not chosen by them.
    """

    lexical: float
    related: float
    dense: float
    centroid: float


class Measured(TypedDict):
    """The attributes of a `Pool` that are aligned with its rows."""

    rows: Ints
    docs: Ints
    matched: NDArray[np.uint8]
    dense: Floats


@dataclass(frozen=True, slots=True)
class Pool:
    """The candidates and all that a signal may look at.

    Attributes:
        wider: BM25F of every row for words that mean nearly what the question's words do.
        near: What the dense step found; None without one.
        coherence: How well each document as a whole matches; by document, at most 1.
        rows: The candidates' rows; every array of a signal is aligned with it.
        docs: Their documents.
        matched: Bit f of `[term, i]`: the term occurs in field f of candidate i.
        dense: Cosine of the candidate and the question; 0 without `near`.
    """

    asked: Query
    corpus: Corpus
    found: Lexical
    wider: Floats
    near: Near | None
    named: Named
    coherence: Floats
    peaks: Peaks
    rows: Ints
    docs: Ints
    matched: NDArray[np.uint8]
    dense: Floats

    def whole(self, docs: Sequence[int]) -> Pool:
        """The pool of all rows of some documents, measured as this one is."""
        rows = np.sort(self.corpus.rows_of_all(np.unique(np.array(docs))))
        return replace(self, **_measured(self.corpus, self.found, self.near, rows))


def candidates(
    asked: Query,
    corpus: Corpus,
    found: Lexical,
    wider: Floats,
    near: Near | None,
    exact: Named,
    prior: Priors,
    allowed: Mask | None,
    options: RankOptions,
) -> Pool:
    """The rows worth ranking: the best by words, the nearest, and all that are named."""
    said = corpus.greatest(found.scores)
    chosen = [_best(corpus, found.scores, said, prior, allowed, options.candidates)]
    if near is not None:
        chosen.append(_best(corpus, near.scores, near.best, prior, allowed, options.nearest))
    chosen.append(np.fromiter(exact.definitions, np.int32))
    chosen += [corpus.rows_of(doc)[: options.path_rows] for doc in exact.paths]
    rows = np.unique(np.concatenate(chosen)).astype(np.int32)
    if allowed is not None:
        rows = rows[allowed[corpus.doc[rows]]]
    hit = np.flatnonzero(found.scores > 0).astype(np.int32)
    together = coherence(corpus, found, best_rows(found.scores, hit, options.wide), options)
    measured = _measured(corpus, found, near, rows)
    peaks = Peaks(
        _peak(found.scores[rows]),
        _peak(wider),
        _peak(measured["dense"]),
        1.0 if near is None else _peak(near.centroid[measured["docs"]]),
    )
    return Pool(asked, corpus, found, wider, near, exact, together, peaks, **measured)


def _measured(corpus: Corpus, found: Lexical, near: Near | None, rows: Ints) -> Measured:
    """What is measured of rows one by one."""
    none = np.zeros(len(rows), np.float32)
    return {
        "rows": rows,
        "docs": corpus.doc[rows],
        "matched": matched_fields(corpus, found, rows),
        "dense": none if near is None else near.scores[rows],
    }


def _peak(values: Floats) -> float:
    return max(float(values.max(initial=0.0)), 1e-9)


def _best(
    corpus: Corpus, scores: Floats, best: Floats, prior: Priors, allowed: Mask | None, count: int
) -> Ints:
    """The best rows of the documents whose best rows are the best, after what they lose."""
    left = best / _peak(best) + prior.lost
    docs = np.flatnonzero(best > 0 if allowed is None else (best > 0) & allowed)
    docs = docs[best_of(left[docs], count)]
    rows = corpus.rows_of_all(docs)
    return rows[scores[rows] >= best[corpus.doc[rows]]]


def coherence(corpus: Corpus, found: Lexical, rows: Ints, options: RankOptions) -> Floats:
    """Each document's best chunks together, decayed, divided by the best document's."""
    together = np.zeros(corpus.docs[-1], np.float64)
    if len(rows):
        docs, scores = corpus.doc[rows], found.scores[rows].astype(np.float64)
        order = np.lexsort((-scores, docs))
        docs, scores = docs[order], scores[order]
        new = np.concatenate(([True], docs[1:] != docs[:-1]))
        begins = np.maximum.accumulate(np.where(new, np.arange(len(docs)), 0))
        place = np.arange(len(docs)) - begins
        decayed = scores * options.coherence_decay**place * (place < options.coherence_chunks)
        together += np.bincount(docs, decayed, len(together))
        together /= max(together.max(), 1e-9)
    return together.astype(np.float32)
