"""Embedders behind an endpoint: the real client against a server on loopback that can be bad."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from clew.errors import (
    ClewError,
    ContextFullError,
    ProviderDownError,
    ProviderRefusedError,
    SettingsError,
)
from clew.models.endpoint import Endpoint, Patience
from clew.models.remote_embedder import BATCH, BATCH_CHARS, MAX_CHARS, RemoteEmbedder
from clew.models.text_embedder import make_text_embedder
from clew.settings.access import access
from support.fakevectors import DIMS, GOOD, FakeVectors, Say, vector
from support.secrets import one_of_each

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NAME = "openai:test-embedder"
Serve = "Callable[..., FakeVectors]"


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., FakeVectors]]:
    """Start a server with a script; OpenAI's variables point to it."""
    open_ones: list[FakeVectors] = []

    def start(*script: Say) -> FakeVectors:
        server = FakeVectors(*script).__enter__()
        server.point(monkeypatch)
        open_ones.append(server)
        return server

    yield start
    for server in open_ones:
        server.__exit__()


@pytest.fixture
def embedder(request: pytest.FixtureRequest) -> Iterator[Callable[..., RemoteEmbedder]]:
    """Make embedders that wait for nothing; `waits` keeps the seconds that they would have."""
    made: list[RemoteEmbedder] = []

    def make(waits: list[float] | None = None, **options: Any) -> RemoteEmbedder:
        patience = Patience(sleep=[].append if waits is None else waits.append, **options)
        made.append(RemoteEmbedder(Endpoint(NAME, access("openai"), patience)))
        return made[-1]

    yield make
    for each in made:
        each.close()


def refused(call: Callable[[], object], kind: type[ClewError]) -> str:
    with pytest.raises(ClewError) as raised:
        call()
    assert type(raised.value) is kind
    assert raised.value.message.count(". ") == 0, "one sentence"
    assert "test-key" not in raised.value.message
    return raised.value.message


# --- what goes well --------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["float", "base64"])
def test_texts_become_rows_of_length_one_in_their_order(
    serve: Callable[..., FakeVectors], embedder: Callable[..., RemoteEmbedder], form: Any
) -> None:
    server = serve(Say(form=form))
    texts = [f"def f{at}(): return {'x' * at}" for at in range(20)]
    rows = embedder().embed(texts)
    assert rows.dtype == np.float32
    assert rows.shape == (20, DIMS)
    assert np.allclose(rows, [vector(text) for text in texts], atol=1e-6)
    assert server.paths == ["/v1/embeddings"]
    assert server.keys == ["test-key"]
    assert server.requests[0]["model"] == "test-embedder"


def test_rows_that_come_in_another_order_are_put_back(
    serve: Callable[..., FakeVectors], embedder: Callable[..., RemoteEmbedder]
) -> None:
    serve(Say(change=lambda reply: reply | {"data": reply["data"][::-1]}))
    texts = ["one", "two and more", "three"]
    assert np.allclose(embedder().embed(texts), [vector(text) for text in texts], atol=1e-6)


def test_requests_are_bounded_by_count_and_by_characters(
    serve: Callable[..., FakeVectors], embedder: Callable[..., RemoteEmbedder]
) -> None:
    server = serve()
    texts = [f"text {at}" for at in range(BATCH + 5)] + [f"{at}" * 20_000 for at in range(1, 8)]
    rows = embedder().embed(texts)
    assert np.allclose(rows, [vector(text) for text in texts], atol=1e-6)
    assert server.texts == texts, "each is sent once"
    for body in server.requests:
        assert len(body["input"]) <= BATCH
        assert sum(map(len, body["input"])) <= BATCH_CHARS


def test_the_dimensions_are_learned_from_the_first_reply_and_stand_in_the_id(
    serve: Callable[..., FakeVectors], embedder: Callable[..., RemoteEmbedder]
) -> None:
    server = serve(Say(dims=12))
    made = embedder()
    made.embed(["a"])
    assert (made.dims, made.id) == (12, "openai:test-embedder/12")
    assert len(server.requests) == 1, "nothing is asked for what is known"
    assert embedder().id == "openai:test-embedder/12", "or asked for when it isn't"
    assert made.embed([]).shape == (0, 12)


def test_a_question_is_redacted_before_it_leaves(
    serve: Callable[..., FakeVectors], embedder: Callable[..., RemoteEmbedder]
) -> None:
    server = serve()
    for text, secret in one_of_each().values():
        assert embedder().query(f"where is this used: {text}", ["where"]).shape == (DIMS,)
        assert secret not in "".join(server.texts)
    assert all(text.startswith("where is this used") for text in server.texts)


def test_texts_that_a_server_would_choke_on_are_sent_as_it_takes_them(
    serve: Callable[..., FakeVectors], embedder: Callable[..., RemoteEmbedder]
) -> None:
    server = serve()
    rows = embedder().embed(["", " \n", "half \ud800 a letter", "x" * (MAX_CHARS + 10)])
    assert rows.shape == (4, DIMS)
    assert server.texts[:3] == [".", ".", "half ? a letter"]
    assert len(server.texts[3]) == MAX_CHARS


def test_a_server_of_ones_own_needs_no_key_and_openais_does(
    serve: Callable[..., FakeVectors], monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve()
    server.point(monkeypatch, key=None)
    made = make_text_embedder(NAME)
    assert made.dims == DIMS
    monkeypatch.delenv("OPENAI_BASE_URL")
    said = refused(lambda: make_text_embedder(NAME), SettingsError)
    assert said == f"{NAME} needs a key: set OPENAI_API_KEY."


# --- too much at a time ----------------------------------------------------------------------


def test_a_text_that_is_too_long_is_halved_until_it_fits(
    serve: Callable[..., FakeVectors], embedder: Callable[..., RemoteEmbedder]
) -> None:
    server = serve(Say(longest=1_000))
    long = "".join(chr(97 + at % 26) for at in range(3_000))
    rows = embedder().embed(["short", long, "also short"])
    expected = [vector("short"), vector(long[:750]), vector("also short")]
    assert np.allclose(rows, expected, atol=1e-6)
    again = embedder().embed([long])
    assert np.allclose(again[0], rows[1]), "the same text gives the same vector, wherever it stands"
    assert server.requests


def test_a_server_that_takes_fewer_texts_gets_fewer(
    serve: Callable[..., FakeVectors], embedder: Callable[..., RemoteEmbedder]
) -> None:
    serve(Say(most=4))
    texts = [f"text number {at}" for at in range(19)]
    assert np.allclose(embedder().embed(texts), [vector(text) for text in texts], atol=1e-6)


def test_a_server_that_finds_everything_too_long_is_not_asked_for_ever(
    serve: Callable[..., FakeVectors], embedder: Callable[..., RemoteEmbedder]
) -> None:
    server = serve(Say(longest=0))
    said = refused(lambda: embedder().embed(["y" * 5_000]), ContextFullError)
    assert said.endswith("takes less than this at a time (400).")
    assert len(server.requests) < 10


# --- what goes wrong -------------------------------------------------------------------------


def test_a_key_that_is_refused_is_told_and_not_sent_again(
    serve: Callable[..., FakeVectors], embedder: Callable[..., RemoteEmbedder]
) -> None:
    server = serve(Say(401))
    said = refused(lambda: embedder().embed(["a"]), ProviderRefusedError)
    assert said == f"{NAME} at 127.0.0.1 refused the key (401): check OPENAI_API_KEY."
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("asked", "waited"),
    [("7", 7.0), ("0", 0.0), ("", 0.5), ("soon", 0.5)],
)
def test_over_its_rate_it_is_asked_again_after_the_wait_that_it_asks_for(
    serve: Callable[..., FakeVectors],
    embedder: Callable[..., RemoteEmbedder],
    asked: str,
    waited: float,
) -> None:
    server = serve(Say(429, headers={"Retry-After": asked} if asked else {}), GOOD)
    waits: list[float] = []
    told: list[str] = []
    rows = embedder(waits).embed(["a", "b"], told=told.append)
    assert rows.shape == (2, DIMS)
    assert waits == [waited]
    assert len(server.requests) == 2
    assert "is over its rate limit (429)" in told[0], "progress says what it waits for"
    assert f"again in {waited:.0f} s" in told[0]


def test_a_wait_may_be_a_date(
    serve: Callable[..., FakeVectors], embedder: Callable[..., RemoteEmbedder]
) -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=20), usegmt=True)
    serve(Say(429, headers={"Retry-After": date}), GOOD)
    waits: list[float] = []
    embedder(waits).embed(["a"])
    assert 0 < waits[0] <= 20


def test_a_wait_that_is_too_long_is_not_waited_for(
    serve: Callable[..., FakeVectors], embedder: Callable[..., RemoteEmbedder]
) -> None:
    server = serve(Say(429, headers={"Retry-After": "3600"}))
    waits: list[float] = []
    said = refused(lambda: embedder(waits).embed(["a"]), ProviderDownError)
    assert "over its rate limit (429)" in said
    assert (waits, len(server.requests)) == ([], 1)


def test_a_quota_that_is_used_up_is_not_asked_again(
    serve: Callable[..., FakeVectors], embedder: Callable[..., RemoteEmbedder]
) -> None:
    words = "You exceeded your current quota, please check your plan and billing details."
    server = serve(Say(429, message=words))
    said = refused(lambda: embedder().embed(["a"]), ProviderDownError)
    assert "the quota is used up (429)" in said
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (Say(500), "failed (500): ask again later."),
        (Say(503), "failed (503): ask again later."),
        (Say(hang=True), "did not answer in time."),
        (Say(cut=True), "broke off its reply."),
    ],
    ids=["500", "503", "time-out", "half a reply"],
)
def test_what_may_pass_is_tried_again_and_then_told(
    serve: Callable[..., FakeVectors],
    embedder: Callable[..., RemoteEmbedder],
    bad: Say,
    words: str,
) -> None:
    server = serve(bad, bad, GOOD)
    assert embedder(timeout=0.3).embed(["a"]).shape == (1, DIMS)
    assert len(server.requests) == 3
    serve(bad)
    said = refused(lambda: embedder(timeout=0.3).embed(["a"]), ProviderDownError)
    assert said == f"{NAME} at 127.0.0.1 {words}"


def test_who_has_little_time_gets_what_there_is_time_for(
    serve: Callable[..., FakeVectors], embedder: Callable[..., RemoteEmbedder]
) -> None:
    serve(Say(429, headers={"Retry-After": "7"}))
    waits: list[float] = []
    refused(lambda: embedder(waits).embed(["a"], seconds=3), ProviderDownError)
    assert waits == []
    serve(Say(hang=True))
    said = refused(lambda: embedder(waits).embed(["a"], seconds=0.2), ProviderDownError)
    assert said.endswith("did not answer in time.")


def test_a_server_that_is_not_there_is_told(
    monkeypatch: pytest.MonkeyPatch, embedder: Callable[..., RemoteEmbedder]
) -> None:
    with FakeVectors() as server:
        server.point(monkeypatch)
        made = embedder(retries=0)
    said = refused(lambda: made.embed(["a"]), ProviderDownError)
    assert said.endswith("can't be reached: check the network and OPENAI_BASE_URL.")


def _without_last(reply: dict[str, Any]) -> dict[str, Any]:
    return reply | {"data": reply["data"][:-1]}


def _all_the_first(reply: dict[str, Any]) -> dict[str, Any]:
    return reply | {"data": [row | {"index": 0} for row in reply["data"]]}


def _with(value: Any) -> Callable[[dict[str, Any]], object]:
    def change(reply: dict[str, Any]) -> object:
        return reply | {"data": [*reply["data"][:-1], reply["data"][-1] | {"embedding": value}]}

    return change


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (Say(change=_without_last), "gave 1 vectors for 2 texts."),
        (Say(change=_all_the_first), "did not answer with embeddings"),
        (Say(change=_with([0.5] * 7)), "gave vectors of different sizes."),
        (Say(change=_with([float("nan")] * DIMS)), "gave a vector that is no direction"),
        (Say(change=_with([float("inf")] * DIMS)), "gave a vector that is no direction"),
        (Say(change=_with([0.0] * DIMS)), "gave a vector that is no direction"),
        (Say(change=_with("not base64!")), "did not answer with embeddings"),
        (Say(change=_with("AAAA")), "did not answer with embeddings"),
        (Say(change=_with(None)), "did not answer with embeddings"),
        (Say(change=lambda reply: {"data": []}), "gave 0 vectors for 2 texts."),
        (Say(change=lambda reply: []), "did not answer with embeddings"),
        (Say(raw=b""), "did not answer with embeddings"),
        (Say(raw=b"<html>hello</html>", headers={"Content-Type": "text/html"}), "did not answer"),
        (Say(raw=b'{"data": [{"index": 0, "embed'), "did not answer with embeddings"),
    ],
)
def test_a_reply_that_is_not_what_was_asked_for_is_refused(
    serve: Callable[..., FakeVectors],
    embedder: Callable[..., RemoteEmbedder],
    bad: Say,
    words: str,
) -> None:
    server = serve(bad)
    said = refused(lambda: embedder().embed(["a", "b"]), ProviderRefusedError)
    assert words in said
    assert said.startswith(f"{NAME} at 127.0.0.1 ")
    assert len(server.requests) == 1, "it would be paid for again"


def refused_as_changed(call: Callable[[], object]) -> str:
    with pytest.raises(ProviderDownError) as raised:
        call()
    return raised.value.message


def test_a_reply_of_another_size_than_before_is_refused_and_later_ones_are_another_model_s(
    serve: Callable[..., FakeVectors], embedder: Callable[..., RemoteEmbedder]
) -> None:
    serve(GOOD, Say(dims=DIMS + 1))
    made = embedder()
    made.embed(["a"])
    said = refused_as_changed(lambda: made.query("b", []))
    assert "gave vectors of 9 numbers where its others have 8" in said
    assert (made.dims, made.id) == (9, "openai:test-embedder/9")
    assert made.query("b", []).shape == (9,)


def test_who_was_told_the_old_size_never_gets_vectors_of_the_new_one(
    serve: Callable[..., FakeVectors], embedder: Callable[..., RemoteEmbedder]
) -> None:
    serve(GOOD, Say(dims=DIMS + 1))
    made = embedder()
    assert made.id.endswith("/8")
    with ThreadPoolExecutor(1) as other:
        other.submit(refused_as_changed, lambda: made.query("b", [])).result()
        assert other.submit(made.query, "b", []).result().shape == (9,)
    for call in (lambda: made.query("b", []), lambda: made.embed(["b"])):
        assert "of 9 numbers where its others have 8" in refused_as_changed(call)
    assert made.id.endswith("/9")
    assert made.query("b", []).shape == (9,)


def test_a_question_does_not_wait_for_long(
    serve: Callable[..., FakeVectors],
    embedder: Callable[..., RemoteEmbedder],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from clew.models import remote_embedder

    monkeypatch.setattr(remote_embedder, "QUERY_SECONDS", 0.2)
    server = serve(Say(hang=True))
    said = refused(lambda: embedder(retries=9).query("where?", []), ProviderDownError)
    assert said.endswith("did not answer in time.")
    assert len(server.requests) == 1


def test_a_server_that_failed_a_question_is_not_asked_again_at_once(
    serve: Callable[..., FakeVectors],
    embedder: Callable[..., RemoteEmbedder],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from clew.models import remote_embedder

    server = serve(Say(500), GOOD)
    made = embedder(retries=0)
    first = refused(lambda: made.query("where?", []), ProviderDownError)
    assert refused(lambda: made.query("when?", []), ProviderDownError) == first
    assert refused(lambda: made.id, ProviderDownError) == first
    assert len(server.requests) == 1, "ten tools that search don't wait for it ten times"
    monkeypatch.setattr(remote_embedder, "DOWN_SECONDS", 0.0)
    server.say(Say(500), GOOD)
    later = embedder(retries=0)
    refused(lambda: later.query("where?", []), ProviderDownError)
    assert later.query("when?", []).shape == (DIMS,), "but later it is"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("openai:", "is no embedder: write static"),
        ("text-embedding-3-small", "is no embedder"),
        ("groq:x", "is no embedder"),
        ("model2vec:/nowhere/at/all", "is not a folder on this machine"),
        ("sentence-transformers:some/model", "since Clew downloads none"),
    ],
)
def test_a_name_that_can_not_be_used_says_how_to_write_one(name: str, words: str) -> None:
    assert words in refused(lambda: make_text_embedder(name), SettingsError)
