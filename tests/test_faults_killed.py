"""Killed at any point while indexing, or beside another that indexes: nothing is half (C13)."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from clew.index.view import open_view
from clew.sources.locate import locate
from clew.sources.sync import pinned
from clew.workspace import index_path
from support.asking import REFUNDS, SHOP, a_clew, ask
from support.indexes import describe

if TYPE_CHECKING:
    from pathlib import Path

WHERE = "where are refunds retried?"


def module(number: int, value: int) -> str:
    return f'"""Module {number}."""\n\n\ndef helper_{number}(order):\n    return order * {value}\n'


@pytest.fixture
def shop(git_repo):
    return git_repo(SHOP, name="shop")


@pytest.fixture
def data(tmp_path, tmp_path_factory):
    """A data folder whose grammars are unpacked already: that is not what is killed here."""
    return tmp_path / "data"


def start(data: Path, *arguments: object) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "clew", *map(str, arguments), "--data", str(data), "--json"]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )


def everything(clew, repo) -> dict[str, object]:
    """All that the index says about the repository's present revision."""

    async def opened():
        with await clew.open([str(repo.path)], lambda _: None) as workspace:
            return describe(workspace.views[0])

    return asyncio.run(opened())


def opens_whole(clew, repo, revision: str) -> dict[str, object]:
    data = clew._reading().options.data
    source = locate(str(repo.path), cwd=repo.path)
    past = pinned(source, revision, data)
    with open_view(index_path(data, source), source, past.revision) as view:
        return describe(view)


def has_started(data: Path) -> bool:
    return any((data / "git").glob("*.git")) if (data / "git").is_dir() else False


def test_an_index_killed_at_random_points_goes_on_and_equals_a_fresh_one(shop, make_clew, tmp_path):
    """Each run is killed a random while after it began to work; the old revision stays whole."""
    chance = random.Random(20)
    clew = make_clew()
    old = ask(clew, WHERE, shop.path).revisions["shop"]
    before = opens_whole(clew, shop, old)
    for number in range(1_000):  # more than a quick machine indexes in the time that it is given
        shop.write(f"more/module{number}.py", module(number, 1))
    shop.commit("more")
    data = tmp_path / "data"
    killed = 0
    for _ in range(6):
        process = start(data, "index", "--repo", shop.path)
        try:
            process.wait(0.3 + chance.random() * 0.6)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            killed += 1
        process.communicate()
        assert opens_whole(clew, shop, old) == before
        for database in data.rglob("*.db"):
            with sqlite3.connect(database) as opened:
                assert opened.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            opened.close()
    assert killed > 1, "no run was broken off"
    answer = ask(clew, "where is helper_77 defined?", shop.path)
    assert answer.citations[0].path == "more/module77.py"
    fresh = a_clew(tmp_path / "fresh")
    assert everything(clew, shop) == everything(fresh, shop)
    fresh.close()


def test_two_processes_that_index_one_repository_both_end_well(shop, tmp_path, make_clew):
    for number in range(60):
        shop.write(f"more/module{number}.py", module(number, 1))
    shop.commit("more")
    data = tmp_path / "data"
    both = [start(data, "index", "--repo", shop.path) for _ in range(2)]
    rows = []
    for process in both:
        out, err = process.communicate()
        assert process.returncode == 0, err
        rows.append(json.loads(out))
    first, second = rows
    assert first["files"] == second["files"] == 63
    assert sorted([first["added"], second["added"]]) == [0, 63]
    fresh = a_clew(tmp_path / "fresh")
    assert everything(make_clew(), shop) == everything(fresh, shop)
    fresh.close()


def test_locks_that_a_killed_process_held_hold_nobody_up(shop, tmp_path, make_clew):
    script = (
        "import sys, time; from filelock import FileLock\n"
        "for name in sys.argv[1:]: FileLock(name).acquire()\n"
        "print('held', flush=True); sys.stdin.read()"
    )
    clew = make_clew()
    ask(clew, WHERE, shop.path)
    shop.write("shop/refunds.py", REFUNDS.replace("RETRY_LIMIT", "NEWER_LIMIT"))
    data = tmp_path / "data"
    locks = [str(path) for path in data.rglob("*.lock") if "grammars" not in path.parts]
    assert len(locks) >= 2
    process = subprocess.Popen(
        [sys.executable, "-c", script, *locks], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout.readline() == b"held\n"
    process.kill()
    process.communicate()
    before = time.monotonic()
    assert "NEWER_LIMIT" in ask(clew, WHERE, shop.path).text
    assert time.monotonic() - before < 10


def test_git_locks_that_a_killed_git_left_hold_nobody_up(shop, tmp_path, make_clew):
    clew = make_clew()
    ask(clew, WHERE, shop.path)
    (mirror,) = (tmp_path / "data/git").glob("*.git")
    for name in ("index.lock", "packed-refs.lock", "HEAD.lock", "refs/heads/main.lock"):
        (mirror / name).parent.mkdir(parents=True, exist_ok=True)
        (mirror / name).touch()
    (mirror.parent.parent / "locks" / f"git-{mirror.stem}.busy").touch()  # as a killed sync leaves
    shop.write("shop/refunds.py", REFUNDS.replace("RETRY_LIMIT", "NEWER_LIMIT"))
    shop.commit("newer")
    assert "NEWER_LIMIT" in ask(clew, WHERE, shop.path).text


def test_an_interrupted_index_says_so_and_the_next_one_goes_on(shop, tmp_path):
    for number in range(400):
        shop.write(f"more/module{number}.py", module(number, 1))
    shop.commit("more")
    data = tmp_path / "data"
    process = start(data, "index", "--repo", shop.path)
    while process.poll() is None and not any(data.glob("index/*.db")):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, (out, err)
    assert b"Traceback" not in err
    assert b"stopped" in err
    again = start(data, "index", "--repo", shop.path)
    out, err = again.communicate()
    assert again.returncode == 0, err
    assert json.loads(out)["files"] == 403
