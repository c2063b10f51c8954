"""Repositories that hold less, or more, than a plain clone: each is read for what it is."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from clew.errors import NotFoundError, SourceError
from clew.sources.locate import locate
from clew.sources.mirror import Mirror
from clew.sources.prune import collect
from clew.sources.sync import sync
from support.githttp import git_server

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from clew.sources.base import Snapshot
    from clew.types import Source
    from support.gitrepo import GitRepo


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def upstream(git_repo: Callable[..., GitRepo]) -> GitRepo:
    """A repository with two commits that may be cloned in part."""
    repo = git_repo({"a.py": "one\n", "deep/b.py": "b1\n"}, name="upstream")
    repo.write("a.py", "two\n")
    repo.commit("second")
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.git("config", "uploadpack.allowAnySHA1InWant", "true")
    return repo


def source_at(path: Path) -> Source:
    return locate(str(path), cwd=path)


def read(snapshot: Snapshot) -> dict[str, str | None]:
    """Text by path, the kind of what is no file, None for what is missing."""
    entries = list(snapshot.entries())
    found = dict(snapshot.read(entry.oid for entry in entries if entry.kind == "file"))
    texts = {oid: data.decode() if data is not None else None for oid, data in found.items()}
    return {e.path: texts[e.oid] if e.kind == "file" else e.kind for e in entries}


def cloned(upstream: GitRepo, path: Path, *options: str) -> Path:
    upstream.git("clone", "-q", *options, upstream.path.as_uri(), str(path))
    return path


def change(upstream: GitRepo, clone: Path, path: str, text: str) -> str:
    """Commit upstream and pull."""
    upstream.write(path, text)
    sha = upstream.commit()
    upstream.git("-C", str(clone), "pull", "-q")
    return sha


# --- partial clones --------------------------------------------------------------------------


def test_a_partial_clone_is_read_and_what_it_lacks_is_missing(
    upstream: GitRepo, tmp_path: Path, data: Path
) -> None:
    clone = cloned(upstream, tmp_path / "part", "--filter=blob:none", "--sparse")
    upstream.path.rename(tmp_path / "away")  # nothing can be fetched from it
    snapshot = sync(source_at(clone), data)
    assert not snapshot.revision.dirty
    assert read(snapshot) == {"a.py": "two\n", "deep/b.py": None}
    older = sync(source_at(clone), data, at="HEAD~1")
    assert read(older) == {"a.py": None, "deep/b.py": None}


def test_no_missing_object_is_ever_fetched(upstream: GitRepo, tmp_path: Path, data: Path) -> None:
    clone = cloned(upstream, tmp_path / "part", "--filter=blob:none", "--sparse")
    witness = tmp_path / "asked"
    program = tmp_path / "upload-pack"
    program.write_text(f'#!/bin/sh\ntouch {witness}\nexec git-upload-pack "$@"\n')
    program.chmod(0o755)
    upstream.git("-C", str(clone), "config", "remote.origin.uploadpack", str(program))
    for at in ("", "HEAD~1", "main"):
        read(sync(source_at(clone), data, at=at))
    change(upstream, clone, "deep/b.py", "b2\n")
    witness.unlink()  # the pull's own
    read(sync(source_at(clone), data, at="main"))
    assert not witness.exists()


def test_a_partial_clone_is_followed_although_its_git_could_not_send_it(
    upstream: GitRepo, tmp_path: Path, data: Path
) -> None:
    clone = cloned(upstream, tmp_path / "part", "--filter=blob:none", "--sparse")
    source = source_at(clone)
    sync(source, data)
    upstream.write("deep/b.py", "b2\n")
    sha = change(upstream, clone, "a.py", "three\n")
    snapshot = sync(source, data)
    assert (snapshot.revision.id, snapshot.revision.stale) == (sha, None)
    assert read(snapshot) == {"a.py": "three\n", "deep/b.py": None}
    upstream.git("-C", str(clone), "branch", "late", "HEAD~1")
    assert sync(source, data, at="late").revision.branch == "late"
    upstream.git("-C", str(clone), "branch", "-D", "late")
    upstream.git("-C", str(clone), "branch", "late/er", "HEAD~1")
    assert sync(source, data, at="late/er").revision.branch == "late/er"
    with pytest.raises(NotFoundError):
        sync(source, data, at="late")


def test_a_bare_partial_clone_is_followed_and_tidied(
    upstream: GitRepo, tmp_path: Path, data: Path
) -> None:
    from clew.sources.gitcmd import Deadline

    bare = cloned(upstream, tmp_path / "part.git", "--bare", "--filter=blob:none")
    source = source_at(bare)
    assert read(sync(source, data)) == {"a.py": None, "deep/b.py": None}
    upstream.write("a.py", "three\n")
    sha = upstream.commit()
    upstream.git("--git-dir", str(bare), "fetch", "-q", "origin", "+main:main")
    assert sync(source, data).revision.id == sha
    mirror = Mirror.of(source, data)
    with mirror.held(Deadline(5), "part", print):
        collect(mirror, source.kind, Deadline(30))
    assert sync(source, data).revision.stale is None


@pytest.mark.parametrize("bare", [False, True])
@pytest.mark.parametrize("deep", [1, 2])
def test_a_clone_that_borrows_from_a_partial_one_is_read_and_followed(
    upstream: GitRepo, tmp_path: Path, data: Path, deep: int, bare: bool
) -> None:
    lender = cloned(upstream, tmp_path / "part", "--filter=blob:none", "--sparse")
    options = ("--shared", "--no-checkout", *(("--bare",) if bare else ()))
    for number in range(deep):
        borrower = tmp_path / f"borrower{number}"
        upstream.git("clone", "-q", *options, str(lender), str(borrower))
        lender = borrower
    source = source_at(lender)
    assert read(sync(source, data)) == {"a.py": "two\n", "deep/b.py": None}
    assert read(sync(source, data, at="HEAD~1")) == {"a.py": None, "deep/b.py": None}
    tree = upstream.git("-C", str(lender), "rev-parse", "HEAD^{tree}")
    sha = upstream.git("-C", str(lender), "commit-tree", tree, "-p", "HEAD", "-m", "again")
    upstream.git("-C", str(lender), "update-ref", "refs/heads/main", sha)
    snapshot = sync(source, data)
    assert (snapshot.revision.commit, snapshot.revision.stale) == (sha, None)
    mirror = next((data / "git").glob("*.git"))
    assert not (mirror / "objects" / "info" / "alternates").exists()


def test_a_tree_that_a_partial_clone_lacks_is_told(
    upstream: GitRepo, tmp_path: Path, data: Path
) -> None:
    clone = cloned(upstream, tmp_path / "part", "--filter=tree:0")
    assert read(sync(source_at(clone), data)) == {"a.py": "two\n", "deep/b.py": "b1\n"}
    with pytest.raises(SourceError, match="a partial clone that never fetched them"):
        read(sync(source_at(clone), data, at="HEAD~1"))


def test_a_clone_with_nothing_checked_out_is_read_at_its_head(
    upstream: GitRepo, tmp_path: Path, data: Path
) -> None:
    clone = cloned(upstream, tmp_path / "empty", "--no-checkout")
    snapshot = sync(source_at(clone), data)
    assert snapshot.revision.notes == ("Nothing is checked out in it; its head was read.",)
    assert not snapshot.revision.dirty
    assert read(snapshot) == {"a.py": "two\n", "deep/b.py": "b1\n"}
    upstream.git("-C", str(clone), "checkout", "-q", "main")
    assert sync(source_at(clone), data).revision.notes == ()


# --- shallow clones --------------------------------------------------------------------------


@pytest.mark.parametrize("bare", [False, True])
def test_a_history_that_was_deepened_is_taken(
    upstream: GitRepo, tmp_path: Path, data: Path, bare: bool
) -> None:
    options = ("--depth=1", *(("--bare",) if bare else ()))
    source = source_at(cloned(upstream, tmp_path / "shallow", *options))
    sync(source, data)
    with pytest.raises(NotFoundError, match="shallow"):
        sync(source, data, at="HEAD~1")
    upstream.git("-C", source.location, "fetch", "-q", "--unshallow", upstream.path.as_uri())
    sync(source, data)
    assert read(sync(source, data, at="HEAD~1"))["a.py"] == "one\n"
    assert not (Mirror.of(source, data).path / "shallow").exists()


def test_a_shallow_clone_that_moved_its_bound_is_followed_and_then_left_alone(
    upstream: GitRepo, tmp_path: Path, data: Path
) -> None:
    clone = cloned(upstream, tmp_path / "shallow", "--depth=1")
    source = source_at(clone)
    first = sync(source, data).revision
    upstream.write("a.py", "three\n")
    sha = upstream.commit()
    upstream.git("-C", str(clone), "fetch", "-q", "--depth=1", "origin", "main")
    upstream.git("-C", str(clone), "reset", "-q", "--hard", "FETCH_HEAD")
    assert sync(source, data).revision.id == sha != first.id
    head = Mirror.of(source, data).path / "refs" / "clew" / "head"
    before = head.stat()
    assert sync(source, data).revision.id == sha
    assert head.stat().st_mtime_ns == before.st_mtime_ns


def test_a_shallow_remote_is_read_and_its_older_commits_are_taken_with_the_next(
    upstream: GitRepo, tmp_path: Path, data: Path
) -> None:
    served = cloned(upstream, tmp_path / "served" / "shop.git", "--bare", "--depth=1")
    with git_server(served.parent) as server:
        source = locate(f"{server.url}/shop", cwd=tmp_path, allow_private=True)
        assert read(sync(source, data))["a.py"] == "two\n"
        with pytest.raises(NotFoundError, match="shallow"):
            sync(source, data, at="HEAD~1")
        upstream.git("-C", str(served), "fetch", "-q", "--unshallow", upstream.path.as_uri())
        assert read(sync(source, data, at="HEAD~1"))["a.py"] == "one\n"


# --- what a repository says of itself ----------------------------------------------------------


def test_replaced_and_grafted_commits_are_read_as_they_were_made(
    git_repo: Callable[..., GitRepo], data: Path
) -> None:
    repo = git_repo({"a": "1\n"})
    first = repo.git("rev-parse", "HEAD")
    repo.write("a", "2\n")
    second = repo.commit()
    repo.write("a", "3\n")
    third = repo.commit()
    repo.git("replace", third, first)
    repo.write(".git/info/grafts", f"{third} {first}\n")
    assert read(sync(source_at(repo.path), data)) == {"a": "3\n"}
    assert sync(source_at(repo.path), data, at="HEAD~1").revision.id == second


@pytest.mark.parametrize("ignores", ["true", "false"])
def test_a_file_whose_name_changed_only_in_case_is_read(
    git_repo: Callable[..., GitRepo], data: Path, ignores: str
) -> None:
    repo = git_repo({"Read.py": "1\n"})
    repo.git("config", "core.ignoreCase", ignores)  # as on the disk that it was made on
    (repo.path / "Read.py").rename(repo.path / "read.py")
    assert list(read(sync(source_at(repo.path), data)).values()) == ["1\n"]


def test_line_ends_and_encodings_that_attributes_name_are_honoured(
    git_repo: Callable[..., GitRepo], data: Path
) -> None:
    rules = "*.txt text eol=crlf\n*.raw -text\nwide.txt working-tree-encoding=UTF-16LE-BOM\n"
    repo = git_repo({".gitattributes": rules})
    repo.write("a.txt", "1\r\n2\r\n")
    repo.write("b.raw", "1\r\n")
    repo.write("wide.txt", "\ufeffé\n".encode("utf-16-le"))
    repo.commit()
    clean = sync(source_at(repo.path), data)
    assert not clean.revision.dirty
    repo.write("a.txt", "1\r\n3\r\n")
    repo.write("wide.txt", "\ufeffü\n".encode("utf-16-le"))
    changed = read(sync(source_at(repo.path), data))
    assert (changed["a.txt"], changed["b.raw"], changed["wide.txt"]) == ("1\n3\n", "1\r\n", "ü\n")


@pytest.mark.parametrize("orphan", [False, True])
def test_a_branch_without_commits_is_said(
    git_repo: Callable[..., GitRepo], data: Path, orphan: bool
) -> None:
    repo = git_repo({"a": ""} if orphan else None)
    if orphan:
        repo.git("checkout", "-q", "--orphan", "new")
    with pytest.raises(SourceError, match="it has no commits"):
        sync(source_at(repo.path), data)


def test_a_head_whose_commit_is_not_there_is_not_called_empty(
    upstream: GitRepo, tmp_path: Path, data: Path
) -> None:
    upstream.git("clone", "-q", "--shared", str(upstream.path), str(tmp_path / "borrower"))
    upstream.path.rename(tmp_path / "away")
    with pytest.raises(SourceError, match="the commit of its head is missing"):
        sync(source_at(tmp_path / "borrower"), data)


def test_a_bare_repository_that_borrows_objects_is_copied_whole(
    upstream: GitRepo, tmp_path: Path, data: Path
) -> None:
    upstream.git("clone", "-q", "--bare", "--shared", ".", str(tmp_path / "borrower.git"))
    source = source_at(tmp_path / "borrower.git")
    sync(source, data)
    upstream.path.rename(tmp_path / "away")
    assert read(sync(source, data, at="HEAD~1"))["a.py"] == "one\n"


def test_a_work_tree_whose_git_directory_lies_elsewhere_is_read(
    upstream: GitRepo, tmp_path: Path, data: Path
) -> None:
    clone = cloned(upstream, tmp_path / "far", "--separate-git-dir", str(tmp_path / "git-dir"))
    (clone / "a.py").write_text("three\n")
    snapshot = sync(source_at(clone), data)
    assert snapshot.revision.dirty
    assert read(snapshot)["a.py"] == "three\n"


@pytest.mark.slow
def test_ten_thousand_branches_and_tags_are_no_burden(
    git_repo: Callable[..., GitRepo], tmp_path: Path, data: Path
) -> None:
    repo = git_repo({"a": "1\n"})
    head = repo.git("rev-parse", "HEAD")
    lines = (
        f"create refs/{kind}/n/{n} {head}\n" for kind in ("heads", "tags") for n in range(5000)
    )
    repo.git("update-ref", "--stdin", stdin="".join(lines).encode())
    repo.git("pack-refs", "--all")
    repo.git("clone", "-q", "--mirror", ".", str(tmp_path / "served" / "many.git"))
    with git_server(tmp_path / "served") as server:
        remote = locate(f"{server.url}/many", cwd=tmp_path, allow_private=True)
        for source in (source_at(repo.path), remote):
            sync(source, data)
            assert sync(source, data, at="heads/n/4999").revision.branch == "n/4999"


def _knows_reftable(repo: GitRepo) -> bool:
    numbers = repo.git("version").split()[2].split(".")
    return (int(numbers[0]), int(numbers[1])) >= (2, 45)


def test_branches_kept_in_a_table_are_read(
    git_repo: Callable[..., GitRepo], tmp_path: Path, data: Path
) -> None:
    plain = git_repo({"a": "1\n"})
    if not _knows_reftable(plain):
        pytest.skip("this git is older than 2.45 and keeps branches in files only")
    folder = tmp_path / "table"
    plain.git("clone", "-q", "--ref-format=reftable", ".", str(folder))
    assert read(sync(source_at(folder), data)) == {"a": "1\n"}
    assert sync(source_at(folder), data, at="main").revision.branch == "main"
    (folder / "a").write_text("2\n")
    plain.git("-C", str(folder), "commit", "-qam", "second")
    assert read(sync(source_at(folder), data)) == {"a": "2\n"}


# --- repositories inside repositories ----------------------------------------------------------


@pytest.fixture
def outer(git_repo: Callable[..., GitRepo]) -> GitRepo:
    inner = git_repo({"s.py": "s\n", "d/t.py": "t\n"}, name="inner")
    repo = git_repo({"a.py": "a\n"}, name="outer")
    allowed = ("-c", "protocol.file.allow=always")
    repo.git(*allowed, "submodule", "add", "-q", str(inner.path), "libs/inner")
    repo.commit("add a submodule")
    return repo


def test_a_submodule_can_be_asked_about_by_itself(outer: GitRepo, data: Path) -> None:
    inside = outer.path / "libs" / "inner"
    source = source_at(inside)
    assert (source.kind, source.location) == ("worktree", str(inside))
    assert read(sync(source, data)) == {"d/t.py": "t\n", "s.py": "s\n"}
    (inside / "s.py").write_text("changed\n")
    assert read(sync(source, data))["s.py"] == "changed\n"
    assert list(read(sync(source_at(inside / "d"), data))) == ["d/t.py"]
    assert read(sync(source_at(outer.path), data))["libs/inner"] == "submodule"


def test_a_submodule_that_is_not_checked_out_or_has_no_address_is_only_named(
    outer: GitRepo, tmp_path: Path, data: Path
) -> None:
    outer.git("clone", "-q", ".", str(tmp_path / "clone"))
    clone = tmp_path / "clone"
    (clone / ".gitmodules").write_text('[submodule "x"]\n\tpath = libs/inner\n')
    assert read(sync(source_at(clone), data))["libs/inner"] == "submodule"
    assert read(sync(source_at(clone / "libs" / "inner"), data)) == {"libs/inner": "submodule"}


def test_a_linked_work_tree_of_a_repository_with_submodules_is_read(
    outer: GitRepo, tmp_path: Path, data: Path
) -> None:
    outer.git("worktree", "add", "-q", str(tmp_path / "linked"), "-b", "side")
    snapshot = sync(source_at(tmp_path / "linked"), data)
    assert not snapshot.revision.dirty
    assert read(snapshot)["libs/inner"] == "submodule"


# --- what lies outside of git ------------------------------------------------------------------

POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 9\n"


def test_a_file_that_lfs_holds_is_read_as_its_pointer_and_starts_no_filter(
    git_repo: Callable[..., GitRepo], data: Path, tmp_path: Path
) -> None:
    repo = git_repo({"model.py": POINTER})
    repo.write(".gitattributes", "*.py filter=lfs diff=lfs merge=lfs -text\n")
    repo.commit()
    witness = tmp_path / "started"
    for key in ("clean", "smudge", "process"):
        repo.git("config", f"filter.lfs.{key}", f"touch {witness}")
    repo.write("model.py", "fetched\n")  # as `git lfs pull` leaves it
    os.utime(repo.path / "model.py", (1, 1))
    snapshot = sync(source_at(repo.path), data)
    assert not snapshot.revision.dirty
    assert read(snapshot)["model.py"] == POINTER
    assert not witness.exists()
