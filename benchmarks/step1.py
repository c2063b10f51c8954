"""The whole path on real repositories: indexing, updating, searching, asking, starting.

    python -m benchmarks.step1 --repo NAME=PATH ... --out benchmarks/results/NAME.json [--runs N]
    python -m benchmarks.step1 --show benchmarks/results/NAME.json

PATH is a clone or a bare repository; it is cloned, and only the clone is touched. Every figure is
of whole processes of the installed command line. A result names no path and no host.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import material, report
from benchmarks.processes import (
    BenchmarkError,
    Run,
    environment,
    keep,
    machine,
    percentile,
    rounded,
    run,
    spread,
)

if TYPE_CHECKING:
    from benchmarks.material import Material

ROOT = Path(__file__).parents[1]
STARTS = 11  # alternating starts of the command line and of a bare interpreter
ANSWERED = (0, 1)  # an abstention is an answer too


@dataclass(frozen=True)
class Bench:
    """One benchmark run: where things are, and how often each is measured."""

    clew: Path
    folder: Path
    runs: int
    queries: int

    @property
    def env(self) -> dict[str, str]:
        """What the commands see of the outside."""
        return environment(self.folder / "home")

    def call(self, *arguments: str | Path, data: Path, ok: tuple[int, ...] = (0,)) -> Run:
        """Run one command of Clew's over a data folder."""
        return run([self.clew, *arguments, "--data", data], self.env, expect=ok)

    def fresh(self, name: str) -> Path:
        """A data folder that isn't there yet."""
        data = self.folder / "data" / name
        shutil.rmtree(data, ignore_errors=True)
        return data


def measure_repository(bench: Bench, on: Material) -> dict[str, Any]:
    """Every figure of one repository."""
    data = bench.fresh(on.name)
    found: dict[str, Any] = {"name": on.name, **asdict(on.facts)}
    found["ask_cold"] = _ask_cold(bench, on)
    found["index"] = _index_cold(bench, on, data)
    found["disk_mb"] = disk(data)
    found["again"] = _costs([_index(bench, on, data) for _ in range(bench.runs)])
    found["search"] = _search(bench, on, data)
    found["ask_warm"] = _ask_warm(bench, on, data)
    found["edit"] = _edit(bench, on, data)
    return found


def _index(bench: Bench, on: Material, data: Path) -> Run:
    return bench.call("index", "--repo", on.clone, "--json", data=data)


def _index_cold(bench: Bench, on: Material, data: Path) -> dict[str, Any]:
    runs: list[Run] = []
    for _ in range(bench.runs):
        shutil.rmtree(data, ignore_errors=True)
        runs.append(_index(bench, on, data))
    said = runs[-1].lines[0]
    counts = {key: said[key] for key in ("files", "chunks", "symbols", "skipped")}
    return {**counts, **_costs(runs)}


def _edit(bench: Bench, on: Material, data: Path) -> dict[str, Any]:
    runs: list[Run] = []
    for number in range(bench.runs):
        material.edit(on.editable, number)
        runs.append(_index(bench, on, data))
    inside = [one.lines[0]["seconds"] for one in runs]
    return {**_costs(runs), "reported_s": spread(inside)}


def _search(bench: Bench, on: Material, data: Path) -> dict[str, Any]:
    batch = bench.folder / f"{on.name}.jsonl"
    lines = (json.dumps({"id": n, "query": text}) for n, text in enumerate(on.queries))
    batch.write_text("\n".join(lines) + "\n", encoding="utf-8")
    options = ("search", "--batch", batch, "--repo", on.clone, "--json")
    runs = [bench.call(*options, data=data) for _ in range(bench.runs)]
    found = [one.lines for one in runs]
    ms = [[row["ms"] for row in rows] for rows in found]
    return {
        "queries": len(on.queries),
        "empty": sum(not row["results"] for row in found[-1]),
        "first_ms": spread([row[0] for row in ms]),
        "p50_ms": spread([percentile(row, 0.50) for row in ms]),
        "p95_ms": spread([percentile(row, 0.95) for row in ms]),
        **_costs(runs),
    }


def _ask(bench: Bench, on: Material, question: str, data: Path) -> Run:
    return bench.call("ask", question, "--repo", on.clone, "--json", data=data, ok=ANSWERED)


def _ask_cold(bench: Bench, on: Material) -> dict[str, Any]:
    """The first question of all: nothing is fetched, indexed or unpacked yet."""
    cold = (bench.fresh(f"{on.name}-cold") for _ in range(bench.runs))
    runs = [_ask(bench, on, on.questions[0], data) for data in cold]
    return {"outcome": runs[-1].lines[0]["outcome"], **_costs(runs)}


def _ask_warm(bench: Bench, on: Material, data: Path) -> dict[str, Any]:
    runs = [_ask(bench, on, text, data) for text in on.questions for _ in range(bench.runs)]
    answers = [one.lines[0] for one in runs]
    outcomes = [answer["outcome"] for answer in answers]
    return {
        "questions": list(on.questions),
        "outcomes": {name: outcomes.count(name) for name in sorted(set(outcomes))},
        "inside_s": spread([answer["timings"]["total"] for answer in answers]),
        **_costs(runs),
    }


def _costs(runs: list[Run]) -> dict[str, dict[str, float]]:
    return {
        "wall_s": spread([one.wall for one in runs]),
        "cpu_s": spread([one.cpu for one in runs]),
        "peak_mb": spread([one.peak_mb for one in runs]),
    }


def disk(data: Path) -> dict[str, float]:
    """Megabytes of each part of a data folder: mirrors, indexes, records, grammars."""
    return {
        part.name: rounded(_size(part) / 1e6)
        for part in sorted(data.iterdir())
        if not part.name.endswith(".lock")
    }


def _size(part: Path) -> int:
    files = [part] if part.is_file() else part.rglob("*")
    return sum(file.lstat().st_size for file in files if file.is_file())


def measure_startup(bench: Bench) -> dict[str, Any]:
    """`clew --help` beside an interpreter that does nothing, in turns."""
    python = bench.clew.with_name("python")
    bare: list[Run] = []
    helps: list[Run] = []
    for _ in range(STARTS):
        bare.append(run([python, "-c", "pass"], bench.env))
        helps.append(run([bench.clew, "--help"], bench.env))
    bare_s, help_s = spread([one.wall for one in bare]), spread([one.wall for one in helps])
    bare_peak = spread([one.peak_mb for one in bare])["median"]
    help_peak = spread([one.peak_mb for one in helps])["median"]
    return {
        "starts": STARTS,
        "bare_s": bare_s,
        "help_s": help_s,
        "ratio": rounded(help_s["median"] / bare_s["median"]),
        "bare_peak_mb": bare_peak,
        "help_peak_mb": help_peak,
        "peak_ratio": rounded(help_peak / bare_peak),
    }


def named(value: str) -> tuple[str, Path]:
    """NAME=PATH, or a path whose last part is the name."""
    name, found, path = value.partition("=")
    where = Path(path if found else value).expanduser().resolve()
    return (name if found else where.name.removesuffix(".git")), where


def project_commit() -> tuple[str, bool]:
    """The commit of this project, and whether the code that is measured differs from it."""
    git = ["git", "-C", str(ROOT)]
    commit = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, check=True).stdout
    status = [*git, "status", "--porcelain", "--", "src", "benchmarks/*.py"]
    changed = subprocess.run(status, capture_output=True, check=True).stdout
    return commit.decode().strip(), bool(changed.strip())


def measure(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """The whole result."""
    bench = Bench(options.clew, folder, options.runs, options.queries)
    (folder / "home").mkdir()
    commit, dirty = project_commit()
    repos = [named(value) for value in options.repo]
    shown = " ".join(f"--repo {name}=PATH" for name, _ in repos)
    result: dict[str, Any] = {
        "command": f"python -m benchmarks.step1 {shown} --runs {options.runs}",
        "commit": commit,
        "dirty": dirty,
        "date": datetime.now(UTC).date().isoformat(),
        "machine": machine(),
        "settings": {"runs": options.runs, "queries": options.queries},
        "startup": measure_startup(bench),
        "repositories": [],
    }
    for name, path in repos:
        print(f"{name} ...", file=sys.stderr)
        on = material.prepare(name, path, folder, options.queries)
        result["repositories"].append(measure_repository(bench, on))
    return result


def main() -> int:
    """Measure and write, or show what was written."""
    parser = argparse.ArgumentParser(prog="benchmarks.step1", description=__doc__)
    parser.add_argument("--repo", action="append", default=[], metavar="[NAME=]PATH")
    parser.add_argument("--out", type=Path, help="the result file (JSON)")
    parser.add_argument("--runs", type=int, default=3, help="measurements of everything")
    parser.add_argument("--queries", type=int, default=240, help="searches in one process")
    parser.add_argument("--clew", type=Path, default=ROOT / ".venv" / "bin" / "clew")
    parser.add_argument("--show", type=Path, help="print a result file as Markdown")
    options = parser.parse_args()
    if options.show:
        print(report.markdown(json.loads(options.show.read_text("utf-8"))))
        return 0
    if not options.repo:
        parser.error("name at least one repository: --repo NAME=PATH")
    try:
        with tempfile.TemporaryDirectory(prefix="clew-bench-") as folder:
            result = measure(options, Path(folder))
    except BenchmarkError as error:
        print(error, file=sys.stderr)
        return 1
    if options.out:
        keep(options.out, result)
    print(report.markdown(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
