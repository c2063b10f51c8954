"""Brings a source's index to a revision, reading only what no earlier build has read.

A build lists the revision's paths, finds which (path, object id) are new, prepares those blobs and
adds them by short transactions that nobody sees; the last transaction names the revision's
documents, and from then on readers find it. Killed anywhere, the next build goes on from the last
transaction. Nothing here answers a query.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from clew.chunks import grammars
from clew.chunks.languages import BY_NAME, language_of
from clew.chunks.skip import SkipRules, relax
from clew.errors import ClewError, IndexFailedError
from clew.index.compact import tidy
from clew.index.embed import Limits, Stand, embed_missing, stand_of
from clew.index.fingerprint import fingerprint
from clew.index.generations import discard, following, generations, sweep
from clew.index.lock import alone
from clew.index.plan import Plan, plan
from clew.index.pool import Pool, prepare_all, usable_cores
from clew.index.postings import MAX_ROWS
from clew.index.prepare import MISSING, Job, Prepared, PreparedDoc, Text, unpack_text
from clew.index.segment import MAX_CHUNKS, Collector, join
from clew.index.sqlite import SqliteReader, SqliteWriter
from clew.index.store import BlobRow, DamagedIndexError, RevisionRow, Statistics, Writer
from clew.models.embedder import TermEmbedder
from clew.types import IndexReport, TreeEntry

if TYPE_CHECKING:
    from pathlib import Path

    from clew.models.embedder import TextEmbedder
    from clew.sources.base import Snapshot

SMALL = 1_000
"""Chunks below which a segment is small."""

MAX_SMALL = 24
"""Small segments that a file may hold before a build joins them."""

POOL_BYTES = 2_000_000
"""New bytes from which worker processes pay for their start: they break even at half of it."""

Phase: TypeAlias = Literal["waiting", "listing", "rebuilding", "indexing", "finishing", "embedding"]


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a build stands.

    `done` of `total` are files, or chunks while `embedding`; `message` is one line for people;
    `waiting` says what keeps it from going on just now, such as an embedder over its rate limit.
    """

    phase: Phase
    message: str
    done: int = 0
    total: int = 0
    waiting: str = ""


_WAITING = Progress("waiting", "another process is indexing this source: waiting for it")

Say: TypeAlias = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """How to build.

    Attributes:
        rules: What to skip.
        embedder: What makes the vectors; None for none.
        embed_seconds: How long what has no vectors may be embedded after the build; what is left
            is done the next time.
        max_chunks: Chunks in one transaction; bounds memory.
        lock_seconds: How long to wait for another process that is building the same index.
        workers: Processes that prepare files; 1 for this one only, 0 for one a usable core.
        pool_bytes: New bytes below which only this process works, whatever `workers` says.
    """

    rules: SkipRules
    embedder: TermEmbedder | TextEmbedder | None = None
    embed_seconds: float = math.inf
    max_chunks: int = MAX_CHUNKS
    lock_seconds: float = 600.0
    workers: int = 1
    pool_bytes: int = POOL_BYTES

    def fingerprint(self) -> dict[str, str]:
        """What an index built with these options is recognised by."""
        return fingerprint(self.rules.digest())


def build(
    snapshot: Snapshot,
    path: Path,
    options: BuildOptions,
    progress: Say | None = None,
) -> IndexReport:
    """Index a snapshot into the file called `path`; quick when it is indexed already.

    An embedder that fails does not stop it: the report says so.

    Raises:
        IndexFailedError: The disk is full, read-only or failing.
        BusyError: Another process has been building it for longer than `lock_seconds`.
        SourceError: The snapshot could not be read.
    """
    started = time.monotonic()
    say = progress or _silent
    try:
        report = _report(snapshot, path, options, started)
        if report is None:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with alone(path, options.lock_seconds, lambda: say(_WAITING)):
                report = _report(snapshot, path, options, started)
                if report is None:
                    report = _build(snapshot, path, options, say, started)
        embedded = _embed(report, snapshot, path, options, say)
        return replace(embedded, seconds=time.monotonic() - started)
    except OSError as error:
        raise IndexFailedError(
            f"the index {path} can't be written ({error.strerror or error}): "
            "check the folder's permissions and the disk"
        ) from error


def _embed(
    report: IndexReport, snapshot: Snapshot, path: Path, options: BuildOptions, say: Say
) -> IndexReport:
    """Give vectors to what has none, as far as the time and the embedder allow."""
    if options.embedder is None:
        return report

    def tell(stand: Stand) -> None:
        words = f"embedding: {stand.done:,} of {stand.total:,} chunks have vectors"
        say(Progress("embedding", words, stand.done, stand.total, stand.waiting))

    revision = snapshot.revision.id, snapshot.source.prefix
    limits = Limits(options.embed_seconds, options.lock_seconds)
    problem = ""
    try:
        stand = embed_missing(path, revision, options.embedder, limits, tell)
    except ClewError as error:
        problem = error.message
        try:
            stand = stand_of(path, revision, options.embedder.id)
        except ClewError:  # who made vectors before can't be told either
            return replace(report, problem=problem)
    share = stand.done / stand.total if stand.total else 1.0
    return replace(report, embedded=share, problem=problem)


def _silent(progress: Progress) -> None:
    del progress


def _report(
    snapshot: Snapshot, path: Path, options: BuildOptions, started: float
) -> IndexReport | None:
    """The report of a revision that is indexed already, from its own row."""
    for file in generations(path)[:1]:
        try:
            with closing(SqliteReader(file)) as reader:
                if reader.meta() != options.fingerprint():
                    return None
                row = reader.revision(snapshot.revision.id, snapshot.source.prefix)
        except DamagedIndexError:
            return None
        except IndexFailedError:
            if file.exists():
                raise
            return None  # a newer generation has just taken its place
        if row:
            return _as_report(snapshot, row.stats, started, added=0)
    return None


def _build(
    snapshot: Snapshot, path: Path, options: BuildOptions, say: Say, started: float
) -> IndexReport:
    meta = options.fingerprint()
    file = _usable(path, meta, say)
    try:
        report = _fill(snapshot, file, options, say, started)
    except DamagedIndexError:
        say(Progress("rebuilding", "the index is damaged: building it anew"))
        file = following(path)
        report = _fill(snapshot, file, options, say, started)
    for old in generations(path):
        if old != file:
            discard(old)
    sweep(path)
    tidy(path, lambda: say(Progress("finishing", "making the index smaller")))
    return report


def _usable(path: Path, meta: dict[str, str], say: Say) -> Path:
    """The newest generation if it was built as this one is to be, else the next one."""
    files = generations(path)
    if not files:
        return path
    try:
        with closing(SqliteReader(files[0])) as reader:
            found = reader.meta()
    except DamagedIndexError:
        # A build that was killed before its first transaction leaves an empty file: no damage.
        if files[0].stat().st_size == 0:
            return files[0]
        say(Progress("rebuilding", "the index is damaged: building it anew"))
        return following(path)
    if found == meta:
        return files[0]
    changed = ", ".join(key for key in meta if found.get(key) != meta[key])
    say(Progress("rebuilding", f"the index was built with another {changed}: building it anew"))
    return following(path)


def _fill(
    snapshot: Snapshot, file: Path, options: BuildOptions, say: Say, started: float
) -> IndexReport:
    with closing(SqliteWriter(file, options.fingerprint())) as writer:
        say(Progress("listing", "listing the files"))
        entries = list(snapshot.entries())
        rules = relax(entries, options.rules)
        with _early(entries, rules, writer, options) as pool:
            planned = plan(entries, rules, writer)
            added = _add(planned, snapshot, writer, options, rules, say, pool)
        ids = planned.known | added
        docs = [ids[path] for path in sorted(ids)]
        say(Progress("finishing", "finishing", len(docs), len(docs)))
        _join_small(writer)
        stats = _statistics(writer, docs)
        writer.flip(
            RevisionRow(
                id=snapshot.revision.id,
                prefix=snapshot.source.prefix,
                rules=rules.digest(),
                docs=np.array(docs, "<i4").tobytes(),
                stats=stats,
                created=time.time(),
            )
        )
    return _as_report(snapshot, stats, started, len(added))


def _add(
    planned: Plan,
    snapshot: Snapshot,
    writer: Writer,
    options: BuildOptions,
    rules: SkipRules,
    say: Say,
    pool: Pool | None,
) -> dict[str, int]:
    """Index what is new, transaction by transaction; the new documents' row ids by path."""
    terms = options.embedder if isinstance(options.embedder, TermEmbedder) else None
    collector = Collector(writer.last_ids(), options.max_chunks, terms)
    for entry, rule in planned.skipped:
        if collector.full:
            writer.add(collector.take())
        collector.skip(entry, rule)
    done = len(planned.known) + len(planned.skipped)
    total = done + sum(map(len, planned.new.values()))

    def alive(job: Job) -> None:
        say(Progress("indexing", f"indexing {job.paths[0]}", done, total))

    names = {language_of(entries[0].path) for entries in planned.new.values()}
    grammars.unpack(BY_NAME[name] for name in sorted(names & BY_NAME.keys()))
    jobs = _jobs(snapshot, writer, planned.new)
    workers = _workers(sum(each[0].size for each in planned.new.values()), options)
    with closing(prepare_all(jobs, rules, workers, alive, pool)) as results:
        while found := _next(results, collector, writer):
            prepared, blob = found
            done += len(prepared.docs)
            new = _newly_missing(prepared, planned, writer) if prepared.missing else prepared
            if not collector.room_for(new):
                writer.add(collector.take())
            collector.add(new, blob)
    if not collector.empty:
        writer.add(collector.take())
    return collector.ids


def _next(
    results: Iterator[tuple[Prepared, BlobRow | None]], collector: Collector, writer: Writer
) -> tuple[Prepared, BlobRow | None] | None:
    """What was prepared next, None after the last; when it breaks off, what there is is kept."""
    try:
        return next(results, None)
    except BaseException:
        if not collector.empty:
            writer.add(collector.take())
        raise


def _workers(size: int, options: BuildOptions) -> int:
    """How many processes so many new bytes are worth."""
    return 1 if size < options.pool_bytes else options.workers or usable_cores()


@contextmanager
def _early(
    entries: Sequence[TreeEntry], rules: SkipRules, writer: Writer, options: BuildOptions
) -> Generator[Pool | None]:
    """Workers on their way while it is planned what they do, where nothing is indexed yet."""
    size = sum(entry.size for entry in entries if entry.size <= rules.max_bytes)
    workers = 1 if any(writer.last_ids()) else _workers(size, options)
    if workers <= 1:
        yield None
        return
    with closing(Pool(rules, workers)) as pool:
        pool.warm()
        yield pool


def _newly_missing(prepared: Prepared, planned: Plan, writer: Writer) -> Prepared:
    """The paths of a missing blob that no earlier build missed; the others become known ones."""
    docs: list[PreparedDoc] = []
    for doc in prepared.docs:
        found = writer.find(doc.path, prepared.oid, MISSING)
        if found is None:
            docs.append(doc)
        else:
            planned.known[doc.path] = found
    return replace(prepared, docs=tuple(docs))


def _as_report(snapshot: Snapshot, stats: Statistics, started: float, added: int) -> IndexReport:
    return IndexReport(
        source=snapshot.source.name,
        revision=snapshot.revision.id,
        files=stats["files"],
        chunks=stats["chunks"],
        symbols=stats["symbols"],
        skipped=stats["skipped"],
        seconds=time.monotonic() - started,
        added=added,
    )


def _jobs(
    snapshot: Snapshot, writer: Writer, new: dict[str, list[TreeEntry]]
) -> Iterator[tuple[Job, BlobRow | None]]:
    """One job a blob: first those whose text is stored already, then those to be read."""
    unread: list[str] = []
    for oid, entries in new.items():
        if blob := writer.blob(oid):
            text = Text(unpack_text(blob.text), blob.encoding, blob.redactions)
            paths = tuple(entry.path for entry in entries)
            yield Job(oid, entries[0].size, paths, None, text), blob
        else:
            unread.append(oid)
    for oid, data in snapshot.read(unread):
        entries = new[oid]
        yield Job(oid, entries[0].size, tuple(entry.path for entry in entries), data), None


def _join_small(writer: Writer) -> None:
    """Keep a thousand edits from leaving a thousand segments."""
    small = writer.small_segments(SMALL)
    if len(small) <= MAX_SMALL:
        return
    sizes = accumulate(segment.chunks for segment in small)
    small = [each for each, size in zip(small, sizes, strict=True) if size <= MAX_ROWS]
    segment = writer.last_ids()[2] + 1
    writer.merge(small, join(small, writer, segment))


def _statistics(writer: Writer, docs: list[int]) -> Statistics:
    files = chunks = symbols = 0
    skipped: dict[str, int] = {}
    for skip, count, some_chunks, some_symbols in writer.summary(docs):
        reason = skip.partition(":")[0]
        if reason:
            skipped[reason] = skipped.get(reason, 0) + count
        files += 0 if reason else count
        chunks += some_chunks
        symbols += some_symbols
    return Statistics(files=files, chunks=chunks, symbols=symbols, skipped=skipped)
