"""Told twice, killed, cut off: one question gets exactly one answer, and none is lost (C14)."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import pytest

from clew.errors import BusyError
from clew.records.receipts import Receipts
from clew.records.store import Records
from clew.records.tables import receipt
from clew.surfaces.slack.answering import INTERRUPTED, MAX_ATTEMPTS, STOPPED
from support.asking import Paused, saying
from support.slack import payloads
from support.slack.process import a_process
from support.slack.running import (
    CHANNEL,
    DONE,
    WARNED,
    WATCHED,
    a_scene,
    a_shop,
    connection,
    play,
    surface,
)
from support.slack.server import FakeSlack
from support.slack.workspace import ME

if TYPE_CHECKING:
    from pathlib import Path

    from support.slack.workspace import Posted

QUESTION = "where are refunds retried?"
LONG = "".join(f"## Part {n}\n\n{'It is retried. ' * 200}\n\n" for n in range(3))  # three messages


def begun_by(fake: FakeSlack, channel: str = CHANNEL) -> Posted:
    """A question is asked; nobody knows of it yet."""
    return fake.workspace.say(channel, f"<@{ME}> {QUESTION}")


def answers(fake: FakeSlack, asked: Posted) -> list[Posted]:
    """The messages below a question that end an answer: those with buttons."""
    return [m for m in fake.workspace.thread(asked) if m.buttons]


async def with_channels(fake: FakeSlack) -> None:
    for name in (CHANNEL, WATCHED):
        fake.workspace.channel(name)


# --- told twice ------------------------------------------------------------------------------


def test_an_event_that_is_told_again_is_answered_once(tmp_path: Path) -> None:
    async def scene() -> None:
        with a_shop(tmp_path) as clew:
            async with a_scene(clew) as on:
                asked = begun_by(on.fake)
                body = payloads.mention(asked, "Ev1")
                await asyncio.gather(*(on.fake.told(body) for _ in range(3)))
                await on.marked(asked)
                await on.fake.told(body)
                await on.marked(await on.ask("where are invoices sent?"))
                assert len(on.slack.thread(asked)) == 1

    play(scene)


def test_a_mention_in_a_watched_channel_is_told_as_two_events_and_answered_once(
    tmp_path: Path,
) -> None:
    async def scene() -> None:
        with a_shop(tmp_path) as clew:
            async with a_scene(clew) as on:
                asked = begun_by(on.fake, WATCHED)
                await on.fake.told(payloads.message(asked))
                await on.fake.told(payloads.mention(asked))
                await on.marked(asked)
                await on.marked(await on.ask("where are invoices sent?"))
                assert len(on.slack.thread(asked)) == 1

    play(scene)


def test_what_could_not_be_written_down_is_not_acknowledged_and_is_told_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken, tries = Receipts.take, list[str]()

    def take(self: Receipts, *arguments: Any, **more: Any) -> Any:
        tries.append("")
        if len(tries) == 1:
            raise BusyError("The records are held by another process: try again in a moment.")
        return taken(self, *arguments, **more)

    monkeypatch.setattr(Receipts, "take", take)

    async def scene() -> None:
        with a_shop(tmp_path) as clew:
            fake = FakeSlack()
            fake.ack_seconds = 0.2
            async with a_scene(clew, fake=fake) as on:
                asked = begun_by(fake)
                envelope = await fake.told(payloads.mention(asked))
                assert envelope.attempt >= 1
                await on.marked(asked)
                assert len(on.slack.thread(asked)) == 1

    play(scene)


def test_a_socket_that_is_closed_in_the_middle_loses_nothing(tmp_path: Path) -> None:
    paused = Paused(saying("It is."))

    async def scene() -> None:
        with a_shop(tmp_path, paused) as clew:
            async with a_scene(clew) as on:
                asked = await on.ask(QUESTION)
                await asyncio.to_thread(paused.begun.wait, 60)
                await on.fake.disconnect(on.fake.sockets[0], "refresh_requested")
                await on.slack.until(lambda: on.fake.opened == 2, "another socket")
                paused.go_on.set()
                await on.marked(asked)
                await on.marked(await on.ask("where are invoices sent?"))
                assert len(on.slack.thread(asked)) == 1

    play(scene)


def test_a_message_whose_answer_was_lost_on_the_way_is_not_written_twice(tmp_path: Path) -> None:
    async def scene() -> None:
        with a_shop(tmp_path, saying(LONG)) as clew:
            async with a_scene(clew) as on:
                on.slack.fail("chat.postMessage", dropped=True)  # the one that says what is done
                asked = await on.ask(QUESTION)
                await on.marked(asked)
                assert len(on.slack.thread(asked)) == 3
                on.slack.failures["chat.postMessage"].clear()

    play(scene)


# --- several processes -----------------------------------------------------------------------


def test_two_processes_on_the_same_records_answer_each_question_once(tmp_path: Path) -> None:
    async def scene() -> None:
        fake = FakeSlack()
        async with fake.running():
            await with_channels(fake)
            told = asdict(connection(fake))
            with a_process(tmp_path, told) as one, a_process(tmp_path, told) as other:
                await one.says("Answering in Slack")
                await other.says("Answering in Slack")
                asked = [begun_by(fake) for _ in range(4)]
                events = [payloads.mention(said) for said in asked]
                await asyncio.gather(*(fake.told(body) for body in events + events))
                for said in asked:
                    await fake.workspace.until(lambda s=said: s.reactions == [DONE], "an answer")
                assert len({id(socket) for socket in fake.sockets}) == 2
                assert [len(fake.workspace.thread(said)) for said in asked] == [1] * 4

    play(scene)


def test_a_question_of_a_killed_process_is_answered_by_the_next(tmp_path: Path) -> None:
    async def scene() -> None:
        fake = FakeSlack()
        async with fake.running():
            await with_channels(fake)
            asked = begun_by(fake)
            with a_process(tmp_path, asdict(connection(fake)), "It is.") as child:
                await child.says("Answering in Slack")
                await fake.told(payloads.mention(asked))
                await child.says("begun")
                await child.kill()
            with a_shop(tmp_path) as clew:
                async with surface(fake, clew) as on:
                    (answer,) = await on.marked(asked)
                    assert asked.reactions == [DONE]
                    assert "retry_refund" in answer.words

    play(scene)


@pytest.mark.parametrize("part", [0, 1])
def test_an_answer_that_was_half_delivered_is_delivered_once(tmp_path: Path, part: int) -> None:
    """Killed when Slack has written a part and the process doesn't know it yet."""

    async def scene() -> None:
        fake, waits = FakeSlack(), asyncio.Event()
        async with fake.running():
            await with_channels(fake)
            asked = begun_by(fake)
            with a_process(tmp_path, asdict(connection(fake)), LONG) as child:
                await child.says("Answering in Slack")
                if part == 0:
                    fake.workspace.fail("chat.postMessage", held=waits)
                await fake.told(payloads.mention(asked))
                if part == 1:
                    await child.says("begun")
                    fake.workspace.fail("chat.postMessage", held=waits)
                    child.go_on()
                await fake.workspace.until(
                    lambda: len(fake.workspace.thread(asked)) == part + 1, "the part"
                )
                await child.kill()
            with a_shop(tmp_path, saying(LONG)) as clew:
                async with surface(fake, clew) as on:
                    await on.marked(asked)
                    assert len(on.slack.thread(asked)) == 3
                    assert len(answers(fake, asked)) == 1

    play(scene)


def test_a_process_that_is_asked_to_end_says_so_and_the_next_goes_on(tmp_path: Path) -> None:
    paused = Paused(saying("It is."))

    async def scene() -> None:
        fake = FakeSlack()
        async with fake.running():
            await with_channels(fake)
            with a_shop(tmp_path, paused) as clew:
                async with surface(fake, clew) as on:
                    asked = await on.ask(QUESTION)
                    await asyncio.to_thread(paused.begun.wait, 60)
                (said,) = fake.workspace.thread(asked)
                assert STOPPED in said.words
                paused.go_on.set()
                left_behind(tmp_path)
                async with surface(fake, clew) as on:
                    (answer,) = await on.marked(asked)
                    assert "It is." in answer.words

    play(scene)


def test_a_question_that_ends_every_process_is_given_up_in_words(tmp_path: Path) -> None:
    paused = Paused(saying("It is."))

    async def scene() -> None:
        fake = FakeSlack()
        async with fake.running():
            await with_channels(fake)
            with a_shop(tmp_path, paused) as clew:
                async with surface(fake, clew) as on:
                    asked = await on.ask(QUESTION)
                    await asyncio.to_thread(paused.begun.wait, 60)
                paused.go_on.set()
                left_behind(tmp_path, attempts=MAX_ATTEMPTS)
                async with surface(fake, clew) as on:
                    (said,) = await on.marked(asked)
                    assert INTERRUPTED in said.words
                    assert asked.reactions == [WARNED]

    play(scene)


def left_behind(folder: Path, **changes: Any) -> None:
    """Make what is open that of a process on another host which was not heard of for long."""
    records = Records(folder / "data" / "records.db")
    values = {"host": "elsewhere", "pid": 1, "process": "x", "seen_at": 0.0, **changes}
    with records.writing() as connection:
        connection.execute(receipt.update().where(receipt.c.closed_at.is_(None)).values(values))
    records.close()


# --- many at once ----------------------------------------------------------------------------


def test_twenty_questions_at_once_are_each_answered_once(tmp_path: Path) -> None:
    async def scene() -> None:
        with a_shop(tmp_path) as clew:
            async with a_scene(clew) as on:
                asked = [begun_by(on.fake) for _ in range(20)]
                await asyncio.gather(*(on.fake.told(payloads.mention(said)) for said in asked))
                for said in asked:
                    await on.marked(said, DONE)
                assert [len(on.slack.thread(said)) for said in asked] == [1] * 20
                assert [len(answers(on.fake, said)) for said in asked] == [1] * 20

    play(scene)
