"""Nodes of a file's syntax tree by their type, for who knows the grammar's own words.

It parses one text again, in its time, and keeps nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from clew.chunks import document, grammars
from clew.chunks.languages import BY_NAME, language_of
from clew.chunks.parse import MAX_PARSE_CHARS

MAX_NODES: Final = 2_000  # of one type that are collected
MAX_VISITED: Final = 2_000_000  # nodes that a walk looks at; a line of code has about 15


@dataclass(frozen=True, slots=True)
class NodeSpan:
    """The lines of one node, 1-based and inclusive."""

    start_line: int
    end_line: int


def node_types(path: str, text: str) -> frozenset[str]:
    """The types that the grammar of a file has for named nodes; none without a grammar."""
    language = BY_NAME.get(language_of(path, text))
    if language is None:
        return frozenset()
    loaded = grammars.load(language).language
    kinds = range(loaded.node_kind_count)
    names = (loaded.node_kind_for_id(kind) for kind in kinds if loaded.node_kind_is_named(kind))
    return frozenset(name for name in names if name)


def nodes(path: str, text: str, kind: str) -> tuple[NodeSpan, ...] | None:
    """The nodes of one type in the order of lines; None when the file can't be parsed in time."""
    language = BY_NAME.get(language_of(path, text))
    if language is None or len(text) > MAX_PARSE_CHARS:
        return None
    try:
        parsed = document.read(text, grammars.load(language), language.dialect)
    except document.TooSlowError:
        return None
    found: list[NodeSpan] = []
    cursor = parsed.root.walk()
    for _ in range(MAX_VISITED):
        node = cursor.node
        if node is not None and node.is_named and node.type == kind:
            found.append(NodeSpan(parsed.first_line(node), parsed.last_line(node)))
            if len(found) >= MAX_NODES:
                break
        if cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return tuple(found)
    return tuple(found)
