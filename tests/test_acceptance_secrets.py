"""A secret never reaches an index, a record, a log, an event or an answer (C23).

Every kind is planted wherever a repository or a question can hold one; then every command runs,
and every byte that Clew wrote or printed is searched, blobs unpacked. Only git's own objects, which
are the repository itself, may hold one.
"""

from __future__ import annotations

import asyncio
import base64
import re
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
import zstandard

from support.asking import a_clew
from support.cli import Ran, clew, process
from support.gitrepo import GitRepo
from support.secrets import one_of_each

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

KINDS = one_of_each(23)
NAMES = {kind: re.sub(r"\W+", "_", kind) for kind in KINDS}
IN_NAMES = (
    KINDS["aws id"][1],
    KINDS["slack"][1],
    KINDS["github"][0].rstrip(")"),
    KINDS["stripe"][1],
)
# A secret is known to be gone when none of its long pieces is there: words of it may be words.
PIECE = 12


def as_code(kind: str, text: str) -> str:
    quoted = text.replace("\\", "\\\\").replace('"""', "'''")
    return (
        f'def connect_{NAMES[kind]}():\n    """Connects the zeppelin of {NAMES[kind]}."""\n'
        f'    return """{quoted}"""\n\n\ndef after_{NAMES[kind]}():\n    return 1\n'
    )


def as_comment(kind: str, text: str) -> str:
    rows = "\n".join(f"# {row}" for row in text.split("\n"))
    return f"{rows}\ndef commented_{NAMES[kind]}():\n    return 2\n"


def as_markdown(kind: str, text: str) -> str:
    return f"# How to moor {NAMES[kind]}\n\nUse this:\n\n```\n{text}\n```\n\nThen moor.\n"


def as_yaml(kind: str, text: str) -> str:
    rows = text.replace("\n", "\n  ")
    return f"zeppelin_{NAMES[kind]}: |\n  {rows}\nmast: {NAMES[kind]}\n"


PLACES = {"py": as_code, "comment.py": as_comment, "md": as_markdown, "yaml": as_yaml}


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> GitRepo:
    repo = GitRepo(tmp_path_factory.mktemp("secrets") / "ship")
    for kind, (text, _) in KINDS.items():
        repo.write(f"old/{NAMES[kind]}.py", as_code(kind, text))
    repo.commit("before: " + KINDS["github"][0])
    for kind in KINDS:
        repo.remove(f"old/{NAMES[kind]}.py")
    for kind, (text, _) in KINDS.items():
        for ending, write in PLACES.items():
            repo.write(f"now/{NAMES[kind]}.{ending}", write(kind, text))
    for name in IN_NAMES:
        repo.write(f"named/{name}.py", "def in_the_name():\n    return 3\n")
    repo.write("README.md", "# The ship\n\nMoors a zeppelin.\n")
    repo.commit("now: " + KINDS["slack"][0])
    repo.git("branch", "-M", "feature/" + KINDS["aws id"][1])
    repo.write("uncommitted.py", as_code("jwt in brackets", KINDS["jwt in brackets"][0]))
    return repo


@pytest.fixture(scope="module")
def where(planted: GitRepo) -> tuple[object, ...]:
    return "--repo", planted.path, "--data", planted.path.parent / "data"


@pytest.fixture(scope="module")
def shown(planted: GitRepo, where: tuple[object, ...]) -> dict[tuple[str, str], tuple[str, ...]]:
    """Every file with a secret in it, as it is shown."""
    application = a_clew(planted.path.parent)

    async def main() -> dict[tuple[str, str], tuple[str, ...]]:
        with await application.open([str(planted.path)], lambda _: None) as workspace:
            return {
                (kind, ending): (
                    await application.show(workspace, f"now/{NAMES[kind]}.{ending}", None, None)
                ).lines
                for kind in KINDS
                for ending in PLACES
            }

    found = asyncio.run(main())
    application.close()
    return found


@pytest.fixture(scope="module")
def ran(planted: GitRepo, where: tuple[object, ...], shown: object) -> list[Ran]:
    """Every command, over all of it."""
    done = [clew("index", *where, "--json"), clew("status", "--skipped", *where)]
    kinds = list(KINDS)
    for some in (kinds[:12], kinds[12:20], kinds[20:]):
        texts = " and ".join(KINDS[kind][0][:900] for kind in some)
        done.append(clew("ask", f"what does connect_{NAMES[some[0]]} do with {texts}?", *where))
        done.append(clew("search", texts, *where, "--json"))
    for kind in ("github", "jwt in brackets", "private key", "database url"):
        done.append(clew("ask", f"how is {NAMES[kind]} moored?", *where, "--events"))
        done.append(clew("show", f"now/{NAMES[kind]}.py", *where))
    for name in IN_NAMES:
        done.append(clew("show", f"named/{name}.py", *where))
        done.append(clew("ask", f"what is in named/{name}.py?", *where))
    done.append(clew("history", "--limit", "1000", *where[2:], "--json"))
    done += [clew("answer", row["id"], *where[2:], "--json") for row in done[-1].rows()]
    logged = {"CLEW_LOG_LEVEL": "debug", "CLEW_LOG_FORMAT": "json"}
    question = f"what does {KINDS['github'][0]} open?"
    done.append(process("ask", question, *where, "--json", env=logged))
    return done


def pieces(secret: str) -> Iterator[str]:
    """What would give a secret away: its lines, or what a JSON or a code line makes of them."""
    for piece in re.split(r"\\n|[\s\"'+#/]+", secret):
        if len(piece) >= PIECE and "PRIVATE" not in piece:
            yield piece
    if "\n" not in secret and len(secret) < 200:
        yield secret


SECRETS = [(piece.encode(), kind) for kind, (_, s) in KINDS.items() for piece in pieces(s)]


def leaks(content: bytes) -> set[str]:
    folded = content.lower()  # terms are folded
    return {kind for piece, kind in SECRETS if piece.lower() in folded}


def values_of(database: Path) -> Iterator[tuple[str, bytes]]:
    """Every value of every table, unpacked where it is packed."""
    unpack = zstandard.ZstdDecompressor()
    with closing(sqlite3.connect(database)) as opened:
        tables = [
            row[0] for row in opened.execute("SELECT name FROM sqlite_master WHERE type='table'")
        ]
        for table in tables:
            for row in opened.execute(f"SELECT * FROM {table}"):
                for value in row:
                    if isinstance(value, str):
                        yield table, value.encode()
                    elif isinstance(value, bytes):
                        yield table, value
                        if value[:4] == b"\x28\xb5\x2f\xfd":
                            yield table, unpack.decompress(value, max_output_size=1 << 26)


def test_every_kind_is_looked_for():
    assert {kind for _, kind in SECRETS} == set(KINDS)
    assert leaks(KINDS["gitlab"][0].encode()) == {"gitlab"}


def test_no_command_prints_a_secret(ran):
    for one in ran:
        assert not leaks(one.out.encode()), one.out
        assert not leaks(one.err.encode()), one.err


def test_every_command_did_its_work(ran):
    assert {one.code for one in ran} <= {0, 1, 2}
    assert not any("Traceback" in one.err for one in ran)


def test_no_byte_of_the_data_folder_holds_a_secret(planted, ran):
    data = planted.path.parent / "data"
    looked = 0
    for path in sorted(data.rglob("*")):
        inside = path.relative_to(data).parts
        if not path.is_file() or inside[0] == "grammars":
            continue
        if inside[0] == "git" and inside[2] != "clew.json":
            continue  # the repository itself
        assert not leaks(str(path).encode())
        found = leaks(path.read_bytes())
        assert not found, f"{path}: {found}"
        looked += 1
    assert looked >= 3


def test_no_value_of_any_database_holds_a_secret(planted, ran):
    databases = list((planted.path.parent / "data").rglob("*.db"))
    assert len(databases) == 2
    for database in databases:
        for table, value in values_of(database):
            found = leaks(value)
            assert not found, f"{database.name}, {table}: {found} in {value[:2000]!r}"


def test_the_place_of_every_redaction_is_visible_and_no_line_moves(shown):
    for (kind, ending), lines in shown.items():
        before = PLACES[ending](kind, KINDS[kind][0]).removesuffix("\n").split("\n")
        assert "[REDACTED:" in "".join(lines), (kind, ending)
        assert len(lines) == len(before), (kind, ending)
        assert not leaks("\n".join(lines).encode()), (kind, ending)
        kept = [number for number, row in enumerate(before) if lines[number] == row]
        assert kept, (kind, ending)


def test_what_stands_around_a_secret_is_found_and_answered(where, ran):
    answer = clew("ask", "where is after_github defined?", *where, "--json").json()
    assert answer["outcome"] == "answered"
    assert answer["citations"][0]["path"] == "now/github.py"


def test_a_secret_in_base64_of_nothing_is_no_secret():
    """The judge itself: what is no secret is not taken for one."""
    assert not leaks(base64.b64encode(b"nothing at all, and long enough to be read as a key"))
