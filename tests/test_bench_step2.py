"""The pure parts of step 2's benchmarks, and that the places they time are still there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from benchmarks import corpus, inner, memory, stages, step2, tables
from benchmarks.comparing import forget, ratios
from benchmarks.processes import environment, run

from clew.redact import redact
from clew.tools.patterns import compile_pattern

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from support.gitrepo import GitRepo

STAGES = Path(stages.__file__)
SHOP = {
    "refunds.py": '"""Gives money back."""\n\n\ndef retry_refund(order):\n    return pay(order)\n',
    "README.md": "# A shop\n",
}


# --- much source -----------------------------------------------------------------------------


def test_copies_go_on_until_there_is_enough_and_no_two_are_the_same() -> None:
    files = [("shop/a.py", "x = 1\n" * 50), ("shop/b.go", "package b\n" * 50)]
    made = list(corpus.copies(files, 5_000))
    written = [len(text) for _, text in made]
    assert sum(written) >= 5_000 > sum(written[:-1])
    assert len({path for path, _ in made}) == len({text for _, text in made}) == len(made)
    assert made[0][0] == "copy000/shop/a.py"


def test_of_nothing_no_copies_are_made() -> None:
    assert list(corpus.copies([], 1_000)) == []


@pytest.mark.parametrize(
    ("path", "line"), [("a.py", "# copy 3"), ("a.sql", "-- copy 3"), ("a.cc", "// copy 3")]
)
def test_a_copy_has_a_comment_more(path: str, line: str) -> None:
    text = "one\ntwo\nthree\n"
    changed = corpus.edited(path, text, 3).split("\n")
    changed.remove(line)
    assert "\n".join(changed) == text


def test_only_programs_are_copied(tmp_path: Path) -> None:
    files = {"a.py": "x = 1\n", "b.md": "words\n", "c.py": "", ".git/d.py": "x = 2\n"}
    for name, text in files.items():
        (tmp_path / "shop" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "shop" / name).write_text(text)
    found = corpus.sources([tmp_path / "shop"])
    assert found == [("shop/a.py", "x = 1\n")]
    assert corpus.write(tmp_path / "out", iter(found)) == (1, 6)
    assert (tmp_path / "out/shop/a.py").read_text() == "x = 1\n"


def test_patterns_of_each_kind_are_drawn_the_same_for_a_seed_and_can_be_searched() -> None:
    names = [f"Refund{n}" for n in range(20)]
    phrases = [f"the bank's answer is-kept {n}" for n in range(3)]
    drawn = [corpus.draw_patterns(names, phrases, 4, seed) for seed in "aab"]
    assert drawn[0] == drawn[1] != drawn[2]
    kinds = Counter(one.kind for one in drawn[0])
    assert kinds == {"words": 3} | dict.fromkeys(kinds.keys() - {"words"}, 4)
    assert len(kinds) == 6
    for one in drawn[0]:
        compile_pattern(one.regex, ignore_case=one.ignore_case)


def test_a_phrase_is_found_whatever_stands_between_its_words() -> None:
    pattern = compile_pattern(corpus.in_a_row("the bank's answer is kept"), ignore_case=False)
    assert pattern.search(b"if the bank's answer, `is` lost", 0)
    assert not pattern.search(b"the bank's own answer is", 0)


# --- blame, questions ------------------------------------------------------------------------


def test_the_longest_programs_are_blamed(tmp_path: Path) -> None:
    for name, lines in (("a.py", 3), ("src/b.py", 9), ("c.py", 9), ("d.md", 99)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x\n" * lines)
    assert corpus.big_files(tmp_path, 2) == [("c.py", 9), ("src/b.py", 9)]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (10, [(1, 10)]),
        (100, [(1, 40), (1, 100), (31, 70), (61, 100)]),
        (1_000, [(1, 40), (1, 400), (301, 700), (481, 520), (601, 1_000), (961, 1_000)]),
    ],
)
def test_ranges_lie_at_the_beginning_middle_and_end(
    lines: int, expected: list[tuple[int, int]]
) -> None:
    assert corpus.ranges(lines) == expected


@pytest.mark.parametrize("form", corpus.QUESTIONS)
def test_a_question_tells_its_name(form: str) -> None:
    assert corpus.subject_of(form.format("retry_refund")) == "retry_refund"


def test_another_question_tells_none() -> None:
    with pytest.raises(ValueError, match="no drawn question"):
        corpus.subject_of("why?")


# --- stages ----------------------------------------------------------------------------------


def test_a_stage_inside_another_counts_for_itself_only() -> None:
    now = iter([0.0, 1.0, 4.0, 5.0, 7.0, 10.0])
    clock = stages.Clock(now=lambda: next(now))
    inner_one = clock.timed("inner", lambda: 1)

    def outer() -> int:
        return inner_one() + inner_one()

    assert clock.timed("outer", outer)() == 2
    assert clock.seconds == {"inner": 5.0, "outer": 5.0}


def test_what_a_stage_yields_is_counted() -> None:
    now = iter([0.0, 3.0])
    clock = stages.Clock(now=lambda: next(now))
    assert list(clock.timed("numbers", lambda: (n for n in range(3)))()) == [0, 1, 2]
    assert clock.seconds == {"numbers": 3.0}


def staged(tmp_path: Path, repo: GitRepo, *how: str, workers: int = 1) -> dict[str, Any]:
    (tmp_path / "home").mkdir(exist_ok=True)
    env = {**environment(tmp_path / "home"), "CLEW_INDEX_WORKERS": str(workers)}
    command = [sys.executable, STAGES, *how, "index", "--repo", repo.path, "--json"]
    return run([*command, "--data", tmp_path / "data"], env).lines[-1]


def test_every_stage_is_still_where_it_is_timed(
    tmp_path: Path, git_repo: Callable[..., GitRepo]
) -> None:
    said = staged(tmp_path, git_repo(SHOP), "timed", str(tmp_path / "report.json"))
    seconds = json.loads((tmp_path / "report.json").read_text())
    assert (said["files"], said["symbols"]) == (2, 1)
    assert set(seconds) == {name for name, _, _ in stages.PLACES}
    assert all(value >= 0 for value in seconds.values())


def test_lean_keeps_no_symbols_and_the_same_chunks_and_finds_no_secrets(
    tmp_path: Path, git_repo: Callable[..., GitRepo]
) -> None:
    key = "AKIA" + "QY2LPVNX7HTEW3RM"
    text = f'KEY = "{key}"\n'
    assert key not in redact(text)
    repo = git_repo({**SHOP, "keys.py": text})
    said = staged(tmp_path, repo, "lean")
    assert (said["files"], said["symbols"]) == (3, 0)
    show = ["show", "keys.py", "--repo", repo.path, "--data", tmp_path / "data"]
    shown = run([sys.executable, "-m", "clew", *show], environment(tmp_path / "home"))
    assert key in shown.out


def test_a_worker_is_still_started_where_lean_goes_in() -> None:
    from clew.index import pool

    assert vars(pool)["_BOOT"].count(stages.START) == 1


# --- memory ----------------------------------------------------------------------------------


def test_a_figure_is_read_from_a_list_of_them() -> None:
    text = "55-7f ---p 00 [rollup]\nRss:     900 kB\nPss:     451 kB\nPss_Anon:  1 kB\n"
    assert memory.kilobytes(text, "Pss") == 451
    assert memory.kilobytes(text, "Swap") == memory.kilobytes("", "Pss") == 0


def test_a_process_that_has_ended_holds_nothing() -> None:
    with subprocess.Popen([sys.executable, "-c", "pass"]) as ended:
        ended.wait()
    assert memory.descendants(ended.pid) == set()
    assert memory.pss(ended.pid) == 0


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="needs Linux")
def test_a_process_and_what_it_started_are_counted_together() -> None:
    child = "import sys; x = b'x' * 40_000_000; print(len(x)); sys.stdin.read()"
    code = (
        "import subprocess, sys\n"
        f"two = [subprocess.Popen([sys.executable, '-c', {child!r}], stdin=-1, stdout=-1)"
        " for _ in 'ab']\n"
        "print([one.stdout.readline() for one in two], flush=True)\n"
        "sys.stdin.read()\n"
        "[one.communicate() for one in two]\n"
    )
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        parent.stdout.readline()
        with memory.Watch(os.getpid()) as watch:
            pass
        parent.communicate()
    assert watch.peak_mb * 2**20 > 80_000_000


# --- figures ---------------------------------------------------------------------------------


def flat(value: float) -> dict[str, float]:
    return {"min": value, "median": value, "max": value}


def a_side(seconds: float, total: float = 300.0) -> dict[str, Any]:
    costs = {"wall_s": flat(seconds), "cpu_s": flat(seconds)}
    return {**costs, "peak_mb": flat(150.0), "total_mb": flat(total), "files": 9, "chunks": 1_234}


def test_ratios_are_ours_in_the_peers() -> None:
    found = {"clew": a_side(3.0), "copied": a_side(2.0), "lean": a_side(1.0)}
    made = ratios({**found, "peer": a_side(2.0, total=0.0)})["ratios"]
    assert made["clew"] == {"wall_s": 1.5, "cpu_s": 1.5, "peak_mb": 1.0}
    assert made["lean"]["wall_s"] == 0.5
    assert ratios(found) == {}


def test_only_the_copy_of_the_history_is_kept_for_what_is_compared(tmp_path: Path) -> None:
    for name in ("git/a/HEAD", "index/a.db", "locks/a", "records.db"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert list(forget(tmp_path).rglob("*.db")) == []
    assert [path.name for path in tmp_path.iterdir()] == ["git"]


def test_the_first_grep_of_a_process_stands_apart() -> None:
    def row(kind: str, ms: float, matches: int = 1) -> dict[str, Any]:
        return {"kind": kind, "ms": ms, "matches": matches, "complete": ms < 50}

    found = inner.grep_figures([[row("name", 99), row("name", 2), row("absent", 4, 0)]] * 2)
    assert found["first_ms"] == flat(99)
    assert (found["patterns"], found["incomplete"], found["without_match"]) == (3, 1, 1)
    assert (found["p50_ms"], found["p95_ms"]) == (flat(2), flat(4))
    assert found["kinds"]["absent"]["p50_ms"] == flat(4)


def test_what_could_not_be_blamed_is_named_and_not_counted() -> None:
    rows: list[dict[str, Any]] = [
        {"path": "a.py", "lines": 400, "ms": 8.0},
        {"path": "a.py", "lines": 40, "ms": 2.0},
        {"path": "b.py", "lines": 40, "failed": "it took too long"},
    ]
    found = inner.blame_figures([rows])
    assert (found["calls"], found["failed"]) == (2, ["b.py: it took too long"])
    assert (found["many"]["p50_ms"], found["few"]["p95_ms"]) == (flat(8.0), flat(2.0))
    assert inner.blame_figures([rows[2:]])["many"] == {"calls_each": 0}


def a_research_row(script: str, turns: int) -> dict[str, Any]:
    counted = {"turns": turns, "tool_calls": 6, "input_tokens": 13_600, "output_tokens": 160}
    times = {"open_ms": 1.0, "answer_ms": 35.0, "total_ms": 1_042.0}
    said = {"outcome": "answered", "mode": "research", "caveats": ["uncited"]}
    return {"script": script, **counted, **times, **said}


def test_research_is_summed_up_by_script() -> None:
    rows = [a_research_row("short", 4), a_research_row("short", 6), a_research_row("long", 12)]
    found = inner.research_figures(rows, "short")
    assert found["turns"] == {"min": 4, "median": 5, "max": 6}
    assert (found["asked"], found["outcomes"], found["without_model"]) == (2, {"answered": 2}, 0)


# --- what is shown ---------------------------------------------------------------------------


def a_result() -> dict[str, Any]:
    row: dict[str, Any] = {"name": "shop", "commit": "b" * 40, "code_lines": 1_700}
    row |= {"clew": a_side(3.0), "copied": a_side(2.5), "lean": a_side(1.0)}
    row |= {"peer": a_side(2.0)}
    row |= {"stages_s": {"redaction": 1.0, "terms": 3.0}}
    grep: dict[str, Any] = {"bytes": 100_000_000, "files": 9_000, "first_ms": flat(2_500)}
    grep |= {"peak_mb": flat(90), "incomplete": 0, "patterns": 30}
    grep |= {"p50_ms": flat(900), "p95_ms": flat(1_200)}
    grep |= {"kinds": {"name": {"p50_ms": flat(9), "p95_ms": flat(10)}}}
    blame: dict[str, Any] = {"name": "shop", "commits": 5_500, "big_files": {"a.py": 1_600}}
    blame |= {"many": {"p50_ms": flat(80), "p95_ms": flat(90)}, "few": {"calls_each": 0}}
    blame |= {"failed": []}
    scripts = {"short": inner.research_figures([a_research_row("short", 4)], "short")}
    machine = {"cpu": "Some CPU", "cores": 2, "memory_gb": 8.0, "python": "3.11.7"}
    return {
        "command": "python -m benchmarks.step2 --repo shop=PATH --runs 3",
        "commit": "a" * 40,
        "dirty": False,
        "date": "2026-11-30",
        "machine": {**machine, "git": "2.39.5", "load_before": 0.1},
        "settings": {"runs": 3},
        "index": {
            "peer": {"version": "0.7.0", "workers": 4, "model": ""},
            "repositories": [{**row, **ratios(row)}],
        },
        "grep": [grep],
        "blame": [blame],
        "research": {"name": "shop", "code_lines": 1_700, "scripts": scripts},
    }


def cells(markdown: str, head: str) -> dict[str, str]:
    """The first row of the table that has this column, by column."""
    lines = markdown.split("\n")
    at = next(n for n, line in enumerate(lines) if f"| {head} |" in line)
    heads, rule, row = (line.strip("| ").split(" | ") for line in lines[at : at + 3])
    assert len(heads) == len(rule) == len(row)
    return dict(zip(heads, row, strict=True))


def test_a_result_is_printed_part_by_part() -> None:
    shown = tables.markdown(a_result())
    index = cells(shown, "time ratios")
    assert index["time ratios"] == "1.50 / 1.25 / 0.50"
    assert (index["Clew, MiB"], index["memory ratios"]) == ("150 / 300", "1.00 / 1.00")
    assert cells(shown, "redaction")["terms"] == "75.0%"
    assert cells(shown, "p50 / p95, ms")["first, ms"] == "2,500"
    assert cells(shown, "400 lines, ms")["40 lines, ms"] == "-"
    assert cells(shown, "tokens in")["came"] == "1 answered"
    assert "without vectors" in shown


def test_a_result_without_a_peer_and_with_one_part_is_printed() -> None:
    result = a_result()
    row = result["index"]["repositories"][0]
    del row["peer"], row["ratios"]
    result["index"]["peer"] = None
    for part in ("grep", "blame", "research"):
        del result[part]
    shown = tables.markdown(result)
    assert "No peer was measured" in shown
    assert "ratio" not in shown
    assert "###" in shown
    assert "### Grep" not in shown


def test_the_recorded_command_names_no_path() -> None:
    line = ["--repo", "shop=/home/ann/shop", "--semble-python", "/opt/peer/bin/python", "--big"]
    line += ["--semble-model", "/opt/models/small", "--only", "index", "grep", "--grep-mb", "5"]
    options: argparse.Namespace = step2.parser().parse_args(line)
    assert step2.command(options) == (
        "python -m benchmarks.step2 --repo shop=PATH --semble-python PYTHON --semble-model small "
        "--runs 3 --only index grep --grep-mb 5 --big"
    )
