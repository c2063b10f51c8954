"""in_time(): an answerer's steps as far as the asker waits, then what there is by then.

Somebody who gives up after a minute gets nothing out of an answer that comes in the second one.
What was found is still named, so that it can be read on from there. It says nothing that was not
found.
"""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import TYPE_CHECKING

from clew.answerers.base import Conclude, Found, Say
from clew.types import Caveat

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterable

    from clew.answerers.base import Step
    from clew.types import Evidence

NAMED = 8  # places of the evidence that are named
_EARLIER = 0.1  # of the time: an answerer that knows its limit stops by itself before it is stopped


def own_limit(seconds: float | None) -> float | None:
    """What an answerer is told of the time there is: a little less."""
    return None if seconds is None else seconds * (1 - _EARLIER)


async def in_time(
    steps: AsyncGenerator[Step], seconds: float | None, *, several: bool
) -> AsyncGenerator[Step]:
    """Yield the steps until `seconds` have passed; a Conclude is the last one in any case.

    Args:
        steps: What an answerer yields; closed in the end.
        seconds: Wall time; None for as long as it takes.
        several: Whether a path needs its source's name.
    """
    if seconds is None:
        async with aclosing(steps):
            async for step in steps:
                yield step
        return
    deadline = asyncio.get_running_loop().time() + seconds
    seen: list[Evidence] = []
    said = False
    async with aclosing(steps):
        while True:
            try:
                async with asyncio.timeout_at(deadline):
                    step = await anext(steps)
            except StopAsyncIteration:
                return
            except TimeoutError:
                break
            if isinstance(step, Found):
                seen += step.evidence
            said = said or isinstance(step, Say)
            yield step
    yield Say(_breaking_off(seen, said=said, several=several))
    yield Conclude("partial", (Caveat("time_limit", f"Time ran out after {seconds:.0f} s."),))


def _breaking_off(seen: Iterable[Evidence], *, said: bool, several: bool) -> str:
    places = dict.fromkeys(
        f"{e.source}:{e.path}:{e.start_line}-{e.end_line}"
        if several
        else f"{e.path}:{e.start_line}-{e.end_line}"
        for e in seen
    )
    named = "".join(f"- `{place}`\n" for place in list(places)[:NAMED])
    if said:
        return f"\n\n## Evidence\n\nLooked at so far:\n\n{named}\n" if named else "\n\n"
    if not named:
        return "## Answer\n\nThere was no time to find an answer.\n\n"
    return f"## Answer\n\nThere was no time to write an answer. Looked at so far:\n\n{named}\n"
