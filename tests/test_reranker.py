"""Rerankers behind an endpoint, by the real client against a server on loopback."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from clew.errors import ClewError, ProviderDownError, ProviderRefusedError, SettingsError
from clew.models.reranker import RerankOptions, make_reranker
from support.fakevectors import FakeVectors, Say
from support.secrets import one_of_each

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clew.models.reranker import Reranker

TEXTS = ["def add(a, b)", "where a refund is tried again", "refund"]
PROVIDERS = ("cohere", "jina", "openai", "tei")


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., FakeVectors]]:
    """Start a server that speaks as a provider's does; its variables point to it."""
    open_ones: list[FakeVectors] = []

    def start(*script: Say, provider: str = "jina") -> FakeVectors:
        server = FakeVectors(*script).__enter__()
        server.point(monkeypatch, provider)
        open_ones.append(server)
        return server

    yield start
    for server in open_ones:
        server.__exit__()


def reranker(provider: str = "jina", **options: Any) -> Reranker:
    return make_reranker(RerankOptions(f"{provider}:test-reranker", **options))


def refused(call: Callable[[], object], kind: type[ClewError]) -> str:
    with pytest.raises(ClewError) as raised:
        call()
    assert type(raised.value) is kind
    assert "test-key" not in raised.value.message
    return raised.value.message


@pytest.mark.parametrize("provider", PROVIDERS)
def test_each_text_gets_its_score_in_the_order_of_the_texts(
    serve: Callable[..., FakeVectors], provider: str
) -> None:
    server = serve(provider=provider)
    scores = reranker(provider).scores("refund again", TEXTS)
    assert scores.dtype == np.float32
    assert scores.tolist() == pytest.approx([0.0, 0.2, 0.1])
    assert server.paths == ["/v1/rerank"]
    assert server.keys == ["test-key"]
    (body,) = server.requests
    assert body["query"] == "refund again"
    assert body["texts" if provider == "tei" else "documents"] == TEXTS
    assert reranker(provider).scores("refund", []).shape == (0,)
    assert len(server.requests) == 1, "nothing is asked about nothing"


def test_a_list_of_scores_is_read_like_an_object_of_results(
    serve: Callable[..., FakeVectors],
) -> None:
    def as_list(reply: dict[str, Any]) -> list[dict[str, Any]]:
        return [
            {"index": row["index"], "score": row["relevance_score"]} for row in reply["results"]
        ]

    serve(Say(change=as_list))
    assert reranker().scores("refund again", TEXTS).argmax() == 1


def test_a_question_is_redacted_before_it_leaves(serve: Callable[..., FakeVectors]) -> None:
    server = serve()
    for text, secret in one_of_each().values():
        reranker().scores(f"where is this used: {text} \ud800", TEXTS)
        assert secret not in server.sent


def test_openais_account_is_not_told_to_others(
    serve: Callable[..., FakeVectors], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "openais-own")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-ours")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-of-ours")
    server = serve()
    reranker().scores("refund", TEXTS)
    assert server.keys == ["test-key"]
    assert not {"openai-organization", "openai-project"} & set(server.headers[0])


@pytest.mark.parametrize(
    ("bad", "kind", "words"),
    [
        (Say(401), ProviderRefusedError, "refused the key (401): check JINA_API_KEY."),
        (Say(404), ProviderRefusedError, "was not found (404)"),
        (Say(500), ProviderDownError, "failed (500)"),
        (Say(429, headers={"Retry-After": "90"}), ProviderDownError, "over its rate limit"),
        (Say(hang=True), ProviderDownError, "did not answer in time."),
        (Say(cut=True), ProviderDownError, "broke off its reply."),
        (Say(raw=b"hello"), ProviderRefusedError, "did not answer with scores"),
        (Say(raw=b"{}"), ProviderRefusedError, "did not answer with scores"),
    ],
)
def test_what_goes_wrong_is_told_within_its_time(
    serve: Callable[..., FakeVectors], bad: Say, kind: type[ClewError], words: str
) -> None:
    serve(bad)
    said = refused(lambda: reranker(seconds=0.4).scores("refund", TEXTS), kind)
    assert said.startswith("jina:test-reranker at 127.0.0.1 ")
    assert words in said


@pytest.mark.parametrize(
    "change",
    [
        lambda reply: {"results": reply["results"][:-1]},
        lambda reply: {"results": [row | {"index": 0} for row in reply["results"]]},
        lambda reply: {"results": [row | {"index": row["index"] + 1} for row in reply["results"]]},
        lambda reply: {
            "results": [row | {"relevance_score": float("nan")} for row in reply["results"]]
        },
    ],
    ids=["too few", "one thrice", "beyond the texts", "no numbers"],
)
def test_scores_that_are_not_one_for_each_text_are_refused(
    serve: Callable[..., FakeVectors], change: Callable[[dict[str, Any]], object]
) -> None:
    serve(Say(change=change))
    said = refused(lambda: reranker().scores("refund", TEXTS), ProviderRefusedError)
    assert "of 3 texts: check JINA_BASE_URL and the model's name." in said


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("cohere:rerank-v3.5", "needs a key: set COHERE_API_KEY."),
        ("jina:x", "needs a key: set JINA_API_KEY."),
        ("openai:x", "needs an address: set OPENAI_BASE_URL to that of the server."),
        ("tei:x", "needs an address: set TEI_BASE_URL to that of the server."),
        ("tei", "is no reranker: write cohere:NAME"),
        ("cohere:", "is no reranker"),
        ("groq:x", "is no reranker"),
        ("sentence-transformers:/nowhere/at/all", "is not a folder on this machine"),
    ],
)
def test_a_name_that_can_not_be_used_says_what_to_set(
    monkeypatch: pytest.MonkeyPatch, name: str, words: str
) -> None:
    for provider in PROVIDERS:
        monkeypatch.delenv(f"{provider.upper()}_API_KEY", raising=False)
        monkeypatch.delenv(f"{provider.upper()}_BASE_URL", raising=False)
    said = refused(lambda: make_reranker(RerankOptions(name)), SettingsError)
    assert words in said


def test_a_server_of_ones_own_needs_no_key(
    serve: Callable[..., FakeVectors], monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve(provider="tei")
    server.point(monkeypatch, "tei", key=None)
    assert reranker("tei").scores("refund", TEXTS).shape == (3,)
