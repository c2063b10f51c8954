"""Whatever a model does, an answer comes, with its reason, and the stream ends (C21, C22)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from clew.types import ToolCallEvent
from support.fakeproviders import KINDS, FakeProvider, Turn, call, failing, say
from support.modelled import (
    ANSWER,
    QUESTION,
    READ,
    SEARCH,
    answer,
    events,
    types,
    with_provider,
    write,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from clew.types import Answer


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The code that is asked, with the data folder beside it: it is indexed once."""
    return write(tmp_path_factory.mktemp("asked") / "shop")


@pytest.fixture(params=KINDS)
def asked(
    request: pytest.FixtureRequest, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., tuple[Answer, FakeProvider]]]:
    """Ask the shop's question of a provider with a script; the answer and the provider."""
    opened: list[Any] = []

    def ask(*script: Turn, **settings: Any) -> tuple[Answer, FakeProvider]:
        provider = FakeProvider(request.param, *script).__enter__()
        opened.append(provider)
        clew = with_provider(shop.parent, provider, monkeypatch, **settings)
        try:
            return answer(clew, shop), provider
        finally:
            clew.close()

    yield ask
    for provider in opened:
        provider.__exit__()


Asked = "Callable[..., tuple[Answer, FakeProvider]]"


def test_a_model_that_works_is_answered_with_checked_citations(asked: Asked) -> None:
    found, provider = asked(call(SEARCH, READ), say(ANSWER, tokens=(900, 50, 600)))
    assert found.outcome == "answered"
    assert found.mode == "research"
    assert found.text.startswith(ANSWER)
    assert [(c.path, c.start_line, c.verdict) for c in found.citations] == [
        ("shop/refunds.py", 6, "verified")
    ]
    used = found.usage
    assert (used.tool_calls, used.model_calls) == (2, 2)
    assert (used.input_tokens, used.output_tokens, used.cached_tokens) == (1000, 70, 640)
    assert used.model == provider.model
    assert used.prompt == "research 1"
    assert len(found.evidence) >= 2


def test_thinking_aloud_before_calls_is_no_part_of_the_answer(asked: Asked) -> None:
    found, _ = asked(call(SEARCH, text="Let me look."), say("I see.\n\n" + ANSWER))
    assert found.text.startswith(ANSWER)
    assert "Let me look" not in found.text


def test_an_answer_without_headings_gets_one(asked: Asked) -> None:
    found, _ = asked(call(SEARCH), say("`retry_refund` does it (`shop/refunds.py:6-11`)."))
    assert found.text.startswith("## Answer\n\n`retry_refund` does it")


def test_what_a_model_invents_is_marked(asked: Asked) -> None:
    invented = ANSWER + "- `shop/ghost.py:3-9` does it too.\n"
    found, _ = asked(call(SEARCH), say(invented))
    assert found.outcome == "partial"
    assert "[unverified" in found.text
    assert "missing_path" in types(found)


def test_a_tool_that_does_not_exist_gets_an_answer_that_says_so(asked: Asked) -> None:
    found, provider = asked(call(("rm_rf", {"path": "/"})), call(SEARCH), say(ANSWER))
    assert found.outcome == "answered"
    assert 'no tool \\"rm_rf\\"' in provider.messages(1)


def test_malformed_arguments_get_an_answer_that_says_how_to_do_it_right(asked: Asked) -> None:
    found, provider = asked(call(("grep", '{"pattern": "ret')), call(SEARCH), say(ANSWER))
    assert found.outcome == "answered"
    assert "not valid JSON" in provider.messages(1)
    assert "pattern" in provider.messages(1)


def test_a_model_that_answers_without_looking_is_sent_to_look(asked: Asked) -> None:
    found, provider = asked(say("It is in src/refund.c, line 7."), call(SEARCH), say(ANSWER))
    assert found.outcome == "answered"
    assert "refund.c" not in found.text
    assert "not looked at the code" in provider.messages(1)


def test_a_model_that_never_looks_is_not_believed(asked: Asked) -> None:
    found, provider = asked(say("It is in src/refund.c, line 7."))
    assert found.mode == "extract"
    assert "no_tools" in types(found)
    assert "refund.c" not in found.text
    assert "shop/refunds.py:6-11" in found.text
    assert len(provider.requests) == 3


def test_a_model_that_says_nothing_is_asked_again_and_then_done_without(asked: Asked) -> None:
    found, provider = asked(call(SEARCH), Turn())
    assert found.mode == "extract"
    assert {"no_reply", "without_model"} <= types(found)
    assert len(provider.requests) == 4


def test_a_model_that_says_nothing_once_still_answers(asked: Asked) -> None:
    found, _ = asked(call(SEARCH), Turn(), say(ANSWER))
    assert found.outcome == "answered"


def test_the_same_call_for_ever_ends_and_is_run_once(asked: Asked) -> None:
    found, provider = asked(call(SEARCH))
    assert found.usage.tool_calls < 6  # one of the model's, the others of the answer by rule
    assert found.mode == "extract"
    assert "loop" in types(found)
    assert len(provider.requests) == 4


def test_a_model_that_repeats_itself_may_still_write_its_answer(asked: Asked) -> None:
    found, provider = asked(call(SEARCH), call(SEARCH), call(SEARCH), say(ANSWER))
    assert found.mode == "research"
    assert found.outcome == "partial"
    assert "loop" in types(found)
    assert provider.requests[3]["tool_choice"] in ("none", {"type": "none"})


def test_a_refusal_is_said_and_answered_by_rule(asked: Asked) -> None:
    found, _ = asked(Turn(stop="content_filter"))
    assert found.mode == "extract"
    assert "refused" in types(found)


def test_an_answer_at_the_models_longest_reply_says_that_it_is_cut(asked: Asked) -> None:
    found, _ = asked(call(SEARCH), say(ANSWER + "- and", stop="length"))
    assert found.outcome == "partial"
    assert "cut" in types(found)


@pytest.mark.parametrize("cut", ["close", "end"])
def test_a_stream_that_dies_in_an_answer_keeps_what_was_shown_and_says_so(
    asked: Asked, cut: Any
) -> None:
    found, _ = asked(call(SEARCH), say(ANSWER + "- more\n" * 40, cut=cut))
    assert found.text.startswith("## Answer\n\n`retry_refund`")
    assert found.outcome == "partial"
    assert {"model_down", "cut"} <= types(found)
    assert "broke off its reply" in found.text
    assert "can't be reached" not in found.text


def test_the_caveats_of_an_answer_that_broke_off_stand_on_lines_of_their_own(asked: Asked) -> None:
    found, _ = asked(call(SEARCH), say(ANSWER + "\nIt is retried. And then", cut="end"))
    assert "\n\n## Caveats\n\n- " in found.text


@pytest.mark.parametrize("cut", ["close", "end"])
def test_a_stream_that_dies_before_an_answer_began_is_said_to_have_been_left_out(
    asked: Asked, cut: Any
) -> None:
    thinking = "I will look at the refunds next. " * 20
    found, provider = asked(call(SEARCH), say(thinking, cut=cut))
    assert found.mode == "extract"
    assert "broke off its reply. What it had written was not yet an answer" in found.text
    assert "I will look" not in found.text
    assert found.usage.model == provider.model


@pytest.mark.parametrize("cut", ["close", "end"])
def test_a_stream_that_dies_in_the_last_turn_keeps_what_it_said_without_a_heading(
    asked: Asked, cut: Any
) -> None:
    plain = ANSWER.split("## Evidence")[0].removeprefix("## Answer\n\n")
    found, _ = asked(call(SEARCH), say(plain + "- more\n" * 40, cut=cut), research={"turns": 2})
    assert (found.mode, found.outcome) == ("research", "partial")
    assert found.text.startswith("## Answer\n\n`retry_refund` retries")
    assert {"model_down", "cut"} <= types(found)


def test_a_stream_that_dies_in_a_call_broke_off_and_could_be_reached(asked: Asked) -> None:
    long = ("search_code", {"query": "refund " * 60})
    found, _ = asked(call(long, cut="close"))
    assert "broke off its reply" in found.text
    assert "can't be reached" not in found.text


@pytest.mark.parametrize(
    ("turn", "kind"),
    [
        (failing(401), "model_refused"),
        (failing(429), "model_down"),
        (failing(500), "model_down"),
        (failing(529), "model_down"),
    ],
)
def test_a_provider_that_fails_is_answered_by_rule_and_said(
    asked: Asked, turn: Turn, kind: str
) -> None:
    found, provider = asked(turn)
    assert found.mode == "extract"
    assert found.outcome == "answered"
    assert {kind, "without_model"} <= types(found)
    assert "shop/refunds.py:6-11" in found.text
    assert "test-key" not in str(found)
    assert provider.model in found.text
    assert found.usage.model == provider.model
    assert found.usage.model_calls == 0


def test_a_provider_that_fails_later_is_answered_by_rule_with_all_evidence(asked: Asked) -> None:
    found, _ = asked(call(READ), failing(500))
    assert found.mode == "extract"
    assert any(row.found_by.startswith("read_file") for row in found.evidence)


def test_a_provider_that_hangs_is_given_up_in_time(asked: Asked) -> None:
    found, _ = asked(Turn(hang=True), timeout=0.2, retries=0)
    assert found.mode == "extract"
    assert "model_down" in types(found)
    assert found.timings["total"] < 10


def test_a_server_without_tools_is_asked_for_steps_in_json(asked: Asked) -> None:
    found, provider = asked(
        failing(400, message="test-model does not support tools"),
        say('{"tool": "search_code", "arguments": {"query": "retry refund"}}'),
        say('{"answer": "`retry_refund` does it (`shop/refunds.py:6-11`)."}'),
    )
    assert found.outcome == "answered"
    assert found.mode == "research"
    assert provider.tools(1) == []
    assert "Result of search_code" in provider.messages(2)


def test_calls_that_are_written_as_text_are_read_and_json_is_asked_for(asked: Asked) -> None:
    found, provider = asked(
        say('```json\n{"name": "search_code", "arguments": {"query": "retry refund"}}\n```'),
        say('{"answer": "`retry_refund` does it (`shop/refunds.py:6-11`)."}'),
    )
    assert found.outcome == "answered"
    assert provider.tools(1) == []


def test_two_broken_calls_lead_to_json(asked: Asked) -> None:
    broken = call(("grep", '{"pattern": '))
    found, provider = asked(broken, call(("find", {})), say('{"answer": "no"}'))
    assert provider.tools(1) != []
    assert provider.tools(2) == []
    assert found.mode == "extract"  # an answer from nothing seen is not believed


def test_steps_in_json_can_be_set(asked: Asked) -> None:
    found, provider = asked(
        say('{"tool": "search_code", "arguments": {"query": "retry refund"}}'),
        say("not json {"),
        say('{"tool": "nothing"'),
        say('{"answer": "`retry_refund` does it (`shop/refunds.py:6-11`)."}'),
        steps="json",
    )
    assert found.outcome == "answered"
    assert all(provider.tools(at) == [] for at in range(4))
    assert "one JSON object" in provider.messages(2)


def test_the_trace_tells_the_turns_in_order(
    tmp_path: Path, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeProvider(
        "openai", call(SEARCH, READ), call(("grep", {"pattern": "x"})), say(ANSWER)
    ) as p:
        clew = with_provider(tmp_path, p, monkeypatch)
        told = [e for e in events(clew, shop, QUESTION) if isinstance(e, ToolCallEvent)]
        clew.close()
    assert [(e.turn, e.tool) for e in told] == [
        (1, "search_code"),
        (1, "read_file"),
        (2, "grep"),
    ]
