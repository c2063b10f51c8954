"""Searches one tree that is indexed already, and says how long each search took and what it holds.

    python -m benchmarks.retrieval.warm DATA EMBEDDER FOLDER < QUERIES.jsonl

The first half of the queries warms up and the others are measured, so that none of these was asked
before: what a server keeps of earlier questions helps as much as it does in a team's day. A line of
JSON says the milliseconds of each, and the process's memory at the end: resident, of its own share,
and the most it ever had.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.memory import kilobytes, pss
from benchmarks.retrieval import engine

if TYPE_CHECKING:
    from collections.abc import Sequence


def measure(setup: engine.Setup, folder: Path, queries: Sequence[str]) -> dict[str, Any]:
    """What a line says; the folder has been indexed by this setup."""
    vectors = engine.embedder(setup.embedder)
    with engine.opened(folder, setup) as view:
        ms = [engine.ask(view, query, setup.options, vectors).ms for query in queries]
        measured = ms[warming(len(ms)) :]
        return {"chunks": view.chunk_count, "ms": measured, "memory_mb": memory()}


def warming(queries: int) -> int:
    """How many of them are not measured."""
    return queries // 2


def memory() -> dict[str, float]:
    """This process's memory in MiB; 0 where the system doesn't say."""
    status = Path("/proc/self/status")
    resident = kilobytes(status.read_text(), "VmRSS") if status.exists() else 0
    unit = 1024 * 1024 if sys.platform == "darwin" else 1024  # bytes there, KiB elsewhere
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
    held = {"resident": resident / 1024, "share": pss(os.getpid()) / 1024, "peak": peak}
    return {name: round(value, 1) for name, value in held.items()}


if __name__ == "__main__":
    data, embedder, where = sys.argv[1:]
    asked = [json.loads(line)["query"] for line in sys.stdin if line.strip()]
    print(json.dumps(measure(engine.Setup(Path(data), embedder=embedder), Path(where), asked)))
