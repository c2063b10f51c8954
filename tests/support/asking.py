"""Asks real questions in a test: Clew as `app.build` wires it, with a data folder of the test's.

`Scripted` stands in for an answerer where a test must say what is said, and when.
"""

from __future__ import annotations

import asyncio
import threading
from contextlib import aclosing
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from clew.answerers.base import Conclude, Say, Step
from clew.app import Clew, Lazy, build
from clew.settings import Settings
from clew.types import Answer, Asker, DoneEvent, Event, Question, TextEvent

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Iterable
    from pathlib import Path

    from clew.answerers.base import Answerer
    from clew.tools.scope import Scope

REFUNDS = '''"""Gives money back."""

RETRY_LIMIT = 5


def retry_refund(order):
    """Retries a refund that the bank declined."""
    for attempt in range(RETRY_LIMIT):
        if order.refund(attempt):
            return True
    return False
'''
INVOICES = '''"""Bills."""


def send_invoice(order):
    """Sends the invoice of an order by mail."""
    return order.mail(retry_refund)
'''
SHOP = {"shop/refunds.py": REFUNDS, "shop/invoices.py": INVOICES, "README.md": "# A shop\n"}


def a_clew(folder: Path, *, answerer: Answerer | None = None, **settings: Any) -> Clew:
    """Clew with its data below `folder`, which is also where it is run."""
    clew = build(Settings(**{"data": folder / "data", **settings}), cwd=folder)
    if answerer is not None:
        clew = with_answerer(clew, answerer)
    return clew


def with_answerer(clew: Clew, answerer: Answerer) -> Clew:
    """The same Clew, records included, with another answerer."""
    changed = copy(clew)
    changed._parts = Lazy(lambda: replace(clew._parts(), answerers={"extract": answerer}))
    return changed


def a_question(text: str, *repos: object) -> Question:
    return Question(text, tuple(str(repo) for repo in repos), Asker("test", own=True))


async def events_of(clew: Clew, text: str, *repos: object) -> list[Event]:
    """Ask, and return every event."""
    async with aclosing(clew.ask(a_question(text, *repos))) as events:
        return [event async for event in events]


def answer_of(events: Iterable[Event]) -> Answer:
    """The answer in the last event."""
    *_, last = events
    assert isinstance(last, DoneEvent)
    return last.answer


def ask(clew: Clew, text: str, *repos: object) -> Answer:
    """Ask, and return the answer."""
    return answer_of(asyncio.run(events_of(clew, text, *repos)))


def said(events: Iterable[Event]) -> str:
    """What a reader of the stream has read."""
    return "".join(event.text for event in events if isinstance(event, TextEvent))


@dataclass(frozen=True)
class Scripted:
    """An answerer that yields what `script` gives for the scope; an error among it is raised."""

    script: Callable[[Scope], Iterable[Step | BaseException]]

    async def answer(self, question: Question, scope: Scope) -> AsyncGenerator[Step]:
        for step in self.script(scope):
            if isinstance(step, BaseException):
                raise step
            yield step


def saying(text: str) -> Scripted:
    """An answerer that says this and believes it."""
    return Scripted(lambda _: [Say(text), Conclude("answered")])


class Paused:
    """An answerer that waits, after it has begun, until it may go on; then it asks another."""

    def __init__(self, then: Answerer) -> None:
        self.begun = threading.Event()
        self.go_on = threading.Event()
        self._then = then

    async def answer(self, question: Question, scope: Scope) -> AsyncGenerator[Step]:
        self.begun.set()
        await asyncio.to_thread(self.go_on.wait, 60)
        async with aclosing(self._then.answer(question, scope)) as steps:
            async for step in steps:
                yield step
