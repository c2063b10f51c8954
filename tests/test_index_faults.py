"""Kills, rivals, damage, full and read-only disks: an index is old or new, never half."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import filelock
import pytest

from clew.errors import BusyError, IndexFailedError
from clew.index import build as build_module
from clew.index import sqlite
from clew.index.build import build
from clew.index.generations import generations
from clew.index.view import indexed_revisions, open_view
from support.index_build_process import CountedWriter
from support.indexes import describe, options, view_of
from support.snapshots import MemorySnapshot

OLD = {f"old{at}.py": f"def old{at}():\n    return shared()\n" for at in range(4)}
NEW = {f"pkg/new{at:02}.py": f"def new{at}():\n    return shared({at})\n" for at in range(24)}
FILES = {**NEW, "old1.py": OLD["old1.py"], "README.md": "# New\n\nWhat is shared.\n"}


def snapshot(files):
    return MemorySnapshot({path: text.encode() for path, text in files.items()})


def builder(tmp_path, files, index, stop=0, statement=0):
    listed = tmp_path / "files.json"
    listed.write_text(json.dumps(files), "utf-8")
    tests = Path(__file__).parent
    return subprocess.Popen(
        [
            *(sys.executable, "-m", "support.index_build_process", listed, index, "3"),
            *(str(stop), str(statement)),
        ],
        cwd=tests,
        env={**os.environ, "PYTHONPATH": str(tests)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def fresh(files, folder):
    with view_of(snapshot(files), folder / "fresh.db") as view:
        return describe(view)


@pytest.mark.parametrize("stop", [2, 9, 17, 26, 27])
def test_killed_while_indexing_the_old_revision_answers_and_the_next_build_goes_on(tmp_path, stop):
    index = tmp_path / "i.db"
    with view_of(snapshot(OLD), index) as view:
        old = describe(view)
    with builder(tmp_path, FILES, index, stop) as process:
        assert process.stdout.readline() == "here\n"
        process.send_signal(signal.SIGKILL)
    with open_view(index, snapshot(OLD).source, snapshot(OLD).revision) as view:
        assert describe(view) == old
    assert len(indexed_revisions(index)) == 1
    again = snapshot(FILES)
    with view_of(again, index) as view:
        assert describe(view) == fresh(FILES, tmp_path)
    if stop > 10:
        assert len(again.reads) < len(FILES) - 1  # it went on, it did not start over


def killed_at_a_statement(tmp_path, monkeypatch, seed):
    with monkeypatch.context() as patched:  # how many statements there are
        patched.setattr(build_module, "SqliteWriter", CountedWriter)
        patched.setattr(CountedWriter, "statements", 0)
        build(snapshot(FILES), tmp_path / "counted.db", options(max_chunks=3))
        total = CountedWriter.statements
    assert total > 300
    index = tmp_path / "i.db"
    statement = random.Random(seed).randrange(1, total)
    with builder(tmp_path, FILES, index, statement=statement) as process:
        process.wait()
        assert process.returncode == -signal.SIGKILL
    with view_of(snapshot(FILES), index, max_chunks=3) as view:
        assert describe(view) == fresh(FILES, tmp_path)


@pytest.mark.parametrize("seed", range(6))
def test_killed_at_any_statement_the_next_build_ends_as_a_fresh_one(tmp_path, monkeypatch, seed):
    killed_at_a_statement(tmp_path, monkeypatch, seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6, 80))
def test_killed_at_any_statement_of_many_the_next_build_ends_as_a_fresh_one(
    tmp_path, monkeypatch, seed
):
    killed_at_a_statement(tmp_path, monkeypatch, seed)


def test_two_processes_that_build_the_same_thing_both_end_with_it(tmp_path):
    index = tmp_path / "i.db"
    with builder(tmp_path, FILES, index) as one, builder(tmp_path, FILES, index) as two:
        for process in (one, two):
            process.communicate(timeout=60)
            assert process.returncode == 0
    [revision] = indexed_revisions(index)
    assert revision.files == len(FILES)
    with open_view(index, snapshot(FILES).source, snapshot(FILES).revision) as view:
        assert describe(view) == fresh(FILES, tmp_path)


def test_threads_that_build_the_same_thing_read_it_once(tmp_path):
    index = tmp_path / "i.db"
    shared = snapshot(FILES)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: build(shared, index, options(max_chunks=3)), range(4)))
    assert len(shared.reads) == len(FILES)


def test_a_waiting_build_says_so_and_gives_up_in_its_time(tmp_path):
    index = tmp_path / "i.db"
    said = []
    with filelock.FileLock(f"{index}.lock"), pytest.raises(BusyError, match="another process"):
        build(snapshot(FILES), index, options(lock_seconds=0.05), said.append)
    assert [each.phase for each in said] == ["waiting"]


def test_a_reader_sees_the_old_or_the_new_revision_during_every_write(tmp_path):
    index = tmp_path / "i.db"
    old, new = snapshot(OLD), snapshot(FILES)
    with view_of(old, index) as view:
        expected = describe(view)
    seen = []

    def look(_):
        with pytest.raises(IndexFailedError, match="not indexed"):
            open_view(index, new.source, new.revision)
        with open_view(index, old.source, old.revision) as meanwhile:
            seen.append(describe(meanwhile) == expected)

    with open_view(index, old.source, old.revision) as before:
        build(new, index, options(max_chunks=3), look)
        assert describe(before) == expected
    assert len(seen) > len(NEW)
    assert all(seen)
    with open_view(index, new.source, new.revision) as after:
        assert describe(after) == fresh(FILES, tmp_path)


@pytest.mark.parametrize("damage", ["rubbish", "cut", "header", "zeros"])
def test_a_damaged_file_is_built_anew_and_it_is_said(tmp_path, damage):
    index = tmp_path / "i.db"
    build(snapshot(OLD), index, options())
    whole = index.read_bytes()
    index.write_bytes(
        {
            "rubbish": b"not a database" * 1_000,
            "cut": whole[: len(whole) // 3],
            "header": b"\0" * 100 + whole[100:],
            "zeros": whole[:4096] + b"\0" * (len(whole) - 4096),
        }[damage]
    )
    said = []
    build(snapshot(FILES), index, options(), said.append)
    assert any("damaged" in each.message for each in said)
    with open_view(index, snapshot(FILES).source, snapshot(FILES).revision) as view:
        assert describe(view) == fresh(FILES, tmp_path)
    assert len(generations(index)) == 1


def test_a_damaged_text_is_one_clear_error(tmp_path):
    index = tmp_path / "i.db"
    build(snapshot(OLD), index, options())
    import sqlite3

    with sqlite3.connect(index) as database:
        database.execute("UPDATE blob SET text = x'00112233'")
    database.close()
    view = open_view(index, snapshot(OLD).source, snapshot(OLD).revision)
    with view, pytest.raises(IndexFailedError, match="delete"):
        view.text("old0.py")


def test_a_full_disk_is_one_clear_error_and_the_old_revision_stays(tmp_path, monkeypatch):
    index = tmp_path / "i.db"
    with view_of(snapshot(OLD), index) as view:
        expected = describe(view)
    pages = index.stat().st_size // 4096
    full = (*sqlite.WRITER_PRAGMAS, f"PRAGMA max_page_count = {pages + 1}")
    big = {
        f"big{at}.py": f"def big{at}():\n    '''{os.urandom(4_000).hex()}'''\n" for at in range(9)
    }
    with monkeypatch.context() as patched:
        patched.setattr(sqlite, "WRITER_PRAGMAS", full)
        with pytest.raises(IndexFailedError, match="disk is full"):
            build(snapshot(big), index, options())
    with open_view(index, snapshot(OLD).source, snapshot(OLD).revision) as view:
        assert describe(view) == expected
    with view_of(snapshot(big), index) as view:
        assert describe(view) == fresh(big, tmp_path)


def test_a_file_that_may_not_grow_is_one_clear_error(tmp_path):
    index = tmp_path / "i.db"
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536));"
        "from support.index_build_process import main; main()"
    )
    listed = tmp_path / "files.json"
    listed.write_text(json.dumps(FILES), "utf-8")
    tests = Path(__file__).parent
    done = subprocess.run(
        [sys.executable, "-c", code, listed, index, "3", "0", "0"],
        cwd=tests,
        env={**os.environ, "PYTHONPATH": str(tests)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "clew.errors.IndexFailedError" in done.stderr.splitlines()[-1]
    with view_of(snapshot(FILES), index) as view:
        assert describe(view) == fresh(FILES, tmp_path)


def test_a_folder_that_cannot_be_written_is_one_clear_error(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(IndexFailedError, match="can't be"):
        build(snapshot(OLD), tmp_path / "file" / "i.db", options())
    (tmp_path / "i.db").mkdir()
    with pytest.raises(IndexFailedError):
        build(snapshot(OLD), tmp_path / "i.db", options())


def test_an_empty_tree_is_an_index_without_chunks(tmp_path):
    with view_of(snapshot({}), tmp_path / "i.db") as view:
        assert (view.chunk_count, view.documents(), view.skipped()) == (0, (), {})
        assert view.field_lengths.shape == (7, 0)
        assert not len(view.postings("anything").chunk)
        assert list(view.texts()) == []
        assert not view.has_name("anything")
