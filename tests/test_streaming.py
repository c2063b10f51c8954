"""The bridge from blocking work to an async caller."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING

import pytest

from clew.streaming import Background

if TYPE_CHECKING:
    from collections.abc import Callable


def test_reports_arrive_in_order_and_then_the_result():
    def work(report: Callable[[int], None]) -> str:
        for n in range(3):
            report(n)
        return "done"

    async def main() -> None:
        background: Background[int, str] = Background(work)
        assert [n async for n in background.reports()] == [0, 1, 2]
        assert background.result == "done"

    asyncio.run(main())


def test_an_error_of_the_work_is_raised_after_what_was_reported():
    def work(report: Callable[[int], None]) -> None:
        report(1)
        raise ValueError("broken")

    async def main() -> None:
        background: Background[int, None] = Background(work)
        reports = background.reports()
        assert await anext(reports) == 1
        with pytest.raises(ValueError, match="broken"):
            await anext(reports)

    asyncio.run(main())


def test_a_caller_that_stops_listening_stops_the_work_at_its_next_report():
    ended = threading.Event()
    go_on = threading.Event()

    def work(report: Callable[[int], None]) -> None:
        try:
            report(0)
            go_on.wait(10)
            while True:
                report(1)
        finally:
            ended.set()

    async def main() -> None:
        background: Background[int, None] = Background(work)
        reports = background.reports()
        assert await anext(reports) == 0
        closing = asyncio.ensure_future(reports.aclose())
        await asyncio.sleep(0)
        go_on.set()
        await closing
        assert ended.is_set()

    asyncio.run(main())
