"""An index that is replaced while somebody opens it is read as it is then, and never called bad.

Builds and compactions are real and so are the files: what happens meanwhile happens before a chosen
step of the reader or the writer.
"""

from __future__ import annotations

import sqlite3
from contextlib import ExitStack, closing, contextmanager, nullcontext
from types import SimpleNamespace

import pytest

from clew.errors import IndexFailedError
from clew.index import generations as on_disk
from clew.index import sqlite, view
from clew.index.build import build
from clew.index.compact import compact
from clew.index.view import indexed_revisions, open_view
from support.indexes import describe, options
from support.snapshots import MemorySnapshot

STEPS = range(8)  # looking for the files, connecting, and the statements that follow


def snapshots():
    return [MemorySnapshot({"a.py": f"def send_{n}():\n    pass\n".encode()}) for n in range(4)]


@pytest.fixture
def steps(monkeypatch):
    """Calls what is given to it before each step that anybody takes towards an index's files."""
    watchers = []

    def step():
        acting = watchers.copy()
        watchers.clear()  # what a watcher does has steps of its own
        for act in acting:
            act()
        watchers.extend(acting)

    class Connection(sqlite3.Connection):
        def execute(self, *given):
            step()
            return super().execute(*given)

        def executescript(self, *given):
            step()
            return super().executescript(*given)

    def connect(*given, **named):
        step()
        return sqlite3.connect(*given, factory=Connection, **named)

    def listed(path):
        step()
        return on_disk.generations(path)

    names = {name: getattr(sqlite3, name) for name in dir(sqlite3)}
    monkeypatch.setattr(sqlite, "sqlite3", SimpleNamespace(**{**names, "connect": connect}))
    monkeypatch.setattr(view, "generations", listed)
    return watchers


def before(number, act):
    """Something that is done once, before the step of that number, counted from 0."""
    left = iter(range(number, -1, -1))

    def watch():
        if next(left, None) == 0:
            act()

    return watch


@contextmanager
def standing(index, *, unwritten):
    """An index of three revisions; with `unwritten` all but the first stand in its log only."""
    first, *rest = snapshots()[:3]
    with ExitStack() as held:
        build(first, index, options())
        if unwritten:  # while somebody reads, SQLite leaves the newest beside the file
            held.enter_context(open_view(index, first.source, first.revision))
        for one in rest:
            build(one, index, options())
        yield rest[-1]


def replace(index, kept):
    """Compact it to one revision, as a prune does, after a build of one that goes again."""
    build(snapshots()[3], index, options())
    compact(index, lambda row: row.id == kept.revision.id, lambda: None)


def made_anew(index, kept):
    """Drop everything, as a prune may, and index the revision again: the file's name comes back."""
    compact(index, lambda _: False, lambda: None)
    build(kept, index, options())


def listed_ids(index):
    return {row.revision for row in indexed_revisions(index)}


@pytest.mark.parametrize("change", [replace, made_anew])
@pytest.mark.parametrize("at", STEPS)
@pytest.mark.parametrize("unwritten", [False, True])
def test_a_reader_finds_its_revision_whenever_the_file_is_replaced(
    tmp_path, steps, at, unwritten, change
):
    index = tmp_path / "i.db"
    with standing(index, unwritten=unwritten) as kept:
        with open_view(index, kept.source, kept.revision) as one:
            said = describe(one)
        steps.append(before(at, lambda: change(index, kept)))
        with open_view(index, kept.source, kept.revision) as one:
            assert describe(one) == said


@pytest.mark.parametrize("change", [replace, made_anew])
@pytest.mark.parametrize("at", STEPS)
@pytest.mark.parametrize("unwritten", [False, True])
def test_revisions_are_listed_whenever_the_file_is_replaced(tmp_path, steps, at, unwritten, change):
    index = tmp_path / "i.db"
    with standing(index, unwritten=unwritten) as kept:
        steps.append(before(at, lambda: change(index, kept)))
        assert kept.revision.id in listed_ids(index)


def test_an_index_that_is_just_being_made_is_not_indexed_yet_and_never_damaged(tmp_path, steps):
    index, (one, *_) = tmp_path / "i.db", snapshots()
    seen = []

    def look():
        found = listed_ids(index)
        refused = pytest.raises(IndexFailedError, match="is not indexed at")
        with nullcontext() if found else refused:
            open_view(index, one.source, one.revision).close()
        seen.append(found)

    steps.append(look)
    build(one, index, options())
    steps.clear()
    assert seen[0] == set()
    assert len(seen) > 10
    assert listed_ids(index) == {one.revision.id}


def test_a_generation_that_is_just_being_made_hides_no_older_one(tmp_path, steps):
    index, (one, *_) = tmp_path / "i.db", snapshots()
    build(one, index, options())
    steps.append(lambda: found.append(listed_ids(index)))
    found = []
    with closing(sqlite.SqliteWriter(on_disk.following(index), options().fingerprint())):
        pass
    steps.clear()
    assert len(found) > 3
    assert found == [{one.revision.id}] * len(found)


def test_a_damaged_index_is_still_called_so(tmp_path):
    index, (one, *_) = tmp_path / "i.db", snapshots()
    build(one, index, options())
    with closing(sqlite3.connect(index)) as database:
        database.execute("DROP TABLE revision")
    with pytest.raises(IndexFailedError, match="damaged"):
        indexed_revisions(index)
    with pytest.raises(IndexFailedError, match="damaged"):
        open_view(index, one.source, one.revision)
