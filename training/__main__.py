"""The command line: `python -m training collect`, then `train`, `score` and `export`."""

from __future__ import annotations

import argparse
import sys
from dataclasses import fields
from pathlib import Path

from benchmarks.processes import at_least_one, told

from training import commands, options

SHIPPED = Path(__file__).parents[1] / "src/clew/models/static/code.npz"


def main(argv: list[str] | None = None) -> int:
    """Run one command."""
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    parser.add_argument(
        "--cache", type=Path, default=Path(".training"), help="where everything read is kept"
    )
    steps = parser.add_subparsers(dest="command", required=True)
    collect = steps.add_parser("collect", help="read the repositories into the cache")
    collect.add_argument(
        "--mirrors", help="such as '/mirrors/{owner}+{name}/repo'; without it, they are cloned"
    )
    collect.add_argument("--newest", action="store_true", help="not the commits used last time")
    collect.add_argument("--jobs", type=at_least_one, default=2, help="processes")
    train = steps.add_parser("train", help="train a model into the cache")
    train.add_argument("run", help="its name")
    for option in fields(options.Options):
        train.add_argument(f"--{option.name.replace('_', '-')}", dest=option.name)
    score = steps.add_parser("score", help="score a file on the held-out repositories")
    score.add_argument("file", type=Path, nargs="?", default=SHIPPED)
    export = steps.add_parser("export", help="write the file that Clew ships")
    export.add_argument("run", help="its name")
    export.add_argument("--output", type=Path, default=SHIPPED)
    args = parser.parse_args(argv)
    return told(lambda: run(args))


def run(args: argparse.Namespace) -> int:
    """Do what was asked for.

    Raises:
        BenchmarkError: It can't be done.
    """
    if args.command == "collect":
        return commands.collect_all(args.cache, args.mirrors, args.jobs, newest=args.newest)
    if args.command == "train":
        chosen = {one.name: getattr(args, one.name) for one in fields(options.Options)}
        given = {key: value for key, value in chosen.items() if value is not None}
        return commands.train(args.cache, args.run, given)
    if args.command == "score":
        return commands.score(args.cache, args.file)
    return commands.export(args.cache, args.run, args.output)


if __name__ == "__main__":
    sys.exit(main())
