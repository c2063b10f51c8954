"""Prepares blobs on all cores, in the order given: the same rows as one process would make.

Workers are plain child processes that talk over pipes. `multiprocessing` is not used: its children
run the caller's main module once more, and a fork would copy the secret scanner's Go threads in a
state that nobody knows. A worker that dies takes no build with it: its files are tried again one
at a time, and the one that kills its worker is named as failed. Where no worker can be started,
this process does the work itself. Nothing here touches a database.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from contextlib import suppress
from dataclasses import dataclass
from pickle import UnpicklingError
from queue import SimpleQueue
from signal import Signals
from typing import IO, TYPE_CHECKING, TypeAlias, cast

from clew.errors import ClewError
from clew.index.fingerprint import code_fingerprint
from clew.index.prepare import Job, Prepared, failed, prepare
from clew.index.worker import read_frame, write_frame

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

    from clew.chunks.skip import SkipRules
    from clew.index.store import BlobRow

BATCH_BYTES = 256 * 1024
BATCH_FILES = 64
"""What a worker is given at a time: a quarter of a second's work, so that pipes cost nothing."""

AHEAD = 8
"""Batches that wait for each worker, also while a segment is written; with the results not yet
taken, this bounds memory. A batch of one large file counts as what it holds, but …"""

LEAST = 2
"""… so many wait for each worker whatever they hold."""

MOST = 8
"""Workers without a setting: the database is written by one process, which feeds no more."""

START_SECONDS = 60.0
"""How long a worker may take to say that it is there, on a machine with other things to do."""

TICK_SECONDS = 0.2
"""Between two calls of `alive` while a batch is waited for."""

# The parent's import path comes first, so that a worker imports what its parent did. `-P`: not
# what lies in the current folder, which may be the repository that is asked.
_BOOT = (
    "import sys, json; sys.path[:] = json.loads(sys.stdin.buffer.readline()); "
    "from clew.index.worker import main; main()"
)

Work: TypeAlias = tuple[Job, "BlobRow | None"]


class _NoWorkerError(Exception):
    """No worker can be started here."""


class _DiedError(Exception):
    """A worker ended in the middle of its work. `how` is its exit code."""

    def __init__(self, how: int) -> None:
        super().__init__(how)
        self.how = how


def usable_cores() -> int:
    """Cores that this process may run on, at most `MOST`."""
    affinity = getattr(os, "sched_getaffinity", None)
    count = len(affinity(0)) if affinity else os.cpu_count() or 1
    return min(count, MOST)


def prepare_all(
    work: Iterable[Work],
    rules: SkipRules,
    workers: int,
    alive: Callable[[Job], None],
    pool: Pool | None = None,
) -> Generator[tuple[Prepared, BlobRow | None]]:
    """Prepare every job, in order; close the iterator to stop before its end.

    Args:
        work: The jobs, each with what is handed through beside it.
        rules: What to skip.
        workers: Processes to use; 1 for this one only.
        alive: Is called with the job that is to come next, at least every `TICK_SECONDS` while it
            is waited for; what it raises ends the work at once.
        pool: Where the workers are on their way already; it is closed in the end.

    Raises:
        ClewError: A scanner or a grammar can't be used.
    """
    if workers <= 1:
        for job, blob in work:
            alive(job)
            yield prepare(job, rules), blob
        return
    pool = pool or Pool(rules, workers)
    try:
        yield from _in_order(pool, work, alive)
    finally:
        pool.close()


def _in_order(
    pool: Pool, work: Iterable[Work], alive: Callable[[Job], None]
) -> Iterator[tuple[Prepared, BlobRow | None]]:
    batches = _batches(work)
    flying: deque[tuple[list[Work], Future[list[Prepared]]]] = deque()
    held = 0
    while True:
        while _more(len(flying), held, pool.workers) and (batch := next(batches, None)):
            alive(batch[0][0])
            flying.append((batch, pool.submit([job for job, _ in batch])))
            held += sum(job.size for job, _ in batch)
        if not flying:
            return
        batch, future = flying.popleft()
        held -= sum(job.size for job, _ in batch)
        results = _result(future, lambda job=batch[0][0]: alive(job))
        for (job, blob), prepared in zip(batch, results, strict=True):
            alive(job)
            yield prepared, blob


def _more(batches: int, size: int, workers: int) -> bool:
    """Whether so many batches of so many bytes are too few to wait for these workers."""
    most = workers * AHEAD
    return batches < LEAST * workers or (batches < most and size < most * BATCH_BYTES)


def _batches(work: Iterable[Work]) -> Iterator[list[Work]]:
    batch: list[Work] = []
    size = 0
    for item in work:
        batch.append(item)
        size += item[0].size
        if size >= BATCH_BYTES or len(batch) >= BATCH_FILES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _result(future: Future[list[Prepared]], alive: Callable[[], None]) -> list[Prepared]:
    while True:
        try:
            return future.result(TICK_SECONDS)
        except NotYet:
            alive()


@dataclass(frozen=True, slots=True)
class _Worker:
    """One child process that has said that it is there."""

    process: subprocess.Popen[bytes]
    stdin: IO[bytes]
    stdout: IO[bytes]

    def prepare(self, jobs: list[Job], rules: SkipRules) -> list[Prepared]:
        try:
            write_frame(self.stdin, (jobs, rules))
            answer = read_frame(self.stdout)
        except (OSError, EOFError, ValueError) as error:
            self.end()
            raise _DiedError(self.process.returncode) from error
        if isinstance(answer, ClewError):
            raise answer
        return cast("list[Prepared]", answer)

    def end(self) -> None:
        """Let a worker that is alive no longer go, or end it; safe from any thread."""
        self.process.kill()
        self.process.wait()

    def close(self) -> None:
        """Close the pipes of a worker that has ended."""
        for pipe in (self.stdin, self.stdout):
            with suppress(OSError):
                pipe.close()


class Pool:
    """Threads that each serve a batch by a worker of their own while they do; close it."""

    def __init__(self, rules: SkipRules, workers: int) -> None:
        self.workers = workers
        self._rules = rules
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="clew-prepare")
        self._idle: SimpleQueue[_Worker | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._all: list[_Worker] = []
        self._closed = False
        self._broken = False
        for _ in range(workers):
            self._idle.put(None)

    def warm(self) -> None:
        """Start the workers before there is work for them; each takes 0.2 s to be there."""
        for _ in range(self.workers):
            self._threads.submit(self._serve, [])

    def submit(self, jobs: list[Job]) -> Future[list[Prepared]]:
        """Prepare these as soon as a worker is free."""
        return self._threads.submit(self._serve, jobs)

    def close(self) -> None:
        """End every worker at once, also in the middle of its work; safe to call again."""
        with self._lock:
            self._closed = True
            for worker in self._all:
                worker.end()
        self._threads.shutdown(wait=True, cancel_futures=True)
        for worker in self._all:
            worker.close()

    def _serve(self, jobs: list[Job]) -> list[Prepared]:
        worker = self._idle.get()
        try:
            try:
                worker = worker or self._start()
                return worker.prepare(jobs, self._rules) if jobs else []
            except _DiedError:
                worker, prepared = self._one_by_one(jobs)
                return prepared
        except _NoWorkerError:
            worker = None
            return [] if self._closed else [prepare(job, self._rules) for job in jobs]
        finally:
            self._idle.put(worker)

    def _one_by_one(self, jobs: list[Job]) -> tuple[_Worker | None, list[Prepared]]:
        """The jobs of a batch whose worker died, and a worker that is alive, if there is one."""
        worker: _Worker | None = None
        done: list[Prepared] = []
        for job in jobs:
            worker = worker or self._start()  # raises after `close`, so nothing goes on
            try:
                done += worker.prepare([job], self._rules)
            except _DiedError as error:
                worker = None
                done.append(failed(job, f"failed: its worker ended ({_named(error.how)})"))
        return worker, done

    def _start(self) -> _Worker:
        if self._broken or self._closed:
            raise _NoWorkerError
        try:
            process = _popen()
        except OSError as error:
            self._broken = True
            raise _NoWorkerError from error
        with self._lock:
            pipes = cast("tuple[IO[bytes], IO[bytes]]", (process.stdin, process.stdout))
            worker = _Worker(process, *pipes)
            self._all.append(worker)
            if self._closed:
                worker.end()
        if not _greeted(worker):
            self._broken = True
            raise _NoWorkerError
        return worker


def _popen() -> subprocess.Popen[bytes]:
    if not sys.executable or getattr(sys, "frozen", False):
        raise FileNotFoundError("this program has no interpreter of its own")
    return subprocess.Popen(
        [sys.executable, *(["-I"] if sys.flags.isolated else ["-P"]), "-c", _BOOT],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        process_group=0 if os.name == "posix" else None,  # Ctrl-C is for the parent only
    )


def _greeted(worker: _Worker) -> bool:
    """Whether the worker is there and is of the same version as this process."""
    limit = threading.Timer(START_SECONDS, worker.process.kill)
    limit.daemon = True
    limit.start()
    try:
        path = [folder for folder in sys.path if os.path.isabs(folder)]  # noqa: PTH117 - a string
        worker.stdin.write(json.dumps(path).encode() + b"\n")
        worker.stdin.flush()
        greeting = read_frame(worker.stdout)
    except (OSError, EOFError, UnpicklingError, ValueError):
        greeting = None
    finally:
        limit.cancel()
    if greeting == code_fingerprint():
        return True
    worker.end()
    return False


def _named(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    with suppress(ValueError):
        return Signals(-code).name
    return f"signal {-code}"
