"""reStructuredText: its headings, and which of its lines are text.

A heading is what docutils takes for one: a line of text with a line of one repeated sign below
it, and perhaps above it. Levels are told by the order in which the signs appear. A reader of our
own, because the grammar gives titles without levels and one flat list of sections.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clew.chunks.prose import TITLE_LIMIT, Heading, Prose
from clew.chunks.readers.masks import clip

if TYPE_CHECKING:
    from collections.abc import Sequence

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*\s*\Z")
_LABEL = re.compile(r"\.\. _[^:]+:\s*\Z|\.\. (?:rst-class|highlight|index|currentmodule|module)::")
# A role or a link with a text of its own, which is what stays of it.
_TARGET = re.compile(r"(?::[\w:.+-]+:)?`([^`<]*?)\s*(?:<[^`>]*>)?`_{0,2}")
_MARKUP = re.compile(r"``|\*{1,2}|\|")


def read_rst(lines: Sequence[str]) -> Prose:
    """Where the headings of reStructuredText are."""
    lines = clip(lines)
    headings: list[Heading] = []
    levels: dict[tuple[str, bool], int] = {}
    marks: set[int] = set()
    for index, line in enumerate(lines):
        sign = _underlined(lines, index)
        if not sign:
            continue
        over = _overlined(lines, index, sign)
        level = levels.setdefault((sign, over), len(levels) + 1)
        start = index - 1 if over else index
        marks.update(range(start, index + 2))
        headings.append(Heading(_with_labels(lines, start, marks), level, _title(line)))
    return Prose(headings, _plain(lines), marks)


def _underlined(lines: Sequence[str], index: int) -> str:
    """The sign under a line when that makes it a title, else ""."""
    title = lines[index].rstrip()
    if not title or index + 1 >= len(lines) or _ADORNMENT.match(title):
        return ""
    match = _ADORNMENT.match(lines[index + 1])
    if match is None:
        return ""
    wide = len(lines[index + 1].rstrip())
    over = _overlined(lines, index, match[1])
    before = lines[index - 1].strip() if index and not over else ""
    # docutils lets a short underline pass from four signs on, with a warning.
    long_enough = wide >= min(len(title.strip()), 4)
    indented = title[0].isspace() and not over
    return match[1] if long_enough and not indented and not before else ""


def _overlined(lines: Sequence[str], index: int, sign: str) -> bool:
    above = _ADORNMENT.match(lines[index - 1]) if index else None
    if above is None or above[1] != sign or len(lines[index - 1].strip()) < 3:
        return False
    return len(lines[index - 1].rstrip()) == len(lines[index + 1].rstrip())


def _with_labels(lines: Sequence[str], start: int, marks: set[int]) -> int:
    """Where a heading begins with the link targets above it."""
    at = start
    for index in range(start - 1, max(start - 6, -1), -1):
        if _LABEL.match(lines[index]):
            at = index
            marks.add(index)
        elif lines[index].strip():
            break
    return at


def _title(raw: str) -> str:
    text = _MARKUP.sub("", _TARGET.sub(r"\1", raw[: 4 * TITLE_LIMIT]))
    return " ".join(text.split())[:TITLE_LIMIT]


def _plain(lines: Sequence[str]) -> list[bool]:
    """Which lines stand at the margin: what is indented belongs to the line above it."""
    plain = [True] * len(lines)
    inside = False
    for index in range(len(lines) - 1, -1, -1):
        if lines[index].strip():
            inside = lines[index][0].isspace()
        plain[index] = not inside
    return plain
