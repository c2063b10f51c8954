"""What is being done, as a message that is updated: rate-limited, and never in the answer's way.

It says what the events of `ask()` say, in a few lines. It is dispensable throughout: an update
that Slack doesn't take is left out.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from clew.surfaces.slack.message import Message
from clew.surfaces.slack.plain import escaped, harmless
from clew.types import StatusEvent, TextEvent, ToolCallEvent

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable

    from clew.types import Event

EVERY = 1.0  # seconds between two updates of one message
_STEPS = 5  # of the newest tool calls that are shown
_WIDTH = 140  # characters of one step
WRITING = "Writing the answer…"


class Pace:
    """How many updates all messages together may make: Slack allows about 50 a minute.

    A part is left for final answers, which never ask here.
    """

    def __init__(
        self, per_minute: float = 30, burst: int = 15, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate, self._burst, self._clock = per_minute / 60, burst, clock
        self._left, self._since = float(burst), clock()
        self._held_until = 0.0

    def take(self) -> bool:
        """Whether an update may be made now; if so, it counts."""
        now = self._clock()
        self._left = min(self._burst, self._left + (now - self._since) * self._rate)
        self._since = now
        if now < self._held_until or self._left < 1:
            return False
        self._left -= 1
        return True

    def hold(self, seconds: float) -> None:
        """Slack asked for a break: make no update for so long."""
        self._held_until = max(self._held_until, self._clock() + seconds)


class Progress:
    """One question's progress: takes events, shows the latest state at most once a second.

    Args:
        show: Shows a state; called by one task, and not again before it returns.
        pause: Waits between two states.
    """

    def __init__(
        self,
        show: Callable[[Message], Awaitable[None]],
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._show, self._pause = show, pause
        self._steps: deque[str] = deque(maxlen=_STEPS)
        self._now = ""
        self._changed = asyncio.Event()
        self._showing = asyncio.Lock()

    def feed(self, event: Event) -> None:
        """Take an event of `ask()`."""
        before = self._now, tuple(self._steps)
        if isinstance(event, ToolCallEvent):
            failed = "" if event.ok else " (failed)"
            self._steps.append(_short(f"{event.tool} {event.argument}: {event.summary}{failed}"))
        elif isinstance(event, StatusEvent):
            counted = f" ({event.done or 0:,} of {event.total:,})" if event.total else ""
            self._now = _short(f"{event.message}{counted}")
        elif isinstance(event, TextEvent):
            self._now = WRITING
        if (self._now, tuple(self._steps)) != before:
            self._changed.set()

    def message(self) -> Message:
        """The state as it is now."""
        return working(self._now, tuple(self._steps))

    @asynccontextmanager
    async def shown(self) -> AsyncGenerator[None]:
        """Show what changes, as long as this is open.

        When it is left, nothing that was shown is still on its way: it could arrive after the
        answer and stand in its place.
        """
        task = asyncio.ensure_future(self._run())
        try:
            yield
        finally:
            async with self._showing:
                task.cancel()
            await asyncio.wait([task])

    async def _run(self) -> None:
        while True:
            await self._changed.wait()
            self._changed.clear()
            async with self._showing:
                await self._show(self.message())
            await self._pause(EVERY)


def working(now: str, steps: tuple[str, ...] = ()) -> Message:
    """A message that says what is being done and what has been."""
    head = now or "Looking…"
    lines = "".join(f"\n• {step}" for step in steps)
    done = [{"type": "text", "text": harmless(lines)}] if lines else []
    said = {"type": "text", "text": harmless(head), "style": {"italic": True}}
    section = {"type": "rich_text_section", "elements": [said, *done]}
    return Message(escaped(f"{head}{lines}"), ({"type": "rich_text", "elements": [section]},))


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _WIDTH else flat[: _WIDTH - 1] + "…"
