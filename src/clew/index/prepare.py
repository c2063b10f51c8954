"""Turns one blob into everything the index keeps of it: a pure function of its bytes and paths.

Decode, skip by content, redact, parse, count terms: in this order, so that a secret is replaced
before anything else sees the text. Nothing here reads or writes a file or a database, and what
goes in and comes out can be pickled, so that other processes can do it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import zstandard

from clew import redact
from clew.chunks.parse import parse
from clew.chunks.skip import SkipRules, skip_content
from clew.chunks.text import decode, split_lines
from clew.index import tokens
from clew.index.packing import EMPTY, Packed, pack_references, pack_terms
from clew.index.store import DamagedIndexError
from clew.types import Parsed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clew.types import Chunk

MISSING = "missing object"
"""The reason for a blob that its repository could not give; it is tried again next time."""

ZSTD_LEVEL = 3

# What a parser may throw at an odd file: that file is named as failed, and the others go on.
PARSE_FAULTS = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class Text:
    """A blob's redacted text and how it was read."""

    text: str
    encoding: str
    redactions: int


@dataclass(frozen=True, slots=True)
class Job:
    """One blob to prepare, at every path that is new. `text` when an earlier build stored it."""

    oid: str
    size: int
    paths: tuple[str, ...]
    data: bytes | None
    text: Text | None = None


@dataclass(frozen=True, slots=True)
class PreparedDoc:
    """One path of a blob, its terms and references packed as a segment takes them.

    Attributes:
        parsed: Without its references.
        postings: By term: ordinals count this document's own chunks.
        lengths: uint16, by field then chunk: terms in each field.
        references: By name, with document 0.
    """

    path: str
    skip: str
    parsed: Parsed
    postings: Packed = EMPTY
    lengths: bytes = b""
    references: Packed = EMPTY


@dataclass(frozen=True, slots=True)
class Prepared:
    """What one blob gives. `packed` is the redacted text as stored; None when none is kept."""

    oid: str
    size: int
    missing: bool
    docs: tuple[PreparedDoc, ...]
    lines: int = 0
    encoding: str = ""
    redactions: int = 0
    packed: bytes | None = None


def prepare(job: Job, rules: SkipRules) -> Prepared:
    """Prepare one blob; never raises on what the blob holds."""
    if job.text is None and job.data is None:
        docs = tuple(_skipped(path, MISSING) for path in job.paths)
        return Prepared(job.oid, job.size, missing=True, docs=docs)
    if job.text is not None:
        read = job.text
        reasons = {path: skip_content(path, read.text, rules) for path in job.paths}
    else:
        decoded = decode(job.data or b"")
        if decoded is None:
            docs = tuple(_skipped(path, "binary") for path in job.paths)
            return Prepared(job.oid, job.size, missing=False, docs=docs)
        reasons = {path: skip_content(path, decoded.text, rules) for path in job.paths}
        if all(reasons.values()):
            docs = tuple(_skipped(path, reason or "") for path, reason in reasons.items())
            return Prepared(job.oid, job.size, missing=False, docs=docs)
        spans = redact.find_secrets(decoded.text)
        read = Text(redact.apply(decoded.text, spans), decoded.encoding, len(spans))
    lines = split_lines(read.text)
    docs = tuple(
        _skipped(path, reason) if reason else _document(path, read.text, lines)
        for path, reason in reasons.items()
    )
    return Prepared(
        job.oid,
        job.size,
        missing=False,
        docs=docs,
        lines=len(lines),
        encoding=read.encoding,
        redactions=read.redactions,
        packed=pack_text(read.text),
    )


def failed(job: Job, reason: str) -> Prepared:
    """What is kept of a blob that could not be prepared: its name and why."""
    docs = tuple(_skipped(path, reason) for path in job.paths)
    return Prepared(job.oid, job.size, missing=False, docs=docs)


def pack_text(text: str) -> bytes:
    """Compress a text as the index stores it."""
    return zstandard.ZstdCompressor(level=ZSTD_LEVEL).compress(text.encode("utf-8"))


def unpack_text(data: bytes, unpacker: zstandard.ZstdDecompressor | None = None) -> str:
    """Read what `pack_text` wrote; DamagedIndexError when the bytes are not that.

    Making an unpacker takes longer than unpacking a small text: who reads many, one thread at a
    time, gives their own.
    """
    try:
        return (unpacker or zstandard.ZstdDecompressor()).decompress(data).decode("utf-8")
    except (zstandard.ZstdError, UnicodeError) as error:
        raise DamagedIndexError(
            f"a stored text of the index is damaged ({error}): delete the index and ask again"
        ) from error


def _skipped(path: str, reason: str) -> PreparedDoc:
    return PreparedDoc(path, reason, Parsed("", ()))


def _document(path: str, text: str, lines: list[str]) -> PreparedDoc:
    try:
        parsed = parse(path, text)
    except PARSE_FAULTS as error:
        return _skipped(path, f"failed: {type(error).__name__}")
    pure = PurePosixPath(path)
    shared = {"stem": tokens.count(pure.stem), "folder": tokens.count(str(pure.parent))}
    fields = (_chunk_terms(chunk, shared, lines) for chunk in parsed.chunks)
    postings, lengths = pack_terms(fields, len(parsed.chunks))
    references = pack_references(parsed.references)
    return PreparedDoc(path, "", replace(parsed, references=()), postings, lengths, references)


def _chunk_terms(
    chunk: Chunk, shared: Mapping[str, Mapping[str, int]], lines: list[str]
) -> dict[str, Mapping[str, int]]:
    return {
        **shared,
        "name": tokens.count(chunk.name),
        "qualname": tokens.count(chunk.qualname),
        "doc": tokens.count(chunk.doc),
        "body": tokens.count("\n".join(lines[chunk.start_line - 1 : chunk.end_line])),
        "signature": tokens.count(chunk.signature),
    }
