"""Makes the vectors of chunks: sums over a segment's postings, as int8 rows with a scale each.

What a chunk's vector is depends on the chunk's own postings alone, to the last bit: not on the
segment that it lies in, nor on what stands beside it. Nothing here touches a database or scores.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from clew.index.postings import POSTING, Bool, Int32
from clew.index.store import VectorRow

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from clew.index.store import VectorKind
    from clew.models.embedder import TermEmbedder

Float32: TypeAlias = npt.NDArray[np.float32]
Int8: TypeAlias = npt.NDArray[np.int8]

_LOGS = np.log(np.maximum(np.arange(256), 1)).astype(np.float32) + 1
"""1 + ln tf, by tf."""


@dataclass(frozen=True, slots=True)
class _Pairs:
    """What each chunk sums: runs of (table row, weight), one chunk after the other."""

    first: list[int]  # where each chunk's run begins, and the end of the last
    rows: Int32
    weights: Float32


def embed_postings(
    embedder: TermEmbedder,
    postings: Mapping[str, bytes | bytearray],
    docs: Int32,
    segment: int,
) -> tuple[VectorRow, ...]:
    """The vectors of all chunks of a segment.

    Args:
        embedder: The table of vectors.
        postings: The segment's postings by term.
        docs: By chunk, the document's row id; a document's chunks stand together.
        segment: The segment's id.
    """
    if not len(docs):
        return ()
    pairs = _pairs(embedder, postings, len(docs))
    table = embedder.table.astype(np.float32)
    chunks = rounded(_sums(table, pairs))
    return (vector_row("chunk", embedder.id, segment, chunks, docs=docs),)


def _pairs(embedder: TermEmbedder, postings: Mapping[str, bytes | bytearray], count: int) -> _Pairs:
    """Bring the postings into the order of chunks, then of table rows, equal ones together.

    The order in which terms came into the segment must not show: it differs between builds, and
    sums of floats differ with their order.
    """
    terms = sorted(postings)
    ids = embedder.rows(terms)
    order = np.argsort(ids, kind="stable")
    order = order[np.count_nonzero(ids < 0) :]
    parts = [postings[terms[at]] for at in order.tolist()]
    sizes = np.array([len(part) for part in parts], np.int64) // POSTING.itemsize
    found = np.frombuffer(b"".join(parts), POSTING)
    by_chunk = np.argsort(found["chunk"], kind="stable")  # 16 bits: a radix sort
    found = found[by_chunk]
    row = np.repeat(ids[order], sizes)[by_chunk]
    weights = _LOGS[found["tf"]] * embedder.chunk_weight[row]
    weights *= embedder.field_weight[found["field"]]
    chunk = found["chunk"]
    new = np.ones(len(found), np.bool_)
    new[1:] = (chunk[1:] != chunk[:-1]) | (row[1:] != row[:-1])
    starts = np.flatnonzero(new)
    if len(starts):
        weights = np.add.reduceat(weights, starts)
    first = np.searchsorted(chunk[starts], np.arange(count + 1)).tolist()
    return _Pairs(first, row[starts], weights)


def _sums(table: Float32, pairs: _Pairs) -> Float32:
    """Each chunk's weighted sum, of length 1; a product a chunk stays in the processor's cache."""
    count = len(pairs.first) - 1
    out = np.zeros((count, table.shape[1]), np.float32)
    for at, (start, end) in enumerate(pairwise(pairs.first)):
        np.dot(pairs.weights[start:end], table[pairs.rows[start:end]], out=out[at])
    return _unit(out)


def _unit(vectors: Float32) -> Float32:
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    vectors /= np.where(lengths > 0, lengths, 1)[:, None]
    return vectors


# --- rows of the store -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Rounded:
    """Vectors as they are stored: int8[n, dims], and float32[n] that brings each to its length."""

    rows: Int8
    scales: Float32

    @property
    def floats(self) -> Float32:
        """Shape (n, dims)."""
        return self.rows * self.scales[:, None]


def rounded(vectors: Float32) -> Rounded:
    """Round vectors, each by its own greatest number."""
    scales = np.abs(vectors).max(axis=1, initial=0) / np.float32(127)
    rows = np.rint(vectors / np.where(scales > 0, scales, 1)[:, None]).astype(np.int8)
    return Rounded(rows, scales)


def vector_row(
    kind: VectorKind,
    embedder: str,
    segment: int,
    vectors: Rounded,
    *,
    first: int = 0,
    docs: Int32 | None = None,
    keys: bytes = b"",
) -> VectorRow:
    """Vectors of chunks that follow one another, as a row of the store.

    Args:
        kind: What they are of.
        embedder: The embedder's id.
        segment: Where the chunks are.
        vectors: One for each chunk.
        first: The first chunk's ordinal.
        docs: By chunk, the document's row id, for whole documents; then their norms are kept.
        keys: See `VectorRow`.
    """
    norms = b"" if docs is None else _norms(vectors.floats, docs).astype("<f4").tobytes()
    return VectorRow(
        segment=segment,
        embedder=embedder,
        kind=kind,
        first=first,
        count=len(vectors.rows),
        dims=vectors.rows.shape[1],
        scales=vectors.scales.astype("<f4").tobytes(),
        norms=norms,
        keys=keys,
        rows=vectors.rows.tobytes(),
    )


def _norms(vectors: Float32, docs: Int32) -> Float32:
    """By chunk: the length of the sum of the vectors of all chunks of its document."""
    starts = np.flatnonzero(np.concatenate([[True], docs[1:] != docs[:-1]]))
    sums = np.add.reduceat(vectors, starts, axis=0)
    norms = np.sqrt(np.einsum("ij,ij->i", sums, sums))
    return np.repeat(norms, np.diff([*starts.tolist(), len(docs)]))


def vectors_of(row: VectorRow) -> Rounded:
    """The vectors of a stored row; ValueError when the sizes are wrong."""
    rows = np.frombuffer(row.rows, np.int8).reshape(row.count, row.dims)
    return Rounded(rows, np.frombuffer(row.scales, "<f4", row.count))


def placed(rows: Iterable[VectorRow], segment: int, by: int) -> Iterator[VectorRow]:
    """The same vectors in a segment where every ordinal is `by` greater."""
    for row in rows:
        yield replace(row, segment=segment, first=row.first + by)


def selected(row: VectorRow, numbers: Int32, segment: int) -> VectorRow | None:
    """The vectors of the chunks that are kept; None when there are none.

    Args:
        row: Vectors of one segment.
        numbers: By ordinal, the new one, -1 for a chunk that is not kept; growing otherwise.
        segment: The new segment's id.
    """
    placed = numbers[row.first : row.first + row.count]
    kept = placed >= 0
    if not kept.any():
        return None
    return replace(
        row,
        segment=segment,
        first=int(placed[kept][0]),
        count=int(np.count_nonzero(kept)),
        scales=_cut(row.scales, row.count, kept),
        norms=_cut(row.norms, row.count, kept),
        keys=_cut(row.keys, row.count, kept),
        rows=_cut(row.rows, row.count, kept),
    )


def _cut(data: bytes, count: int, kept: Bool) -> bytes:
    return np.frombuffer(data, np.uint8).reshape(count, -1)[kept].tobytes() if data else data


def coalesced(rows: Sequence[VectorRow]) -> list[VectorRow]:
    """The same vectors in as few rows as they fit: those that continue one another together."""
    groups: list[list[VectorRow]] = []
    for row in sorted(rows, key=lambda row: (row.embedder, row.kind, row.segment, row.first)):
        last = groups[-1][-1] if groups else None
        if last is not None and _continues(last, row):
            groups[-1].append(row)
        else:
            groups.append([row])
    return [_joined(group) if len(group) > 1 else group[0] for group in groups]


def _continues(one: VectorRow, other: VectorRow) -> bool:
    same = (one.embedder, one.kind, one.segment, one.dims)
    return same == (other.embedder, other.kind, other.segment, other.dims) and (
        one.first + one.count == other.first
    )


def _joined(group: Sequence[VectorRow]) -> VectorRow:
    return replace(
        group[0],
        count=sum(row.count for row in group),
        scales=b"".join(row.scales for row in group),
        norms=b"".join(row.norms for row in group),
        keys=b"".join(row.keys for row in group),
        rows=b"".join(row.rows for row in group),
    )
