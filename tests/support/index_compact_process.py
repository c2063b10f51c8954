"""Compacts an index in a process of its own, so that a test can kill it.

Arguments: INDEX STEP KEEP.... Keeps the revisions of these ids. At the STEP-th call that touches
the disk (an SQL statement, a rename, an unlink) it kills itself; 0 is never. It says how many
there were.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from clew.index import compact as module
from clew.index.sqlite import SqliteWriter


class Steps:
    """Counts what touches the disk, and dies at one of them."""

    def __init__(self, die_at: int) -> None:
        self.count = 0
        self.die_at = die_at

    def __call__(self, *_: object) -> None:
        self.count += 1
        if self.count == self.die_at:
            os.kill(os.getpid(), signal.SIGKILL)
            signal.pause()  # until it arrives


def main() -> None:
    index, step, *kept = sys.argv[1:]
    steps = Steps(int(step))

    class CountedWriter(SqliteWriter):
        def __init__(self, *args: object) -> None:
            super().__init__(*args)
            self._db.set_trace_callback(steps)

    module.SqliteWriter = CountedWriter
    for name in ("rename", "unlink"):
        real = getattr(Path, name)

        def counted(self, *args, _real=real, **options):
            steps()
            done = _real(self, *args, **options)
            steps()
            return done

        setattr(Path, name, counted)
    module.compact(Path(index), lambda row: row.id in kept, lambda: None)
    sys.stdout.write(f"{steps.count}\n")


if __name__ == "__main__":
    main()
