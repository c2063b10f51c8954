"""Where in a Markdown text there is prose, code, a block, a link's target or an address.

One pass that marks every character; it judges nothing. An address (URL, e-mail, `git@host:…`) is
marked so that nobody looks for paths inside it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

PROSE, CODE, BLOCK, TARGET, ADDRESS = range(5)

# The schemes' letters are bounded so that a long word costs no more than its length.
_ADDRESS = re.compile(
    r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s<>\"'`]+"
    r"|(?<![\w.+-])[\w.+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})+(?::[^\s<>\"'`)]+)?"
    r"|(?<!\w)(?:mailto|javascript):[^\s<>\"'`)]+"
)
_FENCE = re.compile(
    r"^[ \t>]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)?(`{3,}|~{3,})([^\n]*)$", re.MULTILINE
)
_TICKS = re.compile(r"`+")
_BLANK = re.compile(r"\n[ \t]*\n")
_LINK = re.compile(
    r"\[(?P<label>[^\[\]\n]{1,300}|[^\[\]\n]{0,300}\[[^\[\]\n]{1,40}\][^\[\]\n]{0,300})\]"
    r"\((?:<(?P<quoted>[^<>\n]{1,500})>|(?P<plain>(?:[^()\s<>]|\([^()\s]{0,100}\)){1,500}))"
    r"(?:[ \t]+\"[^\"\n]{0,200}\")?\)"
)


@dataclass(frozen=True, slots=True)
class Layout:
    """What every character of a text belongs to.

    Attributes:
        kinds: One of the constants above for each character.
        code: The contents of inline code spans, as (start, end).
        targets: The targets of links.
        links: Whole links, label and target.
    """

    kinds: bytearray
    code: tuple[tuple[int, int], ...]
    targets: tuple[tuple[int, int], ...]
    links: tuple[tuple[int, int], ...]

    def link_end(self, at: int) -> int | None:
        """The end of the link that holds a position, or None."""
        place = bisect_right(self.links, (at, len(self.kinds) + 1)) - 1
        if place >= 0 and self.links[place][0] <= at < self.links[place][1]:
            return self.links[place][1]
        return None

    def code_at(self, at: int) -> tuple[int, int] | None:
        """The inline code span whose content holds a position, or None."""
        place = bisect_right(self.code, (at, len(self.kinds) + 1)) - 1
        if place >= 0 and self.code[place][0] <= at < self.code[place][1]:
            return self.code[place]
        return None


def layout(text: str, *, block: bool = False) -> Layout:
    """Mark a text; `block` says that all of it is a piece of a code block."""
    kinds = bytearray([BLOCK if block else PROSE]) * len(text)
    code: list[tuple[int, int]] = []
    targets: list[tuple[int, int]] = []
    links: list[tuple[int, int]] = []
    if not block:
        _mark_blocks(text, kinds)
        code = _mark_code(text, kinds)
        for found in _LINK.finditer(text):
            group = "quoted" if found["quoted"] is not None else "plain"
            start, end = found.span(group)
            if kinds[found.start()] == PROSE and kinds[start] == PROSE:
                links.append(found.span())
                targets.append((start, end))
                kinds[start:end] = bytes([TARGET]) * (end - start)
    for found in _ADDRESS.finditer(text):
        start, end = found.start(), found.start() + len(found[0].rstrip(".,;:!?)]}*_"))
        kinds[start:end] = bytes([ADDRESS]) * (end - start)
    return Layout(kinds, tuple(code), tuple(targets), tuple(links))


def _mark_blocks(text: str, kinds: bytearray) -> None:
    opened: re.Match[str] | None = None
    for line in _FENCE.finditer(text):
        if opened is None:
            if not (line[1][0] == "`" and "`" in line[2]):  # ```code``` on one line is no block
                opened = line
        elif line[1].startswith(opened[1]) and not line[2].strip():
            kinds[opened.start() : line.end()] = bytes([BLOCK]) * (line.end() - opened.start())
            opened = None
    if opened is not None:
        kinds[opened.start() :] = bytes([BLOCK]) * (len(text) - opened.start())


def _mark_code(text: str, kinds: bytearray) -> list[tuple[int, int]]:
    """Pair runs of backticks of one length; a pair never spans a blank line or a block."""
    borders = [m.start() for m in _BLANK.finditer(text)]
    waiting: dict[int, list[re.Match[str]]] = {}
    runs = [m for m in _TICKS.finditer(text) if kinds[m.start()] != BLOCK]
    for run in reversed(runs):
        waiting.setdefault(len(run[0]), []).append(run)
    spans: list[tuple[int, int]] = []
    done = 0
    for run in runs:
        same = waiting[len(run[0])]
        while same and same[-1].start() <= run.start():
            same.pop()
        if run.start() < done or not same:
            continue
        close = same[-1]
        if bisect_right(borders, run.end()) == bisect_right(borders, close.start()):
            spans.append((run.end(), close.start()))
            kinds[run.end() : close.start()] = bytes([CODE]) * (close.start() - run.end())
            done = close.end()
    return spans
