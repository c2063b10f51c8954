"""Builds an index in a process of its own, so that a test can kill it.

Arguments: FILES.json INDEX MAX_CHUNKS CALL STATEMENT. At the progress call with the number CALL it
says "here" and waits to be killed; at the SQL statement with the number STATEMENT it kills itself;
0 is never.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from clew.index.build import build
from clew.index.sqlite import SqliteWriter
from support.indexes import options
from support.snapshots import MemorySnapshot


class CountedWriter(SqliteWriter):
    """Counts the SQL statements of a build, rows of a bulk insert included, and dies at one."""

    statements = 0
    die_at = 0

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._db.set_trace_callback(self._count)

    @classmethod
    def _count(cls, _: str) -> None:
        cls.statements += 1
        if cls.statements == cls.die_at:
            os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    files, index, max_chunks, stop, statement = sys.argv[1:6]
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

    if int(statement):
        from clew.index import build as build_module

        CountedWriter.die_at = int(statement)
        build_module.SqliteWriter = CountedWriter
    build(MemorySnapshot(loaded), Path(index), options(max_chunks=int(max_chunks)), progress)


if __name__ == "__main__":
    main()
