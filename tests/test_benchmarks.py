"""The pure parts of the benchmarks: what is drawn, how figures are formed and shown."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from benchmarks import material, report, step1
from benchmarks.processes import BenchmarkError, percentile, rounded, run, spread

PROGRAM = """
# Refunds are tried again until the bank has answered once.
class RefundQueue:
    def retry_refund(self): ...
func (q *Queue) PushAll(items []Item) {
pub fn drain_slowly() {}
export interface RefundOptions {
# short one
// a type that is only mentioned
"""


# --- material --------------------------------------------------------------------------------


def test_names_are_found_where_they_look_defined() -> None:
    found = material.symbol_names([PROGRAM])
    assert found == ["PushAll", "RefundOptions", "RefundQueue", "drain_slowly", "retry_refund"]


def test_phrases_come_from_comments_and_documents() -> None:
    document = (
        "Clew answers questions about code you may read.\n\n    indented code, not a phrase\n"
    )
    assert material.doc_phrases([PROGRAM, document]) == [
        "Clew answers questions about code you may read",
        "Refunds are tried again until the bank has",
    ]


@pytest.mark.parametrize(
    ("names", "phrases", "drawn"),
    [(500, 500, (50, 50)), (500, 20, (80, 20)), (10, 500, (10, 90)), (10, 20, (10, 20))],
)
def test_queries_are_half_names_and_half_phrases_where_there_are_enough(
    names: int, phrases: int, drawn: tuple[int, int]
) -> None:
    queries = material.draw_queries(
        [f"name{n}" for n in range(names)], [f"a phrase {n}" for n in range(phrases)], 100, "seed"
    )
    kinds = [query.startswith("name") for query in queries]
    assert (kinds.count(True), kinds.count(False)) == drawn
    assert len(set(queries)) == len(queries)


def test_the_same_commit_draws_the_same_queries_and_another_does_not() -> None:
    names = [f"name{n}" for n in range(300)]
    draw = [material.draw_queries(names, [], 50, seed) for seed in ("a", "a", "b")]
    assert draw[0] == draw[1] != draw[2]
    ask = [material.draw_questions(names, seed) for seed in ("a", "a", "b")]
    assert ask[0] == ask[1] != ask[2]


@pytest.mark.parametrize(
    ("path", "belongs"),
    [
        *[("tests/a.py", True), ("src/a_test.go", True), ("src/a.spec.ts", True)],
        *[("test_a.py", True), ("benches/x.rs", True), ("src/latest.py", False)],
        *[("src/contest/a.py", False), ("specification.go", False)],
    ],
)
def test_files_of_the_tests_are_told_by_their_path(path: str, belongs: bool) -> None:
    root = Path("/repo")
    assert material.of_tests(root / path, root) is belongs


def test_a_repository_is_cloned_and_counted(git_repo: Any, tmp_path: Path) -> None:
    files = {"refunds.py": PROGRAM, "a.py": "x = 1\n", "logo.png": b"\0\1", "README.md": "One.\n"}
    origin = git_repo(files, bare=False)
    on = material.prepare("shop", origin.path, tmp_path, 10)
    assert (on.facts.files, on.facts.lines, on.facts.code_lines) == (4, 11, 10)
    assert on.facts.commit == origin.git("rev-parse", "HEAD")
    before = (origin.path / on.editable.name).read_text()
    material.edit(on.editable, 1)
    assert on.editable.read_text() == before + "\n# edited for the benchmark, time 1\n"
    assert (origin.path / on.editable.name).read_text() == before


# --- figures ---------------------------------------------------------------------------------


def test_figures_keep_four_digits_and_their_spread() -> None:
    assert rounded(1234.56) == 1235
    assert rounded(0.000123456) == 0.0001235
    assert spread([3.0, 1.0, 2.0, 10.0]) == {"min": 1.0, "median": 2.5, "max": 10.0}


@pytest.mark.parametrize(
    ("share", "value"), [(0.5, 50), (0.95, 95), (0.99, 99), (1.0, 100), (0, 1)]
)
def test_a_percentile_is_a_measured_value(share: float, value: int) -> None:
    assert percentile(list(range(100, 0, -1)), share) == value
    assert percentile([7], share) == 7


def test_a_process_is_measured_without_its_parent() -> None:
    ballast = b"x" * 100_000_000  # of ours: it must not count as the other's
    done = run([sys.executable, "-c", "x = b'x' * 50_000_000; print(len(x))"], {})
    assert done.out == "50000000\n"
    assert 50_000_000 < done.peak_mb * 2**20 < len(ballast)
    assert done.wall > 0


def test_a_command_that_fails_ends_the_benchmark_with_what_it_said() -> None:
    code = "import sys; sys.exit('no such repository')"
    with pytest.raises(BenchmarkError, match="ended with 1: no such repository"):
        run([sys.executable, "-c", code], {})
    assert run([sys.executable, "-c", code], {}, expect=(1,)).code == 1
    with pytest.raises(BenchmarkError, match="ended with 3: not here either"):
        run([sys.executable, "-c", "import sys; print('not here either'); sys.exit(3)"], {})


def test_output_that_is_not_json_ends_the_benchmark_with_what_was_said() -> None:
    code = "import sys; print({}); sys.exit('it broke')"
    done = run([sys.executable, "-c", code.format("1")], {}, expect=(1,))
    assert done.lines == [1]
    for printed in ("", "'Traceback'"):
        done = run([sys.executable, "-c", code.format(printed)], {}, expect=(1,))
        with pytest.raises(BenchmarkError, match="the exit code is 1: it broke"):
            _ = done.lines


def test_the_parts_of_a_data_folder_are_sized(tmp_path: Path) -> None:
    for path, size in (("index/a.db", 2_000_000), ("index/b.db", 500_000), ("records.db", 250_000)):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(b"x" * size)
    (tmp_path / "records.db.lock").touch()
    assert step1.disk(tmp_path) == {"index": 2.5, "records.db": 0.25}
    assert report.parts(step1.disk(tmp_path)) == "index 2.5, records.db 0.2"


@pytest.mark.parametrize(
    ("value", "name"),
    [("flask=/x/repo", "flask"), ("/x/flask.git", "flask"), ("/x/flask/", "flask")],
)
def test_a_repository_is_called_what_was_typed_or_its_folder(value: str, name: str) -> None:
    assert step1.named(value)[0] == name


# --- report ----------------------------------------------------------------------------------


def a_result() -> dict[str, Any]:
    figure = {"min": 1.0, "median": 1.25, "max": 2.0}
    costs = {"wall_s": figure, "cpu_s": figure, "peak_mb": {**figure, "median": 123.4}}
    repository = {
        "name": "flask",
        "commit": "2ac89889f4cc330eabd50f295dcef02828522c69",
        "files": 236,
        "lines": 40_000,
        "code_lines": 17_000,
        "index": {"files": 200, "chunks": 2_345, "symbols": 1_999, "skipped": {}, **costs},
        "disk_mb": {"index": 12.345, "records.db": 0.07, "tiny": 0.001},
        "again": costs,
        "edit": costs,
        "search": {"p50_ms": figure, "p95_ms": {**figure, "median": 9.876}, **costs},
        "ask_cold": costs,
        "ask_warm": {**costs, "wall_s": {"min": 1.0, "median": 1.0, "max": 1.0}},
    }
    return {
        "command": "python -m benchmarks.step1 --repo flask=PATH --runs 3",
        "commit": "a" * 40,
        "dirty": False,
        "date": "2026-11-30",
        "machine": {
            "cpu": "Some CPU",
            "cores": 2,
            "memory_gb": 8.0,
            "python": "3.11.7",
            "git": "2.39.5",
            "load_before": 0.1,
        },
        "settings": {"runs": 3, "queries": 240},
        "startup": {
            "bare_s": figure,
            "help_s": figure,
            "ratio": 12.3,
            "help_peak_mb": 36.0,
            "peak_ratio": 4.0,
        },
        "repositories": [repository],
    }


def test_a_result_is_printed_as_one_table_row_a_repository() -> None:
    lines = report.markdown(a_result()).split("\n")
    head, rule, row = (line.strip("| ").split(" | ") for line in lines[4:7])
    assert len(head) == len(rule) == len(row)
    cells = dict(zip(head, row, strict=True))
    assert cells["repository"] == "flask `2ac89889f4`"
    assert cells["chunks"] == "2,345"
    assert cells["index cold, s"] == "1.25 (1-2)"
    assert cells["ask warm, s"] == "1"
    assert cells["on disk, MB"] == "index 12.3, records.db 0.1"
    assert cells["search p50 / p95, ms"] == "1.25 / 9.88"
    assert "12.3 times" in lines[-1]


def test_code_that_is_not_committed_is_admitted() -> None:
    assert "uncommitted" in report.markdown({**a_result(), "dirty": True})
    assert "uncommitted" not in report.markdown(a_result())
