"""Scores a model on held-out repositories: alone, and fused with the lexical ranking.

No chunk has its doc comment here. Asked with the first sentence of a doc comment: which chunk was
it, and which file is it in? Asked with the subject line of a commit: which file did it change?
All are told as the mean reciprocal rank within ten, the mean over repositories, so that none
outweighs the others.
"""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from clew.search.weights import FieldWeights
from training.arrays import pick
from training.bags import BODY
from training.collect import CHANGE, SENTENCE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from training.arrays import Arrays, Ints

    Floats = NDArray[np.float32]
    AnyFloats = NDArray[np.floating[Any]]

TOP = 10
RRF = 60  # the usual constant of reciprocal rank fusion


@dataclass(frozen=True, slots=True)
class Scores:
    """Mean reciprocal ranks, alone and fused: of a sentence's chunk and file, a change's file."""

    chunk: float
    chunk_fused: float
    file: float
    file_fused: float
    change: float
    change_fused: float

    @property
    def mean(self) -> float:
        """What choices are made by."""
        return sum(astuple(self)) / len(fields(Scores))

    def __str__(self) -> str:
        return (
            f"chunk {self.chunk:.4f} / {self.chunk_fused:.4f}, "
            f"file {self.file:.4f} / {self.file_fused:.4f}, "
            f"change {self.change:.4f} / {self.change_fused:.4f}, mean {self.mean:.4f}"
        )


@dataclass(frozen=True, slots=True)
class Bench:
    """One held-out repository, ranked by stemmed BM25F once for all models.

    Attributes:
        file_of: By chunk, the position of its file.
        lexical: float32[questions, chunks].
        lexical_file: float32[questions, files]: a file counts as its best chunk.
        ranks: int64[questions, chunks], of `lexical`, from 1.
        ranks_file: int64[questions, files].
    """

    name: str
    arrays: Arrays
    file_of: Ints
    lexical: Floats
    lexical_file: Floats
    ranks: Ints
    ranks_file: Ints


def prepare(name: str, arrays: Arrays, questions: int, chunks: int) -> Bench:
    """Rank a held-out repository, thinned to so many questions of a kind, and so many chunks."""
    kinds = [np.flatnonzero(arrays.asked_kind == kind)[:questions] for kind in (SENTENCE, CHANGE)]
    asked = np.concatenate(kinds)
    right = np.unique(arrays.asked_bag[asked])
    others = np.setdiff1d(np.arange(len(arrays.file_of)), right)
    wanted = min(max(chunks - len(right), 0), len(others))
    others = others[np.linspace(0, len(others) - 1, wanted).astype(np.int64)]
    thin = pick(arrays, np.sort(np.concatenate([right, others])), asked)
    files, file_of = np.unique(thin.file_of, return_inverse=True)
    lexical = bm25f(thin, FieldWeights())
    by_file = _best(lexical, file_of, len(files))
    return Bench(name, thin, file_of, lexical, by_file, _ranks(lexical), _ranks(by_file))


def bm25f(arrays: Arrays, weights: FieldWeights) -> Floats:
    """Score every chunk for every question, as Clew's lexical search does."""
    size = len(arrays.bag_start) - 1
    bag = np.repeat(np.arange(size), np.diff(arrays.bag_start))
    body = arrays.bag_field == BODY
    length = np.bincount(bag[body], arrays.bag_times[body], size)
    weight = np.array(weights.in_order(), np.float64)[arrays.bag_field] * arrays.bag_times
    relative = length / max(length[length > 0].mean(), 1.0)
    weight[body] /= 1 - weights.b_body + weights.b_body * relative[bag[body]]
    keys, place = np.unique(arrays.bag_term.astype(np.int64) * size + bag, return_inverse=True)
    frequency = np.bincount(place, weight)
    term, where = keys // size, keys % size
    first = np.searchsorted(term, np.arange(len(arrays.terms) + 1))
    scores = np.zeros((len(arrays.asked_bag), size), np.float32)
    for number in range(len(scores)):
        for one in arrays.asked_term[arrays.asked_start[number] : arrays.asked_start[number + 1]]:
            part = slice(first[one], first[one + 1])
            df = part.stop - part.start
            idf = np.log(1 + (size - df + 0.5) / (df + 0.5))
            scores[number, where[part]] += idf * frequency[part] / (weights.k1 + frequency[part])
    return scores


def score(bench: Bench, queries: Floats, chunks: Floats) -> Scores:
    """Score one repository by its questions' and chunks' vectors."""
    dense = queries @ chunks.T
    by_file = _best(dense, bench.file_of, bench.lexical_file.shape[1])
    return _told(
        bench,
        (dense, _fuse(dense, bench.lexical, bench.ranks)),
        (by_file, _fuse(by_file, bench.lexical_file, bench.ranks_file)),
    )


def lexical_only(bench: Bench) -> Scores:
    """Score the lexical ranking by itself; both columns of each pair are the same."""
    return _told(bench, (bench.lexical,) * 2, (bench.lexical_file,) * 2)


def _told(
    bench: Bench, chunk: tuple[AnyFloats, AnyFloats], file: tuple[AnyFloats, AnyFloats]
) -> Scores:
    """Take the mean of each kind of question, alone and fused."""
    right = bench.arrays.asked_bag
    sentence = bench.arrays.asked_kind == SENTENCE
    by_chunk = [_reciprocal(scores, right)[sentence] for scores in chunk]
    ranks = [_reciprocal(scores, bench.file_of[right]) for scores in file]
    parts = [*by_chunk, *(one[sentence] for one in ranks), *(one[~sentence] for one in ranks)]
    return Scores(*(float(part.mean()) if len(part) else math.nan for part in parts))


def mean(scores: list[Scores]) -> Scores:
    """Average over the repositories that have such questions."""
    return Scores(*map(float, np.nanmean([astuple(one) for one in scores], axis=0)))


def _fuse(dense: Floats, lexical: Floats, ranks: Ints) -> NDArray[np.float64]:
    """Fuse by reciprocal rank; what has no word in common gets nothing from the lexical side.

    Of two that tie, the one that the dense side prefers comes first.
    """
    by_dense = _ranks(dense)
    return 1 / (RRF + by_dense) + np.where(lexical > 0, 1 / (RRF + ranks), 0) - by_dense * 1e-9


def _ranks(scores: Floats) -> Ints:
    order = np.argsort(-scores, axis=1, kind="stable")
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.arange(1, scores.shape[1] + 1)[None], axis=1)
    return ranks


def _best(scores: Floats, file_of: Ints, files: int) -> Floats:
    """The best chunk of each file."""
    order = np.argsort(file_of, kind="stable")
    starts = np.searchsorted(file_of[order], np.arange(files))
    return np.maximum.reduceat(scores[:, order], starts, axis=1)


def _reciprocal(scores: AnyFloats, right: Ints) -> NDArray[np.float64]:
    own = scores[np.arange(len(right)), right][:, None]
    above, level = (scores > own).sum(axis=1), (scores == own).sum(axis=1) - 1
    rank = 1 + above + level / 2  # of a tie, the middle
    return np.where(rank <= TOP, 1 / rank, 0)
