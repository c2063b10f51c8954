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
        self._phase = ("", 0.0, 0)  # what is being done, since when, and from which count

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
        if self._progress is None or self._task is None:
            self._progress = _drawing()
            self._task = self._progress.add_task("", total=None, counts="")
            self._progress.start()
        done, total = event.done or 0, event.total
        self._progress.update(
            self._task,
            description=one_line(event.message),
            total=total,
            completed=done,
            counts=self._counts(event.message, done, total),
        )

    def _counts(self, message: str, done: int, total: int | None) -> str:
        now = self._clock()
        if message != self._phase[0]:
            self._phase = (message, now, done)
        if not total:
            return ""
        _, since, first = self._phase
        text = f"{done:,}/{total:,}"
        seconds = now - since
        if seconds < _STEADY_SECONDS or done <= first:
            return text
        rate = (done - first) / seconds
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
