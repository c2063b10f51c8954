"""Questions and answers for tests that store or show them."""

from __future__ import annotations

from typing import Any

from clew.types import (
    Answer,
    Asker,
    Caveat,
    Citation,
    Evidence,
    Question,
    Revision,
    Source,
    Usage,
)

SHA = "0123456789abcdef0123456789abcdef01234567"
URL = f"https://git.example/shop/blob/{SHA}/src/refunds.py#L3"
SOURCE = Source("shop-1a2b3c4d", "shop", "remote", "https://git.example/shop.git", "src/")
REVISION = Revision(
    id=f"{SHA}+dirty.0123456789ab",
    tree="89abcdef" * 5,
    commit=SHA,
    committed_at=1_700_000_000,
    branch="main",
    dirty=True,
    stale="could not refresh: timed out",
    synced_at=1_700_000_100.5,
    notes=("Its head names no branch.", "Two files could not be read."),
    at="release/2.x",
)
PINNED = [(SOURCE, REVISION)]


def a_question(text: str = "where are refunds retried?", **changes: Any) -> Question:
    return Question(**{"text": text, "repos": (), "asker": Asker("cli", "ada"), **changes})


def an_answer(answer_id: str, **changes: Any) -> Answer:
    """A whole answer, with something in every field."""
    span = {"source": "shop", "revision": REVISION.id, "path": "src/refunds.py"}
    fields: dict[str, Any] = {
        "id": answer_id,
        "question": "where are refunds retried?",
        "outcome": "answered",
        "text": "In `retry_refund` (src/refunds.py:10-20).",
        "citations": (
            Citation(**span, start_line=10, end_line=20, verdict="verified"),
            Citation(
                **span, start_line=3, end_line=3, verdict="repaired", note="was line 2", url=URL
            ),
        ),
        "warnings": (Caveat("stale", "As of yesterday."),),
        "revisions": {"shop": REVISION.id},
        "evidence": (
            Evidence(
                **span,
                start_line=1,
                end_line=40,
                found_by='grep "retry"',
                digest="0123456789abcdef",
                symbol="retry_refund",
            ),
        ),
        "usage": Usage(
            tool_calls=3,
            model_calls=2,
            input_tokens=900,
            output_tokens=80,
            cached_tokens=300,
            cost=0.02,
            model="openai:gpt-5-mini",
            prompt="research 1",
        ),
        "timings": {"open": 0.25, "total": 0.5},
        "mode": "extract",
        "tag": "shop",
    }
    return Answer(**{**fields, **changes})
