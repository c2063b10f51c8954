"""What people see: handsome on a terminal, plain in a pipe, and never steered by a repository."""

from __future__ import annotations

import io
import os
import re
import select
import struct
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from clew.surfaces.cli.blocks import Block, Divider
from clew.surfaces.cli.screen import AnswerScreen
from clew.surfaces.cli.terminal import one_line, visible
from clew.types import Citation, CitationEvent, TextEvent
from support.cli import SHOP, clew, command
from support.gitrepo import GitRepo

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ESCAPE = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b\]8;[^\x1b]*\x1b\\")
ANSWER = """## Answer

`retry` stands at `shop/a.py:3-4`.

- one at `shop/a.py:3`
- two

## Evidence

`shop/a.py:3-4`

````python
def retry():
    return "```", "{wide}"
````

## Caveats

- Nothing was judged.

As of `shop` at `0123456789`.
""".replace("{wide}", "w" * 200)
CITED = [
    Citation("shop", "r", "shop/a.py", 3, 4, "verified", url="file:///r/shop/a.py#L3"),
    Citation("shop", "r", "shop/a.py", 3, 3, "verified", url="file:///r/shop/a.py#L3"),
]


def drawn(width: int, *, pieces: int = 1) -> str:
    out = io.StringIO()
    console = Console(
        file=out, force_terminal=True, color_system="standard", width=width, highlight=False
    )
    screen = AnswerScreen(console)
    size = -(-len(ANSWER) // pieces)
    for start in range(0, len(ANSWER), size):
        screen.feed(TextEvent(ANSWER[start : start + size]))
        for citation in CITED:
            screen.feed(CitationEvent(citation))
    screen.finish()
    return out.getvalue()


@pytest.mark.parametrize("width", [80, 120])
def test_an_answer_is_drawn_with_headings_links_line_numbers_and_caveats(width: int) -> None:
    text = drawn(width)
    plain = ESCAPE.sub("", text)
    assert "##" not in plain
    assert "\x1b[1;36mAnswer\x1b[0m" in text
    assert text.count("\x1b]8;id=") == 3, "two citations and the label of the excerpt"
    assert "file:///r/shop/a.py#L3" in text
    assert "3 │ def retry():" in plain
    assert '4 │     return "```", "' + "w" * 200 + '"\n' in plain, "code is never cut or wrapped"
    assert "\x1b[33mNothing was judged." in text
    prose = [row for row in plain.split("\n") if "│" not in row]
    assert max(map(len, prose)) <= width
    assert "\n\n\n" not in plain
    assert not any(row.endswith(" ") for row in prose)


@settings(deadline=None, max_examples=30)
@given(st.integers(1, len(ANSWER)))
def test_how_an_answer_arrives_does_not_change_how_it_looks(pieces: int) -> None:
    anonymous = re.compile(r"id=\d+;")  # rich numbers its links by chance
    assert anonymous.sub("", drawn(80, pieces=pieces)) == anonymous.sub("", drawn(80))


@given(st.text(alphabet="`~# a\n-", max_size=80), st.integers(1, 80))
def test_blocks_hold_every_word_however_they_are_cut(text: str, size: int) -> None:
    whole, cut = Divider(), Divider()
    expected = [*whole.feed(text), *whole.finish()]
    found = [b for at in range(0, len(text), size) for b in cut.feed(text[at : at + size])]
    assert [*found, *cut.finish()] == expected
    assert "".join(b.text for b in expected).count("a") <= text.count("a")


def test_a_fence_ends_at_one_as_long_and_code_keeps_its_blank_lines() -> None:
    divider = Divider()
    blocks = [*divider.feed("see\n````md\n\n```\na\n\n````\nend"), *divider.finish()]
    assert blocks == [
        Block("prose", "see"),
        Block("code", "\n```\na\n", "md"),
        Block("prose", "end"),
    ]


@given(st.text())
def test_nothing_on_one_line_can_steer_a_terminal(text: str) -> None:
    line = one_line(text)
    assert not re.search("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", line)
    assert visible(visible(text)) == visible(text)
    line.encode("utf-8")


# --- hostile repositories --------------------------------------------------------------------

EVIL = "\x1b]0;owned\x07\x1b[2J\x9b31m\r\u202e"


@pytest.fixture
def hostile(tmp_path: Path) -> GitRepo:
    repo = GitRepo(tmp_path / "hostile")
    repo.write(
        "shop/evil\x1b[31m.py", f'def steer():\n    """Steers {EVIL} things."""\n    return 1\n'
    )
    repo.write("shop/other.py", f"def other():\n    # {EVIL}\n    return steer()\n")
    repo.write("logo\x1b[5m.png", b"x")
    repo.commit("first")
    return repo


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such file names")
@pytest.mark.parametrize("screen", [False, True], ids=["pipe", "terminal"])
def test_a_repository_cant_steer_the_terminal(
    screen: bool, hostile: GitRepo, tmp_path: Path, on_terminal: Callable[..., tuple[str, int]]
) -> None:
    where = "--repo", hostile.path, "--data", tmp_path / "data"
    clew("index", *where)
    place = clew("search", "steer", "--json", *where).json()["results"][0]["path"]
    for words in (
        ("status", "--skipped"),
        ("search", "steer"),
        ("show", f"{place}:1-3"),
        ("show", "shop/other.py"),
        ("ask", "what does steer do?"),
        ("index",),
        ("show", "no\x1b[31m.py"),
        ("history",),
    ):
        if screen and words[0] in {"ask", "search", "status"}:
            text = ESCAPE.sub("", on_terminal(120, *words, *where)[0]).replace("\r\n", "\n")
            text = re.sub("\r", "", text)  # progress draws over its own line
        else:
            ran = clew(*words, *(where if words[0] != "history" else where[2:]))
            text = ran.out + ran.err
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text), words
        assert "owned\x07" not in text


def test_json_escapes_what_could_steer_a_terminal_or_end_a_line(
    hostile: GitRepo, tmp_path: Path
) -> None:
    where = "--repo", hostile.path, "--data", tmp_path / "data"
    ran = clew("show", "shop/other.py", "--json", *where)
    assert ran.json()["lines"][1] == f"    # {EVIL}"
    assert len(ran.out.splitlines()) == 1
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", ran.out)


# --- real terminals --------------------------------------------------------------------------


@pytest.fixture
def on_terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[str, int]]:
    """Runs a command on a pseudo-terminal of a width; gives what it wrote and its exit code."""
    pty = pytest.importorskip("pty")
    monkeypatch.setenv("TERM", "xterm-256color")
    for name in ("NO_COLOR", "COLORTERM", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)

    def run(width: int, *words: object) -> tuple[str, int]:
        import fcntl
        import subprocess
        import termios

        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
        running = subprocess.Popen(command(*words), stdin=theirs, stdout=theirs, stderr=theirs)
        os.close(theirs)
        written = b""
        while select.select([ours], [], [], 30)[0]:
            try:
                piece = os.read(ours, 65_536)
            except OSError:  # the other end was closed
                break
            if not piece:
                break
            written += piece
        os.close(ours)
        return written.decode(), running.wait(10)

    return run


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> GitRepo:
    repo = GitRepo(tmp_path_factory.mktemp("screen") / "shop")
    for path, content in SHOP.items():
        repo.write(path, content)
    repo.commit("first")
    return repo


def test_on_a_terminal_progress_leaves_nothing_and_the_footer_says_how_to_find_it(
    shop: GitRepo, tmp_path: Path, on_terminal: Callable[..., tuple[str, int]]
) -> None:
    where = "--repo", shop.path, "--data", tmp_path / "data"
    text, code = on_terminal(80, "ask", "where is retry_refund defined?", *where)
    assert code == 0
    assert "shop: indexing" in text
    assert "\x1b[?25h" in text, "the cursor is back"
    after = text[text.rindex("\x1b[?25h") :]
    assert "indexing" not in after
    assert "\x1b[2K\x1b[1;36mAnswer" in after, "the line of progress was cleared"
    assert re.search(r"answered.* in \d+\.\d s · clew answer [0-9a-z]{16}", ESCAPE.sub("", after))


@pytest.mark.parametrize("variable", ["NO_COLOR=1", "TERM=dumb"])
def test_a_terminal_without_colours_gets_the_plain_text(
    variable: str,
    shop: GitRepo,
    tmp_path: Path,
    on_terminal: Callable[..., tuple[str, int]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    where = "--repo", shop.path, "--data", tmp_path / "data"
    clew("index", *where)
    monkeypatch.setenv(*variable.split("=", 1))
    text, _ = on_terminal(80, "ask", "where is retry_refund defined?", *where)
    answer = text[text.index("## Answer") :].replace("\r\n", "\n")
    assert "\x1b" not in answer
    assert answer == clew("ask", "where is retry_refund defined?", *where).out


def test_search_on_a_terminal_shows_rank_link_symbol_and_signature(
    shop: GitRepo, tmp_path: Path, on_terminal: Callable[..., tuple[str, int]]
) -> None:
    where = "--repo", shop.path, "--data", tmp_path / "data"
    text, _ = on_terminal(80, "search", "retry refund", *where)
    assert f"{(shop.path / 'shop/refunds.py').as_uri()}#L" in text
    rows = ESCAPE.sub("", text).replace("\r\n", "\n").split("\n")
    first = next(
        n for n, row in enumerate(rows) if row.lstrip("\r").startswith(" 1  shop/refunds.py")
    )
    assert "retry_refund" in rows[first]
    assert rows[first + 1].strip() == "def retry_refund(order):"


def test_search_in_a_pipe_is_one_line_a_span_that_a_script_can_split(
    shop: GitRepo, tmp_path: Path
) -> None:
    ran = clew("search", "retry refund", "--repo", shop.path, "--data", tmp_path / "data")
    assert ran.err == ""
    for line in ran.out.removesuffix("\n").split("\n"):
        place, kind, _symbol = line.split("\t")
        assert re.fullmatch(r".+:\d+-\d+", place)
        assert kind
    assert ran.out.startswith("shop/refunds.py:")
