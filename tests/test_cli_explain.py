"""`clew search --explain`: why each result ranks where it does."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from clew.search.explain import MEANINGS
from clew.surfaces.cli import explaining
from clew.types import Hit, HitSpan, SearchResult
from support.cli import SHOP, clew
from support.contract import WHY, has_shape

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.cli import Ran
    from support.gitrepo import GitRepo

QUESTION = "retry refund"


@pytest.fixture
def search(git_repo: Callable[..., GitRepo], tmp_path: Path) -> Callable[..., Ran]:
    repo = git_repo(SHOP, name="shop")
    base = ("--repo", repo.path, "--data", tmp_path / "data")
    return lambda *words: clew("search", *words, *base)


def test_json_has_the_signals_and_terms_of_each_span(search: Callable[..., Ran]) -> None:
    (result, *_) = search(QUESTION, "--json", "--explain").json()["results"]
    for span in result["spans"]:
        has_shape(span, WHY)
        assert set(span["signals"]) <= set(MEANINGS)
        assert sum(span["signals"].values()) == pytest.approx(span["score"], abs=0.002)
        sizes = [abs(value) for value in span["signals"].values()]
        assert sizes == sorted(sizes, reverse=True)
    assert "name" in result["spans"][0]["terms"]["refund"]


def test_a_batch_explains_too(search: Callable[..., Ran], tmp_path: Path) -> None:
    file = tmp_path / "queries.jsonl"
    file.write_text('{"id": 1, "query": "retry refund"}\n')
    (row,) = search("--batch", file, "--json", "--explain").rows()
    has_shape(row["results"][0]["spans"][0], WHY)


def test_in_a_pipe_the_reasons_are_lines_that_begin_with_a_tab(
    search: Callable[..., Ran],
) -> None:
    plain = search(QUESTION).out.splitlines()
    explained = search(QUESTION, "--explain").out.splitlines()
    assert [line for line in explained if not line.startswith("\t")] == plain
    reasons = [line.split("\t")[1:] for line in explained if line.startswith("\t")]
    words = [cells[1:] for cells in reasons if cells[0] == "words"]
    assert "refund (" in " ".join(words[0])
    told = {cells[0]: cells[1:] for cells in reasons if cells[0] != "words"}
    for signal, (value, meaning) in told.items():
        assert float(value)
        assert meaning == MEANINGS[signal]


SPAN = HitSpan(
    6,
    11,
    "retry_refund",
    "function",
    0.8,
    {"lexical": 1.0, "test": -1.5, "stem_words": 1.3},
    {"retri": ("name", "body"), "x\x1b[2J": ("body",)},
)
FOUND = SearchResult((Hit("shop", "r", "a.py", 0.8, (SPAN,)),), relevant=True, coverage=1, ms=1)


def drawn(width: int) -> str:
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, color_system=None, width=width)
    explaining.draw(console, SPAN, "where are Retries counted?")
    explaining.legend(console, FOUND)
    return out.getvalue()


@pytest.mark.parametrize("width", [28, 40, 80, 200])
def test_on_a_screen_the_signals_stand_in_order_with_a_legend(width: int) -> None:
    lines = drawn(width).splitlines()
    assert all(len(line) <= width for line in lines)
    at = {word: next(n for n, row in enumerate(lines) if word in row) for word in SPAN.signals}
    assert at["test"] < at["stem_words"] < at["lexical"], "what counts most first"
    assert "-1.500" in lines[at["test"]]
    assert "+1.300" in lines[at["stem_words"]]
    text = " ".join("".join(lines).split())
    assert "\x1b[2J" not in text
    if width >= 80:
        assert "Retries (name, body)" in text, "as it was asked"
        for signal in SPAN.signals:
            assert MEANINGS[signal] in text
        assert MEANINGS["dense"] not in text, "only what is named is explained"
