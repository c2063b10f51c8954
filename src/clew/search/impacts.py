"""What a term adds to each chunk of one view before its rarity counts: its impacts, kept a while.

The words of questions recur, the common ones most of all, and those have the longest postings. So
the impacts of the terms that were asked for last are kept, in room that grows with the view; the
others are computed from postings, all of a question at once. Nothing here knows how rare a term is.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from clew.index.postings import FIELDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from clew.index.postings import Int32, Postings, UInt8, UInt16
    from clew.index.view import View
    from clew.search.weights import FieldWeights

BODY: Final = FIELDS.index("body")
FOLDER: Final = FIELDS.index("folder")
PLACES: Final = 16
"""For each chunk of the view, the places that are kept of terms asked for before: 9 bytes each."""
EMPTY: Final = 56
"""Places that a term takes which occurs nowhere: some 500 bytes of objects."""


@dataclass(frozen=True, slots=True)
class Impact:
    """Where one term occurs in one view, and what it counts there.

    Attributes:
        rows: int32[n], the view's chunks that hold it, each once, in no order.
        values: float32[n], 0 to 1: how much of what the term can add it does add.
        fields: uint8[n], bit f: it occurs in field f.
        df: In how many chunks it occurs, other than in the names of their folders. A folder's name
            stands in the path of all that is in it: asked inside `billing/`, "billing" would be
            worth nothing, although few chunks speak of them.
    """

    rows: Int32
    values: NDArray[np.float32]
    fields: UInt8
    df: int


@dataclass(frozen=True, slots=True)
class Measure:
    """What impacts depend on: what fields count, and the mean length of the bodies in scope."""

    fields: FieldWeights
    mean: float


_Key: TypeAlias = tuple[str, Measure]


class Impacts:
    """The impacts of the terms that were asked for last in one view. Thread-safe."""

    def __init__(self) -> None:
        self._kept: OrderedDict[_Key, Impact] = OrderedDict()
        self._places = 0
        self._lock = threading.Lock()

    def of(self, view: View, terms: Sequence[str], measure: Measure) -> list[Impact]:
        """The impact of each term, given once; of one that occurs nowhere, an empty one."""
        keys = [(term, measure) for term in terms]
        with self._lock:
            found = {key: self._kept[key] for key in keys if key in self._kept}
            for key in found:
                self._kept.move_to_end(key)
        if len(found) < len(keys):
            missing = [key for key in keys if key not in found]
            made = computed(view, [term for term, _ in missing], measure)
            found.update(zip(missing, made, strict=True))
            self._keep(dict(zip(missing, made, strict=True)), PLACES * view.chunk_count)
        return [found[key] for key in keys]

    def _keep(self, made: dict[_Key, Impact], room: int) -> None:
        with self._lock:
            for key, impact in made.items():
                if key not in self._kept:
                    self._kept[key] = impact
                    self._places += _places(impact)
            while self._places > room and self._kept:
                self._places -= _places(self._kept.popitem(last=False)[1])


def _places(impact: Impact) -> int:
    """What keeping it counts; a term that occurs nowhere takes room too."""
    return len(impact.rows) + EMPTY


def computed(view: View, terms: Sequence[str], measure: Measure) -> list[Impact]:
    """The impacts of some terms, each given once, from their postings.

    A chunk has an entry per term and field, side by side; a word in a body counts less in a long
    one.
    """
    places = view.occurrences(terms)
    entries = places.all
    starts = _starts(entries.chunk, places.bounds)
    if not len(starts):
        none = np.zeros(0, np.int32)
        return [Impact(none, none.astype(np.float32), none.astype(np.uint8), 0) for _ in terms]
    counted = _counted(entries, view.field_lengths[BODY], measure)
    often = np.add.reduceat(counted, starts)
    values = (often / (measure.fields.k1 + often)).astype(np.float32)
    fields = np.bitwise_or.reduceat(np.left_shift(np.uint8(1), entries.field), starts)
    rows = entries.chunk[starts]
    said = fields != 1 << FOLDER
    ends = np.searchsorted(starts, places.bounds).tolist()
    return [
        # Copies: a part of what was computed for many terms would keep all of it in memory.
        Impact(
            rows[first:last].copy(),
            values[first:last].copy(),
            fields[first:last].copy(),
            int(np.count_nonzero(said[first:last])),
        )
        for first, last in pairwise(ends)
    ]


def _starts(chunk: Int32, bounds: NDArray[np.intp]) -> NDArray[np.intp]:
    """Where the entries of a term in a chunk begin."""
    new = np.ones(len(chunk), np.bool_)
    new[1:] = chunk[1:] != chunk[:-1]
    new[bounds[:-1][bounds[:-1] < len(chunk)]] = True
    return np.flatnonzero(new)


def _counted(entries: Postings, lengths: UInt16, measure: Measure) -> NDArray[np.float32]:
    """How often each entry's term occurs, by what its field counts and its body's length."""
    weights, fields = np.array(measure.fields.in_order(), np.float32), measure.fields
    counted = weights.take(entries.field) * entries.tf
    body = np.flatnonzero(entries.field == BODY)
    long = lengths.take(entries.chunk[body]) * np.float32(fields.b_body / measure.mean)
    counted[body] /= np.float32(1.0 - fields.b_body) + long
    return counted
