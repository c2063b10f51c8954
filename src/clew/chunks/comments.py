"""Comments: which lines belong to the definition below them, and what they say as plain text.

Nothing here keeps markers, licences apart from prose, or more than a few sentences: a doc text
helps to find and to explain a definition, the file itself stays the reference.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tree_sitter import Node

    from clew.chunks.document import Document

DOC_LIMIT: Final = 600  # characters: a summary and its first paragraph, not the manual

_MARKER = re.compile(
    r"^\s*(?:/{2,}|/\*\*?|\*(?!/)|\*/|#+|--+(?:\[=*\[|[ \t]*[|^](?=\s))?|\{-+[ \t]*\|?|;+|%+"
    r"|@\w*doc\s+(?:~[sS])?(?:\"\"\"|\"))?!?[ \t]?"
)
_BLOCK_END = re.compile(r"\s*(?:\*+/|-+\}|\]=*\])\s*$")
_ENDS = ("/", "}", "]")
_QUOTES = re.compile(r"^(?:[rRbBuUfF]{0,2}|~[sS])(\"\"\"|'''|\"|')(.*?)(?:\1)?$", re.DOTALL)
_RULE = re.compile(r"^[/*#=~+-]{3}[ \t/*#=~+-]*|[ \t/*#=~+-]*[/*#=~+-]{3}$|^[\W_]+$")
_DRAWN = tuple(" \t/*#=~+-")
# The documentation of C# is in XML: names that it points to stay, tags go.
_XML_NAME = re.compile(
    r"<(?:see|seealso|paramref|typeparamref|param|typeparam|exception|inheritdoc)\s+"
    r"(?:cref|name|langword|href)=\"(?:[A-Z]:)?([^\"]*)\"\s*(/?)>"
)
_XML_TAG = re.compile(
    r"</?(?:summary|remarks|para|param|typeparam|returns|value|example|exception|code|c|see"
    r"|list|listheader|item|description|term|inheritdoc|include)\b[^<>]*>"
)
# Written for programs, not for readers.
_PRAGMA = re.compile(
    r"^(?:go:|\+build|nolint|eslint|tslint|prettier-ignore|@ts-|istanbul|c8 |noqa|pylint:"
    r"|type: ignore|pragma|mypy:|ruff:|fmt:|!|-\*-|:nodoc:|:startdoc:|:stopdoc:|rubocop:"
    r"|frozen_string_literal:|NOLINT|clang-format|phpcs:|swiftlint:|swift-format-|ktlint)"
)


@dataclass(frozen=True, slots=True)
class Leads:
    """Lines that hold only comments or attributes, by the line on which each ends.

    Attributes:
        starts: End line to start line, for comments and for attributes (decorators).
        comments: The end lines of those that are comments.
        tops: End line to the first line of the run that it ends, made by `join`.
    """

    starts: dict[int, int] = field(default_factory=dict[int, int])
    comments: set[int] = field(default_factory=set[int])
    tops: dict[int, int] = field(default_factory=dict[int, int])

    def first(self, line: int) -> int:
        """The first line of what is attached to `line` from above, without a blank between."""
        return self.tops.get(line - 1, line)

    def join(self) -> None:
        """Follows each run of attached lines up to its first, once all of them are known."""
        for end in sorted(self.starts):
            start = self.starts[end]
            self.tops[end] = self.tops.get(start - 1, start)


def find_leads(document: Document, comments: Iterable[Node], attributes: Iterable[Node]) -> Leads:
    """Collects the comments and attributes that stand alone on their lines."""
    leads = Leads()
    for nodes, is_comment in ((comments, True), (attributes, False)):
        for node in nodes:
            start = document.first_line(node)
            before = document.data[document.offsets[start - 1] : node.start_byte]
            if before.strip():
                continue
            end = document.last_line(node)
            leads.starts[end] = min(start, leads.starts.get(end, start))
            if is_comment:
                leads.comments.add(end)
    for line in document.hidden.opening:
        leads.starts.setdefault(line, line)
    leads.join()
    return leads


def leading_doc(document: Document, leads: Leads, line: int) -> str:
    """What the comments attached to `line` say."""
    blocks: list[str] = []
    while line - 1 in leads.starts:
        start = leads.starts[line - 1]
        if line - 1 in leads.comments:
            blocks.append("\n".join(document.lines[start - 1 : line - 1]))
        line = start
    return clean_comment("\n".join(reversed(blocks))) if blocks else ""


def inner_doc(document: Document, nodes: Iterable[Node]) -> str:
    """What a file's comments about itself say (`//!`), from the first at the margin."""
    rows: list[int] = []
    for node in sorted(nodes, key=lambda one: one.start_byte):
        start, end = document.first_line(node), document.last_line(node)
        if (rows and start > rows[-1] + 1) or node.start_point[1] or len(rows) > DOC_LIMIT:
            break
        rows.extend(range(start, end + 1))
    return clean_comment("\n".join(document.lines[row - 1] for row in rows)) if rows else ""


def clean_comment(text: str) -> str:
    """A comment's text without its markers, at most `DOC_LIMIT` characters."""
    # Twice the limit is enough to fill it, and keeps a book-long comment cheap.
    lines = text[: 4 * DOC_LIMIT].split("\n")
    kept: list[str] = []
    for line in lines:
        bare = line.rstrip()
        if bare.endswith(_ENDS):
            bare = _BLOCK_END.sub("", bare)
        marker = _MARKER.match(bare)
        bare = (bare[marker.end() :] if marker else bare).rstrip()
        if not _PRAGMA.match(bare) and not line.startswith("#!"):
            kept.append(_said(_without_xml(bare) if "<" in bare else bare).strip())
    return shorten(_paragraphs(kept), DOC_LIMIT)


def _said(line: str) -> str:
    """A line without what is drawn on it; most lines are words from end to end."""
    drawn = not line[:1].isalnum() or line.endswith(_DRAWN)
    return _RULE.sub("", line) if drawn else line


def _without_xml(line: str) -> str:
    named = _XML_NAME.sub(lambda m: m[1] if m[2] else f"{m[1]}: ", line)
    return _XML_TAG.sub("", named)


def clean_docstring(text: str) -> str:
    """A string literal's text without quotes and indentation, at most `DOC_LIMIT` characters."""
    match = _QUOTES.match(text)
    body = (match[2] if match else text)[: 4 * DOC_LIMIT]
    return shorten(_paragraphs([line.strip() for line in body.split("\n")]), DOC_LIMIT)


def shorten(text: str, limit: int) -> str:
    """`text`, cut at a word when it is longer than `limit` characters."""
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    space = cut.rfind(" ", limit // 2)
    return (cut[:space] if space > 0 else cut).rstrip() + "…"


def _paragraphs(lines: list[str]) -> str:
    """Joins lines, with at most one blank between two."""
    kept: list[str] = []
    for line in lines:
        if line or (kept and kept[-1]):
            kept.append(line)
    return "\n".join(kept).strip()
