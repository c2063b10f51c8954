"""The tools over a real index: search_code, and that all of them agree on lines and evidence."""

from __future__ import annotations

import inspect
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from clew.errors import InputError, NotFoundError
from clew.tools.find_symbol import find_symbol
from clew.tools.grep import grep
from clew.tools.list_files import list_files
from clew.tools.read_file import read_file
from clew.tools.result import MIN_CHARS, span_digest
from clew.tools.run import TOOLS, run
from clew.tools.scope import Scope
from clew.tools.search_code import MAX_TOP, search_code
from clew.types import Source, TreeEntry
from support.indexes import view_of
from support.snapshots import MemorySnapshot

if TYPE_CHECKING:
    from collections.abc import Iterator

CLIENT = '''"""Talks to the payment service."""

import requests


class PaymentClient:
    """Sends payments, with retries."""

    def make_payment(self, amount):
        """Retries a failed payment with exponential backoff."""
        for attempt in range(3):
            requests.post("/pay", amount)


class RefundClient:
    def make_payment(self, amount):
        return -amount
'''
MAIN = (
    "from shop.client import PaymentClient\n\n\ndef main():\n    PaymentClient().make_payment(3)\n"
)
KEY = "AKIA" + "Z7QWERTY5ZXCVB3N"
SHOP = {
    "shop/client.py": CLIENT,
    "shop/main.py": MAIN,
    "shop/windows.py": "# first\r\n\r\ndef carriage():\r\n    return 'return'\r\n",
    "shop/old.py": "\ufeff# caf\xe9\x0cpage\ndef feed():\n    return 1\n",
    "config.py": f'aws_key = "{KEY}"\nother = 1\n',
    "docs/guide.md": "# Guide\n\nPayments are retried three times.\n",
    "empty.txt": "",
    ".env": "PASSWORD=hunter2\n",
}
BANK = {"shop/main.py": "def main():\n    open_account()\n\n\ndef open_account():\n    pass\n"}


@dataclass
class NamedSnapshot(MemorySnapshot):
    """A snapshot whose source has a name of its own."""

    name: str = "memory"

    @property
    def source(self) -> Source:
        return Source(f"{self.name}-1", self.name, "folder", f"/{self.name}")


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scope]:
    """Two real sources called shop and bank."""
    folder = tmp_path_factory.mktemp("indexes")
    link = TreeEntry("shop/link.py", "1" * 40, 9, "symlink")
    with ExitStack() as stack:
        views = [
            view_of(
                NamedSnapshot({p: t.encode() for p, t in files.items()}, extra=extra, name=name),
                folder / f"{name}.db",
            )
            for name, files, extra in (("shop", SHOP, (link,)), ("bank", BANK, ()))
        ]
        for view in views:
            stack.enter_context(view)
        yield Scope(tuple(views))


@pytest.fixture(scope="module")
def shop(both: Scope) -> Scope:
    return Scope(both.views[:1])


def test_a_question_in_words_finds_the_code_with_its_first_lines(shop: Scope) -> None:
    result = search_code(shop, "how are failed payments retried?")
    assert result.data.relevant
    first = result.data.previews[0]
    assert first.path == "shop/client.py"
    assert "class PaymentClient:" in result.text
    assert f"    {first.start_line}: " in result.text
    assert "in shop @ " in result.text
    assert len(result.evidence) == len(result.data.previews)


def test_evidence_of_search_covers_only_the_lines_that_were_previewed(shop: Scope) -> None:
    result = search_code(shop, "PaymentClient")
    view = shop.views[0]
    for preview, span in zip(result.data.previews, result.evidence, strict=True):
        assert span.end_line - span.start_line + 1 == len(preview.lines)
        lines = view.lines(span.path, span.start_line, span.end_line)
        assert span.digest == span_digest(lines)


def test_nothing_relevant_is_said_and_nothing_is_shown(shop: Scope) -> None:
    result = search_code(shop, "kubernetes zebra quantum helicopter")
    assert result.ok
    assert "nothing relevant in shop @ " in result.text
    assert (result.evidence, result.data.hits, result.data.relevant) == ((), (), False)


@pytest.mark.parametrize(("query", "top"), [("", 3), (" ", 3), ("x" * 2_001, 3), ("x", 0)])
def test_a_wrong_search_is_refused(shop: Scope, query: str, top: int) -> None:
    with pytest.raises(InputError):
        search_code(shop, query, top)
    with pytest.raises(InputError, match=f"1 to {MAX_TOP}"):
        search_code(shop, "x", MAX_TOP + 1)


def test_every_tool_tells_two_sources_apart(both: Scope) -> None:
    assert "bank:shop/main.py" in search_code(both, "open account").text
    assert search_code(both, "open account", source="shop").data.relevant is False
    assert [d.source for d in find_symbol(both, "main").data.definitions] == ["shop", "bank"]
    assert "bank:shop/main.py:1-2 function main" in find_symbol(both, "main").text
    with pytest.raises(InputError, match='source="shop" or "bank"'):
        read_file(both, "shop/main.py")
    assert read_file(both, "shop/main.py", source="bank").data.lines[0] == "def main():"


def test_grep_find_symbol_and_read_file_agree_on_lines(shop: Scope) -> None:
    """Carriage returns, a byte-order mark and a form feed move nothing."""
    for path, name, line in [("shop/windows.py", "carriage", 3), ("shop/old.py", "feed", 2)]:
        (definition,) = find_symbol(shop, name).data.definitions
        (match,) = grep(shop, f"def {name}\\(\\):$").data.files
        assert (definition.path, definition.line) == (path, line)
        assert (match.path, match.matches[0].line) == (path, line)
        assert read_file(shop, path, line, line).data.lines == (f"def {name}():",)
    digests = {
        result.evidence[0].digest
        for result in (
            read_file(shop, "shop/windows.py", 3, 3),
            grep(shop, r"def carriage"),
            find_symbol(shop, "carriage"),
        )
    }
    assert len(digests) == 1


def test_a_secret_shows_its_place_and_can_not_be_felt_out(shop: Scope) -> None:
    text = read_file(shop, "config.py").text
    assert KEY not in text
    assert "[REDACTED:" in text
    assert "2  other = 1" in text
    assert grep(shop, KEY[:10]).data.total == 0
    assert grep(shop, "hunter").data.total == 0
    assert grep(shop, "hunter").data.skipped["denied"] == 1


def test_skipped_files_are_listed_and_not_read(shop: Scope) -> None:
    by_path = {row.path: row.skip for row in list_files(shop).data.files}
    assert by_path[".env"] == "denied"
    assert by_path["shop/link.py"] == "symlink"
    with pytest.raises(NotFoundError, match="is empty"):
        read_file(shop, "empty.txt")
    for path in (".env", "shop/link.py"):
        assert not run(shop, "read_file", {"path": path}).ok


def test_definitions_uses_and_qualifiers_come_from_the_parse(shop: Scope) -> None:
    result = find_symbol(shop, "PaymentClient.make_payment")
    assert [d.qualname for d in result.data.definitions] == ["PaymentClient.make_payment"]
    assert ("shop/main.py", 5, "call") in [(u.path, u.line, u.kind) for u in result.data.uses]
    assert find_symbol(shop, "requests").data.external


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("makePayment", "make_payment"),
        ("PaymentCleint", "PaymentClient"),
        ("PaymntClient", "PaymentClient"),
        ("carriagee", "carriage"),
        ("carriuge", "carriage"),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest(shop: Scope, asked: str, meant: str) -> None:
    with pytest.raises(NotFoundError, match="did you mean") as error:
        find_symbol(shop, asked)
    assert meant in error.value.message


def test_a_name_that_is_like_no_other_says_where_to_look_instead(shop: Scope) -> None:
    with pytest.raises(NotFoundError, match="try grep or search_code"):
        find_symbol(shop, "zzyzx_quux")


WORDS = st.one_of(
    st.sampled_from(
        ["payment", "main", ".", "x*", "PaymentClient", "shop/client.py", "**", "bank"]
    ),
    st.text(max_size=20),
    st.sampled_from(["payment " * 300, "é" * 5_000, "(" * 400, "../x", "\x00"]),
)
VALUES = st.one_of(WORDS, st.integers(-2, 40), st.booleans(), st.none())


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """A tool with arguments of the right names, and of more or less the right kinds."""
    name = draw(st.sampled_from(list(TOOLS)))
    keys = list(inspect.signature(TOOLS[name]).parameters)[1:]
    arguments = {keys[0]: draw(WORDS)}
    for key in keys[1:]:
        if draw(st.integers(0, 3)) == 0:
            arguments[key] = draw(VALUES)
    return name, arguments


@given(calls(), st.sampled_from([MIN_CHARS, 16_000]))
@example(("search_code", {"query": "payment main client carriage feed"}), MIN_CHARS)
@settings(max_examples=150, deadline=None)
def test_no_tool_exceeds_its_cap_or_fails_silently(
    both: Scope, call: tuple[str, dict[str, Any]], cap: int
) -> None:
    result = run(replace(both, max_chars=cap), *call)
    assert len(result.text) <= cap
    assert result.text.strip()
    assert result.ok or (result.data is None and not result.evidence)
    for span in result.evidence:
        view = both.pick(span.source)[0]
        lines = view.lines(span.path, span.start_line, span.end_line)
        assert span.digest == span_digest(lines)
        assert span.revision == view.revision.id
