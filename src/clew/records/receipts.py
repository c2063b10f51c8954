"""Receipts: questions that a surface has taken in and owes an answer, and what people thought.

A receipt is written before the surface tells its sender that it has the question, so a question
that was told twice (a retry, two processes, two kinds of event for one message) is taken once, and
one whose process was killed is found by another. It knows no surface: places and threads are the
surface's own words. Every text is redacted on its way in.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from clew.records.processes import Process, state, this_process
from clew.records.rows import MAX_SHORT, Cleaner, Row
from clew.records.store import new_id
from clew.records.tables import answer, feedback, receipt
from clew.redact import redact
from clew.types import Exchange

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clew.records.store import Records

Ending: TypeAlias = Literal["answered", "refused", "failed"]
Verdict: TypeAlias = Literal["up", "down"]
# Where nobody can look whether a process lives (another host), it has gone when it was silent for
# this long; a process that works says so every `BEAT_SECONDS`.
SILENT_SECONDS = 120.0
BEAT_SECONDS = 20.0
_MAX_EARLIER = 20


@dataclass(frozen=True, slots=True)
class Receipt:
    """One question that was taken in.

    Attributes:
        place: The message that asks, in the surface's words; one receipt each.
        thread: The conversation it belongs to.
        event: The id under which it was told the first time.
        attempts: How often somebody began to answer it, this time included.
        answer_id: The answer to deliver, "" while there is none.
        posted: The messages it has become so far, in order.
        closed: Nothing more is owed.
    """

    id: str
    surface: str
    place: str
    thread: str
    event: str
    asker: str
    question: str
    received_at: float
    attempts: int = 1
    answer_id: str = ""
    posted: tuple[str, ...] = ()
    closed: bool = False


class Receipts:
    """The receipts in one database of records. Raises what `Records` raises."""

    def __init__(self, records: Records) -> None:
        self._records = records
        self._process = this_process()

    # --- taking in ---------------------------------------------------------------------------

    def take(
        self, surface: str, place: str, *, thread: str, event: str, asker: str, question: str
    ) -> Receipt | None:
        """Take a question in; None when it was taken before, by whichever process."""
        now, clean = time.time(), Cleaner(redact)
        taken = Receipt(
            new_id(now), surface, place, thread, event, clean(asker), clean(question), now
        )
        row: dict[str, Any] = {
            "id": taken.id,
            "surface": surface,
            "place": place,
            "thread": thread,
            "event": event,
            "asker": taken.asker,
            "question": taken.question,
            "received_at": now,
            "attempts": 1,
            "posted": [],
            "reason": "",
            **self._mine(now),
        }
        with self._records.writing() as connection:
            insert = _insert(connection, receipt).values(row)
            added = connection.execute(insert.on_conflict_do_nothing())
            return taken if added.rowcount == 1 else None

    def adopt(self, surface: str) -> list[Receipt]:
        """Take over what processes that are gone still owe, oldest first."""
        open_ = (receipt.c.surface == surface) & receipt.c.closed_at.is_(None)
        query = sa.select(receipt).where(open_).order_by(receipt.c.received_at, receipt.c.id)
        with self._records.reading() as connection:
            found = connection.execute(query).mappings().all()
        now = time.time()
        return [mine for row in found if _is_gone(row, now) and (mine := self._adopt(row, now))]

    def _adopt(self, row: Row, now: float) -> Receipt | None:
        same = (
            (receipt.c.id == row["id"])
            & (receipt.c.process == row["process"])
            & (receipt.c.pid == row["pid"])
            & (receipt.c.attempts == row["attempts"])
            & receipt.c.closed_at.is_(None)
        )
        attempts = row["attempts"] + 1
        with self._records.writing() as connection:
            values = {"attempts": attempts, **self._mine(now)}
            won = connection.execute(receipt.update().where(same).values(values)).rowcount == 1
        return _receipt({**row, "attempts": attempts}) if won else None

    def beat(self) -> None:
        """Say that this process still works on what it has taken."""
        mine = (
            (receipt.c.host == self._process.host)
            & (receipt.c.pid == self._process.pid)
            & (receipt.c.process == self._process.started)
        )
        with self._records.writing() as connection:
            open_ = receipt.update().where(mine & receipt.c.closed_at.is_(None))
            connection.execute(open_.values(seen_at=time.time()))

    # --- going on ----------------------------------------------------------------------------

    def posted(self, receipt_id: str, messages: Sequence[str]) -> None:
        """Remember the messages that a question has become so far."""
        self._update(receipt_id, posted=list(messages))

    def answered(self, receipt_id: str, answer_id: str) -> None:
        """Remember which answer is to be delivered: it is not asked for again."""
        self._update(receipt_id, answer_id=answer_id)

    def close(self, receipt_id: str, ending: Ending, reason: str = "") -> None:
        """Owe nothing more; `reason` is why there is no answer, or why it can't be delivered."""
        clean = Cleaner(redact)
        why = clean(reason, MAX_SHORT)
        self._update(receipt_id, outcome=ending, reason=why, closed_at=time.time())

    def _update(self, receipt_id: str, **values: object) -> None:
        with self._records.writing() as connection:
            connection.execute(receipt.update().where(receipt.c.id == receipt_id).values(values))

    # --- looking up --------------------------------------------------------------------------

    def of_answer(self, answer_id: str) -> Receipt | None:
        """The receipt that an answer was given to, or None."""
        return self._one(receipt.c.answer_id == answer_id)

    def at(self, surface: str, place: str) -> Receipt | None:
        """The receipt of the message at a place, or None."""
        return self._one((receipt.c.surface == surface) & (receipt.c.place == place))

    def knows_thread(self, surface: str, thread: str) -> bool:
        """Whether a question of this thread has been answered."""
        given = (receipt.c.surface == surface) & (receipt.c.thread == thread)
        return self._one(given & receipt.c.answer_id.is_not(None)) is not None

    def earlier(self, one: Receipt, limit: int = 6) -> list[Exchange]:
        """What was asked and answered in the same thread before it, oldest first."""
        before = (
            (receipt.c.surface == one.surface)
            & (receipt.c.thread == one.thread)
            & (receipt.c.id != one.id)
            & (receipt.c.received_at <= one.received_at)
        )
        query = (
            sa.select(answer.c.question, answer.c.text, answer.c.tag)
            .join_from(receipt, answer, receipt.c.answer_id == answer.c.id)
            .where(before & answer.c.outcome.in_(("answered", "partial", "no_answer")))
            .order_by(receipt.c.received_at.desc(), receipt.c.id.desc())
            .limit(min(limit, _MAX_EARLIER))
        )
        with self._records.reading() as connection:
            found = connection.execute(query).all()
        return [Exchange(question, text, tag or "") for question, text, tag in reversed(found)]

    def _one(self, where: sa.ColumnElement[bool]) -> Receipt | None:
        with self._records.reading() as connection:
            row = connection.execute(sa.select(receipt).where(where).limit(1)).mappings().first()
        return _receipt(row) if row else None

    # --- feedback ----------------------------------------------------------------------------

    def rate(self, answer_id: str, surface: str, asker: str, verdict: Verdict) -> None:
        """Save what a person thinks of an answer; their last word counts, once."""
        row = {
            "answer_id": answer_id,
            "surface": surface,
            "asker": Cleaner(redact)(asker),
            "verdict": verdict,
            "given_at": time.time(),
        }
        said = {"verdict": verdict, "given_at": row["given_at"]}
        keys = ("answer_id", "surface", "asker")
        with self._records.writing() as connection:
            insert = _insert(connection, feedback).values(row)
            connection.execute(insert.on_conflict_do_update(index_elements=keys, set_=said))

    def ratings(self, answer_id: str) -> dict[Verdict, int]:
        """How many people think what of an answer."""
        verdict = feedback.c.verdict
        query = (
            sa.select(verdict, sa.func.count())
            .where(feedback.c.answer_id == answer_id)
            .group_by(verdict)
        )
        with self._records.reading() as connection:
            return {cast("Verdict", said): n for said, n in connection.execute(query).all()}

    def _mine(self, now: float) -> dict[str, object]:
        return {
            "host": self._process.host,
            "pid": self._process.pid,
            "process": self._process.started,
            "seen_at": now,
        }


def _insert(connection: sa.Connection, table: sa.Table) -> sqlite.Insert | postgresql.Insert:
    """An insert that may say what to do about a row that is there already."""
    made = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    return made(table)


def _is_gone(row: Row, now: float) -> bool:
    known = state(Process(row["host"], row["pid"], row["process"]))
    return known == "gone" or (known == "unknown" and now - row["seen_at"] > SILENT_SECONDS)


def _receipt(row: Row) -> Receipt:
    return Receipt(
        id=row["id"],
        surface=row["surface"],
        place=row["place"],
        thread=row["thread"],
        event=row["event"],
        asker=row["asker"],
        question=row["question"],
        received_at=row["received_at"],
        attempts=row["attempts"],
        answer_id=row["answer_id"] or "",
        posted=tuple(row["posted"]),
        closed=row["closed_at"] is not None,
    )
