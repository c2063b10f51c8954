"""Which commit a branch, tag, SHA, date or `HEAD~2` means, and what sync then pins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clew.errors import InputError, NotFoundError
from clew.sources.locate import locate
from clew.sources.sync import pinned, sync
from support.githttp import git_server

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from clew.sources.base import Snapshot
    from support.gitrepo import GitRepo


def at(repo: GitRepo | str, name: str, tmp_path: Path) -> Snapshot:
    spec = repo if isinstance(repo, str) else str(repo.path)
    return sync(locate(spec, cwd=tmp_path), tmp_path / "data", at=name)


@pytest.fixture
def repo(git_repo: Callable[..., GitRepo]) -> GitRepo:
    made = git_repo({"a.py": "one = 1\n"}, name="shop")
    for day, text in ((10, "two"), (20, "three")):
        made.env["GIT_COMMITTER_DATE"] = f"2026-01-{day}T12:00:00Z"
        made.write("a.py", f"{text} = 1\n")
        made.commit(text)
        if text == "two":
            made.git("tag", "-a", "v1.0", "-m", "one")
            made.git("branch", "release/2.x")
    return made


@pytest.mark.parametrize(
    ("name", "subject", "label", "branch"),
    [
        ("v1.0", "two", "tag v1.0", None),
        ("tags/v1.0", "two", "tag v1.0", None),
        ("refs/tags/v1.0", "two", "tag v1.0", None),
        ("release/2.x", "two", "branch release/2.x", "release/2.x"),
        ("heads/release/2.x", "two", "branch release/2.x", "release/2.x"),
        ("main", "three", "branch main", "main"),
        ("HEAD", "three", "the head", "main"),
        ("HEAD~2", "first", "at HEAD~2", None),
        ("v1.0^", "first", "at v1.0^", None),
        ("2026-01-10", "two", "the last commit up to 2026-01-10", "main"),
        ("2026-01-19", "two", "the last commit up to 2026-01-19", "main"),
        ("2030-01-01", "three", "the last commit up to 2030-01-01", "main"),
    ],
)
def test_a_name_means_its_commit(
    repo: GitRepo, tmp_path: Path, name: str, subject: str, label: str, branch: str | None
) -> None:
    revision = at(repo, name, tmp_path).revision
    assert repo.git("log", "-1", "--format=%s", revision.commit or "") == subject
    assert (revision.at, revision.branch, revision.dirty) == (label, branch, False)
    assert pinned(locate(str(repo.path), cwd=tmp_path), revision.id, tmp_path / "data")


def test_a_sha_may_be_short_and_in_capitals(repo: GitRepo, tmp_path: Path) -> None:
    full = repo.git("rev-parse", "v1.0^{commit}")
    for name in (full, full[:7], full[:7].upper(), full[:4]):
        assert at(repo, name, tmp_path).revision.commit == full


def test_uncommitted_changes_are_never_mixed_in(repo: GitRepo, tmp_path: Path) -> None:
    repo.write("new.py", "new = 1\n")
    for name in ("HEAD", "main", repo.git("rev-parse", "HEAD")):
        snapshot = at(repo, name, tmp_path)
        assert not snapshot.revision.dirty
        assert [entry.path for entry in snapshot.entries()] == ["a.py"]
    assert sync(locate(str(repo.path), cwd=tmp_path), tmp_path / "data").revision.dirty


def test_a_branch_made_or_moved_after_the_first_sync_is_found(
    repo: GitRepo, tmp_path: Path
) -> None:
    at(repo, "main", tmp_path)
    repo.git("branch", "late", "v1.0^")
    repo.git("branch", "-f", "release/2.x", "main")
    assert at(repo, "late", tmp_path).revision.commit == repo.git("rev-parse", "late")
    assert at(repo, "release/2.x", tmp_path).revision.commit == repo.git("rev-parse", "main")
    repo.git("branch", "-D", "late")
    with pytest.raises(NotFoundError):
        at(repo, "late", tmp_path)


def test_a_branch_that_only_the_remote_has_is_found_in_a_clone(
    repo: GitRepo, tmp_path: Path
) -> None:
    clone = tmp_path / "clone"
    repo.git("clone", "-q", str(repo.path), str(clone))
    for name in ("release/2.x", "origin/release/2.x"):
        assert at(str(clone), name, tmp_path).revision.branch == "release/2.x"


def test_a_new_branch_of_a_remote_is_fetched_though_the_head_stays(
    git_repo: Callable[..., GitRepo], tmp_path: Path, repo: GitRepo
) -> None:
    bare = git_repo(name="bare", bare=True)
    repo.git("push", "-q", str(bare.path), "main", "v1.0")
    with git_server(bare.path.parent) as server:
        source = locate(f"{server.url}/bare", cwd=tmp_path, allow_private=True)
        data = tmp_path / "data"
        sync(source, data)
        repo.git("push", "-q", str(bare.path), "release/2.x")
        assert sync(source, data, at="release/2.x").revision.branch == "release/2.x"
    stale = sync(source, data, at="v1.0").revision
    assert stale.at == "tag v1.0"
    assert stale.stale
    with pytest.raises(NotFoundError, match="Newer ones are not known: could not refresh"):
        sync(source, data, at="newer")


def test_what_is_not_there_is_answered_with_the_nearest(repo: GitRepo, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r'"v1.1"; did you mean v1\.0'):
        at(repo, "v1.1", tmp_path)
    with pytest.raises(NotFoundError, match=r"did you mean release/2\.x"):
        at(repo, "release/2", tmp_path)
    with pytest.raises(NotFoundError, match="no commit up to 2020-01-01"):
        at(repo, "2020-01-01", tmp_path)
    with pytest.raises(NotFoundError, match="goes back further"):
        at(repo, "HEAD~9", tmp_path)
    with pytest.raises(NotFoundError):
        at(repo, "0" * 40, tmp_path)


@pytest.mark.parametrize(
    "name",
    [
        "-n1",
        "--output=x",
        "a..b",
        "HEAD@{1}",
        "@{upstream}",
        ":/fix",
        "HEAD:a.py",
        "a b",
        " ",
        "x" * 300,
        "v1.0^{/x}",
        "a*",
        "a\x00b",
        "a\nb",
        "a\\b",
        "2026-02-31",
    ],
)
def test_what_can_be_no_revision_is_refused(repo: GitRepo, tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError):
        at(repo, name, tmp_path)


def test_refs_of_our_own_and_of_git_itself_are_no_names(repo: GitRepo, tmp_path: Path) -> None:
    at(repo, "main", tmp_path)
    for name in ("refs/clew/head", "clew/head", "FETCH_HEAD", "ORIG_HEAD", "refs/stash"):
        with pytest.raises(NotFoundError):
            at(repo, name, tmp_path)


def test_a_tag_and_a_branch_of_one_name_are_told(repo: GitRepo, tmp_path: Path) -> None:
    repo.git("tag", "both", "v1.0^{commit}")
    repo.git("branch", "both", "main")
    revision = at(repo, "both", tmp_path).revision
    assert revision.at == "tag both"
    assert revision.notes == ("both is a tag and a branch; the tag was read.",)


def test_a_plain_folder_has_no_revisions_to_name(tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "a.py").write_text("x = 1\n")
    with pytest.raises(InputError, match="plain folder"):
        at(str(folder), "main", tmp_path)
