r"""One parsed file: its bytes, its lines and its tree, with what other modules ask of them.

Rows of a tree are counted by "\n" alone, as Clew counts
lines, so no table maps one to the other.
Nothing here knows a language.
"""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from clew.chunks.preprocess import Hidden, hide
from clew.chunks.text import split_lines
from clew.chunks.wrapped import unwrap

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

    from clew.chunks.grammars import Grammar
    from clew.chunks.preprocess import Dialect

# A file that takes longer is given up and gets windows. Real code takes 0.1-0.25 s per MB to
# parse and 0.6 s in all; error recovery on garbage takes 10 s.
_BASE_SECONDS: Final = 1.0
_SECONDS_PER_MB: Final = 3.0

# The parser asks for the text in pieces of this many bytes, and so does a query for every name that
# a predicate compares: pieces of 64 KB made the queries of Ruby and Elixir five times as slow.
_PIECE: Final = 256

# Looks at the clock while parsing: the parser offers one every 100 steps, and each costs a system
# call. A megabyte of code has about 8,000 offers.
_CLOCK_EVERY: Final = 16

# Children of one error node, and nodes with errors inside, that a file of code stays below.
_MAX_BROKEN: Final = 20_000

# Direct children of one node that a walk in Python may hold at a time (about 100 bytes each).
# Only data and garbage have more.
MAX_CHILDREN: Final = 100_000


class TooSlowError(Exception):
    """The budget of a parse is spent; never leaves this package."""


class Budget:
    """CPU time of this thread that one file may use; a busy machine doesn't shorten it."""

    def __init__(self, size: int) -> None:
        self._end = time.thread_time() + _BASE_SECONDS + size / 1e6 * _SECONDS_PER_MB

    def spent(self) -> bool:
        """Whether the time is over."""
        return time.thread_time() > self._end

    def check(self) -> None:
        """Raises `TooSlowError` when the time is over."""
        if self.spent():
            raise TooSlowError


@dataclass(frozen=True, slots=True)
class Document:
    """A file in the form that chunking and symbols work on.

    Attributes:
        data: The text in UTF-8; byte offsets of nodes index into it.
        lines: Its lines without their ends; `lines[0]` is line 1.
        offsets: Byte offset of each line's start, and the total length at the end.
        hidden: What the parser was not shown.
    """

    data: bytes
    lines: list[str]
    offsets: list[int]
    root: Node
    budget: Budget
    hidden: Hidden

    def text(self, node: Node) -> str:
        """A node's own text."""
        start, end = node.byte_range
        return self.data[start:end].decode("utf-8", "replace")

    def first_line(self, node: Node) -> int:
        """The 1-based line on which a node starts."""
        # A token that is missing at the end stands behind the last line.
        return min(node.start_point[0] + 1, len(self.lines))

    def last_line(self, node: Node) -> int:
        """The 1-based line on which a node ends; a line end in it opens no new line."""
        row, column = node.end_point
        inside = column or row == node.start_point[0]
        return min(row + 1 if inside else row, len(self.lines))

    def size(self, start: int, end: int) -> int:
        """Bytes of the lines `start..end`, 1-based and inclusive."""
        return self.offsets[end] - self.offsets[start - 1]


def read(text: str, grammar: Grammar, dialect: Dialect = "") -> Document:
    """Parses a text, without what a preprocessor or a macro of this dialect would take away.

    Raises:
        TooSlowError: The text is no code of this language, or worse.
    """
    data = text.encode("utf-8", "replace")
    budget = Budget(len(data))
    if dialect == "rust":
        hidden, tree = _opened(data, grammar, budget)
    else:
        hidden = hide(data, dialect)
        tree = _parse(hidden.data, grammar, budget)
    root = tree.root_node
    if _is_garbage(root):
        raise TooSlowError
    lines = split_lines(text)
    offsets = [0]
    for line in data.split(b"\n")[: len(lines)]:
        offsets.append(offsets[-1] + len(line) + 1)
    offsets[-1] = len(data)
    return Document(data, lines, offsets, root, budget, hidden)


def _opened(data: bytes, grammar: Grammar, budget: Budget) -> tuple[Hidden, Tree]:
    """A text with the items in reach that macros hold, and its tree.

    Most of them are code; only where something isn't, each is tried by itself.
    """
    hidden = unwrap(data, lambda _: True)
    tree = _parse(hidden.data, grammar, budget)
    if hidden.calls and tree.root_node.has_error:

        def parses(part: bytes) -> bool:
            return not _parse(part, grammar, budget).root_node.has_error

        hidden = unwrap(data, parses)
        tree = _parse(hidden.data, grammar, budget)
    return hidden, tree


def _is_garbage(root: Node) -> bool:
    """Whether error recovery has left a flat run of tokens, or errors all over.

    A query over such a run takes time quadratic in its length (0.4 s at 20,000), and the binding
    (0.26.1) can't stop it: its progress callback for queries crashes the process.
    """
    visited, stack = 0, [root]
    while stack:
        node = stack.pop()
        visited += 1
        if visited > _MAX_BROKEN or (node.is_error and node.child_count > _MAX_BROKEN):
            return True
        if node.has_error and node.child_count <= MAX_CHILDREN:
            stack.extend(child for child in node.children if child.has_error)
    return False


def _parse(data: bytes, grammar: Grammar, budget: Budget) -> Tree:
    from tree_sitter import Parser

    def piece(offset: int, _point: object) -> bytes:
        return data[offset : offset + _PIECE]

    offers = itertools.count(1)

    def stop(_offset: int, _has_error: bool) -> bool:
        return next(offers) % _CLOCK_EVERY == 0 and budget.spent()

    try:
        return Parser(grammar.language).parse(piece, progress_callback=stop)
    except ValueError as error:  # "Parsing failed": how the binding reports the stop
        raise TooSlowError from error
