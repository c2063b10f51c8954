"""Which databases the tests of the records run over.

SQLite always; PostgreSQL too where TEST_POSTGRES_URL names a database that may be emptied.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

POSTGRES_URL = os.environ.get("TEST_POSTGRES_URL", "")
KINDS = ("sqlite", "postgresql") if POSTGRES_URL else ("sqlite",)


def an_empty_database(kind: str, folder: Path) -> Path | str:
    """Where a test's records go: nothing is there yet."""
    if kind == "sqlite":
        return folder / "data" / "records.db"
    import sqlalchemy as sa  # costs a quarter of a second, and most tests store nothing

    engine = sa.create_engine(POSTGRES_URL, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql("DROP SCHEMA public CASCADE")
        connection.exec_driver_sql("CREATE SCHEMA public")
    engine.dispose()
    return POSTGRES_URL
