from __future__ import annotations

import time
from contextlib import suppress

import pytest

from clew.errors import NotFoundError, SourceError, SourceUnreachableError
from clew.sources.locate import locate
from clew.sources.sync import pinned, sync
from clew.types import Source
from support.githttp import git_server
from test_sources_worktree import files


@pytest.fixture
def data(tmp_path):
    return tmp_path / "data"


@pytest.fixture
def upstream(git_repo, tmp_path):
    """A work tree whose `push` goes to the bare repository `shop.git`."""
    repo = git_repo({"a": "1\n", "gone": "x\n"}, name="upstream")
    bare = tmp_path / "served" / "shop.git"
    repo.git("clone", "-q", "--bare", ".", str(bare))
    repo.git("remote", "add", "origin", str(bare))
    repo.bare = bare
    return repo


@pytest.fixture
def server(upstream):
    with git_server(upstream.bare.parent) as server:
        yield server


@pytest.fixture
def source(upstream, tmp_path):
    return locate(str(upstream.bare), cwd=tmp_path)


def push(repo, *what):
    repo.git("push", "-q", "--force", "origin", *(what or ("main",)))


def in_bare(repo, *args):
    return repo.git(f"--git-dir={repo.bare}", *args)


def test_a_new_head_is_followed_and_deleted_files_stop_being_listed(upstream, source, data):
    first = sync(source, data)
    assert files(first) == {"a": "1\n", "gone": "x\n"}
    assert (first.revision.branch, first.revision.stale) == ("main", None)
    upstream.remove("gone")
    upstream.write("a", "2\n")
    sha = upstream.commit()
    push(upstream)
    second = sync(source, data)
    assert second.revision.id == sha
    assert files(second) == {"a": "2\n"}
    assert files(first) == {"a": "1\n", "gone": "x\n"}


def test_a_forced_push_is_followed_and_takes_nothing_away(upstream, source, data):
    upstream.write("a", "old\n")
    old = upstream.commit()
    push(upstream)
    assert sync(source, data).revision.id == old
    upstream.git("reset", "-q", "--hard", "HEAD~1")
    upstream.write("a", "new\n")
    new = upstream.commit()
    push(upstream)
    in_bare(upstream, "gc", "-q", "--prune=now")
    assert sync(source, data).revision.id == new
    mirror = next((data / "git").iterdir())
    upstream.git(f"--git-dir={mirror}", "gc", "-q", "--prune=now")
    again = pinned(source, old, data)
    assert files(again)["a"] == "old\n"
    assert again.revision.commit == old


def test_a_renamed_default_branch_is_followed(upstream, source, data):
    sync(source, data)
    upstream.git("checkout", "-q", "-b", "trunk")
    sha = upstream.commit()
    push(upstream, "trunk")
    in_bare(upstream, "symbolic-ref", "HEAD", "refs/heads/trunk")
    push(upstream, ":main")
    found = sync(source, data).revision
    assert (found.id, found.branch) == (sha, "trunk")
    mirror = next((data / "git").iterdir())
    assert upstream.git(f"--git-dir={mirror}", "branch") == "  trunk"


def test_a_branch_that_becomes_a_folder_of_branches_is_followed(upstream, source, data):
    push(upstream, "main:refs/heads/fix")
    sync(source, data)
    upstream.write("a", "2\n")
    sha = upstream.commit()
    push(upstream, ":fix")
    push(upstream, "main", "main:refs/heads/fix/one")
    assert sync(source, data).revision.id == sha


def test_a_repository_without_commits_says_so(git_repo, data, tmp_path):
    bare = git_repo(bare=True)
    with pytest.raises(SourceError, match="has no commits"):
        sync(locate(str(bare.path), cwd=tmp_path), data)


def test_a_repository_whose_head_names_nothing_is_read_at_a_branch_that_is_named(
    upstream, source, data
):
    in_bare(upstream, "symbolic-ref", "HEAD", "refs/heads/nothing")
    push(upstream, "main:refs/heads/side", "main:refs/heads/other")
    found = sync(source, data).revision
    assert found.branch == "main"
    assert "main" in found.notes[0]
    in_bare(upstream, "branch", "-D", "main", "other")
    found = sync(source, data).revision
    assert found.branch == "side"
    assert "side" in found.notes[0]


def test_a_detached_head_at_the_remote_is_read(upstream, source, data):
    sha = in_bare(upstream, "rev-parse", "HEAD")
    in_bare(upstream, "update-ref", "--no-deref", "HEAD", sha)
    found = sync(source, data).revision
    assert (found.id, found.branch) == (sha, None)


def test_pull_request_refs_are_never_fetched(upstream, source, data):
    sync(source, data)
    upstream.write("a", "theirs\n")
    theirs = upstream.commit()
    push(upstream, f"{theirs}:refs/pull/7/head")
    upstream.git("reset", "-q", "--hard", "HEAD~1")
    upstream.write("a", "ours\n")
    upstream.commit()
    push(upstream)
    sync(source, data)
    with pytest.raises(NotFoundError):
        pinned(source, theirs, data)


@pytest.mark.parametrize("revision", ["f" * 40, "main", "--help", "../x", ""])
def test_a_revision_that_is_not_kept_is_not_found(upstream, source, data, revision):
    with pytest.raises(NotFoundError):
        pinned(source, revision, data)
    sync(source, data)
    with pytest.raises(NotFoundError):
        pinned(source, revision, data)


def test_a_remote_that_went_away_leaves_the_last_revision(upstream, source, data):
    fresh = sync(source, data).revision
    upstream.bare.rename(upstream.bare.with_name("elsewhere"))
    found = sync(source, data)
    assert found.revision.id == fresh.id
    assert found.revision.stale.startswith("could not refresh: there is no such repository")
    assert found.revision.synced_at == fresh.synced_at
    assert files(found)["a"] == "1\n"
    upstream.bare.with_name("elsewhere").rename(upstream.bare)
    assert sync(source, data).revision.stale is None


# --- over HTTP -------------------------------------------------------------------------------


def over_http(server, tmp_path, name="shop"):
    return locate(f"{server.url}/{name}", cwd=tmp_path, allow_private=True)


def test_a_repository_is_read_over_http(upstream, server, data, tmp_path):
    source = over_http(server, tmp_path)
    told = []
    snapshot = sync(source, data, progress=told.append)
    assert files(snapshot) == {"a": "1\n", "gone": "x\n"}
    assert any("Fetching 127.0.0.1" in line for line in told)
    upstream.write("a", "2\n")
    sha = upstream.commit()
    push(upstream)
    assert sync(source, data).revision.id == sha


def test_nothing_is_fetched_when_the_head_is_known(upstream, server, data, tmp_path):
    source = over_http(server, tmp_path, "shop.git")
    sync(source, data)
    server.seen.clear()
    sync(source, data)
    assert server.seen == [
        "/shop.git/info/refs?service=git-upload-pack",
        "/shop.git/git-upload-pack",
    ]


def test_a_host_that_answers_only_without_the_ending_is_found(upstream, server, data, tmp_path):
    upstream.bare.rename(upstream.bare.with_name("shop"))
    source = over_http(server, tmp_path)
    assert files(sync(source, data))["a"] == "1\n"
    server.seen.clear()
    sync(source, data)
    assert all(path.startswith("/shop/") for path in server.seen)


def test_a_silent_remote_is_given_up_within_the_bound(server, data, tmp_path):
    source = over_http(server, tmp_path)
    fresh = sync(source, data).revision
    server.mood = "hang"
    before = time.monotonic()
    found = sync(source, data, timeout=0.4).revision
    assert time.monotonic() - before < 3
    assert found.id == fresh.id
    assert found.stale == "could not refresh: timed out after 0.4 s"


@pytest.mark.parametrize(
    ("mood", "error"),
    [
        (401, SourceError),
        (403, SourceError),
        (404, SourceError),
        ("redirect", SourceError),
        (429, SourceUnreachableError),
        (503, SourceUnreachableError),
    ],
)
def test_a_refusal_never_asks_and_tells_why(server, data, tmp_path, mood, error):
    source = over_http(server, tmp_path)
    server.mood = mood
    with pytest.raises(error) as caught:
        sync(source, data)
    assert source.name in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "/elsewhere" not in "".join(server.seen)
    server.mood = "well"
    fresh = sync(source, data).revision
    server.mood = mood
    found = sync(source, data).revision
    assert found.id == fresh.id
    assert found.stale.startswith("could not refresh: ")


def test_a_host_that_refuses_connections_is_unreachable(upstream, data, tmp_path):
    with git_server(upstream.bare.parent) as server:
        source = over_http(server, tmp_path)
    with pytest.raises(SourceUnreachableError, match="refuses connections"):
        sync(source, data)


def test_credentials_come_from_gits_own_helper_and_stay_there(
    server, data, tmp_path, monkeypatch, git_repo
):
    secret = "s3" + "cret" * 5
    helper = f"!f() {{ echo username=me; echo password={secret}; }}; f"
    config = tmp_path / "gitconfig"
    git_repo().git("config", "--file", str(config), "credential.helper", helper)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    source = over_http(server, tmp_path)
    sync(source, data)
    server.mood = 401
    found = sync(source, data).revision
    assert found.stale is not None
    assert secret not in found.stale
    for path in data.rglob("*"):
        if path.is_file():
            assert secret.encode() not in path.read_bytes()


def test_an_address_that_reads_like_an_option_is_only_an_address(data, tmp_path):
    witness = tmp_path / "pwned"
    source = Source("x-0123456789", "x", "remote", f"--upload-pack=touch {witness}")
    with suppress(SourceError, SourceUnreachableError):
        sync(source, data)
    helper = Source("y-0123456789", "y", "remote", f"ext::sh -c touch% {witness}")
    with pytest.raises(SourceError):
        sync(helper, data)
    assert not witness.exists()


def test_a_longer_hash_is_understood(git_repo, tmp_path, data, monkeypatch):
    monkeypatch.setenv("GIT_DEFAULT_HASH", "sha256")
    repo = git_repo()
    repo.git("init", "-q", "--object-format=sha256", str(tmp_path / "served" / "new"))
    new = tmp_path / "served" / "new"
    (new / "a").write_text("1\n")
    repo.git("-C", str(new), "add", "-A")
    repo.git("-C", str(new), "commit", "-q", "-m", "first")
    with git_server(tmp_path / "served") as server:
        source = locate(f"{server.url}/new/.git", cwd=tmp_path, allow_private=True)
        snapshot = sync(source, data)
    assert len(snapshot.revision.id) == 64
    assert files(snapshot) == {"a": "1\n"}
    assert files(sync(locate(str(new), cwd=tmp_path), data)) == {"a": "1\n"}
