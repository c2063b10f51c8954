"""What a question may take, and what is said when it took it.

Each limit has a line of its own below which the model works freely; between that and the limit it
gets one last turn without tools, so that what was found is still written down.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from clew.types import Caveat

if TYPE_CHECKING:
    from clew.models.chat import Spent

_FREE = 0.75  # of a limit: what is left must do for the last turn


@dataclass(frozen=True, slots=True)
class Limits:
    """What one question may take at most: model turns, tokens (in and out), US dollars, seconds."""

    turns: int = 12
    tokens: int = 400_000
    cost: float = 1.0
    seconds: float = 180.0

    def last_turn(self, turn: int, spent: Spent, next_tokens: int, seconds: float) -> Caveat | None:
        """Why the coming turn must be the last, None when it needn't.

        Args:
            turn: The coming turn, from 1.
            spent: What was used so far.
            next_tokens: What the coming turn will read.
            seconds: Wall time that has passed.
        """
        if turn >= self.turns:
            return Caveat("turn_limit", f"The model used all of its {self.turns} turns.")
        if spent.tokens + next_tokens > self.tokens * _FREE:
            return self._tokens(spent)
        if (spent.cost or 0.0) > self.cost * _FREE:
            return self._cost(spent)
        return self.late() if seconds > self.seconds * _FREE else None

    def over(self, spent: Spent, next_tokens: int, seconds: float) -> Caveat | None:
        """Why there can be no turn at all any more, None when there can."""
        if spent.tokens + next_tokens > self.tokens:
            return self._tokens(spent)
        if spent.cost is not None and spent.cost >= self.cost:
            return self._cost(spent)
        return self.late() if seconds >= self.seconds else None

    def late(self) -> Caveat:
        """The note that time ran out."""
        return Caveat("time_limit", f"The time limit of {self.seconds:g} s was reached.")

    def _tokens(self, spent: Spent) -> Caveat:
        used = f"{spent.tokens:,} were used"
        return Caveat("token_limit", f"The limit of {self.tokens:,} tokens was reached ({used}).")

    def _cost(self, spent: Spent) -> Caveat:
        used = f"{spent.cost or 0.0:.2f} were spent"
        return Caveat("cost_limit", f"The limit of {self.cost:.2f} USD was reached ({used}).")
