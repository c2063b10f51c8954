"""Asks every question of a system, checkout by checkout, and keeps what it returns.

A run is a file of JSON lines: `{"id", "results": [{"path", "start_line", "end_line"}…], "files":
[…], "ms"}`. In the setting `folder` a question is asked of the folder that its set's own harness
indexes, in `whole` of the whole repository, which is harder and truer.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypeVar

from benchmarks.processes import BenchmarkError
from benchmarks.retrieval.questions import json_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from benchmarks.retrieval.checkouts import Checkouts
    from benchmarks.retrieval.engine import Setup
    from benchmarks.retrieval.questions import Question

T = TypeVar("T")
Setting: TypeAlias = Literal["folder", "whole"]
Run: TypeAlias = "dict[str, dict[str, Any]]"


@dataclass(frozen=True, slots=True)
class Group:
    """The questions of one folder of one checkout."""

    checkout: Path
    root: str
    questions: tuple[Question, ...]

    @property
    def folder(self) -> Path:
        """What is indexed."""
        return self.checkout / self.root


@dataclass(frozen=True, slots=True)
class Task(Generic[T]):
    """What a process does for one group."""

    group: Group
    how: T


def groups(
    questions: Iterable[Question], checkouts: Checkouts, setting: Setting
) -> list[list[Group]]:
    """The questions by checkout and by folder inside it, those with most questions first.

    Folders of one checkout share an index, so they stay together.
    """
    found: dict[Path, dict[str, list[Question]]] = defaultdict(lambda: defaultdict(list))
    for each in questions:
        root = each.root if setting == "folder" else ""
        found[checkouts.path(each.repo, each.commit)][root].append(each)
    made = [
        [Group(checkout, root, tuple(some)) for root, some in sorted(roots.items())]
        for checkout, roots in sorted(found.items())
    ]
    return sorted(made, key=lambda some: -sum(len(each.questions) for each in some))


def ask_clew(task: Task[Setup]) -> list[dict[str, Any]]:
    """Clew's line for every question of a group; the first is asked twice, to warm up."""
    from benchmarks.retrieval import engine

    some, options = task.group.questions, task.how.options
    vectors = engine.embedder(task.how.embedder)
    with engine.opened(task.group.folder, task.how) as view:
        found = [engine.ask(view, q.query, options, vectors) for q in (some[0], *some)]
    return [engine.line(each.id, result) for each, result in zip(some, found[1:], strict=True)]


def over_groups(
    grouped: Sequence[Sequence[Group]],
    work: Callable[[Task[T]], list[dict[str, Any]]],
    how: T,
    jobs: int,
) -> list[dict[str, Any]]:
    """The lines of all groups, by as many processes (one: this one); says how far it is."""
    chains = [[Task(group, how) for group in some] for some in grouped]
    total, done, begun = sum(map(_size, chains)), 0, time.monotonic()
    lines: list[dict[str, Any]] = []
    for chain, found in _each(work, chains, jobs):
        lines += found
        done += _size(chain)
        name, took = chain[0].group.checkout.name, time.monotonic() - begun
        print(f"{done} of {total} questions, {took:.0f} s: {name}", file=sys.stderr)
    return lines


def _each(
    work: Callable[[Task[T]], list[dict[str, Any]]], chains: Sequence[Sequence[Task[T]]], jobs: int
) -> Iterator[tuple[Sequence[Task[T]], list[dict[str, Any]]]]:
    if jobs == 1:
        for chain in chains:
            yield chain, in_turn(work, chain)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        waiting = {pool.submit(in_turn, work, chain): chain for chain in chains}
        for each in as_completed(waiting):
            yield waiting[each], each.result()


def _size(chain: Sequence[Task[T]]) -> int:
    return sum(len(task.group.questions) for task in chain)


def in_turn(
    work: Callable[[Task[T]], list[dict[str, Any]]], chain: Sequence[Task[T]]
) -> list[dict[str, Any]]:
    """The lines of groups that share a checkout."""
    return [line for task in chain for line in work(task)]


def clew(grouped: Sequence[Sequence[Group]], setup: Setup, jobs: int = 1) -> Run:
    """Clew's run."""
    lines = over_groups(grouped, ask_clew, setup, jobs)
    said = Counter(text for line in lines for text in line["warnings"])
    for text, count in said.items():
        print(f"{count} searches: {text}", file=sys.stderr)
    return as_run(lines)


def as_run(lines: Iterable[dict[str, Any]]) -> Run:
    """Lines by their question."""
    return {line["id"]: line for line in lines}


def read(path: Path) -> Run:
    """A run from its file."""
    rows = json_lines(path)
    for where, row in rows:
        if "id" not in row or "results" not in row:
            raise BenchmarkError(f"{where} is no line of a run: it has no id or no results.")
    return as_run(row for _, row in rows)


def write(path: Path, run: Mapping[str, dict[str, Any]]) -> None:
    """Keep a run, in the order of the questions' ids."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps(run[name]) for name in sorted(run))
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
