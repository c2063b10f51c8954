"""`ask` and `research_codebase`: one question through `ask()`, within the time that a client waits.

A long answer is handed out in pages; later pages come from the records, not from another question.
"""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from clew.errors import ClewError, InputError, NotFoundError
from clew.surfaces import wire
from clew.surfaces.mcp.doors import Wanted
from clew.surfaces.mcp.pages import fitting, page
from clew.types import DoneEvent, Question

if TYPE_CHECKING:
    from clew.app import Clew
    from clew.surfaces.mcp.doors import Doors
    from clew.surfaces.mcp.pages import Budget
    from clew.surfaces.mcp.progress import Progress
    from clew.types import Answer, Asker, Evidence

RESERVE = 0.05  # of the client's time: what it takes to hand the answer over


@dataclass(frozen=True, slots=True)
class Result:
    """What a call gives: text for a reader, the same as data, and whether it failed."""

    text: str
    data: dict[str, Any]
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Asking:
    """A question as it came, and how much may be taken for it."""

    question: Question
    seconds: float
    looked_at: bool
    cursor: str


async def answer(
    clew: Clew, doors: Doors, asking: Asking, progress: Progress, budget: Budget
) -> Result:
    """Ask, or go on with an answer that was too long for one result."""
    if asking.cursor:
        key, _, cursor = asking.cursor.partition("@")
        return _result(await _saved(clew, key, asking.question.asker), asking, budget, cursor)
    return _result(await _asked(clew, doors, asking, progress), asking, budget, "")


async def _asked(clew: Clew, doors: Doors, asking: Asking, progress: Progress) -> Answer:
    loop = asyncio.get_running_loop()
    until = loop.time() + asking.seconds * (1 - RESERVE)
    asked = asking.question
    text = "" if asked.asker.own else asked.text  # without a choice of tags, one index for all
    wanted = Wanted(asked.asker, asked.repos, asked.tag, asked.at, text)
    await doors.warm(wanted, progress, until - loop.time())
    asked = replace(asked, seconds=max(until - loop.time(), 1.0))
    async with aclosing(clew.ask(asked)) as events:
        async for event in events:
            progress(event)
            if isinstance(event, DoneEvent):
                return event.answer
    raise ClewError("The answer ended too early: ask again.")


async def _saved(clew: Clew, key: str, asker: Asker) -> Answer:
    """An answer of this asker from the records; somebody else's is as good as none.

    So is one in a tag that they may use no more.
    """
    wrong = InputError("That is no cursor of this tool: leave it out to ask the question.")
    try:
        stored = await clew.answer(key)
    except (NotFoundError, InputError):
        raise wrong from None
    found, whose = stored.answer, stored.summary.asker
    theirs = (whose.surface, whose.name) == (asker.surface, asker.name)
    if found is None or not theirs or not (asker.own or found.tag in asker.tags):
        raise wrong
    return found


def _result(found: Answer, asking: Asking, budget: Budget, cursor: str) -> Result:
    text = found.text
    if asking.looked_at:
        text = f"{text.rstrip()}\n\n## Looked at\n\n{_listed(found)}"
    cut = page(text, cursor, budget)
    following = f"{found.id}@{cut.cursor}" if cut.cursor else ""
    shown = cut.text.replace(f'cursor="{cut.cursor}"', f'cursor="{following}"') if following else ""
    data = {
        "answer_id": found.id,
        "outcome": found.outcome,
        "tag": found.tag,
        "revisions": found.revisions,
        "text": shown or cut.text,
        "citations": fitting(_cited(found), budget.places // 2),
        "warnings": fitting([wire.plain(each) for each in found.warnings], budget.places // 2),
        "cursor": following,
    }
    return Result(shown or cut.text, data)


def _cited(found: Answer) -> list[dict[str, Any]]:
    names = ("source", "path", "start_line", "end_line", "verdict")
    return [{name: getattr(cited, name) for name in names} for cited in found.citations]


def _listed(found: Answer) -> str:
    """The places that were looked at, each once, in the order of their paths."""
    several = len(found.revisions) > 1
    lines: list[str] = []
    last: Evidence | None = None
    for each in sorted(found.evidence, key=_place):
        inside = last is not None and (last.source, last.path) == (each.source, each.path)
        if last is not None and inside and each.end_line <= last.end_line:
            continue  # part of what stands there already
        name = f"{each.source}:{each.path}" if several else each.path
        symbol = f" {each.symbol}" if each.symbol else ""
        lines.append(f"- `{name}:{each.start_line}-{each.end_line}`{symbol} ({each.found_by})")
        last = each
    return "\n".join(lines or ["Nothing."]) + "\n"


def _place(each: Evidence) -> tuple[str, str, int, int]:
    return each.source, each.path, each.start_line, -each.end_line
