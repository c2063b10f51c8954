"""Decides when a model's text is its answer and may be passed on while it still comes.

Models think aloud before they call a tool. What was passed on can't be taken back, so text waits
until its heading says that it is the answer; without one it waits for the end of the turn.
"""

from __future__ import annotations

import re

HEADING = "## Answer"
_BEGINS = re.compile(r"(?m)^#{1,3}[ \t]+Answer\b")
_HEADED = re.compile(r"\s*#{1,3}[ \t]")


class Draft:
    """The text of one turn.

    Args:
        may_begin: Whether an answer may be passed on before the turn is over.
    """

    def __init__(self, *, may_begin: bool) -> None:
        self.begun = False
        self.text = ""
        self._may_begin = may_begin

    def feed(self, piece: str) -> str:
        """Take a piece; returns what may be passed on now."""
        self.text += piece
        if self.begun:
            return piece
        found = _BEGINS.search(self.text) if self._may_begin else None
        if found is None:
            return ""
        self.begun = True
        return self.text[found.start() :]

    def rest(self) -> str:
        """What was held back, as the answer that it must be; "" when all was passed on."""
        if self.begun or not self.text.strip():
            return ""
        self.begun = True
        return whole(self.text)


def whole(text: str) -> str:
    """A whole turn's text as an answer: from its heading on, which is added when it has none."""
    found = _BEGINS.search(text)
    if found is not None:
        return text[found.start() :]
    return text if _HEADED.match(text) else f"{HEADING}\n\n{text.strip()}\n"
