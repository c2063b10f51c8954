"""What a missing package, a price table and a leaving listener mean for a model."""

from __future__ import annotations

import asyncio
import sys
import time
from contextlib import aclosing
from typing import TYPE_CHECKING

import pytest

from clew.agent.draft import Draft
from clew.errors import SettingsError
from clew.models.gateway import ModelOptions, open_chat
from clew.types import StatusEvent
from support.asking import a_question
from support.fakeproviders import FakeProvider, Turn, call, say
from support.modelled import ANSWER, QUESTION, SEARCH, answer, with_provider, write

if TYPE_CHECKING:
    from pathlib import Path


def test_without_the_extra_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [n for n in sys.modules if n.startswith(("clew.models.provided", "pydantic_ai"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)

    async def run() -> None:
        async with open_chat(ModelOptions("openai:x")):
            pass

    with pytest.raises(SettingsError, match=r"clew\[models\]"):
        asyncio.run(run())


def test_a_known_models_price_is_counted_and_an_unknown_ones_is_not_guessed() -> None:
    from pydantic_ai.messages import ModelResponse, TextPart
    from pydantic_ai.usage import RequestUsage

    from clew.models.provided import _cost

    def response(model: str, provider: str, url: str) -> ModelResponse:
        usage = RequestUsage(input_tokens=1_000_000, output_tokens=0)
        made = {"model_name": model, "provider_name": provider, "provider_url": url}
        return ModelResponse([TextPart("x")], usage=usage, **made)

    known = _cost(response("gpt-4o-mini", "openai", "https://api.openai.com/v1"))
    assert known == pytest.approx(0.15)
    own = response("my-own", "openai-compatible", "http://127.0.0.1:1/v1")
    assert _cost(own) is None


def test_usage_is_asked_for_in_a_stream(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeProvider("openai", call(SEARCH), say(ANSWER)) as provider:
        clew = with_provider(tmp_path, provider, monkeypatch)
        answer(clew, write(tmp_path / "shop"))
        clew.close()
    assert provider.requests[0]["stream_options"] == {"include_usage": True}
    assert "max_tokens" in provider.requests[0]


def test_who_leaves_while_a_model_hangs_is_let_go_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = write(tmp_path / "shop")

    async def leave() -> float:
        async with aclosing(clew.ask(a_question(QUESTION, repo))) as events:
            async for event in events:
                if isinstance(event, StatusEvent) and "turn 1" in event.message:
                    break
            hanging = asyncio.ensure_future(anext(events))
            await asyncio.to_thread(provider.asked.wait, 30)
            begun = time.monotonic()
            hanging.cancel()
            await asyncio.wait([hanging])
        return time.monotonic() - begun

    with FakeProvider("openai", Turn(hang=True)) as provider:
        clew = with_provider(tmp_path, provider, monkeypatch, timeout=60.0)
        assert asyncio.run(leave()) < 5
        clew.close()


def test_an_answer_is_passed_on_from_its_heading_while_it_comes() -> None:
    draft = Draft(may_begin=True)
    pieces = ["I will look.", "\n\n## Ans", "wer\n\nIt is", " there."]
    assert [draft.feed(piece) for piece in pieces] == ["", "", "## Answer\n\nIt is", " there."]
    waiting = Draft(may_begin=False)
    assert [waiting.feed(piece) for piece in pieces] == ["", "", "", ""]
    assert waiting.text == "".join(pieces)
