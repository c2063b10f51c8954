"""Records: the question's row before work starts, its answer afterwards, and how to find it again.

Plain synchronous calls, safe from several threads and several processes. It stores what it is
given, redacted; it decides nothing about an answer. Answers that a killed process left open are
completed as failed when the store is next opened.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import defaultdict
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from clew import __version__
from clew.errors import BusyError, ClewError, InputError, NotFoundError
from clew.records import rows
from clew.records.database import open_database, wording
from clew.records.processes import Process, state, this_process
from clew.records.rows import AnswerSummary, Cleaner, StoredAnswer, StoredError
from clew.records.tables import answer as answers
from clew.records.tables import answer_revision, citation, event, evidence
from clew.redact import redact

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Sequence

    from clew.types import Answer, Event, Outcome, Question, Revision, Source

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's, without letters that look like digits
_ID_LENGTH = 16
_RANDOM_BITS = 35
WAIT_SECONDS = 5.0  # for a lock that another process holds
_MAX_LIMIT = 1_000
_SHOWN = 5  # ids in the message about an ambiguous one
# An answer begun elsewhere, where nobody can look whether its process lives, is given this long.
_ABANDONED_SECONDS = 24 * 3600.0
_INTERRUPTED = "The process that was answering ended before it was done: ask again."


def new_id(at: float) -> str:
    """A short id that sorts by its moment (unix seconds, to the ms); the rest is chance."""
    value = int(at * 1000) << _RANDOM_BITS | secrets.randbits(_RANDOM_BITS)
    return "".join(_ALPHABET[value >> 5 * i & 31] for i in reversed(range(_ID_LENGTH)))


class Records:
    """The store of questions and answers, at a SQLite file's path or a PostgreSQL URL.

    Raises (every method):
        BusyError: Another process held the database for longer than `wait` seconds.
        PermanentError: The database is damaged or can't be written.
    """

    def __init__(self, where: Path | str, *, wait: float = WAIT_SECONDS) -> None:
        self._name = f"The records database {where}" if isinstance(where, Path) else "The records"
        self._where, self._wait = where, wait
        self._engine = open_database(where, wait)
        self._reopening = threading.Lock()
        self._process = this_process()
        try:
            with suppress(BusyError):  # somebody is writing: the next opening looks again
                self.fail_unfinished(time.time())
        except ClewError:
            self.close()
            raise

    def close(self) -> None:
        """Let go of the database's connections."""
        self._engine.dispose()

    # --- writing -----------------------------------------------------------------------------

    def begin(self, question: Question, at: float | None = None) -> str:
        """Write the question's row, before any work; returns the answer's id.

        Args:
            question: What is asked.
            at: The moment it was asked, unix seconds; now when not given.
        """
        moment = time.time() if at is None else at
        clean = Cleaner(redact)
        answer_id = new_id(moment)
        row: dict[str, Any] = {
            "id": answer_id,
            "created_at": moment,
            "question": clean(question.text),
            "asker_surface": question.asker.surface,
            "asker_name": clean(question.asker.name),
            "mode": question.mode or "extract",
            "text": "",
            "warnings": [],
            "usage": {},
            "timings": {},
            "version": __version__,
            "host": self._process.host,
            "pid": self._process.pid,
            "process": self._process.started,
        }
        with self.writing() as connection:
            connection.execute(answers.insert(), row)
        return answer_id

    def pin(self, answer_id: str, pinned: Sequence[tuple[Source, Revision]]) -> None:
        """Save which revision of each source the answer is read from.

        Raises:
            NotFoundError: No such answer was begun.
        """
        found = rows.revision_rows(answer_id, pinned, Cleaner(redact))
        with self.writing() as connection:
            self._check_begun(connection, answer_id)
            _replace(connection, answer_revision, answer_id, found)

    def complete(
        self, answer: Answer, events: Sequence[Event], error: ClewError | None = None
    ) -> None:
        """Write the answer, whatever its outcome, in one transaction; again replaces it.

        Raises:
            NotFoundError: No such answer was begun.
        """
        clean = Cleaner(redact)
        values = {
            "completed_at": time.time(),
            "outcome": answer.outcome,
            "mode": answer.mode,  # a model may have been down: then another one answered
            "text": clean(answer.text),
            "warnings": rows.warnings_json(answer, clean),
            "usage": rows.asdict(answer.usage),
            "timings": answer.timings,
            "error_type": error.type if error else None,
            "error_message": clean(error.message, rows.MAX_SHORT) if error else None,
            "tag": answer.tag or None,
        }
        below = (
            (citation, rows.citation_rows(answer, clean)),
            (evidence, rows.evidence_rows(answer, clean)),
            (event, rows.event_rows(answer.id, events, clean)),
        )
        with self.writing() as connection:
            self._check_begun(connection, answer.id)
            connection.execute(answers.update().where(answers.c.id == answer.id), values)
            for table, found in below:
                _replace(connection, table, answer.id, found)

    def fail_unfinished(self, older_than: float) -> int:
        """Complete as failed what a process that is gone left open; returns how many.

        An answer is left alone while its process lives. Where that can't be looked up (another
        host), it is left alone for a day; should it be completed after all, that stands.

        Args:
            older_than: Only answers begun before this moment, unix seconds.
        """
        open_ = answers.c.outcome.is_(None) & (answers.c.created_at < older_than)
        now = time.time()
        columns = (answers.c[name] for name in ("id", "created_at", "host", "pid", "process"))
        with self.reading() as connection:
            found = connection.execute(sa.select(*columns).where(open_)).mappings().all()
        gone = [row["id"] for row in found if _is_gone(row, now)]
        if not gone:
            return 0
        values = {
            "outcome": "failed",
            "completed_at": now,
            "error_type": "interrupted",
            "error_message": _INTERRUPTED,
        }
        with self.writing() as connection:
            failing = answers.update().where(answers.c.id.in_(gone), open_)
            return connection.execute(failing, values).rowcount

    # --- reading -----------------------------------------------------------------------------

    def history(
        self,
        limit: int = 20,
        *,
        before: str | None = None,
        source: str | None = None,
        outcome: Outcome | None = None,
    ) -> list[AnswerSummary]:
        """The newest answers first, open ones included.

        Args:
            limit: At most this many, up to 1,000.
            before: An answer's id or the start of one: only what was asked before it.
            source: A source's name or id: only answers that were read from it.
            outcome: Only answers that ended like this.

        Raises:
            InputError: The limit is out of range, or `before` fits several answers.
            NotFoundError: `before` fits none.
        """
        if not 1 <= limit <= _MAX_LIMIT:
            raise InputError(f"The limit is {limit}: choose one from 1 to {_MAX_LIMIT:,}.")
        order = (answers.c.created_at, answers.c.id)
        query = sa.select(answers).order_by(*(column.desc() for column in order)).limit(limit)
        if outcome is not None:
            query = query.where(answers.c.outcome == outcome)
        if source is not None:
            names = answer_revision.c.source_name, answer_revision.c.source_id
            of_source = sa.or_(*(column == source for column in names))
            ids = sa.select(answer_revision.c.answer_id).where(of_source)
            query = query.where(answers.c.id.in_(ids))
        with self.reading() as connection:
            if before is not None:
                last = self._find(connection, before)
                query = query.where(sa.tuple_(*order) < sa.tuple_(last["created_at"], last["id"]))
            found = connection.execute(query).mappings().all()
            revisions = _revisions(connection, [row["id"] for row in found])
        return [rows.summary_of(row, revisions[row["id"]]) for row in found]

    def get(self, answer_id: str) -> StoredAnswer:
        """One answer by its id or the start of it.

        Raises:
            NotFoundError: No answer's id starts so.
            InputError: Several do; the message names them.
        """
        with self.reading() as connection:
            row = self._find(connection, answer_id)
            pinned, cited, shown, happened = (
                _below(connection, table, row["id"])
                for table in (answer_revision, citation, evidence, event)
            )
        revisions = {pin["source_name"]: pin["revision"] for pin in pinned}
        error = row["error_type"] and StoredError(row["error_type"], row["error_message"] or "")
        return StoredAnswer(
            summary=rows.summary_of(row, revisions),
            answer=rows.answer_of(row, revisions, cited, shown),
            pinned=tuple(rows.pinned_of(pin) for pin in pinned),
            events=tuple(rows.event_of(one) for one in happened),
            error=error or None,
            version=row["version"],
        )

    def revisions_read(self) -> dict[str, set[str]]:
        """The revisions that the answers were read from, by source id."""
        found: dict[str, set[str]] = defaultdict(set)
        columns = (answer_revision.c.source_id, answer_revision.c.revision)
        with self.reading() as connection:
            for source, revision in connection.execute(sa.select(*columns).distinct()):
                found[source].add(revision)
        return dict(found)

    # --- inside ------------------------------------------------------------------------------

    @contextmanager
    def reading(self) -> Generator[sa.Connection]:
        """A transaction that reads, for the stores beside this one."""
        with wording(self._name), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Generator[sa.Connection]:
        """A transaction that writes, and waits for whoever else does."""
        self._reopen_if_deleted()
        writer = self._engine.execution_options(writes=True)
        with wording(self._name), writer.begin() as connection:
            yield connection

    def _reopen_if_deleted(self) -> None:
        """Begin anew when the file is gone: what an open but deleted file is given is lost."""
        if not isinstance(self._where, Path) or self._where.exists():
            return
        with self._reopening:
            if not self._where.exists():
                self._engine.dispose()
                self._engine = open_database(self._where, self._wait)

    def _check_begun(self, connection: sa.Connection, answer_id: str) -> None:
        begun = sa.select(answers.c.id).where(answers.c.id == answer_id)
        if connection.execute(begun).first() is None:
            raise NotFoundError(
                f"Answer {answer_id} is not in the records any more: ask the question again."
            )

    def _find(self, connection: sa.Connection, start: str) -> rows.Row:
        wanted = start.strip().lower()
        if not wanted or len(wanted) > _ID_LENGTH or set(wanted) - set(_ALPHABET):
            raise NotFoundError(f"{start!r} is no answer's id: see `clew history`.")
        # A range, not LIKE: it uses the primary key on both databases.
        last = wanted.ljust(_ID_LENGTH, _ALPHABET[-1])
        query = sa.select(answers).where(answers.c.id.between(wanted, last)).order_by(answers.c.id)
        found = connection.execute(query.limit(_SHOWN + 1)).mappings().all()
        if not found:
            raise NotFoundError(f"No answer's id starts with {wanted!r}: see `clew history`.")
        if len(found) > 1:
            ids = ", ".join(row["id"] for row in found[:_SHOWN])
            more = ", …" if len(found) > _SHOWN else ""
            raise InputError(
                f"Several answers start with {wanted!r} ({ids}{more}): type more of the id."
            )
        return found[0]


def _is_gone(row: rows.Row, now: float) -> bool:
    known = state(Process(row["host"], row["pid"], row["process"]))
    return known == "gone" or (known == "unknown" and now - row["created_at"] > _ABANDONED_SECONDS)


def _replace(
    connection: sa.Connection, table: sa.Table, answer_id: str, found: list[dict[str, Any]]
) -> None:
    connection.execute(table.delete().where(table.c.answer_id == answer_id))
    if found:
        connection.execute(table.insert(), found)


def _below(connection: sa.Connection, table: sa.Table, answer_id: str) -> Sequence[rows.Row]:
    query = sa.select(table).where(table.c.answer_id == answer_id).order_by(table.c.seq)
    return connection.execute(query).mappings().all()


def _revisions(connection: sa.Connection, ids: Iterable[str]) -> dict[str, dict[str, str]]:
    """Revision ids by source name, for each answer."""
    table = answer_revision
    query = sa.select(table.c.answer_id, table.c.source_name, table.c.revision)
    found: dict[str, dict[str, str]] = defaultdict(dict)
    wanted = query.where(table.c.answer_id.in_(list(ids)))
    for answer_id, name, revision in connection.execute(wanted.order_by(table.c.seq)):
        found[answer_id][name] = revision
    return found
