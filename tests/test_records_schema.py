"""The migrations lead to the tables as they are now, from nothing and from every past revision."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from filelock import FileLock

import clew.records
from clew.errors import BusyError, PermanentError, SettingsError
from clew.records.database import upgrade, worded
from clew.records.store import Records
from clew.records.tables import HEAD, REVISIONS, metadata
from support.answers import a_question

MIGRATIONS = Path(clew.records.__file__).with_name("migrations")
OPEN = "import sys; from pathlib import Path; from clew.records.store import Records; {}"


def scripts() -> ScriptDirectory:
    return ScriptDirectory(MIGRATIONS, version_locations=[MIGRATIONS])


def differences(engine: sa.Engine) -> list[Any]:
    with engine.begin() as connection:
        options = {"compare_type": True, "compare_server_default": True}
        return compare_metadata(MigrationContext.configure(connection, opts=options), metadata)


def run(code: str, *arguments: object) -> subprocess.Popen[str]:
    """Start Python on some code that opens the records at `sys.argv[1]`."""
    command = [sys.executable, "-c", OPEN.format(code), *map(str, arguments)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.PIPE, text=True
    )


# --- migrations ------------------------------------------------------------------------------


def test_the_revisions_are_one_line_that_ends_at_the_head() -> None:
    assert scripts().get_heads() == [HEAD]
    walked = [script.revision for script in scripts().walk_revisions()]
    assert tuple(reversed(walked)) == REVISIONS


def test_a_migration_stands_alone() -> None:
    for script in MIGRATIONS.glob("*.py"):
        assert "import clew" not in script.read_text()
        assert "from clew" not in script.read_text()


def test_a_fresh_database_is_what_the_tables_say(records_where: Path | str) -> None:
    records = Records(records_where)
    assert differences(records._engine) == []
    records.close()


@pytest.mark.parametrize("past", REVISIONS)
def test_every_past_revision_is_brought_to_the_head(
    records_where: Path | str, past: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clew.records.database.HEAD", past)
    Records(records_where).close()
    monkeypatch.undo()
    records = Records(records_where)
    assert differences(records._engine) == []
    records.close()


def test_upgrading_what_is_at_the_head_changes_nothing(records_where: Path | str) -> None:
    records = Records(records_where)
    answer_id = records.begin(a_question())
    upgrade(records._engine)
    assert records.get(answer_id).summary.id == answer_id
    records.close()


def test_a_migration_that_breaks_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(*_arguments: object) -> None:
        raise RuntimeError("killed here")

    monkeypatch.setattr(MigrationContext, "stamp", breaks)
    with pytest.raises(RuntimeError):
        Records(tmp_path / "records.db")
    assert not (tmp_path / "records.db").exists()
    monkeypatch.undo()
    Records(tmp_path / "records.db").close()
    assert {p.name for p in tmp_path.iterdir()} == {"records.db", "records.db.lock"}


# --- opening ---------------------------------------------------------------------------------


def test_sqlite_writes_ahead_and_checks_foreign_keys(tmp_path: Path) -> None:
    records = Records(tmp_path / "records.db")
    for pragma, value in (("journal_mode", "wal"), ("foreign_keys", 1)):
        with records._engine.connect() as connection:
            assert connection.exec_driver_sql(f"PRAGMA {pragma}").scalar() == value
    records.close()


def test_only_the_owner_may_read_the_records(tmp_path: Path) -> None:
    Records(tmp_path / "records.db").close()
    assert (tmp_path / "records.db").stat().st_mode & 0o077 == 0


def test_the_data_folder_is_made_when_it_is_missing(tmp_path: Path) -> None:
    Records(tmp_path / "a" / "b" / "records.db").close()
    assert (tmp_path / "a" / "b" / "records.db").exists()


def test_an_empty_file_becomes_a_database(tmp_path: Path) -> None:
    (tmp_path / "records.db").touch()
    records = Records(tmp_path / "records.db")
    assert records.history() == []
    records.close()


def test_alembic_is_loaded_only_to_change_the_schema(tmp_path: Path) -> None:
    loaded = "Records(Path(sys.argv[1])).close(); print('alembic' in sys.modules)"
    first, _ = run(loaded, tmp_path / "records.db").communicate()
    second, _ = run(loaded, tmp_path / "records.db").communicate()
    assert (first, second) == ("True\n", "False\n")


def test_processes_that_open_a_new_folder_at_once_all_succeed(tmp_path: Path) -> None:
    """Each waits for a line, so that they start together, and then begins a question."""
    code = (
        "from clew.types import Asker, Question; sys.stdin.readline();"
        "print(Records(Path(sys.argv[1])).begin(Question('why?', (), Asker('cli'))))"
    )
    racing = [run(code, tmp_path / "new" / "records.db") for _ in range(4)]
    for process in racing:
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
    outputs = [process.communicate() for process in racing]
    assert [process.returncode for process in racing] == [0] * 4, outputs
    records = Records(tmp_path / "new" / "records.db")
    assert {one.id for one in records.history()} == {out.strip() for out, _ in outputs}
    records.close()


# --- what can't be opened --------------------------------------------------------------------


def test_records_of_a_newer_clew_are_not_touched(records_where: Path | str) -> None:
    records = Records(records_where)
    with records._engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    records.close()
    with pytest.raises(PermanentError, match=r"newer Clew.*upgrade Clew"):
        Records(records_where)


def test_another_programs_database_is_not_touched(tmp_path: Path) -> None:
    engine = sa.create_engine(f"sqlite:///{tmp_path}/records.db")
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE evidence (id INTEGER)")
    engine.dispose()
    with pytest.raises(PermanentError, match=r"another program.*--data"):
        Records(tmp_path / "records.db")


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "records.db").write_bytes(b"not a database, by any means\n" * 200)
    with pytest.raises(PermanentError, match=r"records\.db is damaged: move it away"):
        Records(tmp_path / "records.db")


def test_tables_of_another_version_under_the_same_number_are_named(tmp_path: Path) -> None:
    path = tmp_path / "records.db"
    Records(path).close()
    engine = sa.create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE answer RENAME COLUMN question TO asked")
    engine.dispose()
    with pytest.raises(PermanentError, match=r"records\.db was made by another version.*move it"):
        Records(path).begin(a_question("why?"))


def test_a_database_with_broken_pages_is_named(tmp_path: Path) -> None:
    path = tmp_path / "records.db"
    records = Records(path)
    for _ in range(50):
        records.begin(a_question("why? " * 100))
    records.close()
    content = bytearray(path.read_bytes())
    content[4096 * 2 :] = b"\xff" * len(content[4096 * 2 :])
    path.write_bytes(content)
    with pytest.raises(PermanentError, match="damaged"):
        Records(path).history()


def test_a_folder_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("in the way")
    with pytest.raises(PermanentError, match="check the data folder"):
        Records(tmp_path / "data" / "records.db")


def test_a_folder_in_the_files_place_is_named(tmp_path: Path) -> None:
    (tmp_path / "records.db").mkdir()
    with pytest.raises(PermanentError, match=r"can't be written.*--data"):
        Records(tmp_path / "records.db")


@pytest.mark.parametrize(
    ("uri", "pragma", "message"),
    [
        ("mode=ro", "query_only = 0", "can't be written: make the file and its folder writable"),
        ("mode=rw", "max_page_count = 1", "can't grow, the disk is full: free some space"),
    ],
)
def test_what_the_disk_refuses_is_said_with_a_way_out(
    tmp_path: Path, uri: str, pragma: str, message: str
) -> None:
    Records(tmp_path / "records.db").close()
    connection = sqlite3.connect(f"file:{tmp_path}/records.db?{uri}", uri=True)
    connection.execute(f"PRAGMA {pragma}")
    with pytest.raises(sqlite3.Error) as raised:
        connection.execute("CREATE TABLE more AS SELECT zeroblob(1000000)")
    connection.close()
    assert message in worded(raised.value, "The records").message


def test_an_upgrade_that_another_process_makes_is_waited_for_and_then_named(tmp_path: Path) -> None:
    path = tmp_path / "records.db"
    with FileLock(f"{path}.lock"), pytest.raises(BusyError, match="upgraded by another process"):
        Records(path, wait=0.05)
    Records(path).close()


@pytest.mark.parametrize("url", ["mysql://host/db", "sqlite:///x.db", "no url at all", ""])
def test_an_url_that_can_hold_no_records_is_refused(url: str) -> None:
    with pytest.raises(SettingsError):
        Records(url)
