"""An index that grew by edits says exactly what one built at once says."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clew.index import build as build_module
from clew.index.sqlite import SqliteReader
from clew.index.view import open_view
from support.indexes import describe, view_of
from support.snapshots import MemorySnapshot

CONTENTS = (
    b"def alpha(x):\n    return beta(x)\n",
    b"class Beta:\n    def alpha(self):\n        return gamma()\n\n\ndef gamma():\n    pass\n",
    b"# Alpha\n\nThe gamma of beta.\n\n## More\n\nbeta beta\n",
    b"import alpha\n\nalpha.gamma()\n",
    b"\0\1binary",
    b"",
    b"plain words gamma\r\nwith crlf\r\n",
)
PATHS = ("a.py", "b.py", "lib/c.py", "lib/sub/d.py", "README.md", "lib/notes.md", "z.txt")
TREES = st.dictionaries(st.sampled_from(PATHS), st.sampled_from(CONTENTS), max_size=7)
HISTORIES = st.lists(TREES, min_size=1, max_size=5)
PROPERTY = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def fresh(snapshot, folder):
    with view_of(snapshot, folder / "fresh.db") as view:
        return describe(view)


@PROPERTY
@given(history=HISTORIES, max_chunks=st.integers(1, 6))
def test_edits_renames_deletions_and_switches_back_leave_what_a_fresh_build_gives(
    tmp_path_factory, history, max_chunks
):
    folder = tmp_path_factory.mktemp("equal")
    path = folder / "grown.db"
    for files in [*history, history[0]]:
        view_of(MemorySnapshot(files), path, max_chunks=max_chunks).close()
    for at, files in enumerate(history):  # every revision, not only the last one
        snapshot = MemorySnapshot(files)
        with open_view(path, snapshot.source, snapshot.revision) as view:
            target = folder / str(at)
            target.mkdir()
            assert describe(view) == fresh(snapshot, target)


@PROPERTY
@given(files=TREES, first=st.sampled_from(["", "lib/", "lib/sub/"]))
def test_a_folder_first_and_the_root_later_give_what_the_root_gives(tmp_path_factory, files, first):
    folder = tmp_path_factory.mktemp("prefix")
    path = folder / "grown.db"
    view_of(MemorySnapshot(files, prefix=first), path).close()
    root = MemorySnapshot(files)
    with view_of(root, path) as view:
        assert describe(view) == fresh(root, folder)


def test_joining_small_segments_changes_nothing_that_can_be_seen(tmp_path, monkeypatch):
    monkeypatch.setattr(build_module, "MAX_SMALL", 3)
    path = tmp_path / "grown.db"
    files = dict(zip(PATHS, CONTENTS, strict=True))
    seen = []
    for at in range(12):
        files = {
            **files,
            f"lib/new{at}.py": b"def alpha%d():\n    beta()\n" % at,
            "a.py": b"x = %d\n" % at,
        }
        seen.append(MemorySnapshot(files))
        view_of(seen[-1], path).close()
    reader = SqliteReader(path)
    assert len(reader.segments()) <= 4
    reader.close()
    for at in (0, 5, 11):
        folder = tmp_path / str(at)
        folder.mkdir()
        with open_view(path, seen[at].source, seen[at].revision) as view:
            assert describe(view) == fresh(seen[at], folder)


def test_a_view_opened_before_a_join_still_says_what_it_said(tmp_path, monkeypatch):
    monkeypatch.setattr(build_module, "MAX_SMALL", 2)
    path = tmp_path / "i.db"
    first = MemorySnapshot({"a.py": b"def alpha():\n    beta()\n"})
    with view_of(first, path) as view:
        for at in range(8):
            files = {"a.py": first.files["a.py"], "b.py": b"def beta():\n    return %d\n" % at}
            view_of(MemorySnapshot(files), path).close()
        assert describe(view) == fresh(first, tmp_path)
