"""What is asked is written down first, completed always, and found again."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from clew import __version__
from clew.errors import BusyError, InputError, NotFoundError, SourceError
from clew.records.rows import MAX_EVENTS, MAX_SHORT, StoredError
from clew.records.store import Records, new_id
from clew.records.tables import answer, answer_revision, citation, event, evidence
from clew.types import (
    Asker,
    Citation,
    CitationEvent,
    Revision,
    Source,
    StatusEvent,
    TextEvent,
    ToolCallEvent,
)
from support.answers import PINNED, REVISION, a_question, an_answer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CALL = ToolCallEvent("grep", "retry", "12 lines in 3 files", ok=True)


@pytest.fixture
def records(records_where: Path | str) -> Iterator[Records]:
    store = Records(records_where)
    yield store
    store.close()


def ask(
    records: Records, text: str = "where are refunds retried?", *, at: float, source: str = "shop"
) -> str:
    """One whole question, answered at a moment from one source."""
    answer_id = records.begin(a_question(text), at)
    records.pin(answer_id, [(Source(f"{source}-1", source, "remote", "u"), REVISION)])
    records.complete(an_answer(answer_id), [])
    return answer_id


# --- ids -------------------------------------------------------------------------------------


def test_ids_sort_by_their_moment() -> None:
    moments = [0.0, 1.0, 1_700_000_000.0, 1_700_000_000.001, 1_800_000_000.0]
    ids = [new_id(moment) for moment in moments]
    assert ids == sorted(ids)
    assert {len(one) for one in ids} == {16}


def test_ids_of_one_moment_differ() -> None:
    assert len({new_id(1_700_000_000.0) for _ in range(1_000)}) == 1_000


# --- the life of an answer -------------------------------------------------------------------


def test_the_question_is_there_before_any_work(records: Records) -> None:
    answer_id = records.begin(a_question("where is it?"), 1_700_000_000.25)
    stored = records.get(answer_id)
    assert stored.answer is None
    assert stored.summary.outcome is None
    assert stored.summary.completed_at is None
    assert stored.summary.created_at == 1_700_000_000.25
    assert stored.summary.question == "where is it?"
    assert stored.summary.asker == Asker("cli", "ada")
    assert stored.version == __version__


def test_a_question_without_a_moment_is_asked_now(records: Records) -> None:
    before = time.time()
    stored = records.get(records.begin(a_question()))
    assert before <= stored.summary.created_at <= time.time()


def test_an_answer_comes_back_as_it_was(records: Records) -> None:
    answer_id = records.begin(a_question())
    records.pin(answer_id, PINNED)
    given = an_answer(answer_id)
    records.complete(given, [StatusEvent("reading", 1, 2), CALL])
    stored = records.get(answer_id)
    assert stored.answer == given
    assert stored.pinned == tuple(PINNED)
    assert stored.events == (StatusEvent("reading", 1, 2), CALL)
    assert stored.error is None
    assert stored.summary.outcome == "answered"


def test_the_answer_of_these_tests_has_something_in_every_field() -> None:
    """So that a field which is added to the types, and has no column yet, is noticed above."""
    given = an_answer("0")
    for whole in (*PINNED[0], given, given.citations[1], given.evidence[0], given.usage):
        for part in fields(whole):
            assert getattr(whole, part.name) not in ("", (), {}, 0, None, False), part.name


def test_a_revision_without_git_comes_back_as_it_was(records: Records) -> None:
    answer_id = records.begin(a_question())
    plain = [(Source("notes-1", "notes", "folder", "/home/ada/notes"), Revision("t1", "t1"))]
    records.pin(answer_id, plain)
    assert records.get(answer_id).pinned == tuple(plain)


@pytest.mark.parametrize("outcome", ["answered", "partial", "no_answer", "refused", "failed"])
def test_every_outcome_completes(records: Records, outcome: str) -> None:
    answer_id = records.begin(a_question())
    bare = an_answer(answer_id, outcome=outcome, citations=(), evidence=(), revisions={}, text="")
    records.complete(bare, [])
    assert records.get(answer_id).answer == bare


def test_an_error_is_kept_with_its_type(records: Records) -> None:
    answer_id = records.begin(a_question())
    records.complete(an_answer(answer_id, outcome="failed"), [], SourceError("No commits."))
    assert records.get(answer_id).error == StoredError("source", "No commits.")


def test_completing_twice_leaves_the_second_answer_only(records: Records) -> None:
    answer_id = records.begin(a_question())
    records.complete(an_answer(answer_id), [CALL, CALL], SourceError("No commits."))
    records.pin(answer_id, PINNED)
    records.pin(answer_id, PINNED)
    again = an_answer(answer_id, text="shorter", citations=(), evidence=())
    records.complete(again, [CALL])
    stored = records.get(answer_id)
    assert stored.answer == again
    assert stored.events == (CALL,)
    assert stored.error is None


def test_completing_or_pinning_what_was_never_begun_is_an_error(records: Records) -> None:
    with pytest.raises(NotFoundError, match="ask the question again"):
        records.complete(an_answer(new_id(0)), [])
    with pytest.raises(NotFoundError, match="ask the question again"):
        records.pin(new_id(0), PINNED)


def test_a_completion_that_breaks_leaves_the_row_open(records: Records) -> None:
    answer_id = records.begin(a_question())
    broken = an_answer(answer_id, evidence=(Citation("s", "r", "p", 1, 2, "missing"),))
    with pytest.raises(AttributeError):
        records.complete(broken, [])
    assert records.get(answer_id).answer is None


def test_rows_below_an_answer_go_with_it(records: Records) -> None:
    answer_id = records.begin(a_question())
    records.pin(answer_id, PINNED)
    records.complete(an_answer(answer_id), [CALL])
    with records._engine.begin() as connection:
        connection.execute(answer.delete())
        for table in (answer_revision, citation, evidence, event):
            assert connection.execute(sa.select(table)).first() is None


# --- events ----------------------------------------------------------------------------------


def test_only_status_and_tool_calls_are_kept_of_the_events(records: Records) -> None:
    answer_id = records.begin(a_question())
    cited = CitationEvent(Citation("shop", "r", "a.py", 1, 1, "verified"))
    records.complete(an_answer(answer_id), [StatusEvent("reading"), TextEvent("It"), cited, CALL])
    assert records.get(answer_id).events == (StatusEvent("reading"), CALL)


def test_counting_up_is_kept_as_its_last_number(records: Records) -> None:
    answer_id = records.begin(a_question())
    counting = [StatusEvent("indexing", done, 300) for done in range(301)]
    records.complete(an_answer(answer_id), [*counting, CALL, StatusEvent("indexing", 1, 2)])
    kept = (StatusEvent("indexing", 300, 300), CALL, StatusEvent("indexing", 1, 2))
    assert records.get(answer_id).events == kept


def test_a_loop_of_calls_and_a_long_argument_are_cut_and_say_so(records: Records) -> None:
    answer_id = records.begin(a_question())
    long = ToolCallEvent("grep", "x" * 100_000, "", ok=True)
    records.complete(an_answer(answer_id), [long, *[CALL] * (MAX_EVENTS + 7)])
    events = records.get(answer_id).events
    assert len(events) == MAX_EVENTS
    assert events[-1] == StatusEvent("9 more events were not kept")
    assert isinstance(events[0], ToolCallEvent)
    assert events[0].argument == "x" * (MAX_SHORT - 1) + "…"


# --- odd text --------------------------------------------------------------------------------


def test_text_that_databases_refuse_is_stored_readably(records: Records) -> None:
    answer_id = records.begin(a_question("a NUL \0, a byte \udcff, 日本語 and 🧶"))
    citations = (Citation("shop", "r", "caf\udce9.py", 1, 1, "verified"),)
    records.complete(an_answer(answer_id, citations=citations), [])
    stored = records.get(answer_id)
    assert (
        stored.summary.question == "a NUL \N{REPLACEMENT CHARACTER}, a byte \\udcff, 日本語 and 🧶"
    )
    assert stored.answer
    assert stored.answer.citations[0].path == "caf\\udce9.py"


# --- finding again ---------------------------------------------------------------------------


def test_history_is_newest_first_and_counts_open_ones(records: Records) -> None:
    first = ask(records, "one", at=100.0)
    second = records.begin(a_question("two"), 200.0)
    third = ask(records, "three", at=300.0)
    found = records.history()
    assert [one.id for one in found] == [third, second, first]
    assert [one.question for one in found] == ["three", "two", "one"]
    assert [one.outcome for one in found] == ["answered", None, "answered"]
    assert [one.revisions for one in found] == [{"shop": REVISION.id}, {}, {"shop": REVISION.id}]


def test_history_is_paged_without_losing_what_was_asked_at_one_moment(records: Records) -> None:
    asked = {ask(records, at=100.0) for _ in range(7)}
    seen: list[str] = []
    while page := records.history(2, before=seen[-1] if seen else None):
        seen += [one.id for one in page]
    assert len(seen) == 7
    assert set(seen) == asked


def test_history_is_filtered_by_source_name_or_id_and_by_outcome(records: Records) -> None:
    shop, bank = ask(records, at=100.0), ask(records, at=200.0, source="bank")
    unclear = records.begin(a_question(), 300.0)
    records.complete(an_answer(unclear, outcome="no_answer"), [])
    assert [one.id for one in records.history(source="bank")] == [bank]
    assert [one.id for one in records.history(source="shop-1")] == [shop]
    assert [one.id for one in records.history(outcome="no_answer")] == [unclear]
    assert records.history(source="bank", outcome="no_answer") == []


@pytest.mark.parametrize("limit", [0, -1, 1_001])
def test_a_limit_out_of_range_is_refused(records: Records, limit: int) -> None:
    with pytest.raises(InputError, match="from 1 to 1,000"):
        records.history(limit)


def test_the_start_of_an_id_is_enough_in_any_case(records: Records) -> None:
    old, new = ask(records, at=1.0), ask(records, at=1_700_000_000.0)
    assert records.get(old[:9]).summary.id == old
    assert records.get(new[:3].upper()).summary.id == new
    assert records.get(f" {new} ").summary.id == new


def test_a_start_that_fits_several_ids_names_them(records: Records) -> None:
    asked = [ask(records, at=1_700_000_000.0) for _ in range(7)]
    with pytest.raises(InputError, match=r"type more of the id") as raised:
        records.get(asked[0][:4])
    assert sum(one in raised.value.message for one in asked) == 5


@pytest.mark.parametrize("wrong", ["", "  ", "zzzz", "%", "0_", "ilou", "0" * 17, "'; --", "é"])
def test_what_is_no_answers_id_is_not_found(records: Records, wrong: str) -> None:
    ask(records, at=100.0)
    with pytest.raises(NotFoundError, match="clew history"):
        records.get(wrong)


# --- side by side ----------------------------------------------------------------------------


def test_several_threads_write_at_once(records: Records) -> None:
    with ThreadPoolExecutor(8) as pool:
        asked = list(pool.map(lambda n: ask(records, f"q{n}", at=float(n)), range(40)))
    assert len(set(asked)) == 40
    assert {one.question for one in records.history(100)} == {f"q{n}" for n in range(40)}


def test_two_open_stores_see_each_others_answers(records_where: Path | str) -> None:
    one, other = Records(records_where), Records(records_where)
    answer_id = ask(one, at=100.0)
    assert other.get(answer_id).answer == an_answer(answer_id)
    one.close()
    other.close()


def test_a_reader_never_waits_for_a_writer(records: Records) -> None:
    answer_id = ask(records, at=100.0)
    with records.writing() as connection:
        connection.execute(answer.update().values(text="half done"))
        assert records.get(answer_id).answer == an_answer(answer_id)
        assert [one.id for one in records.history()] == [answer_id]


def test_a_writer_that_waits_too_long_says_what_is_busy(
    records: Records, records_where: Path | str
) -> None:
    impatient = Records(records_where, wait=0.05)
    answer_id = ask(records, at=100.0)
    with records.writing() as connection:
        connection.execute(answer.update().values(text="half done"))
        with pytest.raises(BusyError, match="try again"):
            impatient.complete(an_answer(answer_id), [])
    impatient.complete(an_answer(answer_id), [])
    impatient.close()
