"""The gateway, by the real client libraries against providers on loopback."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

import pytest

from clew.errors import (
    ClewError,
    ContextFullError,
    NoToolsError,
    ProviderDownError,
    ProviderRefusedError,
    SettingsError,
)
from clew.models.chat import Prompt, Reply, Result, Results, Told, ToolSpec
from clew.models.gateway import ModelOptions, open_chat
from support.fakeproviders import KINDS, FakeProvider, Turn, call, failing, say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from support.fakeproviders import Kind

TOOL = ToolSpec("grep", "Finds lines.", {"type": "object", "properties": {}})
PROMPT = Prompt("Be brief.", (Told("where?"),), (TOOL,))
Serve = "Callable[..., FakeProvider]"


@pytest.fixture(params=KINDS)
def serve(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., FakeProvider]]:
    """Start a provider of each kind with a script; the client libraries are pointed to it."""
    open_ones: list[FakeProvider] = []

    def start(*script: Turn) -> FakeProvider:
        provider = FakeProvider(request.param, *script).__enter__()
        provider.point(monkeypatch)
        open_ones.append(provider)
        return provider

    yield start
    for provider in open_ones:
        provider.__exit__()


def ask(provider: FakeProvider, prompt: Prompt = PROMPT, **options: Any) -> tuple[str, Reply]:
    """One turn: what was streamed, and the reply."""
    waits: list[float] = options.pop("waits", [])

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    async def run() -> tuple[str, Reply]:
        made = ModelOptions(provider.model, sleep=sleep, **options)
        async with open_chat(made) as chat, aclosing(chat.turn(prompt)) as pieces:
            *text, reply = [piece async for piece in pieces]
        assert isinstance(reply, Reply)
        return "".join(str(piece) for piece in text), reply

    return asyncio.run(run())


def refused(provider: FakeProvider, kind: type[ClewError], **options: Any) -> str:
    with pytest.raises(kind) as raised:
        ask(provider, **options)
    assert type(raised.value) is kind
    assert "test-key" not in raised.value.message
    return raised.value.message


def test_text_is_streamed_and_then_given_whole(serve: Callable[..., FakeProvider]) -> None:
    text = "It is in `a.py:3`, and nowhere else; look there first."
    streamed, reply = ask(serve(say(text)))
    assert streamed == reply.text == text
    assert reply.calls == ()
    assert reply.stop == "end"


def test_usage_counts_what_was_read_written_and_cached(serve: Callable[..., FakeProvider]) -> None:
    _, reply = ask(serve(say("yes", tokens=(900, 30, 600))))
    spent = reply.spent
    assert (spent.calls, spent.input_tokens, spent.output_tokens, spent.cached_tokens) == (
        1,
        900,
        30,
        600,
    )
    assert spent.cost is None  # nobody knows what a model of one's own costs


def test_calls_come_with_their_arguments_and_go_back_with_their_results(
    serve: Callable[..., FakeProvider],
) -> None:
    provider = serve(call(("grep", {"pattern": "a b"}), ("grep", {"pattern": "ü"})), say("done"))
    _, reply = ask(provider)
    assert [(c.tool, c.arguments) for c in reply.calls] == [
        ("grep", {"pattern": "a b"}),
        ("grep", {"pattern": "ü"}),
    ]
    assert reply.stop == "tools"
    results = Results(tuple(Result(c.id, c.tool, f"found {c.id}", "") for c in reply.calls))
    ask(provider, Prompt("Be brief.", (Told("where?"), reply, results), (TOOL,)))
    for made in reply.calls:
        assert f"found {made.id}" in provider.messages()


def test_arguments_that_are_not_json_are_a_flaw_and_never_sent_back(
    serve: Callable[..., FakeProvider],
) -> None:
    provider = serve(call(("grep", '{"pattern": "a')), say("done"))
    _, reply = ask(provider)
    assert "not valid JSON" in reply.calls[0].flaw
    results = Results((Result(reply.calls[0].id, "grep", "wrong", ""),))
    assert ask(provider, Prompt("", (Told("where?"), reply, results), (TOOL,)))[1].text == "done"


def test_the_last_turn_knows_the_tools_and_may_not_call_them(
    serve: Callable[..., FakeProvider],
) -> None:
    provider = serve(say("done"))
    ask(provider, Prompt("Be brief.", (Told("where?"),), (TOOL,), may_call=False))
    choice = provider.requests[0]["tool_choice"]
    assert choice in ("none", {"type": "none"})
    assert provider.tools() == ["grep"]


def test_the_provider_is_asked_to_stream_and_given_the_key_of_its_own_variable(
    serve: Callable[..., FakeProvider],
) -> None:
    provider = serve(say("yes"))
    ask(provider)
    assert provider.requests[0]["stream"] is True
    assert provider.requests[0]["model"] == "test-model"
    assert provider.keys[0].removeprefix("Bearer ") == "test-key"


@pytest.mark.parametrize("status", [429, 500, 503, 529])
def test_what_may_pass_is_tried_again_a_bounded_number_of_times(
    serve: Callable[..., FakeProvider], status: int
) -> None:
    waits: list[float] = []
    provider = serve(failing(status), failing(status), say("yes"))
    assert ask(provider, waits=waits, retries=2)[0] == "yes"
    assert waits == [0.5, 1.0]
    message = refused(serve(failing(status)), ProviderDownError, retries=2)
    assert str(status) in message


def test_a_provider_says_how_long_to_wait(serve: Callable[..., FakeProvider]) -> None:
    waits: list[float] = []
    provider = serve(failing(429, headers={"Retry-After": "7"}), say("yes"))
    assert ask(provider, waits=waits)[0] == "yes"
    assert waits == [7.0]


def test_a_wait_that_is_too_long_is_no_wait_at_all(serve: Callable[..., FakeProvider]) -> None:
    waits: list[float] = []
    provider = serve(failing(429, headers={"Retry-After": "3600"}), say("yes"))
    refused(provider, ProviderDownError, waits=waits)
    assert waits == []
    assert len(provider.requests) == 1


@pytest.mark.parametrize("status", [401, 403])
def test_a_wrong_key_names_the_variable_that_holds_it(
    serve: Callable[..., FakeProvider], status: int
) -> None:
    provider = serve(failing(status, message="Incorrect API key provided: test-key"))
    message = refused(provider, ProviderRefusedError)
    assert f"{provider.kind.upper()}_API_KEY" in message
    assert len(provider.requests) == 1


def test_an_unknown_model_says_what_to_check(serve: Callable[..., FakeProvider]) -> None:
    provider = serve(failing(404, message="model: test-model"))
    message = refused(provider, ProviderRefusedError)
    assert f"{provider.kind}:test-model" in message
    assert f"{provider.kind.upper()}_BASE_URL" in message


def test_a_rejected_request_quotes_the_reason_without_secrets(
    serve: Callable[..., FakeProvider],
) -> None:
    key = "AKIA" + "IOSFODNN7EXAMPLQ"
    message = refused(serve(failing(400, message=f"bad field {key}")), ProviderRefusedError)
    assert "bad field" in message
    assert key not in message


def test_a_server_without_tools_and_a_full_context_are_told_apart(
    serve: Callable[..., FakeProvider],
) -> None:
    refused(serve(failing(400, message="test-model does not support tools")), NoToolsError)
    refused(serve(failing(400, message="prompt is too long: 9 tokens > 8")), ContextFullError)


@pytest.mark.parametrize("cut", ["close", "end"])
def test_half_a_stream_is_never_taken_for_a_whole_reply(
    serve: Callable[..., FakeProvider], cut: Any
) -> None:
    provider = serve(say("a long text " * 20, cut=cut))
    refused(provider, ProviderDownError)
    assert len(provider.requests) == 1  # what was passed on can't be taken back


def test_an_error_inside_a_stream_is_tried_again_while_nothing_was_said(
    serve: Callable[..., FakeProvider],
) -> None:
    provider = serve(say("never said", cut="error"), say("yes"))
    assert ask(provider)[0] == "yes"
    assert len(provider.requests) == 2


def test_who_never_answers_is_down(serve: Callable[..., FakeProvider]) -> None:
    message = refused(serve(Turn(hang=True)), ProviderDownError, timeout=0.1, retries=1)
    assert "in time" in message


def test_a_refusal_is_told_from_an_answer(serve: Callable[..., FakeProvider]) -> None:
    assert ask(serve(Turn(stop="content_filter")))[1].stop == "refused"


def test_an_empty_reply_and_one_at_its_length_are_told_apart(
    serve: Callable[..., FakeProvider],
) -> None:
    assert ask(serve(Turn()))[1].text == ""
    assert ask(serve(say("and then", stop="length")))[1].stop == "length"


def test_nobody_listening_is_said_with_what_to_check(
    serve: Callable[..., FakeProvider],
) -> None:
    provider = serve(say("yes"))
    provider.__exit__()
    message = refused(provider, ProviderDownError, retries=0)
    assert "can't be reached" in message


def test_openai_is_asked_by_chat_completions_and_a_schema_is_passed_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with FakeProvider("openai", say('{"answer": "x"}')) as provider:
        provider.point(monkeypatch)
        schema = {"type": "object", "properties": {"answer": {"type": "string"}}}
        ask(provider, Prompt("", (Told("where?"),), schema=schema))
    form = provider.requests[0]["response_format"]
    assert form["type"] == "json_schema"
    assert form["json_schema"]["schema"]["properties"] == {"answer": {"type": "string"}}


def test_anthropic_is_asked_to_cache_what_stays_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeProvider("anthropic", say("yes")) as provider:
        provider.point(monkeypatch)
        ask(provider)
    request = provider.requests[0]
    assert "cache_control" in request["tools"][-1]
    assert "cache_control" in request["system"][-1]
    assert "cache_control" in str(request["messages"][-1])


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_without_a_key_says_which_variable_is_missing(
    kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("API_KEY", "BASE_URL", "AUTH_TOKEN"):
        monkeypatch.delenv(f"{kind.upper()}_{name}", raising=False)

    async def run() -> None:
        async with open_chat(ModelOptions(f"{kind}:x")):
            pass

    with pytest.raises(SettingsError, match=f"{kind.upper()}_API_KEY"):
        asyncio.run(run())


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("gpt-5", "provider:name"),
        (":gpt-5", "provider:name"),
        ("openai:", "provider:name"),
        ("nobody:gpt-5", "nobody:gpt-5"),
        ("groq:llama", "groq"),
    ],
)
def test_a_name_that_can_not_be_used_says_why(name: str, said: str) -> None:
    async def run() -> None:
        async with open_chat(ModelOptions(name)):
            pass

    with pytest.raises(SettingsError, match=said):
        asyncio.run(run())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("API_KEY", "", "needs a key"),
        ("API_KEY", "clé-é", "holds characters that no key has"),
        ("API_KEY", "key\nkey", "holds characters that no key has"),
        ("HTTPS_PROXY", "junk://someone:hunter2@x", "can't be set up"),
    ],
)
def test_a_variable_that_can_t_be_right_is_named_and_its_value_is_not(
    kind: Kind, name: str, value: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = f"{kind.upper()}_{name}" if name == "API_KEY" else name
    monkeypatch.setenv(f"{kind.upper()}_API_KEY", "key")
    monkeypatch.setenv(f"{kind.upper()}_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv(own, value)

    async def run() -> None:
        async with open_chat(ModelOptions(f"{kind}:x")):
            pass

    with pytest.raises(SettingsError, match=said) as raised:
        asyncio.run(run())
    assert own in raised.value.message
    assert not value or value not in raised.value.message
