"""Scores of retrieval, by cases that were counted by hand."""

from __future__ import annotations

import math
from typing import Any

import pytest
from benchmarks.retrieval import questions, results
from benchmarks.retrieval.scores import score, score_all, summaries

SECOND, THIRD = 1 / math.log2(3), 1 / math.log2(4)


def question(*gold: dict[str, Any], source: str = "commit-loc", name: str = "1") -> Any:
    row = {"id": f"{source}/{name}", "source": source, "kind": "k", "language": "python"}
    return questions.parse({**row, "query": "q", "gold": list(gold)})


def line(*results: Any, ms: float = 1.0, **more: Any) -> dict[str, Any]:
    """A run's line of `path` or `path:start-end` results."""
    return {"results": [row(each) for each in results], "ms": ms, **more}


def row(text: str) -> dict[str, Any]:
    path, found, span = text.partition(":")
    if not found:
        return {"path": path}
    start, _, end = span.partition("-")
    return {"path": path, "start_line": int(start), "end_line": int(end)}


def file(path: str) -> dict[str, Any]:
    return {"path": path}


@pytest.mark.parametrize(
    ("found", "ndcg"),
    [
        (["a.py", "b.py"], 1.0),
        (["x.py", "a.py"], SECOND / (1 + SECOND)),
        (["a.py", "x.py", "b.py"], (1 + THIRD) / (1 + SECOND)),
        (["a.py", "a.py", "b.py"], (1 + THIRD) / (1 + SECOND)),  # a repeat takes a place
        ([*["x.py"] * 10, "a.py"], 0.0),
        ([], 0.0),
    ],
)
def test_ndcg_counts_the_first_result_that_hits_each_target(found: list[str], ndcg: float) -> None:
    asked = question(file("a.py"), file("b.py"))
    assert score(asked, line(*found))["ndcg"] == pytest.approx(ndcg)


def test_repeats_of_a_file_take_no_place_among_distinct_files() -> None:
    found = score(question(file("b.py")), line("a.py", "a.py", "a.py", "b.py"))
    assert found["fndcg"] == pytest.approx(SECOND)
    assert found["mrr"] == 0.5
    assert (found["r1"], found["r5"], found["r10"]) == (0, 1, 1)


def test_two_targets_that_one_result_hits_count_once_on_the_official_set() -> None:
    spans = [{"path": "a.py", "start_line": 1, "end_line": 5}]
    spans += [{"path": "a.py", "start_line": 6, "end_line": 9}]
    answer = line("a.py:4-7")
    assert score(question(*spans, source="semble"), answer)["ndcg"] == pytest.approx(
        1 / (1 + SECOND)
    )
    assert score(question(*spans, source="swe-qa"), answer)["ndcg"] == 1.0  # there: one file


def test_on_the_official_set_lines_must_meet_and_elsewhere_only_the_file() -> None:
    gold = {"path": "a.py", "start_line": 10, "end_line": 12}
    beside, touching = line("a.py:1-9"), line("a.py:12-40")
    assert score(question(gold, source="semble"), beside)["ndcg"] == 0.0
    assert score(question(gold, source="semble"), touching)["ndcg"] == 1.0
    assert score(question(gold), beside)["ndcg"] == 1.0


def test_a_result_without_lines_stands_for_the_whole_file_but_scores_no_lines() -> None:
    gold = {"path": "a.py", "start_line": 10, "end_line": 12}
    found = score(question(gold, source="semble"), line("a.py"))
    assert (found["ndcg"], found["sr10"], found["sndcg"], found["grouped"]) == (1, 0, 0, 0)


def test_the_end_of_a_path_is_enough_unless_paths_must_be_equal() -> None:
    found = score(question(file("src/shop/__init__.py")), line("__init__.py"))
    assert (found["ndcg"], found["r10"], found["mrr"]) == (1, 1, 1)
    assert (found["exact_ndcg"], found["exact_r10"], found["exact_mrr"]) == (0, 0, 0)
    assert score(question(file("a.py")), line("ba.py"))["ndcg"] == 0.0


def test_lines_count_within_the_first_ten_results_and_grouped_in_three_spans_a_file() -> None:
    gold = [{"path": f"{n}.py", "start_line": 50, "end_line": 51} for n in (1, 2)]
    files = [f"{n}.py:1-9" for n in range(10)]
    shown = [*files, "1.py:50-50"]
    found = score(question(*gold), line(*shown, files=[row(each) for each in shown]))
    assert (found["sr10"], found["grouped"]) == (0.0, 0.5)
    fourth = [*files, "1.py:20-21", "1.py:30-31", "1.py:50-50"]
    assert score(question(*gold), line(*fourth))["grouped"] == 0.0
    eleventh = [*(f"x{n}.py:1-9" for n in range(10)), "1.py:50-50"]
    assert score(question(*gold), line(*eleventh))["grouped"] == 0.0


def test_a_question_that_a_run_lacks_counts_as_nothing_found_and_as_no_time() -> None:
    asked = [question(file("a.py"), name="1"), question(file("a.py"), name="2")]
    found = summaries(asked, score_all(asked, {asked[0].id: line("a.py", ms=4.0)}))
    total = found["sources"]["commit-loc"]
    assert (total["n"], total["ndcg"], total["p50_ms"], total["lined"]) == (2, 0.5, 4.0, 0)
    assert set(found["kinds"]) == {"commit-loc/k"}
    assert set(found["languages"]) == {"commit-loc/python"}


# --- differences ---------------------------------------------------------------------------------


def test_the_interval_of_a_difference_repeats_and_holds_the_mean() -> None:
    gained = [0.1, 0.2, -0.1, 0.3] * 10
    low, high = results.interval(gained)
    assert results.interval(gained) == (low, high)
    assert low < 0.125 < high
    assert low > 0


def test_only_questions_that_both_have_are_compared() -> None:
    ours = {"a/1": {"ndcg": 1.0}, "a/2": {"ndcg": 0.5}, "b/1": {"ndcg": 0.0}}
    theirs = {"a/1": {"ndcg": 0.5}, "b/1": {"ndcg": 0.25, "grouped": 1.0}}
    assert results.compare(ours, theirs, "ndcg") == [
        ("a", 1, 0.5, 0.5, 0.5, 0.5),
        ("b", 1, 0.25, -0.25, -0.25, -0.25),
    ]
    assert results.compare(ours, theirs, "grouped") == []
