"""Divides an answer's Markdown into blocks as it arrives: headings, prose and fenced code.

Enough of CommonMark to know where a block is complete, so that it can be drawn and left alone; what
stands inside a block of prose is for a Markdown library. It draws nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})\s*([^\s`]*)[^`]*$")
_HEADING = re.compile(r"^ {0,3}(#{1,6})\s+(.*?)\s*#*$")
# The one way answers label an excerpt: a citation alone on its line.
_LABEL = re.compile(r"^`(?:[^`]+):(\d+)(?:-\d+)?`$")


@dataclass(frozen=True, slots=True)
class Block:
    """One block.

    Attributes:
        text: A heading's words, the Markdown of prose, or the lines of code without their fence.
        language: What the fence says, "" for the others.
        first_line: The number of the code's first line in its file, or None when unlabelled.
    """

    kind: Literal["heading", "prose", "code"]
    text: str
    language: str = ""
    first_line: int | None = None


class Divider:
    """Takes text in pieces of any size and gives back the blocks that are complete."""

    def __init__(self) -> None:
        self._rest = ""
        self._lines: list[str] = []
        self._fence = ""
        self._language = ""
        self._label: int | None = None

    def feed(self, text: str) -> list[Block]:
        """The blocks that the text completes."""
        *rows, self._rest = (self._rest + text).split("\n")
        return [block for row in rows for block in self._row(row)]

    def finish(self) -> list[Block]:
        """What is left, as if its end were the end of its block."""
        found = self.feed("\n") if self._rest else []
        return [*found, *(self._code() if self._fence else self._prose())]

    def _row(self, row: str) -> Iterator[Block]:
        if self._fence:
            if _closes(row, self._fence):
                yield from self._code()
            else:
                self._lines.append(row)
        elif fence := _FENCE.match(row):
            yield from self._prose()
            self._fence, self._language = fence[1], fence[2]
        elif heading := _HEADING.match(row):
            yield from self._prose()
            yield Block("heading", heading[2])
        elif row.strip():
            self._lines.append(row)
        else:
            yield from self._prose()

    def _prose(self) -> Iterator[Block]:
        if self._lines:
            text = "\n".join(self._lines)
            label = _LABEL.match(text)
            self._label = int(label[1]) if label else None
            self._lines.clear()
            yield Block("prose", text)

    def _code(self) -> Iterator[Block]:
        text = "\n".join(self._lines)
        yield Block("code", text, self._language, self._label)
        self._fence, self._language, self._label = "", "", None
        self._lines.clear()


def _closes(row: str, fence: str) -> bool:
    mark = row.strip()
    return len(mark) >= len(fence) and set(mark) == {fence[0]}
