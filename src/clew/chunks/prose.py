"""Chunks of Markdown: sections by heading, long ones cut between paragraphs.

The chunks partition the file's lines. A `#` in a fenced block, an indented block, a comment or
the front matter is no heading. Nothing here renders Markdown or follows a link.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from clew.types import Chunk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# What a reader takes in at once, and what fits a prompt ten times over.
SECTION_CHARS: Final = 1_500
# Neighbours shorter than this share a chunk: alone they say too little.
SHORT_CHARS: Final = 200
# A table or a fenced block is kept whole up to this many lines.
BLOCK_LINES: Final = 60

PATH_SEPARATOR: Final = " > "

_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*\Z")
_SETEXT = re.compile(r" {0,3}(=+|-{2,})[ \t]*\Z")
_NO_TITLE = re.compile(r"\s*(?:[-*+>|#<]|\d+[.)]\s|`{3}|~{3}|\Z)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^`]*)\Z")
_LINK = re.compile(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
_MARKUP = re.compile(r"<[^<>]{1,200}>|\{[#.][^{}]*\}|[`*]|(?<!\w)_|_(?!\w)")
_FRONT_MATTER_LINES: Final = 200
_TITLE_LIMIT: Final = 200


@dataclass(frozen=True, slots=True)
class _Section:
    """From a heading to the next one. Lines are 0-based, `end` is exclusive."""

    start: int
    end: int
    level: int
    title: str
    path: tuple[str, ...]  # the titles above it
    size: int
    bare: bool  # nothing but its heading


def chunk_markdown(lines: Sequence[str]) -> tuple[Chunk, ...]:
    """Divides Markdown by its headings; a section's name is its title, its parents those above."""
    found: list[Chunk] = []
    plain = _plain(lines)
    for section in _merge(_sections(lines, plain)):
        cuts = _cuts(lines, plain, section)
        for start, end in zip(cuts, [*cuts[1:], section.end], strict=True):
            found.append(
                Chunk(
                    start_line=start + 1,
                    end_line=end,
                    kind="section",
                    name=section.title,
                    qualname=PATH_SEPARATOR.join(filter(None, (*section.path, section.title))),
                    parents=section.path,
                )
            )
    return tuple(found)


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
    text = _MARKUP.sub("", _LINK.sub(r"\1", raw[: 4 * _TITLE_LIMIT]))
    return " ".join(text.split())[:_TITLE_LIMIT]


def _sections(lines: Sequence[str], plain: Sequence[bool]) -> list[_Section]:
    heads = list(_headings(lines, plain))
    opening = next((i for i in range(_front_matter(lines), len(lines)) if lines[i].strip()), 0)
    if heads and heads[0][0] == opening:
        heads[0] = (0, *heads[0][1:])  # metadata belongs to the title below it
    elif lines:
        heads.insert(0, (0, 0, ""))
    ends = [head[0] for head in heads[1:]] + [len(lines)]
    found: list[_Section] = []
    above: list[tuple[int, str]] = []
    for (start, level, title), end in zip(heads, ends, strict=True):
        while above and above[-1][0] >= level:
            above.pop()
        path = tuple(name for _, name in above if name)
        size = sum(len(line) + 1 for line in lines[start:end])
        bare = not any(line.strip() and not _SETEXT.match(line) for line in lines[start + 1 : end])
        found.append(_Section(start, end, level, title, path, size, bare=bare and level > 0))
        above.append((level, title))
    return found


def _merge(sections: Sequence[_Section]) -> list[_Section]:
    """Joins short neighbours: siblings, a parent and its child; a lone heading and the next."""
    merged: list[_Section] = []
    for section in sections:
        last = merged[-1] if merged else None
        if last is None or not _belongs(last, section):
            merged.append(section)
            continue
        # A heading without text gives its place in the path to the section that has some.
        named = section if last.bare or not last.title else last
        merged[-1] = replace(
            named,
            start=last.start,
            end=section.end,
            size=last.size + section.size,
            bare=last.bare and section.bare,
        )
    return merged


def _belongs(last: _Section, section: _Section) -> bool:
    child = section.level > last.level and section.path[: len(last.path)] == last.path
    if last.bare:
        return child
    sibling = section.level == last.level and section.path == last.path
    return (child or sibling) and last.size < SHORT_CHARS and section.size < SHORT_CHARS


def _cuts(lines: Sequence[str], plain: Sequence[bool], section: _Section) -> list[int]:
    """Where the parts of a section start: one, unless it is long."""
    cuts = [section.start]
    if section.size <= SECTION_CHARS * 4 // 3:
        return cuts
    size = 0
    for start, end in _blocks(lines, plain, section):
        block = sum(len(line) + 1 for line in lines[start:end])
        if size and size + block > SECTION_CHARS and start > cuts[-1]:
            cuts.append(start)
            size = 0
        size += block
    return cuts


def _blocks(
    lines: Sequence[str], plain: Sequence[bool], section: _Section
) -> Iterator[tuple[int, int]]:
    """Paragraphs, lists' parts and fenced blocks, each with the blank lines after it."""
    start = section.start
    for index in range(section.start + 1, section.end):
        after_blank = not lines[index - 1].strip() and lines[index].strip()
        boundary = plain[index] or plain[index - 1]  # never inside a fence
        # The heading's line and a lead-in that ends in a colon stay with what they introduce.
        lead = lines[index - 2].rstrip().endswith(":") if index - 2 > section.start else True
        long = index - start >= BLOCK_LINES
        if (after_blank and boundary and not lead) or long:
            yield start, index
            start = index
    yield start, section.end
