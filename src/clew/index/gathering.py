"""Brings the rows of many documents together by name: what a segment stores of each term.

A document's rows are kept as they came until all are there, and then sorted at once: to put each
group where it belongs as it comes costs a step of the interpreter for every term of every document.
Nothing here knows what a row means.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import count, pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from clew.index.packing import Packed


class Gathering:
    """Rows of one size, in groups by name."""

    def __init__(self, row_size: int) -> None:
        self._row = np.dtype(f"V{row_size}")
        self._numbers: defaultdict[str, int] = defaultdict(count().__next__)
        self._groups: list[int] = []  # of each group that came, its name's number …
        self._sizes: list[int] = []  # … and its bytes
        self._data: list[bytes] = []

    def add(self, packed: Packed, data: bytes) -> None:
        """Take a document's groups; `data` are its rows with the numbers of the segment in them."""
        self._groups.extend(map(self._numbers.__getitem__, packed.names))
        self._sizes.extend(packed.sizes)
        self._data.append(data)

    def by_name(self) -> dict[str, bytes]:
        """The rows of each name, those of a document that came earlier first."""
        rows = np.frombuffer(b"".join(self._data), self._row)
        sizes = np.array(self._sizes, np.int64) // self._row.itemsize
        order = np.argsort(np.array(self._groups, np.int64), kind="stable")
        starts = np.cumsum(sizes) - sizes
        before = np.cumsum(sizes[order]) - sizes[order]
        places = np.arange(len(rows)) + np.repeat(starts[order] - before, sizes[order])
        data = rows[places].tobytes()
        totals = np.bincount(self._groups, sizes, len(self._numbers)).astype(np.int64)
        bounds = np.concatenate([[0], np.cumsum(totals)]) * self._row.itemsize
        ends = pairwise(bounds.tolist())
        return {n: data[start:end] for n, (start, end) in zip(self._numbers, ends, strict=True)}
