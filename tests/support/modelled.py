"""Asks real questions of models: providers on loopback, or scripted ones, behind real Clew."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from clew.app import Lazy
from support.asking import SHOP, a_clew, answer_of, events_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    import pytest

    from clew.app import Clew
    from clew.models.scripted import Scripted
    from clew.types import Answer, Event
    from support.fakeproviders import FakeProvider

QUESTION = "where are refunds retried?"
SEARCH = ("search_code", {"query": "retry refund"})
READ = ("read_file", {"path": "shop/refunds.py"})
ANSWER = (
    "## Answer\n\n`retry_refund` retries a refund (`shop/refunds.py:6-11`).\n\n"
    "## Evidence\n\n- `shop/refunds.py:6-11` loops over `RETRY_LIMIT`.\n"
)


def write(folder: Path, files: Mapping[str, str] = SHOP) -> Path:
    """A plain folder of source code."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def events(clew: Clew, repo: Path, question: str = QUESTION) -> list[Event]:
    """Ask, and return every event."""
    return asyncio.run(events_of(clew, question, repo))


def answer(clew: Clew, repo: Path, question: str = QUESTION) -> Answer:
    """Ask, and return the answer; the stream must have ended with it."""
    return answer_of(events(clew, repo, question))


def with_provider(
    folder: Path,
    provider: FakeProvider,
    patch: pytest.MonkeyPatch,
    research: Mapping[str, Any] | None = None,
    **model: Any,
) -> Clew:
    """Clew with the provider's model, reached by the real client library without long waits."""
    from clew.models import provided

    provider.point(patch)
    patch.setattr(provided, "FIRST_WAIT", 0.0)
    settings = {"answer": provider.model, "timeout": 5.0, "retries": 1, **model}
    return a_clew(folder, model=settings, research=dict(research or {}))


def with_scripted(
    folder: Path,
    model: Scripted,
    research: Mapping[str, Any] | None = None,
    clock: Callable[[], float] | None = None,
    **settings: Any,
) -> Clew:
    """Clew with a scripted model; everything else is as `app.build` wires it."""
    clew = a_clew(
        folder, model={"answer": "openai:scripted", **settings}, research=dict(research or {})
    )

    def parts() -> Any:
        made = made_parts()
        researcher = replace(made.answerers["research"], open_chat=model.open)
        if clock is not None:
            researcher = replace(researcher, clock=clock)
        return replace(made, answerers={**made.answerers, "research": researcher})

    made_parts = clew._parts
    clew._parts = Lazy(parts)
    return clew


def types(answer: Answer) -> set[str]:
    """The kinds of an answer's caveats."""
    return {warning.type for warning in answer.warnings}
