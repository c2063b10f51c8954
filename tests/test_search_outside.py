"""Search with an embedder and a reranker that may fail: it goes on without them, and says so."""

from __future__ import annotations

import dataclasses
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from clew.chunks.skip import SkipRules
from clew.errors import ProviderDownError, ProviderRefusedError
from clew.index.build import BuildOptions, build
from clew.index.view import open_view
from clew.models.embedders import embedder_of
from clew.models.endpoint import Endpoint, Patience
from clew.models.remote_embedder import RemoteEmbedder
from clew.models.reranker import RerankOptions, make_reranker
from clew.search import search
from clew.search.explain import MEANINGS, reasons, words_found
from clew.search.rerank import CHARACTERS, SPANS
from clew.search.weights import RankOptions, Weights
from clew.settings.access import access
from support.fakevectors import GOOD, FakeVectors, Say
from support.searchable import SHOP, searchable
from support.snapshots import MemorySnapshot

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from clew.index.build import Progress
    from clew.index.view import View
    from clew.types import IndexReport, SearchResult

SNAPSHOT = MemorySnapshot({path: text.encode() for path, text in SHOP.items()})
QUESTION = "how are failing calls retried with backoff?"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[View]:
    with searchable(SHOP, tmp_path_factory.mktemp("shop")) as view:
        yield view


class Judge:
    """A reranker that likes some word."""

    id = "judge"

    def __init__(self, word: str) -> None:
        self.word = word
        self.asked: list[str] = []
        self.texts: list[str] = []

    def scores(self, query: str, texts: Sequence[str]) -> np.ndarray:
        self.asked.append(query)
        self.texts = list(texts)
        return np.array([-3.0 + text.count(self.word) for text in texts], np.float32)


class Failing:
    """A reranker, or an embedder, that is not to be had."""

    id = "failing"
    dims = 4

    def __init__(self, error: Exception) -> None:
        self.error = error

    def scores(self, *_: object) -> np.ndarray:
        raise self.error

    def query(self, *_: object) -> np.ndarray:
        raise self.error


def order(found: Any) -> list[tuple[str, int]]:
    return [(hit.path, span.start_line) for hit in found.hits for span in hit.spans]


# --- reranker --------------------------------------------------------------------------------


def test_a_reranker_reads_the_best_spans_and_moves_what_it_likes_up(shop: View) -> None:
    plain = search(QUESTION, [shop])
    judge = Judge("Register a handler")
    found = search(QUESTION, [shop], reranker=judge)
    assert judge.asked == [QUESTION]
    assert 1 < len(judge.texts) <= SPANS
    assert all(len(text) <= CHARACTERS for text in judge.texts)
    assert judge.texts[0].startswith("shop/payment.py\nretry_with_backoff\n")
    assert "def retry_with_backoff(call, attempts=5):" in judge.texts[0]
    before, after = (
        [hit.path for hit in each.hits].index("web/router.ts") for each in (plain, found)
    )
    assert after < before
    liked = next(h for h in found.hits if h.path == "web/router.ts").spans[0]
    assert liked.signals["rerank"] == RankOptions().rerank
    assert found.warnings == ()
    assert found.relevant == plain.relevant, "what is relevant is not for a reranker to say"


def test_a_reranker_that_finds_all_alike_changes_nothing(shop: View) -> None:
    assert order(search(QUESTION, [shop], reranker=Judge("\0"))) == order(search(QUESTION, [shop]))


def test_a_reranker_is_not_asked_about_nothing(shop: View) -> None:
    judge = Judge("x")
    assert search("zzz qqq", [shop], reranker=judge).hits == ()
    assert judge.asked == []


@pytest.mark.parametrize("kind", [ProviderDownError, ProviderRefusedError])
def test_when_a_reranker_fails_the_order_without_it_stands_and_that_is_said(
    shop: View, kind: type[Exception]
) -> None:
    failing = Failing(kind("judge:x at h did not answer in time."))
    found = search(QUESTION, [shop], reranker=failing)
    assert order(found) == order(search(QUESTION, [shop]))
    (warning,) = found.warnings
    assert warning.type == "not_reranked"
    assert warning.message == (
        "judge:x at h did not answer in time; the order is the one without a reranker."
    )


def test_a_reranker_behind_an_endpoint_orders_results(
    shop: View, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeVectors() as server:
        server.point(monkeypatch, "tei", key=None)
        reranker = make_reranker(RerankOptions("tei:any"))
        question = "put an item into the cart"
        best = search(question, [shop], reranker=reranker).hits[0].spans[0]
        assert (best.symbol, best.signals["rerank"]) == ("Cart.add", RankOptions().rerank)
        assert server.requests[0]["query"] == question


# --- embedder (acceptance C12) ---------------------------------------------------------------


@contextmanager
def remote(
    server: FakeVectors,
    monkeypatch: pytest.MonkeyPatch,
    name: str = "test-embedder",
    **options: Any,
) -> Iterator[RemoteEmbedder]:
    server.point(monkeypatch)
    patience = Patience(sleep=lambda _: None, **options)
    made = RemoteEmbedder(Endpoint(f"openai:{name}", access("openai"), patience))
    try:
        yield made
    finally:
        made.close()


BAD = [
    Say(429),
    Say(429, message="You exceeded your current quota."),
    Say(401),
    Say(500),
    Say(hang=True),
    Say(cut=True),
    Say(raw=b"hello"),
]
BAD_IDS = ["429", "quota", "401", "500", "time-out", "half a reply", "no JSON"]


@pytest.mark.parametrize("bad", BAD, ids=BAD_IDS)
def test_when_the_embedder_says_no_search_goes_by_words_and_says_why(
    shop: View, monkeypatch: pytest.MonkeyPatch, bad: Say
) -> None:
    with (
        FakeVectors(bad) as server,
        remote(server, monkeypatch, timeout=0.3, retries=0) as embedder,
    ):
        found = search(QUESTION, [shop], embedder=embedder)
    assert order(found) == order(search(QUESTION, [shop]))
    (warning,) = found.warnings
    assert warning.type == "words_only"
    assert warning.message.startswith("openai:test-embedder at 127.0.0.1")
    assert warning.message.endswith("search goes by words alone.")


def test_what_is_not_embedded_yet_is_searched_by_words(
    shop: View, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeVectors() as server, remote(server, monkeypatch) as embedder:
        found = search(QUESTION, [shop], embedder=embedder)
    assert order(found) == order(search(QUESTION, [shop]))
    (warning,) = found.warnings
    assert warning.type == "words_only"
    assert warning.message.startswith("0 % of the code is embedded so far;")


def test_sources_are_not_ranked_by_two_measures_side_by_side(tmp_path: Path) -> None:
    static = embedder_of("static")
    others = {f"copy/{path}": text for path, text in SHOP.items()}
    with (
        searchable(SHOP, tmp_path / "a", embedder=static) as one,
        searchable(others, tmp_path / "b", name="other") as other,
    ):
        found = search(QUESTION, [one, other], embedder=static)
        assert [each.type for each in found.warnings] == ["words_only"]
        assert "0 % of the code" in found.warnings[0].message
        assert not dense(found)
        assert dense(search(QUESTION, [one], embedder=static))


@dataclass
class Shop:
    """The shop's index in a folder, brought up to date as the next question does it."""

    folder: Path
    told: list[Progress] = field(default_factory=list)

    def build(self, embedder: Any) -> IndexReport:
        options = BuildOptions(rules=SkipRules(), embedder=embedder)
        return build(SNAPSHOT, self.folder / "shop.db", options, self.told.append)

    def search(self, embedder: Any) -> SearchResult:
        with open_view(self.folder / "shop.db", SNAPSHOT.source, SNAPSHOT.revision) as view:
            return search(QUESTION, [view], embedder=embedder)


def dense(found: SearchResult) -> bool:
    return any("dense" in span.signals for hit in found.hits for span in hit.spans)


@pytest.mark.parametrize("bad", BAD, ids=BAD_IDS)
def test_what_was_embedded_before_a_failure_is_kept_and_not_paid_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bad: Say
) -> None:
    monkeypatch.setattr("clew.models.remote_embedder.BATCH", 2)
    shop = Shop(tmp_path)
    with (
        FakeVectors(GOOD, GOOD, GOOD, bad) as server,
        remote(server, monkeypatch, timeout=0.3, retries=0) as embedder,
    ):
        report = shop.build(embedder)
        assert report.problem.startswith("openai:test-embedder at 127.0.0.1")
        paid = [text for body in server.requests[:3] for text in body["input"]]
        server.say(GOOD)
        found = shop.search(embedder)
        assert found.hits
        assert not dense(found)
        assert found.warnings[0].message.endswith("clew index does it in one go.")
        sent = len(server.requests)
        report = shop.build(embedder)
        assert (report.embedded, report.problem) == (1.0, "")
        again = [text for body in server.requests[sent:] for text in body["input"]]
        assert len(set(paid) & set(again)) <= 4, "of one file at most, whose rest was refused"
        found = shop.search(embedder)
        assert found.warnings == ()
        assert dense(found)


def test_progress_says_how_far_embedding_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clew.models.remote_embedder.BATCH", 2)
    shop = Shop(tmp_path)
    with FakeVectors() as server, remote(server, monkeypatch) as embedder:
        shop.build(embedder)
    told = [step for step in shop.told if step.phase == "embedding"]
    assert len(told) > 2
    assert "chunks have vectors" in told[0].message
    assert not any(step.waiting for step in told)


def test_progress_says_what_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = Shop(tmp_path)
    with (
        FakeVectors(GOOD, Say(429, headers={"Retry-After": "9"}), GOOD) as server,
        remote(server, monkeypatch) as embedder,
    ):
        assert shop.build(embedder).embedded == 1.0
    (waited,) = {step.waiting for step in shop.told if step.waiting}
    assert waited == (
        "openai:test-embedder at 127.0.0.1 is over its rate limit (429): ask again later "
        "(again in 9 s)"
    )


def test_a_model_that_changed_its_dimensions_is_embedded_anew_and_never_an_error_in_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = Shop(tmp_path)
    with FakeVectors() as server:
        with remote(server, monkeypatch) as embedder:
            shop.build(embedder)
            assert dense(shop.search(embedder))
            server.say(Say(dims=12))
            found = shop.search(embedder)
            assert found.hits
            assert "of 12 numbers where its others have 8" in found.warnings[0].message
            assert shop.build(embedder).embedded == 1.0
            found = shop.search(embedder)
            assert dense(found), "also in the process that saw the change"
            assert not found.warnings
            server.say(Say(dims=16))
            assert "of 16 numbers" in shop.search(embedder).warnings[0].message
        with remote(server, monkeypatch) as embedder:
            found = shop.search(embedder)
            assert found.hits
            assert found.warnings[0].message.startswith("0 % of the code is embedded")
            assert shop.build(embedder).embedded == 1.0
            assert dense(shop.search(embedder))


def test_another_model_is_embedded_and_the_first_is_still_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = Shop(tmp_path)
    with FakeVectors() as server:
        shop.build(None)
        for name in ("one", "other"):
            with remote(server, monkeypatch, name) as embedder:
                assert not dense(shop.search(embedder))
                assert shop.build(embedder).embedded == 1.0
                assert dense(shop.search(embedder))
        sent = len(server.requests)
        with remote(server, monkeypatch, "one") as embedder:
            assert shop.build(embedder).embedded == 1.0
        assert len(server.requests) - sent <= 1, "only its dimensions are asked for"


def test_a_text_over_the_limit_is_halved_and_embedded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = Shop(tmp_path)
    with (
        FakeVectors(Say(longest=200)) as server,
        remote(server, monkeypatch) as embedder,
    ):
        assert shop.build(embedder).embedded == 1.0
        assert dense(shop.search(embedder))


# --- why a result ranks where it does --------------------------------------------------------


def test_every_signal_has_one_meaning_and_every_meaning_a_signal() -> None:
    assert set(MEANINGS) == {field.name for field in dataclasses.fields(Weights)} | {"rerank"}
    assert len(set(MEANINGS.values())) == len(MEANINGS), "two that say the same explain nothing"


def test_the_reasons_of_a_span_add_up_to_its_score_biggest_first(shop: View) -> None:
    found = search(QUESTION, [shop], reranker=Judge("coupon"))
    for span in (span for hit in found.hits for span in hit.spans):
        listed = reasons(span)
        sizes = [abs(reason.value) for reason in listed]
        assert sizes == sorted(sizes, reverse=True)
        assert sum(reason.value for reason in listed) == pytest.approx(span.score, abs=0.002)
        assert all(reason.meaning for reason in listed)


def test_the_terms_that_occur_are_told_with_where(shop: View) -> None:
    span = search(QUESTION, [shop]).hits[0].spans[0]
    assert span.symbol == "retry_with_backoff"
    assert "name" in span.terms["backoff"]
    assert "body" in span.terms["call"]
    assert all(fields for fields in span.terms.values())
    assert set(words_found(span, QUESTION)) == {"failing", "calls", "retried", "backoff"}
    assert words_found(span, "callBackoff") == span.terms, "of several parts: as the index has them"
