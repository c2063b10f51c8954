"""Tokens to the right lines: what counts as shown, and who reads what, on a small repository."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest
from benchmarks.retrieval import questions, readings, shown
from benchmarks.retrieval.shown import Piece
from benchmarks.retrieval.tokens import main

from clew.tools.scope import Scope
from clew.tools.search_code import search_code
from support.searchable import SHOP, searchable

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.gitrepo import GitRepo

QUERY = "where is the total lowered by a coupon?"


def question(*gold: dict[str, object]) -> questions.Question:
    row = {"id": "set/1", "source": "set", "repo": "made/shop", "query": QUERY, "gold": gold}
    return questions.parse({"kind": "semantic", "language": "python", **row})


def test_a_piece_counts_once_all_of_it_was_read() -> None:
    asked = question({"path": "a.py"}, {"path": "src/b.py"})
    reading = [Piece(2_000, "a.py", 1, 9), Piece(2_001, "b.py", 1, 5)]
    found = shown.figures(asked, reading)
    assert [found[f"files@{budget}"] for budget in shown.BUDGETS] == [0.5, 0.5, 1.0, 1.0, 1.0]
    assert "lines@500" not in found


def test_a_file_that_is_only_named_is_not_seen() -> None:
    asked = question({"path": "a.py", "start_line": 5, "end_line": 6})
    reading = [Piece(10, "a.py"), Piece(1_990), Piece(40, "a.py", 3, 4), Piece(4_000, "a.py", 6, 6)]
    found = shown.figures(asked, reading)
    assert (found["files@500"], found["seen@500"], found["lines@500"]) == (1, 0, 0)
    assert (found["seen@1000"], found["lines@1000"], found["lines@2000"]) == (1, 0, 1)
    row = shown.summary([found, shown.figures(question({"path": "c.py"}), reading)])
    assert (row["n"], row["lined"], row["files"]["500"], row["lines"]["2000"]) == (2, 1, 0.5, 1.0)


def test_the_tools_text_is_read_to_its_last_character_and_reading_goes_on(tmp_path: Path) -> None:
    with searchable(SHOP, tmp_path) as view:
        scope = Scope((view,))
        first, one = search_code(scope, QUERY), search_code(scope, QUERY, 1)
        reading = list(readings.by_clew(scope, QUERY))
        paths = {row.path for row in view.documents()}
    of_search = list(readings.pieces(first, paths))
    assert reading[: len(of_search)] == of_search
    assert sum(piece.chars for piece in of_search) == len(first.text) + 1
    assert len(reading) > len(of_search)
    seen = {(p.path, p.start) for p in of_search if p.start}
    told = {
        (row.path, number)
        for row in first.evidence
        for number in range(row.start_line, row.end_line + 1)
    }
    assert seen == told
    named = {p.path for p in readings.pieces(one, paths) if p.path}
    assert len(named) > 1  # what ranks below is named, too
    assert all(path in one.text for path in named)


COUNTS = {"lowered": "./b.py\0003\n", "coupon": "./a.py\0002\n./b.py\0001\n"}


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is started by its first line")
def test_grep_reads_the_files_with_most_matching_lines_first(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("coupon\ncoupon\n")
    (tmp_path / "b.py").write_text("lowered\n")
    stub = tmp_path / "rg"
    said = f"#!{sys.executable}\nimport sys\nsaid = {COUNTS!r}\n"
    stub.write_text(f"{said}print(said.get(sys.argv[-2].partition('=')[2], ''), end='')\n")
    stub.chmod(0o755)
    paths = readings.grepped(str(stub), tmp_path, QUERY)
    whole = list(readings.by_files(tmp_path, "src", paths, whole=True))
    assert whole == [Piece(8, "src/b.py", 1, 2), Piece(14, "src/a.py", 1, 3)]
    lines = list(readings.by_files(tmp_path, "", paths, whole=False))
    assert lines[:2] == [Piece(8, "b.py", 1, 1), Piece(1, "b.py", 2, 2)]
    assert readings.keywords(QUERY) == ["total", "lowered", "coupon"]


def test_a_peers_chunks_are_the_lines_they_name(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("one\ntwo\nthree\n")
    chunk = {"path": "a.py", "start_line": 2, "end_line": 3}
    assert list(readings.by_chunks(tmp_path, [chunk])) == [Piece(10, "a.py", 2, 3)]


def test_a_result_is_measured_kept_and_shown(
    git_repo: Callable[..., GitRepo], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shop = git_repo(SHOP, name="made+shop")
    lines = SHOP["shop/cart.py"].split("\n")
    at = next(n for n, line in enumerate(lines, 1) if "def apply_discount" in line)
    gold = {"path": "shop/cart.py", "start_line": at, "end_line": at + 1}
    asked = {**json.loads(questions.line(question(gold))), "commit": shop.git("rev-parse", "HEAD")}
    questions.write(tmp_path / "q.jsonl", [questions.parse(asked)])
    mirrors = str(tmp_path / "repos" / "{owner}+{name}" / ".git")
    out = tmp_path / "out" / "tokens.json"
    options = ["--questions", str(tmp_path / "q.jsonl"), "--work", str(tmp_path / "w")]
    more = ["--mirrors", mirrors, "--without-peers", "--embedder", "none", "--out", str(out)]
    assert main([*options, *more]) == 0
    printed = capsys.readouterr().out
    kept = json.loads(out.read_text())
    assert kept["systems"]["clew"]["set"]["lines"]["2000"] == 1.0
    assert str(tmp_path) not in out.read_text()
    assert QUERY not in out.read_text()
    assert main(["--show", str(out)]) == 0
    assert capsys.readouterr().out == printed
