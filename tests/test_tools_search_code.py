"""What search_code spends its text on: all files, the lines that tell, and what ranks below."""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.tools.result import MIN_CHARS, span_digest
from clew.tools.scope import Scope
from clew.tools.search_code import LINES, MAX_TOP, search_code
from clew.tools.telling import most_telling, runs, said, telling, words_of
from support.searchable import searchable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FILLER = "\n".join(f"    step_{n} = {n}" for n in range(60))
LONG = f'''@decorated
def settle_invoice(ledger):
    """Works through the ledger."""
{FILLER}
    dispatch_kangaroo_parcel(ledger)
{FILLER}
'''
QUERY = "settle invoice with a kangaroo parcel"
FILES = {
    "shop/invoice.py": LONG,
    **{f"shop/part{n}.py": f'def invoice_part{n}():\n    """Invoice."""\n' for n in range(14)},
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scope]:
    with scoped(FILES, tmp_path_factory.mktemp("shop")) as scope:
        yield scope


@contextmanager
def scoped(files: dict[str, str], folder: Path) -> Iterator[Scope]:
    with searchable(files, folder) as view:
        yield Scope((view,))


def test_every_file_is_named_before_any_is_shown_at_length(shop: Scope) -> None:
    result = search_code(shop, QUERY)
    listed, _, rest = result.text.partition("their lines:\n")
    assert len(result.data.hits) == 10
    for hit in result.data.hits:
        span = hit.spans[0]
        assert f"{hit.path}:{span.start_line}-{span.end_line} " in listed
    assert rest.startswith("shop/invoice.py\n")


def test_the_line_that_says_most_is_shown_however_far_down_it_stands(shop: Scope) -> None:
    result = search_code(shop, QUERY)
    at = LONG.split("\n").index("    dispatch_kangaroo_parcel(ledger)") + 1
    listed, _, rest = result.text.partition("their lines:\n")
    assert f"\n    {at}: dispatch_kangaroo_parcel(ledger)\n" in listed
    assert f"\n    {at}:     dispatch_kangaroo_parcel(ledger)\n" in rest
    assert "\n    2: def settle_invoice(ledger):\n" in rest  # and what it is a line of
    numbers = re.findall(r"^ +(\d+): ", rest.partition("shop/part")[0], re.MULTILINE)
    assert len(numbers) <= sum(LINES[0][1])


def test_evidence_is_exactly_the_lines_that_are_shown(shop: Scope) -> None:
    for cap in (MIN_CHARS, 2_500, 16_000):
        result = search_code(replace(shop, max_chars=cap), QUERY)
        path, said = "", set[tuple[str, int]]()
        for line in result.text.split("\n"):
            path = found[1] if (found := re.match(r"(shop/\w+\.py)", line)) else path
            if number := re.match(r" +(\d+): ", line):
                said.add((path, int(number[1])))
        told = {(e.path, n) for e in result.evidence for n in range(e.start_line, e.end_line + 1)}
        assert said == told
        for row, preview in zip(result.evidence, result.data.previews, strict=True):
            lines = shop.views[0].lines(row.path, row.start_line, row.end_line)
            assert row.digest == span_digest(lines)
            assert (preview.start_line, preview.lines) == (row.start_line, tuple(lines))


def test_what_ranks_below_is_named_and_counts_as_nothing_that_was_shown(shop: Scope) -> None:
    result = search_code(shop, QUERY, 3)
    below = result.text.partition("further down:\n")[2].split("\n")
    assert len(result.data.hits) == 3
    assert len(below) == len(FILES) - 3
    assert {row.path for row in result.evidence} == {hit.path for hit in result.data.hits}
    assert not result.cut
    assert "further down" not in search_code(shop, QUERY, MAX_TOP).text


def test_without_room_the_lines_go_first_and_the_note_says_so(shop: Scope) -> None:
    result = search_code(replace(shop, max_chars=MIN_CHARS + 700), QUERY)
    assert len(result.data.hits) == 10
    assert re.search(r"\[cut: more lines of \d of 10 files shown; ask for fewer", result.text)
    least = search_code(replace(shop, max_chars=MIN_CHARS), QUERY, MAX_TOP)
    assert len(least.data.hits) < len(FILES)
    assert f"[cut: {len(least.data.hits)} of {len(FILES)} files shown" in least.text


def test_a_file_whose_lines_were_all_listed_is_not_shown_twice(tmp_path: Path) -> None:
    one, two = "kangaroo = 1\n", "def kangaroos():\n    return 2\n"
    with scoped({"one.py": one}, tmp_path) as scope:
        alone = search_code(scope, "kangaroo").text
    with scoped({"one.py": one, "two.py": two}, tmp_path) as scope:
        both = search_code(scope, "kangaroo").text
    assert alone.count(one.strip()) == both.count(one.strip()) == 1
    assert "their lines" not in alone
    assert "their lines:\ntwo.py\n" in both


# --- which lines tell ------------------------------------------------------------------------


@given(st.lists(st.sampled_from(["a", "coupon", "def pay():", ""])), st.integers(1, 9))
def test_there_are_never_more_lines_than_room_and_they_are_in_order(
    lines: list[str], room: int
) -> None:
    found = telling(lines, "Shop.pay", said(lines, frozenset({"coupon"})), room)
    assert found == sorted(set(found))
    assert len(found) <= room
    assert set(found) <= set(range(len(lines)))
    assert bool(found) == bool(lines)


def test_several_different_words_in_a_row_beat_one_that_repeats() -> None:
    lines = ["def f():", "coupon", "coupon", "x", "expired", "coupon", "y"]
    assert telling(lines, "f", said(lines, words_of("is a coupon expired?")), 3) == [0, 4, 5]
    assert most_telling(said(lines, words_of("kangaroo"))) == 0


def test_a_word_is_found_in_any_of_its_forms_and_inside_of_names() -> None:
    lines = ["x = 1", "retryRefund()", "TRIES += 1", "def parsed_files():"]
    asked = words_of("how are refunds tried again while parsing?")
    assert [sorted(has) for has in said(lines, asked)] == [[], ["refund"], ["tri"], ["pars"]]


def test_runs_are_of_consecutive_numbers() -> None:
    assert list(runs({7, 3, 4, 9, 8})) == [(3, 4), (7, 9)]
    assert list(runs(())) == []
