"""What the index asks of a database, and the plain rows that go in and out.

A store keeps bytes and rows; it decides nothing. SQLite is the first; another database can follow
with the same byte formats. Every method may raise the errors of `clew.errors` named in `sqlite`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, TypedDict, get_args

from clew.errors import IndexFailedError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from clew.types import Chunk, ChunkKind, Symbol


VectorKind: TypeAlias = Literal["chunk", "part"]
VECTOR_KINDS: tuple[VectorKind, ...] = get_args(VectorKind)


class DamagedIndexError(IndexFailedError):
    """The stored bytes are not what was written; a build answers it with a fresh generation."""


class UnwrittenIndexError(DamagedIndexError):
    """The file holds no table yet: it is just being made, or whoever made it was killed."""


@dataclass(frozen=True, slots=True)
class BlobRow:
    """One distinct content, redacted. `text` is zstd over UTF-8; `lines` counts as git does."""

    id: int
    oid: str
    text: bytes
    lines: int
    encoding: str
    redactions: int


@dataclass(frozen=True, slots=True)
class DocRow:
    """One (path, oid) as the build found it.

    Attributes:
        rule: The path rule that kept it from being read, "" when it was read. Part of the key:
            the rules depend on the whole tree, so one path may be skipped in one revision only.
        skip: Why it is not indexed, "" when it is.
        blob: The row of its text, or None when no text is kept.
    """

    id: int
    path: str
    oid: str
    rule: str
    skip: str
    size: int
    language: str = ""
    lines: int = 0
    chunks: int = 0
    symbols: int = 0
    blob: int | None = None


@dataclass(frozen=True, slots=True)
class SegmentRow:
    """A group of chunks written together; `columns` as `postings.Columns` packs them."""

    id: int
    chunks: int
    columns: bytes


class Statistics(TypedDict):
    """What a revision holds: indexed files, their chunks and symbols, skipped paths by reason."""

    files: int
    chunks: int
    symbols: int
    skipped: dict[str, int]


@dataclass(frozen=True, slots=True)
class RevisionRow:
    """An indexed revision: the row ids of its documents in the order of their paths.

    `rules` is the digest of the skip rules as relaxed for this revision's tree.
    """

    id: str
    prefix: str
    rules: str
    docs: bytes
    stats: Statistics
    created: float


@dataclass(frozen=True, slots=True)
class VectorRow:
    """The vectors of chunks that follow one another in a segment, by one embedder.

    Attributes:
        kind: "chunk"; "part" for chunks of a document of which others have no vectors yet, which
            no search reads.
        first: The first chunk's ordinal.
        count: How many chunks.
        scales: float32[count]; a vector is its row times this.
        norms: float32[count], of "chunk" only: the length of the sum of all vectors of the
            chunk's document.
        keys: uint64[count], digests of the texts that were embedded; b"" for a term embedder.
        rows: int8[count, dims].
    """

    segment: int
    embedder: str
    kind: VectorKind
    first: int
    count: int
    dims: int
    scales: bytes
    norms: bytes
    keys: bytes
    rows: bytes


@dataclass(frozen=True, slots=True)
class VectorSpan:
    """Which chunks of a segment have vectors: `VectorRow` without the numbers."""

    segment: int
    first: int
    count: int
    dims: int


@dataclass(frozen=True, slots=True)
class Batch:
    """What one transaction adds: whole documents with everything that hangs on them."""

    segment: SegmentRow
    chunks: Sequence[Chunk | StoredChunk]
    postings: Mapping[str, bytes | bytearray]
    references: Mapping[str, bytes | bytearray]
    blobs: Sequence[BlobRow] = ()
    docs: Sequence[DocRow] = ()
    symbols: Sequence[tuple[int, int, Symbol]] = field(default_factory=tuple)
    vectors: Sequence[VectorRow] = ()


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk's words, without its numbers (those are in the segment's columns)."""

    kind: ChunkKind
    name: str
    qualname: str
    signature: str
    doc: str
    parents: tuple[str, ...]


class Reader(Protocol):
    """One consistent state of the index, whatever is written meanwhile. Thread-safe."""

    def close(self) -> None:
        """Let the file go; a second call does nothing."""
        ...

    def meta(self) -> dict[str, str]:
        """Everything under which the file was built."""
        ...

    def revision(self, revision: str, prefix: str) -> RevisionRow | None:
        """The revision under that prefix, or None when it isn't indexed."""
        ...

    def revisions(self) -> list[RevisionRow]:
        """Every indexed revision, the oldest first."""
        ...

    def segments(self) -> list[SegmentRow]:
        """Every segment of the file, the oldest first."""
        ...

    def docs(self, ids: Sequence[int]) -> Iterator[DocRow]:
        """The documents of these row ids, in the order given."""
        ...

    def docs_at(self, path: str) -> list[DocRow]:
        """The documents that any revision has at this path."""
        ...

    def blobs(self, ids: Sequence[int]) -> dict[int, BlobRow]:
        """The contents of these row ids."""
        ...

    def postings(
        self, terms: Sequence[str], segments: Sequence[int]
    ) -> list[tuple[str, int, bytes]]:
        """(term, segment, data) of the terms in those of the segments that hold them."""
        ...

    def references(self, name: str, segments: Sequence[int]) -> list[bytes]:
        """The references to the name, by segment."""
        ...

    def chunks(self, keys: Sequence[tuple[int, int]]) -> dict[tuple[int, int], StoredChunk]:
        """The chunks of these (segment, ordinal) keys."""
        ...

    def labels(self, keys: Sequence[tuple[int, int]]) -> dict[tuple[int, int], tuple[str, str]]:
        """The kind and the name, qualified where it is, of the chunks of these keys."""
        ...

    def symbols_named(self, folded: str) -> list[tuple[int, Symbol]]:
        """(document's row id, symbol) of every definition whose case-folded name is this."""
        ...

    def symbols_in(self, doc: int) -> list[Symbol]:
        """The definitions of one document, in their order."""
        ...

    def embedders(self) -> list[str]:
        """The ids of the embedders that any vectors are of, sorted."""
        ...

    def vector_spans(self, embedder: str, kind: VectorKind) -> list[VectorSpan]:
        """Which chunks have vectors of that kind by that embedder."""
        ...

    def without_vectors(self, embedder: str) -> int:
        """How many chunks, of any revision, have no vector by that embedder."""
        ...

    def vector_keys(self, embedder: str) -> list[tuple[VectorKind, int, int, bytes]]:
        """(kind, segment, first, keys) of all vectors of texts by that embedder."""
        ...

    def vectors(self, embedder: str, kind: VectorKind, segment: int) -> list[VectorRow]:
        """A segment's vectors of that kind by that embedder, by the first ordinal."""
        ...

    def document_count(self) -> int:
        """Documents of all revisions and of none."""
        ...

    def terms_of(self, segment: int) -> list[tuple[str, bytes]]:
        """Every (term, postings) of a segment, sorted by term."""
        ...

    def references_of(self, segment: int) -> list[tuple[str, bytes]]:
        """Every (name, references) of a segment, sorted by name."""
        ...

    def chunks_of(self, segment: int) -> list[StoredChunk]:
        """Every chunk of a segment, in the order of the ordinals."""
        ...

    def symbols_of(self, docs: Sequence[int]) -> list[tuple[int, int, Symbol]]:
        """(document's row id, ordinal, symbol) of every definition in these documents."""
        ...


class Writer(Protocol):
    """The one writer of an index. Each method below `find` is one transaction."""

    def close(self) -> None:
        """Let the file go; a second call does nothing."""
        ...

    def last_ids(self) -> tuple[int, int, int]:
        """The greatest row ids of documents, blobs and segments; 0 when there is none."""
        ...

    def find(self, path: str, oid: str, rule: str) -> int | None:
        """The document of this key, or None when it is new."""
        ...

    def newest(self, rules: str) -> bytes | None:
        """The documents of the last revision that was built under these rules, packed."""
        ...

    def keys(self, docs: Sequence[int]) -> list[tuple[int, str, str, str]]:
        """(row id, path, oid, rule) of these documents."""
        ...

    def blob(self, oid: str) -> BlobRow | None:
        """The content of this object id, or None when it is new."""
        ...

    def summary(self, docs: Sequence[int]) -> list[tuple[str, int, int, int]]:
        """(reason of skipping or "", documents, chunks, symbols) over these row ids."""
        ...

    def small_segments(self, below: int) -> list[SegmentRow]:
        """The segments with fewer chunks than that, the oldest first."""
        ...

    def terms_of(self, segment: int) -> Iterable[tuple[str, bytes]]:
        """Every (term, postings) of a segment, sorted by term."""
        ...

    def references_of(self, segment: int) -> Iterable[tuple[str, bytes]]:
        """Every (name, references) of a segment, sorted by name."""
        ...

    def vectors_of(self, segment: int) -> list[VectorRow]:
        """All vectors of a segment, by all embedders."""
        ...

    def add(self, batch: Batch) -> None:
        """Add whole documents in one transaction; unseen until a revision names them."""
        ...

    def merge(self, old: Sequence[SegmentRow], batch: Batch) -> None:
        """Put the batch's segment in the place of `old`, whose chunks it holds in that order."""
        ...

    def add_vectors(self, rows: Sequence[VectorRow]) -> None:
        """Add vectors; those of a segment that is there no longer, or that are there, are not.

        A "chunk" row takes the place of the parts in its range.
        """
        ...

    def flip(self, revision: RevisionRow) -> None:
        """Make a revision visible; on the disk when this returns, with all it needs."""
        ...
