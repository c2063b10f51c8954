"""Finds, for every term, the terms that a searcher may mean as well."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from training.model import Model

COUNT = 8
LEAST = 0.4  # cosine; below it, two terms merely occur in the same programs
USUAL = 10_000  # only the most frequent terms are near to others: seldom ones are half chance
_CANDIDATES = 40  # looked at for each term, of which some are inflections
_BLOCK = 1_000


def nearest(model: Model) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Find the nearest terms of each vocabulary term, best first.

    Returns:
        int32[terms, COUNT] and their cosines; -1 and 0 where there are no more.
    """
    terms = model.vocabulary
    rows = model.table[: len(terms)]
    unit = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    near = np.full((len(terms), COUNT), -1, np.int32)
    cosines = np.zeros((len(terms), COUNT), np.float32)
    usual = np.array([len(term) > 1 and not term.isdigit() for term in terms])
    offered = usual & (np.arange(len(terms)) < USUAL)  # the vocabulary begins with the frequent
    for start in range(0, len(terms), _BLOCK):
        cosine = unit[start : start + _BLOCK] @ unit.T
        cosine[:, ~offered] = -1
        best = np.argpartition(-cosine, _CANDIDATES, axis=1)[:, :_CANDIDATES]
        for offset, candidates in enumerate(best):
            row = start + offset
            if not usual[row]:
                continue
            order = candidates[np.lexsort((candidates, -cosine[offset, candidates]))]
            kept = [
                one
                for one in order
                if cosine[offset, one] >= LEAST and not alike(terms[row], terms[one])
            ][:COUNT]
            near[row, : len(kept)] = kept
            cosines[row, : len(kept)] = cosine[offset, kept]
    return near, cosines


def alike(one: str, other: str) -> bool:
    """Whether two terms are the same word in two forms, or one is a part of the other.

    Code that has the longer of two such terms has the shorter one as well, as its part.
    """
    if one in other or other in one:
        return True
    shared = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        shared += 1
    return shared >= 4 and shared >= 0.75 * min(len(one), len(other))
