"""Chunks of prose: sections by heading, long ones cut between paragraphs.

A reader of a format (Markdown, reStructuredText, AsciiDoc, plain text) says where its headings
are; the chunks partition the file's lines. Nothing here renders anything or follows a link.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from clew.types import Chunk

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

# What a reader takes in at once, and what fits a prompt ten times over.
SECTION_CHARS: Final = 1_500
# Neighbours shorter than this share a chunk: alone they say too little.
SHORT_CHARS: Final = 200
# A table or a fenced block is kept whole up to this many lines.
BLOCK_LINES: Final = 60

PATH_SEPARATOR: Final = " > "
TITLE_LIMIT: Final = 200


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: the 0-based index of its first line, its level from 1, its title as plain text."""

    line: int
    level: int
    title: str


@dataclass(frozen=True, slots=True)
class Prose:
    """What a reader finds in a file of prose.

    Attributes:
        headings: In the order of lines.
        plain: For each line whether it is text of its own, not the inside of a block (code, a
            table) that had better stay whole.
        marks: Lines (0-based) of headings that hold no text, such as underlines.
        opening: The first line that is text; lines before it are metadata.
    """

    headings: Sequence[Heading]
    plain: Sequence[bool]
    marks: Collection[int] = ()
    opening: int = 0


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


def chunk_prose(lines: Sequence[str], prose: Prose) -> tuple[Chunk, ...]:
    """Divides prose by its headings; a section's name is its title, its parents those above."""
    found: list[Chunk] = []
    for section in _merge(_sections(lines, prose)):
        cuts = _cuts(lines, prose.plain, section)
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


def _sections(lines: Sequence[str], prose: Prose) -> list[_Section]:
    heads = [(one.line, one.level, one.title) for one in prose.headings]
    opening = next((i for i in range(prose.opening, len(lines)) if lines[i].strip()), 0)
    if heads and heads[0][0] == opening:
        heads[0] = (0, *heads[0][1:])  # metadata belongs to the title below it
    elif lines:
        heads.insert(0, (0, 0, ""))
    ends = [head[0] for head in heads[1:]] + [len(lines)]
    marks = prose.marks
    found: list[_Section] = []
    above: list[tuple[int, str]] = []
    for (start, level, title), end in zip(heads, ends, strict=True):
        while above and above[-1][0] >= level:
            above.pop()
        path = tuple(name for _, name in above if name)
        size = sum(len(line) + 1 for line in lines[start:end])
        bare = not any(lines[i].strip() and i not in marks for i in range(start + 1, end))
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
