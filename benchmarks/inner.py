"""Tools and questions measured in processes of their own: grep, blame, research."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import corpus, material
from benchmarks.processes import percentile, rounded, run, spread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.material import Material
    from benchmarks.processes import Run
    from benchmarks.step1 import Bench

HERE = Path(__file__).parent
EACH = 5  # patterns of a kind
BIG_FILES = 3  # of a repository
SCRIPTS = ("short", "long")
Rows = list[dict[str, Any]]


def measure_grep(bench: Bench, on: Sequence[Material], size: int) -> dict[str, Any]:
    """Grep in `size` bytes of source made of the repositories' own."""
    folder = bench.folder / f"source{size}"
    programs = corpus.sources([one.clone for one in on])
    files, written = corpus.write(folder, corpus.copies(programs, size))
    _commit(folder)
    texts = [text for _, text in programs]
    names, phrases = material.symbol_names(texts), material.doc_phrases(texts)
    seed = " ".join(one.facts.commit for one in on)
    patterns = [asdict(one) for one in corpus.draw_patterns(names, phrases, EACH, seed)]
    data = bench.fresh(f"grep{size}")
    indexed = bench.call("index", "--repo", folder, "--json", data=data)
    runs = [_inside(bench, "grep", folder, data, patterns) for _ in range(bench.runs)]
    said = [one.lines[0] for one in runs]
    return {
        "written_bytes": written,
        "written_files": files,
        "bytes": said[-1]["bytes"],
        "files": said[-1]["files"],
        "index_s": rounded(indexed.wall),
        "index_peak_mb": rounded(indexed.peak_mb),
        "peak_mb": spread([one.peak_mb for one in runs]),
        **grep_figures([one["rows"] for one in said]),
    }


def grep_figures(runs: Sequence[Rows]) -> dict[str, Any]:
    """Figures of every call but each process's first, which also opens the file."""
    later = [rows[1:] for rows in runs]
    kinds = sorted({row["kind"] for rows in later for row in rows})
    return {
        "patterns": len(runs[-1]),
        "incomplete": sum(not row["complete"] for row in runs[-1]),
        "without_match": sum(not row["matches"] for row in runs[-1]),
        "first_ms": spread([rows[0]["ms"] for rows in runs]),
        **percentiles([[row["ms"] for row in rows] for rows in later]),
        "kinds": {
            kind: percentiles([[r["ms"] for r in rows if r["kind"] == kind] for rows in later])
            for kind in kinds
        },
    }


def measure_blame(bench: Bench, on: Material) -> dict[str, Any]:
    """Blame the repository's longest programs, much and little at once."""
    biggest = corpus.big_files(on.clone, BIG_FILES)
    work = [{"path": p, "range": r} for p, lines in biggest for r in corpus.ranges(lines)]
    data = bench.fresh(f"blame {on.name}")
    bench.call("index", "--repo", on.clone, "--json", data=data)
    runs = [_inside(bench, "blame", on.clone, data, work).lines[0] for _ in range(bench.runs)]
    commits = _git(on.clone, "rev-list", "--count", "HEAD")
    return {
        "name": on.name,
        "commits": int(commits),
        "big_files": dict(biggest),
        **blame_figures([one["rows"] for one in runs]),
    }


def blame_figures(runs: Sequence[Rows]) -> dict[str, Any]:
    """Figures of what was blamed, of many lines and few apart; and why the rest was not."""
    done = [[row for row in rows if "ms" in row] for rows in runs]
    many = [[r["ms"] for r in rows if r["lines"] > corpus.FEW] for rows in done]
    few = [[r["ms"] for r in rows if r["lines"] <= corpus.FEW] for rows in done]
    return {
        "calls": len(done[-1]),
        "failed": sorted({f"{r['path']}: {r['failed']}" for r in runs[-1] if "failed" in r}),
        "many": percentiles(many),
        "few": percentiles(few),
    }


def measure_research(bench: Bench, on: Material) -> dict[str, Any]:
    """Ask the drawn questions of a model that answers at once, the short way and the long way."""
    queries = [query for query in on.queries if len(query) < 80]
    work = [
        {
            "script": script,
            "question": text,
            "name": corpus.subject_of(text),
            "queries": queries[:20],
        }
        for script in SCRIPTS
        for text in on.questions
    ]
    data = bench.fresh("research")
    bench.call("index", "--repo", on.clone, "--json", data=data)
    runs = [_inside(bench, "research", on.clone, data, work) for _ in range(bench.runs)]
    rows = [row for one in runs for row in one.lines[0]["rows"]]
    return {
        "name": on.name,
        "commit": on.facts.commit,
        "code_lines": on.facts.code_lines,
        "questions": list(on.questions),
        "peak_mb": spread([one.peak_mb for one in runs]),
        "scripts": {name: research_figures(rows, name) for name in SCRIPTS},
    }


def research_figures(rows: Rows, script: str) -> dict[str, Any]:
    """Figures of the questions that were asked by one script."""
    mine = [row for row in rows if row["script"] == script]
    counted = ("turns", "tool_calls", "input_tokens", "output_tokens")
    timed = ("open_ms", "answer_ms", "total_ms")
    outcomes = [row["outcome"] for row in mine]
    return {
        "asked": len(mine),
        "outcomes": {name: outcomes.count(name) for name in sorted(set(outcomes))},
        "without_model": sum(row["mode"] != "research" for row in mine),
        "caveats": sorted({caveat for row in mine for caveat in row["caveats"]}),
        **{key: spread([row[key] for row in mine]) for key in (*counted, *timed)},
    }


def percentiles(runs: Sequence[Sequence[float]]) -> dict[str, Any]:
    """The middle and the slow end of each run, spread over the runs; of no calls, only that."""
    calls = [times for times in runs if times]
    if not calls:
        return {"calls_each": 0}
    return {
        "calls_each": len(calls[-1]),
        "p50_ms": spread([percentile(times, 0.50) for times in calls]),
        "p95_ms": spread([percentile(times, 0.95) for times in calls]),
    }


def _inside(bench: Bench, what: str, repo: Path, data: Path, work: object) -> Run:
    given = bench.folder / "work.json"
    given.write_text(json.dumps(work), encoding="utf-8")
    python = bench.clew.with_name("python")
    print(f"  {what} ...", file=sys.stderr)
    return run([python, HERE / "inside.py", what, repo, data, given], bench.env)


def _commit(folder: Path) -> None:
    """Make a repository of a folder, its files as they are."""
    _git(folder, "init", "--quiet")
    _git(folder, "add", "--all", "--force")
    who = ("-c", "user.name=bench", "-c", "user.email=bench@localhost")
    _git(folder, *who, "-c", "gc.auto=0", "commit", "--quiet", "--message", "source")


def _git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout
