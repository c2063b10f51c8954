"""What readers share: blanking out what is no code, telling lines, and lists of words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

# Characters of a line that a pattern may see: what tells a line's part in its file stands there,
# and a pattern that tries many ways over a run of blanks stays quick.
LINE_CHARS: Final = 600

_VISIBLE = re.compile(r"[^\n]")


def words(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())


def clip(lines: Sequence[str]) -> list[str]:
    """The lines, each without what lies beyond `LINE_CHARS`."""
    return [line if len(line) <= LINE_CHARS else line[:LINE_CHARS] for line in lines]


def mask(text: str, pattern: re.Pattern[str]) -> str:
    """`text` with each match of `pattern` turned to blanks; every line and column stays.

    So a pattern can't match inside a string or a comment.
    """
    return pattern.sub(lambda match: _VISIBLE.sub(" ", match[0]), text)


class Lines:
    """The line numbers of a text's offsets, asked for in growing order."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lengths = [len(line) + 1 for line in lines]
        self._line, self._end = 1, self._lengths[0] if lines else 0

    def of(self, offset: int) -> int:
        """The 1-based line on which `offset` lies."""
        while offset >= self._end and self._line < len(self._lengths):
            self._end += self._lengths[self._line]
            self._line += 1
        return self._line
