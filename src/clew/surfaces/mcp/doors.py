"""Opens what a call reads, and doesn't let a client wait for an index that takes minutes.

The first call on a repository starts its index and waits a while; then it is told how far it is,
and the work goes on. Whoever calls next waits for the same work, so ten calls make one index.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from clew.errors import BusyError
from clew.types import StatusEvent

if TYPE_CHECKING:
    from collections.abc import Callable

    from clew.app import Clew
    from clew.types import Asker
    from clew.workspace import Workspace

    Report: TypeAlias = Callable[[StatusEvent], None]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a call reads. `repos` are empty when the tags of the asker say it."""

    asker: Asker
    repos: tuple[str, ...] = ()
    tag: str = ""
    at: str = ""
    text: str = ""


@dataclass(slots=True)
class _Work:
    """A source being opened, and how far that is."""

    task: asyncio.Task[Workspace]
    last: StatusEvent = field(default_factory=lambda: StatusEvent("opening"))
    listeners: list[Report] = field(default_factory=list["Report"])

    def tell(self, event: StatusEvent) -> None:
        self.last = event
        for listener in list(self.listeners):
            listener(event)


class Doors:
    """Opens workspaces. Close it at the end: it stops what is still being indexed."""

    def __init__(self, clew: Clew, wait: float) -> None:
        self._clew = clew
        self._wait = wait
        self._slow: dict[Wanted, _Work] = {}
        self._known: set[Wanted] = set()

    async def warm(self, wanted: Wanted, report: Report, wait: float) -> None:
        """See to it that what is wanted has been opened once: then opening it takes no minutes.

        Raises:
            BusyError: It takes longer than `wait`, or than the settings say.
            ClewError: It can't be opened, or may not be.
        """
        apart = replace(wanted, text="")
        if apart not in self._known:
            (await self.open(wanted, report, wait)).close()
            self._known.add(apart)

    async def open(self, wanted: Wanted, report: Report, wait: float | None = None) -> Workspace:
        """Open what is wanted; the caller closes it.

        Args:
            wanted: What to read, and for whom.
            report: Is told what is being done.
            wait: Seconds to wait at most; as long as the settings say when None.

        Raises:
            BusyError: It takes longer; the message says how far it is.
            ClewError: It can't be opened, or may not be.
        """
        seconds = self._wait if wait is None else min(wait, self._wait)
        slow = self._slow.get(wanted)
        if slow is not None:
            (await self._waited(wanted, slow, report, seconds)).close()
        return await self._waited(wanted, self._start(wanted), report, seconds)

    async def close(self) -> None:
        """Stop what is still being opened."""
        for work in list(self._slow.values()):
            work.task.cancel()
        await asyncio.gather(*(w.task for w in self._slow.values()), return_exceptions=True)
        self._slow.clear()

    def _start(self, wanted: Wanted) -> _Work:
        works: list[_Work] = []

        async def opened() -> Workspace:
            return await self._clew.open(
                wanted.repos,
                works[0].tell,
                asker=wanted.asker,
                tag=wanted.tag,
                at=wanted.at,
                text=wanted.text,
            )

        works.append(_Work(asyncio.ensure_future(opened())))
        return works[0]

    async def _waited(
        self, wanted: Wanted, work: _Work, report: Report, seconds: float
    ) -> Workspace:
        work.listeners.append(report)
        try:
            done, _ = await asyncio.wait([work.task], timeout=seconds)
            if done:
                self._slow.pop(wanted, None)
                return work.task.result()
        except asyncio.CancelledError:
            if wanted not in self._slow:  # this call began it: nobody else waits for it
                work.task.cancel()
                work.task.add_done_callback(_let_go)
            raise
        finally:
            work.listeners.remove(report)
        if wanted not in self._slow:
            self._slow[wanted] = work
            work.task.add_done_callback(_let_go)
        raise BusyError(_how_far(work.last))


def _let_go(task: asyncio.Task[Workspace]) -> None:
    """Close what was opened for a caller who went; an error shows to whoever opens it next."""
    if not task.cancelled() and task.exception() is None:
        task.result().close()


def _how_far(event: StatusEvent) -> str:
    counted = f" ({event.done:,} of {event.total:,})" if event.total and event.done else ""
    return (
        f"The index is still being built: {event.message}{counted}. It goes on by itself; call "
        "again in a moment."
    )
