"""The index in one SQLite file: all of its SQL.

A reader holds one read transaction for its whole life, so it sees one state whatever is written
meanwhile. The writer's transactions are short; only the one that adds a revision is waited for on
the disk. Nothing here knows what a term, a chunk or a document means.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from clew.index.failures import translated
from clew.index.schema import SCHEMA
from clew.index.store import (
    Batch,
    BlobRow,
    DocRow,
    RevisionRow,
    SegmentRow,
    StoredChunk,
    UnwrittenIndexError,
    VectorRow,
    VectorSpan,
)
from clew.types import Symbol

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence
    from pathlib import Path

    from clew.index.store import VectorKind

WRITER_PRAGMAS = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = NORMAL",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA cache_size = -16384",
)
BUSY_MS = 5_000

_BLOB = "id, oid, text, lines, encoding, redactions"
_DOC = "id, path, oid, rule, skip, size, language, lines, chunks, symbols, blob"
_REVISION = "id, prefix, rules, docs, stats, created"
_SYMBOL = "name, qualname, kind, line, start, stop, signature"
_VECTOR = "segment, embedder, kind, first, count, dims, scales, norms, keys, rows"
_TERMS_OF = "SELECT term, data FROM posting WHERE segment = ? ORDER BY term"
_REFERENCES_OF = "SELECT name, data FROM reference WHERE segment = ? ORDER BY name"

# A chunk's key as one number: to take two out of a JSON array costs more than to find the chunk.
_KEYED = (
    "json_each(?) AS e CROSS JOIN chunk AS c "
    "ON c.segment = e.value >> 16 AND c.ordinal = e.value & 65535"
)


def _keys(keys: Sequence[tuple[int, int]]) -> str:
    return json.dumps([segment << 16 | ordinal for segment, ordinal in keys])


class SqliteReader:
    """Reads one state of the file: that of the moment it was opened. One lock for all threads."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        with translated(path):
            self._db = sqlite3.connect(
                f"{path.absolute().as_uri()}?mode=ro",
                uri=True,
                timeout=BUSY_MS / 1000,
                isolation_level=None,
                check_same_thread=False,
            )
            try:
                self._db.execute("BEGIN")
                if not self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                    raise UnwrittenIndexError(
                        f"the index {path} holds nothing yet: ask again to index it"
                    )
                self._db.execute("SELECT count(*) FROM meta").fetchone()
            except (sqlite3.Error, UnwrittenIndexError):
                self._db.close()
                raise

    def close(self) -> None:
        """End the read transaction and let the file go; a second call does nothing."""
        with self._lock:
            self._db.close()

    def _rows(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        with self._lock, translated(self._path):
            return self._db.execute(sql, values).fetchall()

    def meta(self) -> dict[str, str]:
        """Everything under which the file was built."""
        return dict(self._rows("SELECT key, value FROM meta"))

    def revision(self, revision: str, prefix: str) -> RevisionRow | None:
        """The revision under that prefix, or None when it isn't indexed."""
        sql = f"SELECT {_REVISION} FROM revision WHERE id = ? AND prefix = ?"  # noqa: S608
        rows = self._rows(sql, (revision, prefix))
        return _revision(rows[0]) if rows else None

    def revisions(self) -> list[RevisionRow]:
        """Every indexed revision, the oldest first."""
        sql = f"SELECT {_REVISION} FROM revision ORDER BY created, id, prefix"  # noqa: S608
        return [_revision(row) for row in self._rows(sql)]

    def segments(self) -> list[SegmentRow]:
        """Every segment of the file, the oldest first."""
        rows = self._rows("SELECT id, chunks, columns FROM segment ORDER BY id")
        return [SegmentRow(*row) for row in rows]

    def docs(self, ids: Sequence[int]) -> Iterator[DocRow]:
        """The documents of these row ids, in the order given."""
        sql = (
            f"SELECT {', '.join('d.' + name for name in _DOC.split(', '))} "  # noqa: S608 - constants
            "FROM json_each(?) AS e CROSS JOIN doc AS d ON d.id = e.value ORDER BY e.key"
        )
        return (DocRow(*row) for row in self._rows(sql, (json.dumps(list(ids)),)))

    def docs_at(self, path: str) -> list[DocRow]:
        """The documents that any revision has at this path."""
        rows = self._rows(f"SELECT {_DOC} FROM doc WHERE path = ?", (path,))  # noqa: S608
        return [DocRow(*row) for row in rows]

    def blobs(self, ids: Sequence[int]) -> dict[int, BlobRow]:
        """The contents of these row ids."""
        sql = f"SELECT {_BLOB} FROM blob WHERE id IN (SELECT value FROM json_each(?))"  # noqa: S608
        rows = self._rows(sql, (json.dumps(list(ids)),))
        return {row[0]: BlobRow(*row) for row in rows}

    def postings(
        self, terms: Sequence[str], segments: Sequence[int]
    ) -> list[tuple[str, int, bytes]]:
        """(term, segment, data) of the terms in those of the segments that hold them."""
        sql = (
            "SELECT p.term, p.segment, p.data FROM json_each(?) AS s CROSS JOIN json_each(?) AS t "
            "CROSS JOIN posting AS p ON p.segment = s.value AND p.term = t.value"
        )
        return self._rows(sql, (json.dumps(list(segments)), json.dumps(list(terms))))

    def references(self, name: str, segments: Sequence[int]) -> list[bytes]:
        """The references to the name, by segment."""
        sql = (
            "SELECT data FROM reference "
            "WHERE segment IN (SELECT value FROM json_each(?)) AND name = ?"
        )
        return [row[0] for row in self._rows(sql, (json.dumps(list(segments)), name))]

    def chunks(self, keys: Sequence[tuple[int, int]]) -> dict[tuple[int, int], StoredChunk]:
        """The chunks of these (segment, ordinal) keys."""
        columns = "kind, name, qualname, signature, doc, parents"
        sql = f"SELECT c.segment, c.ordinal, {columns} FROM {_KEYED}"  # noqa: S608 - constants
        rows = self._rows(sql, (_keys(keys),))
        return {
            (row[0], row[1]): StoredChunk(*row[2:7], parents=tuple(json.loads(row[7])))
            for row in rows
        }

    def labels(self, keys: Sequence[tuple[int, int]]) -> dict[tuple[int, int], tuple[str, str]]:
        """The kind and the name, qualified where it is, of the chunks of these keys."""
        columns = "kind, coalesce(nullif(qualname, ''), name)"
        sql = f"SELECT c.segment, c.ordinal, {columns} FROM {_KEYED}"  # noqa: S608 - constants
        return {(row[0], row[1]): (row[2], row[3]) for row in self._rows(sql, (_keys(keys),))}

    def symbols_named(self, folded: str) -> list[tuple[int, Symbol]]:
        """(document's row id, symbol) of every definition whose case-folded name is this."""
        sql = f"SELECT doc, {_SYMBOL} FROM symbol WHERE folded = ?"  # noqa: S608
        rows = self._rows(sql, (folded,))
        return [(row[0], Symbol(*row[1:])) for row in rows]

    def symbols_in(self, doc: int) -> list[Symbol]:
        """The definitions of one document, in their order."""
        sql = f"SELECT {_SYMBOL} FROM symbol WHERE doc = ? ORDER BY ordinal"  # noqa: S608
        return [Symbol(*row) for row in self._rows(sql, (doc,))]

    def embedders(self) -> list[str]:
        """The ids of the embedders that any vectors are of, sorted."""
        return [row[0] for row in self._rows("SELECT DISTINCT embedder FROM vector ORDER BY 1")]

    def vector_spans(self, embedder: str, kind: VectorKind) -> list[VectorSpan]:
        """Which chunks have vectors of that kind by that embedder."""
        sql = "SELECT segment, first, count, dims FROM vector WHERE embedder = ? AND kind = ?"
        return [VectorSpan(*row) for row in self._rows(sql, (embedder, kind))]

    def without_vectors(self, embedder: str) -> int:
        """How many chunks, of any revision, have no vector by that embedder."""
        sql = (
            "SELECT (SELECT coalesce(sum(chunks), 0) FROM segment) - (SELECT "
            "coalesce(sum(count), 0) FROM vector WHERE embedder = ? AND kind = 'chunk')"
        )
        return self._rows(sql, (embedder,))[0][0]

    def vector_keys(self, embedder: str) -> list[tuple[VectorKind, int, int, bytes]]:
        """(kind, segment, first, keys) of all vectors of texts by that embedder."""
        sql = (
            "SELECT kind, segment, first, keys FROM vector "
            "WHERE embedder = ? AND kind IN ('chunk', 'part')"
        )
        return self._rows(sql, (embedder,))

    def vectors(self, embedder: str, kind: VectorKind, segment: int) -> list[VectorRow]:
        """A segment's vectors of that kind by that embedder, by the first ordinal."""
        sql = (
            f"SELECT {_VECTOR} FROM vector "  # noqa: S608
            "WHERE embedder = ? AND kind = ? AND segment = ? ORDER BY first"
        )
        return [VectorRow(*row) for row in self._rows(sql, (embedder, kind, segment))]

    # --- what a compaction reads ---------------------------------------------------------------

    def document_count(self) -> int:
        """Documents of all revisions and of none."""
        return self._rows("SELECT count(*) FROM doc")[0][0]

    def terms_of(self, segment: int) -> list[tuple[str, bytes]]:
        """Every (term, postings) of a segment, sorted by term."""
        return self._rows(_TERMS_OF, (segment,))

    def references_of(self, segment: int) -> list[tuple[str, bytes]]:
        """Every (name, references) of a segment, sorted by name."""
        return self._rows(_REFERENCES_OF, (segment,))

    def chunks_of(self, segment: int) -> list[StoredChunk]:
        """Every chunk of a segment, in the order of the ordinals."""
        sql = (
            "SELECT kind, name, qualname, signature, doc, parents FROM chunk "
            "WHERE segment = ? ORDER BY ordinal"
        )
        rows = self._rows(sql, (segment,))
        return [StoredChunk(*row[:5], parents=tuple(json.loads(row[5]))) for row in rows]

    def symbols_of(self, docs: Sequence[int]) -> list[tuple[int, int, Symbol]]:
        """(document's row id, ordinal, symbol) of every definition in these documents."""
        sql = (
            f"SELECT doc, ordinal, {_SYMBOL} FROM symbol "  # noqa: S608
            "WHERE doc IN (SELECT value FROM json_each(?))"
        )
        rows = self._rows(sql, (json.dumps(list(docs)),))
        return [(row[0], row[1], Symbol(*row[2:])) for row in rows]


class SqliteWriter:
    """The one writer of the file; the caller holds the lock that keeps others out."""

    def __init__(self, path: Path, meta: dict[str, str]) -> None:
        self._path = path
        with translated(path):
            self._db = sqlite3.connect(path, timeout=BUSY_MS / 1000, isolation_level=None)
            try:
                for pragma in WRITER_PRAGMAS:
                    self._db.execute(pragma)
                if not self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                    self._create(meta)
            except sqlite3.Error:
                self._db.close()
                raise

    def _create(self, meta: dict[str, str]) -> None:
        with self._transaction():
            for statement in SCHEMA.split(";"):
                self._db.execute(statement)
            self._db.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())

    @contextmanager
    def _transaction(self) -> Generator[None]:
        with translated(self._path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:  # a full disk has already rolled it back
                    self._db.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Fold the log into the file as far as readers allow, and let it go."""
        with translated(self._path):
            try:
                self._db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
            finally:
                self._db.close()

    def last_ids(self) -> tuple[int, int, int]:
        """The greatest row ids of documents, blobs and segments; 0 when there is none."""
        sql = (
            "SELECT (SELECT max(id) FROM doc), (SELECT max(id) FROM blob), "
            "(SELECT max(id) FROM segment)"
        )
        with translated(self._path):
            row = self._db.execute(sql).fetchone()
        return row[0] or 0, row[1] or 0, row[2] or 0

    def find(self, path: str, oid: str, rule: str) -> int | None:
        """The document of this key, or None when it is new."""
        sql = "SELECT id FROM doc WHERE path = ? AND oid = ? AND rule = ?"
        with translated(self._path):
            row = self._db.execute(sql, (path, oid, rule)).fetchone()
        return row[0] if row else None

    def newest(self, rules: str) -> bytes | None:
        """The documents of the last revision that was built under these rules, packed."""
        sql = "SELECT docs FROM revision WHERE rules = ? ORDER BY created DESC LIMIT 1"
        with translated(self._path):
            row = self._db.execute(sql, (rules,)).fetchone()
        return row[0] if row else None

    def keys(self, docs: Sequence[int]) -> list[tuple[int, str, str, str]]:
        """(row id, path, oid, rule) of these documents."""
        sql = "SELECT id, path, oid, rule FROM doc WHERE id IN (SELECT value FROM json_each(?))"
        with translated(self._path):
            return self._db.execute(sql, (json.dumps(list(docs)),)).fetchall()

    def blob(self, oid: str) -> BlobRow | None:
        """The content of this object id, or None when it is new."""
        with translated(self._path):
            sql = f"SELECT {_BLOB} FROM blob WHERE oid = ?"  # noqa: S608
            row = self._db.execute(sql, (oid,)).fetchone()
        return BlobRow(*row) if row else None

    def summary(self, docs: Sequence[int]) -> list[tuple[str, int, int, int]]:
        """(reason of skipping or "", documents, chunks, symbols) over these row ids."""
        sql = (
            "SELECT skip, count(*), sum(chunks), sum(symbols) FROM doc "
            "WHERE id IN (SELECT value FROM json_each(?)) GROUP BY skip"
        )
        with translated(self._path):
            return self._db.execute(sql, (json.dumps(list(docs)),)).fetchall()

    def small_segments(self, below: int) -> list[SegmentRow]:
        """The segments with fewer chunks than that, the oldest first."""
        sql = "SELECT id, chunks, columns FROM segment WHERE chunks < ? ORDER BY id"
        with translated(self._path):
            return [SegmentRow(*row) for row in self._db.execute(sql, (below,))]

    def terms_of(self, segment: int) -> list[tuple[str, bytes]]:
        """Every (term, postings) of a segment, sorted by term."""
        with translated(self._path):
            return self._db.execute(_TERMS_OF, (segment,)).fetchall()

    def references_of(self, segment: int) -> list[tuple[str, bytes]]:
        """Every (name, references) of a segment, sorted by name."""
        with translated(self._path):
            return self._db.execute(_REFERENCES_OF, (segment,)).fetchall()

    def vectors_of(self, segment: int) -> list[VectorRow]:
        """All vectors of a segment, by all embedders."""
        sql = f"SELECT {_VECTOR} FROM vector WHERE segment = ?"  # noqa: S608
        with translated(self._path):
            return [VectorRow(*row) for row in self._db.execute(sql, (segment,))]

    def add(self, batch: Batch) -> None:
        """Add whole documents in one transaction; unseen until a revision names them."""
        with self._transaction():
            self._insert(batch)

    def merge(self, old: Sequence[SegmentRow], batch: Batch) -> None:
        """Put the batch's segment in the place of `old`, whose chunks it holds in that order."""
        with self._transaction():
            offset = 0
            for segment in old:
                self._db.execute(
                    "UPDATE chunk SET segment = ?, ordinal = ordinal + ? WHERE segment = ?",
                    (batch.segment.id, offset, segment.id),
                )
                offset += segment.chunks
                for sql in (
                    "DELETE FROM posting WHERE segment = ?",
                    "DELETE FROM reference WHERE segment = ?",
                    "DELETE FROM vector WHERE segment = ?",
                    "DELETE FROM segment WHERE id = ?",
                ):
                    self._db.execute(sql, (segment.id,))
            self._insert(batch)

    def _insert(self, batch: Batch) -> None:
        many = self._db.executemany
        one = batch.segment.id
        many("INSERT INTO blob VALUES (?, ?, ?, ?, ?, ?)", map(_blob_values, batch.blobs))
        many(
            "INSERT INTO doc VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", map(_doc_values, batch.docs)
        )
        if batch.segment.chunks or batch.references:
            self._db.execute(
                "INSERT INTO segment VALUES (?, ?, ?)",
                (one, batch.segment.chunks, batch.segment.columns),
            )
        many(
            "INSERT INTO chunk VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (one, at, c.kind, c.name, c.qualname, c.signature, c.doc, _listed(c.parents))
                for at, c in enumerate(batch.chunks)
            ),
        )
        many(
            "INSERT INTO posting VALUES (?, ?, ?)",
            ((one, term, batch.postings[term]) for term in sorted(batch.postings)),
        )
        many(
            "INSERT INTO reference VALUES (?, ?, ?)",
            ((one, name, batch.references[name]) for name in sorted(batch.references)),
        )
        many(
            "INSERT INTO symbol VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            map(_symbol_values, batch.symbols),
        )
        self._insert_vectors(batch.vectors)

    def add_vectors(self, rows: Sequence[VectorRow]) -> None:
        """Add vectors; those of a segment that is there no longer, or that are there, are not.

        A "chunk" row takes the place of the parts in its range.
        """
        done = [row for row in rows if row.kind == "chunk"]
        with self._transaction():
            self._insert_vectors(rows)
            self._db.executemany(
                "DELETE FROM vector WHERE embedder = ? AND kind = 'part' AND segment = ? "
                "AND first >= ? AND first < ?",
                [(row.embedder, row.segment, row.first, row.first + row.count) for row in done],
            )

    def _insert_vectors(self, rows: Sequence[VectorRow]) -> None:
        self._db.executemany(
            f"INSERT OR IGNORE INTO vector ({_VECTOR}) SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ? "  # noqa: S608
            "WHERE EXISTS (SELECT 1 FROM segment WHERE id = ?1)",
            map(_vector_values, rows),
        )

    def flip(self, revision: RevisionRow) -> None:
        """Make a revision visible; on the disk when this returns, with all it needs."""
        with translated(self._path):
            self._db.execute("PRAGMA synchronous = FULL")
        with self._transaction():
            self._db.execute(
                "INSERT OR REPLACE INTO revision VALUES (?, ?, ?, ?, ?, ?)",
                (
                    revision.id,
                    revision.prefix,
                    revision.rules,
                    revision.docs,
                    json.dumps(revision.stats),
                    revision.created,
                ),
            )


@lru_cache(maxsize=256)  # the methods of a class stand side by side
def _listed(parents: tuple[str, ...]) -> str:
    return json.dumps(parents)


def _revision(row: tuple[Any, ...]) -> RevisionRow:
    return RevisionRow(row[0], row[1], row[2], row[3], json.loads(row[4]), row[5])


def _doc_values(doc: DocRow) -> tuple[Any, ...]:
    head = (doc.id, doc.path, doc.oid, doc.rule, doc.skip, doc.size)
    return (*head, doc.language, doc.lines, doc.chunks, doc.symbols, doc.blob)


def _blob_values(blob: BlobRow) -> tuple[Any, ...]:
    return (blob.id, blob.oid, blob.text, blob.lines, blob.encoding, blob.redactions)


def _vector_values(row: VectorRow) -> tuple[Any, ...]:
    head = (row.segment, row.embedder, row.kind, row.first, row.count, row.dims)
    return (*head, row.scales, row.norms, row.keys, row.rows)


def _symbol_values(item: tuple[int, int, Symbol]) -> tuple[Any, ...]:
    doc, ordinal, s = item
    head = (doc, ordinal, s.name.casefold(), s.name, s.qualname, s.kind)
    return (*head, s.line, s.start_line, s.end_line, s.signature)
