"""BM25F over the live chunks in scope: the lexical step of search.

N, document frequencies and average lengths are those of the live chunks of all views in scope, so
an index that was updated ranks like one built anew. Nothing here knows what a file is about.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from clew.search.impacts import BODY, Measure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from clew.search.corpus import Corpus, Floats, Ints
    from clew.search.impacts import Impact
    from clew.search.weights import FieldWeights


@dataclass(frozen=True, slots=True)
class Term:
    """One term of the question in this scope."""

    text: str
    df: int
    idf: float
    weight: float  # idf times what the term counts for


@dataclass(frozen=True, slots=True)
class Lexical:
    """What the lexical step found.

    Attributes:
        terms: The terms that were scored, present or not, what counts most first.
        scores: BM25F of every row of the scope, 0 where no term occurs.
        impacts: By view, what each of the terms adds where it occurs, in the same order.
    """

    terms: tuple[Term, ...]
    scores: Floats
    impacts: tuple[tuple[Impact, ...], ...]


def lexical(
    corpus: Corpus, counts: Mapping[str, float], fields: FieldWeights, max_terms: int
) -> Lexical:
    """Scores every row of the scope.

    Args:
        corpus: The scope.
        counts: The terms, each with what it counts for beside its rarity.
        fields: What an occurrence in each field counts.
        max_terms: Where there are more, those that count the most are kept.
    """
    measure = Measure(fields, float(corpus.average[BODY]))
    words = tuple(counts)
    found = [
        profile.impacts.of(view, words, measure)
        for view, profile in zip(corpus.views, corpus.profiles, strict=True)
    ]
    dfs = [sum(each[at].df for each in found) for at in range(len(words))]
    idfs = [_idf(corpus.size, df) for df in dfs]
    rows = zip(words, dfs, idfs, strict=True)
    terms = [Term(word, df, idf, idf * counts[word]) for word, df, idf in rows]
    kept = sorted(range(len(words)), key=lambda at: -terms[at].weight)[:max_terms]
    scored = tuple(terms[at] for at in kept)
    impacts = tuple(tuple(each[at] for at in kept) for each in found)
    return Lexical(scored, _scores(corpus, scored, impacts), impacts)


def _scores(
    corpus: Corpus, terms: tuple[Term, ...], impacts: tuple[tuple[Impact, ...], ...]
) -> Floats:
    scores = np.zeros(corpus.rows[-1], np.float32)
    for view, each in enumerate(impacts):
        here = scores[corpus.rows[view] : corpus.rows[view + 1]]
        for term, impact in zip(terms, each, strict=True):
            # As intp: numpy looks up other integers several times slower.
            np.add.at(here, impact.rows.astype(np.intp), np.float32(term.weight) * impact.values)
    return scores


def _idf(size: int, df: int) -> float:
    """Robertson's, never negative."""
    return math.log(1.0 + (size - df + 0.5) / (df + 0.5))


def matched_fields(corpus: Corpus, found: Lexical, rows: Ints) -> NDArray[np.uint8]:
    """In which fields each term occurs: bit f of `[term, i]` for field f of row `rows[i]`.

    No row may be given twice.
    """
    matched = np.zeros((len(found.terms), len(rows)), np.uint8)
    wanted = np.full(corpus.rows[-1], -1, np.int32)
    wanted[rows] = np.arange(len(rows))
    for view, impacts in enumerate(found.impacts):
        own = wanted[corpus.rows[view] : corpus.rows[view + 1]]
        for number, impact in enumerate(impacts):
            column = own.take(impact.rows)
            hit = np.flatnonzero(column >= 0)
            matched[number, column[hit]] = impact.fields[hit]
    return matched


def best_rows(scores: Floats, rows: Ints, count: int) -> Ints:
    """The `count` best of the rows without sorting them; all that tie with the last are kept.

    Keeping ties makes the choice independent of how the rows are numbered.
    """
    return rows[best_of(scores[rows], count)] if len(rows) > count else rows


def best_of(values: Floats, count: int) -> NDArray[np.intp]:
    """Where the `count` greatest values stand, and all that tie with the last, in no order."""
    if len(values) <= count:
        return np.arange(len(values))
    least = np.partition(values, len(values) - count)[len(values) - count]
    return np.flatnonzero(values >= least)
