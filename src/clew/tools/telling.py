"""Which lines of a span tell most about a question, when there is room for some of them only.

The line that names a function says what it is; why it was found stands further down as often as
not. So what is shown is that line and, of those below it, the lines in a row that have most of the
question's words. Nothing here reads a source.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from clew.index.tokens import terms
from clew.search.query import analyse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

LOOKED_AT = 400  # lines of one span; what is longer is no function that anybody wrote
OPENING = 12  # lines of a span among which its name is looked for
_NAME = re.compile(r"\W+")  # what stands between the parts of a qualified name
_AGAIN = 0.1  # of what a word counts that the lines have once more


def words_of(query: str) -> frozenset[str]:
    """The terms of a question without its frame, as the index splits and stems words."""
    return frozenset(analyse(query).terms)


def telling(lines: Sequence[str], symbol: str, words: frozenset[str], room: int) -> list[int]:
    """The offsets of at most `room` lines: the one that names it, and those that say most."""
    if len(lines) <= room:
        return list(range(len(lines)))
    named = _naming(lines, symbol)
    below = lines[named + 1 : LOOKED_AT]
    start = named + 1 + _densest(below, words, min(room - 1, len(below)))
    return [named, *range(start, min(start + room - 1, len(lines)))]


def _naming(lines: Sequence[str], symbol: str) -> int:
    """The offset of the line with a definition's own name, below its decorators and comment."""
    name = _NAME.split(symbol)[-1]
    some = enumerate(lines[:OPENING]) if name else ()
    return next((at for at, line in some if name in line), 0)


def most_telling(lines: Sequence[str], words: frozenset[str]) -> int:
    """The offset of the line that says most, the first one when none says anything."""
    return _densest(lines[:LOOKED_AT], words, 1)


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


def _densest(lines: Sequence[str], words: frozenset[str], size: int) -> int:
    """Where the `size` lines with most different words begin, of those with most words at all."""
    said = [words.intersection(terms(line)) for line in lines]
    held: Counter[str] = Counter()
    best, best_at = 0.0, 0
    for at, new in enumerate(said):
        held.update(new)
        if at >= size:
            held.subtract(said[at - size])
            held += Counter()  # what is gone no longer counts
        value = len(held) + _AGAIN * held.total()
        start = at - size + 1
        if start >= 0 and value > best:
            best, best_at = value, start
    return best_at
