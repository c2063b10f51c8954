"""BM25F over the live chunks in scope: the lexical step of search.

N, document frequencies and average lengths are those of the live chunks of all views in scope, so
an index that was updated ranks like one built anew. Nothing here knows what a file is about.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from clew.index.postings import FIELDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from clew.index.postings import Postings
    from clew.search.corpus import Corpus, Floats, Ints
    from clew.search.weights import FieldWeights

BODY: Final = FIELDS.index("body")


@dataclass(frozen=True, slots=True)
class Term:
    """One term of the question in this scope; `postings` holds one entry per view."""

    text: str
    postings: tuple[Postings, ...]
    starts: tuple[NDArray[np.intp], ...]
    df: int
    idf: float


@dataclass(frozen=True, slots=True)
class Lexical:
    """What the lexical step found.

    Attributes:
        terms: The terms that were scored, the rarest of the question's, present or not.
        scores: BM25F of every row of the scope, 0 where no term occurs.
        most: The idf of a term that occurs nowhere.
    """

    terms: tuple[Term, ...]
    scores: Floats
    most: float


def lexical(corpus: Corpus, words: Sequence[str], fields: FieldWeights, max_terms: int) -> Lexical:
    """Scores every row of the scope against the question's terms."""
    found = sorted((_term(corpus, word) for word in words), key=lambda term: term.df)[:max_terms]
    scores = np.zeros(corpus.rows[-1], np.float32)
    for term in found:
        for view in range(len(corpus.views)):
            _accumulate(corpus, term, view, fields, scores)
    return Lexical(terms=tuple(found), scores=scores, most=_idf(corpus.size, 0))


def _idf(size: int, df: int) -> float:
    """Robertson's, never negative."""
    return math.log(1.0 + (size - df + 0.5) / (df + 0.5))


def _term(corpus: Corpus, word: str) -> Term:
    postings = tuple(view.postings(word) for view in corpus.views)
    starts = tuple(_starts(each.chunk) for each in postings)
    df = sum(len(each) for each in starts)
    return Term(word, postings, starts, df, _idf(corpus.size, df))


def _starts(chunk: Ints) -> NDArray[np.intp]:
    """Where each chunk's postings begin: one chunk has one entry per field, side by side."""
    if not len(chunk):
        return np.zeros(0, np.intp)
    return np.concatenate(([0], np.flatnonzero(chunk[1:] != chunk[:-1]) + 1))


def _accumulate(corpus: Corpus, term: Term, view: int, fields: FieldWeights, into: Floats) -> None:
    """Adds one term's share to the scores of one view's rows."""
    starts, postings = term.starts[view], term.postings[view]
    if not len(starts):
        return
    weight = np.array(fields.in_order(), np.float32)[postings.field] * postings.tf
    body = postings.field == BODY
    length = corpus.views[view].field_lengths[BODY, postings.chunk[body]]
    weight[body] /= 1.0 - fields.b_body + fields.b_body * length / corpus.average[BODY]
    frequency = np.add.reduceat(weight, starts)
    rows = postings.chunk[starts] + corpus.rows[view]
    into[rows] += term.idf * frequency / (fields.k1 + frequency)


def matched_fields(corpus: Corpus, found: Lexical, rows: Ints) -> NDArray[np.uint8]:
    """In which fields each term occurs: bit f of `[term, i]` for field f of row `rows[i]`."""
    place = np.full(corpus.rows[-1], -1, np.int32)
    place[rows] = np.arange(len(rows), dtype=np.int32)
    matched = np.zeros((len(found.terms), len(rows)), np.uint8)
    for number, term in enumerate(found.terms):
        for view, postings in enumerate(term.postings):
            at = place[corpus.rows[view] : corpus.rows[view + 1]][postings.chunk]
            here = at >= 0
            bits = np.left_shift(1, postings.field[here]).astype(np.float64)
            matched[number] += np.bincount(at[here], bits, len(rows)).astype(np.uint8)
    return matched


def best_rows(scores: Floats, rows: Ints, count: int) -> Ints:
    """The `count` best of the rows without sorting them; all that tie with the last are kept.

    Keeping ties makes the choice independent of how the rows are numbered.
    """
    if len(rows) <= count:
        return rows
    values = scores[rows]
    least = np.partition(values, len(values) - count)[len(values) - count]
    return rows[values >= least]
