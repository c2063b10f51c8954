"""A model is chosen, and its work traced, from the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.cli import clew
from support.fakeproviders import FakeProvider, call, failing, say
from support.modelled import ANSWER, READ, SEARCH, write

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def where(tmp_path: Path) -> tuple[object, ...]:
    return "--repo", write(tmp_path / "shop"), "--data", tmp_path / "data"


def test_the_variable_sets_the_model_and_the_answer_says_what_it_took(
    where: tuple[object, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeProvider("openai", call(SEARCH), say(ANSWER)) as provider:
        provider.point(monkeypatch)
        monkeypatch.setenv("CLEW_MODEL", provider.model)
        ran = clew("ask", "where are refunds retried?", "--json", *where)
    assert ran.code == 0
    answer = ran.json()
    assert answer["mode"] == "research"
    assert answer["usage"]["model"] == "openai:test-model"
    assert answer["usage"]["model_calls"] == 2


def test_a_trace_tells_turns_tools_and_cost_on_standard_error(
    where: tuple[object, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeProvider("anthropic", call(SEARCH, READ), say(ANSWER)) as provider:
        provider.point(monkeypatch)
        ran = clew("ask", "where?", "--model", provider.model, "--trace", *where)
    assert ran.code == 0
    took = "2 turns, 2 tool calls, 200 tokens in (80 cached), 40 out, cost unknown"
    told = [line for line in ran.err.split("\n") if line]
    assert told == [
        "asking the model, turn 1",
        "turn 1: search_code retry refund: 2 files",
        "turn 1: read_file shop/refunds.py:1-11: 11 lines",
        "asking the model, turn 2",
        f"{provider.model} (research 1): {took}",
    ]
    assert "turn 1" not in ran.out


def test_extract_can_be_asked_for_although_a_model_is_set(
    where: tuple[object, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEW_MODEL", "openai:nobody")
    ran = clew("ask", "where is retry_refund?", "--mode", "extract", "--json", *where)
    assert ran.code == 0
    assert ran.json()["mode"] == "extract"


def test_the_record_of_an_answer_by_rule_says_that_the_model_was_down(
    where: tuple[object, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeProvider("openai", failing(401)) as provider:
        provider.point(monkeypatch)
        ran = clew("ask", "where is retry_refund?", "--model", provider.model, "--json", *where)
    made = ran.json()
    kept = clew("answer", made["id"], "--json", *where[2:]).json()["answer"]
    assert kept["mode"] == made["mode"] == "extract"
    assert "OPENAI_API_KEY" in kept["text"]


@pytest.mark.parametrize("name", ["gpt-5", "nobody:x"])
def test_a_model_that_can_not_be_used_is_said_before_anything_else(
    where: tuple[object, ...], name: str
) -> None:
    ran = clew("ask", "where is retry_refund?", "--model", name, *where)
    assert ran.code == 2
    assert name in ran.err


def test_a_model_of_no_known_provider_is_told_which_forms_there_are(
    where: tuple[object, ...],
) -> None:
    ran = clew("ask", "where is retry_refund?", "--model", "foo:bar", *where)
    assert ran.code == 2
    assert '"foo:bar" is no model: write openai:NAME' in ran.err
    assert "anthropic:NAME" in ran.err


def test_a_model_without_its_key_is_the_users_to_set_right(
    where: tuple[object, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    ran = clew("ask", "where is retry_refund?", "--model", "anthropic:x", *where)
    assert ran.code == 2
    assert "set ANTHROPIC_API_KEY" in ran.err
