"""Whatever is wrong, a command says it in one sentence and exits with the right code."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from support.cli import SHOP, clew, process
from support.gitrepo import GitRepo

if TYPE_CHECKING:
    from pathlib import Path

    from support.cli import Ran

# What is typed; {shop} is a good repository, {tmp} a folder with odd things in it.
WRONG: dict[str, tuple[int, str, str]] = {
    # name: exit code, what the sentence holds, command line
    "an empty question": (2, "empty", "ask|"),
    "a question of spaces": (2, "empty", "ask| \t\n "),
    "an empty question on standard input": (2, "empty", "ask|-"),
    "a question that is a whole book": (2, "8,000", "ask|" + "why " * 3_000),
    "a question that looks like an option": (2, "--", "ask|-what"),
    "no question": (2, "question", "ask"),
    "two questions": (2, "unexpected", "ask|where|is"),
    "an unknown option": (2, "--frobnicate", "ask|where is it?|--frobnicate"),
    "an unknown command": (2, "frobnicate", "frobnicate"),
    "an unknown mode": (2, "extract", "ask|where is it?|--mode|deep"),
    "an option without its value": (2, "--top", "search|x|--top"),
    "a number below the least": (2, "--top", "search|x|--top|0"),
    "a number above the most": (2, "--top", "search|x|--top|101"),
    "a number that is none": (2, "--top", "search|x|--top|many"),
    "an empty query": (2, "empty", "search| "),
    "no query": (2, "query", "search"),
    "a query and a batch": (2, "either", "search|x|--batch|{tmp}/good.jsonl|--json"),
    "a batch that is not there": (2, "No such file", "search|--batch|{tmp}/none|--json"),
    "a batch that is a folder": (2, "directory", "search|--batch|{tmp}|--json"),
    "a batch with a line that is no JSON": (2, "line 3", "search|--batch|{tmp}/bad.jsonl|--json"),
    "a batch with a line that is no query": (2, "line 1", "search|--batch|{tmp}/odd.jsonl|--json"),
    "a batch that is not UTF-8": (2, "UTF-8", "search|--batch|{tmp}/latin.jsonl|--json"),
    "a batch that nests for ever": (2, "line 1", "search|--batch|{tmp}/deep.jsonl|--json"),
    "an empty place": (2, "empty", "show| "),
    "a path that is not there": (2, "shop/refunds.py", "show|shop/refund.py:1"),
    "a path that is left out": (2, "logo.png", "show|logo.png"),
    "a path that is denied": (2, ".env", "show|.env"),
    "a path outside": (2, "..", "show|../../etc/passwd:1"),
    "an absolute path": (2, "/etc/passwd", "show|/etc/passwd"),
    "line zero": (2, "lines", "show|shop/refunds.py:0"),
    "lines past the end": (2, "11", "show|shop/refunds.py:5-900"),
    "lines the wrong way round": (2, "first", "show|shop/refunds.py:5-3"),
    "a number of lines without end": (2, "", "show|shop/refunds.py:" + "9" * 5_000),
    "an id that nobody has": (2, "zzzz", "answer|zzzz"),
    "an id that is none": (2, "history", "answer|../x"),
    "a history of nothing": (2, "--limit", "history|--limit|0"),
    "a configuration that is not there": (2, "--config", "status|--config|{tmp}/none.toml"),
    "a configuration that is a folder": (2, "--config", "status|--config|{tmp}"),
    "a configuration that is no TOML": (2, "TOML", "status|--config|{tmp}/bad.toml"),
    "an unknown key": (2, "search.top", "status|--config|{tmp}/unknown.toml"),
    "data in a file": (3, "good.jsonl", "ask|where is retry_refund?|--data|{tmp}/good.jsonl"),
}
WRONG_REPOS: dict[str, tuple[int, str, str]] = {
    "an empty repository name": (2, "empty", ""),
    "a folder that is not there": (3, "no folder", "{tmp}/none"),
    "a file": (2, "file", "{tmp}/good.jsonl"),
    "a repository without commits": (3, "no commits", "{tmp}/new"),
    "a helper that runs a program": (2, "refused", "ext::sh"),
    "a helper with its program": (2, "", "ext::sh -c id"),
    "an option in disguise": (2, "dash", "--upload-pack=id"),
    "the cloud's own address": (2, "", "https://169.254.169.254/a/b"),
    "this machine": (2, "", "https://localhost/a/b"),
    "a scheme that is not allowed": (2, "", "http://example.invalid/a/b"),
    "a password in the address": (2, "", "https://me:secret-word@example.invalid/a/b"),
    "an address that is malformed": (2, "", "https://"),
    "NUL": (2, "", "a\0b"),
}


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("odd")
    good = '{"id": 1, "query": "refund"}\n'
    (folder / "good.jsonl").write_text(good)
    (folder / "bad.jsonl").write_text(good + good + "{oops\n")
    (folder / "odd.jsonl").write_text('{"query": "refund"}\n')
    (folder / "latin.jsonl").write_bytes(b'{"id": 1, "query": "caf\xe9"}\n')
    (folder / "deep.jsonl").write_text("[" * 200_000 + "\n")
    (folder / "bad.toml").write_text("data = \n")
    (folder / "unknown.toml").write_text("[search]\ntopp = 3\n")
    GitRepo(folder / "new")
    shop = GitRepo(folder / "shop")
    for path, content in SHOP.items():
        shop.write(path, content)
    shop.commit("first")
    return folder


def says(ran: Ran, code: int, part: str) -> str:
    """Assert that it failed with one sentence on standard error, and return that."""
    assert ran.code == code, ran.err
    assert ran.out == ""
    assert ran.err.startswith("clew: ")
    assert ran.err.count("\n") == 1
    assert ran.err.endswith((".\n", "?\n", "…\n"))
    assert "Traceback" not in ran.err
    assert "Error" not in ran.err
    assert part.lower() in ran.err.lower()
    return ran.err.removeprefix("clew: ").removesuffix("\n")


def says_in_json(ran: Ran, code: int) -> str:
    assert ran.code == code
    assert ran.err == ""
    error = ran.json()["error"]
    assert set(error) == {"type", "message"}
    return error["message"]


def typed(line: str, odd: Path) -> list[str]:
    words = line.replace("{tmp}", str(odd)).split("|")
    if words[0] in {"ask", "search", "show"}:
        words += ["--repo", str(odd / "shop")]
    if "--data" not in words:
        words += ["--data", str(odd / "data")]
    return words


@pytest.mark.parametrize("name", WRONG)
def test_what_is_typed_wrong_is_said_in_one_sentence(name: str, odd: Path) -> None:
    code, part, line = WRONG[name]
    words = typed(line, odd)
    if "--json" in words:
        assert part.lower() in says_in_json(clew(*words), code).lower()
        return
    sentence = says(clew(*words), code, part)
    assert says_in_json(clew(*words[:1], "--json", *words[1:]), code) == sentence


@pytest.mark.parametrize("name", WRONG_REPOS)
@pytest.mark.parametrize("command", ["ask|where is it?", "search|it"])
def test_a_wrong_repository_is_said_in_one_sentence(name: str, command: str, odd: Path) -> None:
    code, part, repo = WRONG_REPOS[name]
    words = [*command.split("|"), "--repo", repo.replace("{tmp}", str(odd)), "--data", odd / "data"]
    sentence = says(clew(*words), code, part)
    assert "secret-word" not in sentence
    assert says_in_json(clew(*words, "--json"), code) == sentence


def test_events_end_with_the_error(odd: Path) -> None:
    where = "--repo", odd / "new", "--data", odd / "data"
    *before, last = clew("ask", "where is it?", "--events", *where).rows()
    assert set(last) == {"error"}
    assert all(row["event"] == "status" for row in before)


def test_an_unknown_variable_is_an_error(odd: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_SERCH_TOP", "3")
    says(clew("history", "--data", odd / "data"), 2, "CLEW_SEARCH_TOP")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
@pytest.mark.parametrize("command", ["ask|where is retry_refund?", "search|refund", "history"])
def test_a_data_folder_that_cant_be_written_is_an_error(
    command: str, odd: Path, tmp_path: Path
) -> None:
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    words = command.split("|")
    if words[0] != "history":
        words += ["--repo", str(odd / "shop")]
    says(clew(*words, "--data", locked / "data"), 3, "locked")


@pytest.mark.parametrize("command", ["ask|where is retry_refund?", "search|refund", "index"])
def test_a_data_folder_below_a_file_is_an_error(command: str, odd: Path) -> None:
    words = [*command.split("|"), "--repo", odd / "shop", "--data", odd / "good.jsonl" / "data"]
    says(clew(*words), 3, "good.jsonl")


@pytest.mark.parametrize("written", [True, False], ids=["with", "without"])
def test_no_arguments_are_a_question_for_help(written: bool) -> None:
    ran = clew(*(["--help"] if written else []))
    assert ran.code == 0
    assert "Usage" in ran.out
    assert "history" in ran.out


def test_the_version_is_told() -> None:
    ran = clew("--version")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("clew 0.")


def test_a_bug_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise LookupError("a bug")

    monkeypatch.setattr("clew.app.build", broken)
    with pytest.raises(LookupError):
        clew("history")


def test_what_the_system_refuses_is_said_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device", "records.db")

    monkeypatch.setattr("clew.app.Clew.history", full)
    says(clew("history", "--data", tmp_path / "data"), 3, "No space left on device")


def test_a_secret_in_a_complaint_is_redacted(tmp_path: Path) -> None:
    key = "AKIA" + "Q3EGRDXZL7MN5PTV"
    ran = clew("index", "--repo", f"/none/{key}", "--data", tmp_path / "data")
    assert ran.code == 3
    assert key not in ran.err


def test_a_word_that_is_not_utf_8_is_understood_or_refused(odd: Path) -> None:
    if os.name == "nt":
        pytest.skip("Windows has no such words")
    word = os.fsdecode(b"where is caf\xe9?")
    ran = process("ask", word, "--json", "--repo", odd / "shop", "--data", odd / "data")
    assert ran.code in {0, 1, 2}
    assert ran.err == ""
    json.loads(ran.out)
