"""Tokens to the right lines: how much of what is right is shown within so many tokens.

    python -m benchmarks.retrieval.tokens --questions dev.jsonl --work WORK --out FILE.json
    python -m benchmarks.retrieval.tokens --show FILE.json

The questions, checkouts, indexes and settings are those of `python -m benchmarks.retrieval`;
`benchmarks.retrieval.readings` says who reads what, `benchmarks.retrieval.shown` what counts.
"""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from benchmarks.processes import at_least_one, keep, machine, told
from benchmarks.retrieval import engine, peers, questions, readings, results, run, shown
from benchmarks.retrieval.__main__ import prepare
from benchmarks.step1 import project_commit
from clew.tools.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from benchmarks.retrieval.engine import Setup
    from benchmarks.retrieval.peers import Programs
    from benchmarks.retrieval.questions import Question
    from benchmarks.retrieval.run import Group, Task
    from benchmarks.retrieval.shown import Piece

# semble 0.7.0's own figures, with its vectors, for its chunks on its own questions
# (github.com/MinishLab/semble, benchmarks): tokens of cl100k_base, text of the chunks alone.
PUBLISHED: Final = {
    "500": [0.685],
    "1000": [0.849],
    "2000": [0.938, 0.967],
    "4000": [0.976],
    "8000": [0.991],
}
NAMES: Final = {
    "clew": "Clew's tools",
    "grep": "grep, files read whole",
    "grep-lines": "grep, files read line by line",
    "semble": "semble's chunks",
}


def ask_clew(task: Task[Setup]) -> list[dict[str, Any]]:
    """Clew's figures for every question of a group."""
    vectors = engine.embedder(task.how.embedder)
    with engine.opened(task.group.folder, task.how) as view:
        scope = Scope((view,), ranking=task.how.options, embedder=vectors)
        return [_line(q, clew=readings.by_clew(scope, q.query)) for q in task.group.questions]


def ask_grep(task: Task[Programs]) -> list[dict[str, Any]]:
    """The figures of grep and reading, files counted whole and line by line."""
    group, lines = task.group, list[dict[str, Any]]()
    for q in group.questions:
        paths = readings.grepped(task.how.ripgrep, group.folder, q.query)
        read = {
            name: readings.by_files(group.folder, group.root, paths, whole=whole)
            for name, whole in (("grep", True), ("grep-lines", False))
        }
        lines.append(_line(q, **read))
    return lines


def ask_semble(task: Task[Programs]) -> list[dict[str, Any]]:
    """The figures of the peer's chunks."""
    found = {line["id"]: line["files"] for line in peers.ask_semble(task)}
    checkout = task.group.checkout
    return [
        _line(q, semble=readings.by_chunks(checkout, found[q.id])) for q in task.group.questions
    ]


def _line(question: Question, **read: Iterable[Piece]) -> dict[str, Any]:
    """A question's figures by system."""
    systems = {name: shown.figures(question, reading) for name, reading in read.items()}
    return {"id": question.id, "systems": systems}


def measure(
    grouped: Sequence[Sequence[Group]], setup: Setup, asked: argparse.Namespace
) -> dict[str, dict[str, dict[str, float]]]:
    """The figures of every question by system."""
    programs = peers.Programs(asked.semble_python, asked.semble_model, asked.ripgrep)
    ask: list[tuple[Callable[[Task[Any]], list[dict[str, Any]]], Any]] = [(ask_clew, setup)]
    if not asked.without_peers:
        ask.append((ask_grep, programs))
        if asked.semble_python:
            ask.append((ask_semble, programs))
    found: dict[str, dict[str, dict[str, float]]] = {}
    for work, how in ask:
        for line in run.over_groups(grouped, work, how, asked.jobs):
            for name, figures in line["systems"].items():
                found.setdefault(name, {})[line["id"]] = figures
    return found


def result(
    some: Sequence[Question],
    systems: Mapping[str, Mapping[str, Mapping[str, float]]],
    settings: Mapping[str, Any],
) -> dict[str, Any]:
    """Everything that is kept of a run: each system's means by source."""
    commit, dirty = project_commit()
    sources = sorted({question.source for question in some})
    return {
        "command": settings["command"],
        "commit": commit,
        "dirty": dirty,
        "date": datetime.now(UTC).date().isoformat(),
        "machine": machine(),
        "questions": {"count": len(some), "digest": questions.digest(some)},
        "settings": {name: value for name, value in settings.items() if name != "command"},
        "published": PUBLISHED,
        "systems": {
            name: {
                source: shown.summary([rows[q.id] for q in some if q.source == source])
                for source in sources
            }
            for name, rows in systems.items()
        },
    }


def markdown(made: Mapping[str, Any]) -> str:
    """A result as tables, one a source."""
    on, budgets = made["machine"], [str(each) for each in shown.BUDGETS]
    dirty = " with uncommitted changes" if made["dirty"] else ""
    said = (
        f"Clew {made['commit'][:10]}{dirty}, {made['date']}; {on['cpu']}, {on['cores']} cores; "
        f"setting {made['settings']['setting']}, {made['questions']['count']:,} questions. A token "
        f"is {shown.CHARS_PER_TOKEN} characters."
    )
    rows = [f"`{made['command']}`", "", said]
    for source in next(iter(made["systems"].values())):
        n = next(iter(made["systems"].values()))[source]["n"]
        rows += ["", f"| {source}, {n} questions | shown | {' | '.join(budgets)} |"]
        rows.append("| --- " * (len(budgets) + 2) + "|")
        for name, system in made["systems"].items():
            for figure in shown.FIGURES:
                if figure in system[source]:
                    shares = [f"{system[source][figure][b]:.3f}" for b in budgets]
                    rows.append(f"| {NAMES[name]} | {figure} | {' | '.join(shares)} |")
    published = ["-".join(f"{v:.3f}" for v in made["published"][b]) for b in budgets]
    rows += ["", f"Best published, on all of semble's questions: {', '.join(published)}."]
    return "\n".join(rows)


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(prog="benchmarks.retrieval.tokens", description=__doc__)
    made.formatter_class = argparse.RawDescriptionHelpFormatter
    made.add_argument("--questions", type=Path, help="a file of questions")
    made.add_argument("--work", type=Path, help="folder of checkouts, indexes and runs; is kept")
    made.add_argument("--checkouts", type=Path, help="elsewhere than in WORK/checkouts")
    made.add_argument("--mirrors", default="", help="pattern with {owner} and {name}; else GitHub")
    made.add_argument("--setting", choices=("folder", "whole"), default="folder")
    made.add_argument("--sources", default="", help="only these, by comma")
    made.add_argument("--jobs", type=at_least_one, default=1, help="processes")
    made.add_argument("--embedder", default=engine.EMBEDDER, help="as in the settings")
    made.add_argument("--out", type=Path, help="the result file (JSON)")
    made.add_argument("--show", type=Path, help="print a result file as Markdown")
    other = made.add_argument_group("peers")
    other.add_argument("--without-peers", action="store_true", help="only Clew")
    other.add_argument("--semble-python", default="", metavar="PYTHON", help="that has semble")
    other.add_argument("--semble-model", default="", metavar="FOLDER", help="else no vectors")
    other.add_argument("--ripgrep", default="rg", metavar="PROGRAM")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and write, or show what was written."""
    reading = parser()
    asked = reading.parse_args(arguments)
    if not (asked.show or (asked.questions and asked.work)):
        reading.error("name a file of questions and a folder: --questions FILE --work FOLDER")
    return told(lambda: answer(asked))


def answer(asked: argparse.Namespace) -> int:
    """Do what was asked for.

    Raises:
        BenchmarkError: It can't be done.
    """
    if asked.show:
        print(markdown(results.read(asked.show)))
        return 0
    some, grouped = prepare(
        questions.read(asked.questions, set(asked.sources.split(",")) - {""}), asked
    )
    setup = engine.Setup(asked.work / "data", embedder=asked.embedder)
    only = f" --sources {asked.sources}" if asked.sources else ""
    settings = {
        "command": "python -m benchmarks.retrieval.tokens --questions FILE --work WORK "
        f"--setting {asked.setting}{only}{' --semble-python PYTHON' * bool(asked.semble_python)}",
        "setting": asked.setting,
        "budgets": shown.BUDGETS,
        "chars_per_token": shown.CHARS_PER_TOKEN,
        "semble_vectors": bool(asked.semble_model),
        **engine.describe(setup),
    }
    made = result(some, measure(grouped, setup, asked), settings)
    if asked.out:
        keep(asked.out, made)
    print(markdown(made))
    return 0


if __name__ == "__main__":
    sys.exit(main())
