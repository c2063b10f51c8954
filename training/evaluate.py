"""Scores a model on held-out repositories: alone, and fused with the lexical ranking.

A question is the first sentence of a doc comment, and no chunk has its doc comment: which chunk
was it, and which file is it in? Among all chunks of the repository. Both are told as the mean
reciprocal rank within ten, the mean over repositories, so that none outweighs the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from clew.search.weights import FieldWeights
from training.arrays import pick
from training.bags import BODY

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from training.arrays import Arrays, Ints

    Floats = NDArray[np.float32]

TOP = 10
RRF = 60  # the usual constant of reciprocal rank fusion


@dataclass(frozen=True, slots=True)
class Scores:
    """Mean reciprocal ranks: of the chunk and of its file, alone and fused."""

    chunk: float
    chunk_fused: float
    file: float
    file_fused: float

    @property
    def mean(self) -> float:
        """What choices are made by."""
        return (self.chunk + self.chunk_fused + self.file + self.file_fused) / 4

    def __str__(self) -> str:
        return (
            f"chunk {self.chunk:.4f}, fused {self.chunk_fused:.4f}; "
            f"file {self.file:.4f}, fused {self.file_fused:.4f}; mean {self.mean:.4f}"
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
    """Rank a held-out repository, thinned to so many questions and chunks for a quicker look."""
    asked = np.arange(min(questions, len(arrays.asked_bag)))
    right = np.unique(arrays.asked_bag[asked])
    others = np.setdiff1d(np.arange(len(arrays.file_of)), right)
    wanted = max(chunks - len(right), 0)
    step = max(len(others) / wanted, 1.0) if wanted else 0.0
    others = others[(np.arange(min(wanted, len(others))) * step).astype(np.int64)]
    thin = pick(arrays, np.sort(np.concatenate([right, others])), asked)
    files, file_of = np.unique(thin.file_of, return_inverse=True)
    lexical = bm25f(thin, FieldWeights())
    by_file = _best(lexical, file_of, len(files))
    return Bench(name, thin, file_of, lexical, by_file, _ranks(lexical), _ranks(by_file))


def bm25f(arrays: Arrays, fields: FieldWeights) -> Floats:
    """Score every chunk for every question, as Clew's lexical search does."""
    size = len(arrays.bag_start) - 1
    bag = np.repeat(np.arange(size), np.diff(arrays.bag_start))
    body = arrays.bag_field == BODY
    length = np.bincount(bag[body], arrays.bag_times[body], size)
    weight = np.array(fields.in_order(), np.float64)[arrays.bag_field] * arrays.bag_times
    relative = length / max(length[length > 0].mean(), 1.0)
    weight[body] /= 1 - fields.b_body + fields.b_body * relative[bag[body]]
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
            scores[number, where[part]] += idf * frequency[part] / (fields.k1 + frequency[part])
    return scores


def score(bench: Bench, queries: Floats, chunks: Floats) -> Scores:
    """Score one repository by its questions' and chunks' vectors."""
    dense, right = queries @ chunks.T, bench.arrays.asked_bag
    by_file = _best(dense, bench.file_of, bench.lexical_file.shape[1])
    return Scores(
        chunk=_mrr(dense, right),
        chunk_fused=_mrr(_fuse(dense, bench.lexical, bench.ranks), right),
        file=_mrr(by_file, bench.file_of[right]),
        file_fused=_mrr(_fuse(by_file, bench.lexical_file, bench.ranks_file), bench.file_of[right]),
    )


def lexical_only(bench: Bench) -> Scores:
    """Score the lexical ranking by itself; both columns of each pair are the same."""
    chunk = _mrr(bench.lexical, bench.arrays.asked_bag)
    file = _mrr(bench.lexical_file, bench.file_of[bench.arrays.asked_bag])
    return Scores(chunk, chunk, file, file)


def mean(scores: list[Scores]) -> Scores:
    """Average over repositories."""
    rows = np.array([(one.chunk, one.chunk_fused, one.file, one.file_fused) for one in scores])
    return Scores(*map(float, rows.mean(axis=0)))


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


def _mrr(scores: NDArray[np.floating[Any]], right: Ints) -> float:
    own = scores[np.arange(len(right)), right][:, None]
    above, level = (scores > own).sum(axis=1), (scores == own).sum(axis=1) - 1
    rank = 1 + above + level / 2  # of a tie, the middle
    return float(np.where(rank <= TOP, 1 / rank, 0).mean())
