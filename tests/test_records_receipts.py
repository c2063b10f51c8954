"""Receipts: a question that is told twice is taken once, and none that was taken is lost."""

from __future__ import annotations

import subprocess
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from clew.records.receipts import SILENT_SECONDS, Receipt, Receipts
from clew.records.store import Records
from clew.records.tables import receipt
from clew.types import Exchange
from support.answers import a_question, an_answer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TAKE = """
import sys
from pathlib import Path
from clew.records.receipts import Receipts
from clew.records.store import Records
where = sys.argv[1] if "://" in sys.argv[1] else Path(sys.argv[1])
receipts = Receipts(Records(where))
sys.stdin.readline()
taken = receipts.take("slack", sys.argv[2], thread="t", event="e", asker="u", question="why?")
print(taken.id if taken else "", flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def records(records_where: Path | str) -> Iterator[Records]:
    opened = Records(records_where)
    yield opened
    opened.close()


@contextmanager
def taking(where: Path | str, place: str) -> Iterator[subprocess.Popen[str]]:
    """Another process that takes a question in when it reads a line, and waits for another."""
    command = [sys.executable, "-c", TAKE, str(where), place]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with process:
        yield process
        process.kill()


def go_on(process: subprocess.Popen[str]) -> None:
    assert process.stdin
    process.stdin.write("\n")
    process.stdin.flush()


def said(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    return process.stdout.readline().strip()


def take(receipts: Receipts, place: str = "p1", **changes: Any) -> Receipt | None:
    fields = {"thread": "t1", "event": "Ev1", "asker": "U1", "question": "why?", **changes}
    return receipts.take("slack", place, **fields)


def taken(receipts: Receipts, place: str = "p1", **changes: Any) -> Receipt:
    found = take(receipts, place, **changes)
    assert found
    return found


def answered(records: Records, one: Receipt, text: str, **changes: Any) -> str:
    """Answer a receipt as the surface does; returns the answer's id."""
    answer_id = records.begin(a_question(one.question))
    answer = an_answer(answer_id, question=one.question, text=text, **changes)
    records.complete(answer, [])
    Receipts(records).answered(one.id, answer_id)
    return answer_id


def left_behind(records: Records, one: Receipt, **changes: Any) -> None:
    """Make a receipt that of a process on another host, of which nothing can be known."""
    values = {"host": "elsewhere", "pid": 1, "process": "x", **changes}
    with records.writing() as connection:
        connection.execute(receipt.update().where(receipt.c.id == one.id).values(values))


# --- taken once ------------------------------------------------------------------------------


def test_a_question_is_taken_once_whatever_it_is_told_under(records: Records) -> None:
    receipts = Receipts(records)
    assert take(receipts)
    assert take(receipts) is None
    assert take(receipts, event="Ev2") is None
    assert take(receipts, "p2", event="Ev1") is not None


def test_of_threads_that_take_the_same_question_one_gets_it(records: Records) -> None:
    receipts, won = Receipts(records), list[Receipt | None]()
    start = threading.Barrier(8)

    def race() -> None:
        start.wait()
        won.append(take(receipts))

    racing = [threading.Thread(target=race) for _ in range(8)]
    for thread in racing:
        thread.start()
    for thread in racing:
        thread.join()
    assert len(won) == 8
    assert len([one for one in won if one]) == 1


def test_of_two_processes_that_take_the_same_question_one_gets_it(
    records_where: Path | str, records: Records
) -> None:
    with taking(records_where, "p1") as one, taking(records_where, "p1") as other:
        go_on(one)
        go_on(other)
        assert sorted(bool(said(process)) for process in (one, other)) == [False, True]


# --- none lost -------------------------------------------------------------------------------


def test_what_a_killed_process_owes_is_adopted_once(
    records_where: Path | str, records: Records
) -> None:
    receipts = Receipts(records)
    with taking(records_where, "p1") as process:
        go_on(process)
        receipt_id = said(process)
        assert receipts.adopt("slack") == [], "its process lives"
        process.kill()
        process.wait()
        assert receipts.adopt("another") == []
        (adopted,) = receipts.adopt("slack")
    assert (adopted.id, adopted.attempts, adopted.question) == (receipt_id, 2, "why?")
    assert receipts.adopt("slack") == [], "it is ours now"


def test_what_this_process_owes_is_not_adopted(records: Records) -> None:
    receipts = Receipts(records)
    taken(receipts)
    assert receipts.adopt("slack") == []


def test_a_process_on_another_host_has_gone_when_it_was_silent(records: Records) -> None:
    receipts = Receipts(records)
    one = taken(receipts)
    left_behind(records, one)
    assert receipts.adopt("slack") == [], "it was seen a moment ago"
    left_behind(records, one, seen_at=one.received_at - SILENT_SECONDS - 1)
    assert [adopted.id for adopted in receipts.adopt("slack")] == [one.id]


def test_a_beat_is_of_ones_own_receipts_only(records: Records) -> None:
    receipts = Receipts(records)
    mine, other = taken(receipts), taken(receipts, "p2")
    left_behind(records, other, seen_at=0.0)
    with records.writing() as connection:
        ours = receipt.c.id == mine.id
        connection.execute(receipt.update().where(ours).values(seen_at=0.0))
    receipts.beat()
    with records.reading() as connection:
        seen = dict(connection.execute(receipt.select().with_only_columns(*SEEN)).all())
    assert seen[mine.id] >= mine.received_at
    assert seen[other.id] == 0.0


SEEN = (receipt.c.id, receipt.c.seen_at)


def test_what_is_closed_is_owed_no_more(records: Records) -> None:
    receipts = Receipts(records)
    one = taken(receipts)
    receipts.close(one.id, "answered")
    left_behind(records, one, seen_at=0.0)
    assert receipts.adopt("slack") == []
    found = receipts.at("slack", "p1")
    assert found
    assert found.closed


def test_how_far_it_came_survives_the_process(records_where: Path | str, records: Records) -> None:
    receipts = Receipts(records)
    one = taken(receipts)
    receipts.posted(one.id, ["1.1", "1.2"])
    answer_id = answered(records, one, "Because.")
    left_behind(records, one, seen_at=0.0)
    again = Records(records_where)
    (adopted,) = Receipts(again).adopt("slack")
    assert (adopted.posted, adopted.answer_id) == (("1.1", "1.2"), answer_id)
    again.close()


# --- threads ---------------------------------------------------------------------------------


def test_a_thread_carries_what_was_asked_and_answered_before(records: Records) -> None:
    receipts = Receipts(records)
    first = taken(receipts, "p1", question="where?")
    answered(records, first, "Here.", tag="bank")
    second = taken(receipts, "p2", question="why?")
    answered(records, second, "So.")
    other = taken(receipts, "p3", thread="t2")
    answered(records, other, "Elsewhere.")
    third = taken(receipts, "p4", question="and then?")
    assert receipts.earlier(first) == []
    there, then = Exchange("where?", "Here.", "bank"), Exchange("why?", "So.", "shop")
    assert receipts.earlier(third) == [there, then]
    assert receipts.earlier(third, limit=1) == [then]
    assert receipts.knows_thread("slack", "t1")
    assert not receipts.knows_thread("slack", "t9")


def test_what_failed_or_was_refused_is_not_carried(records: Records) -> None:
    receipts = Receipts(records)
    first = taken(receipts, "p1")
    answered(records, first, "", outcome="failed")
    second = taken(receipts, "p2")
    answered(records, second, "", outcome="refused")
    assert receipts.earlier(taken(receipts, "p3")) == []


# --- feedback --------------------------------------------------------------------------------


def test_who_changes_their_mind_counts_once(records: Records) -> None:
    receipts = Receipts(records)
    answer_id = answered(records, taken(receipts), "Because.")
    receipts.rate(answer_id, "slack", "U1", "up")
    receipts.rate(answer_id, "slack", "U2", "up")
    assert receipts.ratings(answer_id) == {"up": 2}
    receipts.rate(answer_id, "slack", "U1", "down")
    receipts.rate(answer_id, "slack", "U1", "down")
    assert receipts.ratings(answer_id) == {"up": 1, "down": 1}
    assert receipts.ratings("nobody") == {}


def test_an_answer_leads_back_to_its_receipt(records: Records) -> None:
    receipts = Receipts(records)
    one = taken(receipts)
    answer_id = answered(records, one, "Because.")
    found = receipts.of_answer(answer_id)
    assert found
    assert found.id == one.id
    assert receipts.of_answer("nothing") is None


# --- secrets ---------------------------------------------------------------------------------


def test_a_secret_in_a_question_or_a_reason_is_not_stored(records: Records) -> None:
    receipts = Receipts(records)
    secret = "AKIA" + "Z7Q3MPN5RTW2XK4V"
    one = taken(receipts, question=f"is {secret} ours?")
    receipts.close(one.id, "failed", f"could not use {secret}")
    with records.reading() as connection:
        (row,) = connection.execute(receipt.select()).mappings().all()
    assert secret not in repr(dict(row))
    assert "[REDACTED" in row["question"]
    assert "[REDACTED" in row["reason"]
