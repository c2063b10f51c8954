"""A command that is stopped stops at once, says so, and leaves nothing broken behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from support.cli import SHOP, clew, command
from support.gitrepo import GitRepo

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
FILES = 200  # enough that indexing takes longer than a signal


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> GitRepo:
    repo = GitRepo(tmp_path_factory.mktemp("signals") / "wide")
    body = "".join(f"def part_{n}(value):\n    return value + {n}\n\n\n" for n in range(30))
    for n in range(FILES):
        repo.write(f"pack/module_{n}.py", f"NUMBER = {n}\n\n\n{body}")
    repo.commit("first")
    return repo


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    """A small repository whose index is there, as options."""
    folder = tmp_path_factory.mktemp("reader")
    repo = GitRepo(folder / "shop")
    for path, content in SHOP.items():
        repo.write(path, content)
    repo.commit("first")
    where = "--repo", str(repo.path), "--data", str(folder / "data")
    assert clew("index", *where).code == 0
    return where


def stopped(
    arguments: list[object], wait_for: str, number: signal.Signals
) -> subprocess.CompletedProcess[str]:
    """Start a command, signal it once it has written something, and return how it ended."""
    running = subprocess.Popen(
        command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert running.stdout is not None
    with running:
        seen = ""
        for line in running.stdout:
            seen += line
            if wait_for in line:
                break
        else:
            raise AssertionError(f"it ended before {wait_for!r}: {seen}")
        running.send_signal(number)
        out, err = running.communicate(timeout=20)
    return subprocess.CompletedProcess(arguments, running.returncode, seen + out, err)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_stopped_while_indexing_it_goes_on_the_next_time(
    number: signal.Signals, wide: GitRepo, tmp_path: Path
) -> None:
    data = "--data", tmp_path / "data"
    where = ["--repo", wide.path, *data]
    # Progress comes as events, so that the test knows when the index is being built.
    done = stopped(["ask", "where is part_7?", "--events", *where], '"done": ', number)
    assert done.returncode == 128 + number
    assert done.stderr == "clew: stopped; what was indexed so far is kept.\n"
    assert '"event": "done"' not in done.stdout
    (row,) = clew("history", "--json", *data).rows()
    assert row["outcome"] == "failed"
    again = clew("index", "--json", *where)
    assert (again.code, again.rows()[0]["files"]) == (0, FILES)
    assert clew("ask", "where is NUMBER defined?", "--json", *where).json()["citations"]
    assert len(clew("history", "--json", *data).rows()) == 2


def test_stopped_before_it_began_it_says_the_same(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("clew.app.build", interrupted)
    ran = clew("history", "--data", tmp_path / "data")
    assert (ran.code, ran.out) == (130, "")
    assert ran.err == "clew: stopped; what was indexed so far is kept.\n"


@pytest.mark.parametrize("reader", ["head -1", "true"])
def test_a_reader_that_goes_away_is_no_error(
    reader: str, indexed: tuple[str, ...], tmp_path: Path
) -> None:
    queries = tmp_path / "queries.jsonl"
    queries.write_text('{"id": 1, "query": "refund"}\n' * 300)
    writing = subprocess.Popen(
        command("search", "--batch", queries, "--json", *indexed),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    reading = subprocess.run(reader.split(), stdin=writing.stdout, capture_output=True, check=True)
    assert writing.stdout is not None
    writing.stdout.close()
    assert writing.stderr is not None
    assert writing.stderr.read() == b""
    writing.stderr.close()
    assert writing.wait(20) == 0
    assert reading.stdout.count(b"\n") <= 1


def test_a_closed_output_is_no_error(indexed: tuple[str, ...]) -> None:
    closed = "import os, sys; os.close(1); os.execv(sys.argv[1], sys.argv[1:])"
    done = subprocess.run(
        [sys.executable, "-c", closed, *command("show", "README.md", *indexed)],
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
