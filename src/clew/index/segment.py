"""Gathers prepared blobs into the rows of one transaction, and joins small segments into one.

Memory is bounded by one segment: what has been taken is forgotten. Nothing here touches a database.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from clew.index.gathering import Gathering
from clew.index.postings import (
    FIELDS,
    MAX_ROWS,
    POSTING,
    REFERENCE,
    Columns,
    UInt16,
    place_postings,
    place_references,
)
from clew.index.prepare import MISSING, Prepared, PreparedDoc
from clew.index.store import Batch, BlobRow, DocRow, SegmentRow, VectorRow, Writer
from clew.index.vectors import coalesced, embed_postings, placed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clew.models.embedder import TermEmbedder
    from clew.types import Chunk, Symbol, TreeEntry

MAX_CHUNKS = 32_000
"""Chunks of a segment, unless one document holds more; bounds memory."""

MAX_DOCS = 20_000
MAX_TEXT = 32 * 1024 * 1024
"""Bytes of compressed text that one transaction may hold."""


class Collector:
    """Collects documents until a segment is full; row ids go on from the store's last ones.

    Attributes:
        ids: The row id of every document added so far, by path.
    """

    def __init__(
        self, last_ids: tuple[int, int, int], max_chunks: int, embedder: TermEmbedder | None = None
    ) -> None:
        self.ids: dict[str, int] = {}
        self._doc, self._blob, self._segment = last_ids
        self._max_chunks = min(max_chunks, MAX_ROWS)
        self._embedder = embedder
        self._clear()

    def _clear(self) -> None:
        self._chunks: list[Chunk] = []
        self._docs: list[DocRow] = []
        self._blobs: list[BlobRow] = []
        self._symbols: list[tuple[int, int, Symbol]] = []
        self._references = Gathering(REFERENCE.itemsize)
        self._postings = Gathering(POSTING.itemsize)
        self._chunk_docs = array("i")
        self._lengths: list[UInt16] = []
        self._text = 0

    @property
    def empty(self) -> bool:
        """Whether there is nothing to take."""
        return not self._docs

    @property
    def full(self) -> bool:
        """Whether to take what there is before anything more is added."""
        return len(self._docs) >= MAX_DOCS

    def room_for(self, prepared: Prepared) -> bool:
        """Whether the blob still fits; take what there is first when it does not."""
        new = sum(len(doc.parsed.chunks) for doc in prepared.docs)
        return (
            len(self._chunks) + new <= self._max_chunks
            and self._text + len(prepared.packed or b"") <= MAX_TEXT
            and not self.full
        ) or self.empty

    def skip(self, entry: TreeEntry, rule: str) -> None:
        """Add a path that a rule keeps from being read."""
        self._doc += 1
        self.ids[entry.path] = self._doc
        self._docs.append(DocRow(self._doc, entry.path, entry.oid, rule, rule, entry.size))

    def add(self, prepared: Prepared, blob: BlobRow | None) -> None:
        """Add a blob at all of its paths; `blob` is its stored row when there is one already."""
        stored = blob.id if blob else None
        if stored is None and prepared.packed is not None:
            self._blob += 1
            stored = self._blob
            self._text += len(prepared.packed)
            self._blobs.append(
                BlobRow(
                    stored,
                    prepared.oid,
                    prepared.packed,
                    prepared.lines,
                    prepared.encoding,
                    prepared.redactions,
                )
            )
        for doc in prepared.docs:
            self._add_doc(prepared, doc, stored)

    def _add_doc(self, prepared: Prepared, doc: PreparedDoc, stored: int | None) -> None:
        skip, parsed = doc.skip, doc.parsed
        if len(self._chunks) + len(parsed.chunks) > MAX_ROWS:
            skip = "failed: too many chunks"
        kept = not skip
        self._doc += 1
        self.ids[doc.path] = self._doc
        self._docs.append(
            DocRow(
                id=self._doc,
                path=doc.path,
                oid=prepared.oid,
                rule=MISSING if prepared.missing else "",
                skip=skip,
                size=prepared.size,
                language=parsed.language,
                lines=prepared.lines if kept else 0,
                chunks=len(parsed.chunks) if kept else 0,
                symbols=len(parsed.symbols) if kept else 0,
                blob=stored if kept else None,
            )
        )
        if not kept:
            return
        placed = place_postings(doc.postings.data, len(self._chunks))
        self._postings.add(doc.postings, placed)
        self._references.add(doc.references, place_references(doc.references.data, self._doc))
        self._lengths.append(np.frombuffer(doc.lengths, "<u2").reshape(len(FIELDS), -1))
        self._chunks.extend(parsed.chunks)
        self._chunk_docs.extend([self._doc] * len(parsed.chunks))
        self._symbols.extend((self._doc, at, symbol) for at, symbol in enumerate(parsed.symbols))

    def take(self) -> Batch:
        """The rows of everything added since the last time."""
        self._segment += 1
        chunks = self._chunks
        columns = Columns(
            doc=np.array(self._chunk_docs, np.int32),
            start=np.array([chunk.start_line for chunk in chunks], np.int32),
            end=np.array([chunk.end_line for chunk in chunks], np.int32),
            lengths=np.concatenate([np.zeros((len(FIELDS), 0), "<u2"), *self._lengths], axis=1),
        )
        vectors: tuple[VectorRow, ...] = ()
        postings = self._postings.by_name()
        if self._embedder:
            vectors = embed_postings(self._embedder, postings, columns.doc, self._segment)
        batch = Batch(
            segment=SegmentRow(self._segment, len(chunks), columns.pack()),
            chunks=chunks,
            postings=postings,
            references=self._references.by_name(),
            blobs=self._blobs,
            docs=self._docs,
            symbols=self._symbols,
            vectors=vectors,
        )
        self._clear()
        return batch


def join(segments: Sequence[SegmentRow], writer: Writer, id_: int) -> Batch:
    """One segment that holds the chunks of all these, in their order; chunk rows are not in it."""
    columns = [Columns.unpack(segment.columns, segment.chunks) for segment in segments]
    postings: dict[str, list[bytes]] = defaultdict(list)
    references: dict[str, list[bytes]] = defaultdict(list)
    vectors: list[VectorRow] = []
    offset = 0
    for segment in segments:
        for term, data in writer.terms_of(segment.id):
            postings[term].append(place_postings(data, offset))
        for name, data in writer.references_of(segment.id):
            references[name].append(data)
        vectors.extend(placed(writer.vectors_of(segment.id), id_, offset))
        offset += segment.chunks
    joined = Columns(
        doc=np.concatenate([each.doc for each in columns]),
        start=np.concatenate([each.start for each in columns]),
        end=np.concatenate([each.end for each in columns]),
        lengths=np.concatenate([each.lengths for each in columns], axis=1),
    )
    return Batch(
        segment=SegmentRow(id_, offset, joined.pack()),
        chunks=(),
        postings={term: b"".join(parts) for term, parts in postings.items()},
        references={name: b"".join(parts) for name, parts in references.items()},
        vectors=coalesced(vectors),
    )
