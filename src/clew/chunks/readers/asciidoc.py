"""AsciiDoc: its headings, and which of its lines are text.

A heading is a line of `=` and a title, or a title with a line of about its length below it. What
stands in a delimited block is no heading. A reader of our own, because the grammar doesn't know
the second kind, in which much older documentation is written.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from clew.chunks.prose import TITLE_LIMIT, Heading, Prose
from clew.chunks.readers.masks import clip

if TYPE_CHECKING:
    from collections.abc import Sequence

_LINE = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*?)(?:[ \t]+\1)?[ \t]*\Z")
_UNDERLINE = re.compile(r"(=|-|~|\^|\+)\1{2,}[ \t]*\Z")
_LEVELS: Final = "=-~^+"
_DELIMITER = re.compile(
    r"(-{4,}|\.{4,}|/{4,}|\+{4,}|={4,}|\*{4,}|_{4,}|\|={3,}|`{3}\S*|--)[ \t]*\Z"
)
# Blocks in which nothing is a heading; an example or a sidebar has text in it.
_LITERAL: Final = "-./+`|"
_ATTRIBUTE = re.compile(r"\[.*\][ \t]*\Z|\.[^\s.].*\Z|:[\w-]+:|//(?!/)")
_MARKUP = re.compile(r"\{[\w-]+\}|[`*#]|(?<!\w)_|_(?!\w)|<<|>>|\[\[[^\]]*\]\]")
_SLACK: Final = 2  # signs by which an underline may be shorter or longer than its title


def read_asciidoc(lines: Sequence[str]) -> Prose:
    """Where AsciiDoc's headings are."""
    lines = clip(lines)
    plain = [True] * len(lines)
    headings: list[Heading] = []
    marks: set[int] = set()
    fence = ""
    for index, line in enumerate(lines):
        if fence:
            plain[index] = False
            if line.rstrip() == fence:
                fence = ""
        elif index - 1 in marks:
            continue  # the underline of a title
        elif match := _LINE.match(line):
            start = _with_attributes(lines, index, marks)
            headings.append(Heading(start, len(match[1]), _title(match[2])))
        elif level := _underlined(lines, index):
            start = _with_attributes(lines, index, marks)
            headings.append(Heading(start, level, _title(line)))
            marks.update((index, index + 1))
        elif (match := _DELIMITER.match(line)) and line[0] in _LITERAL and len(match[1]) > 2:
            plain[index] = False
            fence = "```" if line[0] == "`" else line.rstrip()
    return Prose(headings, plain, marks)


def _underlined(lines: Sequence[str], index: int) -> int:
    """The level of a title with a line below it, else 0."""
    title = lines[index].rstrip()
    if index + 1 >= len(lines) or not title or not title[0].isalnum():
        return 0
    match = _UNDERLINE.match(lines[index + 1])
    if match is None or abs(len(match[0].rstrip()) - len(title)) > _SLACK:
        return 0
    before = lines[index - 1] if index else ""
    alone = not before.strip() or _ATTRIBUTE.match(before)
    return _LEVELS.index(match[1]) + 1 if alone else 0


def _with_attributes(lines: Sequence[str], index: int, marks: set[int]) -> int:
    """Where a heading begins with the anchors and attributes right above it."""
    while index and _ATTRIBUTE.match(lines[index - 1]) and lines[index - 1][0] == "[":
        index -= 1
        marks.add(index)
    return index


def _title(raw: str) -> str:
    return " ".join(_MARKUP.sub("", raw[: 4 * TITLE_LIMIT]).split())[:TITLE_LIMIT]
