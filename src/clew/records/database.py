"""Opens the records database: creates it, brings its schema up to date, words its errors.

SQLite in WAL mode by default (readers never wait for a writer), PostgreSQL by URL. Alembic costs
0.1 s to import, so it is loaded only when the schema is not the newest. It knows no query.
"""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy import event, exc

from clew.errors import BusyError, ClewError, PermanentError, SettingsError, TransientError
from clew.records.tables import HEAD, REVISIONS

if TYPE_CHECKING:
    from collections.abc import Generator

_MIGRATIONS = Path(__file__).with_name("migrations")
_MIGRATION_LOCK = 0x636C6577  # any constant of ours; PostgreSQL's advisory locks are numbers


def open_database(where: Path | str, wait: float) -> sa.Engine:
    """Open the records at a file's path or a URL, creating or upgrading them when needed.

    Args:
        where: A SQLite file, which may not be there yet, or a `postgresql://` URL.
        wait: For how long a lock that another process holds is waited for, seconds.

    Raises:
        BusyError: Another process held a lock for longer than `wait`.
        PermanentError: The database is damaged, can't be written, or a newer Clew wrote it.
        SettingsError: The URL is of a database that can't hold records.
    """
    if isinstance(where, Path):
        return _open_file(where, wait)
    engine = _server_engine(where, wait)
    try:
        with wording("The records database"):
            if _version(engine, "The records database") != HEAD:
                upgrade(engine)
    except ClewError:
        engine.dispose()
        raise
    return engine


@contextmanager
def wording(name: str) -> Generator[None]:
    """Turn what the database raises into a ClewError that says what to do about `name`."""
    try:
        yield
    except exc.TimeoutError as error:
        raise BusyError(f"{name} is busy: try again in a moment.") from error
    except (exc.DBAPIError, sqlite3.Error, OSError) as error:
        raise worded(error, name) from error


def worded(error: BaseException, name: str) -> ClewError:
    """The ClewError for what a database driver or the file system raised."""
    cause = error.orig if isinstance(error, exc.DBAPIError) and error.orig else error
    code = getattr(cause, "sqlite_errorcode", None)
    if code is not None:
        return _sqlite_error(int(code) & 0xFF, cause, name)
    state = getattr(cause, "sqlstate", None)
    if state in {"55P03", "57014", "40001", "40P01"}:  # lock time-out, cancelled, conflict
        return BusyError(f"{name} is held by another process: try again in a moment.")
    if isinstance(cause, OSError):
        return PermanentError(f"{name} can't be opened ({cause.strerror}): check the data folder.")
    if isinstance(error, exc.OperationalError):
        return TransientError(f"{name} can't be reached: check that its server runs.")
    return PermanentError(f"{name} can't be used: {type(cause).__name__}.")


def _sqlite_error(code: int, cause: BaseException, name: str) -> ClewError:
    if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
        return BusyError(f"{name} is held by another process: try again in a moment.")
    if code in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}:
        return PermanentError(
            f"{name} is damaged: move it away (a new one is made; its answers are lost) or put "
            "back a copy."
        )
    if code in {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM}:
        return PermanentError(
            f"{name} can't be written: make the file and its folder writable, or choose another "
            "data folder with --data."
        )
    if code == sqlite3.SQLITE_FULL:
        return PermanentError(f"{name} can't grow, the disk is full: free some space.")
    if code == sqlite3.SQLITE_ERROR:  # a table or a column that is not there
        return PermanentError(
            f"{name} was made by another version of Clew ({cause}): use that version, or move it "
            "away (a new one is made; its answers are lost)."
        )
    return PermanentError(f"{name} can't be used ({cause}): check the disk it is on.")


# --- SQLite ----------------------------------------------------------------------------------


def _open_file(path: Path, wait: float) -> sa.Engine:
    name = f"The records database {path}"
    with wording(name):
        if not path.exists():
            _create_file(path, wait)
        engine = _file_engine(path, wait)
        try:
            if _version(engine, name) != HEAD:
                with _only_one(path, name, wait):
                    if _version(engine, name) != HEAD:
                        upgrade(engine)
        except BaseException:
            engine.dispose()
            raise
    return engine


def _create_file(path: Path, wait: float) -> None:
    """Make the whole database beside its place and move it there, so nobody meets half of one."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with _only_one(path, f"The records database {path}", wait):
        if path.exists():
            return  # another process was first
        new = path.with_name(path.name + ".new")
        for left_over in ("", "-journal", "-wal", "-shm"):
            new.with_name(new.name + left_over).unlink(missing_ok=True)
        new.touch(mode=0o600)  # questions are nobody else's business
        engine = _file_engine(new, wait)
        try:
            upgrade(engine)
            with engine.connect() as connection:
                # Closing would do it too, and would not say so when the disk is full: the log
                # that then holds half of the database does not move with it.
                raw: Any = connection.connection.driver_connection
                raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        finally:
            engine.dispose()
        new.replace(path)


@contextmanager
def _only_one(path: Path, name: str, wait: float) -> Generator[None]:
    """Hold the lock under which one process at a time creates or upgrades the file."""
    from filelock import FileLock, Timeout

    lock = FileLock(path.with_name(path.name + ".lock"), timeout=wait)
    try:
        lock.acquire()
    except Timeout as error:
        raise BusyError(
            f"{name} is being upgraded by another process: try again in a moment."
        ) from error
    try:
        yield
    finally:
        lock.release()


def _file_engine(path: Path, wait: float) -> sa.Engine:
    engine = sa.create_engine(
        sa.URL.create("sqlite", database=str(path)),
        hide_parameters=True,  # an error's text must not carry what was being stored
        connect_args={"timeout": wait, "isolation_level": None},
    )

    def connected(connection: sqlite3.Connection, _record: object) -> None:
        connection.execute("PRAGMA foreign_keys = ON")
        # In WAL mode a killed process loses nothing; only a power cut may take the last commits.
        connection.execute("PRAGMA synchronous = NORMAL")

    def begun(connection: sa.Connection) -> None:
        # A writer takes its lock at once: one that upgrades from a read fails without waiting.
        writes = connection.get_execution_options().get("writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    event.listen(engine, "connect", connected)
    event.listen(engine, "begin", begun)
    return engine


# --- servers ---------------------------------------------------------------------------------


def _server_engine(url: str, wait: float) -> sa.Engine:
    try:
        parsed = sa.make_url(url)
    except exc.ArgumentError as error:
        raise SettingsError("The records database's URL can't be read: check it.") from error
    if parsed.get_backend_name() != "postgresql":
        raise SettingsError("Records are kept in a SQLite file or at a postgresql:// URL.")
    try:
        return sa.create_engine(
            parsed.set(drivername="postgresql+psycopg"),
            hide_parameters=True,
            pool_pre_ping=True,
            connect_args={
                "connect_timeout": max(1, round(wait)),
                "options": f"-c lock_timeout={max(1, round(wait * 1000))}",
            },
        )
    except ModuleNotFoundError as error:
        raise SettingsError(
            "Records on PostgreSQL need psycopg: install it beside Clew."
        ) from error


# --- schema ----------------------------------------------------------------------------------


def _version(engine: sa.Engine, name: str) -> str:
    """The schema's revision, "" for an empty database; plain SQL, without Alembic."""
    with engine.connect() as connection:
        tables = sa.inspect(connection).get_table_names()
        if "alembic_version" not in tables:
            if engine.dialect.name == "sqlite" and tables:
                raise PermanentError(
                    f"{name} belongs to another program: choose another data folder with --data."
                )
            return ""
        found = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    version = str(found or "")
    if version and version not in REVISIONS:
        raise PermanentError(
            f"{name} was written by a newer Clew (schema {version}; this one knows {HEAD}): "
            "upgrade Clew, or choose another data folder with --data."
        )
    return version


def upgrade(engine: sa.Engine) -> None:
    """Run the missing migrations in one transaction."""
    if engine.dialect.name == "sqlite":
        with engine.connect() as connection:
            raw: Any = connection.connection.driver_connection
            raw.execute("PRAGMA journal_mode = WAL")  # kept in the file; not inside a transaction
    with engine.execution_options(writes=True).begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_MIGRATION_LOCK})")
        _run_migrations(connection)


def _run_migrations(connection: sa.Connection) -> None:
    from alembic.migration import MigrationContext
    from alembic.operations import Operations
    from alembic.script import ScriptDirectory

    scripts = ScriptDirectory(_MIGRATIONS, version_locations=[_MIGRATIONS])
    context = MigrationContext.configure(connection, opts={"transactional_ddl": True})
    current = context.get_current_revision() or "base"
    steps = list(scripts.iterate_revisions(HEAD, current))
    with Operations.context(context):
        for step in reversed(steps):
            step.module.upgrade()
    context.stamp(scripts, HEAD)
