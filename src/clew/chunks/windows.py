"""Overlapping windows of lines, for text that no grammar or heading divides.

A window is cut before 512 tokens or 60 lines, at a blank line when one is near. A single line
that is longer stays one window: lines are the unit that citations point to.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from clew.types import Chunk

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_TOKENS: Final = 512
MAX_LINES: Final = 60
# Enough that a statement cut by one window is whole in the next.
OVERLAP_TOKENS: Final = 64
OVERLAP_LINES: Final = 8

# About what a model's tokeniser makes of code and prose: words in pieces of at most seven
# letters, digits by three, each sign alone.
_TOKEN = re.compile(r"[^\W\d_]{1,7}|\d{1,3}|[^\w\s]|_+")


def count_tokens(line: str) -> int:
    """A cheap estimate of a line's tokens; exact beyond the limit is of no use, so it stops there.

    Args:
        line: Any text.
    """
    if len(line) > MAX_TOKENS * 16:
        return MAX_TOKENS
    return len(_TOKEN.findall(line))


def chunk_windows(lines: Sequence[str]) -> tuple[Chunk, ...]:
    """Covers all lines with windows, each starting a few lines before the last one's end."""
    tokens = [count_tokens(line) for line in lines]
    found: list[Chunk] = []
    start = 0
    while start < len(lines):
        end = _window_end(lines, tokens, start)
        found.append(Chunk(start + 1, end, "window"))
        if end == len(lines):
            break
        start = _overlap_start(tokens, start, end)
    return tuple(found)


def _window_end(lines: Sequence[str], tokens: Sequence[int], start: int) -> int:
    """The exclusive end of the window that starts at `start`."""
    end, used = start, 0
    while end < len(lines) and end - start < MAX_LINES:
        used += tokens[end]
        if used > MAX_TOKENS and end > start:
            break
        end += 1
    if end == len(lines):
        return end
    # A blank line in the last quarter is a better place.
    for cut in range(end, start + (end - start) * 3 // 4, -1):
        if not lines[cut - 1].strip():
            return cut
    return end


def _overlap_start(tokens: Sequence[int], start: int, end: int) -> int:
    """Where the next window starts: behind `start`, and at most an overlap before `end`."""
    at, used = end, 0
    while at - 1 > start and end - at < OVERLAP_LINES and used + tokens[at - 1] <= OVERLAP_TOKENS:
        at -= 1
        used += tokens[at]
    return at
