"""Markdown: its headings, and which of its lines are text.

A `#` in a fenced block, an indented block, a comment or the front matter is no heading.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from clew.chunks.prose import TITLE_LIMIT, Heading, Prose

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*\Z")
_SETEXT = re.compile(r" {0,3}(=+|-{2,})[ \t]*\Z")
_NO_TITLE = re.compile(r"\s*(?:[-*+>|#<]|\d+[.)]\s|`{3}|~{3}|\Z)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^`]*)\Z")
_LINK = re.compile(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
_MARKUP = re.compile(r"<[^<>]{1,200}>|\{[#.][^{}]*\}|[`*]|(?<!\w)_|_(?!\w)")
_FRONT_MATTER_LINES: Final = 200


def read_markdown(lines: Sequence[str]) -> Prose:
    """Where Markdown's headings are."""
    plain = _plain(lines)
    headings = [Heading(*found) for found in _headings(lines, plain)]
    marks = {i for i, line in enumerate(lines) if _SETEXT.match(line)}
    return Prose(headings, plain, marks, _front_matter(lines))


def _plain(lines: Sequence[str]) -> list[bool]:
    """Which lines are Markdown's own, not the inside of a fence, a comment or the front matter."""
    plain = [True] * len(lines)
    at = _front_matter(lines)
    plain[:at] = [False] * at
    fence, comment = "", False
    for index in range(at, len(lines)):
        line = lines[index]
        if fence:
            plain[index] = False
            bare = line.strip()
            if bare.startswith(fence) and not bare.strip(fence[0]):
                fence = ""
        elif comment:
            plain[index] = False
            comment = "-->" not in line
        elif match := _FENCE.match(line):
            plain[index] = False
            fence = match[1]
        elif line.lstrip().startswith("<!--") and "-->" not in line:
            plain[index] = False
            comment = True
    return plain


def _front_matter(lines: Sequence[str]) -> int:
    """How many lines at the top are metadata."""
    if lines and lines[0].rstrip() in {"---", "+++"}:
        close = {"---": ("---", "..."), "+++": ("+++",)}[lines[0].rstrip()]
        for index, line in enumerate(lines[1:_FRONT_MATTER_LINES], 1):
            if line.rstrip() in close:
                return index + 1
    return 0


def _headings(lines: Sequence[str], plain: Sequence[bool]) -> Iterator[tuple[int, int, str]]:
    """Line index, level and title of each heading."""
    for index, line in enumerate(lines):
        if not plain[index]:
            continue
        if match := _ATX.match(line):
            yield index, len(match[1]), _title(match[2] or "")
        elif _is_setext_title(lines, plain, index):
            yield index, 1 if lines[index + 1].lstrip()[0] == "=" else 2, _title(line)


def _is_setext_title(lines: Sequence[str], plain: Sequence[bool], index: int) -> bool:
    """Whether a line of text of its own is underlined."""
    if index + 1 >= len(lines) or not plain[index + 1] or _NO_TITLE.match(lines[index]):
        return False
    alone = index == 0 or not lines[index - 1].strip() or not plain[index - 1]
    return alone and _SETEXT.match(lines[index + 1]) is not None


def _title(raw: str) -> str:
    text = _MARKUP.sub("", _LINK.sub(r"\1", raw[: 4 * TITLE_LIMIT]))
    return " ".join(text.split())[:TITLE_LIMIT]
