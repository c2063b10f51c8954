"""Answers with their revisions, citations, evidence and events.

Like every step here it stands alone and never imports the current tables: it must go on doing
what it did on the day it was released.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the first tables."""
    _answer()
    _answer_revision()
    _below_answer(
        "citation",
        *_span(),
        sa.Column("verdict", sa.String(16), nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("url", sa.Text, nullable=False),
    )
    _below_answer(
        "evidence",
        *_span(),
        sa.Column("found_by", sa.Text, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("symbol", sa.Text, nullable=False),
    )
    _below_answer(
        "event",
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("payload", sa.JSON, nullable=False),
    )


def _answer() -> None:
    op.create_table(
        "answer",
        sa.Column("id", sa.String(16), nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("completed_at", sa.Double),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("asker_surface", sa.String(32), nullable=False),
        sa.Column("asker_name", sa.Text, nullable=False),
        sa.Column("mode", sa.String(16), nullable=False),
        sa.Column("outcome", sa.String(16)),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("warnings", sa.JSON, nullable=False),
        sa.Column("usage", sa.JSON, nullable=False),
        sa.Column("timings", sa.JSON, nullable=False),
        sa.Column("version", sa.String(32), nullable=False),
        sa.Column("error_type", sa.String(32)),
        sa.Column("error_message", sa.Text),
        sa.Column("host", sa.Text, nullable=False),
        sa.Column("pid", sa.BigInteger, nullable=False),
        sa.Column("process", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_answer"),
    )
    op.create_index("ix_answer_created_at_id", "answer", ["created_at", "id"])
    op.create_index("ix_answer_outcome_created_at", "answer", ["outcome", "created_at"])


def _answer_revision() -> None:
    _below_answer(
        "answer_revision",
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
    )
    op.create_index("ix_answer_revision_source_id", "answer_revision", ["source_id"])
    op.create_index("ix_answer_revision_source_name", "answer_revision", ["source_name"])


def _span() -> list[sa.Column[Any]]:
    return [
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("revision", sa.String(128), nullable=False),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("start_line", sa.Integer, nullable=False),
        sa.Column("end_line", sa.Integer, nullable=False),
    ]


def _below_answer(table: str, *columns: sa.Column[Any]) -> None:
    op.create_table(
        table,
        sa.Column("answer_id", sa.String(16), nullable=False),
        sa.Column("seq", sa.Integer, nullable=False, autoincrement=False),
        *columns,
        sa.PrimaryKeyConstraint("answer_id", "seq", name=f"pk_{table}"),
        sa.ForeignKeyConstraint(
            ["answer_id"], ["answer.id"], name=f"fk_{table}_answer_id", ondelete="CASCADE"
        ),
    )
