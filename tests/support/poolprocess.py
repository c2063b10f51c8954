"""A process whose workers are at work when a test kills it."""

from __future__ import annotations

import sys
from itertools import count
from typing import TYPE_CHECKING

from clew.chunks.skip import SkipRules
from clew.index import pool
from clew.index.prepare import Job
from support.snapshots import oid_of

if TYPE_CHECKING:
    from collections.abc import Iterator


def serve_forever() -> None:
    """Prepare files without end; say the workers' process ids once all of them have begun."""
    pids: list[int] = []
    popen = pool._popen

    def recorded():
        process = popen()
        pids.append(process.pid)
        return process

    pool._popen = recorded

    def jobs() -> Iterator[pool.Work]:
        for number in count():
            data = b"def f():\n    return g()\n" * 200 + b"# %d\n" % number
            yield Job(oid_of(data), len(data), ("a.py",), data), None

    said = False
    for at, _ in enumerate(pool.prepare_all(jobs(), SkipRules(), 2, lambda _: None)):
        if not said and at > 300 and len(pids) == 2:
            said = True
            sys.stdout.write(" ".join(map(str, pids)) + "\n")
            sys.stdout.flush()
