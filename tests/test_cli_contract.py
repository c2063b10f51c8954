"""What scripts stand on: the JSON of every command, on standard output and nothing else there."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from support.cli import SHOP, Ran, clew, process
from support.contract import (
    ANSWER,
    CITATION,
    EVIDENCE,
    FOUND,
    INDEXED,
    RESULT,
    SPAN,
    USAGE,
    has_shape,
)
from support.gitrepo import GitRepo

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NOTHING = "zebra quantum marmalade"


def head_of(repo: GitRepo) -> str:
    return repo.git("rev-parse", "HEAD").strip()


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> GitRepo:
    repo = GitRepo(tmp_path_factory.mktemp("contract") / "shop")
    for path, content in SHOP.items():
        repo.write(path, content)
    repo.commit("first")
    return repo


@pytest.fixture(scope="module")
def on_shop(shop: GitRepo) -> Callable[..., Ran]:
    """Runs a command on the shop; the data folder is shared, as a user's is."""
    where = "--repo", shop.path, "--data", shop.path.parent / "data"

    def run(*arguments: object, stdin: bytes = b"") -> Ran:
        return clew(*arguments, *where, stdin=stdin)

    return run


# --- index -----------------------------------------------------------------------------------


def test_index_prints_one_line_for_each_source(on_shop: Callable[..., Ran], shop: GitRepo) -> None:
    ran = on_shop("index", "--json")
    (row,) = ran.rows()
    has_shape(row, INDEXED)
    assert ran.code == 0
    assert row["source"] == "shop"
    assert row["revision"] == head_of(shop)
    assert row["files"] == 3
    assert row["skipped"] == {"denied": 1, "media": 1}


def test_index_names_a_bad_source_and_does_the_others(shop: GitRepo, tmp_path: Path) -> None:
    empty = GitRepo(tmp_path / "empty")
    ran = clew(
        *("index", "--json", "--data", tmp_path / "data"),
        *("--repo", empty.path, "--repo", shop.path),
    )
    assert ran.code == 3
    good = [row for row in ran.rows() if "error" not in row]
    bad = [row for row in ran.rows() if "error" in row]
    assert [row["source"] for row in good] == ["shop"]
    assert [row["source"] for row in bad] == ["empty"]
    assert bad[0]["error"]["type"] == "source"


def test_the_same_repository_named_twice_is_one_source(
    on_shop: Callable[..., Ran], shop: GitRepo
) -> None:
    assert len(on_shop("index", "--json", "--repo", shop.path).rows()) == 1


# --- search ----------------------------------------------------------------------------------


def test_search_gives_one_result_a_file_with_its_best_spans(
    on_shop: Callable[..., Ran], shop: GitRepo
) -> None:
    ran = on_shop("search", "retry refund", "--json")
    found = ran.json()
    has_shape(found, {"revisions": dict, "relevant": bool, **FOUND})
    assert ran.code == 0
    assert found["revisions"] == {"shop": head_of(shop)}
    paths = [result["path"] for result in found["results"]]
    assert paths[0] == "shop/refunds.py"
    assert len(paths) == len(set(paths))
    for result in found["results"]:
        has_shape(result, RESULT)
        assert 1 <= len(result["spans"]) <= 3
        for span in result["spans"]:
            has_shape(span, SPAN)
        best = result["spans"][0]
        assert {name: result[name] for name in SPAN if name != "score"} == {
            name: best[name] for name in SPAN if name != "score"
        }
        scores = [span["score"] for span in result["spans"]]
        assert scores == sorted(scores, reverse=True)
    scores = [result["score"] for result in found["results"]]
    assert scores == sorted(scores, reverse=True)


def test_search_takes_a_number_and_a_glob(on_shop: Callable[..., Ran]) -> None:
    assert len(on_shop("search", "refund", "--top", "1", "--json").json()["results"]) == 1
    found = on_shop("search", "refund", "--path", "*.md", "--json").json()
    assert {result["path"] for result in found["results"]} <= {"README.md"}


def test_paths_are_relative_to_the_repositorys_root_also_from_a_folder_in_it(
    shop: GitRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shop.path / "shop")
    data = shop.path.parent / "data"
    for where in ((), ("--repo", ".")):
        found = clew("search", "retry refund", "--json", "--data", data, *where).json()
        assert found["results"][0]["path"] == "shop/refunds.py"


def test_a_search_without_anything_relevant_exits_with_one(on_shop: Callable[..., Ran]) -> None:
    ran = on_shop("search", NOTHING, "--json")
    assert ran.code == 1
    assert ran.json()["relevant"] is False


def test_a_batch_writes_one_line_for_each_query_in_order(
    on_shop: Callable[..., Ran], tmp_path: Path
) -> None:
    queries = [("a", "retry refund"), (7, NOTHING), (None, ""), (["x"], "\u2028"), ("a", "invoice")]
    file = tmp_path / "queries.jsonl"
    lines = [json.dumps({"id": key, "query": text, "more": 1}) for key, text in queries]
    file.write_text("\n".join([*lines[:2], "", *lines[2:]]) + "\n")
    ran = on_shop("search", "--batch", file, "--json")
    assert ran.code == 0
    assert [row["id"] for row in ran.rows()] == [key for key, _ in queries]
    for row in ran.rows():
        assert set(row) == {"id", *FOUND}
        for result in row["results"]:
            has_shape(result, RESULT)
    assert ran.rows()[0]["results"][0]["path"] == "shop/refunds.py"
    assert ran.rows()[2]["results"] == []


# --- ask -------------------------------------------------------------------------------------


def test_ask_gives_the_whole_answer(on_shop: Callable[..., Ran], shop: GitRepo) -> None:
    ran = on_shop("ask", "where is retry_refund defined?", "--json")
    answer = ran.json()
    has_shape(answer, ANSWER)
    has_shape(answer["usage"], USAGE)
    assert ran.code == 0
    assert answer["outcome"] == "answered"
    assert answer["mode"] == "extract"
    assert answer["revisions"] == {"shop": head_of(shop)}
    assert answer["citations"]
    for citation in answer["citations"]:
        has_shape(citation, CITATION)
        assert citation["verdict"] in {"verified", "repaired", "unsupported", "missing"}
        assert citation["path"] in SHOP
    for evidence in answer["evidence"]:
        has_shape(evidence, EVIDENCE)
    for warning in answer["warnings"]:
        has_shape(warning, {"type": str, "message": str})
    assert answer["timings"]["total"] > 0


def test_an_abstention_exits_with_one(on_shop: Callable[..., Ran]) -> None:
    ran = on_shop("ask", f"how does the {NOTHING} work?", "--json")
    assert (ran.code, ran.json()["outcome"]) == (1, "no_answer")


def test_events_end_with_the_answer_that_their_text_adds_up_to(on_shop: Callable[..., Ran]) -> None:
    ran = on_shop("ask", "what does retry_refund do?", "--events")
    *before, last = ran.rows()
    assert ran.code == 0
    assert last["event"] == "done"
    has_shape(last["answer"], ANSWER)
    assert {row["event"] for row in before} <= {"status", "tool_call", "text", "citation"}
    texts = [row["text"] for row in before if row["event"] == "text"]
    assert "".join(texts) == last["answer"]["text"]
    cited = [row["citation"] for row in before if row["event"] == "citation"]
    assert cited == last["answer"]["citations"]
    for row in before:
        fields = {
            "status": {"message", "done", "total"},
            "tool_call": {"tool", "argument", "summary", "ok", "turn"},
            "text": {"text"},
            "citation": {"citation"},
        }[row["event"]]
        assert set(row) == {"event", *fields}


def test_a_question_comes_from_standard_input_with_a_dash(on_shop: Callable[..., Ran]) -> None:
    ran = on_shop("ask", "-", "--json", stdin="where is retry_refund? é\n".encode())
    assert ran.json()["question"] == "where is retry_refund? é"


def test_a_question_may_begin_with_a_dash_after_two(shop: GitRepo) -> None:
    data = shop.path.parent / "data"
    ran = clew(
        "ask", "--json", "--repo", shop.path, "--data", data, "--", "--json: where is RETRY_LIMIT?"
    )
    assert ran.json()["question"] == "--json: where is RETRY_LIMIT?"


# --- show, status, history, answer -----------------------------------------------------------


def test_show_gives_the_redacted_lines(on_shop: Callable[..., Ran], shop: GitRepo) -> None:
    shown = on_shop("show", "shop/refunds.py:3-6", "--json").json()
    lines = SHOP["shop/refunds.py"].split("\n")[2:6]
    assert shown == {
        "source": "shop",
        "revision": head_of(shop),
        "path": "shop/refunds.py",
        "start_line": 3,
        "end_line": 6,
        "lines": lines,
    }
    plain = on_shop("show", "shop/refunds.py:3-6").out
    assert plain == "".join(f"{n}  {line}\n" for n, line in enumerate(lines, 3))


@pytest.mark.parametrize("place", ["shop/refunds.py:6", "shop/refunds.py#L6", "shop/refunds.py:L6"])
def test_show_takes_a_line_as_people_spell_it(on_shop: Callable[..., Ran], place: str) -> None:
    assert on_shop("show", place, "--json").json()["lines"] == ["def retry_refund(order):"]


def test_show_without_lines_is_the_whole_file(on_shop: Callable[..., Ran]) -> None:
    shown = on_shop("show", "README.md", "--json").json()
    assert "\n".join(shown["lines"]) + "\n" == SHOP["README.md"]


def test_status_shows_the_head_and_what_is_indexed(tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "shop")
    repo.write("a.py", "A = 1\n")
    first = repo.commit("first")
    where = "--repo", repo.path, "--data", tmp_path / "data", "--json"
    (before,) = clew("status", *where).rows()
    assert (before["head"], before["indexed"]) == (first, None)
    clew("index", *where)
    repo.write("a.py", "A = 2\n")
    second = repo.commit("second")
    (after,) = clew("status", *where).rows()
    assert (after["head"], after["indexed"]) == (second, first)
    assert set(after) == {
        *("source", "location", "head", "stale", "problem", "indexed", "files", "chunks"),
        *("embedder", "embedded", "skipped"),
    }
    assert after["embedder"].startswith("clew-code-")
    assert after["embedded"] == 1.0


def test_status_lists_what_was_left_out_when_asked(on_shop: Callable[..., Ran]) -> None:
    on_shop("index")
    (row,) = on_shop("status", "--skipped", "--json").rows()
    assert row["skipped"] == {"denied": 1, "media": 1}
    listed = {(entry["path"], entry["reason"]) for entry in row["skipped_files"]}
    assert listed == {(".env", "denied"), ("logo.png", "media")}
    assert all(entry["why"] for entry in row["skipped_files"])


def test_a_past_answer_is_found_by_the_start_of_its_id(shop: GitRepo, tmp_path: Path) -> None:
    data = "--data", tmp_path / "data"
    asked = [
        clew("ask", f"where is {name}?", "--json", "--repo", shop.path, *data).json()
        for name in ("retry_refund", "send_invoice")
    ]
    rows = clew("history", "--json", *data).rows()
    assert [row["id"] for row in rows] == [answer["id"] for answer in reversed(asked)]
    assert set(rows[0]) == {
        *("id", "created_at", "completed_at", "question", "outcome", "mode", "asker"),
        "revisions",
    }
    assert len(clew("history", "--json", "-n", "1", *data).rows()) == 1
    stored = clew("answer", asked[0]["id"], "--json", *data).json()
    assert stored["answer"] == asked[0]
    assert set(stored) == {"summary", "answer", "pinned", "events", "error", "version"}
    assert asked[0]["text"] in clew("answer", asked[0]["id"], *data).out
    common = asked[0]["id"][:1]
    assert clew("answer", common, *data).code == 2, "it fits both"
    assert clew("answer", "zzzz", *data).code == 2
    assert clew("answer", "not an id", *data).code == 2


def test_a_history_without_questions_is_empty(tmp_path: Path) -> None:
    ran = clew("history", "--json", "--data", tmp_path / "data")
    assert (ran.code, ran.out) == (0, "")


# --- real processes --------------------------------------------------------------------------


def test_a_process_writes_json_in_utf_8_whatever_its_locale(tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "shop")
    repo.write("ü.py", "def grüße():\n    return '🙂'\n")
    repo.commit("first")
    ran = process(
        *("ask", "where is grüße?", "--json", "--repo", repo.path, "--data", tmp_path / "data"),
        env={"PYTHONIOENCODING": "latin-1"},
    )
    assert ran.code == 0, ran.err
    assert ran.json()["citations"][0]["path"] == "ü.py"
    assert ran.err == ""


def test_a_search_opens_no_records_and_a_history_no_index(shop: GitRepo, tmp_path: Path) -> None:
    heavy = "import sys; sys.argv[0] = 'clew'; from clew.surfaces.cli.main import run; "
    said = "; print(*sorted({'sqlalchemy', 'alembic', 'numpy', 'tree_sitter'} & set(sys.modules)))"

    def loaded(*arguments: object) -> str:
        words = [str(a) for a in (*arguments, "--json", "--data", tmp_path / "data")]
        code = f"{heavy}run({words!r}){said}"
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        return done.stdout.split("\n")[-2]

    where = "--repo", shop.path
    for line in (("search", "refund"), ("show", "README.md:1"), ("index",), ("status",)):
        assert "sqlalchemy" not in loaded(*line, *where)
        assert not (tmp_path / "data" / "records.db").exists()
    assert loaded("history") == "alembic sqlalchemy", "a first history makes the records"
    assert loaded("history") == "sqlalchemy"
