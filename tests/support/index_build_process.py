"""Builds an index in a process of its own, so that a test can kill it: FILES.json INDEX MAX STOP.

`STOP` is the number of the progress call after which it says "here" and waits to be killed; 0 is never.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from clew.index.build import build
from support.indexes import options
from support.snapshots import MemorySnapshot


def main() -> None:
    files, index, max_chunks, stop = sys.argv[1:5]
    loaded = {
        path: text.encode() for path, text in json.loads(Path(files).read_text("utf-8")).items()
    }
    calls = 0

    def progress(_: object) -> None:
        nonlocal calls
        calls += 1
        if calls == int(stop):
            sys.stdout.write("here\n")
            sys.stdout.flush()
            sys.stdin.read()

    report = build(
        MemorySnapshot(loaded), Path(index), options(max_chunks=int(max_chunks)), progress
    )
    sys.stdout.write(f"{report.chunks}\n")


if __name__ == "__main__":
    main()
