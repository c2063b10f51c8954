"""What people in Slack see of a question, from 🤔 to the answer, and who is not answered."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from clew.answerers.base import Conclude, Say
from clew.errors import ProviderDownError
from clew.records.store import Records
from clew.surfaces.slack.answering import BROKEN, NOTHING_ASKED
from clew.tags import REFUSED
from clew.types import StatusEvent, ToolCallEvent
from support.asking import Paused, Scripted, saying
from support.slack import payloads
from support.slack.running import (
    CHANNEL,
    DONE,
    THINKING,
    UNLISTED,
    WARNED,
    WATCHED,
    Scene,
    a_scene,
    a_shop,
    play,
)
from support.slack.workspace import ME

if TYPE_CHECKING:
    from pathlib import Path

    from support.slack.workspace import Posted

QUESTION = "where are refunds retried?"


async def told(on: Scene, said: Posted) -> None:
    """Let the app know of a message that doesn't mention it, and wait until it is done with it."""
    await on.fake.told(payloads.message(said))


async def nothing_more(on: Scene) -> None:
    """A question asked after something has been answered: what it caused would be there by now."""
    await on.marked(await on.ask(QUESTION))


# --- the way of a question -------------------------------------------------------------------


def test_a_mention_is_answered_in_its_thread(tmp_path: Path) -> None:
    async def scene() -> None:
        with a_shop(tmp_path) as clew:
            async with a_scene(clew) as on:
                asked = await on.ask(QUESTION)
                (answer,) = await on.marked(asked)
                assert asked.reactions == [DONE]
                assert "retry_refund" in answer.words
                assert "shop/refunds.py:" in answer.words
                assert "As of" in answer.words
                assert "tag shop · answered · answer " in answer.words
                assert [b["text"]["text"] for b in answer.buttons] == ["👍", "👎"]

    play(scene)


def test_the_question_is_marked_and_a_word_stands_below_it_before_there_is_an_answer(
    tmp_path: Path,
) -> None:
    paused = Paused(saying("It is."))

    async def scene() -> None:
        with a_shop(tmp_path, paused) as clew:
            async with a_scene(clew) as on:
                asked = await on.ask(QUESTION)
                await asyncio.to_thread(paused.begun.wait, 60)
                (status,) = on.slack.thread(asked)
                assert asked.reactions == [THINKING]
                assert not status.buttons
                paused.go_on.set()
                assert await on.marked(asked) == [status], "the same message, written anew"
                assert "It is." in status.words

    play(scene)


def test_what_is_done_is_said_while_it_is_done(tmp_path: Path) -> None:
    script = Scripted(
        lambda _: [
            StatusEvent("asking the model, turn 1"),
            ToolCallEvent("search_code", "retry", "8 places", ok=True),
            ToolCallEvent("read_file", "shop/none.py", "no such file", ok=False),
            Say("It is."),
            Conclude("answered"),
        ]
    )
    paused = Paused(script)

    async def scene() -> None:
        with a_shop(tmp_path, paused) as clew:
            async with a_scene(clew) as on:
                asked = await on.ask(QUESTION)
                await asyncio.to_thread(paused.begun.wait, 60)
                paused.go_on.set()
                (answer,) = await on.marked(asked)
                said = "\n".join(answer.history)
                assert "shop" in said, "opening the source is said too"

    play(scene)


def test_a_question_is_asked_in_plain_text_by_its_asker_in_the_channels_tags(
    tmp_path: Path,
) -> None:
    async def scene() -> None:
        with a_shop(tmp_path, saying("It is.")) as clew:
            async with a_scene(clew) as on:
                text = "is `a &lt; b` in <#C0SHOP|shop> and <https://a.example/x|the page>?"
                await on.marked(await on.ask(text))
                (row,) = await clew.history(5)
                expected = "is `a < b` in #shop and the page (https://a.example/x)?"
                assert row.question == expected
                assert (row.asker.surface, row.asker.name) == ("slack", "U0ADA")

    play(scene)


@pytest.mark.parametrize("outcome", ["partial", "no_answer"])
def test_an_answer_that_is_not_whole_is_marked_with_a_warning(tmp_path: Path, outcome: str) -> None:
    script = Scripted(lambda _: [Say("I found little."), Conclude(outcome)])  # type: ignore[arg-type] # one of the two

    async def scene() -> None:
        with a_shop(tmp_path, script) as clew:
            async with a_scene(clew) as on:
                asked = await on.ask(QUESTION)
                (answer,) = await on.marked(asked)
                assert asked.reactions == [WARNED]
                assert "I found little." in answer.words
                assert answer.buttons

    play(scene)


def test_what_keeps_a_question_from_its_answer_is_said_in_the_thread(tmp_path: Path) -> None:
    down = Scripted(lambda _: [ProviderDownError("The model is down: try again later.")])

    async def scene() -> None:
        with a_shop(tmp_path, down) as clew:
            async with a_scene(clew) as on:
                asked = await on.ask(QUESTION)
                (said,) = await on.marked(asked)
                assert asked.reactions == [WARNED]
                assert "⚠️ The model is down: try again later." in said.words

    play(scene)


def test_a_bug_ends_in_words_too(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    bug = Scripted(lambda _: [RuntimeError("a bug")])

    async def scene() -> None:
        with a_shop(tmp_path, bug) as clew:
            async with a_scene(clew) as on:
                (said,) = await on.marked(await on.ask(QUESTION))
                assert BROKEN in said.words

    play(scene)
    assert "a bug of Clew" in caplog.text


def test_a_mention_that_asks_nothing_is_told_what_to_write(tmp_path: Path) -> None:
    async def scene() -> None:
        with a_shop(tmp_path) as clew:
            async with a_scene(clew) as on:
                (said,) = await on.marked(await on.ask("  "))
                assert NOTHING_ASKED in said.words

    play(scene)


# --- watched channels ------------------------------------------------------------------------


def test_in_a_watched_channel_a_question_needs_no_mention(tmp_path: Path) -> None:
    async def scene() -> None:
        with a_shop(tmp_path) as clew:
            async with a_scene(clew) as on:
                asked = on.slack.say(WATCHED, QUESTION)
                await told(on, asked)
                (answer,) = await on.marked(asked)
                assert "retry_refund" in answer.words

    play(scene)


@pytest.mark.parametrize(
    "text", ["Refunds are retried five times.", "<@U0BOB> where are refunds retried?", "why?"]
)
def test_in_a_watched_channel_what_is_no_question_to_all_is_left_alone(
    tmp_path: Path, text: str
) -> None:
    async def scene() -> None:
        with a_shop(tmp_path) as clew:
            async with a_scene(clew) as on:
                said = on.slack.say(WATCHED, text)
                await told(on, said)
                await nothing_more(on)
                assert said.reactions == []
                assert on.slack.thread(said) == []

    play(scene)


def test_a_reply_without_a_mention_is_a_follow_up_only_below_an_answer(tmp_path: Path) -> None:
    async def scene() -> None:
        with a_shop(tmp_path) as clew:
            async with a_scene(clew) as on:
                others = on.slack.say(WATCHED, "Refunds are slow today.")
                among = on.slack.say(WATCHED, QUESTION, thread=others.ts)
                await told(on, among)
                asked = on.slack.say(WATCHED, QUESTION)
                await told(on, asked)
                await on.marked(asked)
                below = on.slack.say(WATCHED, "where is retry_refund called?", thread=asked.ts)
                await told(on, below)
                await on.marked(below)
                assert len(on.slack.thread(asked)) == 2
                assert among.reactions == []

    play(scene)


def test_a_message_in_a_channel_that_is_not_watched_is_left_alone(tmp_path: Path) -> None:
    async def scene() -> None:
        with a_shop(tmp_path) as clew:
            async with a_scene(clew) as on:
                for channel in (CHANNEL, UNLISTED):
                    await told(on, on.slack.say(channel, QUESTION))
                await nothing_more(on)
                assert on.slack.whispers == []
                assert len(on.slack.made("chat.postMessage")) == 1

    play(scene)


# --- who is not answered ---------------------------------------------------------------------


def test_an_unlisted_channel_is_refused_in_one_private_sentence(tmp_path: Path) -> None:
    async def scene() -> None:
        with a_shop(tmp_path) as clew:
            async with a_scene(clew) as on:
                asked = await on.ask("where is retry_refund?", UNLISTED)
                await on.slack.until(lambda: on.slack.whispers, "a refusal")
                await nothing_more(on)
                (said,) = on.slack.whispers
                assert (said["channel"], said["user"]) == (UNLISTED, "U0ADA")
                assert said["words"].strip() == REFUSED
                assert "shop" not in said["words"]
                assert asked.reactions == []
                assert on.slack.thread(asked) == []

    play(scene)


def test_a_direct_message_is_refused_in_one_private_sentence(tmp_path: Path) -> None:
    async def scene() -> None:
        with a_shop(tmp_path) as clew:
            async with a_scene(clew) as on:
                said = on.slack.say(on.slack.channel("D0ADA", direct=True), QUESTION)
                await told(on, said)
                await on.slack.until(lambda: on.slack.whispers, "a refusal")
                (refused,) = on.slack.whispers
                assert refused["words"].strip() == REFUSED
                assert on.slack.thread(said) == []

    play(scene)


def test_who_can_be_told_nothing_in_a_channel_is_told_directly(tmp_path: Path) -> None:
    async def scene() -> None:
        with a_shop(tmp_path) as clew:
            async with a_scene(clew) as on:
                on.slack.channel("C0AWAY", member=False)
                await on.ask(QUESTION, "C0AWAY")
                await on.slack.until(lambda: on.slack.messages[-1].channel == "D0ADA", "a word")
                assert on.slack.messages[-1].words.strip() == REFUSED

    play(scene)


def test_a_refusal_is_in_the_records_as_any_other(tmp_path: Path) -> None:
    async def scene() -> None:
        with a_shop(tmp_path) as clew:
            async with a_scene(clew) as on:
                await on.ask(QUESTION, UNLISTED)
                await on.slack.until(lambda: on.slack.whispers, "a refusal")
                (row,) = await clew.history(5)
                assert row.outcome == "refused"

    play(scene)


def test_bots_edits_and_what_the_app_wrote_itself_ask_nothing(tmp_path: Path) -> None:
    async def scene() -> None:
        with a_shop(tmp_path) as clew:
            async with a_scene(clew) as on:
                text = f"<@{ME}> {QUESTION}"
                by_bot = on.slack.say(WATCHED, text)
                await on.fake.told(payloads.message(by_bot, bot_id="B0OTHER"))
                await on.fake.told(payloads.message(on.slack.say(WATCHED, text, ME)))
                edited = on.slack.say(WATCHED, text)
                await on.fake.told(payloads.message(edited, subtype="message_changed"))
                await nothing_more(on)
                assert len(on.slack.made("chat.postMessage")) == 1

    play(scene)


def test_a_secret_in_a_question_is_kept_nowhere(tmp_path: Path) -> None:
    secret = "AKIA" + "Z7Q3MPN5RTW2XK4V"

    async def scene() -> None:
        with a_shop(tmp_path) as clew:
            async with a_scene(clew) as on:
                await on.marked(await on.ask(f"who uses {secret}?"))

    play(scene)
    Records(tmp_path / "data" / "records.db").close()
    stored = (p.read_bytes() for p in (tmp_path / "data").iterdir() if p.is_file())
    assert secret.encode() not in b"".join(stored)


# --- follow-ups ------------------------------------------------------------------------------


def test_a_follow_up_in_the_thread_carries_what_was_said_before(tmp_path: Path) -> None:
    async def scene() -> None:
        with a_shop(tmp_path) as clew:
            async with a_scene(clew) as on:
                first = await on.ask(QUESTION)
                await on.marked(first)
                second = await on.ask("who calls it?", thread=first.ts)
                await on.marked(second)
                answer = on.slack.thread(first)[-1]
                assert "send_invoice" in answer.words
                assert "“it” was taken as retry_refund" in answer.words
                assert on.slack.made("conversations.replies") == [], "from the records"

    play(scene)


def test_another_thread_carries_nothing(tmp_path: Path) -> None:
    async def scene() -> None:
        with a_shop(tmp_path) as clew:
            async with a_scene(clew) as on:
                await on.marked(await on.ask(QUESTION))
                (answer,) = await on.marked(await on.ask("who calls it?"))
                assert "was taken as" not in answer.words

    play(scene)
