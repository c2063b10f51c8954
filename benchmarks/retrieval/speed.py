"""How fast: searches, indexing and an update on a tree of about 100,000 chunks, beside a peer.

    python -m benchmarks.retrieval.speed --work WORK --repo NAME=PATH … \
        [--semble-python PYTHON] --out benchmarks/results/retrieval-speed.json

The tree is one repository that holds the files of several, each in a folder of its own, so that
every system sees the same. Searches are of words drawn from the tree, half of them names, half
phrases, in processes that hold the index open, where half of the queries warm up and the others are
measured; the systems take turns. Indexing is measured as `benchmarks.comparing` does, with vectors;
`words` is the leanest: no vectors, secrets or symbols.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import material, peer
from benchmarks.comparing import COUNTS, Peer, compare, costs, forget, lean
from benchmarks.processes import BenchmarkError, keep, machine, percentile, rounded, run, spread
from benchmarks.retrieval.checkouts import check_out, commit_all
from benchmarks.retrieval.engine import EMBEDDER, NO_VECTORS, Setup
from benchmarks.retrieval.warm import warming
from benchmarks.step1 import ROOT, Bench, named, project_commit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.material import Material

WITHOUT = {"CLEW_MODEL_EMBED": NO_VECTORS}


def gather(repos: Sequence[tuple[str, Path]], tree: Path) -> None:
    """One repository with the newest files of several, made once."""
    if (tree / ".git").is_dir():
        return
    shutil.rmtree(tree, ignore_errors=True)
    for name, path in repos:
        check_out(_git_dir(path), "HEAD", tree / name)
        shutil.rmtree(tree / name / ".git")
    commit_all(tree, " and ".join(name for name, _ in repos))


def _git_dir(path: Path) -> Path:
    return path / ".git" if (path / ".git").is_dir() else path


def searches(bench: Bench, on: Material, embedder: str, rival: Peer | None) -> dict[str, Any]:
    """Warm searches of each system in turns; the index is made before."""
    queries = bench.folder / "queries.jsonl"
    lines = (json.dumps({"id": n, "query": text}) for n, text in enumerate(on.queries))
    queries.write_text("\n".join(lines) + "\n", encoding="utf-8")
    setup = Setup(bench.folder / "warm", embedder=embedder)
    setup.folder.mkdir(parents=True)
    env = {**bench.env, "CLEW_MODEL_EMBED": embedder}
    run([bench.clew, "index", "--repo", on.clone, "--data", setup.folder], env)
    python = bench.clew.with_name("python")
    ours: list[dict[str, Any]] = []
    theirs: list[list[dict[str, Any]]] = []
    for _ in range(bench.runs):
        words = [str(setup.data), embedder, str(on.clone)]
        ours += _lines([python, "-m", "benchmarks.retrieval.warm", *words], queries, env)
        if rival:
            model = [rival.model] if rival.model else []
            words = [peer.SEARCH, str(on.clone), *model]
            theirs.append(_lines([rival.python, peer.__file__, *words], queries, bench.env))
    found: dict[str, Any] = {"queries": len(on.queries), "embedder": embedder}
    found["clew"] = {"chunks": ours[-1]["chunks"], **_quick([each["ms"] for each in ours])}
    found["clew"]["memory_mb"] = ours[-1]["memory_mb"]
    if theirs:
        facts = theirs[-1][0]
        found["peer"] = {"chunks": facts["chunks"], "version": facts["version"]}
        first = 1 + warming(len(on.queries))
        found["peer"] |= _quick([[line["ms"] for line in each[first:]] for each in theirs])
        medians = (found[side]["p50_ms"]["median"] for side in ("clew", "peer"))
        found["ratio"] = rounded(next(medians) / next(medians))
    return found


def _lines(
    command: Sequence[str | Path], queries: Path, env: dict[str, str]
) -> list[dict[str, Any]]:
    with queries.open("rb") as asked:
        done = subprocess.run(
            command, stdin=asked, env=env, cwd=ROOT, capture_output=True, check=False
        )
    if done.returncode:
        said = done.stderr.decode(errors="replace")[-2000:]
        raise BenchmarkError(f"{command[1]} ended with {done.returncode}: {said}")
    return [json.loads(line) for line in done.stdout.split(b"\n") if line]


def _quick(runs: Sequence[Sequence[float]]) -> dict[str, Any]:
    return {
        "p50_ms": spread([percentile(ms, 0.5) for ms in runs]),
        "p95_ms": spread([percentile(ms, 0.95) for ms in runs]),
    }


def indexing(bench: Bench, on: Material, rival: Peer | None) -> dict[str, Any]:
    """Indexing beside the peer, and the leanest of ours."""
    found = compare(bench, on, rival)
    runs = [
        lean(bench, on, forget(bench.folder / "data" / "compared"), **WITHOUT)
        for _ in range(bench.runs)
    ]
    said = runs[-1].lines[-1]
    found["words"] = {**{key: said[key] for key in COUNTS}, **costs(runs)}
    if rival:
        ours, theirs = (found[side]["wall_s"]["median"] for side in ("words", "peer"))
        found["ratios"]["words"] = {"wall_s": rounded(ours / theirs)}
    return found


def update(bench: Bench, on: Material) -> dict[str, Any]:
    """Indexing again after one file was edited."""
    data = bench.folder / "data" / "compared"
    index = ("index", "--repo", on.clone, "--json")
    bench.call(*index, data=data)
    runs = []
    for number in range(bench.runs):
        material.edit(on.editable, number)
        runs.append(bench.call(*index, data=data))
    return {**costs(runs), "reported_s": spread([one.lines[0]["seconds"] for one in runs])}


def measure(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """The whole result."""
    (folder / "home").mkdir()
    repos = [named(value) for value in options.repo]
    tree = options.work / "speed"
    gather(repos, tree)
    bench = Bench(options.clew, folder, options.runs, options.queries)
    on = material.prepare("tree", tree, folder, options.queries)
    python, model = options.semble_python, options.semble_model
    rival = Peer(python.absolute(), options.semble_workers, model) if python else None
    commit, dirty = project_commit()
    found: dict[str, Any] = {
        "commit": commit,
        "dirty": dirty,
        "date": datetime.now(UTC).date().isoformat(),
        "machine": machine(),
        "settings": {"runs": options.runs, "repositories": [name for name, _ in repos]},
    }
    found["search"] = searches(bench, on, options.embedder, rival)
    found["index"] = indexing(bench, on, rival)
    found["update"] = update(bench, on)
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, keep."""
    made = argparse.ArgumentParser(prog="benchmarks.retrieval.speed", description=__doc__)
    made.add_argument("--work", type=Path, required=True, help="the tree is kept here")
    made.add_argument("--repo", action="append", required=True, metavar="[NAME=]PATH")
    made.add_argument("--embedder", default=EMBEDDER, help="as in the settings")
    made.add_argument("--runs", type=int, default=3)
    made.add_argument("--queries", type=int, default=240)
    made.add_argument("--semble-python", type=Path, metavar="PYTHON", help="without it no peer")
    made.add_argument("--semble-model", default="", help="a folder; without it no vectors")
    made.add_argument("--semble-workers", type=int, default=4, metavar="N", help="4 is its own")
    made.add_argument("--clew", type=Path, default=ROOT / ".venv" / "bin" / "clew")
    made.add_argument("--out", type=Path, help="the result file (JSON)")
    options = made.parse_args(arguments)
    try:
        with tempfile.TemporaryDirectory(prefix="clew-bench-") as folder:
            found = measure(options, Path(folder))
    except BenchmarkError as error:
        print(error, file=sys.stderr)
        return 1
    print(told(found))
    if options.out:
        keep(options.out, found)
    return 0


def told(found: dict[str, Any]) -> str:
    """A result in a few lines."""
    search, index = found["search"], found["index"]
    lines: list[str] = []
    for side in ("clew", "peer"):
        if side in search:
            p50, p95 = (search[side][name]["median"] for name in ("p50_ms", "p95_ms"))
            lines.append(f"search, {side}: {search[side]['chunks']:,} chunks, {p50} / {p95} ms")
    held = ", ".join(f"{name} {mb:.0f}" for name, mb in search["clew"]["memory_mb"].items())
    lines.append(f"memory of the searching process, MiB: {held}")
    for side in ("clew", "copied", "lean", "words", "peer"):
        if side in index:
            wall, cpu = (index[side][name]["median"] for name in ("wall_s", "cpu_s"))
            lines.append(f"index, {side}: {wall} s, {cpu} s of CPU")
    lines.append(f"one edit: {found['update']['wall_s']['median']} s")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
