"""Which lines of a span tell most about a question, when there is room for some of them only.

The line that names a function says what it is; why it was found stands further down as often as
not. So what is shown is that line and, of those below it, the lines in a row that have most of the
question's words. Nothing here reads a source.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, TypeAlias

from clew.index.tokens import terms
from clew.search.query import analyse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

LOOKED_AT = 400  # lines of one span; what is longer is no function that anybody wrote
OPENING = 12  # lines of a span among which its name is looked for
_NAME = re.compile(r"\W+")  # what stands between the parts of a qualified name
_BEGUN = 4  # characters of a stem that the word begins with, too: `retri` is of `retry`
_NONE: frozenset[str] = frozenset()
_AGAIN = 0.1  # of what a word counts that the lines have once more


Said: TypeAlias = "list[frozenset[str]]"


def words_of(query: str) -> frozenset[str]:
    """The terms of a question without its frame, as the index splits and stems words."""
    return frozenset(analyse(query).terms)


def said(lines: Sequence[str], words: frozenset[str]) -> Said:
    """Which of the words each line has, as far as lines are looked at."""
    begun = [word[: max(2, min(len(word) - 1, _BEGUN))] for word in words]
    found: Said = []
    for line in lines[:LOOKED_AT]:
        low = line.casefold()
        # Most lines have none, and splitting them into terms would be most of the work.
        may = any(begin in low for begin in begun)
        found.append(words.intersection(terms(line)) if may else _NONE)
    return found


def telling(lines: Sequence[str], symbol: str, has: Said, room: int) -> list[int]:
    """The offsets of at most `room` lines: the one that names it, and those that say most.

    Args:
        lines: The whole span.
        symbol: Its qualified name, "" for none.
        has: What `said` gives for the lines.
        room: How many lines, at least one.
    """
    if len(lines) <= room:
        return list(range(len(lines)))
    named = _naming(lines, symbol)
    below = has[named + 1 :]
    start = named + 1 + _densest(below, min(room - 1, len(below)))
    return [named, *range(start, min(start + room - 1, len(lines)))]


def most_telling(has: Said) -> int:
    """The offset of the line that says most, the first one when none says anything."""
    return _densest(has, 1)


def _naming(lines: Sequence[str], symbol: str) -> int:
    """The offset of the line with a definition's own name, below its decorators and comment."""
    name = _NAME.split(symbol)[-1]
    some = enumerate(lines[:OPENING]) if name else ()
    return next((at for at, line in some if name in line), 0)


def runs(numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    """The first and last of each run of consecutive numbers."""
    first = last = -1
    for number in sorted(numbers):
        if number != last + 1:
            if last >= 0:
                yield first, last
            first = number
        last = number
    if last >= 0:
        yield first, last


def _densest(has: Said, size: int) -> int:
    """Where the `size` lines with most different words begin, of those with most words at all."""
    held: Counter[str] = Counter()
    best, best_at = 0.0, 0
    for at, new in enumerate(has):
        gone = has[at - size] if at >= size else _NONE
        held.update(new)
        held.subtract(gone)
        start = at - size + 1
        if start == 0 or (new and start > 0):  # elsewhere nothing can have become more
            value = sum(1 for count in held.values() if count) + _AGAIN * held.total()
            if value > best:
                best, best_at = value, start
    return best_at
