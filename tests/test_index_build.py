"""What a build reads, skips, keeps and reports."""

from __future__ import annotations

import os
import pickle
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.chunks.skip import SkipRules
from clew.errors import IndexFailedError
from clew.index import build as build_module
from clew.index import fingerprint as fingerprint_module
from clew.index import plan as plan_module
from clew.index import prepare as prepare_module
from clew.index import segment as segment_module
from clew.index.build import build
from clew.index.generations import generations
from clew.index.postings import FIELDS
from clew.index.prepare import Job, prepare
from clew.index.view import indexed_revisions, open_view
from clew.sources.locate import locate
from clew.sources.sync import sync
from clew.types import TreeEntry
from support.indexes import describe, options, view_of
from support.snapshots import MemorySnapshot, oid_of

A = b"def alpha(x):\n    return beta(x)\n"
B = b"def beta(x):\n    return x + 1\n"
FILES = {"a.py": A, "b.py": B, "docs/guide.md": b"# Guide\n\nHow alpha works.\n"}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "index" / "source-1.db"


def test_the_report_counts_files_chunks_symbols_and_skipped(path):
    snapshot = MemorySnapshot({**FILES, "logo.png": b"\x89PNG\0"})
    report = build(snapshot, path, options())
    assert (report.source, report.revision) == ("memory", snapshot.revision.id)
    assert (report.files, report.added, report.symbols) == (3, 4, 2)
    assert report.chunks >= 3
    assert sum(report.skipped.values()) == 1
    assert report.seconds > 0


def test_the_same_revision_again_reads_and_writes_nothing(path):
    snapshot = MemorySnapshot(FILES)
    first = build(snapshot, path, options())
    before = path.stat().st_mtime_ns
    said = []
    again = build(snapshot, path, options(), said.append)
    assert len(snapshot.reads) == 3
    assert path.stat().st_mtime_ns == before
    assert said == []
    assert (again.files, again.chunks, again.added) == (first.files, first.chunks, 0)


def test_an_edit_reads_only_what_it_touched(path):
    build(MemorySnapshot(FILES), path, options())
    edited = MemorySnapshot({**FILES, "a.py": A + b"\n\nz = 1\n"})
    assert build(edited, path, options()).added == 1
    assert edited.reads == [oid_of(A + b"\n\nz = 1\n")]


def test_switching_back_reads_nothing(path):
    build(MemorySnapshot(FILES), path, options())
    build(MemorySnapshot({"a.py": B}), path, options())
    back = MemorySnapshot({**FILES, "c.py": A})
    assert build(back, path, options()).added == 1
    assert back.reads == []


def test_a_rename_is_indexed_without_reading_the_repository(path):
    build(MemorySnapshot(FILES), path, options())
    renamed = MemorySnapshot({"moved/alpha.py": A, "b.py": B})
    with view_of(renamed, path) as view:
        assert [row.path for row in view.definitions("alpha")] == ["moved/alpha.py"]
        assert view.text("moved/alpha.py") == A.decode()
        assert view.document("a.py") is None
    assert renamed.reads == []


def test_identical_contents_are_read_once(path):
    snapshot = MemorySnapshot({"a.py": A, "copy/a.py": A, "other.txt": A})
    with view_of(snapshot, path) as view:
        assert len(view.definitions("alpha")) == 2
        assert [doc.path for doc, _ in view.texts()] == ["a.py", "copy/a.py", "other.txt"]
    assert snapshot.reads == [oid_of(A)]


def test_the_root_reads_only_what_a_folder_left(path):
    build(MemorySnapshot(FILES, prefix="docs/"), path, options())
    root = MemorySnapshot(FILES)
    build(root, path, options())
    assert sorted(root.reads) == sorted([oid_of(A), oid_of(B)])
    assert {row.prefix for row in indexed_revisions(path)} == {"", "docs/"}


def test_paths_that_a_rule_skips_are_listed_and_never_read(path):
    big = b"x = 1\n" * 400_000
    snapshot = MemorySnapshot(
        {**FILES, "node_modules/left.js": b"module.exports = 1\n", "big.py": big},
        extra=(
            TreeEntry("link", "1" * 40, 9, "symlink"),
            TreeEntry("libs/sub", "2" * 40, 0, "submodule"),
        ),
    )
    with view_of(snapshot, path) as view:
        skips = {doc.path: doc.skip for doc in view.documents() if doc.skip}
        assert set(skips) == {"big.py", "node_modules/left.js", "link", "libs/sub"}
        assert sum(view.skipped().values()) == 4
    assert len(snapshot.reads) == 3


def test_a_blob_that_stays_missing_stops_no_later_build(path):
    lost = frozenset({oid_of(A)})
    build(MemorySnapshot(FILES, lost=lost), path, options())
    for more in ({"new.py": b"x = 1\n"}, {"other.py": A}):
        files = {**FILES, **more}
        with view_of(MemorySnapshot(files, lost=lost), path) as view:
            assert view.document("a.py").skip == "missing object"
            assert len(view.documents()) == len(files)


def test_a_blob_that_is_missing_is_named_and_tried_again_later(path):
    broken = MemorySnapshot(FILES, lost=frozenset({oid_of(A)}))
    with view_of(broken, path) as view:
        assert view.document("a.py").skip == "missing object"
        assert view.skipped() == {"missing object": 1}
        assert view.definitions("beta")
    whole = MemorySnapshot({**FILES, "c.md": b"# C\n"})
    with view_of(whole, path) as view:
        assert view.document("a.py").skip == ""
        assert view.definitions("alpha")


def test_a_file_that_the_parser_chokes_on_is_named_and_the_others_go_on(path, monkeypatch):
    real = prepare_module.parse

    def choking(name, text):
        if name == "a.py":
            raise RecursionError
        return real(name, text)

    monkeypatch.setattr(prepare_module, "parse", choking)
    with view_of(MemorySnapshot(FILES), path) as view:
        assert view.document("a.py").skip == "failed: RecursionError"
        assert view.skipped() == {"failed": 1}
        assert view.definitions("beta")


def test_progress_counts_files_up_to_the_total(path):
    said = []
    files = {f"f{at}.py": b"x = %d\n" % at for at in range(20)} | {"logo.png": b"\0"}
    build(MemorySnapshot(files), path, options(), said.append)
    counted = [each for each in said if each.phase == "indexing"]
    assert [each.done for each in counted] == sorted(each.done for each in counted)
    assert {each.total for each in counted} == {21}
    assert said[-1].phase == "finishing"


def test_an_interruption_keeps_what_was_committed_and_the_next_build_goes_on(path):
    files = {f"f{at:02}.py": b"def f%d():\n    pass\n" % at for at in range(20)}
    snapshot = MemorySnapshot(files)

    def stop(progress):
        if progress.done == 15:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(snapshot, path, options(max_chunks=4), stop)
    assert indexed_revisions(path) == []
    again = MemorySnapshot(files)
    with view_of(again, path, max_chunks=4) as view:
        assert 5 <= len(again.reads) < 10
        with view_of(snapshot, path.with_name("fresh.db")) as fresh:
            assert describe(view) == describe(fresh)


@pytest.mark.parametrize("part", ["TOKENISER", "CHUNKER", "FORMAT"])
def test_a_changed_part_of_the_program_builds_anew_and_says_so_once(path, monkeypatch, part):
    snapshot = MemorySnapshot(FILES)
    build(snapshot, path, options())
    monkeypatch.setattr(fingerprint_module, part, "changed")
    said = []
    report = build(snapshot, path, options(), said.append)
    [line] = [each.message for each in said if each.phase == "rebuilding"]
    assert part.lower() in line
    assert report.added == 3
    assert len(generations(path)) == 1
    open_view(path, snapshot.source, snapshot.revision).close()


def test_changed_skip_rules_build_anew(path):
    snapshot = MemorySnapshot(FILES)
    build(snapshot, path, options())
    report = build(snapshot, path, options(rules=SkipRules(max_bytes=20)))
    assert report.files < 3
    assert len(generations(path)) == 1


def test_who_has_the_old_generation_open_keeps_reading_it(path):
    snapshot = MemorySnapshot(FILES)
    with view_of(snapshot, path) as view:
        before = describe(view)
        build(snapshot, path, options(rules=SkipRules(max_bytes=20)))
        assert describe(view) == before


def test_generations_are_ordered_by_number_not_by_name(tmp_path):
    path = tmp_path / "source-1.db"
    for name in ("source-1.db", "source-1.9.db", "source-1.10.db", "source-12.db", "source-1.x.db"):
        (tmp_path / name).touch()
    assert [file.name for file in generations(path)] == [
        "source-1.10.db",
        "source-1.9.db",
        "source-1.db",
    ]
    assert build_module.following(path).name == "source-1.11.db"


def test_a_path_that_holds_a_secret_is_listed_without_it_and_never_read(path):
    key = "AKIA" + "QWERTYUIOPASDF23"
    snapshot = MemorySnapshot({**FILES, f"keys/{key}.py": B, f"keys/{key}.md": B})
    with view_of(snapshot, path) as view:
        assert key not in str(view.documents())
        assert view.skipped() == {"secret in its name": 2}
    stored = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert key.encode() not in stored


def test_a_file_that_became_a_link_of_the_same_content_is_judged_again(path):
    link = TreeEntry("a.py", oid_of(A), len(A), "symlink")
    with view_of(MemorySnapshot({"b.py": B}, extra=(link,)), path) as view:
        assert view.document("a.py").skip == "symlink"
    with view_of(MemorySnapshot({"a.py": A, "b.py": B}), path) as view:
        assert view.document("a.py").skip == ""
        assert view.definitions("alpha")
    again = MemorySnapshot({"b.py": B, "c.py": A}, extra=(link,))
    with view_of(again, path) as view:
        assert view.document("a.py").skip == "symlink"


def test_more_skipped_paths_than_one_transaction_holds_are_all_listed(path, monkeypatch):
    monkeypatch.setattr(segment_module, "MAX_DOCS", 7)
    files = {f"node_modules/m{at}.js": b"x = %d\n" % at for at in range(20)} | FILES
    with view_of(MemorySnapshot(files), path) as view:
        assert len(view.documents()) == 23
        assert sum(view.skipped().values()) == 20


def test_an_unchanged_path_is_not_judged_again(path, monkeypatch):
    build(MemorySnapshot(FILES), path, options())
    judged = []
    real = plan_module.skip_path
    monkeypatch.setattr(plan_module, "skip_path", lambda e, r: judged.append(e.path) or real(e, r))
    build(MemorySnapshot({**FILES, "a.py": B}), path, options())
    assert judged == ["a.py"]


def test_a_work_tree_with_uncommitted_changes_is_indexed_as_it_is(git_repo, tmp_path, path):
    repo = git_repo({"src/a.py": A, "src/b.py": B, "README.md": "# Read\n\nme\n"})
    source = locate(str(repo.path), cwd=tmp_path)
    with view_of(sync(source, tmp_path / "data"), path) as view:
        assert [doc.path for doc in view.documents()] == ["README.md", "src/a.py", "src/b.py"]
        clean = describe(view)
    repo.write("src/a.py", A + b"\n\ndef added():\n    pass\n")
    repo.remove("src/b.py")
    snapshot = sync(source, tmp_path / "data")
    report = build(snapshot, path, options())
    assert (report.added, report.files) == (1, 2)
    with open_view(path, source, snapshot.revision) as view:
        assert [row.line for row in view.definitions("added")] == [5]
        assert not view.definitions("beta")
    repo.git("checkout", "-q", "--", ".")
    with view_of(sync(source, tmp_path / "data"), path) as view:
        assert describe(view) == clean


@pytest.mark.skipif(os.name != "posix", reason="permissions as on POSIX")
def test_a_folder_where_nothing_may_be_written_is_one_clear_error(tmp_path):
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o555)
    mine = os.geteuid()
    try:
        if mine == 0:
            os.seteuid(65_534)  # root may write anywhere: become nobody
        with pytest.raises(IndexFailedError, match="permissions"):
            build(MemorySnapshot(FILES), folder / "i.db", options())
    finally:
        os.seteuid(mine)
        folder.rmdir()


@settings(max_examples=60, deadline=None)
@given(
    data=st.binary(max_size=300) | st.text(max_size=200).map(lambda t: t.encode("utf-16")),
    name=st.sampled_from(["a.py", "b.ts", "README.md", "Makefile", "x.json", "日本.rb", "n"]),
)
def test_preparing_a_blob_never_raises_and_crosses_processes(data, name):
    job = Job(oid_of(data), len(data), (name, f"copy/{name}"), data)
    prepared = pickle.loads(pickle.dumps(prepare(pickle.loads(pickle.dumps(job)), SkipRules())))
    assert [doc.path for doc in prepared.docs] == list(job.paths)
    for doc in prepared.docs:
        assert not doc.skip.startswith("failed")
        assert len(doc.lengths) == 2 * len(FIELDS) * len(doc.parsed.chunks)
    assert prepared == prepare(job, SkipRules())
