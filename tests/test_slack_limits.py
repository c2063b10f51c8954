"""Whatever Slack refuses, limits or loses, the asker sees the answer or one short reason.

Cases C16 (too long for Slack) and C17 (silence).
"""

from __future__ import annotations

import asyncio
import queue
import re
from html import unescape
from typing import TYPE_CHECKING, Any

import pytest

from clew.errors import TransientError
from clew.records.receipts import Receipts
from clew.surfaces.slack.answering import TOO_LATE
from clew.surfaces.slack.client import Slack
from clew.surfaces.slack.incoming import Place
from clew.surfaces.slack.running import open_web
from support.asking import Paused, saying
from support.slack.running import (
    CHANNEL,
    DONE,
    WARNED,
    WATCHED,
    a_scene,
    a_shop,
    connection,
    play,
)
from support.slack.server import FakeSlack
from support.slack.workspace import TEAM

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from clew.answerers.base import Answerer
    from support.slack.running import Scene
    from support.slack.workspace import Posted

QUESTION = "where are refunds retried?"


@pytest.fixture
def closings(monkeypatch: pytest.MonkeyPatch) -> queue.Queue[tuple[Any, ...]]:
    """How receipts are closed, once they are."""
    close = Receipts.close
    seen: queue.Queue[tuple[Any, ...]] = queue.Queue()

    def closing(self: Receipts, *arguments: Any) -> None:
        close(self, *arguments)
        seen.put(arguments)

    monkeypatch.setattr(Receipts, "close", closing)
    return seen


def lines(count: int, width: int = 60) -> str:
    return "".join(f"{n:06d} {'x' * width}\n" for n in range(count))


AWKWARD = {
    "long prose": "".join(f"Sentence {n} says nothing new.\n\n" for n in range(700)),
    "a long line": "x" * 20_000,
    "80 code blocks": "".join(f"In words {n}:\n\n```py\nprint({n})\n```\n\n" for n in range(80)),
    "a long code block": f"```py\n{lines(300)}```\n",
    "an unclosed fence": f"Before.\n\n```py\n{lines(200)}",
    "a wide table": "| name | what it is for |\n|---|---|\n"
    + "".join(f"| cell{n} | {'wide ' * 40}end{n} |\n" for n in range(40)),
    "nested lists": "".join(f"- one {n}\n  - two {n}\n    1. three {n}\n" for n in range(150)),
    "signs": "a < b && c > d <!channel> &lt; " * 300,
    "nothing but signs": "&" * 20_000,
    "signs in code": f"```\n{'&<>' * 3_000}\n```\n",
    "many styles": "**a** b *c* ~~d~~ " * 2_000,
    "a quote of short lines": "".join(f"> {n % 10}\n" for n in range(3_000)),
    "a title of two lines": "Title\nof two lines\n=====\n\ntext\n",
    "quotes": "".join(f"> quote {n}\n>\n> more\n\n" for n in range(200)),
    "html": "<details><summary>open</summary>hidden</details>\n" * 100,
}


def letters(text: str) -> str:
    """The words of a text, however they are set."""
    return " ".join(re.findall(r"[A-Za-z0-9]+", text))


async def asked(on: Scene, *ends: str) -> tuple[Posted, list[Posted]]:
    said = await on.ask(QUESTION)
    return said, await on.marked(said, *ends)


def answered(
    folder: Path, answerer: Answerer, before: Callable[[Scene], None] = lambda on: None
) -> list[Posted]:
    """Ask once; returns what stands below the question."""
    found: list[Posted] = []

    async def scene() -> None:
        with a_shop(folder, answerer) as clew:
            async with a_scene(clew) as on:
                before(on)
                found.extend((await asked(on))[1])
                assert on.slack.pings == []

    play(scene)
    return found


# --- too long --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", AWKWARD)
def test_an_awkward_answer_arrives_whole_and_in_order(tmp_path: Path, kind: str) -> None:
    text = AWKWARD[kind]
    found = answered(tmp_path, saying(text))
    assert all(message.blocks for message in found)
    arrived = letters("\n".join(re.sub(r"\(\d+ of \d+\)", "", m.words) for m in found))
    markup = r"```py|```|\|---|&lt;|^ *1\.|name \| what it is for"
    wanted = letters(re.sub(markup, " ", text, flags=re.MULTILINE))
    if kind == "a wide table":
        for n in range(40):
            assert f"cell{n} " in arrived
            assert f"end{n}" in arrived
    else:
        assert wanted in arrived or wanted.replace(" ", "") in arrived.replace(" ", "")
    assert [m.ts for m in found] == sorted(m.ts for m in found)
    assert [bool(m.buttons) for m in found] == [False] * (len(found) - 1) + [True]


def test_the_parts_of_a_long_answer_are_numbered_and_carry_its_id(tmp_path: Path) -> None:
    found = answered(tmp_path, saying(AWKWARD["long prose"]))
    assert len(found) > 3
    for at, message in enumerate(found):
        assert message.words.startswith(f"({at + 1} of {len(found)})")
        payload = message.metadata["event_payload"]
        assert (payload["part"], payload["parts"]) == (at, len(found))
        assert payload["answer"] == found[-1].buttons[0]["value"]
    assert len({m.metadata["event_payload"]["receipt"] for m in found}) == 1


# --- refused ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "error", ["invalid_blocks", "msg_blocks_too_long", "invalid_blocks_format"]
)
def test_where_slack_refuses_blocks_the_answer_comes_as_plain_text(
    tmp_path: Path, error: str, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(on: Scene) -> None:
        on.slack.no_blocks = error

    text = "See `retry_refund` <!channel> & more.\n\n```py\na < b\n```\n"
    (answer,) = answered(tmp_path, saying(text), refuse)
    assert not answer.blocks
    assert "`retry_refund`" in answer.text
    assert "&lt;\u2060!channel&gt; &amp; more." in answer.text
    assert "```\na &lt; b\n```" in answer.text
    assert error in caplog.text


@pytest.mark.parametrize("kind", ["long prose", "signs", "quotes", "a long code block"])
def test_a_long_answer_comes_whole_as_plain_text_too(tmp_path: Path, kind: str) -> None:
    def refuse(on: Scene) -> None:
        on.slack.no_blocks = "invalid_blocks"

    found = answered(tmp_path, saying(AWKWARD[kind]), refuse)
    assert not any(message.blocks for message in found)
    arrived = re.sub(r"\(\d+ of \d+\)", "", "\n".join(unescape(m.text) for m in found))
    wanted = letters(unescape(AWKWARD[kind]).replace("```py", ""))
    assert wanted in letters(arrived)


def test_a_text_that_is_too_long_after_all_is_shortened_beside_its_blocks(tmp_path: Path) -> None:
    def refuse(on: Scene) -> None:
        on.slack.fail("chat.update", 3, error="msg_too_long")

    text = "It is retried & more. " * 100
    (answer,) = answered(tmp_path, saying(text), refuse)
    assert letters(text) in letters(answer.words)


def test_slacks_wait_is_waited_for(tmp_path: Path) -> None:
    def limit(on: Scene) -> None:
        for method in ("reactions.add", "chat.postMessage", "reactions.remove"):
            on.slack.fail(method, 2, status=429, retry_after="0.01")

    (answer,) = answered(tmp_path, saying("It is."), limit)
    assert "It is." in answer.words


def test_a_state_that_slack_has_no_room_for_is_left_out(tmp_path: Path) -> None:
    def limit(on: Scene) -> None:
        on.slack.fail("chat.update", 1, status=429, retry_after="0.01")

    (answer,) = answered(tmp_path, saying("It is."), limit)
    assert "It is." in answer.words


@pytest.mark.parametrize("method", ["reactions.add", "chat.postMessage", "chat.update"])
def test_a_server_that_fails_for_a_moment_is_tried_again(
    tmp_path: Path, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clew.surfaces.slack.client._FIRST_WAIT", 0.01)

    def fail(on: Scene) -> None:
        on.slack.fail(method, 2, status=503)

    (answer,) = answered(tmp_path, saying("It is."), fail)
    assert "It is." in answer.words


def test_a_reaction_that_is_refused_keeps_nothing_back(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def scene() -> None:
        with a_shop(tmp_path, saying("It is.")) as clew:
            async with a_scene(clew) as on:
                on.slack.fail("reactions.add", 1, error="missing_scope")
                _, (answer,) = await asked(on)
                assert "It is." in answer.words

    play(scene)
    assert "missing_scope" in caplog.text


def test_a_message_that_was_deleted_meanwhile_is_written_anew(tmp_path: Path) -> None:
    paused = Paused(saying("It is."))

    async def scene() -> None:
        with a_shop(tmp_path, paused) as clew:
            async with a_scene(clew) as on:
                said = await on.ask(QUESTION)
                await asyncio.to_thread(paused.begun.wait, 60)
                (status,) = on.slack.thread(said)
                on.slack.messages.remove(status)
                paused.go_on.set()
                (answer,) = await on.marked(said)
                assert answer is not status
                assert "It is." in answer.words

    play(scene)


# --- nowhere to write ------------------------------------------------------------------------


def test_who_asks_where_nothing_can_be_written_is_told_directly(tmp_path: Path) -> None:
    async def scene() -> None:
        with a_shop(tmp_path) as clew:
            async with a_scene(clew) as on:
                on.slack.channels[CHANNEL].archived = True
                await on.ask(QUESTION)
                await on.slack.until(lambda: on.slack.messages[-1].channel == "D0ADA", "a word")
                words = on.slack.messages[-1].words
                assert words.strip() == "I can't answer there: that channel is archived."
                assert await clew.history(5) == [], "nobody was asked for nothing"

    play(scene)


def test_an_answer_that_can_no_longer_be_written_is_named_privately(
    tmp_path: Path, closings: queue.Queue[tuple[Any, ...]]
) -> None:
    paused = Paused(saying("It is."))

    async def scene() -> None:
        with a_shop(tmp_path, paused) as clew:
            async with a_scene(clew) as on:
                await on.ask(QUESTION)
                await asyncio.to_thread(paused.begun.wait, 60)
                on.slack.channels[CHANNEL].archived = True
                paused.go_on.set()
                await on.slack.until(lambda: on.slack.messages[-1].channel == "D0ADA", "a word")
                (row,) = await clew.history(5)
                words = on.slack.messages[-1].words
                assert "that channel is archived" in words
                assert f"It is kept as answer {row.id}." in words
                receipt = clew.receipts.of_answer(row.id)
                assert receipt
                closed = await asyncio.to_thread(closings.get, timeout=60)
                assert closed == (receipt.id, "failed", "Slack: is_archived")

    play(scene)


def test_an_answer_waits_until_slack_can_be_reached_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clew.surfaces.slack.client._FIRST_WAIT", 0.001)
    monkeypatch.setattr("clew.surfaces.slack.worker.BEAT_SECONDS", 0.01)

    async def scene() -> None:
        with a_shop(tmp_path, saying("It is.")) as clew:
            async with a_scene(clew) as on:
                on.slack.fail("chat.postMessage", 20, status=503)
                said = await on.ask(QUESTION)
                (answer,) = await on.marked(said, DONE)
                assert "It is." in answer.words

    play(scene)


def test_who_waited_in_vain_is_told_once_slack_can_be_reached_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clew.surfaces.slack.client._FIRST_WAIT", 0.001)
    monkeypatch.setattr("clew.surfaces.slack.worker.BEAT_SECONDS", 0.01)
    monkeypatch.setattr("clew.surfaces.slack.worker.GIVE_UP_SECONDS", 0.0)

    async def scene() -> None:
        with a_shop(tmp_path, saying("It is.")) as clew:
            async with a_scene(clew) as on:
                on.slack.fail("chat.postMessage", 20, status=503)
                said = await on.ask(QUESTION)
                (told,) = await on.marked(said, WARNED)
                assert TOO_LATE in told.words
                assert await clew.history(5) == []

    play(scene)


def test_an_answer_that_is_there_is_delivered_however_late(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clew.surfaces.slack.client._FIRST_WAIT", 0.001)
    monkeypatch.setattr("clew.surfaces.slack.worker.BEAT_SECONDS", 0.01)
    monkeypatch.setattr("clew.surfaces.slack.worker.GIVE_UP_SECONDS", 0.0)
    paused = Paused(saying("It is."))

    async def scene() -> None:
        with a_shop(tmp_path, paused) as clew:
            async with a_scene(clew) as on:
                said = await on.ask(QUESTION)
                await asyncio.to_thread(paused.begun.wait, 60)
                on.slack.fail("chat.update", 20, status=503)
                paused.go_on.set()
                (answer,) = await on.marked(said, DONE)
                assert "It is." in answer.words
                assert len(await clew.history(5)) == 1

    play(scene)


def test_what_could_not_be_told_for_a_day_is_let_go(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    closings: queue.Queue[tuple[Any, ...]],
) -> None:
    monkeypatch.setattr("clew.surfaces.slack.client._FIRST_WAIT", 0.001)
    monkeypatch.setattr("clew.surfaces.slack.worker.BEAT_SECONDS", 0.01)
    monkeypatch.setattr("clew.surfaces.slack.worker.FORGET_SECONDS", 0.0)

    async def scene() -> None:
        with a_shop(tmp_path, saying("It is.")) as clew:
            async with a_scene(clew) as on:
                on.slack.fail("reactions.add", 6, status=503)
                said = await on.ask(QUESTION)
                await asyncio.to_thread(closings.get, timeout=60)
                taken = clew.receipts.at("slack", f"{TEAM}/{CHANNEL}/{said.ts}")
                assert taken
                assert taken.closed
                assert on.slack.thread(said) == []

    play(scene)
    assert "tried again later" in caplog.text


def test_a_method_is_left_alone_for_as_long_as_slack_says(tmp_path: Path) -> None:
    waits: list[float] = []
    now = [0.0]

    async def wait(seconds: float) -> None:
        waits.append(seconds)
        now[0] += seconds

    async def scene() -> None:
        fake = FakeSlack()
        async with fake.running(), open_web(connection(fake)) as web:
            slack = Slack(web, wait, clock=lambda: now[0])
            for name in (CHANNEL, WATCHED):
                fake.workspace.channel(name)
            said, other = (fake.workspace.say(name, "why?") for name in (CHANNEL, WATCHED))
            place, elsewhere = (
                Place("T0SHOP", each.channel, each.ts, each.ts, each.user) for each in (said, other)
            )
            fake.workspace.fail("reactions.add", status=429, retry_after="600")
            for _ in range(3):
                with pytest.raises(TransientError):
                    await slack.react(place, "eyes")
            assert len(fake.workspace.made("reactions.add")) == 1
            assert (await slack.react(elsewhere, "eyes")).error == ""
            now[0] += 480
            assert (await slack.react(place, "eyes")).error == ""
            assert waits == [120]

    play(scene)


def test_what_is_refused_for_good_is_marked_with_a_warning(tmp_path: Path) -> None:
    async def scene() -> None:
        with a_shop(tmp_path) as clew:
            async with a_scene(clew) as on:
                said, (answer,) = await asked(on)
                assert said.reactions == [DONE]
                too_long = await on.ask("why? " * 2_000)
                (refused,) = await on.marked(too_long, WARNED)
                assert "at most 8,000 are read" in refused.words
                assert not refused.buttons
                assert answer.buttons

    play(scene)
