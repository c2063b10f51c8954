"""What a composer hands back, and which lines of its places are shown as excerpts.

An excerpt is a run of whole lines under the citation that names exactly them. A short place is
shown whole; of a long one its head, past the comment, and the lines that hold the question's
words, each run by itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from clew.answerers.writing import fenced
from clew.index.tokens import terms

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from clew.answerers.look import Looker, Place
    from clew.types import Caveat, Outcome

EXCERPT_LINES = 16  # lines of one excerpt: a signature, its comment and the first steps
LONG_EXCERPT = 40  # lines for the one place that a question asks to have explained
HEAD_LINES = 12  # lines of a long place that are shown of its start
DOC_LINES = 8  # a docstring of more lines is cut down to its first ones
RUNS = 3  # runs of lines that hold the question's words
AROUND = 4  # lines shown around such a line


@dataclass(frozen=True, slots=True)
class Reply:
    """A composed answer; `evidence[0]` is its main place, shown longer when `explains`."""

    text: str
    evidence: tuple[Place, ...] = ()
    outcome: Outcome = "answered"
    caveats: tuple[Caveat, ...] = ()
    explains: bool = False

    def excerpts(self, looker: Looker, most: int, words: Sequence[str]) -> Iterator[str]:
        """The excerpts of its places, at most `most`, each counted as evidence."""
        told = 0
        shown: list[Place] = []
        for place in self.evidence:
            long = self.explains and place is self.evidence[0]
            for part in parts(looker, place, LONG_EXCERPT if long else EXCERPT_LINES, words):
                if told >= most:
                    return
                if any(_covers(other, part) for other in shown):
                    continue
                told += 1
                shown.append(part)
                looker.note([part], f"read_file {part.path}")
                yield fenced(looker, part, looker.lines(part))


def parts(looker: Looker, place: Place, most: int, words: Collection[str]) -> list[Place]:
    """The runs of a place's lines that are worth showing, at most about `most` lines together."""
    lines = looker.lines(place)
    if len(lines) <= most:
        return [_run(place, lines, 0, len(lines))]
    doc = _docstring(lines)
    head = min(most, HEAD_LINES)
    if doc and doc[1] - doc[0] > DOC_LINES:
        runs = [(0, doc[0] + 1), (doc[1], min(doc[1] + head, len(lines)))]
    else:
        runs = [(0, min(most if most == EXCERPT_LINES else head, len(lines)))]
    left = most - sum(end - start for start, end in runs)
    for start, end in _matching(lines, runs[-1][1], set(words)):
        if left < AROUND:
            break
        runs.append((start, min(end, start + left)))
        left -= end - start
    return [_run(place, lines, start, end) for start, end in _joined(sorted(runs)) if start < end]


def _matching(lines: Sequence[str], after: int, words: set[str]) -> list[tuple[int, int]]:
    """The runs around the lines below `after` that hold most of the words."""
    scored = [(len(words & set(terms(line))), -at) for at, line in enumerate(lines) if at >= after]
    best = [-at for score, at in sorted(scored, reverse=True)[:RUNS] if score]
    return [(max(at - AROUND // 2, after), min(at + AROUND, len(lines))) for at in best]


def _joined(runs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, end in runs:
        if joined and start <= joined[-1][1] + 1:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined


def _run(place: Place, lines: Sequence[str], start: int, end: int) -> Place:
    """Some of a place's lines, without blank ones at the ends."""
    while end - start > 1 and not lines[end - 1].strip():
        end -= 1
    while end - start > 1 and not lines[start].strip():
        start += 1
    first = place.start_line + start
    return replace(place, start_line=first, end_line=first + end - start - 1)


_QUOTES = re.compile(r"^\s*[rRuU]?(\"\"\"|''')")


def _docstring(lines: Sequence[str]) -> tuple[int, int] | None:
    """Where a docstring in a body stands: index of its first line, and of the one after it."""
    for at, line in enumerate(lines[:30]):
        if at and (found := _QUOTES.match(line)):
            if line.count(found[1]) > 1:
                return at, at + 1
            ends = (n for n in range(at + 1, len(lines)) if found[1] in lines[n])
            return at, next(ends, at) + 1
    return None


def _covers(outer: Place, inner: Place) -> bool:
    same = (outer.source, outer.path) == (inner.source, inner.path)
    return same and outer.start_line <= inner.start_line and inner.end_line <= outer.end_line
