from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from filelock import FileLock

from clew.errors import BusyError, SourceError
from clew.sources import sync as sync_module
from clew.sources.gitcmd import Deadline, run, run_with_progress
from clew.sources.giterror import GitError, failure
from clew.sources.locate import locate
from clew.sources.mirror import Mirror
from clew.sources.sync import sync
from support.githttp import git_server
from test_sources_worktree import files


@pytest.fixture
def data(tmp_path):
    return tmp_path / "data"


@pytest.fixture
def shop(git_repo, tmp_path):
    repo = git_repo({f"{n}.py": f"{n}\n" for n in range(20)}, name="shop")
    repo.git("clone", "-q", "--bare", ".", str(tmp_path / "served" / "shop.git"))
    return repo


def test_callers_at_the_same_time_share_one_refresh(shop, data, tmp_path):
    with git_server(tmp_path / "served") as server:
        source = locate(f"{server.url}/shop", cwd=tmp_path, allow_private=True)
        sync(source, data)
        server.seen.clear()
        barrier = threading.Barrier(6)

        def ask(_):
            barrier.wait()
            return sync(source, data, timeout=30).revision

        with ThreadPoolExecutor(6) as pool:
            revisions = list(pool.map(ask, range(6)))
    assert {revision.id for revision in revisions} == {shop.git("rev-parse", "HEAD")}
    assert {revision.stale for revision in revisions} == {None}
    refreshes = sum("info/refs" in path for path in server.seen)
    assert 1 <= refreshes < 6


def test_threads_and_processes_can_make_the_first_copy_together(shop, data, tmp_path):
    shop.write("new.py", "new\n")
    source = locate(str(shop.path), cwd=tmp_path)
    program = (
        "import sys; from pathlib import Path; from clew.sources.locate import locate; "
        "from clew.sources.sync import sync; p = Path(sys.argv[1]); "
        "s = sync(locate(str(p), cwd=p), Path(sys.argv[2])); "
        "print(s.revision.id, len(list(s.entries())), s.revision.stale)"
    )
    started = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", program, str(shop.path), str(data)],
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": str(Path(sync_module.__file__).parents[2])},
        )
        for _ in range(2)
    ]
    with ThreadPoolExecutor(3) as pool:
        here = list(pool.map(lambda _: sync(source, data, timeout=30), range(3)))
    there = {process.communicate()[0].strip() for process in started}
    ids = {snapshot.revision.id for snapshot in here}
    assert len(ids) == 1
    assert there == {f"{ids.pop()} 21 None"}


def test_a_caller_who_can_not_wait_gets_the_last_revision(shop, data, tmp_path):
    source = locate(str(tmp_path / "served" / "shop.git"), cwd=tmp_path)
    fresh = sync(source, data).revision
    with FileLock(Mirror.of(source, data).lock):
        found = sync(source, data, timeout=0.1).revision
    assert found.id == fresh.id
    assert found.stale == "could not refresh: another sync of it is still running"


def test_a_first_copy_that_someone_else_is_making_is_waited_for_and_then_busy(shop, data, tmp_path):
    source = locate(str(shop.path), cwd=tmp_path)
    lock = Mirror.of(source, data).lock
    lock.parent.mkdir(parents=True)
    with FileLock(lock), pytest.raises(BusyError):
        sync(source, data, first_timeout=0.1)


def test_what_a_killed_git_left_behind_is_cleared(shop, data, tmp_path):
    source = locate(str(shop.path), cwd=tmp_path)
    sync(source, data)
    mirror = Mirror.of(source, data)
    mirror.lock.with_suffix(".busy").touch()
    for name in ("clew-index.lock", "packed-refs.lock", "refs/heads/main.lock"):
        (mirror.path / name).parent.mkdir(exist_ok=True, parents=True)
        (mirror.path / name).touch()
    shop.write("0.py", "changed\n")
    sha = shop.commit()
    assert sync(source, data).revision.id == sha


def test_a_first_copy_that_was_killed_is_begun_again(shop, data, tmp_path):
    source = locate(str(shop.path), cwd=tmp_path)
    half = data / "git" / f".{source.id}.git.new"
    half.mkdir(parents=True)
    (half / "HEAD").touch()
    assert len(list(sync(source, data).entries())) == 20


def test_lost_notes_of_the_last_sync_are_made_anew(shop, data, tmp_path):
    source = locate(str(shop.path), cwd=tmp_path)
    fresh = sync(source, data).revision
    for text in ("", "[]", "{}", '{"revision": {"id": 1}}', "\0"):
        (Mirror.of(source, data).path / "clew.json").write_text(text)
        assert sync(source, data).revision.id == fresh.id


# --- reading ---------------------------------------------------------------------------------


def loose(repo, oid):
    return repo.path / ".git" / "objects" / oid[:2] / oid[2:]


def test_damaged_and_missing_objects_cost_only_themselves(git_repo, data, tmp_path):
    repo = git_repo({name: f"{name}\n" for name in "abcdefgh"})
    oids = {name: repo.git("rev-parse", f"HEAD:{name}") for name in "abcdefgh"}
    source = locate(str(repo.path / ".git"), cwd=tmp_path)
    sync(source, data)
    objects = Mirror.of(source, data).path / "objects"

    def damage(name, content):
        path = objects / oids[name][:2] / oids[name][2:]
        path.unlink()
        if content is not None:
            path.write_bytes(content)

    damage("b", None)
    damage("d", b"garbage")
    damage("e", b"")
    damage("f", zlib.compress(b"blob 2\0xx")[:-3])
    snapshot = sync(source, data)
    entries = list(snapshot.entries())
    assert [entry.path for entry in entries] == list("abcdefgh")
    found = list(snapshot.read([entry.oid for entry in entries]))
    assert [oid for oid, _ in found] == [entry.oid for entry in entries]
    by_name = {entry.path: data for entry, (_, data) in zip(entries, found, strict=True)}
    whole = {name: f"{name}\n".encode() for name in "acgh"}
    assert by_name == {**whole, **dict.fromkeys("bdef")}


def test_only_blobs_are_read_and_nonsense_is_none(shop, data, tmp_path):
    snapshot = sync(locate(str(shop.path), cwd=tmp_path), data)
    asked = [snapshot.revision.tree, "", "HEAD:0.py", "--help", "0" * 40, "a\nb"]
    assert list(snapshot.read(asked)) == [(oid, None) for oid in asked]


def test_thousands_of_objects_are_read_in_order_and_more_than_once(shop, data, tmp_path):
    shop.write("large.bin", os.urandom(1_000_000))
    shop.commit()
    snapshot = sync(locate(str(shop.path), cwd=tmp_path), data)
    oids = [entry.oid for entry in snapshot.entries()] * 30
    assert [oid for oid, data in snapshot.read(oids) if data is not None] == oids


def test_a_reader_may_stop_early_and_several_may_read_at_once(shop, data, tmp_path):
    snapshot = sync(locate(str(shop.path), cwd=tmp_path), data)
    oids = [entry.oid for entry in snapshot.entries()]
    reader = snapshot.read(oids * 100)
    assert next(reader)[0] == oids[0]
    reader.close()
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: files(snapshot), range(8)))
    assert all(one == found[0] for one in found)


def test_a_tree_that_is_missing_is_an_error(shop, data, tmp_path):
    source = locate(str(shop.path / ".git"), cwd=tmp_path)
    snapshot = sync(source, data)
    tree = snapshot.revision.tree
    (Mirror.of(source, data).path / "objects" / tree[:2] / tree[2:]).unlink()
    with pytest.raises(SourceError):
        list(snapshot.entries())


# --- running git -----------------------------------------------------------------------------


def test_a_command_that_takes_too_long_is_ended_with_all_it_started(tmp_path):
    helper = tmp_path / "git-remote-slow"
    helper.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\nexec sleep 60\n")
    helper.chmod(0o755)
    env = {
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "GIT_ALLOW_PROTOCOL": "slow",
    }
    with pytest.raises(GitError, match=r"timed out after 0\.5 s"):
        run(("ls-remote", "slow::x"), Deadline(0.5), env=env)
    with pytest.raises(GitError, match="timed out"):
        run_with_progress(("clone", "slow::x", str(tmp_path / "x")), Deadline(0.5), print, env=env)
    pid = int((tmp_path / "pid").read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_missing_git_is_said(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SourceError, match="git program is not installed"):
        locate(str(tmp_path), cwd=tmp_path)


@pytest.mark.parametrize("version", ["2.30.9", "1.9.1", "unknown"])
def test_a_git_that_is_too_old_is_said(shop, data, tmp_path, monkeypatch, version):
    old = tmp_path / "bin" / "git"
    old.parent.mkdir()
    real = shutil.which("git")
    old.write_text(
        f"#!/bin/sh\nfor last; do :; done\n"
        f'test "$last" = version && echo "git version {version}" && exit\nexec {real} "$@"\n'
    )
    old.chmod(0o755)
    monkeypatch.setenv("PATH", f"{old.parent}:{os.environ['PATH']}")
    with pytest.raises(SourceError, match=r"is too old; update git to 2\.31 or newer"):
        sync(locate(str(shop.path), cwd=tmp_path), data)


def test_a_failure_never_shows_the_credentials_in_an_address():
    secret = "hun" + "ter2"
    told = failure(f"fatal: unable to access 'https://me:{secret}@h.example/a/': odd thing\n")
    assert secret not in told.reason
    assert "https://***@h.example/a/" in told.reason
