"""A compaction drops what no kept revision needs and changes nothing that a kept one says."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.errors import IndexFailedError
from clew.index import compact as compact_module
from clew.index import sqlite
from clew.index.build import build
from clew.index.compact import compact
from clew.index.generations import draft_of, generations
from clew.index.lock import alone
from clew.index.view import indexed_revisions, open_view
from support.indexes import describe, options, view_of
from support.snapshots import MemorySnapshot

TESTS = Path(__file__).parent


def nothing() -> None:
    """Say nothing."""


def snapshot(files, **more):
    return MemorySnapshot({path: text.encode() for path, text in files.items()}, **more)


def module(name, number):
    return f'"""{name}."""\n\n\ndef {name}(order):\n    return shared(order, {number})\n'


def past(count=6):
    """One repository at several revisions: each changes one file, adds one and drops one."""
    files = {f"pkg/m{at}.py": module(f"m{at}", 0) for at in range(12)}
    for number in range(count):
        files = {**files, f"pkg/m{number}.py": module(f"m{number}", number + 1)}
        files[f"new/n{number}.md"] = f"# New {number}\n\nWhat is new in {number}.\n"
        files.pop(f"pkg/m{number + 6}.py", None)
        yield snapshot(files)


def told(index, one):
    with open_view(index, one.source, one.revision) as view:
        return describe(view)


def built(index, snapshots):
    for one in snapshots:
        build(one, index, options(max_chunks=5))
    return {one.revision.id: told(index, one) for one in snapshots}


def rows(index, sql):
    with closing(sqlite3.connect(generations(index)[0])) as database:
        return database.execute(sql).fetchall()


def test_kept_revisions_say_what_they_said_and_nothing_else_is_left(tmp_path):
    index = tmp_path / "i.db"
    snapshots = list(past())
    said = built(index, snapshots)
    kept = [snapshots[1], snapshots[4]]
    ids = {one.revision.id for one in kept}
    done = compact(index, lambda row: row.id in ids, nothing)
    assert {row.id for row in done.dropped} == set(said) - ids
    assert done.documents > 0
    for one in kept:
        assert told(index, one) == said[one.revision.id]
    with pytest.raises(IndexFailedError, match="not indexed"):
        told(index, snapshots[0])
    [file] = generations(index)
    assert left_in(tmp_path) == {file.name}
    used = {doc for one in kept for doc in told(index, one)["documents"]}
    assert {path for (path,) in rows(index, "SELECT path FROM doc")} == {doc.path for doc in used}
    assert rows(index, "SELECT count(*) FROM blob") == rows(
        index, "SELECT count(DISTINCT blob) FROM doc"
    )
    assert not rows(index, "SELECT doc FROM symbol WHERE doc NOT IN (SELECT id FROM doc)")


def test_a_build_goes_on_in_the_compacted_index(tmp_path):
    index = tmp_path / "i.db"
    *old, last, new = past()
    built(index, [*old, last])
    compact(index, lambda row: row.id == last.revision.id, nothing)
    again = MemorySnapshot(new.files)
    with view_of(again, index, max_chunks=5) as view:
        assert len(again.reads) <= 3
        found = describe(view)
    with view_of(new, tmp_path / "fresh.db") as fresh:
        assert found == describe(fresh)


def test_an_index_without_anything_dead_stays_as_it_is(tmp_path):
    index = tmp_path / "i.db"
    built(index, list(past()))
    before = index.read_bytes()
    assert compact(index, lambda _: True, nothing) == compact_module.Compacted()
    assert generations(index) == [index]
    assert index.read_bytes() == before


def test_an_index_of_which_nothing_is_kept_is_gone(tmp_path):
    index = tmp_path / "i.db"
    built(index, list(past(2)))
    assert len(compact(index, lambda _: False, nothing).dropped) == 2
    assert left_in(tmp_path) == set()
    assert compact(index, lambda _: True, nothing) == compact_module.Compacted()


def test_a_reader_goes_on_with_the_old_index(tmp_path):
    index = tmp_path / "i.db"
    snapshots = list(past())
    said = built(index, snapshots)
    first = snapshots[0]
    with open_view(index, first.source, first.revision) as view:
        compact(index, lambda row: row.id == snapshots[-1].revision.id, nothing)
        assert describe(view) == said[first.revision.id]


def test_who_leaves_a_compaction_leaves_the_old_index(tmp_path):
    index = tmp_path / "i.db"
    snapshots = list(past())
    said = built(index, snapshots)

    def leave():
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        compact(index, lambda row: row.id == snapshots[0].revision.id, leave)
    assert generations(index) == [index]
    assert not draft_of(index).exists()
    assert told(index, snapshots[3]) == said[snapshots[3].revision.id]


def test_a_full_disk_leaves_the_old_index(tmp_path, monkeypatch):
    index = tmp_path / "i.db"
    big = snapshot({"big.md": f"# Big\n\n{os.urandom(40_000).hex()}\n"})
    said = built(index, [*past(2), big])
    full = (*sqlite.WRITER_PRAGMAS, "PRAGMA max_page_count = 16")
    monkeypatch.setattr(sqlite, "WRITER_PRAGMAS", full)
    with pytest.raises(IndexFailedError, match="disk is full"):
        compact(index, lambda row: row.id == big.revision.id, nothing)
    assert left_in(tmp_path) == {index.name}
    assert told(index, big) == said[big.revision.id]


def test_a_build_makes_an_index_smaller_that_is_mostly_dead(tmp_path):
    """A killed build leaves documents that no revision names."""
    index = tmp_path / "i.db"
    first = snapshot({"a.py": module("a", 1)})
    build(first, index, options())
    with closing(sqlite3.connect(index)) as database, database:
        database.executemany(
            "INSERT INTO doc VALUES (NULL, ?, 'x', '', '', 1, '', 0, 0, 0, NULL)",
            [(f"dead{at}",) for at in range(9)],
        )
    steps = []
    build(snapshot({"a.py": module("a", 2)}), index, options(), steps.append)
    assert rows(index, "SELECT count(*) FROM doc") == [(2,)]
    assert told(index, first)
    assert "smaller" in steps[-1].message


def test_a_build_does_not_wait_long_for_it(tmp_path, monkeypatch):
    monkeypatch.setattr(compact_module, "TIDY_SECONDS", -1.0)
    index = tmp_path / "i.db"
    built(index, list(past()))
    monkeypatch.setattr(compact_module, "_mostly_dead", lambda _: True)
    with closing(sqlite3.connect(index)) as database, database:
        database.execute("DELETE FROM revision")
        database.execute("DELETE FROM symbol")
    [one] = past(1)
    build(one, index, options())
    assert generations(index) == [index]


def left_in(folder):
    """What is there, but for SQLite's own files beside an index that is read."""
    names = {each.name for each in folder.iterdir() if each.is_file()} - {"i.db.lock"}
    indexes = {name for name in names if name.endswith(".db")}
    return names - {f"{name}-{kind}" for name in indexes for kind in ("wal", "shm")}


def edits():
    files = st.dictionaries(
        st.sampled_from(["a.py", "b.py", "c.md", "d/e.ts", "f.txt", "empty.py"]),
        st.sampled_from(
            [
                "",
                module("alpha", 1),
                module("beta", 2) + module("gamma", 3),
                "# Head\n\nText about alpha.\n\n## Sub\n\nMore.\n",
                "export function delta() { return alpha() }\n",
            ]
        ),
        max_size=6,
    )
    return st.lists(st.tuples(files, st.booleans()), min_size=1, max_size=6)


@settings(max_examples=40, deadline=None)
@given(history=edits())
def test_whatever_is_dropped_the_kept_revisions_stay_as_they_were(tmp_path_factory, history):
    index = tmp_path_factory.mktemp("any") / "i.db"
    snapshots = [snapshot(files) for files, _ in history]
    said = built(index, snapshots)
    kept = {one.revision.id for one, (_, keep) in zip(snapshots, history, strict=True) if keep}
    for _ in range(2):
        compact(index, lambda row: row.id in kept, nothing)
        assert {row.revision for row in indexed_revisions(index)} == kept
        for one in snapshots:
            if one.revision.id in kept:
                assert told(index, one) == said[one.revision.id]


def compacting(index, step, *kept):
    return subprocess.run(
        [sys.executable, "-m", "support.index_compact_process", index, str(step), *kept],
        cwd=TESTS,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
        check=False,
    )


def killed_while_compacting(tmp_path, seed):
    index = tmp_path / "i.db"
    snapshots = list(past())
    said = built(index, snapshots)
    kept = [snapshots[2], snapshots[5]]
    ids = [one.revision.id for one in kept]
    copy = tmp_path / "copy" / "i.db"
    copy.parent.mkdir()
    copy.write_bytes(index.read_bytes())
    total = int(compacting(copy, 0, *ids).stdout)
    chance = random.Random(seed)
    # the last steps are the ones that take files away: every one of them is tried
    step = total - seed if seed < 12 else chance.randrange(1, total)
    assert compacting(index, step, *ids).returncode == -signal.SIGKILL
    for one in kept:
        assert told(index, one) == said[one.revision.id]
    for file in tmp_path.glob("*.db"):
        with closing(sqlite3.connect(file)) as database:
            assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    with alone(index, 5.0, nothing):
        compact(index, lambda row: row.id in ids, nothing)
    assert {row.revision for row in indexed_revisions(index)} == set(ids)
    build(snapshots[-1], index, options())
    for one in kept:
        assert told(index, one) == said[one.revision.id]
    assert left_in(tmp_path) == {generations(index)[0].name}


@pytest.mark.parametrize("seed", [0, 2, 3, 5, 8, 13])
def test_killed_at_any_step_there_is_the_old_index_or_the_new_one(tmp_path, seed):
    killed_while_compacting(tmp_path, seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
def test_killed_at_any_step_of_many_there_is_the_old_index_or_the_new_one(tmp_path, seed):
    killed_while_compacting(tmp_path, seed)
