"""`clew ask`: streams one answer to a screen, as JSON, or as JSON lines of events."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, cast, get_args

from clew.errors import ClewError, InputError
from clew.surfaces import wire
from clew.surfaces.cli.progress import Ticker
from clew.surfaces.cli.screen import AnswerScreen
from clew.types import Answer, Asker, DoneEvent, Event, Mode, Question, StatusEvent, ToolCallEvent

if TYPE_CHECKING:
    from clew.app import Clew

Shower = Callable[[Event], None]
_MOST = 100_000  # bytes read from standard input: more than any question may have


def question(text: str, repos: Sequence[str], mode: str, at: str = "") -> Question:
    """Make the question that was typed; `-` stands for what comes on standard input.

    Raises:
        InputError: The mode isn't one that exists.
    """
    if mode not in get_args(Mode):
        raise InputError(f"--mode {mode} is unknown: it can be {', '.join(get_args(Mode))}.")
    if text == "-":
        text = sys.stdin.buffer.read(_MOST).decode("utf-8", "replace")
    return Question(text, tuple(repos), Asker("cli"), cast("Mode", mode), at)


async def run(clew: Clew, asked: Question, *, as_json: bool, events: bool) -> Answer:
    """Ask, show every event as it comes, and return the answer."""
    with Ticker() as ticker:
        show = _shower(ticker, as_json=as_json, events=events)
        async with aclosing(clew.ask(asked)) as happening:
            async for event in happening:
                show(event)
                if isinstance(event, DoneEvent):
                    return event.answer
    raise ClewError("The answer ended too early: ask again.")


def _shower(ticker: Ticker, *, as_json: bool, events: bool) -> Shower:
    """What is done with each event."""
    if events:
        return _print_event
    if as_json:
        return _JsonShower(ticker)
    return _ScreenShower(ticker)


def _print_event(event: Event) -> None:
    sys.stdout.write(wire.line(wire.event(event)) + "\n")
    sys.stdout.flush()


class _JsonShower:
    """Progress on standard error, the whole answer on standard output."""

    def __init__(self, ticker: Ticker) -> None:
        self._ticker = ticker

    def __call__(self, event: Event) -> None:
        if isinstance(event, StatusEvent):
            self._ticker.show(event)
        elif isinstance(event, DoneEvent):
            self._ticker.stop()
            sys.stdout.write(wire.line(wire.answer(event.answer)) + "\n")


class _ScreenShower:
    """Progress, then the answer as it arrives, then how to find it again."""

    def __init__(self, ticker: Ticker) -> None:
        self._ticker = ticker
        self._screen = AnswerScreen()

    def __call__(self, event: Event) -> None:
        if isinstance(event, StatusEvent):
            self._ticker.show(event)
        elif isinstance(event, ToolCallEvent):
            self._ticker.show(StatusEvent(f"{event.tool} {event.argument}: {event.summary}"))
        elif isinstance(event, DoneEvent):
            self._ticker.stop()
            self._screen.finish()
            self._screen.footer(event.answer)
        else:
            self._ticker.stop()
            self._screen.feed(event)
