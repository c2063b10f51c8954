"""Lets questions in before the work on them begins, when many come at once.

Answering takes both the processor and Python's lock; a question that comes in meanwhile would wait
seconds for its 🤔, and Slack for its acknowledgement. So work begins when nobody stands in the
door, and soon in any case.
"""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator

LONGEST = 2.0  # seconds for which work waits on those who come in


class Door:
    """Counts the questions that are coming in."""

    def __init__(self) -> None:
        self._inside = 0
        self._free = asyncio.Event()
        self._free.set()

    @contextmanager
    def entering(self) -> Generator[None]:
        """A question comes in, as long as this is open."""
        self._inside += 1
        self._free.clear()
        try:
            yield
        finally:
            self._inside -= 1
            if self._inside == 0:
                self._free.set()

    async def quiet(self, longest: float = LONGEST) -> None:
        """Wait until nobody comes in, or for `longest` seconds."""
        try:
            async with asyncio.timeout(longest):
                while self._inside:  # between being set and our turn, somebody may have come
                    await self._free.wait()
        except TimeoutError:
            return
