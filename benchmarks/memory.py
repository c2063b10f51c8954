"""How much memory a process and all it started hold together, looked at while they run.

The system only counts the largest process; with workers, that is not what a machine needs. Shared
pages are divided among all that share them (PSS), and a peak between two looks is missed: it is
the least that they held. Where there is no /proc, it says 0.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Self

INTERVAL = 0.2  # seconds between two looks: a few milliseconds' work each
PROC = Path("/proc")


class Watch:
    """Looks at the children of a process, and theirs, until its block ends.

    Attributes:
        peak_mb: The most they held together at one look, in MiB.
    """

    def __init__(self, parent: int) -> None:
        self.peak_mb = 0.0
        self._parent = parent
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while True:
            held = sum(map(pss, descendants(self._parent)))
            self.peak_mb = max(self.peak_mb, held / 1024)
            if self._over.wait(INTERVAL):
                return


def descendants(process: int) -> set[int]:
    """The processes that this one started, and those they started."""
    found: set[int] = set()
    waiting = [process]
    while waiting:
        tasks = PROC / str(waiting.pop()) / "task"
        for task in _names(tasks):  # a thread's children are listed with the thread
            new = {int(word) for word in _read(tasks / task / "children").split()} - found
            found |= new
            waiting += new
    return found


def pss(process: int) -> int:
    """A process's part of the memory in KiB; 0 when it has ended."""
    return kilobytes(_read(PROC / str(process) / "smaps_rollup"), "Pss")


def kilobytes(text: str, field: str) -> int:
    """One figure of a file such as `smaps_rollup`; 0 when it isn't there."""
    lines = (line.split() for line in text.split("\n"))
    return next((int(line[1]) for line in lines if line[:1] == [f"{field}:"]), 0)


def _names(folder: Path) -> list[str]:
    try:
        return [path.name for path in folder.iterdir()]
    except OSError:  # it has ended in between
        return []


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:  # it has ended in between
        return ""
