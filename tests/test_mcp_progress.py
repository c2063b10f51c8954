"""A client is told what is being done, and a call ends whenever its work does."""

from __future__ import annotations

import asyncio

import pytest

from clew.surfaces.mcp.progress import telling
from clew.types import StatusEvent


@pytest.mark.parametrize("steps", range(8))
def test_news_at_the_very_end_do_not_keep_a_call_from_ending(steps: int) -> None:
    async def send(*_: object) -> None:
        """Take the note."""

    async def call() -> None:
        async with asyncio.timeout(5), telling(send, gap=0, beat=60) as progress:
            await asyncio.sleep(0.01)  # it waits for news
            progress(StatusEvent("reading"))
            for _ in range(steps):
                await asyncio.sleep(0)

    asyncio.run(call())
