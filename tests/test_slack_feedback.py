"""👍 and 👎: kept beside the answer, once a person, and only where the answer was given."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from clew.surfaces.slack.intake import NOT_YOURS
from support.asking import saying
from support.slack import payloads
from support.slack.running import CHANNEL, UNLISTED, Scene, a_scene, a_shop, play

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from support.slack.workspace import Posted

UP, DOWN = "clew_feedback_up", "clew_feedback_down"
QUESTION = "where are refunds retried?"


@asynccontextmanager
async def an_answer(folder: Path) -> AsyncIterator[tuple[Scene, Posted]]:
    with a_shop(folder, saying("It is.")) as clew:
        async with a_scene(clew) as on:
            (answer,) = await on.marked(await on.ask(QUESTION))
            yield on, answer


async def press(on: Scene, answer: Posted, action: str, **how: str) -> str:
    """Press a button; returns what the one who pressed is told."""
    before = len(on.slack.whispers)
    await on.fake.told(payloads.press(answer, action, **how), "interactive")
    await on.slack.until(lambda: len(on.slack.whispers) > before, "a word")
    return on.slack.whispers[-1]["words"].strip()


def ratings(on: Scene, answer: Posted) -> dict[str, int]:
    return dict(on.clew.receipts.ratings(answer.buttons[0]["value"]))


def test_a_button_is_kept_beside_the_answer_and_thanked_for_privately(tmp_path: Path) -> None:
    async def scene() -> None:
        async with an_answer(tmp_path) as (on, answer):
            assert "👍" in await press(on, answer, UP)
            assert on.slack.whispers[-1]["user"] == "U0ADA"
            assert ratings(on, answer) == {"up": 1}

    play(scene)


def test_who_changes_their_mind_counts_once(tmp_path: Path) -> None:
    async def scene() -> None:
        async with an_answer(tmp_path) as (on, answer):
            for action in (UP, DOWN, DOWN):
                await press(on, answer, action)
            await press(on, answer, UP, user="U0BOB")
            assert ratings(on, answer) == {"up": 1, "down": 1}

    play(scene)


def test_a_button_of_another_thread_or_channel_changes_nothing(tmp_path: Path) -> None:
    async def scene() -> None:
        async with an_answer(tmp_path) as (on, answer):
            forged = payloads.press(answer, UP)
            forged["container"]["channel_id"] = UNLISTED
            await on.fake.told(forged, "interactive")
            await on.slack.until(lambda: on.slack.whispers, "a word")
            assert on.slack.whispers[-1]["words"].strip() == NOT_YOURS
            other = payloads.press(answer, UP)
            other["actions"][0]["value"] = "0000000000000000"
            await on.fake.told(other, "interactive")
            await on.slack.until(lambda: len(on.slack.whispers) == 2, "a word")
            assert ratings(on, answer) == {}

    play(scene)


def test_a_button_is_authorised_again_when_it_is_pressed(tmp_path: Path) -> None:
    async def scene() -> None:
        async with an_answer(tmp_path) as (on, answer):
            on.clew.tags.by_name.clear()  # as if the channel had been taken out of its tag
            assert on.clew.tags.channel(CHANNEL) is None
            assert await press(on, answer, UP) == NOT_YOURS
            assert ratings(on, answer) == {}

    play(scene)


def test_a_button_that_nobody_can_be_thanked_for_is_acknowledged(tmp_path: Path) -> None:
    async def scene() -> None:
        async with an_answer(tmp_path) as (on, answer):
            on.slack.channels[CHANNEL].people.clear()
            await on.fake.told(payloads.press(answer, UP), "interactive")
            await on.slack.until(lambda: on.slack.made("chat.postEphemeral"), "a try")
            assert ratings(on, answer) == {"up": 1}

    play(scene)
