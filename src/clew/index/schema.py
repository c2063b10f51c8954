"""The tables of an index in SQLite. A change of them is a change of `fingerprint.FORMAT`.

A table without row ids is compact and keeps what belongs together side by side, but to find a row
it reads whole rows on the way. So the tables of long rows (postings, vectors) have row ids.
"""

from __future__ import annotations

SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE blob (
    id INTEGER PRIMARY KEY, oid TEXT NOT NULL UNIQUE, text BLOB NOT NULL,
    lines INTEGER NOT NULL, encoding TEXT NOT NULL, redactions INTEGER NOT NULL);
CREATE TABLE doc (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL, oid TEXT NOT NULL, rule TEXT NOT NULL,
    skip TEXT NOT NULL, size INTEGER NOT NULL, language TEXT NOT NULL, lines INTEGER NOT NULL,
    chunks INTEGER NOT NULL, symbols INTEGER NOT NULL, blob INTEGER,
    UNIQUE (path, oid, rule));
CREATE TABLE segment (id INTEGER PRIMARY KEY, chunks INTEGER NOT NULL, columns BLOB NOT NULL);
CREATE TABLE chunk (
    segment INTEGER NOT NULL, ordinal INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL,
    qualname TEXT NOT NULL, signature TEXT NOT NULL, doc TEXT NOT NULL, parents TEXT NOT NULL,
    PRIMARY KEY (segment, ordinal)) WITHOUT ROWID;
CREATE TABLE posting (
    segment INTEGER NOT NULL, term TEXT NOT NULL, data BLOB NOT NULL,
    PRIMARY KEY (segment, term));
CREATE TABLE reference (
    segment INTEGER NOT NULL, name TEXT NOT NULL, data BLOB NOT NULL,
    PRIMARY KEY (segment, name)) WITHOUT ROWID;
CREATE TABLE symbol (
    doc INTEGER NOT NULL, ordinal INTEGER NOT NULL, folded TEXT NOT NULL, name TEXT NOT NULL,
    qualname TEXT NOT NULL, kind TEXT NOT NULL, line INTEGER NOT NULL, start INTEGER NOT NULL,
    stop INTEGER NOT NULL, signature TEXT NOT NULL,
    PRIMARY KEY (doc, ordinal)) WITHOUT ROWID;
CREATE INDEX symbol_folded ON symbol (folded);
CREATE TABLE vector (
    embedder TEXT NOT NULL, kind TEXT NOT NULL, segment INTEGER NOT NULL, first INTEGER NOT NULL,
    count INTEGER NOT NULL, dims INTEGER NOT NULL, scales BLOB NOT NULL, norms BLOB NOT NULL,
    keys BLOB NOT NULL, rows BLOB NOT NULL,
    PRIMARY KEY (embedder, kind, segment, first));
CREATE TABLE revision (
    id TEXT NOT NULL, prefix TEXT NOT NULL, rules TEXT NOT NULL, docs BLOB NOT NULL,
    stats TEXT NOT NULL, created REAL NOT NULL, PRIMARY KEY (id, prefix)) WITHOUT ROWID;
"""
