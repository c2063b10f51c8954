"""`clew history` and `clew answer`: what was asked before, from the records."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from clew.surfaces import wire
from clew.surfaces.cli.screen import AnswerScreen
from clew.surfaces.cli.terminal import console, is_screen, one_line, table
from clew.types import CitationEvent, TextEvent

if TYPE_CHECKING:
    from clew.app import Clew
    from clew.records.rows import StoredAnswer


async def history(clew: Clew, limit: int, *, as_json: bool) -> None:
    """Print the newest questions, one a line."""
    rows = await clew.history(limit)
    if as_json:
        for row in rows:
            sys.stdout.write(wire.line(wire.past(row)) + "\n")
        return
    if not rows:
        sys.stderr.write('Nothing was asked yet: try clew ask "how are citations verified?".\n')
        return
    shown = ((r.id, _when(r.created_at), r.outcome or "unfinished", r.question) for r in rows)
    table(("id", "asked", "outcome", "question"), shown)


async def answer(clew: Clew, answer_id: str, *, as_json: bool) -> None:
    """Print a past answer as it was given."""
    stored = await clew.answer(answer_id)
    if as_json:
        sys.stdout.write(wire.line(wire.past(stored)) + "\n")
    else:
        _print(stored)


def _print(stored: StoredAnswer) -> None:
    asked = f"{_when(stored.summary.created_at)}  {one_line(stored.summary.question)}"
    if is_screen():
        console().print(asked, style="dim")
    else:
        sys.stdout.write(asked + "\n")
    sys.stdout.write("\n")
    if stored.answer is None:
        sys.stdout.write("It is still being worked on.\n")
        return
    screen = AnswerScreen()
    for citation in stored.answer.citations:
        screen.feed(CitationEvent(citation))
    screen.feed(TextEvent(stored.answer.text))
    screen.finish()
    if stored.error is not None:
        sys.stdout.write(f"It failed: {one_line(stored.error.message)}\n")


def _when(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).astimezone().strftime("%Y-%m-%d %H:%M")
