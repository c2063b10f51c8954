"""A planted key never reaches the bytes of the records, wherever it came from (C23)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clew.errors import SourceError
from clew.records.rows import MAX_SHORT, Cleaner
from clew.records.store import Records
from clew.redact import redact
from clew.types import (
    Asker,
    Caveat,
    Citation,
    Evidence,
    Revision,
    Source,
    StatusEvent,
    ToolCallEvent,
)
from support.answers import a_question, an_answer

if TYPE_CHECKING:
    from pathlib import Path

# Put together here, so that no scanner trips over this file.
AWS = "AKIA" + "Z7Q3MPN5RTW2XK4V"
SLACK = "xoxb" + "-263594206564-2343594206574-FGqddMF8t08v8N7Oq4i57vs1"
DATABASE = "postgres://refunds:" + "h7Kq2zPw9vR4" + "@db.example.com:5432/shop"
PRIVATE = (
    "-----BEGIN RSA PRIVATE KEY-----\n"
    + "\n".join(["MIIEpAIBAAKCAQEA" + "q8Zr7Vt2Yw" * 4 + "xK5f0aQ1"] * 12)
    + "\n-----END RSA PRIVATE KEY-----"
)
PLANTED = {
    "aws": (AWS, AWS),
    "slack": (SLACK, SLACK),
    "database": (DATABASE, "h7Kq2zPw9vR4"),
    "private": (PRIVATE, "q8Zr7Vt2Yw" * 4),
}


def stored_bytes(path: Path) -> bytes:
    """Everything on disk, the write-ahead log included."""
    return b"".join(p.read_bytes() for p in path.parent.iterdir() if p.name.startswith(path.name))


@pytest.mark.parametrize("kind", PLANTED)
def test_a_secret_in_any_text_is_on_no_page_of_the_file(tmp_path: Path, kind: str) -> None:
    secret, core = PLANTED[kind]
    path = tmp_path / "records.db"
    records = Records(path)
    text = f"before {secret} after"
    answer_id = records.begin(a_question(text, asker=Asker("cli", text)))
    source = Source("shop-1", text, "remote", text, f"{text}/")
    records.pin(answer_id, [(source, Revision("r1", "t1", branch=text, stale=text, notes=(text,)))])
    span = {"source": text, "revision": "r1", "path": f"src/{text}.py", "start_line": 1}
    answer = an_answer(
        answer_id,
        question=text,
        text=f"It is:\n\n{secret}\n",
        citations=(Citation(**span, end_line=2, verdict="repaired", note=text, url=text),),
        warnings=(Caveat("stale", text),),
        evidence=(Evidence(**span, end_line=2, found_by=text, digest="0" * 16, symbol=text),),
    )
    events = [StatusEvent(text), ToolCallEvent("grep", text, text, ok=True)]
    records.complete(answer, events, SourceError(text))
    assert b"before " in stored_bytes(path)
    assert core.encode() not in stored_bytes(path)
    assert b"[REDACTED:" in stored_bytes(path)
    records.close()
    assert core.encode() not in stored_bytes(path)


def test_a_secret_at_the_place_where_a_long_text_is_cut_is_not_halved(tmp_path: Path) -> None:
    path = tmp_path / "records.db"
    records = Records(path)
    answer_id = records.begin(a_question())
    argument = "x " * (MAX_SHORT // 2 - 5) + AWS
    records.complete(an_answer(answer_id), [ToolCallEvent("grep", argument, "", ok=True)])
    assert AWS[:8].encode() not in stored_bytes(path)
    records.close()


def test_what_is_redacted_already_stays_as_it_is() -> None:
    clean = Cleaner(redact)
    once = clean(f"key = {AWS}")
    assert AWS not in once
    assert clean(once) == once


def test_a_database_error_does_not_carry_what_was_being_stored(tmp_path: Path) -> None:
    records = Records(tmp_path / "records.db")
    with records._engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE answer_revision")
    answer_id = records.begin(a_question())
    source = Source("shop-1", "shop", "remote", "https://git.example/private.git")
    with pytest.raises(Exception, match="records") as raised:
        records.pin(answer_id, [(source, Revision("r1", "t1"))])
    assert "private.git" not in str(raised.value)
    assert "private.git" not in str(raised.value.__cause__)
    records.close()
