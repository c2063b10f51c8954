"""One source at one revision, as search and the tools read it. It never changes and never writes.

Chunk ids count the live chunks in the order of their paths, then of their places in the file; the
ids, and with them every statistic, postings list and tie, are the same whether the index was built
at once or grew by a thousand edits. Numpy arrays are shared between callers and read-only.
"""

from __future__ import annotations

from contextlib import closing, suppress
from functools import lru_cache, partial
from itertools import islice
from typing import TYPE_CHECKING, Self

import numpy as np
import zstandard

from clew.chunks.text import split_lines
from clew.errors import IndexFailedError, InputError, NotFoundError
from clew.index.dense import embedded, load_dense
from clew.index.fingerprint import code_fingerprint
from clew.index.generations import generations
from clew.index.layout import lay_out, ranks_of
from clew.index.occurrences import joined
from clew.index.postings import (
    REFERENCE_KINDS,
    Bool,
    Int32,
    Postings,
    unpack_references,
)
from clew.index.prepare import unpack_text
from clew.index.rows import ChunkRow, DocumentRow, IndexedRevision, ReferenceRow, SymbolRow
from clew.index.sqlite import SqliteReader
from clew.index.store import UnwrittenIndexError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path
    from types import TracebackType

    from clew.index.dense import Dense
    from clew.index.occurrences import Occurrences
    from clew.index.store import DocRow, Reader, RevisionRow
    from clew.types import Revision, Source, Symbol

_BATCH = 64
"""Texts fetched at a time by `texts`."""

_RECENT = 16
"""Texts that a view keeps at hand; each is at most as long as the longest indexed file."""


def open_view(path: Path, source: Source, revision: Revision) -> View:
    """Open the index called `path` at one revision; close the view when the question is answered.

    Raises:
        IndexFailedError: That revision isn't indexed by this version, or the file is damaged.
    """
    seen: list[tuple[Path, int]] | None = None
    while (files := _standing(path)) != seen:  # a new one may take an old one's place meanwhile
        seen = files
        try:
            for file, _ in files:
                if view := _view_of(file, source, revision):
                    return view
        except IndexFailedError:
            if _standing(path) == files:
                raise  # not one that was being removed while it was read
    raise IndexFailedError(f"{source.name} is not indexed at {revision.id}: ask again to index it")


def _standing(path: Path) -> list[tuple[Path, int]]:
    """The generations, each with what tells it from another file that takes its name later."""
    found: list[tuple[Path, int]] = []
    for file in generations(path):
        with suppress(FileNotFoundError):
            found.append((file, file.stat().st_ino))
    return found


def _view_of(file: Path, source: Source, revision: Revision) -> View | None:
    """The revision as this generation has it, or None when it hasn't or is there no longer."""
    reader = _reader_of(file)
    if reader is None:
        return None
    try:
        row = reader.revision(revision.id, source.prefix) if _readable(reader) else None
        if row:
            return View(reader, source, revision, row)
    except BaseException:
        reader.close()
        raise
    reader.close()
    return None


def _reader_of(file: Path) -> SqliteReader | None:
    try:
        return SqliteReader(file)
    except UnwrittenIndexError:
        return None
    except IndexFailedError:
        if file.exists():
            raise
        return None


def indexed_revisions(path: Path) -> list[IndexedRevision]:
    """Every revision that the index called `path` can show, the oldest first.

    Raises:
        IndexFailedError: The file is damaged.
    """
    seen: list[tuple[Path, int]] | None = None
    while (files := _standing(path)) != seen:
        seen = files
        try:
            for file, _ in files:
                if rows := _revisions_of(file):
                    return [IndexedRevision(r.id, r.prefix, r.created, **r.stats) for r in rows]
        except IndexFailedError:
            if _standing(path) == files:
                raise
    return []


def _revisions_of(file: Path) -> list[RevisionRow]:
    reader = _reader_of(file)
    if reader is None:
        return []
    with closing(reader):
        return reader.revisions() if _readable(reader) else []


def _readable(reader: Reader) -> bool:
    return code_fingerprint().items() <= reader.meta().items()


class View:
    """One source at one revision, under the source's prefix. Thread-safe.

    Attributes:
        chunk_count: N, the chunks of the revision.
        field_lengths: uint16[len(FIELDS), N], terms in each field of each chunk.
        chunk_doc: int32[N], the chunk's document: its position in `documents()`.
        chunk_start: int32[N], first line.
        chunk_end: int32[N], last line.
        live: bool[N], always True: rows of other revisions have no id here.
    """

    def __init__(
        self, reader: Reader, source: Source, revision: Revision, row: RevisionRow
    ) -> None:
        self.source = source
        self.revision = revision
        self._reader = reader
        self._stats = row.stats
        self._docs: Int32 = np.frombuffer(row.docs, "<i4")
        size = int(self._docs.max()) + 1 if len(self._docs) else 0
        self._rank: Int32 = np.full(size, -1, np.int32)  # document's row id -> its id here
        self._rank[self._docs] = np.arange(len(self._docs), dtype=np.int32)
        segments = reader.segments()
        self._segments = tuple(segment.id for segment in segments)
        self._layout = lay_out(segments, self._rank)
        self.chunk_doc = self._layout.doc
        self.chunk_start = self._layout.start
        self.chunk_end = self._layout.end
        self.chunk_count = len(self.chunk_doc)
        self.field_lengths = self._layout.lengths
        self.live: Bool = np.ones(self.chunk_count, np.bool_)
        self._all: tuple[DocumentRow, ...] | None = None
        dense = partial(load_dense, reader, self._layout, len(self._docs))
        self._dense_of = lru_cache(1)(dense)
        self._text_of = lru_cache(_RECENT)(partial(_load_text, reader))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let the file go; nothing can be read afterwards. A second call does nothing."""
        self._reader.close()

    # --- chunks ------------------------------------------------------------------------------

    def postings(self, term: str) -> Postings:
        """Where a term (as `tokens.terms` gives it) occurs in this revision."""
        found = self.occurrences([term]).all
        order = np.argsort(found.chunk, kind="stable")  # a chunk's fields stay in order
        return Postings(found.chunk[order], found.field[order], found.tf[order])

    def occurrences(self, terms: Sequence[str]) -> Occurrences:
        """The same of several terms, each given once, and for speed in no order of chunks."""
        stored = self._reader.postings(terms, self._layout.segments)
        return joined(terms, stored, self._layout)

    def chunks(self, ids: Iterable[int]) -> list[ChunkRow]:
        """The chunks of these ids, in the order given."""
        wanted = [int(each) for each in ids]
        segment, ordinal = self._layout.segment, self._layout.ordinal
        keys = [(int(segment[each]), int(ordinal[each])) for each in wanted]
        stored = self._reader.chunks(keys)
        docs = self._documents_of(int(self.chunk_doc[each]) for each in wanted)
        rows: list[ChunkRow] = []
        for each, key in zip(wanted, keys, strict=True):
            words, doc = stored[key], docs[int(self.chunk_doc[each])]
            rows.append(
                ChunkRow(
                    id=each,
                    doc=doc.id,
                    path=doc.path,
                    start_line=int(self.chunk_start[each]),
                    end_line=int(self.chunk_end[each]),
                    kind=words.kind,
                    name=words.name,
                    qualname=words.qualname,
                    signature=words.signature,
                    doc_comment=words.doc,
                    parents=words.parents,
                )
            )
        return rows

    def labels(self, ids: Int32) -> list[tuple[str, str]]:
        """The kind and the name, qualified where it is, of the chunks of these ids, in order."""
        layout = self._layout
        segments, ordinals = layout.segment[ids].tolist(), layout.ordinal[ids].tolist()
        keys = list(zip(segments, ordinals, strict=True))
        found = self._reader.labels(keys)
        return [found[key] for key in keys]

    # --- vectors -----------------------------------------------------------------------------

    def embedded(self, embedder: str) -> float:
        """The share of the chunks, 0 to 1, that have a vector by the embedder of this id."""
        spans = self._reader.vector_spans(embedder, "chunk")
        return embedded(spans, self._layout) / self.chunk_count if self.chunk_count else 1.0

    def vectors(self, embedder: str) -> Dense | None:
        """The chunks' vectors by the embedder of this id; None until every chunk has one.

        The first call reads them: about 0.3 ms a thousand chunks.
        """
        return self._dense_of(embedder)

    # --- documents ---------------------------------------------------------------------------

    def documents(self) -> tuple[DocumentRow, ...]:
        """Every path of the revision under the prefix, skipped ones too, sorted by path."""
        if self._all is None:
            rows = self._reader.docs(self._docs.tolist())
            self._all = tuple(_document(at, row) for at, row in enumerate(rows))
        return self._all

    def document(self, path: str) -> DocumentRow | None:
        """The document at this path, or None when the revision has none there."""
        found = self._live_at(path)
        return _document(*found) if found else None

    def skipped(self) -> dict[str, int]:
        """How many paths were skipped, by reason."""
        return dict(self._stats["skipped"])

    def text(self, path: str) -> str:
        """The redacted text of an indexed document; NotFoundError when there is none."""
        return self._text_of(self._indexed(path))[0]

    def lines(self, path: str, start: int, end: int) -> list[str]:
        """Lines `start` to `end` of a document, without their ends.

        Raises:
            NotFoundError: No such document, or one that is not indexed.
            InputError: The range is empty or reaches outside the document.
        """
        lines = self._text_of(self._indexed(path))[1]
        if not 1 <= start <= end <= len(lines):
            raise InputError(
                f"{path} has {len(lines)} lines, so {start}-{end} is not a range of it: "
                "give a first and a last line inside"
            )
        return lines[start - 1 : end]

    def redactions(self, path: str) -> int:
        """How many secrets were replaced in an indexed document."""
        blob = self._indexed(path)
        return self._reader.blobs([blob])[blob].redactions

    def texts(self, paths: Iterable[str] | None = None) -> Iterator[tuple[DocumentRow, str]]:
        """Stream redacted texts: of these paths, or of every indexed document, by path."""
        if paths is None:
            docs = iter(enumerate(self._reader.docs(self._docs.tolist())))
        else:
            docs = (found for path in paths if (found := self._live_at(path)))
        indexed = ((at, row, row.blob) for at, row in docs if row.blob is not None)
        unpacker = zstandard.ZstdDecompressor()
        while batch := list(islice(indexed, _BATCH)):
            blobs = self._reader.blobs([blob for _, _, blob in batch])
            for at, row, blob in batch:
                yield _document(at, row), unpack_text(blobs[blob].text, unpacker)

    def _live_at(self, path: str) -> tuple[int, DocRow] | None:
        for row in self._reader.docs_at(path):
            at = self._rank_of(row.id)
            if at >= 0:
                return at, row
        return None

    def _rank_of(self, doc: int) -> int:
        return int(self._rank[doc]) if doc < len(self._rank) else -1

    def _ranks_of(self, docs: Int32) -> Int32:
        return ranks_of(docs, self._rank)

    def _documents_of(self, ids: Iterable[int]) -> dict[int, DocumentRow]:
        wanted = sorted(set(ids))
        if self._all is not None:
            return {at: self._all[at] for at in wanted}
        rows = self._reader.docs([int(self._docs[at]) for at in wanted])
        return {at: _document(at, row) for at, row in zip(wanted, rows, strict=True)}

    def _indexed(self, path: str) -> int:
        """The row of the text of an indexed document."""
        found = self._live_at(path)
        if not found:
            raise NotFoundError(
                f"{self.source.name} has no file {path!r} at {self.revision.id}: list the files"
            )
        row = found[1]
        if row.blob is None:
            raise NotFoundError(f"{path} is not indexed ({row.skip}), so it can't be shown")
        return row.blob

    # --- symbols -----------------------------------------------------------------------------

    def definitions(self, name: str, *, fold: bool = False) -> list[SymbolRow]:
        """The definitions of a name, by path and line; `fold` ignores case."""
        found = [
            (at, symbol)
            for doc, symbol in self._reader.symbols_named(name.casefold())
            if (at := self._rank_of(doc)) >= 0 and (fold or symbol.name == name)
        ]
        docs = self._documents_of(at for at, _ in found)
        found.sort(key=lambda item: (item[0], item[1].line, item[1].start_line, item[1].name))
        return [_symbol(docs[at].path, symbol) for at, symbol in found]

    def symbols_in(self, path: str) -> list[SymbolRow]:
        """The definitions in a document, in their order; empty when there is no such document."""
        found = self._live_at(path)
        return (
            [_symbol(path, each) for each in self._reader.symbols_in(found[1].id)] if found else []
        )

    def references(self, name: str) -> list[ReferenceRow]:
        """The uses of a name, by path and line."""
        found = [unpack_references(data) for data in self._reader.references(name, self._segments)]
        if not found:
            return []
        doc = np.concatenate([docs for docs, _, _ in found])
        line = np.concatenate([lines for _, lines, _ in found])
        kind = np.concatenate([kinds for _, _, kinds in found])
        at = self._ranks_of(doc)
        order = np.lexsort((kind, line, at))[np.count_nonzero(at < 0) :]
        at, line, kind = at[order], line[order], kind[order]
        docs = self._documents_of(at.tolist())
        return [
            ReferenceRow(name, docs[int(doc)].path, int(line), REFERENCE_KINDS[int(kind)])
            for doc, line, kind in zip(at, line, kind, strict=True)
        ]

    def has_name(self, name: str) -> bool:
        """Whether a name, as written, is defined or used anywhere in this revision."""
        named = self._reader.symbols_named(name.casefold())
        if any(symbol.name == name and self._rank_of(doc) >= 0 for doc, symbol in named):
            return True
        used = self._reader.references(name, self._segments)
        return any((self._ranks_of(unpack_references(data)[0]) >= 0).any() for data in used)


def _load_text(reader: Reader, blob: int) -> tuple[str, list[str]]:
    text = unpack_text(reader.blobs([blob])[blob].text)
    return text, split_lines(text)


def _document(at: int, row: DocRow) -> DocumentRow:
    return DocumentRow(at, row.path, row.oid, row.size, row.lines, row.language, row.skip)


def _symbol(path: str, symbol: Symbol) -> SymbolRow:
    return SymbolRow(
        name=symbol.name,
        qualname=symbol.qualname,
        kind=symbol.kind,
        path=path,
        line=symbol.line,
        start_line=symbol.start_line,
        end_line=symbol.end_line,
        signature=symbol.signature,
    )
