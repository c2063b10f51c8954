"""Where the table begins to learn: latent semantic analysis of the material itself.

Terms that occur in the same code, or in the question and the code of the same pair, begin near
each other. It needs no other model, and leaves less to chance than random vectors, of which the
noise would stay in every term that training seldom touches.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch.nn import functional

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from training.arrays import Arrays, Ints

_MORE = 16  # columns beyond those wanted, and
_ROUNDS = 2  # passes over the matrix, that make the random projection exact enough
_SKIPPED = 1  # the first direction only tells frequent terms from rare ones


def vectors(arrays: Arrays, ids: Ints, rows: int, dims: int, seed: int) -> torch.Tensor:
    """Give each term a first vector: float32[rows, dims], of length 1.

    Args:
        arrays: The material.
        ids: By term of the material, its row; -1 for none.
        rows: Of the table.
        dims: Of a vector.
        seed: Of the random projection, and of the terms that nothing is known of.
    """
    chance = torch.Generator().manual_seed(seed)
    by_bag, by_term = _pairs(arrays, ids, rows)
    width = min(dims + _SKIPPED + _MORE, rows)
    basis = torch.randn(rows, width, generator=chance)
    for _ in range(_ROUNDS):
        basis = torch.linalg.qr(by_term.times(by_bag.times(basis)))[0]
    reduced = by_bag.times(basis)
    values, turned = torch.linalg.eigh(reduced.T @ reduced)
    order = torch.argsort(values, descending=True)[_SKIPPED : _SKIPPED + dims]
    found = basis @ (turned[:, order] * values[order].clamp_min(0) ** 0.25)
    length = found.norm(dim=1, keepdim=True)
    random = torch.randn(rows, dims, generator=chance) / dims**0.5
    return torch.where(length > 1e-6, found / length.clamp_min(1e-6), random)


@dataclass(frozen=True, slots=True)
class _Sparse:
    """A sparse matrix by rows; torch multiplies those fastest as bags of an embedding."""

    column: torch.Tensor
    weight: torch.Tensor
    start: torch.Tensor

    def times(self, dense: torch.Tensor) -> torch.Tensor:
        return functional.embedding_bag(
            self.column, dense, self.start, mode="sum", per_sample_weights=self.weight
        )


def _pairs(arrays: Arrays, ids: Ints, rows: int) -> tuple[_Sparse, _Sparse]:
    """A row for each bag, of its terms and those of its questions; and the same turned round."""
    bags = len(arrays.bag_start) - 1
    bag = np.repeat(np.arange(bags), np.diff(arrays.bag_start))
    asked = np.repeat(arrays.asked_bag.astype(np.int64), np.diff(arrays.asked_start))
    term = np.concatenate([ids[arrays.bag_term], ids[arrays.asked_term]])
    where = np.concatenate([bag, asked])[term >= 0]
    keys, times = np.unique(where * rows + term[term >= 0], return_counts=True)
    where, term = keys // rows, keys % rows
    idf = np.log(bags / (np.bincount(term, minlength=rows) + 1)).clip(0.1)
    weight = (1 + np.log(times)) * idf[term]
    length = np.sqrt(np.bincount(where, weight**2, bags))
    weight = (weight / length[where]).astype(np.float32)
    turned = np.argsort(term, kind="stable")
    return (
        _sparse(where, term, weight, bags),
        _sparse(term[turned], where[turned], weight[turned], rows),
    )


def _sparse(row: Ints, column: Ints, weight: NDArray[np.float32], rows: int) -> _Sparse:
    start = np.searchsorted(row, np.arange(rows))
    return _Sparse(torch.from_numpy(column), torch.from_numpy(weight), torch.from_numpy(start))
