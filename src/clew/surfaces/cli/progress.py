"""Progress on standard error while something long runs: one line, and nothing of it stays."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Self

from clew.surfaces.cli.terminal import console, may_animate, one_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import RenderableType
    from rich.progress import Progress, TaskID

    from clew.types import StatusEvent

_BAR = 24  # columns
_STEADY_SECONDS = 1.0  # a rate over less than this jumps about


class Ticker:
    """A spinner with what is being done; a bar, a count, a rate and the time left when known.

    Silent when standard error is not a terminal. It is drawn when there is something to say and
    taken away by `stop`, so that what follows stands alone.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._quiet = not may_animate()
        self._clock = clock
        self._progress: Progress | None = None
        self._task: TaskID | None = None
        # What is being done and how much of it there is; since when, and from which count.
        self._phase: tuple[str, int | None] = "", None
        self._since, self._first = 0.0, 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Clear the line."""
        if self._progress is not None:
            self._progress.stop()
            self._progress = self._task = None

    def show(self, event: StatusEvent) -> None:
        """Say what is being done."""
        if self._quiet:
            return
        if self._progress is None:
            self._progress = _drawing()
            self._progress.start()
        message, done = one_line(event.message), event.done or 0
        phase = message, event.total
        if self._task is None or phase != self._phase:
            if self._task is not None:
                self._progress.remove_task(self._task)  # rich never forgets a task's total
            self._task = self._progress.add_task(message, total=event.total, counts="")
            self._phase, self._since, self._first = phase, self._clock(), done
        counts = self._counts(done, event.total) if event.total else ""
        self._progress.update(self._task, completed=done, counts=counts)

    def _counts(self, done: int, total: int) -> str:
        text = f"{done:,}/{total:,}"
        seconds = self._clock() - self._since
        if seconds < _STEADY_SECONDS or done <= self._first:
            return text
        rate = (done - self._first) / seconds
        return f"{text}  {rate:,.0f}/s  {_span((total - done) / rate)} left"


def _span(seconds: float) -> str:
    whole = round(seconds)
    return f"{whole // 60}:{whole % 60:02d} min" if whole >= 60 else f"{whole} s"


def _drawing() -> Progress:
    from rich.progress import (
        BarColumn,
        Progress,
        ProgressColumn,
        SpinnerColumn,
        Task,
        TextColumn,
    )
    from rich.table import Column

    class Bar(ProgressColumn):
        """A bar, only where there is something to count."""

        bar = BarColumn(bar_width=_BAR)

        def render(self, task: Task) -> RenderableType:
            return self.bar.render(task) if task.total else ""

    return Progress(
        SpinnerColumn(style="cyan"),
        TextColumn(
            "{task.description}",
            markup=False,
            table_column=Column(no_wrap=True, overflow="ellipsis"),
        ),
        Bar(),
        TextColumn("{task.fields[counts]}", markup=False, style="dim"),
        console=console(sys.stderr),
        transient=True,
    )
