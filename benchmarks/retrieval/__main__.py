"""python -m benchmarks.retrieval: run, score, compare."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.retrieval import checkouts, engine, peers, questions, results, run, scores
from clew.search.weights import RankOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.retrieval.questions import Question

EPILOG = """\
examples:
  python -m benchmarks.retrieval --questions dev.jsonl --work WORK --out benchmarks/results
  python -m benchmarks.retrieval --questions dev.jsonl --work WORK --setting whole --sources semble
  python -m benchmarks.retrieval --questions dev.jsonl --score RUN.jsonl
"""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="benchmarks.retrieval",
        description=sys.modules["benchmarks.retrieval"].__doc__,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--questions", type=Path, required=True, help="a file of questions")
    made.add_argument("--work", type=Path, help="folder of checkouts, indexes and runs; is kept")
    made.add_argument("--checkouts", type=Path, help="elsewhere than in WORK/checkouts")
    made.add_argument("--data", type=Path, help="indexes elsewhere than in WORK/data")
    made.add_argument("--mirrors", default="", help="pattern with {owner} and {name}; else GitHub")
    made.add_argument("--setting", choices=("folder", "whole"), default="folder")
    made.add_argument("--sources", default="", help="only these, by comma")
    made.add_argument("--jobs", type=int, default=1, help="processes; 1 measures time undisturbed")
    made.add_argument("--peers", nargs="+", default=[], choices=peers.NAMES, metavar="PEER")
    made.add_argument("--without-clew", action="store_true", help="only peers")
    made.add_argument("--semble-python", default="", metavar="PYTHON", help="that has semble")
    made.add_argument("--semble-model", default="", metavar="FOLDER", help="without it no vectors")
    made.add_argument("--ripgrep", default="rg", metavar="PROGRAM")
    made.add_argument("--out", type=Path, help="folder of result files; else nothing is kept")
    made.add_argument("--against", type=Path, help="a result file; else the last one in --out")
    made.add_argument("--score", type=Path, metavar="RUN", help="only score this run")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, keep."""
    reading = parser()
    asked = reading.parse_args(arguments)
    some = questions.read(asked.questions, set(asked.sources.split(",")) - {""})
    if not some:
        reading.error("no question is left")
    if asked.score:
        found = scores.score_all(some, run.read(asked.score))
        print_figures(asked.score.stem, scores.summaries(some, found))
        return 0
    if not asked.work:
        reading.error("name a folder to work in: --work FOLDER")
    some, grouped = prepare(some, asked)
    options = RankOptions()
    runs = measure(grouped, options, asked)
    for name, lines in runs.items():
        run.write(asked.work / "runs" / f"{name}-{asked.setting}.jsonl", lines)
    systems = {name: scores.score_all(some, lines) for name, lines in runs.items()}
    settings = {"setting": asked.setting, "jobs": asked.jobs, "ranking": engine.describe(options)}
    report(results.result(some, systems, settings), asked)
    return 0


def measure(
    grouped: list[list[run.Group]], options: RankOptions, asked: argparse.Namespace
) -> dict[str, run.Run]:
    """The runs of Clew and of the peers, one after the other."""
    data = asked.data or asked.work / "data"
    programs = peers.Programs(asked.semble_python, asked.semble_model, asked.ripgrep)
    found: dict[str, run.Run] = {}
    if not asked.without_clew:
        found["clew"] = run.clew(grouped, data, options, asked.jobs)
    for name in asked.peers:
        print(f"{name} ...", file=sys.stderr)
        found[name] = peers.run(name, grouped, data, programs, asked.jobs)
    return found


def prepare(
    some: list[Question], asked: argparse.Namespace
) -> tuple[list[Question], list[list[run.Group]]]:
    """Make the checkouts; the questions whose checkout is there, by checkout."""
    made = checkouts.Checkouts(asked.checkouts or asked.work / "checkouts", asked.mirrors)
    missing = made.make_all(each.checkout for each in some)
    there = [each for each in some if made.path(*each.checkout).exists()]
    if missing:
        print(f"left out for want of a checkout: {len(some) - len(there)} questions")
    return there, run.groups(there, made, asked.setting)


def report(made: dict[str, Any], asked: argparse.Namespace) -> None:
    """Print the figures and the differences, and keep the result."""
    for name, system in made["systems"].items():
        print_figures(f"{name}, {asked.setting}", system)
    each = {name: system["questions"] for name, system in made["systems"].items()}
    if "clew" not in each:
        return
    for name in asked.peers:
        print(results.differences(f"\nClew less {name}", each["clew"], each[name]))
    target = asked.out / f"retrieval-{asked.setting}.json" if asked.out else None
    against = asked.against or target
    if against and against.exists():
        last = results.read(against)
        title = f"\nThis less that of {last['commit'][:10]}"
        print(results.differences(title, each["clew"], last["each"]["clew"]))
    if target:
        results.write(target, made)


def print_figures(name: str, parts: dict[str, Any]) -> None:
    """All figures of one system."""
    print(f"\n{name}:\n")
    print(results.table({**parts["sources"], **parts["kinds"]}))
    print(f"\n{results.table(parts['languages'])}")


if __name__ == "__main__":
    sys.exit(main())
