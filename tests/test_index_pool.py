"""All cores prepare files: the rows are those of one process, and no worker outlives its parent."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from clew.chunks.skip import SkipRules
from clew.errors import PermanentError
from clew.index import build as build_module
from clew.index import pool as pool_module
from clew.index.build import Progress, build
from clew.index.pool import prepare_all
from clew.index.prepare import Job, prepare
from support.indexes import options
from support.snapshots import MemorySnapshot, oid_of

TESTS = Path(__file__).parent
FILES = {
    **{
        f"pkg/m{at:03}.py": f'"""Module {at}."""\n\n\ndef run{at}(n):\n    return go(n)\n'.encode()
        for at in range(200)
    },
    "readme.md": b"# Read me\n\nWords.\n",
    "web/a.ts": b"export function a(): number { return b() }\n",
    "blob.bin": bytes(range(256)),
    "empty.py": b"",
    "secret.py": b'KEY = "AKIA' + b"Z7QHX2LMN4PRS6TU" + b'"\n',
}
TABLES = ("meta", "blob", "doc", "segment", "chunk", "posting", "reference", "symbol")


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    monkeypatch.setattr(pool_module, "BATCH_FILES", 7)


def jobs(files):
    return [(Job(oid_of(data), len(data), (path,), data), None) for path, data in files.items()]


def ignored(_: object) -> None:
    """Say nothing."""


def rows(path):
    with closing(sqlite3.connect(path)) as database:
        return {
            table: database.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall()
            for table in TABLES
        }


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def eventually(condition, seconds=30.0) -> bool:
    ends = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > ends:
            return False
        time.sleep(0.02)
    return True


def test_workers_make_the_same_index_as_one_process_byte_for_byte(tmp_path):
    snapshot = MemorySnapshot(FILES)
    build(snapshot, tmp_path / "one.db", options(max_chunks=30))
    build(snapshot, tmp_path / "two.db", options(max_chunks=30, workers=2, pool_bytes=0))
    assert rows(tmp_path / "one.db") == rows(tmp_path / "two.db")


@pytest.fixture
def started(monkeypatch) -> list[int]:
    """The process ids of the workers that were started."""
    pids: list[int] = []
    popen = pool_module._popen

    def recorded():
        process = popen()
        pids.append(process.pid)
        return process

    monkeypatch.setattr(pool_module, "_popen", recorded)
    return pids


def test_workers_of_a_first_build_start_while_it_is_planned_and_serve_it(
    tmp_path, monkeypatch, started
):
    def late(*arguments):
        assert eventually(lambda: len(started) == 2), "they did not start before the plan"
        return plan(*arguments)

    plan = build_module.plan
    monkeypatch.setattr(build_module, "plan", late)
    build(MemorySnapshot(FILES), tmp_path / "i.db", options(workers=2, pool_bytes=0))
    assert len(started) == 2, "no others are started for the work"
    assert not any(map(alive, started))


def test_where_something_is_indexed_no_worker_starts_before_it_is_known_what_is_new(
    tmp_path, started
):
    few = options(workers=2, pool_bytes=sum(map(len, FILES.values())))
    build(MemorySnapshot(FILES), tmp_path / "i.db", options(workers=1))
    build(MemorySnapshot({**FILES, "new.py": b"x = 1\n"}), tmp_path / "i.db", few)
    assert started == []


def test_workers_that_wait_for_a_plan_end_when_there_is_none(tmp_path, monkeypatch, started):
    def broken(*_: object):
        raise PermanentError("The plan failed.")

    monkeypatch.setattr(build_module, "plan", broken)
    with pytest.raises(PermanentError):
        build(MemorySnapshot(FILES), tmp_path / "i.db", options(workers=2, pool_bytes=0))
    assert not any(map(alive, started))


def test_few_new_bytes_start_no_worker(tmp_path, monkeypatch):
    monkeypatch.setattr(pool_module, "_popen", lambda: pytest.fail("a worker was started"))
    build(MemorySnapshot(FILES), tmp_path / "i.db", options(workers=2))


def test_a_job_that_kills_its_worker_is_named_and_the_others_are_whole(monkeypatch):
    """The guilty file is told apart by its bytes: as a grammar that crashes on it would."""
    monkeypatch.setattr(pool_module, "_BOOT", KILLED_BY_A_FILE + pool_module._BOOT)
    found = [prepared for prepared, _ in prepare_all(jobs(FILES), SkipRules(), 2, ignored)]
    expected = [prepare(job, SkipRules()) for job, _ in jobs(FILES)]
    for job, got, wanted in zip(jobs(FILES), found, expected, strict=True):
        if job[0].paths[0] in ("pkg/m003.py", "pkg/m150.py"):
            assert got.docs[0].skip == "failed: its worker ended (SIGKILL)"
        else:
            assert got == wanted


KILLED_BY_A_FILE = """
import sys, builtins, os
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "clew.index.worker":
            sys.meta_path.remove(self)
            import clew.index.prepare as module
            real = module.prepare
            def prepare(job, rules):
                if job.paths[0] in ("pkg/m003.py", "pkg/m150.py"):
                    os.kill(os.getpid(), 9)
                return real(job, rules)
            module.prepare = prepare
        return None
sys.meta_path.insert(0, Finder())
"""


def test_an_error_of_ours_in_a_worker_is_the_builds_error(monkeypatch):
    broken = KILLED_BY_A_FILE.replace(
        "os.kill(os.getpid(), 9)",
        "from clew.errors import PermanentError; raise PermanentError('The scanner failed.')",
    )
    monkeypatch.setattr(pool_module, "_BOOT", broken + pool_module._BOOT)
    with pytest.raises(PermanentError, match=r"^The scanner failed\.$"):
        list(prepare_all(jobs(FILES), SkipRules(), 2, ignored))


@pytest.mark.parametrize("boot", ["raise SystemExit(3)", "print('x' * 99, flush=True)", ""])
def test_where_no_worker_starts_this_process_does_the_work(monkeypatch, boot):
    monkeypatch.setattr(pool_module, "_BOOT", boot)
    found = [prepared for prepared, _ in prepare_all(jobs(FILES), SkipRules(), 2, ignored)]
    assert found == [prepare(job, SkipRules()) for job, _ in jobs(FILES)]


def test_without_an_interpreter_this_process_does_the_work(monkeypatch):
    monkeypatch.setattr(pool_module.sys, "executable", "")
    found = [prepared for prepared, _ in prepare_all(jobs(FILES), SkipRules(), 2, ignored)]
    assert len(found) == len(FILES)


def test_a_worker_of_another_version_is_not_used(monkeypatch):
    monkeypatch.setattr(pool_module, "code_fingerprint", lambda: {"format": "other"})
    found = [prepared for prepared, _ in prepare_all(jobs(FILES), SkipRules(), 2, ignored)]
    assert len(found) == len(FILES)


def test_who_leaves_ends_the_workers_at_once(monkeypatch, started):
    """A worker that hangs is ended too: it is waited for no longer than a tick."""
    hanging = KILLED_BY_A_FILE.replace("os.kill(os.getpid(), 9)", "import time; time.sleep(600)")
    monkeypatch.setattr(pool_module, "_BOOT", hanging + pool_module._BOOT)
    calls = 0

    def leave(_: Job) -> None:
        nonlocal calls
        calls += 1
        if calls > 12:
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        list(prepare_all(jobs(FILES), SkipRules(), 2, leave))
    assert len(started) == 2
    assert not any(map(alive, started))


@pytest.mark.parametrize("workers", [1, 2])
def test_a_cancelled_build_keeps_what_no_segment_was_full_of_yet(tmp_path, workers):
    def leave(step: Progress) -> None:
        if step.phase == "indexing" and step.done > 100:
            raise asyncio.CancelledError

    chosen = options(workers=workers, pool_bytes=0)
    with pytest.raises(asyncio.CancelledError):
        build(MemorySnapshot(FILES), tmp_path / "i.db", chosen, leave)
    report = build(MemorySnapshot(FILES), tmp_path / "i.db", chosen)
    assert 0 < report.added < len(FILES) - 50
    build(MemorySnapshot(FILES), tmp_path / "one.db", options(workers=1))
    assert report.chunks == len(rows(tmp_path / "one.db")["chunk"])


def test_large_files_are_not_read_far_ahead(monkeypatch):
    monkeypatch.setattr(pool_module, "BATCH_BYTES", 1_000)
    large = {f"m{at:02}.txt": b"word " * 1_000 for at in range(60)}
    read: list[str] = []

    def reading():
        for job, blob in jobs(large):
            read.append(job.paths[0])
            yield job, blob

    taken = prepare_all(reading(), SkipRules(), 2, ignored)
    with closing(taken):
        next(taken)
        assert len(read) <= pool_module.LEAST * 2 + 2
        assert len(list(taken)) == len(large) - 1


def test_many_batches_of_small_files_wait_for_each_worker():
    small = pool_module.BATCH_BYTES // 100
    more = pool_module._more
    assert more(0, 0, 2)
    assert more(2 * pool_module.AHEAD - 1, small, 2)
    assert not more(2 * pool_module.AHEAD, small, 2)
    assert more(3, 10**9, 2)
    assert not more(4, 10**9, 2)


def test_a_cancelled_build_goes_on_where_it_stopped(tmp_path):
    def leave(step: Progress) -> None:
        if step.phase == "indexing" and step.done > 100:
            raise asyncio.CancelledError

    chosen = options(max_chunks=10, workers=2, pool_bytes=0)
    with pytest.raises(asyncio.CancelledError):
        build(MemorySnapshot(FILES), tmp_path / "i.db", chosen, leave)
    again = MemorySnapshot(FILES)
    report = build(again, tmp_path / "i.db", chosen)
    assert 0 < report.added < len(FILES) - 50
    assert report.files == len([data for data in FILES.values() if data]) - 1


def test_workers_end_when_their_parent_is_killed():
    script = "import sys; from support.poolprocess import serve_forever; serve_forever()"
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=TESTS,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        pids = [int(word) for word in process.stdout.readline().split()]
        assert len(pids) == 2
        assert all(map(alive, pids))
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert eventually(lambda: not any(map(alive, pids)))


AS_A_LIBRARY = """
from pathlib import Path
from clew.index.build import build
from support.indexes import options
from support.snapshots import MemorySnapshot
print("main runs")
files = {f"m{at}.py": b"def f%d(): pass\\n" % at for at in range(100)}
print(build(MemorySnapshot(files), Path(INDEX), options(workers=2, pool_bytes=0)).files)
"""


@pytest.mark.parametrize("how", ["-c", "stdin", "script without a guard"])
def test_the_callers_main_module_runs_once_however_it_was_started(tmp_path, how):
    code = AS_A_LIBRARY.replace("INDEX", repr(str(tmp_path / "i.db")))
    script = tmp_path / "script.py"
    script.write_text(code)
    words = {"-c": ["-c", code], "stdin": ["-"], "script without a guard": [str(script)]}[how]
    done = subprocess.run(
        [sys.executable, *words],
        input=code if how == "stdin" else "",
        cwd=TESTS,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "main runs\n100\n"
    assert done.stderr == ""


def test_a_worker_imports_nothing_from_the_folder_it_is_started_in(tmp_path, monkeypatch):
    for name in ("json", "pickle", "clew"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    found = [prepared for prepared, _ in prepare_all(jobs(FILES), SkipRules(), 2, ignored)]
    assert len(found) == len(FILES)
    assert not (tmp_path / "ran").exists()


def test_a_worker_does_without_numpy_and_databases():
    code = (
        "import sys, clew.index.worker; "
        "print({'numpy', 'sqlite3', 'asyncio', 'pydantic', 'sqlalchemy'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
