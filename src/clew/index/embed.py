"""Gives vectors to chunks that have none by the embedder that is set, from what the index holds.

That is so after another embedder was set, for a model that reads texts (which would keep a build
waiting), and after a pass that was killed or refused: each step goes in by a transaction of its
own and is kept. Meanwhile others search by words and may even build: the index is held only while
a step is written. Nothing here reads a source.
"""

from __future__ import annotations

import hashlib
import time
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import filelock
import numpy as np
import numpy.typing as npt

from clew.chunks.text import split_lines
from clew.index.generations import generations
from clew.index.layout import columns_of, ranks_of
from clew.index.lock import alone
from clew.index.prepare import unpack_text
from clew.index.sqlite import SqliteReader, SqliteWriter
from clew.index.vectors import Rounded, embed_postings, rounded, vector_row, vectors_of
from clew.models.embedder import TermEmbedder

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from clew.index.postings import Bool, Columns, Int32
    from clew.index.store import (
        DocRow,
        Reader,
        SegmentRow,
        StoredChunk,
        VectorKind,
        VectorRow,
    )
    from clew.models.embedder import TextEmbedder


LEAST_SECONDS = 5.0  # for what was begun in time: less would break off what is being paid for


@dataclass(frozen=True, slots=True)
class Limits:
    """How long it may take: seconds in all, and for the wait for another writer."""

    seconds: float
    lock_seconds: float


@dataclass(frozen=True, slots=True)
class Stand:
    """How many of a revision's chunks have vectors; `waiting` is what the next ones wait for."""

    done: int
    total: int
    waiting: str = ""


@dataclass(frozen=True, slots=True)
class Waits:
    """Until when the embedder may take, by the clock that only goes on, and who is told why."""

    ends: float
    told: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class _Gap:
    """A segment with chunks of the revision that have no vectors."""

    segment: SegmentRow
    columns: Columns
    missing: Bool


def embed_missing(
    path: Path,
    revision: tuple[str, str],
    embedder: TermEmbedder | TextEmbedder,
    limits: Limits,
    say: Callable[[Stand], None],
) -> Stand:
    """Embed what has no vectors in a revision, step by step, until all is done or time is up.

    Args:
        path: What the index is called.
        revision: The revision's id and prefix.
        embedder: What makes the vectors.
        limits: How long it may take.
        say: Is told where it stands before each step and while another process is waited for;
            what it raises ends the pass.

    Raises:
        IndexFailedError: The index can't be read or written.
        ProviderDownError: The embedder failed; what was done is kept.
        ProviderRefusedError: The same, and for good.
        BusyError: Another process was writing all that time.
    """
    ends = time.monotonic() + limits.seconds
    stand = stand_of(path, revision, embedder.id)
    if stand.done == stand.total:
        return stand
    lock = filelock.FileLock(f"{path}.embed.lock")
    try:
        lock.acquire(timeout=0)
    except filelock.Timeout:
        return stand  # another process is at it; what it leaves undone is there to do next time
    try:
        while True:
            file, stand, rows = _step(path, revision, embedder, ends, say)
            if file is None:
                return stand
            with alone(path, limits.lock_seconds, lambda now=stand: say(now)):
                if generations(path)[:1] == [file]:
                    with closing(SqliteWriter(file, {})) as writer:
                        writer.add_vectors(rows)
            if time.monotonic() > ends:
                return stand_of(path, revision, embedder.id)
    finally:
        lock.release()


def stand_of(path: Path, revision: tuple[str, str], embedder: str) -> Stand:
    """How many of a revision's chunks have vectors by the embedder of this id."""
    for file in generations(path)[:1]:
        with closing(SqliteReader(file)) as reader:
            return _look(reader, revision, embedder)[0]
    return Stand(0, 0)


def _step(
    path: Path,
    revision: tuple[str, str],
    embedder: TermEmbedder | TextEmbedder,
    ends: float,
    say: Callable[[Stand], None],
) -> tuple[Path | None, Stand, Sequence[VectorRow]]:
    """The file, None when nothing is to be done; where it stands; the vectors that were made."""
    stand, id_ = Stand(0, 0), embedder.id
    for file in generations(path)[:1]:
        with closing(SqliteReader(file)) as reader:
            stand, gaps = _look(reader, revision, id_)
            if not gaps:
                break
            say(stand)
            if isinstance(embedder, TermEmbedder):
                return file, stand, _summed(reader, gaps[0], embedder)
            waits = Waits(ends, lambda words, at=stand: say(replace(at, waiting=words)))
            rows = _read_and_embedded(reader, gaps[0], embedder, waits)
            if all(row.embedder == id_ for row in rows):  # a server's model may change meanwhile
                return file, stand, rows
    return None, stand, ()


def _look(reader: Reader, revision: tuple[str, str], embedder: str) -> tuple[Stand, list[_Gap]]:
    """How many of the revision's chunks have vectors, and where those are that have none."""
    row = reader.revision(*revision)
    total = row.stats["chunks"] if row else 0
    if row is None or not reader.without_vectors(embedder):
        return Stand(total, total), []
    docs: Int32 = np.frombuffer(row.docs, "<i4")
    rank = np.full(int(docs.max(initial=0)) + 1, -1, np.int32)
    rank[docs] = 0
    spans, parts = (reader.vector_spans(embedder, kind) for kind in ("chunk", "part"))
    gaps: list[_Gap] = []
    done = total
    for segment in reader.segments():
        columns = columns_of(segment)
        missing = ranks_of(columns.doc, rank) >= 0
        for span in spans:
            if span.segment == segment.id:
                missing[span.first : span.first + span.count] = False
        if missing.any():
            gaps.append(_Gap(segment, columns, missing))
            done -= int(np.count_nonzero(missing))
            begun = (each for each in parts if each.segment == segment.id)
            done += sum(each.count for each in begun if missing[each.first])
    return Stand(done, total), gaps


# --- by terms ------------------------------------------------------------------------------------


def _summed(reader: Reader, gap: _Gap, embedder: TermEmbedder) -> Sequence[VectorRow]:
    postings = dict(reader.terms_of(gap.segment.id))
    return embed_postings(embedder, postings, gap.columns.doc, gap.segment.id)


# --- by texts ------------------------------------------------------------------------------------


def _read_and_embedded(
    reader: Reader, gap: _Gap, embedder: TextEmbedder, waits: Waits
) -> list[VectorRow]:
    """Embed a batch of texts of a segment: one row for each run of whole documents.

    A document of more chunks than a batch takes several steps; what is done of it is a part.
    """
    runs = _runs(gap, embedder.batch)
    texts: list[str] = [
        text
        for first, last in runs
        for text in _texts(reader, gap, first, last, embedder.max_chars)
    ]
    keys = np.array([_key(text) for text in texts], np.uint64)
    vectors, known = _known(reader, embedder, keys)
    new: list[int] = np.flatnonzero(~known).tolist()
    at, left = new[: embedder.batch], new[embedder.batch :]
    if at:
        seconds = max(waits.ends - time.monotonic(), LEAST_SECONDS)
        made = rounded(embedder.embed([texts[each] for each in at], seconds, waits.told))
        vectors.rows[at], vectors.scales[at] = made.rows, made.scales

    def row(kind: VectorKind, first: int, part: slice, docs: Int32 | None) -> VectorRow:
        made = Rounded(vectors.rows[part], vectors.scales[part])
        said = keys[part].astype("<u8").tobytes()
        return vector_row(
            kind, embedder.id, gap.segment.id, made, first=first, docs=docs, keys=said
        )

    if left:
        return [row("part", runs[0][0] + at[0], slice(at[0], left[0]), None)]
    rows: list[VectorRow] = []
    done = 0
    for first, last in runs:
        part = slice(done, done := done + last - first)
        rows.append(row("chunk", first, part, gap.columns.doc[first:last]))
    return rows


def _runs(gap: _Gap, most: int) -> list[tuple[int, int]]:
    """Ranges of chunks, of whole documents, until there are that many chunks."""
    doc = gap.columns.doc
    starts = np.flatnonzero(np.concatenate([[True], doc[1:] != doc[:-1]])).tolist()
    runs: list[tuple[int, int]] = []
    count = 0
    for first, last in pairwise([*starts, len(doc)]):
        if not gap.missing[first]:
            continue
        if count and count + last - first > most:
            break
        count += last - first
        if runs and runs[-1][1] == first:
            runs[-1] = runs[-1][0], last
        else:
            runs.append((first, last))
    return runs


def _texts(reader: Reader, gap: _Gap, first: int, last: int, most: int) -> list[str]:
    """What is embedded of each chunk of a range: its path, what it is called, its lines."""
    segment, columns = gap.segment.id, gap.columns
    chunks = reader.chunks([(segment, at) for at in range(first, last)])
    texts: list[str] = []
    for doc in reader.docs(np.unique(columns.doc[first:last]).tolist()):
        lines = _lines(reader, doc)
        for at in (np.flatnonzero(columns.doc[first:last] == doc.id) + first).tolist():
            body = "\n".join(lines[columns.start[at] - 1 : columns.end[at]])
            texts.append(_text(doc.path, chunks[segment, at], body)[:most])
    return texts


def _lines(reader: Reader, doc: DocRow) -> list[str]:
    if doc.blob is None:
        return []
    return split_lines(unpack_text(reader.blobs([doc.blob])[doc.blob].text))


def _text(path: str, chunk: StoredChunk, body: str) -> str:
    """The path and the whole name above the lines: a method's own lines don't say whose it is."""
    said = (part for part in (chunk.signature, chunk.doc) if part and part not in body)
    return "\n".join((path, chunk.qualname, *said, body))


def _key(text: str) -> int:
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def _known(
    reader: Reader, embedder: TextEmbedder, keys: npt.NDArray[np.uint64]
) -> tuple[Rounded, Bool]:
    """The vectors of the texts that were embedded before, wherever they stand; and which these are.

    A vector of zeros is one too, of a text that says nothing to the model: asked for again and
    again, it would keep a pass from its end.
    """
    found = Rounded(np.zeros((len(keys), embedder.dims), np.int8), np.zeros(len(keys), np.float32))
    known = np.zeros(len(keys), np.bool_)
    for kind, segment, first, packed in reader.vector_keys(embedder.id):
        stored = np.frombuffer(packed, "<u8")
        here = np.flatnonzero(np.isin(keys, stored))
        if not len(here):
            continue
        order = np.argsort(stored)
        at = order[np.searchsorted(stored, keys[here], sorter=order)]
        for row in reader.vectors(embedder.id, kind, segment):
            if row.first == first:
                past = vectors_of(row)
                found.rows[here], found.scales[here] = past.rows[at], past.scales[at]
                known[here] = True
    return found, known
