"""When git's own index of a long history is written into the mirror."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clew.sources.gitcmd import Deadline
from clew.sources.graph import write_graph
from clew.sources.locate import locate
from clew.sources.mirror import Mirror
from clew.sources.prune import collect
from clew.sources.sync import sync

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.gitrepo import GitRepo


@pytest.fixture
def packed(git_repo: Callable[..., GitRepo]) -> GitRepo:
    repo = git_repo({"a": "1\n"})
    repo.write("a", "2\n")
    repo.commit()
    repo.git("gc", "-q")
    (repo.path / ".git" / "objects" / "info" / "commit-graph").unlink(missing_ok=True)
    return repo


def test_it_is_written_once_for_a_long_history_and_never_for_a_short_one(
    packed: GitRepo, tmp_path: Path
) -> None:
    source, data = locate(str(packed.path), cwd=tmp_path), tmp_path / "data"
    sync(source, data)
    told: list[str] = []
    assert not write_graph(source, data, told.append)
    assert told == []
    assert write_graph(source, data, told.append, least=1)
    assert told == ["indexing its history"]
    assert not write_graph(source, data, told.append, least=1)
    mirror = Mirror.of(source, data)
    graph = mirror.path / "objects" / "info" / "commit-graph"
    assert b"BIDX" in graph.read_bytes()[:100]  # with the paths that each commit changed
    assert sync(source, data, at="HEAD~1").revision.commit == packed.git("rev-parse", "HEAD~1")
    with mirror.held(Deadline(5), "x", print):
        collect(mirror, source.kind, Deadline(30))
    assert not graph.exists()


def test_a_history_that_can_t_be_indexed_is_told_and_stops_nothing(
    packed: GitRepo, tmp_path: Path
) -> None:
    source, data = locate(str(packed.path), cwd=tmp_path), tmp_path / "data"
    sync(source, data)
    (Mirror.of(source, data).path / "objects" / "info" / "commit-graph.lock").touch()
    told: list[str] = []
    assert not write_graph(source, data, told.append, least=1)
    assert "could not be indexed" in told[-1]


def test_a_shallow_history_is_left_alone(packed: GitRepo, tmp_path: Path) -> None:
    packed.git("clone", "-q", "--depth=1", packed.path.as_uri(), str(tmp_path / "shallow"))
    source, data = locate(str(tmp_path / "shallow"), cwd=tmp_path), tmp_path / "data"
    sync(source, data)
    assert not write_graph(source, data, print, least=1)
