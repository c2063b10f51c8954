"""The question's row: written before work starts, and completed whatever happens after."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import aclosing
from pathlib import Path

import pytest

from clew.answerers.base import Conclude, Say
from clew.errors import InputError, NotFoundError, PermanentError, SourceError
from clew.types import StatusEvent
from support.asking import (
    SHOP,
    Paused,
    Scripted,
    a_question,
    ask,
    events_of,
    saying,
    with_answerer,
)


@pytest.fixture
def shop(git_repo):
    return git_repo(SHOP, name="shop")


def only_row(clew):
    (row,) = asyncio.run(clew.history(10))
    return asyncio.run(clew.answer(row.id))


def test_an_answered_question_is_kept_as_it_was_given(shop, make_clew):
    clew = make_clew()
    answer = ask(clew, "where are refunds retried?", shop.path)
    stored = only_row(clew)
    assert answer.outcome == "answered"
    assert stored.answer == answer
    assert stored.error is None
    assert stored.pinned[0][1].id == shop.git("rev-parse", "HEAD")


def test_an_abstention_is_kept_too(shop, make_clew):
    clew = make_clew()
    answer = ask(clew, "how is the zeppelin moored?", shop.path)
    assert answer.outcome == "no_answer"
    assert only_row(clew).answer == answer


def test_the_row_is_there_before_any_source_is_looked_at(shop, make_clew):
    clew = make_clew()

    async def main():
        async with aclosing(clew.ask(a_question("where are refunds?", shop.path))) as events:
            first = await anext(events)
            assert isinstance(first, StatusEvent)
            (row,) = await clew.history(10)
            assert row.outcome is None
            assert row.question == "where are refunds?"

    asyncio.run(main())


def test_a_source_that_cannot_be_opened_leaves_a_failed_row_that_says_why(make_clew, tmp_path):
    clew = make_clew()
    with pytest.raises(SourceError) as raised:
        ask(clew, "where are refunds?", tmp_path / "nowhere")
    stored = only_row(clew)
    assert stored.summary.outcome == "failed"
    assert stored.error.type == "source"
    assert stored.error.message == raised.value.message


def test_a_refused_question_leaves_a_refused_row(shop, make_clew):
    clew = make_clew()
    with pytest.raises(NotFoundError):
        ask(clew, "on branch release/2.x, where are refunds retried?", shop.path)
    assert only_row(clew).summary.outcome == "refused"


def test_a_bug_in_an_answerer_is_raised_and_leaves_a_failed_row(shop, make_clew):
    steps = [Say("So far so good.\n\n"), RuntimeError("a bug")]
    clew = make_clew(answerer=Scripted(lambda _: steps))
    with pytest.raises(RuntimeError, match="a bug"):
        ask(clew, "where are refunds?", shop.path)
    stored = only_row(clew)
    assert stored.summary.outcome == "failed"
    assert "Clew itself" in stored.error.message
    assert "a bug" not in stored.error.message


def test_an_error_of_an_answerer_is_raised_and_kept(shop, make_clew):
    clew = make_clew(answerer=Scripted(lambda _: [PermanentError("It said no for good.")]))
    with pytest.raises(PermanentError):
        ask(clew, "where are refunds?", shop.path)
    assert only_row(clew).error.message == "It said no for good."


@pytest.mark.parametrize("events_taken", [1, 4, 6])
def test_a_caller_that_stops_listening_leaves_a_failed_row(shop, make_clew, events_taken):
    clew = make_clew()

    async def main():
        events = clew.ask(a_question("where are refunds retried?", shop.path))
        for _ in range(events_taken):
            await anext(events)
        await events.aclose()

    asyncio.run(main())
    stored = only_row(clew)
    assert stored.summary.outcome == "failed"
    assert "interrupted" in stored.error.message


def test_a_cancelled_task_leaves_a_failed_row_and_no_work_behind(shop, make_clew):
    paused = Paused(saying("Nothing."))
    clew = make_clew(answerer=paused)

    async def main():
        task = asyncio.ensure_future(events_of(clew, "where are refunds?", shop.path))
        await asyncio.to_thread(paused.begun.wait, 60)
        task.cancel()
        paused.go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        (row,) = await clew.history(10)
        assert row.outcome == "failed"

    asyncio.run(main())
    assert "interrupted" in only_row(clew).error.message


@pytest.mark.parametrize("method", ["begin", "pin", "complete"])
def test_a_task_cancelled_while_the_row_is_written_leaves_no_open_row(
    shop, make_clew, monkeypatch, method
):
    """A thread can't be stopped: what it writes after its caller has gone must be completed."""
    clew = make_clew(answerer=saying("Nothing.\n"))
    records = clew._records()
    writing, go_on = threading.Event(), threading.Event()
    real = getattr(records, method)

    def slow(*args, **kwargs):
        if not writing.is_set():
            writing.set()
            go_on.wait(60)
        return real(*args, **kwargs)

    monkeypatch.setattr(records, method, slow)

    async def main():
        task = asyncio.ensure_future(events_of(clew, "where are refunds?", shop.path))
        await asyncio.to_thread(writing.wait, 60)
        task.cancel()
        await asyncio.sleep(0)
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    (row,) = asyncio.run(clew.history(10))
    assert row.outcome is not None
    assert row.completed_at is not None


def test_what_went_wrong_first_is_told_when_the_record_fails_as_well(shop, make_clew, monkeypatch):
    clew = make_clew(answerer=Scripted(lambda _: [PermanentError("the first")]))

    def full(*_args, **_kwargs):
        raise PermanentError("the disk is full")

    monkeypatch.setattr(clew._records(), "complete", full)
    with pytest.raises(PermanentError, match="the first"):
        ask(clew, "where are refunds?", shop.path)


def test_an_answer_that_cannot_be_recorded_is_an_error_and_never_a_done_event(
    shop, make_clew, monkeypatch
):
    clew = make_clew(answerer=saying("Nothing.\n"))

    def full(*_args, **_kwargs):
        raise PermanentError("the disk is full")

    monkeypatch.setattr(clew._records(), "complete", full)
    with pytest.raises(PermanentError, match="disk is full"):
        ask(clew, "where are refunds?", shop.path)


KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from support.asking import Scripted, a_clew, ask

def die(_):
    os.kill(os.getpid(), signal.SIGKILL)
    yield

ask(a_clew(Path(sys.argv[1]), answerer=Scripted(die)), "where are refunds?", sys.argv[2])
"""


def test_a_killed_process_leaves_a_row_that_the_next_one_completes(shop, make_clew, tmp_path):
    path = [str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, path))}
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path), str(shop.path)], env=environment, check=False
    )
    assert done.returncode == -signal.SIGKILL
    with sqlite3.connect(tmp_path / "data/records.db") as database:
        assert database.execute("SELECT outcome FROM answer").fetchall() == [(None,)]
    database.close()
    stored = only_row(make_clew())
    assert stored.summary.outcome == "failed"
    assert stored.error.type == "interrupted"


@pytest.mark.parametrize("text", ["", "   \n\t ", "x" * 8_001])
def test_a_question_that_is_none_is_refused_before_anything_is_written(make_clew, text):
    clew = make_clew()
    with pytest.raises(InputError):
        ask(clew, text)
    assert asyncio.run(clew.history(10)) == []


def test_what_is_said_after_the_conclusion_still_counts(shop, make_clew):
    steps = [Conclude("no_answer"), Say("`retry_refund` is at `shop/refunds.py:6-11`.\n")]
    answer = ask(make_clew(answerer=Scripted(lambda _: steps)), "where are refunds?", shop.path)
    assert answer.outcome == "no_answer"
    assert [c.path for c in answer.citations] == ["shop/refunds.py"]


def test_an_answerer_that_concludes_nothing_has_failed(shop, make_clew):
    answer = ask(make_clew(answerer=Scripted(lambda _: [])), "where is it?", shop.path)
    assert answer.outcome == "failed"


def test_questions_of_one_application_share_one_history(shop, make_clew):
    clew = make_clew(answerer=saying("One.\n"))
    ask(clew, "where is one?", shop.path)
    ask(with_answerer(clew, saying("Two.\n")), "where is two?", shop.path)
    rows = asyncio.run(clew.history(10))
    assert [row.question for row in rows] == ["where is two?", "where is one?"]
