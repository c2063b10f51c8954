"""Which tag an answer was given in, and the tokens that may ask."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the answer's tag, and the tokens."""
    op.add_column("answer", sa.Column("tag", sa.Text))
    op.create_table(
        "token",
        sa.Column("id", sa.String(16), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("tags", sa.JSON, nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("revoked_at", sa.Double),
        sa.PrimaryKeyConstraint("id", name="pk_token"),
    )
    op.create_index("ix_token_digest", "token", ["digest"], unique=True)
