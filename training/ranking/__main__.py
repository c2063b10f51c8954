"""The command line: `python -m training.ranking dump`, then `fit`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from benchmarks.retrieval import checkouts, engine, questions, run

from clew.search.weights import Weights
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
    first.add_argument("--jobs", type=int, default=1)
    first.add_argument("--out", type=Path, required=True)
    second = steps.add_parser("fit", help="print weights, and what they score held out")
    second.add_argument("material", type=Path, nargs="+")
    asked = parser.parse_args(argv)
    return _dump(asked) if asked.command == "dump" else _fit(asked.material)


def _dump(asked: argparse.Namespace) -> int:
    some = questions.read(asked.questions)
    made = checkouts.Checkouts(asked.checkouts or asked.work / "checkouts", asked.mirrors)
    for problem in made.make_all(each.checkout for each in some):
        print(problem, file=sys.stderr)
    there = [each for each in some if made.path(*each.checkout).exists()]
    grouped = run.groups(there, made, asked.setting)
    dump(grouped, engine.Setup(asked.work / "data"), asked.jobs).save(asked.out)
    return 0


def _fit(files: list[Path]) -> int:
    material = Material.join([Material.load(file) for file in files])
    now = Weights()
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
