"""What is being done is shown at most once a second, and never after the answer."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from clew.surfaces.slack.door import Door
from clew.surfaces.slack.progress import EVERY, WRITING, Pace, Progress
from clew.types import StatusEvent, TextEvent, ToolCallEvent
from support.slack import rules

if TYPE_CHECKING:
    from clew.surfaces.slack.message import Message


def a_call(n: int, *, ok: bool = True) -> ToolCallEvent:
    return ToolCallEvent("search_code", f"word{n}", f"{n} places", ok=ok)


class Screen:
    """Shows states, and lets a second pass when it is told to."""

    def __init__(self) -> None:
        self.shown: list[str] = []
        self.waits: list[float] = []
        self.pass_by = asyncio.Event()
        self.changed = asyncio.Event()

    async def show(self, state: Message) -> None:
        self.shown.append(rules.words(list(state.blocks)).strip())
        self.changed.set()

    async def pause(self, seconds: float) -> None:
        self.waits.append(seconds)
        await self.pass_by.wait()
        self.pass_by.clear()

    async def next(self) -> None:
        await asyncio.wait_for(self.changed.wait(), 60)
        self.changed.clear()


def test_what_happens_within_a_second_is_shown_together() -> None:
    async def scene() -> None:
        screen = Screen()
        progress = Progress(screen.show, screen.pause)
        async with progress.shown():
            progress.feed(StatusEvent("shop: indexing", 2, 4_000))
            await screen.next()
            for n in range(3):
                progress.feed(a_call(n))
            assert len(screen.shown) == 1
            screen.pass_by.set()
            await screen.next()
        assert screen.shown[0] == "shop: indexing (2 of 4,000)"
        assert screen.shown[1].count("•") == 3
        assert screen.waits[0] == EVERY

    asyncio.run(scene())


def test_only_the_newest_steps_are_shown_each_on_a_short_line() -> None:
    async def scene() -> None:
        screen = Screen()
        progress = Progress(screen.show, screen.pause)
        for n in range(20):
            progress.feed(a_call(n, ok=n != 19))
        progress.feed(ToolCallEvent("grep", "x" * 500 + "\n<!channel>", "none", ok=True))
        progress.feed(TextEvent("The answer"))
        state = progress.message()
        words = rules.words(list(state.blocks))
        assert words.startswith(WRITING)
        assert words.count("•") == 5
        assert "word19: 19 places (failed)" in words
        assert max(map(len, words.split("\n"))) < 150
        assert rules.pings({"text": state.text, "blocks": list(state.blocks)}) == []

    asyncio.run(scene())


def test_nothing_is_on_its_way_any_more_when_it_ends() -> None:
    """A state that arrived after the answer would stand in its place."""

    async def scene() -> None:
        begun, go_on, order = asyncio.Event(), asyncio.Event(), list[str]()

        async def show(_: Message) -> None:
            begun.set()
            await go_on.wait()
            order.append("state")

        async def ask() -> None:
            progress = Progress(show)
            async with progress.shown():
                progress.feed(a_call(1))
                await begun.wait()
            order.append("answer")

        asking = asyncio.ensure_future(ask())
        await begun.wait()
        go_on.set()
        await asking
        assert order == ["state", "answer"]

    asyncio.run(scene())


def test_all_messages_together_keep_within_slacks_limit() -> None:
    now = [0.0]
    pace = Pace(per_minute=30, burst=15, clock=lambda: now[0])
    assert [pace.take() for _ in range(16)] == [True] * 15 + [False]
    now[0] += 2.0
    assert [pace.take(), pace.take()] == [True, False]
    now[0] += 3_600.0
    assert sum(pace.take() for _ in range(100)) == 15


def test_a_break_that_slack_asks_for_is_kept() -> None:
    now = [0.0]
    pace = Pace(clock=lambda: now[0])
    pace.hold(30.0)
    pace.hold(0.0)
    now[0] = 29.0
    assert not pace.take()
    now[0] = 30.0
    assert pace.take()


# --- the door --------------------------------------------------------------------------------


def test_work_waits_for_those_who_come_in() -> None:
    async def scene() -> None:
        door, order = Door(), list[str]()

        async def work() -> None:
            await door.quiet(60)
            order.append("work")

        with door.entering():
            working = asyncio.ensure_future(work())
            with door.entering():
                await asyncio.sleep(0)
            order.append("in")
        await working
        assert order == ["in", "work"]
        await door.quiet(60)

    asyncio.run(scene())


def test_one_who_stays_in_the_door_holds_work_up_for_a_while_only() -> None:
    async def scene() -> None:
        door = Door()
        with door.entering():
            await door.quiet(0.001)

    asyncio.run(scene())
