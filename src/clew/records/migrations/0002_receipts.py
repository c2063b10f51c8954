"""Receipts of questions that a surface took in, and what people thought of the answers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create the two tables."""
    op.create_table(
        "receipt",
        sa.Column("id", sa.String(16), nullable=False),
        sa.Column("surface", sa.String(32), nullable=False),
        sa.Column("place", sa.String(255), nullable=False),
        sa.Column("thread", sa.String(255), nullable=False),
        sa.Column("event", sa.String(64), nullable=False),
        sa.Column("asker", sa.String(255), nullable=False),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("received_at", sa.Double, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("answer_id", sa.String(16)),
        sa.Column("posted", sa.JSON, nullable=False),
        sa.Column("closed_at", sa.Double),
        sa.Column("outcome", sa.String(16)),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("host", sa.Text, nullable=False),
        sa.Column("pid", sa.BigInteger, nullable=False),
        sa.Column("process", sa.Text, nullable=False),
        sa.Column("seen_at", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_receipt"),
    )
    op.create_index("ix_receipt_surface_place", "receipt", ["surface", "place"], unique=True)
    op.create_index("ix_receipt_surface_thread", "receipt", ["surface", "thread"])
    op.create_index("ix_receipt_closed_at", "receipt", ["closed_at"])
    op.create_index("ix_receipt_answer_id", "receipt", ["answer_id"])
    op.create_table(
        "feedback",
        sa.Column("answer_id", sa.String(16), nullable=False),
        sa.Column("surface", sa.String(32), nullable=False),
        sa.Column("asker", sa.String(255), nullable=False),
        sa.Column("verdict", sa.String(8), nullable=False),
        sa.Column("given_at", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("answer_id", "surface", "asker", name="pk_feedback"),
        sa.ForeignKeyConstraint(
            ["answer_id"], ["answer.id"], name="fk_feedback_answer_id", ondelete="CASCADE"
        ),
    )
