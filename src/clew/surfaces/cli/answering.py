"""`clew ask`: streams one answer to a screen, as JSON, or as JSON lines of events."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast, get_args

from clew.errors import ClewError, InputError
from clew.surfaces import wire
from clew.surfaces.cli.progress import Ticker
from clew.surfaces.cli.screen import AnswerScreen
from clew.surfaces.cli.terminal import one_line
from clew.types import Answer, Asker, DoneEvent, Event, Mode, Question, StatusEvent, ToolCallEvent

if TYPE_CHECKING:
    from clew.app import Clew

Shower = Callable[[Event], None]
_MOST = 100_000  # bytes read from standard input: more than any question may have


@dataclass(frozen=True, slots=True)
class Showing:
    """How an answer is shown: as JSON, as lines of events, or on a screen; `trace` besides."""

    as_json: bool
    events: bool
    trace: bool = False


def question(
    text: str, repos: Sequence[str], mode: str | None, at: str = "", tag: str = ""
) -> Question:
    """Make the question that was typed; `-` stands for what comes on standard input.

    Raises:
        InputError: The mode isn't one that exists.
    """
    if mode is not None and mode not in get_args(Mode):
        raise InputError(f"--mode {mode} is unknown: it can be {', '.join(get_args(Mode))}.")
    if text == "-":
        text = sys.stdin.buffer.read(_MOST).decode("utf-8", "replace")
    asker = Asker("cli", own=True)
    return Question(text, tuple(repos), asker, cast("Mode | None", mode), at, tag)


async def run(clew: Clew, asked: Question, how: Showing) -> Answer:
    """Ask, show every event as it comes, and return the answer."""
    with Ticker() as ticker:
        show = _shower(ticker, how)
        async with aclosing(clew.ask(asked)) as happening:
            async for event in happening:
                show(event)
                if isinstance(event, DoneEvent):
                    return event.answer
    raise ClewError("The answer ended too early: ask again.")


def _shower(ticker: Ticker, how: Showing) -> Shower:
    """What is done with each event."""
    if how.events:
        show: Shower = _print_event
    elif how.as_json:
        show = _JsonShower(ticker)
    else:
        show = _ScreenShower(ticker)
    return _Tracer(ticker, show) if how.trace else show


def _print_event(event: Event) -> None:
    sys.stdout.write(wire.line(wire.event(event)) + "\n")
    sys.stdout.flush()


class _Tracer:
    """Every step as a line on standard error, and what it took; the rest goes its usual way."""

    def __init__(self, ticker: Ticker, show: Shower) -> None:
        self._ticker = ticker
        self._show = show

    def __call__(self, event: Event) -> None:
        line = _traced(event)
        if line:
            self._ticker.stop()
            sys.stderr.write(f"{one_line(line)}\n")
        self._show(event)


def _traced(event: Event) -> str:
    """What a trace says of an event, "" when nothing: counts tick by, and the answer is shown."""
    if isinstance(event, StatusEvent) and event.total is None:
        return event.message
    if isinstance(event, ToolCallEvent):
        turn = f"turn {event.turn}: " if event.turn else ""
        failed = "" if event.ok else " (failed)"
        return f"{turn}{event.tool} {event.argument}: {event.summary}{failed}"
    if isinstance(event, DoneEvent) and event.answer.usage.model:
        used = event.answer.usage
        cost = "cost unknown" if used.cost is None else f"{used.cost:.4f} USD"
        return (
            f"{used.model} ({used.prompt}): "
            f"{used.model_calls} turns, {used.tool_calls} tool calls, "
            f"{used.input_tokens:,} tokens in ({used.cached_tokens:,} cached), "
            f"{used.output_tokens:,} out, {cost}"
        )
    return ""


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
