"""Plain text: what looks like a heading to a reader.

That is a line with a rule below it, a line between a rule and a blank line, and a line in capitals
or with a number (`2.1 Usage`) between blank lines. A text without any is cut between paragraphs.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from clew.chunks.prose import TITLE_LIMIT, Heading, Prose
from clew.chunks.readers.masks import clip

if TYPE_CHECKING:
    from collections.abc import Sequence

_RULE = re.compile(r"\s{0,3}([=*#~^_-])\1{2,}\s*\Z")
_BIG_RULES: Final = "=*#"
_WIDE: Final = 20  # signs of a rule above a title
_NUMBERED = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,3})[.)]?[ \t]+[^\W\d_]")
_CAPITALS = re.compile(r"[A-Z][A-Z0-9 '&/,:()_-]{3,}\Z")
_HEADING_CHARS: Final = 80
_NUMBER_LEVEL: Final = 3  # below rules of both kinds


def read_text(lines: Sequence[str]) -> Prose:
    """Where a plain text has headings."""
    lines = clip(lines)
    headings: list[Heading] = []
    marks: set[int] = set()
    for index, line in enumerate(lines):
        if not line.strip() or _RULE.match(line):
            continue
        above, below = _rule(lines, index - 1), _rule(lines, index + 1)
        title = " ".join(line.split())[:TITLE_LIMIT]
        if index - 1 in marks:
            continue
        if below and not _text(lines, index - 1) and len(title) <= _HEADING_CHARS:
            start = index - 1 if above else index
            headings.append(Heading(start, _level(below), title))
            marks.update(range(start, index + 2))
        elif len(above) >= _WIDE and not _text(lines, index - 2):
            headings.append(Heading(index - 1, _level(above), title))
            marks.update((index - 1, index))
        elif (level := _bare_level(line)) and not (
            _text(lines, index - 1) or _text(lines, index + 1)
        ):
            headings.append(Heading(index, level, title))
    return Prose(headings, [True] * len(lines), marks)


def _rule(lines: Sequence[str], index: int) -> str:
    inside = 0 <= index < len(lines)
    return lines[index].strip() if inside and _RULE.match(lines[index]) else ""


def _text(lines: Sequence[str], index: int) -> bool:
    """Whether a line holds words."""
    inside = 0 <= index < len(lines)
    return inside and bool(lines[index].strip()) and not _RULE.match(lines[index])


def _level(rule: str) -> int:
    return 1 if rule[0] in _BIG_RULES else 2


def _bare_level(line: str) -> int:
    """The level of a heading without a rule, else 0."""
    text = line.rstrip()
    if len(text) > _HEADING_CHARS or text.endswith((".", ";", ",")):
        return 0
    if match := _NUMBERED.match(text):
        return _NUMBER_LEVEL + match[1].count(".")
    return _NUMBER_LEVEL if _CAPITALS.match(text) else 0
