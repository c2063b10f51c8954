"""What a composer hands back: the answer's text, the places to show, and its own judgement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from clew.answerers.writing import EXCERPT_LINES, excerpt

if TYPE_CHECKING:
    from clew.answerers.look import Looker, Place
    from clew.types import Caveat, Outcome

LONG_EXCERPT = 40  # lines, for the one place that a question asks to have explained


@dataclass(frozen=True, slots=True)
class Reply:
    """A composed answer; `evidence[0]` is its main place, shown longer when `explains`."""

    text: str
    evidence: tuple[Place, ...] = ()
    outcome: Outcome = "answered"
    caveats: tuple[Caveat, ...] = ()
    explains: bool = False

    def excerpt(self, looker: Looker, place: Place) -> str:
        """The excerpt of one of its places."""
        long = self.explains and place is self.evidence[0]
        return excerpt(looker, place, LONG_EXCERPT if long else EXCERPT_LINES)
