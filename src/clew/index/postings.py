"""The byte formats of the index: postings, a segment's columns and references, as numpy arrays.

Every number is little-endian, so that the same bytes serve every database. Nothing here knows a
database, and nothing here scores: ranking reads these arrays.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from clew.index.fields import FIELDS, MAX_LENGTH, MAX_ROWS, MAX_TF, REFERENCE_KINDS

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "FIELDS",
    "MAX_LENGTH",
    "MAX_ROWS",
    "MAX_TF",
    "POSTING",
    "REFERENCE",
    "REFERENCE_KINDS",
    "Bool",
    "Columns",
    "Int32",
    "Postings",
    "UInt8",
    "UInt16",
    "place_postings",
    "place_references",
    "select_postings",
    "select_references",
    "unpack_postings",
    "unpack_references",
]

Int32: TypeAlias = npt.NDArray[np.int32]
UInt8: TypeAlias = npt.NDArray[np.uint8]
UInt16: TypeAlias = npt.NDArray[np.uint16]
Bool: TypeAlias = npt.NDArray[np.bool_]

# Packed as one 32-bit number per entry while a segment is built: ordinal, field << 16, tf << 24.
POSTING = np.dtype([("chunk", "<u2"), ("field", "u1"), ("tf", "u1")])
REFERENCE = np.dtype([("doc", "<i4"), ("line", "<i4"), ("kind", "u1")])


@dataclass(frozen=True, slots=True)
class Postings:
    """Where a term occurs, sorted by chunk, then field.

    Attributes:
        chunk: int32[n], view-wide chunk ids.
        field: uint8[n], positions in `FIELDS`.
        tf: uint8[n], times the term occurs in that field, at most 255.
    """

    chunk: Int32
    field: UInt8
    tf: UInt8

    def document_frequency(self) -> int:
        """How many chunks hold the term in any field."""
        if not len(self.chunk):
            return 0
        return int(np.count_nonzero(np.diff(self.chunk))) + 1


@dataclass(frozen=True, slots=True)
class Columns:
    """What a segment knows of its n chunks, in the order of their ordinals.

    Attributes:
        doc: int32[n], the document's row id.
        start: int32[n], first line.
        end: int32[n], last line.
        lengths: uint16[len(FIELDS), n], terms in each field, at most 65,535.
    """

    doc: Int32
    start: Int32
    end: Int32
    lengths: UInt16

    def pack(self) -> bytes:
        """The columns one after the other, without a header: n is stored beside them."""
        rows = (self.doc.astype("<i4"), self.start.astype("<i4"), self.end.astype("<i4"))
        return b"".join(row.tobytes() for row in rows) + self.lengths.astype("<u2").tobytes()

    @classmethod
    def unpack(cls, data: bytes, chunks: int) -> Columns:
        """Read what `pack` wrote, without copying; ValueError when the size is wrong."""
        ints = np.frombuffer(data, "<i4", 3 * chunks).reshape(3, chunks)
        lengths = np.frombuffer(data, "<u2", len(FIELDS) * chunks, 12 * chunks)
        return cls(ints[0], ints[1], ints[2], lengths.reshape(len(FIELDS), chunks))


def unpack_postings(data: bytes) -> tuple[UInt16, UInt8, UInt8]:
    """Read one segment's postings of one term: ordinals, fields and tfs, without copying."""
    rows = np.frombuffer(data, POSTING)
    return rows["chunk"], rows["field"], rows["tf"]


def place_postings(data: bytes, by: int) -> bytes:
    """The same postings in a segment where every ordinal is `by` greater."""
    rows = np.frombuffer(data, POSTING).copy()
    rows["chunk"] += by
    return rows.tobytes()


def select_postings(parts: Sequence[bytes], numbers: Int32) -> list[bytes]:
    """Of each part, the postings of the chunks that are kept, with their new ordinals.

    Args:
        parts: The postings of each term of one segment.
        numbers: By ordinal, the new one, -1 for a chunk that is not kept.
    """
    rows = np.frombuffer(b"".join(parts), POSTING)
    placed = numbers[rows["chunk"]]
    kept = placed >= 0
    left = rows[kept]
    left["chunk"] = placed[kept]
    return _cut(left.tobytes(), kept, parts, POSTING.itemsize)


def place_references(data: bytes, doc: int) -> bytes:
    """The same references as those of a document with this row id."""
    rows = np.frombuffer(data, REFERENCE).copy()
    rows["doc"] = doc
    return rows.tobytes()


def select_references(parts: Sequence[bytes], live: Bool) -> list[bytes]:
    """Of each part, the references in live documents; `live` is by row id, later ones are not."""
    rows = np.frombuffer(b"".join(parts), REFERENCE)
    known = rows["doc"] < len(live)
    kept = known.copy()
    kept[known] = live[rows["doc"][known]]
    return _cut(rows[kept].tobytes(), kept, parts, REFERENCE.itemsize)


def _cut(left: bytes, kept: Bool, parts: Sequence[bytes], size: int) -> list[bytes]:
    """Divide what is left of joined parts, of rows of this many bytes, into its parts again."""
    before = np.cumsum([0, *(len(part) // size for part in parts)])
    bounds = np.concatenate([[0], np.cumsum(kept)])[before] * size
    return [left[start:end] for start, end in pairwise(bounds.tolist())]


def unpack_references(data: bytes) -> tuple[Int32, Int32, UInt8]:
    """Read packed references: documents, lines and positions in `REFERENCE_KINDS`."""
    rows = np.frombuffer(data, REFERENCE)
    return rows["doc"], rows["line"], rows["kind"]
