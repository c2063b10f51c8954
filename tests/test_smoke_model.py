"""One question to a real small model, when its server is named: the protocol, never the wording.

`make smoke-model` runs it; `docs/models.md` says how. Nothing here looks at what the model says.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from clew.types import DoneEvent, StatusEvent, TextEvent
from support.asking import a_clew
from support.modelled import events, write

if TYPE_CHECKING:
    from pathlib import Path

MODEL = os.environ.get("SMOKE_MODEL", "")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not MODEL, reason="SMOKE_MODEL names no model, such as openai:NAME"),
]


@pytest.mark.parametrize("steps", ["auto", "json"])
def test_a_real_model_keeps_to_the_protocol(tmp_path: Path, steps: str) -> None:
    repo = write(tmp_path / "shop")
    settings = {"answer": MODEL, "steps": steps, "timeout": 300.0, "context": 8_192}
    clew = a_clew(tmp_path, model=settings, research={"seconds": 900.0})
    happened = events(clew, repo, "Where is a refund retried, and how often?")
    done = happened[-1]
    assert isinstance(done, DoneEvent)
    answer = done.answer
    assert any(isinstance(e, StatusEvent) and "turn 1" in e.message for e in happened)
    assert answer.usage.model_calls >= 1
    assert answer.usage.output_tokens > 0
    assert answer.usage.tool_calls >= 1
    assert answer.text == "".join(e.text for e in happened if isinstance(e, TextEvent))
    for citation in answer.citations:
        assert citation.verdict != "missing" or "[unverified" in answer.text
    if answer.mode == "extract":
        assert any(warning.type == "without_model" for warning in answer.warnings)
    clew.close()
