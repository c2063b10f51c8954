"""What people see of embedders and rerankers: one caveat when they are down, and answers still."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, cast

import pytest

from clew.doctor import examine
from clew.reads import SourceStatus
from clew.settings import Settings
from clew.surfaces.cli import reading
from support.cli import SHOP, clew
from support.fakevectors import FakeVectors, Say
from support.localmodels import static_model

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from clew.app import Clew
    from clew.doctor import Finding
    from support.cli import Ran
    from support.gitrepo import GitRepo

DOWN = Say(500)
EMBEDDER = "openai:test-embedder"


@pytest.fixture
def on_shop(git_repo: Callable[..., GitRepo], tmp_path: Path) -> Callable[..., Ran]:
    repo = git_repo(SHOP, name="shop")
    return lambda *words: clew(*words, "--repo", repo.path, "--data", tmp_path / "data")


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., FakeVectors]]:
    """Start a server that the settings name as embedder or as reranker."""
    open_ones: list[FakeVectors] = []

    def start(role: str, *script: Say) -> FakeVectors:
        server = FakeVectors(*script).__enter__()
        name = {"embed": "openai", "rerank": "jina"}[role]
        server.point(monkeypatch, name)
        monkeypatch.setenv(f"CLEW_MODEL_{role.upper()}", f"{name}:test-{role}der")
        monkeypatch.setenv("CLEW_MODEL_RETRIES", "0")
        open_ones.append(server)
        return server

    yield start
    for server in open_ones:
        server.__exit__()


# --- embedder --------------------------------------------------------------------------------


def test_an_endpoint_embeds_the_index_and_then_the_question(
    on_shop: Callable[..., Ran], serve: Callable[..., FakeVectors]
) -> None:
    server = serve("embed")
    (row,) = on_shop("index", "--json").rows()
    assert (row["embedded"], row["problem"]) == (1.0, "")
    sent = len(server.requests)
    found = on_shop("search", "retry refund", "--json", "--explain").json()
    assert found["warnings"] == []
    assert "dense" in found["results"][0]["spans"][0]["signals"]
    assert server.texts[-1] == "retry refund"
    assert len(server.requests) - sent <= 2
    (status,) = on_shop("status", "--json").rows()
    assert (status["embedder"], status["embedded"]) == ("openai:test-embedder/8", 1.0)


def test_while_the_embedder_is_down_search_goes_on_and_says_so_once(
    on_shop: Callable[..., Ran], serve: Callable[..., FakeVectors]
) -> None:
    serve("embed", DOWN)
    ran = on_shop("search", "retry refund")
    assert ran.code == 0
    assert ran.out.startswith("shop/refunds.py:")
    assert ran.err == (
        f"clew: {EMBEDDER} at 127.0.0.1 failed (500): ask again later; until that is put right, "
        "search goes by words alone.\n"
    )
    found = on_shop("search", "retry refund", "--json").json()
    assert [warning["type"] for warning in found["warnings"]] == ["words_only"]


def test_an_answer_has_one_caveat_for_it(
    on_shop: Callable[..., Ran], serve: Callable[..., FakeVectors]
) -> None:
    server = serve("embed", DOWN)
    ran = on_shop("ask", "how is a refund retried?", "--json")
    answer = ran.json()
    assert answer["outcome"] == "answered"
    assert "shop/refunds.py" in answer["text"]
    assert [w["type"] for w in answer["warnings"]].count("words_only") == 1
    assert answer["text"].count(f"{EMBEDDER} at 127.0.0.1 failed (500)") == 1
    assert len(server.requests) == 1, "one question does not wait for it again and again"


def test_indexing_tells_what_is_missing_and_does_not_fail(
    on_shop: Callable[..., Ran], serve: Callable[..., FakeVectors]
) -> None:
    serve("embed", Say(401))
    ran = on_shop("index")
    assert ran.code == 0
    assert ran.err == (
        f"clew: shop: 0 % is embedded: {EMBEDDER} at 127.0.0.1 refused the key (401): check "
        "OPENAI_API_KEY.\n"
    )
    (row,) = on_shop("index", "--json").rows()
    assert row["problem"].endswith("check OPENAI_API_KEY.")
    (status,) = on_shop("status", "--json").rows()
    assert (status["embedder"], status["problem"]) == ("unreachable", None)


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0.0, "0 % of the chunks"),
        (0.516, "51 % of the chunks"),
        (0.9999, "99 % of the chunks"),
        (1.0, "all chunks"),
    ],
)
def test_a_hundred_percent_are_only_all(
    capsys: pytest.CaptureFixture[str], share: float, said: str
) -> None:
    class Looked:
        async def status(self, *_: object) -> list[SourceStatus]:
            return [SourceStatus("s", "/s", "h", indexed="h", embedder="e", embedded=share)]

    asyncio.run(reading.status(cast("Clew", Looked()), [], skipped=False, as_json=False))
    assert f"vectors\t{said}, by e\n" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["search", "ask", "index"])
@pytest.mark.parametrize("name", ["nonsense", "openai:x", "model2vec:/nowhere/at/all"])
def test_an_embedder_that_can_not_be_used_is_a_settings_error(
    on_shop: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch, command: str, name: str
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("CLEW_MODEL_EMBED", name)
    words = [command, *(["refund"] if command != "index" else []), "--json"]
    ran = on_shop(*words)
    assert ran.code == 2
    assert ran.json()["error"]["type"] == "settings"


def test_a_model_in_a_folder_embeds_without_any_server(
    on_shop: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = static_model(tmp_path / "tiny", ("retry", "refund", "invoice", "def"))
    monkeypatch.setenv("CLEW_MODEL_EMBED", f"model2vec:{folder}")
    found = on_shop("search", "retry refund", "--json", "--explain").json()
    assert found["warnings"] == []
    assert "dense" in found["results"][0]["spans"][0]["signals"]


def test_the_settings_say_which_and_from_where_and_never_the_key(
    on_shop: Callable[..., Ran], serve: Callable[..., FakeVectors]
) -> None:
    serve("embed")
    serve("rerank")
    ran = clew("config", "--json")
    rows = {row["key"]: row for row in ran.rows()}
    assert rows["model.embed"]["value"] == EMBEDDER
    assert rows["model.rerank"]["value"] == "jina:test-rerankder"
    assert rows["model.rerank"]["origin"] == "the environment"
    assert "test-key" not in ran.out


# --- reranker --------------------------------------------------------------------------------


def test_a_reranker_takes_part_in_search_and_in_answers(
    on_shop: Callable[..., Ran], serve: Callable[..., FakeVectors]
) -> None:
    server = serve("rerank")
    found = on_shop("search", "gives money back", "--json", "--explain").json()
    spans = [span for result in found["results"] for span in result["spans"]]
    assert any(span["signals"].get("rerank") for span in spans)
    asked = len(server.requests)
    on_shop("ask", "how does it give money back?", "--json")
    assert len(server.requests) > asked


def test_when_the_reranker_is_down_the_order_stands_and_that_is_said(
    on_shop: Callable[..., Ran], serve: Callable[..., FakeVectors], monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = on_shop("search", "retry refund").out
    serve("rerank", Say(429, headers={"Retry-After": "99"}))
    ran = on_shop("search", "retry refund")
    assert (ran.code, ran.out) == (0, plain)
    assert ran.err == (
        "clew: jina:test-rerankder at 127.0.0.1 is over its rate limit (429): ask again later; "
        "the order is the one without a reranker.\n"
    )
    answer = on_shop("ask", "how is money given back?", "--json").json()
    assert [w["type"] for w in answer["warnings"]].count("not_reranked") == 1


# --- doctor ----------------------------------------------------------------------------------


def found_by_doctor(data: Path, **model: Any) -> dict[str, Finding]:
    settings = Settings.model_validate({"data": data, "model": model})
    return {finding.check: finding for finding in examine(settings)}


def test_doctor_says_whether_the_embedder_answers_and_how_much_is_embedded(
    on_shop: Callable[..., Ran], serve: Callable[..., FakeVectors], tmp_path: Path
) -> None:
    serve("embed", Say(), DOWN)
    assert on_shop("index").code == 0
    found = found_by_doctor(tmp_path / "data", embed=EMBEDDER)["embedder"]
    assert found.level == "warn"
    assert "failed (500)" in found.message
    assert "search goes by words" in found.advice
    serve("embed")
    found = found_by_doctor(tmp_path / "data", embed=EMBEDDER)["embedder"]
    assert found.level == "warn"
    assert found.message.startswith(f"{EMBEDDER} gives vectors of 8 numbers; 0 of ")
    assert "clew index" in found.advice
    on_shop("index")
    found = found_by_doctor(tmp_path / "data", embed=EMBEDDER)["embedder"]
    assert (found.level, found.advice) == ("ok", "")
    assert found.message.endswith("every chunk has one")


@pytest.mark.parametrize(
    ("model", "check", "level", "words"),
    [
        ({"embed": "none"}, "embedder", "ok", "by words and names"),
        ({"embed": "static"}, "embedder", "ok", "gives vectors of"),
        ({"embed": "nonsense"}, "embedder", "fail", "is no embedder"),
        ({}, "reranker", "ok", "none is set"),
        ({"rerank": "cohere:x"}, "reranker", "fail", "set COHERE_API_KEY"),
        ({"rerank": "nonsense"}, "reranker", "fail", "is no reranker"),
        ({"rerank": "jina:x"}, "reranker", "ok", "it was not asked"),
    ],
)
def test_doctor_says_what_is_wrong_with_the_settings(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    model: dict[str, str],
    check: str,
    level: str,
    words: str,
) -> None:
    monkeypatch.delenv("COHERE_API_KEY", raising=False)
    monkeypatch.setenv("JINA_API_KEY", "test-key")
    found = found_by_doctor(tmp_path, **model)[check]
    assert found.level == level
    assert words in found.message
    assert bool(found.advice) == (level != "ok")
