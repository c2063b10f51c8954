"""Tells a client what is being done, often enough that it doesn't give up and not more often.

Progress has to grow with every note; what is done has no common measure (files, turns, chunks), so
it counts the notes, and the words say the rest.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, TypeAlias

from clew.types import StatusEvent, ToolCallEvent

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable

    from clew.types import Event

    Send: TypeAlias = Callable[[float, str], Awaitable[None]]

_log = logging.getLogger("clew.mcp")
GAP = 0.25  # seconds between two notes at least
BEAT = 5.0  # seconds after which something is said although nothing is new
MAX_WORDS = 200  # characters


class Progress:
    """The latest of what happened, as words for the client."""

    def __init__(self) -> None:
        self.words = "working"
        self.news = asyncio.Event()

    def __call__(self, event: Event) -> None:
        """Take an event; those that are part of the answer say nothing here."""
        if isinstance(event, StatusEvent):
            counted = f" ({event.done:,} of {event.total:,})" if event.total and event.done else ""
            words = f"{event.message}{counted}"
        elif isinstance(event, ToolCallEvent):
            words = f"{event.tool} {event.argument}: {event.summary}"
        else:
            return
        self.words = " ".join(words.split())[:MAX_WORDS]
        self.news.set()


@asynccontextmanager
async def telling(send: Send, *, gap: float = GAP, beat: float = BEAT) -> AsyncGenerator[Progress]:
    """Send notes of what the progress is told, until the block ends."""
    progress = Progress()

    async def keep_telling() -> None:
        count = 0
        while True:
            with suppress(TimeoutError):  # nothing new: say once more what is being done
                # Not wait_for: before 3.12 it swallows a cancellation that comes with the news.
                async with asyncio.timeout(beat):
                    await progress.news.wait()
            progress.news.clear()
            count += 1
            await send(count, progress.words)
            await asyncio.sleep(gap)

    task = asyncio.ensure_future(keep_telling())
    try:
        yield progress
    finally:
        task.cancel()
        await asyncio.wait([task])
        if not task.cancelled() and (problem := task.exception()):
            _log.info("progress can't be told any more: %s", type(problem).__name__)
