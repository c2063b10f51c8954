"""The schema of the records, as it is now.

Portable types only: the same tables stand on SQLite and on PostgreSQL. Times are unix seconds.
Line numbers are 1-based and inclusive. `migrations/` holds the steps that lead here; a test
compares the two. This module never connects to anything.
"""

from __future__ import annotations

import sqlalchemy as sa

# Every revision in order; the last is what this version writes. Only forward: a database that
# holds answers is never migrated back.
REVISIONS = ("0001", "0002", "0003")
HEAD = REVISIONS[-1]

metadata = sa.MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)


def _of_answer() -> tuple[sa.Column[str], sa.Column[int]]:
    """The key that every row below an answer has: whose it is, and its place in the order."""
    owner = sa.ForeignKey("answer.id", ondelete="CASCADE")
    return (
        sa.Column("answer_id", sa.String(16), owner, primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
    )


def _span() -> tuple[
    sa.Column[str], sa.Column[str], sa.Column[str], sa.Column[int], sa.Column[int]
]:
    """Where a citation or a piece of evidence points."""
    return (
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("revision", sa.String(128), nullable=False),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("start_line", sa.Integer, nullable=False),
        sa.Column("end_line", sa.Integer, nullable=False),
    )


answer = sa.Table(
    "answer",
    metadata,
    sa.Column("id", sa.String(16), primary_key=True),
    sa.Column("created_at", sa.Double, nullable=False),
    sa.Column("completed_at", sa.Double),
    sa.Column("question", sa.Text, nullable=False),
    sa.Column("asker_surface", sa.String(32), nullable=False),
    sa.Column("asker_name", sa.Text, nullable=False),
    sa.Column("mode", sa.String(16), nullable=False),
    sa.Column("outcome", sa.String(16)),  # NULL while the answer is being worked on
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("warnings", sa.JSON, nullable=False),
    sa.Column("usage", sa.JSON, nullable=False),
    sa.Column("timings", sa.JSON, nullable=False),
    sa.Column("version", sa.String(32), nullable=False),
    sa.Column("error_type", sa.String(32)),
    sa.Column("error_message", sa.Text),
    sa.Column("tag", sa.Text),  # NULL when it was answered in none
    # Who is working on it, so that what a killed process left open can be told from what is
    # being answered this moment.
    sa.Column("host", sa.Text, nullable=False),
    sa.Column("pid", sa.BigInteger, nullable=False),
    sa.Column("process", sa.Text, nullable=False),
    sa.Index(None, "created_at", "id"),
    sa.Index(None, "outcome", "created_at"),
)

answer_revision = sa.Table(
    "answer_revision",
    metadata,
    *_of_answer(),
    sa.Column("source_id", sa.String(128), nullable=False),
    sa.Column("source_name", sa.Text, nullable=False),
    sa.Column("source_kind", sa.String(16), nullable=False),
    sa.Column("location", sa.Text, nullable=False),
    sa.Column("prefix", sa.Text, nullable=False),
    sa.Column("revision", sa.String(128), nullable=False),
    sa.Column("tree", sa.String(64), nullable=False),
    sa.Column("commit_sha", sa.String(64)),
    sa.Column("committed_at", sa.BigInteger),
    sa.Column("branch", sa.Text),
    sa.Column("dirty", sa.Boolean, nullable=False),
    sa.Column("stale", sa.Text),
    sa.Column("synced_at", sa.Double, nullable=False),
    sa.Column("notes", sa.JSON, nullable=False),
    sa.Column("asked_at", sa.Text, nullable=False),
    sa.Index(None, "source_id"),
    sa.Index(None, "source_name"),
)

citation = sa.Table(
    "citation",
    metadata,
    *_of_answer(),
    *_span(),
    sa.Column("verdict", sa.String(16), nullable=False),
    sa.Column("note", sa.Text, nullable=False),
    sa.Column("url", sa.Text, nullable=False),
)

evidence = sa.Table(
    "evidence",
    metadata,
    *_of_answer(),
    *_span(),
    sa.Column("found_by", sa.Text, nullable=False),
    sa.Column("digest", sa.String(64), nullable=False),
    sa.Column("symbol", sa.Text, nullable=False),
)

event = sa.Table(
    "event",
    metadata,
    *_of_answer(),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("payload", sa.JSON, nullable=False),
)

# A question that a surface has taken in and owes an answer, in the surface's own words: a row
# stands before the surface tells its sender that it has the question.
receipt = sa.Table(
    "receipt",
    metadata,
    sa.Column("id", sa.String(16), primary_key=True),
    sa.Column("surface", sa.String(32), nullable=False),
    sa.Column("place", sa.String(255), nullable=False),  # the message that asks: once each
    sa.Column("thread", sa.String(255), nullable=False),
    sa.Column("event", sa.String(64), nullable=False),
    sa.Column("asker", sa.String(255), nullable=False),
    sa.Column("question", sa.Text, nullable=False),
    sa.Column("received_at", sa.Double, nullable=False),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("answer_id", sa.String(16)),  # set once there is an answer to deliver
    sa.Column("posted", sa.JSON, nullable=False),  # ids of the messages it has become, in order
    sa.Column("closed_at", sa.Double),  # NULL while something is still owed
    sa.Column("outcome", sa.String(16)),
    sa.Column("reason", sa.Text, nullable=False),  # why it ended without being answered
    # Who works on it, and when that process last said so.
    sa.Column("host", sa.Text, nullable=False),
    sa.Column("pid", sa.BigInteger, nullable=False),
    sa.Column("process", sa.Text, nullable=False),
    sa.Column("seen_at", sa.Double, nullable=False),
    sa.Index(None, "surface", "place", unique=True),
    sa.Index(None, "surface", "thread"),
    sa.Index(None, "closed_at"),
    sa.Index(None, "answer_id"),
)

# One row for a person and an answer: who changes their mind still counts once.
feedback = sa.Table(
    "feedback",
    metadata,
    sa.Column(
        "answer_id",
        sa.String(16),
        sa.ForeignKey("answer.id", ondelete="CASCADE"),
        primary_key=True,
    ),
    sa.Column("surface", sa.String(32), primary_key=True),
    sa.Column("asker", sa.String(255), primary_key=True),
    sa.Column("verdict", sa.String(8), nullable=False),
    sa.Column("given_at", sa.Double, nullable=False),
)

# A token that may ask over HTTP. What is kept is the SHA-256 of it: 256 random bits need no salt
# and no slow hash, since nobody can try them all. A revoked one stays, so that its name in old
# answers goes on meaning the one that asked.
token = sa.Table(
    "token",
    metadata,
    sa.Column("id", sa.String(16), primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("digest", sa.String(64), nullable=False),
    sa.Column("tags", sa.JSON, nullable=False),
    sa.Column("created_at", sa.Double, nullable=False),
    sa.Column("revoked_at", sa.Double),
    sa.Index(None, "digest", unique=True),
)
