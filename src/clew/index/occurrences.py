"""Joins what segments hold of some terms, in the numbering of one revision.

All terms of a question are joined together, because what costs is the call and not the number.
Nothing here scores.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from clew.index.postings import POSTING, Postings, unpack_postings

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from clew.index.layout import Layout


@dataclass(frozen=True, slots=True)
class Occurrences:
    """Where several terms occur: one term after the other, as they were asked for.

    Attributes:
        bounds: int[terms + 1]; `all` holds term t from `bounds[t]` to `bounds[t + 1]`.
        all: By term; the entries of a chunk stand together, by field, but chunks in no order.
    """

    bounds: NDArray[np.intp]
    all: Postings


def joined(
    terms: Sequence[str], stored: Iterable[tuple[str, int, bytes]], layout: Layout
) -> Occurrences:
    """What is live of the terms' postings.

    Args:
        terms: Each once.
        stored: (term, segment, data), in any order.
        layout: The numbers of the segments' chunks.
    """
    held: defaultdict[str, list[tuple[int, bytes]]] = defaultdict(list)
    for term, segment, data in stored:
        held[term].append((segment, data))
    found = [(at, *each) for at, term in enumerate(terms) for each in held[term]]
    ordinal, field, tf = unpack_postings(b"".join(data for _, _, data in found))
    sizes = [len(data) // POSTING.itemsize for _, _, data in found]
    first = np.array([layout.first[segment] for _, segment, _ in found], np.int32)
    chunk = layout.numbers.take(np.repeat(first, sizes) + ordinal)
    term = np.repeat(np.array([at for at, _, _ in found], np.int32), sizes)
    if not layout.whole.issuperset(segment for _, segment, _ in found):
        live = chunk >= 0
        term, chunk, field, tf = term[live], chunk[live], field[live], tf[live]
    return Occurrences(np.searchsorted(term, np.arange(len(terms) + 1)), Postings(chunk, field, tf))
