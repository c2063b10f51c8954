"""Writes an index anew without what no kept revision needs, while readers go on with the old one.

The new file is written beside the old one under a name that nobody reads, and takes the name of
the next generation when it is complete: killed at any moment, there is the old index or the new
one. Row ids stay, so the revisions' own rows are copied as they are; chunks get new ordinals. The
caller decides what is kept.
"""

from __future__ import annotations

import time
from collections import defaultdict
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np

from clew.errors import IndexFailedError
from clew.index.fingerprint import code_fingerprint
from clew.index.generations import discard, draft_of, following, generations, sweep
from clew.index.layout import columns_of
from clew.index.postings import Bool, Columns, Int32, select_postings, select_references
from clew.index.segment import MAX_CHUNKS
from clew.index.sqlite import SqliteReader, SqliteWriter
from clew.index.store import VECTOR_KINDS, Batch, SegmentRow
from clew.index.vectors import coalesced, selected

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from clew.index.store import Reader, RevisionRow, StoredChunk, VectorRow

MAX_DOCS = 5_000
MAX_TEXTS = 500
"""Documents, and texts, in one transaction."""

TIDY_BYTES = 256 * 1024 * 1024
TIDY_SECONDS = 5.0
"""The largest index that a build makes smaller by itself, and the longest it may take."""


@dataclass(frozen=True, slots=True)
class Compacted:
    """What became of an index.

    Attributes:
        dropped: The revisions that are no longer in it.
        documents: How many documents it held and holds no longer.
    """

    dropped: tuple[RevisionRow, ...] = ()
    documents: int = 0


class _TooLongError(Exception):
    """The time that was allowed is over."""


def compact(
    path: Path,
    keep: Callable[[RevisionRow], bool],
    alive: Callable[[], None],
    embedder: str | None = None,
) -> Compacted:
    """Leave only the revisions that `keep` wants, and what they need; the caller holds the lock.

    Args:
        path: What the index is called.
        keep: Whether a revision stays.
        alive: Is called between two transactions; what it raises stops it, without a trace.
        embedder: The id of the embedder whose vectors stay, "" for none; None to keep all.

    Raises:
        IndexFailedError: It can't be read, or the new one can't be written; the old one stays.
    """
    draft, files = draft_of(path), generations(path)
    if not files:
        return Compacted()
    sweep(path)
    with closing(SqliteReader(files[0])) as reader:
        if not code_fingerprint().items() <= reader.meta().items():
            return Compacted()  # this version can't read it: the next build makes it anew
        rows = reader.revisions()
        wanted = [keep(row) for row in rows]
        kept = list(compress(rows, wanted))
        dropped = tuple(row for row, stays in zip(rows, wanted, strict=True) if not stays)
        live = _live(kept)
        dead = reader.document_count() - int(np.count_nonzero(live))
        for file in files[1:] if rows else ():  # of one that was killed at its very end
            discard(file)
        stored = reader.embedders()
        stay = [id_ for id_ in stored if embedder in (id_, None)]
        if not dropped and not dead and stay == stored:
            return Compacted()
        try:
            if kept:
                _write(reader, draft, _Kept(kept, live, stay), alive)
                draft.rename(following(path))
        finally:
            discard(draft)
    for file in files:
        discard(file)
    return Compacted(dropped, dead)


def tidy(path: Path, alive: Callable[[], None]) -> None:
    """Make an index smaller when more than half of its documents are in no revision.

    It is what a build does at its end, so it is brief and never the build's failure: what it can't
    do, `clew prune` does. The caller holds the lock.
    """
    files = generations(path)
    if not files or files[0].stat().st_size > TIDY_BYTES:
        return
    with closing(SqliteReader(files[0])) as reader:
        if not _mostly_dead(reader):
            return
    ends = time.monotonic() + TIDY_SECONDS

    def in_time() -> None:
        alive()
        if time.monotonic() > ends:
            raise _TooLongError

    with suppress(_TooLongError, IndexFailedError, OSError):
        compact(path, lambda _: True, in_time)


def _mostly_dead(reader: Reader) -> bool:
    count = reader.document_count()
    rows = reader.revisions()
    if count <= 2 * max((len(row.docs) // 4 for row in rows), default=0):
        return False  # one revision alone needs half of them
    return count > 2 * int(np.count_nonzero(_live(rows)))


def _live(kept: Sequence[RevisionRow]) -> Bool:
    """Which documents any of the revisions has, by row id."""
    docs = [np.frombuffer(row.docs, "<i4") for row in kept]
    size = max((int(each.max()) + 1 for each in docs if len(each)), default=0)
    live = np.zeros(size, np.bool_)
    for each in docs:
        live[each] = True
    return live


@dataclass(frozen=True, slots=True)
class _Kept:
    """What stays: revisions, documents by row id, and the vectors of these embedders."""

    revisions: Sequence[RevisionRow]
    live: Bool
    embedders: Sequence[str]


def _write(reader: Reader, draft: Path, kept: _Kept, alive: Callable[[], None]) -> None:
    with closing(SqliteWriter(draft, reader.meta())) as writer:
        for batch in _documents(reader, np.flatnonzero(kept.live).tolist()):
            alive()
            writer.add(batch)
        for batch in _segments(reader, kept):
            alive()
            writer.add(batch)
        for row in kept.revisions:
            writer.flip(row)
    if draft.with_name(f"{draft.name}-wal").exists():
        raise IndexFailedError(f"the index {draft} could not be completed: free some disk space")


def _documents(reader: Reader, ids: Sequence[int]) -> Iterator[Batch]:
    """The live documents with their texts and symbols. A text of several goes with the first."""
    written: set[int] = set()
    none = SegmentRow(0, 0, b"")
    for start in range(0, len(ids), MAX_DOCS):
        docs = list(reader.docs(ids[start : start + MAX_DOCS]))
        symbols = reader.symbols_of([doc.id for doc in docs])
        yield Batch(none, (), {}, {}, docs=docs, symbols=symbols)
        blobs = sorted({doc.blob for doc in docs if doc.blob is not None} - written)
        written.update(blobs)
        for at in range(0, len(blobs), MAX_TEXTS):
            texts = reader.blobs(blobs[at : at + MAX_TEXTS])
            yield Batch(none, (), {}, {}, blobs=[texts[blob] for blob in sorted(texts)])


def _segments(reader: Reader, what: _Kept) -> Iterator[Batch]:
    """The live chunks of several segments together, in the order they have."""
    group: list[tuple[SegmentRow, Columns, Bool]] = []
    size = number = 0
    for row in reader.segments():
        columns = columns_of(row)
        kept = _padded(what.live, columns.doc)[columns.doc]
        count = int(np.count_nonzero(kept))
        if group and size + count > MAX_CHUNKS:
            number += 1
            yield _joined(reader, group, number, what)
            group, size = [], 0
        group.append((row, columns, kept))
        size += count
    if group:
        yield _joined(reader, group, number + 1, what)


def _joined(
    reader: Reader, group: Sequence[tuple[SegmentRow, Columns, Bool]], id_: int, what: _Kept
) -> Batch:
    postings: dict[str, bytearray] = defaultdict(bytearray)
    references: dict[str, bytearray] = defaultdict(bytearray)
    chunks: list[StoredChunk] = []
    vectors: list[VectorRow] = []
    for row, _, kept in group:
        numbers: Int32 = np.full(row.chunks, -1, np.int32)
        numbers[kept] = np.arange(len(chunks), len(chunks) + np.count_nonzero(kept))
        terms = reader.terms_of(row.id)
        parts = select_postings([data for _, data in terms], numbers)
        _append(postings, [term for term, _ in terms], parts)
        names = reader.references_of(row.id)
        parts = select_references([data for _, data in names], what.live)
        _append(references, [name for name, _ in names], parts)
        chunks += compress(reader.chunks_of(row.id), kept)
        vectors += _vectors(reader, row.id, what.embedders, numbers, id_)
    columns = Columns(
        doc=np.concatenate([each.doc[kept] for _, each, kept in group]),
        start=np.concatenate([each.start[kept] for _, each, kept in group]),
        end=np.concatenate([each.end[kept] for _, each, kept in group]),
        lengths=np.concatenate([each.lengths[:, kept] for _, each, kept in group], axis=1),
    )
    segment = SegmentRow(id_, len(chunks), columns.pack())
    return Batch(segment, chunks, postings, references, vectors=coalesced(vectors))


def _vectors(
    reader: Reader, segment: int, embedders: Sequence[str], numbers: Int32, id_: int
) -> Iterator[VectorRow]:
    for embedder in embedders:
        for kind in VECTOR_KINDS:
            for row in reader.vectors(embedder, kind, segment):
                if left := selected(row, numbers, id_):
                    yield left


def _append(into: dict[str, bytearray], names: Sequence[str], parts: Sequence[bytes]) -> None:
    for name, part in zip(names, parts, strict=True):
        if part:
            into[name] += part


def _padded(live: Bool, docs: Int32) -> Bool:
    """The same with a place for every one of the documents."""
    missing = int(docs.max()) + 1 - len(live) if len(docs) else 0
    return np.pad(live, (0, missing)) if missing > 0 else live
