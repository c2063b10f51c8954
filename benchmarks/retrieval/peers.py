"""What Clew is compared with, on the same checkouts and questions.

semble is no dependency of this project: it needs an interpreter of its own (`pip install semble`),
and without the path of a model it searches by words with its ranking, its vectors counting nothing.
ripgrep is a program. Plain BM25 is a few lines beside this.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from benchmarks import peer
from benchmarks.processes import BenchmarkError, environment
from benchmarks.retrieval import plain
from benchmarks.retrieval.run import Run, as_run, over_groups

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.retrieval.questions import Question
    from benchmarks.retrieval.run import Group, Task

NAMES: Final = ("semble", "bm25", "ripgrep")


@dataclass(frozen=True, slots=True)
class Programs:
    """Where the peers are: semble's interpreter, its model ("" for none), ripgrep's program."""

    python: str = ""
    model: str = ""
    ripgrep: str = "rg"


def ask_semble(task: Task[Programs]) -> list[dict[str, Any]]:
    """The lines of one group, from a process of the peer's own interpreter."""
    model = [task.how.model] if task.how.model else []
    command = [task.how.python, peer.__file__, peer.SEARCH, str(task.group.folder), *model]
    asked = "".join(f"{json.dumps({'id': q.id, 'query': q.query})}\n" for q in task.group.questions)
    with tempfile.TemporaryDirectory(prefix="clew-bench-") as home:  # it writes statistics there
        done = subprocess.run(
            command,
            input=asked,
            env={**environment(Path(home)), "SEMBLE_INDEX_WORKERS": "0"},
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        raise BenchmarkError(f"semble ended with {done.returncode}: {done.stderr[-2000:]}")
    lines = [json.loads(line) for line in done.stdout.split("\n")[1:] if line]
    return [_of_checkout(line, task.group.root) for line in lines]


def ask_bm25(task: Task[Programs]) -> list[dict[str, Any]]:
    """The lines of one group by plain BM25."""
    windows = plain.Windows(task.group.folder)
    return [_timed(windows.search, q, task.group.root) for q in task.group.questions]


def ask_ripgrep(task: Task[Programs]) -> list[dict[str, Any]]:
    """The lines of one group by ripgrep."""
    search = partial(plain.ripgrep, task.how.ripgrep, task.group.folder)
    return [_timed(search, q, task.group.root) for q in task.group.questions]


ASK: Final = {"semble": ask_semble, "bm25": ask_bm25, "ripgrep": ask_ripgrep}


def check(names: Sequence[str], programs: Programs) -> None:
    """Look for what the peers need, before anything is measured for hours.

    Raises:
        BenchmarkError: A program or the folder of the model is not there.
    """
    if "semble" in names:
        if not programs.python:
            raise BenchmarkError("semble needs its interpreter: --semble-python PYTHON")
        command = [programs.python, "-c", "import semble"]
        if (
            not shutil.which(programs.python)
            or subprocess.run(command, capture_output=True, check=False).returncode
        ):
            raise BenchmarkError(
                f"--semble-python {programs.python} is no Python that has semble: "
                "install it there, as in PEER/bin/pip install semble"
            )
        if programs.model and not Path(programs.model).is_dir():
            raise BenchmarkError(f"--semble-model {programs.model} is no folder")
    if "ripgrep" in names and not shutil.which(programs.ripgrep):
        raise BenchmarkError(f"--ripgrep {programs.ripgrep} is no program: install ripgrep")


def run(name: str, grouped: Sequence[Sequence[Group]], programs: Programs, jobs: int) -> Run:
    """A peer's run.

    Raises:
        BenchmarkError: Its program fails.
    """
    return as_run(over_groups(grouped, ASK[name], programs, jobs))


def _timed(
    search: Callable[[str], list[dict[str, Any]]], question: Question, root: str
) -> dict[str, Any]:
    begun = time.perf_counter()
    results = search(question.query)
    ms = round((time.perf_counter() - begun) * 1000, 3)
    return _of_checkout({"id": question.id, "results": results, "ms": ms}, root)


def _of_checkout(line: dict[str, Any], root: str) -> dict[str, Any]:
    """A line whose paths are relative to the checkout, as those of the answers are."""
    for each in (*line["results"], *line.get("files", ())):
        each["path"] = f"{root}/{each['path']}" if root else each["path"]
    return line
