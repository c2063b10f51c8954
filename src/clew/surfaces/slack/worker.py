"""Answers receipts until it is stopped: its own, and those that processes which are gone owe.

It is what makes "always something" true: a question is left alone only while somebody works on it.
It talks to nobody; `Answering` does.
"""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING, Any, TypeAlias

from clew.errors import ClewError, TransientError
from clew.records.receipts import BEAT_SECONDS
from clew.surfaces.slack.incoming import SURFACE

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine

    from clew.records.receipts import Receipt, Receipts
    from clew.surfaces.slack.answering import Answering

    Work: TypeAlias = Callable[[], Coroutine[Any, Any, None]]

_log = logging.getLogger("clew.slack")
# For which a question waits until Slack and the records can be reached; then it is told that it
# waited in vain. What is to be said, that or an answer, is kept for a day.
GIVE_UP_SECONDS = 3_600.0
FORGET_SECONDS = 86_400.0
FORGOTTEN = "Slack or the records could not be reached for a day"


class Worker:
    """Works on receipts, each in a task of its own.

    Args:
        answering: Answers one.
        receipts: Where they are kept.
        pause: Waits between two looks at what is owed; seconds.
        clock: Unix seconds.
    """

    def __init__(
        self,
        answering: Answering,
        receipts: Receipts,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._answering, self._receipts = answering, receipts
        self._pause, self._clock = pause, clock
        self._tasks: set[asyncio.Future[None]] = set()
        self._owed: list[Receipt] = []

    def start(self, receipt: Receipt, *, again: bool = False) -> None:
        """Begin to answer, or to do it again; returns at once."""
        self._begin(receipt, lambda: self._answering.answer(receipt, again=again))

    def _begin(self, receipt: Receipt, work: Work) -> None:
        self._keep(asyncio.ensure_future(self._work(receipt, work)))

    def aside(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something that nobody waits for; what goes wrong with it is logged."""
        self._keep(asyncio.ensure_future(_logged(work)))

    def _keep(self, task: asyncio.Future[None]) -> None:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def run(self) -> None:
        """Say that this process lives, and take over what is owed, until cancelled."""
        while True:
            try:
                await self._look()
            except ClewError as error:
                _log.warning("what is owed can't be looked up: %s", error.message)
            await self._pause(BEAT_SECONDS)

    async def idle(self) -> None:
        """Wait until nothing is being answered."""
        while self._tasks:
            await asyncio.wait(set(self._tasks))

    async def stop(self) -> None:
        """Stop answering; what is open stays owed, and the threads say so."""
        for task in set(self._tasks):
            task.cancel()
        await self.idle()

    async def _look(self) -> None:
        await asyncio.to_thread(self._receipts.beat)
        owed, self._owed = self._owed, []  # what fails again meanwhile waits for the next look
        for at, receipt in enumerate(owed):
            try:
                await self._again(receipt)
            except ClewError:
                self._owed += owed[at:]
                raise
        for receipt in await asyncio.to_thread(self._receipts.adopt, SURFACE):
            self.start(receipt)

    async def _again(self, receipt: Receipt) -> None:
        """Try once more what Slack or the records stood in the way of, unless it is too late."""
        # It may have come further than it was when this began.
        known = await asyncio.to_thread(self._receipts.at, receipt.surface, receipt.place)
        if known is None or known.closed:
            return
        age = self._clock() - receipt.received_at
        if age >= FORGET_SECONDS:
            await asyncio.to_thread(self._receipts.close, receipt.id, "failed", FORGOTTEN)
        elif age >= GIVE_UP_SECONDS and not known.answer_id:
            self._begin(known, lambda: self._answering.too_late(known))
        else:
            self.start(known, again=True)

    async def _work(self, receipt: Receipt, work: Work) -> None:
        """Answer one, whatever happens: an error of any kind ends in words or in another try."""
        problem = await _outcome(work())
        if problem is not None and not isinstance(problem, TransientError):
            _log.error("receipt %s: a bug of Clew", receipt.id, exc_info=problem)
            problem = await _outcome(self._answering.broken(receipt))
        if problem is not None:
            said = problem.message if isinstance(problem, ClewError) else type(problem).__name__
            _log.warning("receipt %s is tried again later: %s", receipt.id, said)
            self._owed.append(receipt)


async def _logged(work: Coroutine[Any, Any, None]) -> None:
    problem = await _outcome(work)
    if problem is not None:
        _log.warning("something aside failed", exc_info=problem)


async def _outcome(work: Coroutine[Any, Any, None]) -> BaseException | None:
    """Run it to its end; what it raised comes back, unless this task is cancelled."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.wait([task])
    except asyncio.CancelledError:
        task.cancel()
        await asyncio.wait([task])
        raise
    return task.exception()
