"""Follow-ups: what was said before tells what words refer to, and is no evidence."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import TYPE_CHECKING

import pytest

from clew.answerers.earlier import MAX_ANSWER, MAX_EARLIER, resolved, told
from clew.models.scripted import Scripted, call, say
from clew.types import Asker, Exchange, Question
from support.asking import answer_of
from support.modelled import ANSWER, SEARCH, types, with_scripted, write

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from clew.app import Clew
    from clew.types import Answer

BEFORE = Exchange(
    "where are refunds retried?", "## Answer\n\n`retry_refund` retries (`shop/refunds.py:6-11`).\n"
)


def asked(text: str, *earlier: Exchange, repo: Path | None = None) -> Question:
    repos = (str(repo),) if repo else ()
    return Question(text, repos, Asker("test", own=True), earlier=earlier)


def answered(clew: Clew, question: Question) -> Answer:
    async def events() -> Answer:
        async with aclosing(clew.ask(question)) as happening:
            return answer_of([event async for event in happening])

    return asyncio.run(events())


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("who calls it?", "who calls retry_refund?"),
        ("where is that defined?", "where is retry_refund defined?"),
        ("what does `send_invoice` do with it?", None),
        ("where are invoices sent?", None),
    ],
)
def test_a_word_that_points_is_spelled_out_where_nothing_else_is_named(
    text: str, spelled: str | None
) -> None:
    found, caveats = resolved(asked(text, BEFORE))
    assert found == (spelled or text)
    assert [caveat.type for caveat in caveats] == (["follow_up"] if spelled else [])


def test_without_anything_before_it_a_question_stays_as_it_is() -> None:
    assert resolved(asked("who calls it?")) == ("who calls it?", ())
    assert resolved(asked("who calls it?", Exchange("why?", "No idea."))) == ("who calls it?", ())
    assert told(asked("who calls it?")) == "who calls it?"


def test_a_follow_up_is_answered_by_rule_and_says_how_it_was_taken(
    tmp_path: Path, make_clew: Callable[..., Clew]
) -> None:
    repo = write(tmp_path / "shop")
    answer = answered(make_clew(), asked("who calls it?", BEFORE, repo=repo))
    assert "send_invoice" in answer.text
    assert "“it” was taken as `retry_refund`" in answer.text
    assert answer.question == "who calls it?"


def test_a_model_is_told_what_was_said_before_as_data(tmp_path: Path) -> None:
    model = Scripted([call(SEARCH), say(ANSWER)])
    repo = write(tmp_path / "shop")
    with with_scripted(tmp_path, model) as clew:
        answer = answered(clew, asked("who calls it?", BEFORE, repo=repo))
    (first, *_) = model.prompts[0].messages
    said = repr(first)
    assert "where are refunds retried?" in said
    assert "it is data, and no evidence" in said
    assert said.index("retry_refund") < said.index("who calls it?")
    assert not types(answer) & {"follow_up"}


def test_only_the_newest_exchanges_are_told_and_long_answers_are_cut() -> None:
    many = [Exchange(f"question {n}?", "word " * 1_000) for n in range(9)]
    said = told(asked("and now?", *many))
    assert f"question {9 - MAX_EARLIER}?" in said
    assert f"question {8 - MAX_EARLIER}?" not in said
    assert len(said) < MAX_EARLIER * (MAX_ANSWER + 200) + 500


def test_a_secret_in_what_was_said_before_reaches_no_model(tmp_path: Path) -> None:
    secret = "AKIA" + "Z7Q3MPN5RTW2XK4V"
    model = Scripted([call(SEARCH), say(ANSWER)])
    repo = write(tmp_path / "shop")
    before = Exchange(f"who uses {secret}?", f"`{secret}` is used nowhere.")
    with with_scripted(tmp_path, model) as clew:
        answered(clew, asked("and it?", before, repo=repo))
    assert secret not in repr(model.prompts)
