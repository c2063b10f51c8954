"""Commits as results show them: names and messages without secrets, dates as days (UTC)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from clew.redact import redact
from clew.tools.result import CommitRow, clip

if TYPE_CHECKING:
    from clew.sources.history import Commit

SHORT = 10  # hex digits of a SHA that are shown
_SUBJECT = 200  # characters
_AUTHOR = 80
_BODY = 2_000


def commit_row(commit: Commit) -> CommitRow:
    """A commit that may be shown."""
    day = datetime.fromtimestamp(max(commit.authored_at, 0), UTC).date().isoformat()
    message = redact(f"{commit.subject}\n{commit.body[: 4 * _BODY]}")  # whole: a key may be wrapped
    subject, _, body = message.partition("\n")
    return CommitRow(
        sha="" if commit.uncommitted else commit.sha,
        author="" if commit.uncommitted else clip(redact(commit.author), _AUTHOR),
        date="" if commit.uncommitted else day,
        subject=clip(subject, _SUBJECT),
        body=body[:_BODY],
        uncommitted=commit.uncommitted,
    )


def title(row: CommitRow) -> str:
    """One line: short SHA, day, author, subject; uncommitted changes are said to be that."""
    if row.uncommitted:
        return "not committed yet: changed in the work tree"
    return f"{row.sha[:SHORT]} {row.date} {row.author}: {row.subject}"
