"""A model that says what a script says, turn by turn: for tests, demos and measuring.

It needs no network and no client library, repeats exactly, and keeps every prompt it was given.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from clew.errors import ClewError
from clew.models.chat import Call, Prompt, Reply, Spent

if TYPE_CHECKING:
    from clew.models.chat import Json

Turn: TypeAlias = Reply | ClewError | Callable[[Prompt], Reply]
_PIECE = 24  # characters of one piece of streamed text
_TOKEN = 4  # characters


def say(text: str) -> Reply:
    """A turn that writes text."""
    return Reply(text)


def call(*calls: tuple[str, Json], text: str = "") -> Reply:
    """A turn that calls tools, each given by name and arguments."""
    made = tuple(Call(f"call_{at}", tool, arguments) for at, (tool, arguments) in enumerate(calls))
    return Reply(text, made, "tools")


@dataclass(slots=True)
class Scripted:
    """Replies with one turn of the script after another; the last one is repeated for ever.

    Attributes:
        script: What it says; an error among the turns is raised.
        prompts: What it was asked, in order.
    """

    script: Sequence[Turn]
    id: str = "scripted"
    context: int | None = None
    prompts: list[Prompt] = field(default_factory=list[Prompt])

    async def turn(self, prompt: Prompt) -> AsyncGenerator[str | Reply]:
        """See `Chat`."""
        at = min(len(self.prompts), len(self.script) - 1)
        self.prompts.append(prompt)
        turn = self.script[at]
        if isinstance(turn, ClewError):
            raise turn
        reply = turn if isinstance(turn, Reply) else turn(prompt)
        for start in range(0, len(reply.text), _PIECE):
            yield reply.text[start : start + _PIECE]
        spent = reply.spent if reply.spent.calls else _spent(prompt, reply)
        yield Reply(reply.text, reply.calls, reply.stop, spent)

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[Scripted]:
        """It needs no opening; this is for who opens models."""
        yield self


def _spent(prompt: Prompt, reply: Reply) -> Spent:
    """Tokens by the usual rule of thumb, so that limits can be tried and turns compared."""
    asked = len(prompt.system) + sum(len(repr(message)) for message in prompt.messages)
    said = len(reply.text) + sum(len(repr(call)) for call in reply.calls)
    return Spent(1, asked // _TOKEN, said // _TOKEN)
