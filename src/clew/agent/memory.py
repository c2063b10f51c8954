"""What the model still has before it: older results are shortened to places and findings.

Only what is sent again is shortened. The evidence itself is handed on when a tool has run, and
nothing here can touch it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from clew.models.chat import Reply, Result, Results
from clew.tools.result import clip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clew.models.chat import Message, ToolSpec
    from clew.tools.result import ToolResult

AFTER_TURN = 6  # results are kept whole up to here
EVERY = 3  # turns between two shortenings: each one costs the provider's cached prefix
KEEP = 2  # of the newest turns' results stay whole
PLACES = 12  # named in a brief
CHARS_PER_TOKEN = 3  # of code; prose has more, so this rather asks too much
_WORDS = 300  # characters of a failed call's text


def brief(result: ToolResult[object], *, several: bool = False) -> str:
    """A result in a few lines: what came back, and the places with their names.

    Args:
        result: What a tool gave.
        several: A path alone doesn't say which source it is in.
    """
    head = f"[shortened] {result.tool} {result.argument}: {result.summary}"
    if not result.ok:
        return f"{head}\n{clip(result.text, _WORDS)}"
    places = [
        f"{row.source + ':' if several else ''}{row.path}:{row.start_line}-{row.end_line} "
        f"{row.symbol}".rstrip()
        for row in result.evidence[:PLACES]
    ]
    left = len(result.evidence) - PLACES
    return "\n".join([head, *places, *([f"and {left} more"] if left > 0 else [])])


def due(turn: int) -> bool:
    """Whether older results are shortened before this turn, whatever room there is."""
    return turn > AFTER_TURN and (turn - AFTER_TURN - 1) % EVERY == 0


def shorten(messages: Sequence[Message], keep: int = KEEP) -> tuple[Message, ...]:
    """The messages with all results but those of the `keep` newest turns as their briefs."""
    with_results = [at for at, m in enumerate(messages) if isinstance(m, Results)]
    old = set(with_results[: len(with_results) - keep])
    return tuple(_short(m) if at in old else m for at, m in enumerate(messages))


def tokens(messages: Sequence[Message], system: str) -> int:
    """About how many tokens the messages are."""
    return (len(system) + sum(_size(message) for message in messages)) // CHARS_PER_TOKEN


def tool_tokens(tools: Sequence[ToolSpec]) -> int:
    """About how many tokens the tools' descriptions are."""
    return sum(len(tool.description) + len(repr(tool.parameters)) for tool in tools) // (
        CHARS_PER_TOKEN
    )


def _size(message: Message) -> int:
    if isinstance(message, Results):
        return sum(len(item.text) for item in message.items)
    if isinstance(message, Reply):
        return len(message.text) + sum(len(repr(call.arguments)) for call in message.calls)
    return len(message.text)


def _short(message: Message) -> Message:
    if not isinstance(message, Results):
        return message
    return Results(tuple(_shorter(item) for item in message.items))


def _shorter(item: Result) -> Result:
    return replace(item, text=item.brief) if len(item.brief) < len(item.text) else item
