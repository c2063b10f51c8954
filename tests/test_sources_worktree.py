from __future__ import annotations

import os
import shutil
import socket
import stat

import pytest

from clew.errors import SourceError
from clew.sources.locate import locate
from clew.sources.sync import pinned, sync


@pytest.fixture
def data(tmp_path):
    return tmp_path / "data"


def at(path, data):
    return sync(locate(str(path), cwd=path), data)


def files(snapshot):
    """Return what a snapshot holds: text by path for files, the kind for the rest."""
    entries = list(snapshot.entries())
    contents = dict(snapshot.read(entry.oid for entry in entries if entry.kind == "file"))
    return {
        entry.path: contents[entry.oid].decode() if entry.kind == "file" else entry.kind
        for entry in entries
    }


def test_a_clean_work_tree_is_its_commit(git_repo, data):
    repo = git_repo({"a.py": "a\n", "d/b.py": "b\n"})
    snapshot = at(repo.path, data)
    head = repo.git("rev-parse", "HEAD")
    revision = snapshot.revision
    assert (revision.id, revision.commit, revision.dirty) == (head, head, False)
    assert revision.tree == repo.git("rev-parse", "HEAD^{tree}")
    assert (revision.branch, revision.stale, revision.notes) == ("main", None, ())
    assert revision.committed_at == 1_767_323_045
    assert revision.synced_at > 0
    assert files(snapshot) == {"a.py": "a\n", "d/b.py": "b\n"}


def test_every_uncommitted_change_counts(git_repo, data):
    repo = git_repo({"edited": "1\n", "deleted": "", "staged": "1\n", "removed": "", "kept": ""})
    head = repo.git("rev-parse", "HEAD")
    repo.write("edited", "2\n")
    repo.remove("deleted")
    repo.write("staged", "2\n")
    repo.git("add", "staged")
    repo.git("rm", "-q", "removed")
    repo.write("untracked", "new\n")
    repo.write("added", "new\n")
    repo.git("add", "added")
    status = repo.git("status", "--porcelain")
    snapshot = at(repo.path, data)
    revision = snapshot.revision
    assert revision.dirty
    assert revision.commit == head
    assert revision.id == f"{head}+dirty.{revision.tree[:12]}"
    assert files(snapshot) == {
        "added": "new\n",
        "edited": "2\n",
        "kept": "",
        "staged": "2\n",
        "untracked": "new\n",
    }
    assert repo.git("status", "--porcelain") == status


def test_a_staged_file_that_was_changed_back_is_what_the_disk_says(git_repo, data):
    repo = git_repo({"a": "1\n"})
    repo.write("a", "2\n")
    repo.git("add", "a")
    repo.write("a", "1\n")
    assert not at(repo.path, data).revision.dirty


def test_ignored_files_are_not_read(git_repo, data, tmp_path):
    repo = git_repo({".gitignore": "*.log\nout/\n", "a": ""})
    repo.write("x.log", "")
    repo.write("out/y", "")
    repo.write(".git/info/exclude", "private\n")
    repo.write("private", "")
    repo.write("node_modules/z/index.js", "")
    assert not at(repo.path, data).revision.dirty


def test_a_tracked_file_is_read_although_it_is_ignored(git_repo, data):
    repo = git_repo({"node_modules/a.js": "1\n", "b.log": "1\n"})
    repo.write(".gitignore", "*.log\n")
    repo.commit()
    repo.write("b.log", "2\n")
    assert files(at(repo.path, data))["b.log"] == "2\n"
    assert "node_modules/a.js" in files(at(repo.path, data))


def test_each_change_is_seen_by_the_next_sync(git_repo, data):
    repo = git_repo({"a": "1\n", "gone": ""})
    first = at(repo.path, data).revision
    repo.write("a", "2\n")
    second = at(repo.path, data).revision
    repo.write("a", "3\n")
    third = at(repo.path, data).revision
    repo.write("a", "1\n")
    assert at(repo.path, data).revision.id == first.id
    assert len({first.id, second.id, third.id}) == 3
    repo.remove("gone")
    sha = repo.commit()
    after = at(repo.path, data)
    assert after.revision.id == sha
    assert list(files(after)) == ["a"]


def test_a_commit_a_switch_and_a_detached_head_are_followed(git_repo, data):
    repo = git_repo({"a": "1\n"})
    first = at(repo.path, data).revision
    repo.git("checkout", "-q", "-b", "release/2.x")
    repo.write("a", "2\n")
    second = repo.commit()
    found = at(repo.path, data).revision
    assert (found.id, found.branch) == (second, "release/2.x")
    repo.git("checkout", "-q", first.id)
    found = at(repo.path, data).revision
    assert (found.id, found.branch) == (first.id, None)


def test_an_earlier_revision_stays_readable_after_history_is_rewritten(git_repo, data):
    repo = git_repo({"a": "1\n"})
    source = locate(str(repo.path), cwd=repo.path)
    clean = sync(source, data).revision
    repo.write("a", "dirty\n")
    dirty = sync(source, data).revision
    repo.git("add", "-A")
    repo.git("commit", "-q", "--amend", "-m", "again")
    new = sync(source, data).revision
    repo.git("--git-dir", str(next((data / "git").iterdir())), "gc", "-q", "--prune=now")
    for revision, text in ((clean, "1\n"), (dirty, "dirty\n"), (new, "dirty\n")):
        again = pinned(source, revision.id, data)
        assert files(again) == {"a": text}
        assert again.revision.tree == revision.tree
        assert again.revision.commit == revision.commit
        assert again.revision.committed_at == revision.committed_at
        assert again.revision.dirty == revision.dirty
    assert sync(source, data).revision.id == new.id


def test_a_bound_folder_lists_only_itself(git_repo, data):
    repo = git_repo({"src/a": "", "src2/b": "", "c": ""})
    repo.write("src/new", "")
    snapshot = at(repo.path / "src", data)
    assert list(files(snapshot)) == ["src/a", "src/new"]
    assert list(files(at(repo.path, data))) == ["c", "src/a", "src/new", "src2/b"]
    assert len(list((data / "git").iterdir())) == 1


def test_a_bound_folder_with_a_pattern_for_a_name_is_taken_literally(git_repo, data):
    repo = git_repo({"[a]*/x": "", "a/y": ""})
    assert list(files(at(repo.path / "[a]*", data))) == ["[a]*/x"]


def test_a_linked_work_tree_reads_its_own_files(git_repo, data, tmp_path):
    repo = git_repo({"a": "1\n"})
    repo.git("worktree", "add", "-q", str(tmp_path / "linked"), "-b", "side")
    (tmp_path / "linked" / "a").write_text("2\n")
    snapshot = at(tmp_path / "linked", data)
    assert (snapshot.revision.branch, snapshot.revision.dirty) == ("side", True)
    assert files(snapshot) == {"a": "2\n"}
    assert not at(repo.path, data).revision.dirty


def test_a_shallow_clone_is_read_and_followed(git_repo, data, tmp_path):
    repo = git_repo({"a": "1\n"})
    repo.write("a", "2\n")
    repo.commit()
    repo.git("clone", "-q", "--depth=1", repo.path.as_uri(), str(tmp_path / "shallow"))
    assert files(at(tmp_path / "shallow", data)) == {"a": "2\n"}
    repo.write("a", "3\n")
    sha = repo.commit()
    repo.git("-C", str(tmp_path / "shallow"), "pull", "-q")
    assert at(tmp_path / "shallow", data).revision.id == sha


def test_a_sparse_checkout_is_clean(git_repo, data, tmp_path):
    repo = git_repo({"in/a": "1\n", "out/b": "1\n", "c": "\n"})
    repo.git("sparse-checkout", "set", "in")
    assert not (repo.path / "out").exists()
    snapshot = at(repo.path, data)
    assert not snapshot.revision.dirty
    assert list(files(snapshot)) == ["c", "in/a", "out/b"]
    repo.write("in/a", "2\n")
    changed = files(at(repo.path, data))
    assert changed == {"c": "\n", "in/a": "2\n", "out/b": "1\n"}


def test_objects_borrowed_from_another_repository_are_copied(git_repo, data, tmp_path):
    repo = git_repo({"a": "1\n"})
    repo.git("clone", "-q", "--shared", ".", str(tmp_path / "borrower"))
    source = locate("borrower", cwd=tmp_path)
    sync(source, data)
    mirror = next((data / "git").iterdir())
    assert not (mirror / "objects" / "info" / "alternates").exists()


def test_submodules_and_inner_repositories_are_named_and_not_entered(git_repo, data):
    inner = git_repo({"x": ""}, name="inner")
    repo = git_repo({"a": "1\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner.path), "sub")
    repo.commit()
    assert files(at(repo.path, data))["sub"] == "submodule"
    repo.write("sub/x", "changed\n")
    assert not at(repo.path, data).revision.dirty
    repo.git("clone", "-q", str(inner.path), "unknown")
    repo.git("init", "-q", "empty")
    repo.write("empty/y", "")
    repo.write("b", "\n")
    snapshot = at(repo.path, data)
    assert files(snapshot)["unknown"] == "submodule"
    assert "b" in files(snapshot)
    notes = " ".join(snapshot.revision.notes)
    assert "unknown" in notes
    assert "empty" in notes
    assert at(repo.path, data).revision.id == snapshot.revision.id


def test_sockets_pipes_and_odd_links_break_nothing(git_repo, data, tmp_path, monkeypatch):
    repo = git_repo({"a": "1\n"})
    os.mkfifo(repo.path / "pipe")
    (repo.path / "out").symlink_to("/etc/passwd")
    (repo.path / "loop").symlink_to("loop")
    (repo.path / "gone").symlink_to("nowhere")
    monkeypatch.chdir(repo.path)  # the name of a socket is at most about 100 bytes long
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("sock")
        found = files(at(repo.path, data))
    assert found == {"a": "1\n", "gone": "symlink", "loop": "symlink", "out": "symlink"}


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser reads everything")
def test_an_unreadable_file_is_named_and_left_out(git_repo, data):
    repo = git_repo({"a": "1\n"})
    repo.write("secret", "").chmod(0)
    snapshot = at(repo.path, data)
    assert list(files(snapshot)) == ["a"]
    assert "secret" in snapshot.revision.notes[0]


def test_a_large_file_that_is_not_committed_is_named_and_left_out(git_repo, data):
    repo = git_repo({"a": "1\n"})
    for name in ("disk.img", "a"):
        with (repo.path / name).open("wb") as file:
            file.truncate(65 << 20)
    snapshot = at(repo.path, data)
    assert files(snapshot) == {"a": "1\n"}
    assert "disk.img" in snapshot.revision.notes[0]


def test_files_that_became_something_else_are_followed(git_repo, data):
    repo = git_repo({"file": "1\n", "folder/x": "1\n", "pipe": "1\n", "link": "1\n"})
    for name in ("file", "folder/x", "pipe", "link"):
        repo.remove(name)
    (repo.path / "folder").rmdir()
    repo.write("file/y", "2\n")
    repo.write("folder", "2\n")
    os.mkfifo(repo.path / "pipe")
    (repo.path / "link").symlink_to("file")
    expected = {"file/y": "2\n", "folder": "2\n", "link": "symlink"}
    assert files(at(repo.path, data)) == expected
    assert files(at(repo.path, data)) == expected


def test_what_git_refuses_costs_only_itself(git_repo, data):
    repo = git_repo({"a": "1\n"})
    for n in range(9):
        repo.write(f"d{n}/x", f"{n}\n")
    for n in (1, 4):
        repo.git("init", "-q", f"e{n}")
    repo.write("git~1/x", "a name that other systems take for .git\n")
    snapshot = at(repo.path, data)
    assert len(files(snapshot)) == 10
    assert all(name in snapshot.revision.notes[0] for name in ("e1", "e4", "git~1/x"))


def test_names_that_are_not_utf8_or_differ_by_case_are_all_listed(git_repo, data):
    repo = git_repo({"README": "1\n", "readme": "2\n"})
    (repo.path / os.fsdecode(b"caf\xe9.py")).write_bytes(b"3\n")
    repo.write("näme\n.py", "4\n")
    assert files(at(repo.path, data)) == {
        "README": "1\n",
        r"caf\xe9.py": "3\n",
        r"näme\x0a.py": "4\n",
        "readme": "2\n",
    }


def test_line_end_settings_of_the_repository_are_honoured(git_repo, data):
    repo = git_repo({"a": "1\n"})
    repo.git("config", "core.autocrlf", "true")
    repo.write("a", "1\r\n")
    assert not at(repo.path, data).revision.dirty


def test_a_work_tree_without_commits_says_so(git_repo, data):
    repo = git_repo()
    repo.write("a", "")
    with pytest.raises(SourceError, match="has no commits; ") as caught:
        at(repo.path, data)
    assert caught.value.exit_code == 3


def test_a_work_tree_that_went_away_says_so(git_repo, data):
    repo = git_repo({"a": ""})
    source = locate(str(repo.path), cwd=repo.path)
    sync(source, data)
    repo.path.rename(repo.path.with_name("elsewhere"))
    with pytest.raises(SourceError):
        sync(source, data)


def test_nothing_that_a_repository_configures_is_started(git_repo, data, tmp_path):
    witness = tmp_path / "started"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho $0 >> {witness}\ncat\n")
    program.chmod(0o755)
    inner = git_repo({"x": "1\n", ".gitattributes": "* filter=evil\n"}, name="inner")
    repo = git_repo({"a.txt": "1\n", "b.txt": "1\n", ".gitattributes": "* diff=evil\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner.path), "sub")
    repo.write(".gitattributes", "*.txt filter=evil diff=evil merge=evil\n")
    repo.commit()
    for where in (repo, inner):
        for key in (
            *("core.fsmonitor", "core.sshCommand", "core.askPass", "core.editor", "core.pager"),
            *("filter.evil.clean", "filter.evil.smudge", "filter.evil.process"),
            *("diff.evil.textconv", "diff.external", "diff.evil.command", "gpg.program"),
            *("uploadpack.packObjectsHook", "core.alternateRefsCommand", "credential.helper"),
            *("remote.origin.uploadpack", "core.gitProxy", "alias.rev-parse", "alias.add"),
        ):
            where.git("config", key, str(program))
        where.git("config", "filter.evil.required", "true")
        where.git("config", "log.showSignature", "true")
    git_sub = repo.path / ".git" / "modules" / "sub"
    (git_sub / "config").write_text(
        (git_sub / "config").read_text() + (inner.path / ".git" / "config").read_text()
    )
    for folder in (repo.path / ".git" / "hooks", git_sub / "hooks"):
        folder.mkdir(exist_ok=True)
        for hook in ("post-index-change", "reference-transaction", "pre-commit", "post-checkout"):
            (folder / hook).write_bytes(program.read_bytes())
            (folder / hook).chmod(0o755)
    repo.git("clone", "-q", str(inner.path), "unknown")
    shutil.copy(inner.path / ".git" / "config", repo.path / "unknown" / ".git" / "config")
    source = locate(str(repo.path), cwd=repo.path)
    sync(source, data)
    repo.write("a.txt", "changed\n")
    repo.write("c.txt", "new\n")
    repo.write("unknown/x", "changed\n")
    repo.write("sub/x", "changed\n")
    os.utime(repo.path / "b.txt")
    snapshot = sync(source, data)
    assert files(snapshot)["c.txt"] == "new\n"
    bare = locate(str(repo.path / ".git"), cwd=repo.path)
    files(sync(bare, data))
    repo.path.joinpath("sub", "folder").mkdir()
    locate(str(repo.path / "sub" / "folder"), cwd=repo.path)
    assert not witness.exists(), witness.read_text()


def test_the_surrounding_git_environment_is_dropped(git_repo, data, monkeypatch):
    other = git_repo({"other": ""})
    repo = git_repo({"a": ""})
    monkeypatch.setenv("GIT_DIR", str(other.path / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.path))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other.path / ".git" / "index"))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", "/nowhere")
    assert list(files(at(repo.path, data))) == ["a"]


def test_the_data_folder_is_its_owners_alone(git_repo, data):
    repo = git_repo({"a": ""})
    at(repo.path, data)
    for folder in (data, data / "git", data / "locks"):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_data_folder_inside_the_work_tree_is_never_read(git_repo):
    repo = git_repo({"a": ""})
    inside = repo.path / ".my data"
    for _ in range(2):
        assert not at(repo.path, inside).revision.dirty


def test_a_damaged_index_of_ours_is_made_anew(git_repo, data):
    repo = git_repo({"a": "1\n"})
    at(repo.path, data)
    index = next((data / "git").glob("*/clew-index"))
    index.write_bytes(b"not an index")
    repo.write("a", "2\n")
    assert files(at(repo.path, data)) == {"a": "2\n"}


def test_a_damaged_index_of_theirs_is_done_without(git_repo, data):
    repo = git_repo({"a": "1\n"})
    repo.write(".git/index", b"not an index")
    repo.write("b", "2\n")
    assert files(at(repo.path, data)) == {"a": "1\n", "b": "2\n"}


def test_a_merge_in_progress_is_read_as_the_files_are(git_repo, data):
    repo = git_repo({"a": "1\n"})
    repo.git("checkout", "-q", "-b", "side")
    repo.write("a", "2\n")
    repo.commit()
    repo.git("checkout", "-q", "main")
    repo.write("a", "3\n")
    repo.commit()
    with pytest.raises(AssertionError):
        repo.git("merge", "-q", "side")
    assert files(at(repo.path, data))["a"].startswith("<<<<<<<")


def test_a_plain_folder_is_known_by_its_contents(tmp_path, data):
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / ".gitignore").write_text("*.log\n")
    (folder / "a.md").write_text("one\n")
    (folder / "x.log").write_text("")
    (folder / "node_modules").mkdir()
    (folder / "node_modules" / "b.js").write_text("")
    source = locate("notes", cwd=tmp_path)
    snapshot = sync(source, data)
    revision = snapshot.revision
    assert (revision.id, revision.commit, revision.dirty) == (revision.tree, None, False)
    assert files(snapshot) == {".gitignore": "*.log\n", "a.md": "one\n"}
    (folder / "a.md").write_text("two\n")
    assert files(sync(source, data))["a.md"] == "two\n"
    assert files(pinned(source, revision.id, data))["a.md"] == "one\n"
    (folder / "a.md").write_text("one\n")
    assert sync(source, data).revision.id == revision.id


def test_an_empty_folder_has_no_entries(tmp_path, data):
    (tmp_path / "none").mkdir()
    assert files(at(tmp_path / "none", data)) == {}


def test_repositories_inside_a_plain_folder_are_named(git_repo, data, tmp_path):
    git_repo({"a": ""}, name="one")
    (tmp_path / "repos" / "notes.md").write_text("n\n")
    source = locate("repos", cwd=tmp_path)
    snapshot = sync(source, data)
    assert files(snapshot) == {"notes.md": "n\n", "one": "submodule"}
    assert "one" in snapshot.revision.notes[0]
