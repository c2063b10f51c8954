"""python -m benchmarks.retrieval: run, score, compare, take apart."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.processes import BenchmarkError, at_least_one, told
from benchmarks.retrieval import (
    ablate,
    checkouts,
    engine,
    peers,
    questions,
    results,
    run,
    scores,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.retrieval.engine import Setup
    from benchmarks.retrieval.questions import Question

EPILOG = """\
examples:
  python -m benchmarks.retrieval --questions dev.jsonl --work WORK --out benchmarks/results
  python -m benchmarks.retrieval --questions dev.jsonl --work WORK --setting whole --sources semble
  python -m benchmarks.retrieval --questions dev.jsonl --work WORK --ablate weights fields --jobs 2
  python -m benchmarks.retrieval --questions dev.jsonl --score RUN.jsonl
"""
DIFFERENT = "variants"  # in --ablate: what needs an index of its own


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
    made.add_argument("--mirrors", default="", help="pattern with {owner} and {name}; else GitHub")
    made.add_argument("--setting", choices=("folder", "whole"), default="folder")
    made.add_argument("--sources", default="", help="only these, by comma")
    made.add_argument(
        "--jobs", type=at_least_one, default=1, help="processes; 1 measures time undisturbed"
    )
    made.add_argument("--embedder", default=engine.EMBEDDER, help="as in the settings")
    made.add_argument("--out", type=Path, help="folder of result files; else nothing is kept")
    made.add_argument("--against", type=Path, help="a result file; else the last one in --out")
    made.add_argument("--score", type=Path, metavar="RUN", help="only score this run")
    other = made.add_argument_group("peers")
    other.add_argument("--peers", nargs="+", default=[], choices=peers.NAMES, metavar="PEER")
    other.add_argument("--without-clew", action="store_true", help="only peers")
    other.add_argument("--semble-python", default="", metavar="PYTHON", help="that has semble")
    other.add_argument("--semble-model", default="", metavar="FOLDER", help="else no vectors")
    other.add_argument("--ripgrep", default="rg", metavar="PROGRAM")
    apart = made.add_argument_group("what each part is worth")
    apart.add_argument(
        "--ablate",
        nargs="*",
        metavar="SWITCH",
        help=f"only those that begin so, such as `weights.dense`; {DIFFERENT}: other indexes",
    )
    apart.add_argument("--embedders", nargs="+", default=[], metavar="NAME", help="variants, too")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, keep."""
    reading = parser()
    asked = reading.parse_args(arguments)
    if not (asked.work or asked.score):
        reading.error("name a folder to work in: --work FOLDER")
    return told(lambda: answer(asked))


def answer(asked: argparse.Namespace) -> int:
    """Do what was asked for.

    Raises:
        BenchmarkError: It can't be done.
    """
    some = questions.read(asked.questions, set(asked.sources.split(",")) - {""})
    if asked.score:
        found = scores.score_all(some, run.read(asked.score))
        print_figures(asked.score.stem, scores.summaries(some, found))
        return 0
    setup = engine.Setup(asked.work / "data", embedder=asked.embedder)
    check(setup, asked)
    some, grouped = prepare(some, asked)
    if asked.ablate is not None:
        take_apart(some, grouped, setup, asked)
    else:
        report(some, measure(grouped, setup, asked), setup, asked)
    return 0


def check(setup: Setup, asked: argparse.Namespace) -> None:
    """Look at what would otherwise be found wrong only after everything was measured.

    Raises:
        BenchmarkError: A program, a result or a switch is not there.
        ClewError: An embedder is not.
    """
    for name in (asked.embedder, *asked.embedders):
        engine.embedder(name)
    peers.check(asked.peers, programs(asked))
    if asked.against and not last_run(asked.against)[1]:
        raise BenchmarkError(f"{asked.against} is no result of a run of Clew")
    names = [DIFFERENT, ablate.VECTORS, *(name for name, _ in ablate.switches(setup.options))]
    for begins in asked.ablate or ():
        if not any(name.startswith(begins) for name in names):
            raise BenchmarkError(f"no switch begins like {begins}: there are {', '.join(names)}")


def last_run(path: Path) -> tuple[str, dict[str, dict[str, float]]]:
    """The commit of a result and Clew's figures by question; none when it is only of peers."""
    made = results.read(path)
    return made.get("commit", ""), made.get("each", {}).get("clew", {})


def programs(asked: argparse.Namespace) -> peers.Programs:
    """Where the peers are."""
    return peers.Programs(asked.semble_python, asked.semble_model, asked.ripgrep)


def prepare(
    some: list[Question], asked: argparse.Namespace
) -> tuple[list[Question], list[list[run.Group]]]:
    """Make the checkouts; the questions whose checkout is there, by checkout.

    Raises:
        BenchmarkError: None is there.
    """
    made = checkouts.Checkouts(asked.checkouts or asked.work / "checkouts", asked.mirrors)
    missing = made.make_all(each.checkout for each in some)
    there = [each for each in some if made.path(*each.checkout).exists()]
    if missing:
        print(f"left out for want of a checkout: {len(some) - len(there)} questions")
    if not there:
        raise BenchmarkError("no question is left: none of the repositories could be had")
    return there, run.groups(there, made, asked.setting)


def measure(
    grouped: list[list[run.Group]], setup: Setup, asked: argparse.Namespace
) -> dict[str, run.Run]:
    """The runs of Clew and of the peers, one after the other."""
    found: dict[str, run.Run] = {}
    if not asked.without_clew:
        found["clew"] = run.clew(grouped, setup, asked.jobs)
    for name in asked.peers:
        print(f"{name} ...", file=sys.stderr)
        found[name] = peers.run(name, grouped, programs(asked), asked.jobs)
    for name, lines in found.items():
        run.write(asked.work / "runs" / f"{name}-{asked.setting}.jsonl", lines)
    return found


def report(
    some: list[Question], runs: dict[str, run.Run], setup: Setup, asked: argparse.Namespace
) -> None:
    """Print the figures and the differences, and keep the result."""
    systems = {name: scores.score_all(some, lines) for name, lines in runs.items()}
    settings = {"setting": asked.setting, "jobs": asked.jobs, **engine.describe(setup)}
    made = results.result(some, systems, settings)
    for name, system in made["systems"].items():
        print_figures(f"{name}, {asked.setting}", system)
    each = {name: system["questions"] for name, system in made["systems"].items()}
    target = asked.out / f"retrieval-{asked.setting}.json" if asked.out else None
    against = asked.against or target
    if "clew" in each:
        for name in asked.peers:
            print(results.differences(f"\nClew less {name}", each["clew"], each[name]))
        commit, last = last_run(against) if against and against.exists() else ("", {})
        if last:
            print(results.differences(f"\nThis less that of {commit[:10]}", each["clew"], last))
    if target:
        results.write(target, made)


def take_apart(
    some: list[Question], grouped: list[list[run.Group]], setup: Setup, asked: argparse.Namespace
) -> None:
    """Print and keep what each switch is worth, and the setups with other indexes if wanted."""
    only = [name for name in asked.ablate if name != DIFFERENT]
    runs = ablate.ablate(grouped, setup, only, asked.jobs)
    if len(only) < len(asked.ablate):
        for name, other in ablate.variants(setup, asked.embedders):
            print(f"{name} ...", file=sys.stderr)
            runs[name] = run.clew(grouped, other, asked.jobs)
    rows = ablate.worth(some, runs)
    print(ablate.table(rows))
    if asked.out:
        settings = {"setting": asked.setting, "jobs": asked.jobs, **engine.describe(setup)}
        whole = {"clew": scores.score_all(some, runs[ablate.ALL])}
        made = results.result(some, whole, settings)
        made["systems"]["clew"].pop("questions")
        asked.out.mkdir(parents=True, exist_ok=True)
        target = asked.out / f"retrieval-ablations-{asked.setting}.json"
        target.write_text(json.dumps({**made, "ablations": rows}, indent=1) + "\n", "utf-8")


def print_figures(name: str, parts: dict[str, Any]) -> None:
    """All figures of one system."""
    print(f"\n{name}:\n")
    print(results.table({**parts["sources"], **parts["kinds"]}))
    print(f"\n{results.table(parts['languages'])}")


if __name__ == "__main__":
    sys.exit(main())
