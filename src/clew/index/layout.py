"""Puts the live chunks of a revision in one order, whatever segments they lie in.

The order is that of the documents' paths, then of the chunks in the file. It depends on the
revision alone: not on when or in how many builds its documents were indexed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from clew.index.postings import FIELDS, Columns, Int32, UInt16
from clew.index.store import DamagedIndexError, SegmentRow

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Layout:
    """The live chunks, numbered 0 to N-1.

    Attributes:
        segments: The segments that hold any of them.
        ids: By segment, int32[its chunks]: the number of each chunk, -1 when it is not live.
        first: By segment, where its chunks begin in `numbers`.
        numbers: The `ids` of all segments, one after the other.
        whole: Those of the segments whose every chunk is live.
        segment: int32[N], where the chunk is stored.
        ordinal: int32[N], its place in that segment.
        doc: int32[N], its document's position among the revision's documents.
        start: int32[N], first line.
        end: int32[N], last line.
        lengths: uint16[len(FIELDS), N], terms in each field.
    """

    segments: tuple[int, ...]
    ids: dict[int, Int32]
    first: dict[int, int]
    numbers: Int32
    whole: frozenset[int]
    segment: Int32
    ordinal: Int32
    doc: Int32
    start: Int32
    end: Int32
    lengths: UInt16


def lay_out(segments: Sequence[SegmentRow], rank: Int32) -> Layout:
    """Number the chunks whose document has a rank.

    Args:
        segments: All segments of the file.
        rank: By document's row id, its position in the revision or -1; ids past its end are dead.
    """
    kept: list[tuple[int, Columns, Int32]] = []
    for row in segments:
        columns = columns_of(row)
        ranks = ranks_of(columns.doc, rank)
        if (ranks >= 0).any():
            kept.append((row.id, columns, ranks))
    if not kept:
        none = np.zeros(0, np.int32)
        lengths = np.zeros((len(FIELDS), 0), np.uint16)
        return Layout((), {}, {}, none, frozenset(), none, none, none, none, none, lengths)
    ranks = np.concatenate([each for _, _, each in kept])
    live = np.flatnonzero(ranks >= 0)
    order = live[np.argsort(ranks[live], kind="stable")]
    numbers = np.full(len(ranks), -1, np.int32)
    numbers[order] = np.arange(len(order), dtype=np.int32)
    sizes = [len(each) for _, _, each in kept]
    names = tuple(id_ for id_, _, _ in kept)
    bounds = np.cumsum(sizes)[:-1]
    own = np.repeat(np.array(names, np.int32), sizes)
    ordinals = np.concatenate([np.arange(size, dtype=np.int32) for size in sizes])
    return Layout(
        segments=names,
        ids=dict(zip(names, np.split(numbers, bounds), strict=True)),
        first=dict(zip(names, (0, *bounds.tolist()), strict=True)),
        numbers=_frozen(numbers),
        whole=frozenset(id_ for id_, _, ranks in kept if (ranks >= 0).all()),
        segment=_frozen(own[order]),
        ordinal=_frozen(ordinals[order]),
        doc=_frozen(ranks[order]),
        start=_frozen(np.concatenate([columns.start for _, columns, _ in kept])[order]),
        end=_frozen(np.concatenate([columns.end for _, columns, _ in kept])[order]),
        lengths=_frozen16(np.concatenate([c.lengths for _, c, _ in kept], axis=1)[:, order]),
    )


def ranks_of(docs: Int32, rank: Int32) -> Int32:
    """The rank of each document's row id; -1 for one that is dead or past the end."""
    if not len(rank):
        return np.full(len(docs), -1, np.int32)
    known = docs < len(rank)
    return np.where(known, rank[np.where(known, docs, 0)], np.int32(-1))


def columns_of(row: SegmentRow) -> Columns:
    """What a segment knows of its chunks; DamagedIndexError when the bytes are not that."""
    try:
        return Columns.unpack(row.columns, row.chunks)
    except ValueError as error:
        raise DamagedIndexError(
            f"segment {row.id} of the index is damaged: delete the index and ask again"
        ) from error


def _frozen(values: Int32) -> Int32:
    values.flags.writeable = False
    return values


def _frozen16(values: UInt16) -> UInt16:
    values.flags.writeable = False
    return values
