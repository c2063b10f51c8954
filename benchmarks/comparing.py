"""Indexing by Clew beside a peer: the same checkout, in turns, whole processes.

Four sides take turns: Clew's command from nothing (an empty data folder); the peer from nothing (an
empty home); Clew's command with its copy of the history there already, as the peer makes none; and
the same without what else the peer doesn't have (looking for secrets; keeping symbols and
references). Then one run with one process says where Clew's time goes.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.processes import BenchmarkError, Run, environment, rounded, run, spread

if TYPE_CHECKING:
    from benchmarks.material import Material
    from benchmarks.step1 import Bench

HERE = Path(__file__).parent
COUNTS = ("files", "chunks", "symbols", "skipped")
OURS = ("clew", "copied", "lean")
HISTORY = "git"  # the part of a data folder that holds the copies


@dataclass(frozen=True)
class Peer:
    """How the peer is run: the interpreter that has it, its workers, its model ("" for none)."""

    python: Path
    workers: int
    model: str


def compare(bench: Bench, on: Material, peer: Peer | None) -> dict[str, Any]:
    """Every figure of one repository."""
    sides: dict[str, list[Run]] = {"clew": [], "peer": [], "copied": [], "lean": []}
    for _ in range(bench.runs):
        data = bench.fresh("compared")
        sides["clew"].append(_clew(bench, on, [bench.clew], data))
        if peer:
            sides["peer"].append(_peer(bench, on, peer))
        sides["copied"].append(_clew(bench, on, [bench.clew], forget(data)))
        sides["lean"].append(lean(bench, on, forget(data)))
    found: dict[str, Any] = {"name": on.name, **asdict(on.facts)}
    for side, runs in sides.items():
        if runs:
            found[side] = {**_counts(runs[-1].lines[-1]), **costs(runs)}
    found["stages_s"] = _timed(bench, on)
    return {**found, **ratios(found)}


def _clew(bench: Bench, on: Material, command: list[str | Path], data: Path, **extra: str) -> Run:
    arguments = ("index", "--repo", on.clone, "--json", "--data", data)
    return run([*command, *arguments], {**bench.env, **extra}, total=True)


def lean(bench: Bench, on: Material, data: Path, **extra: str) -> Run:
    """Index without looking for secrets and without symbols; `extra` are variables."""
    return _clew(bench, on, [*_stages(bench), "lean"], data, **extra)


def forget(data: Path) -> Path:
    """Remove everything of a data folder but the copies of histories; returns the folder."""
    for part in data.iterdir():
        if part.is_dir() and part.name != HISTORY:
            shutil.rmtree(part)
        elif part.is_file():
            part.unlink()
    return data


def _peer(bench: Bench, on: Material, peer: Peer) -> Run:
    home = bench.folder / "peer"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir()
    env = {**environment(home), "SEMBLE_INDEX_WORKERS": str(peer.workers)}
    model = [peer.model] if peer.model else []
    return run([peer.python, HERE / "peer.py", on.clone, home / "index", *model], env, total=True)


def _stages(bench: Bench) -> list[str | Path]:
    return [bench.clew.with_name("python"), HERE / "stages.py"]


def _timed(bench: Bench, on: Material) -> dict[str, float]:
    """Seconds by stage with one process; "start and end" is what none of the stages holds."""
    report = bench.folder / "stages.json"
    command = [*_stages(bench), "timed", report]
    done = _clew(bench, on, command, bench.fresh("compared"), CLEW_INDEX_WORKERS="1")
    seconds: dict[str, float] = json.loads(report.read_text("utf-8"))
    if not seconds:
        raise BenchmarkError("no stage was timed")
    seconds["start and end"] = done.wall - sum(seconds.values())
    by_size = sorted(seconds.items(), key=lambda item: -item[1])
    return {name: rounded(value) for name, value in by_size}


def _counts(said: dict[str, Any]) -> dict[str, Any]:
    return {key: said[key] for key in (*COUNTS, "version") if key in said}


def costs(runs: list[Run]) -> dict[str, dict[str, float]]:
    """Time, and memory of the largest process and of all together."""
    return {
        "wall_s": spread([one.wall for one in runs]),
        "cpu_s": spread([one.cpu for one in runs]),
        "peak_mb": spread([one.peak_mb for one in runs]),
        "total_mb": spread([one.total_mb for one in runs]),
    }


def ratios(found: dict[str, Any]) -> dict[str, Any]:
    """Clew's medians in those of the peer, by what Clew does."""
    if "peer" not in found:
        return {}
    peer = found["peer"]
    return {
        "ratios": {
            side: {
                figure: rounded(found[side][figure]["median"] / peer[figure]["median"])
                for figure in ("wall_s", "cpu_s", "peak_mb", "total_mb")
                if peer[figure]["median"]
            }
            for side in OURS
        }
    }
