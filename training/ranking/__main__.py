"""The command line: `python -m training.ranking dump`, then `fit`."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path

import numpy as np
from benchmarks.processes import BenchmarkError, at_least_one, told
from benchmarks.retrieval import checkouts, engine, questions, run

from clew.search.weights import Weights
from training.arrays import UNREADABLE
from training.ranking import fit
from training.ranking.dump import dump
from training.ranking.material import Material


def main(argv: list[str] | None = None) -> int:
    """Run one command."""
    parser = argparse.ArgumentParser(prog="python -m training.ranking", description=__doc__)
    steps = parser.add_subparsers(dest="command", required=True)
    first = steps.add_parser("dump", help="ask the questions, keep what each signal says")
    first.add_argument("--questions", type=Path, required=True)
    first.add_argument("--work", type=Path, required=True, help="as benchmarks.retrieval has it")
    first.add_argument("--checkouts", type=Path)
    first.add_argument("--mirrors", default="")
    first.add_argument("--setting", choices=("folder", "whole"), default="whole")
    first.add_argument("--jobs", type=at_least_one, default=1)
    first.add_argument("--out", type=Path, required=True)
    second = steps.add_parser("fit", help="print weights, and what they score held out")
    second.add_argument("material", type=Path, nargs="+")
    asked = parser.parse_args(argv)
    dumping = asked.command == "dump"
    return told(partial(_dump, asked) if dumping else partial(_fit, asked.material))


def _dump(asked: argparse.Namespace) -> int:
    some = questions.read(asked.questions)
    made = checkouts.Checkouts(asked.checkouts or asked.work / "checkouts", asked.mirrors)
    for problem in made.make_all(each.checkout for each in some):
        print(problem, file=sys.stderr)
    there = [each for each in some if made.path(*each.checkout).exists()]
    if not there:
        raise BenchmarkError("no question is left: none of the repositories could be had")
    grouped = run.groups(there, made, asked.setting)
    dump(grouped, engine.Setup(asked.work / "data"), asked.jobs).save(asked.out)
    return 0


def _material(file: Path) -> Material:
    try:
        return Material.load(file)
    except UNREADABLE as error:
        raise BenchmarkError(f"{file} is not what dump writes: {error}") from None


def _fit(files: list[Path]) -> int:
    material = Material.join([_material(file) for file in files])
    now = Weights()
    if unknown := [name for name in material.signals.tolist() if not hasattr(now, name)]:
        raise BenchmarkError(
            f"there is no weight of {', '.join(unknown)}: dump the questions again"
        )
    start = np.array([getattr(now, name) for name in material.signals.tolist()])
    as_is = material.ndcg((material.values @ start).astype(np.float32))
    options = fit.Options()
    held = fit.held_out(material, start, options)
    weights = fit.fit(material, start, np.ones(len(as_is), np.bool_), options)
    fitted = material.ndcg((material.values @ weights).astype(np.float32))
    print(f"{'NDCG@10':<20}{'as it is':>10}{'held out':>10}{'fitted':>10}")
    for source in np.unique(material.source):
        these = material.source == source
        figures = (each[these].mean() for each in (as_is, held, fitted))
        print(f"{source:<20}" + "".join(f"{figure:>10.3f}" for figure in figures))
    for name, old, new in zip(material.signals, start, weights, strict=True):
        print(f"{name:<20}{old:>10.2f}{'':>10}{new:>10.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
