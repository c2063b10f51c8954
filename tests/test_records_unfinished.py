"""What a killed process left open is completed as failed; what is being answered is left alone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from clew.records.processes import Process, state, this_process
from clew.records.rows import StoredError
from clew.records.store import Records
from clew.records.tables import answer
from support.answers import PINNED, a_question, an_answer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BEGIN = """
import sys
from pathlib import Path
from clew.records.store import Records
from clew.types import Asker, Question
where = sys.argv[1] if "://" in sys.argv[1] else Path(sys.argv[1])
print(Records(where).begin(Question("why?", (), Asker("cli"))), flush=True)
sys.stdin.readline()
"""
INTERRUPTED = "The process that was answering ended before it was done: ask again."
HOUR = 3600.0


@contextmanager
def answering(where: Path | str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Another process that has begun an answer, and goes on until it is killed."""
    command = [sys.executable, "-c", BEGIN, str(where)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with process:
        assert process.stdout
        yield process.stdout.readline().strip(), process
        process.kill()


def change(records: Records, answer_id: str, **values: Any) -> None:
    with records.writing() as connection:
        connection.execute(answer.update().where(answer.c.id == answer_id).values(**values))


def test_an_answer_whose_process_was_killed_is_failed_at_the_next_opening(
    records_where: Path | str,
) -> None:
    with answering(records_where) as (answer_id, process):
        process.send_signal(signal.SIGKILL)
        process.wait()
        records = Records(records_where)
    stored = records.get(answer_id)
    assert stored.summary.outcome == "failed"
    assert stored.summary.completed_at
    assert stored.error == StoredError("interrupted", INTERRUPTED)
    assert stored.answer
    records.close()


def test_an_answer_whose_process_lives_is_left_alone(records_where: Path | str) -> None:
    with answering(records_where) as (answer_id, _process):
        records = Records(records_where)
        assert records.fail_unfinished(time.time() + HOUR) == 0
        assert records.get(answer_id).summary.outcome is None
    records.close()


def test_ones_own_answers_are_left_alone(records_where: Path | str) -> None:
    records = Records(records_where)
    answer_id = records.begin(a_question(), 0.0)
    again = Records(records_where)
    assert again.fail_unfinished(time.time() + HOUR) == 0
    assert again.get(answer_id).summary.outcome is None
    records.close()
    again.close()


def test_a_process_id_that_is_used_again_does_not_count(records_where: Path | str) -> None:
    records = Records(records_where)
    answer_id = records.begin(a_question())
    change(records, answer_id, process="another start")
    assert records.fail_unfinished(time.time() + HOUR) == 1
    assert records.get(answer_id).summary.outcome == "failed"
    records.close()


def test_what_another_host_answers_is_given_a_day(records_where: Path | str) -> None:
    records = Records(records_where)
    now = time.time()
    recent, old = records.begin(a_question(), now), records.begin(a_question(), now - 25 * HOUR)
    for answer_id in (recent, old):
        change(records, answer_id, host="elsewhere", process="unknowable")
    assert records.fail_unfinished(now + HOUR) == 1
    assert records.get(recent).summary.outcome is None
    assert records.get(old).summary.outcome == "failed"
    records.close()


def test_only_what_was_begun_before_the_moment_is_failed(records_where: Path | str) -> None:
    records = Records(records_where)
    ids = [records.begin(a_question(), moment) for moment in (100.0, 200.0)]
    for answer_id in ids:
        change(records, answer_id, process="another start")
    assert records.fail_unfinished(200.0) == 1
    assert [records.get(one).summary.outcome for one in ids] == ["failed", None]
    records.close()


def test_an_answer_that_arrives_after_all_stands(records_where: Path | str) -> None:
    records = Records(records_where)
    answer_id = records.begin(a_question())
    change(records, answer_id, process="another start")
    records.fail_unfinished(time.time() + HOUR)
    records.pin(answer_id, PINNED)
    records.complete(an_answer(answer_id), [])
    stored = records.get(answer_id)
    assert stored.answer == an_answer(answer_id)
    assert stored.error is None
    records.close()


def test_what_is_completed_is_never_failed(records_where: Path | str) -> None:
    records = Records(records_where)
    answer_id = records.begin(a_question())
    records.complete(an_answer(answer_id), [])
    change(records, answer_id, process="another start")
    assert records.fail_unfinished(time.time() + HOUR) == 0
    records.close()


# --- processes -------------------------------------------------------------------------------


def test_this_process_is_alive() -> None:
    assert this_process().pid == os.getpid()
    assert state(this_process()) == "alive"


def test_a_process_that_ended_is_gone_even_before_its_parent_looked() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    here = this_process()
    with child:
        ended = Process(here.host, child.pid, "some start")
        os.kill(child.pid, signal.SIGKILL)
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # ended, and not yet reaped
        assert state(ended) == "gone"
    assert state(ended) == "gone"


@pytest.mark.parametrize("changed", [{"host": "elsewhere"}, {"started": ""}])
def test_what_cannot_be_looked_up_is_unknown(changed: dict[str, str]) -> None:
    here = this_process()
    fields = {"host": here.host, "pid": here.pid, "started": here.started, **changed}
    assert state(Process(**fields)) == "unknown"


def test_without_proc_the_ps_command_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clew.records.processes._PROC", tmp_path)
    here = this_process()
    if not here.started:
        pytest.skip("this machine has neither /proc nor ps")
    assert state(here) == "alive"
    assert state(Process(here.host, here.pid, "another start")) == "gone"


def test_without_proc_and_ps_nothing_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clew.records.processes._PROC", tmp_path)
    monkeypatch.setattr("os.defpath", str(tmp_path))
    assert this_process().started == ""
    assert state(this_process()) == "unknown"
