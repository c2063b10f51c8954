"""What an answerer is: it takes a question and a scope, and yields what it finds and says.

An answerer never emits to a reader: what it says passes the sentence gate in `ask()` first. The
closing lines (caveats, commit) are not its business either; they are the same for all answerers
and stand in `closing.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

from clew.types import Caveat, Evidence, Mode, Outcome, Question, StatusEvent, ToolCallEvent, Usage

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from clew.tools.scope import Scope


OF_HISTORY = frozenset({"blame", "history"})  # tools that show what stands in no file


@dataclass(frozen=True, slots=True)
class Say:
    """A piece of the answer's Markdown, cut anywhere."""

    text: str


@dataclass(frozen=True, slots=True)
class Found:
    """Spans that a tool has shown to the answerer."""

    evidence: tuple[Evidence, ...]
    texts: tuple[str, ...] = ()  # what a tool showed that stands in no file: a commit's words


@dataclass(frozen=True, slots=True)
class Conclude:
    """The answerer's own judgement, and what the reader must know about the answer.

    Attributes:
        mode: How it was answered in the end, None when as asked.
    """

    outcome: Outcome
    caveats: tuple[Caveat, ...] = ()
    mode: Mode | None = None


# A usage is what was used so far; the last one counts, also of an answer that never came.
Step: TypeAlias = StatusEvent | ToolCallEvent | Say | Found | Usage | Conclude


class Answerer(Protocol):
    """Answers one question over one scope. The last step is a `Conclude`."""

    def answer(self, question: Question, scope: Scope) -> AsyncGenerator[Step]:
        """Yield the steps; raise a ClewError when nothing can be said. It may be closed early."""
        ...
