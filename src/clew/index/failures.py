"""What SQLite's errors on an index mean to its reader. Nothing here retries."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING

from clew.errors import BusyError, IndexFailedError
from clew.index.store import DamagedIndexError

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

_DAMAGED = ("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_FORMAT")
_BUSY = ("SQLITE_BUSY", "SQLITE_LOCKED")
_DENIED = ("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH")


@contextmanager
def translated(path: Path) -> Generator[None]:
    """Raise SQLite's errors as ours: one sentence that says what to do."""
    try:
        yield
    except sqlite3.Error as error:
        name = str(getattr(error, "sqlite_errorname", ""))
        if name.startswith(_BUSY):
            raise BusyError(f"the index {path} is held by another process: try again") from error
        if name.startswith("SQLITE_FULL"):
            raise IndexFailedError(
                f"the disk is full: free some space for {path.parent} and ask again"
            ) from error
        if name.startswith(_DENIED):
            raise IndexFailedError(
                f"the index {path} can't be opened or written: check the folder's permissions"
            ) from error
        if name.startswith(_DAMAGED) or "no such table" in str(error):
            raise DamagedIndexError(
                f"the index {path} is damaged: delete the file and ask again"
            ) from error
        raise IndexFailedError(f"the index {path} failed ({error}): ask again") from error
