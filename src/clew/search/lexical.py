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
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from clew.index.postings import Postings
    from clew.search.corpus import Corpus, Floats, Ints
    from clew.search.weights import FieldWeights

BODY: Final = FIELDS.index("body")
FOLDER: Final = FIELDS.index("folder")


@dataclass(frozen=True, slots=True)
class Term:
    """One term of the question in this scope; `postings` holds one entry per view."""

    text: str
    postings: tuple[Postings, ...]
    starts: tuple[NDArray[np.intp], ...]
    df: int
    idf: float
    weight: float  # idf times what the term counts for


@dataclass(frozen=True, slots=True)
class Lexical:
    """What the lexical step found.

    Attributes:
        terms: The terms that were scored, present or not, what counts most first.
        scores: BM25F of every row of the scope, 0 where no term occurs.
    """

    terms: tuple[Term, ...]
    scores: Floats


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
    every = sorted((_term(corpus, *each) for each in counts.items()), key=lambda term: -term.weight)
    found = every[:max_terms]
    scores = np.zeros(corpus.rows[-1], np.float32)
    for view in range(len(corpus.views)):
        lengths = corpus.views[view].field_lengths[BODY]
        mean = float(corpus.average[BODY])
        here = scores[corpus.rows[view] : corpus.rows[view + 1]]
        for term in found:
            add(term.postings[view], term.starts[view], term.weight, fields, lengths, mean, here)
    return Lexical(terms=tuple(found), scores=scores)


def _idf(size: int, df: int) -> float:
    """Robertson's, never negative."""
    return math.log(1.0 + (size - df + 0.5) / (df + 0.5))


def _term(corpus: Corpus, word: str, count: float) -> Term:
    postings = tuple(view.postings(word) for view in corpus.views)
    starts = tuple(_starts(each.chunk) for each in postings)
    df = sum(_saying(*each) for each in zip(postings, starts, strict=True))
    idf = _idf(corpus.size, df)
    return Term(word, postings, starts, df, idf, idf * count)


def _saying(postings: Postings, starts: NDArray[np.intp]) -> int:
    """In how many chunks a term occurs, other than in the names of their folders.

    A folder's name stands in the path of all that is in it: asked inside `billing/`, "billing"
    would be worth nothing, although few chunks speak of them.
    """
    if not len(starts):
        return 0
    alone = np.diff(starts, append=len(postings.chunk)) == 1
    return len(starts) - int(np.count_nonzero(alone & (postings.field[starts] == FOLDER)))


def _starts(chunk: Ints) -> NDArray[np.intp]:
    """Where each chunk's postings begin: one chunk has one entry per field, side by side."""
    if not len(chunk):
        return np.zeros(0, np.intp)
    return np.concatenate(([0], np.flatnonzero(chunk[1:] != chunk[:-1]) + 1))


def add(
    postings: Postings,
    starts: NDArray[np.intp],
    weight: float,
    fields: FieldWeights,
    lengths: NDArray[np.uint16],
    mean: float,
    into: Floats,
) -> None:
    """Adds one term's share to the scores of one view's rows.

    A word in a body counts less in a long one: `lengths` are those of the bodies, `mean` of all.
    """
    if not len(starts):
        return
    counted = np.array(fields.in_order(), np.float32)[postings.field] * postings.tf
    body = np.flatnonzero(postings.field == BODY)
    long = lengths[postings.chunk[body]] * np.float32(fields.b_body / mean)
    counted[body] /= np.float32(1.0 - fields.b_body) + long
    frequency = np.add.reduceat(counted, starts)
    into[postings.chunk[starts]] += weight * (frequency / (fields.k1 + frequency))


def matched_fields(corpus: Corpus, found: Lexical, rows: Ints) -> NDArray[np.uint8]:
    """In which fields each term occurs: bit f of `[term, i]` for field f of row `rows[i]`."""
    matched = np.zeros((len(found.terms), len(rows)), np.uint8)
    for view, here, own in corpus.by_view(rows):
        places = np.flatnonzero(here)
        for number, term in enumerate(found.terms):
            postings = term.postings[view]
            at = np.searchsorted(postings.chunk, own)
            end = np.searchsorted(postings.chunk, own, side="right")
            for _ in range(int((end - at).max(initial=0))):  # at most one entry a field
                more = np.flatnonzero(at < end)
                matched[number, places[more]] |= np.left_shift(1, postings.field[at[more]])
                at += 1
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
