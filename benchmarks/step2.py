"""Indexing beside a peer, grep in much source, blame, and research without a model's time.

    python -m benchmarks.step2 --repo NAME=PATH ... --semble-python PYTHON \
        --out benchmarks/results/NAME.json [--runs N] [--only PART ...] [--big]
    python -m benchmarks.step2 --show benchmarks/results/NAME.json

PATH is a clone or a bare repository; it is cloned, and only the clone is touched. PYTHON is that of
an environment with the peer, which is no dependency of this project: `pip install semble`. A
result names no path and no host, and is written after each part.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import inner, material, tables
from benchmarks.comparing import Peer, compare
from benchmarks.processes import BenchmarkError, keep, machine
from benchmarks.step1 import ROOT, Bench, named, project_commit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.material import Material

PARTS = ("index", "grep", "blame", "research")
SMALL, BIG = 100, 1_000  # MB of source for grep; the second with --big


def measure(options: argparse.Namespace, folder: Path) -> Iterator[dict[str, Any]]:
    """The result, again and again with one part more."""
    (folder / "home").mkdir()
    bench = Bench(options.clew, folder, options.runs, options.queries)
    result = opening(options)
    on = [material.prepare(*one, folder, options.queries) for one in map(named, options.repo)]
    for part in options.only or PARTS:
        print(f"{part} ...", file=sys.stderr)
        result[part] = measure_part(part, bench, on, options)
        yield result


def measure_part(
    part: str, bench: Bench, on: list[Material], options: argparse.Namespace
) -> dict[str, Any] | list[dict[str, Any]]:
    """One part's figures."""
    if part == "index":
        return measure_index(bench, on, options)
    if part == "grep":
        sizes = [options.grep_mb, BIG] if options.big else [options.grep_mb]
        return [inner.measure_grep(bench, on, megabytes * 1_000_000) for megabytes in sizes]
    if part == "blame":
        return [inner.measure_blame(bench, one) for one in on]
    return inner.measure_research(bench, on[0])


def measure_index(bench: Bench, on: list[Material], options: argparse.Namespace) -> dict[str, Any]:
    """Indexing of every repository, beside the peer when there is one."""
    python, model = options.semble_python, options.semble_model
    peer = Peer(python.absolute(), options.semble_workers, model) if python else None
    rows: list[dict[str, Any]] = []
    for one in on:
        print(f"  {one.name} ...", file=sys.stderr)
        rows.append(compare(bench, one, peer))
    said = None
    if peer:
        version = rows[-1]["peer"]["version"]
        said = {"version": version, "workers": peer.workers, "model": Path(model).name}
    return {"peer": said, "repositories": rows}


def opening(options: argparse.Namespace) -> dict[str, Any]:
    """What a result says of itself."""
    commit, dirty = project_commit()
    return {
        "command": command(options),
        "commit": commit,
        "dirty": dirty,
        "date": datetime.now(UTC).date().isoformat(),
        "machine": machine(),
        "settings": {"runs": options.runs, "queries": options.queries},
    }


def command(options: argparse.Namespace) -> str:
    """The command line without the paths of this machine."""
    words = ["python -m benchmarks.step2"]
    words += [f"--repo {name}=PATH" for name, _ in map(named, options.repo)]
    words += ["--semble-python PYTHON"] if options.semble_python else []
    words += [f"--semble-model {Path(options.semble_model).name}"] if options.semble_model else []
    words += [f"--runs {options.runs}"]
    words += [f"--only {' '.join(options.only)}"] if options.only else []
    words += [f"--grep-mb {options.grep_mb}"] if options.grep_mb != SMALL else []
    return " ".join([*words, "--big"] if options.big else words)


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(prog="benchmarks.step2", description=__doc__)
    made.add_argument("--repo", action="append", default=[], metavar="[NAME=]PATH")
    made.add_argument("--out", type=Path, help="the result file (JSON)")
    made.add_argument("--runs", type=int, default=3, help="measurements of everything")
    made.add_argument("--queries", type=int, default=240, help="what research searches is of these")
    made.add_argument("--only", nargs="+", choices=PARTS, metavar="PART", help=", ".join(PARTS))
    made.add_argument("--grep-mb", type=int, default=SMALL, metavar="N", help="of source for grep")
    made.add_argument("--big", action="store_true", help="grep in 1 GB, too")
    made.add_argument("--semble-python", type=Path, metavar="PYTHON", help="without it no peer")
    made.add_argument("--semble-model", default="", help="a folder; without it no vectors")
    made.add_argument("--semble-workers", type=int, default=4, metavar="N", help="4 is its own")
    made.add_argument("--clew", type=Path, default=ROOT / ".venv" / "bin" / "clew")
    made.add_argument("--show", type=Path, help="print a result file as Markdown")
    return made


def main() -> int:
    """Measure and write, or show what was written."""
    reading = parser()
    options = reading.parse_args()
    if options.show:
        print(tables.markdown(json.loads(options.show.read_text("utf-8"))))
        return 0
    if not options.repo:
        reading.error("name at least one repository: --repo NAME=PATH")
    result: dict[str, Any] = {}
    try:
        with tempfile.TemporaryDirectory(prefix="clew-bench-") as folder:
            for result in measure(options, Path(folder)):
                if options.out:
                    keep(options.out, result)
    except BenchmarkError as error:
        print(error, file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:  # a repository that git can't clone
        said = error.stderr if isinstance(error.stderr, str) else error.stderr.decode()
        print(f"{' '.join(map(str, error.cmd))}: {said}", file=sys.stderr)
        return 1
    print(tables.markdown(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
