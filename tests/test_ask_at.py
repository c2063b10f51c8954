"""Asking about another revision: honoured, or refused; never answered from the head (C6)."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest

from clew.errors import InputError, NotFoundError
from clew.surfaces.cli.main import run
from clew.types import Asker, Question
from support.asking import SHOP, answer_of, ask

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from clew.app import Clew
    from clew.types import Answer
    from support.gitrepo import GitRepo

WHERE = "where is a refund retried?"


@pytest.fixture
def shop(git_repo: Callable[..., GitRepo]) -> GitRepo:
    repo = git_repo(SHOP, name="shop")
    repo.git("tag", "v1.0")
    repo.git("branch", "release/1.x")
    moved = SHOP["shop/refunds.py"].replace("RETRY_LIMIT = 5", "RETRY_LIMIT = 9")
    repo.remove("shop/refunds.py")
    repo.write("shop/money/refunds.py", moved)
    repo.commit("Move refunds")
    return repo


def asked(clew: Clew, text: str, at: str, *repos: object) -> Answer:
    question = Question(text, tuple(map(str, repos)), Asker("test", own=True), at=at)

    async def events() -> list[object]:
        return [event async for event in clew.ask(question)]

    return answer_of(asyncio.run(events()))  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    "question",
    [
        "on branch release/1.x, where is a refund retried?",
        "on release/1.x, where is a refund retried?",
        "where is a refund retried on `release/1.x`?",
        "where is a refund retried on the release/1.x branch?",
        "at tag v1.0, where is a refund retried?",
        "in v1.0, where is a refund retried?",
    ],
)
def test_a_revision_in_the_question_is_the_one_that_answers(
    question: str, shop: GitRepo, make_clew: Callable[..., Clew]
) -> None:
    answer = ask(make_clew(), question, shop.path)
    assert answer.revisions == {"shop": shop.git("rev-parse", "v1.0")}
    assert "shop/refunds.py" in {c.path for c in answer.citations}
    assert "shop/money" not in answer.text
    assert "(branch release/1.x, " in answer.text or "(tag v1.0, " in answer.text


@pytest.mark.parametrize(
    "words", ["on the feature branch", "at the nightly tag", "on feature", "in the branch feature"]
)
def test_a_plain_word_is_a_branch_or_a_tag_where_there_is_one(
    words: str, shop: GitRepo, git_repo: Callable[..., GitRepo], make_clew: Callable[..., Clew]
) -> None:
    question = f"where is a refund retried {words}?"
    before = ask(make_clew(), question, shop.path)
    assert before.revisions == {"shop": shop.git("rev-parse", "HEAD")}
    shop.git("branch", "feature", "v1.0")
    shop.git("tag", "nightly", "v1.0")
    other = git_repo({"a.py": "def nothing():\n    pass\n"}, name="other")
    answer = ask(make_clew(), question, shop.path, other.path)
    assert answer.revisions == {
        "shop": shop.git("rev-parse", "v1.0"),
        "other": other.git("rev-parse", "HEAD"),
    }
    assert "shop/refunds.py" in {c.path for c in answer.citations}
    assert "(branch feature, " in answer.text or "(tag nightly, " in answer.text


def test_a_word_that_is_part_of_a_sha_is_no_branch(
    shop: GitRepo, make_clew: Callable[..., Clew]
) -> None:
    head = shop.git("rev-parse", "HEAD")
    answer = ask(make_clew(), f"where is a refund retried on the {head[:6]} branch?", shop.path)
    assert answer.revisions == {"shop": head}


def test_a_sha_and_a_date_in_the_question_are_honoured(
    shop: GitRepo, make_clew: Callable[..., Clew]
) -> None:
    old = shop.git("rev-parse", "v1.0")
    for at in (old[:8], "HEAD~1", "HEAD^", "refs/tags/v1.0"):
        answer = ask(make_clew(), f"at {at}, where is a refund retried?", shop.path)
        assert answer.revisions == {"shop": old}


def test_days_that_people_say_are_honoured_and_those_before_the_history_refused(
    shop: GitRepo, make_clew: Callable[..., Clew]
) -> None:
    answer = ask(make_clew(), "where is a refund retried as of yesterday?", shop.path)
    assert answer.revisions == {"shop": shop.git("rev-parse", "HEAD")}
    with pytest.raises(NotFoundError, match="history is younger"):
        ask(make_clew(), "where was a refund retried as of 31 January 1999?", shop.path)


def test_an_option_names_the_revision_and_uncommitted_changes_stay_out(
    shop: GitRepo, make_clew: Callable[..., Clew]
) -> None:
    shop.write("shop/money/refunds.py", "nothing = 1\n")
    clew = make_clew()
    answer = asked(clew, WHERE, "HEAD", shop.path)
    assert answer.revisions == {"shop": shop.git("rev-parse", "HEAD")}
    assert "shop/money/refunds.py" in {c.path for c in answer.citations}
    assert all(not c.url for c in answer.citations)  # the file on disk is another one


@pytest.mark.parametrize("at", ["v9.9", "release/2.x", "deadbeef", "2001-01-01", "HEAD~99"])
def test_what_is_not_there_is_refused_and_not_answered_from_the_head(
    at: str, shop: GitRepo, make_clew: Callable[..., Clew]
) -> None:
    with pytest.raises(NotFoundError) as raised:
        asked(make_clew(), WHERE, at, shop.path)
    assert raised.value.exit_code == 2
    with pytest.raises(NotFoundError):
        ask(make_clew(), f"{WHERE[:-1]} at commit {at}?", shop.path)


def test_an_option_against_the_question_is_refused(
    shop: GitRepo, make_clew: Callable[..., Clew]
) -> None:
    with pytest.raises(InputError, match=r"about v1\.0 and --at says main"):
        asked(make_clew(), "in v1.0, where is a refund retried?", "main", shop.path)


def test_a_source_without_the_revision_is_named_and_the_other_answers(
    shop: GitRepo, git_repo: Callable[..., GitRepo], make_clew: Callable[..., Clew]
) -> None:
    bank = git_repo({"bank.py": "def retried_refund():\n    pass\n"}, name="bank")
    answer = asked(make_clew(), WHERE, "v1.0", shop.path, bank.path)
    assert set(answer.revisions) == {"shop"}
    (missing,) = [w for w in answer.warnings if w.type == "source_failed"]
    assert missing.message.startswith('bank was not searched: bank has no revision "v1.0"')


def test_search_and_show_take_the_revision_too(
    shop: GitRepo, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    common = ["--repo", str(shop.path), "--data", str(tmp_path / "data"), "--json"]
    assert run(["search", "retry refund", "--at", "v1.0", *common]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["results"][0]["path"] == "shop/refunds.py"
    assert run(["show", "shop/refunds.py:3", "--at", "v1.0", *common]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["lines"] == ["RETRY_LIMIT = 5"]
    assert shown["revision"] == shop.git("rev-parse", "v1.0")
    for at in ("v9", "--output=x", "", "a..b"):
        assert run(["show", "shop/refunds.py", f"--at={at}", *common]) == 2
        assert json.loads(capsys.readouterr().out)["error"]["message"]


def test_the_command_line_asks_at_a_revision(
    shop: GitRepo, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    common = ["--repo", str(shop.path), "--data", str(tmp_path / "data"), "--json"]
    assert run(["ask", WHERE, "--at", "v1.0", *common]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["revisions"] == {"shop": shop.git("rev-parse", "v1.0")}
