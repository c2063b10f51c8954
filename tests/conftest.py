"""Fixtures that several parts share."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.databases import KINDS, an_empty_database
from support.gitrepo import GitRepo
from support.tempcheck import nothing_left_behind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from clew.app import Clew


@pytest.fixture(scope="session", autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Run every test away from its user's home and settings, and leave nothing behind."""
    session = tmp_path_factory.getbasetemp()
    home = tmp_path_factory.mktemp("home", numbered=False)
    # Below xdist every worker has a folder of its own in the session's.
    shared = session.parent if "PYTEST_XDIST_WORKER" in os.environ else session
    with nothing_left_behind(Path(__file__).parents[1], home, shared / "grammars"):
        yield


@pytest.fixture(autouse=True)
def _own_process() -> Iterator[None]:
    """Put back what commands in the test's own process set for good: logging, where grammars go."""
    root, own = logging.getLogger(), logging.getLogger("clew")
    handlers, levels = root.handlers[:], (root.level, own.level)
    grammars = os.environ["SEMBLE_GRAMMARS_CACHE_DIR"]
    yield
    os.environ["SEMBLE_GRAMMARS_CACHE_DIR"] = grammars
    root.handlers = handlers
    root.setLevel(levels[0])
    own.setLevel(levels[1])
    if "structlog" in sys.modules:
        sys.modules["structlog"].reset_defaults()


@pytest.fixture
def git_repo(tmp_path: Path) -> Callable[..., GitRepo]:
    """Make git repositories: `git_repo({"a.py": "..."})` holds one commit with those files.

    Without files it has no commit. `name` is its folder's name, `bare` makes a bare one.
    """
    made = 0

    def make(
        files: Mapping[str, str | bytes] | None = None,
        *,
        name: str = "",
        bare: bool = False,
        branch: str = "main",
    ) -> GitRepo:
        nonlocal made
        made += 1
        folder = tmp_path / "repos" / (name or f"repo{made}")
        repo = GitRepo(folder, bare=bare, branch=branch)
        for path, content in (files or {}).items():
            repo.write(path, content)
        if files:
            repo.commit("first")
        return repo

    return make


@pytest.fixture(params=KINDS)
def records_where(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """Where a test's records go, once for every kind of database; nothing is there yet."""
    return an_empty_database(request.param, tmp_path)


@pytest.fixture
def make_clew(tmp_path: Path) -> Iterator[Callable[..., Clew]]:
    """Make applications as `support.asking.a_clew` does, below `tmp_path`; all are closed."""
    from support.asking import a_clew

    made: list[Clew] = []

    def make(folder: Path = tmp_path, **options: object) -> Clew:
        made.append(a_clew(folder, **options))
        return made[-1]

    yield make
    for clew in made:
        clew.close()
