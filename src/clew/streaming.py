"""Runs blocking work in a thread and hands what it reports to an async caller, as it comes.

It is the one bridge between the synchronous stages and `ask()`. It never swallows an error of
the work, and never leaves the work running unseen: when the caller stops listening, the next
report raises `asyncio.CancelledError` inside the work, and the bridge waits for it to end. Long
work gets a thread of its own, so that ten index builds never leave a question without one.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

T = TypeVar("T")
R = TypeVar("R")


class Background(Generic[T, R]):
    """Blocking work that reports values of T and returns an R.

    Iterate over `reports()` to the end, then read `result`. An error of the work is raised by
    the iteration, after what was reported before it. Who may stop before the end must close the
    iteration (`contextlib.aclosing`): Python closes a generator that is left alone only later.
    """

    def __init__(self, work: Callable[[Callable[[T], None]], R]) -> None:
        self._work = work
        self._stop = threading.Event()
        self._result: list[R] = []

    @property
    def result(self) -> R:
        """What the work returned; only after `reports()` ended."""
        return self._result[0]

    async def reports(self) -> AsyncGenerator[T]:
        """Yield what the work reports until it is done."""
        loop = asyncio.get_running_loop()
        queue: asyncio.Queue[tuple[T] | None] = asyncio.Queue()

        def report(value: T) -> None:
            if self._stop.is_set():
                raise asyncio.CancelledError
            loop.call_soon_threadsafe(queue.put_nowait, (value,))

        def run() -> None:
            try:
                self._result.append(self._work(report))
            finally:
                loop.call_soon_threadsafe(queue.put_nowait, None)

        pool = ThreadPoolExecutor(1, thread_name_prefix="clew-work")
        task = loop.run_in_executor(pool, contextvars.copy_context().run, run)
        try:
            while (item := await queue.get()) is not None:
                yield item[0]
            await task
        finally:
            self._stop.set()
            try:
                if not task.done():
                    await asyncio.wait([task])
                if not task.cancelled():
                    task.exception()
            finally:
                pool.shutdown(wait=task.done())


async def to_the_end(work: Callable[[], R]) -> R:
    """Run short blocking work in a thread; a caller that is cancelled meanwhile waits for it."""
    task = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise
