"""One writer an index, whichever process it is in: the lock that builds and compactions take.

Readers never take it. A lock whose process died is free.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import filelock

from clew.errors import BusyError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

TOLD_SECONDS = 1.0
"""Between two words about the same wait for another process."""


@contextmanager
def alone(path: Path, seconds: float, waiting: Callable[[], None]) -> Generator[None]:
    """Hold the index called `path`; `waiting` is told every second while another one does.

    Raises:
        BusyError: Another process held it all that time.
    """
    lock = filelock.FileLock(str(path) + ".lock")
    try:
        lock.acquire(timeout=0)
    except filelock.Timeout:
        try:
            _wait_for(lock, seconds, waiting)
        except filelock.Timeout as error:
            raise BusyError(
                f"another process has been indexing into {path} for {seconds:.0f} s: "
                "try again later"
            ) from error
    try:
        yield
    finally:
        lock.release()


def _wait_for(lock: filelock.FileLock, seconds: float, waiting: Callable[[], None]) -> None:
    """Take the lock, telling every second that it is waited for: who has left raises there."""
    ends = time.monotonic() + seconds
    while True:
        waiting()
        left = ends - time.monotonic()
        try:
            lock.acquire(timeout=max(0.0, min(left, TOLD_SECONDS)))
            return
        except filelock.Timeout:
            if left <= TOLD_SECONDS:
                raise
