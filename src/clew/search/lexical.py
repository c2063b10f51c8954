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

    from clew.index.occurrences import Occurrences
    from clew.search.corpus import Corpus, Floats, Ints
    from clew.search.weights import FieldWeights

BODY: Final = FIELDS.index("body")
FOLDER: Final = FIELDS.index("folder")


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
        places: By view, where the words that were looked up occur.
        numbers: Of each of these words the number of its term, -1 where it was not scored.
    """

    terms: tuple[Term, ...]
    scores: Floats
    places: tuple[Occurrences, ...]
    numbers: NDArray[np.intp]


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
    words = tuple(counts)
    found = [_Found.of(view.occurrences(words)) for view in corpus.views]
    dfs = np.sum([each.document_frequencies(len(words)) for each in found], axis=0).tolist()
    idfs = [_idf(corpus.size, df) for df in dfs]
    rows = zip(words, dfs, idfs, strict=True)
    terms = [Term(word, df, idf, idf * counts[word]) for word, df, idf in rows]
    kept = sorted(range(len(words)), key=lambda at: -terms[at].weight)[:max_terms]
    weights, numbers = np.zeros(len(words), np.float32), np.full(len(words), -1)
    weights[kept] = [terms[at].weight for at in kept]
    numbers[kept] = np.arange(len(kept))
    scores = np.zeros(corpus.rows[-1], np.float32)
    for view, each in enumerate(found):
        lengths = corpus.views[view].field_lengths[BODY]
        here = scores[corpus.rows[view] : corpus.rows[view + 1]]
        here += each.scores(weights, fields, lengths, float(corpus.average[BODY]))
    places = tuple(each.places for each in found)
    return Lexical(tuple(terms[at] for at in kept), scores, places, numbers)


@dataclass(frozen=True, slots=True)
class _Found:
    """All terms in one view, entry by entry; one chunk has an entry per field, side by side.

    Attributes:
        places: The entries.
        starts: Where the entries of a term in a chunk begin.
        term: By start, the term.
    """

    places: Occurrences
    starts: NDArray[np.intp]
    term: NDArray[np.intp]

    @classmethod
    def of(cls, places: Occurrences) -> _Found:
        chunk = places.all.chunk
        new = np.ones(len(chunk), np.bool_)
        new[1:] = chunk[1:] != chunk[:-1]
        new[places.bounds[:-1][places.bounds[:-1] < len(chunk)]] = True
        starts = np.flatnonzero(new)
        return cls(places, starts, np.searchsorted(places.bounds, starts, side="right") - 1)

    def document_frequencies(self, count: int) -> NDArray[np.intp]:
        """In how many chunks each term occurs, other than in the names of their folders.

        A folder's name stands in the path of all that is in it: asked inside `billing/`, "billing"
        would be worth nothing, although few chunks speak of them.
        """
        field = self.places.all.field
        alone = np.diff(self.starts, append=len(field)) == 1
        saying = ~(alone & (field[self.starts] == FOLDER))
        return np.bincount(self.term[saying], minlength=count)

    def scores(
        self, weights: Floats, fields: FieldWeights, lengths: NDArray[np.uint16], mean: float
    ) -> NDArray[np.float64]:
        """Every row's score: a word in a body counts less in a long one.

        Args:
            weights: What each term counts.
            fields: What an occurrence in each field counts.
            lengths: By row, that of its body.
            mean: That of all bodies in scope.
        """
        if not len(self.starts):
            return np.zeros(len(lengths))
        entries = self.places.all
        counted = np.array(fields.in_order(), np.float32)[entries.field] * entries.tf
        body = np.flatnonzero(entries.field == BODY)
        long = lengths[entries.chunk[body]] * np.float32(fields.b_body / mean)
        counted[body] /= np.float32(1.0 - fields.b_body) + long
        often = np.add.reduceat(counted, self.starts)
        shares = weights[self.term] * (often / (fields.k1 + often))
        sums = np.bincount(entries.chunk[self.starts], shares, len(lengths))
        return np.asarray(sums, np.float64)


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
    for view, places in enumerate(found.places):
        column = wanted[corpus.rows[view] : corpus.rows[view + 1]][places.all.chunk]
        hit = np.flatnonzero(column >= 0)
        number = found.numbers[np.searchsorted(places.bounds, hit, side="right") - 1]
        hit, number = hit[number >= 0], number[number >= 0]
        bits = np.left_shift(np.uint8(1), places.all.field[hit])
        np.bitwise_or.at(matched, (number, column[hit]), bits)
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
