"""Chunks of code: the file's lines, cut where its definitions and statements begin.

The chunks of a file partition its lines. A function is one chunk; a class is a header and its
members, or whole when it is small; what stands between is grouped. Only what is longer than the
limit is cut inside, between statements. Nothing here recurses: trees can be deeper than a stack.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from clew.chunks.document import MAX_CHILDREN
from clew.chunks.symbols import CLASS_LIKE, FUNCTION_LIKE
from clew.types import Chunk, ChunkKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

    from clew.chunks.comments import Leads
    from clew.chunks.document import Document
    from clew.chunks.symbols import Definition

# 99% of functions in the projects looked at are shorter; longer ones name many things at once.
LIMIT_LINES: Final = 120
LIMIT_BYTES: Final = 6_000

# Runs of module statements, and of fields: smaller, as they have no subject in common.
GROUP_LINES: Final = 60
GROUP_BYTES: Final = 3_000

# A class up to this many lines stays whole: its methods say little alone.
SMALL_CLASS_LINES: Final = 30

# A constant, type or nested function of this many lines gets a chunk of its own.
OWN_CHUNK_LINES: Final = 8

# `impl Send for X {}` says nothing alone, nor does the first line of a longer block.
EMPTY_SCOPE_LINES: Final = 3

_CHECK_EVERY: Final = 256  # nodes between two looks at the clock

# Nodes right below a file's root that some grammars put around all of its definitions.
_LISTS: Final = frozenset({"declarations", "document", "body"})

_CONTAINERS: Final = CLASS_LIKE | {"module", "suite"}
_FUNCTIONS: Final = FUNCTION_LIKE | {"case"}
_NAMELESS: Final = frozenset({"scope", "case", "suite"})
# What a line of a gap must hold: more than a block's end.
_WORD = re.compile(r"^(?!\W*(?:end|fi|done|esac)\W*\Z).*\w")
_STUB = re.compile(r"\s*(?:\.\.\.)?\s*\Z")


@dataclass(slots=True)
class _Item:
    """Lines that stay together: a statement, a comment, or a definition with a chunk of its own."""

    start: int
    end: int
    definition: Definition | None = None
    comment: bool = False
    clause_of: Definition | None = None
    stub: str = ""  # the qualified name of an overload's head, which its implementation takes in


@dataclass(slots=True)
class _Region:
    """Lines to lay out: the file (`owner` None), or a definition that is cut up."""

    start: int
    end: int
    node: Node
    owner: Definition | None


@dataclass(slots=True)
class _Cut:
    """Where a chunk starts; it ends before the next."""

    start: int
    owner: Definition | None
    first: bool = True
    names: list[Definition] = field(default_factory=list["Definition"])
    gap: bool = False


def chunk_code(
    document: Document, definitions: Sequence[Definition], leads: Leads, doc: str = ""
) -> tuple[Chunk, ...]:
    """Cuts a parsed file into chunks that partition its lines.

    Args:
        document: The file, of at least one line.
        definitions: An outer one before what it holds; tests that strings name among them.
        leads: Its comments and attributes.
        doc: What the file says of itself; its first chunk carries it when it has no own.
    """
    layout = _Layout(document, definitions, leads)
    first, *others = layout.chunks(layout.cuts())
    return (first if first.doc else replace(first, doc=doc), *others)


class _Layout:
    def __init__(self, document: Document, definitions: Sequence[Definition], leads: Leads) -> None:
        self._document = document
        self._leads = leads
        root = document.root
        many = root.child_count > MAX_CHILDREN
        self._top = frozenset[int]() if many else frozenset(node.id for node in root.children)
        self._by_node: dict[int, Definition] = {}
        for one in definitions:
            self._by_node.setdefault(one.node.id, one)
            self._by_node.setdefault(one.outer.id, one)
        self._named = [d for d in definitions if d.parent is None and d.kind not in _NAMELESS]
        self._named_starts = [d.start_line for d in self._named]
        self._big = [d for d in definitions if d.kind in _FUNCTIONS | _CONTAINERS and d.body]
        self._big.sort(key=lambda d: (d.node.start_byte, -d.node.end_byte))
        self._big_bytes = [d.node.start_byte for d in self._big]

    # --- cuts --------------------------------------------------------------------------------

    def cuts(self) -> list[_Cut]:
        """Chunk starts, in order."""
        document = self._document
        tasks: list[_Region | _Cut] = [_Region(1, len(document.lines), document.root, None)]
        found: list[_Cut] = []
        while tasks:
            task = tasks.pop()
            if isinstance(task, _Cut):
                found.append(task)
            elif self._stays_whole(task):
                found.append(_Cut(task.start, task.owner))
            else:
                tasks.extend(reversed(self._lay_out(task)))
        return found

    def _stays_whole(self, region: _Region) -> bool:
        lines = region.end - region.start + 1
        if lines == 1 and self._document.size(region.start, region.end) > LIMIT_BYTES:
            return True  # nothing to cut, and perhaps a million statements on it
        if region.owner is None or self._too_big(region.start, region.end):
            return False
        return region.owner.kind not in _CONTAINERS or lines <= SMALL_CLASS_LINES

    def _too_big(self, start: int, end: int) -> bool:
        lines = end - start + 1
        return lines > LIMIT_LINES or (lines > 1 and self._document.size(start, end) > LIMIT_BYTES)

    def _lay_out(self, region: _Region) -> list[_Region | _Cut]:
        """One step down: definitions become regions, the rest cuts of grouped statements."""
        items = self._items(region)
        tasks: list[_Region | _Cut] = []
        run: list[_Item] = []
        at = region.start  # where the run starts: lines before the first item belong to it
        for item in items:
            if item.definition is None:
                run.append(item)
                continue
            if run or item.start > at:
                tasks.extend(self._group(at, item.start - 1, run, region, first=not tasks))
            tasks.append(_Region(item.start, item.end, item.definition.outer, item.definition))
            run, at = [], self._first_text(item.end + 1, region.end)
        if at <= region.end:
            tasks.extend(self._group(at, region.end, run, region, first=not tasks))
        return tasks

    def _first_text(self, start: int, end: int) -> int:
        """The first line from `start` that isn't blank, or the one after `end`."""
        while start <= end and not self._document.lines[start - 1].strip():
            start += 1
        return start

    def _group(
        self, start: int, end: int, run: list[_Item], region: _Region, *, first: bool
    ) -> list[_Cut]:
        """Cuts a run of statements into groups of about equal length below the limit."""
        function = region.owner is not None and region.owner.kind not in _CONTAINERS
        max_lines, max_bytes = (
            (LIMIT_LINES, LIMIT_BYTES) if function else (GROUP_LINES, GROUP_BYTES)
        )
        parts = max(
            -(-(end - start + 1) // max_lines), -(-self._document.size(start, end) // max_bytes)
        )
        cuts = [_Cut(start, region.owner, first=first, gap=True)]
        at = start
        for item in run:
            if item.start > at and self._breaks(at, end, item, parts - len(cuts) + 1):
                at = item.start
                cuts.append(_Cut(at, region.owner, first=False, gap=True))
            if self._too_big(item.start, item.end):
                cuts.extend(self._split_flat(at, item.end, region.owner))
                at = cuts[-1].start
        return cuts

    def _breaks(self, at: int, end: int, item: _Item, parts: int) -> bool:
        """Whether a group that began at `at` ends before `item`, of `parts` up to line `end`."""
        begun = item.start - at >= OWN_CHUNK_LINES
        if self._too_big(item.start, item.end):
            return begun  # it is cut anyway: a few lines before it go along
        if self._too_big(at, item.end):
            return True
        if parts <= 1 or not begun:
            return False  # a class's own line stays with its docstring, however long that is
        # The cut that is nearest to equal parts.
        size = self._document.size
        half_lines = (item.start + item.end + 1) / 2 - at
        half_bytes = (size(at, item.start - 1) + size(at, item.end)) / 2
        return half_lines * parts >= end - at + 1 or half_bytes * parts >= size(at, end)

    def _split_flat(self, start: int, end: int, owner: Definition | None) -> list[_Cut]:
        """Cuts inside one item that has no statements to cut between (a text, a table)."""
        cuts: list[_Cut] = []
        for line in range(start + 1, end + 1):
            if self._too_big(start, line):
                start = line
                cuts.append(_Cut(line, owner, first=False, gap=True))
        return cuts

    # --- items -------------------------------------------------------------------------------

    def _items(self, region: _Region) -> list[_Item]:
        """A region's statements and own definitions, in order, on lines that don't overlap."""
        if region.node.child_count > MAX_CHILDREN:
            return [_Item(region.start, region.end)]
        items: list[_Item] = []
        stack = region.node.children[::-1]
        end_before = region.start - 1
        visited = 0
        while stack:
            visited += 1
            if visited % _CHECK_EVERY == 0:
                self._document.budget.check()
            node = stack.pop()
            start, end = self._document.first_line(node), self._document.last_line(node)
            if end <= end_before:
                continue
            definition = self._by_node.get(node.id)
            if definition is not None and definition.outer.id == region.node.id:
                definition = None  # the region itself
            if definition is not None and self._owns_chunk(definition, region):
                item = _Item(self._leads.first(start), end, definition)
            elif self._opens(node, start, end, region):
                stack.extend(reversed(node.children))
                continue
            else:
                comment = end in self._leads.starts and self._leads.starts[end] == start
                item = _Item(self._leads.first(start), end, None, comment=comment)
            item.stub = self._stub_name(definition)
            item.clause_of = definition.head if definition is not None else None
            self._append(items, item, region)
            end_before = items[-1].end if items else end_before
        return items

    def _append(self, items: list[_Item], item: _Item, region: _Region) -> None:
        """Adds an item; comments and overloads that lead into it become part of it."""
        while items and items[-1].comment and items[-1].start >= item.start:
            items.pop()
        definition = item.definition
        while items and definition is not None and items[-1].stub == definition.qualname != "":
            item.start = items.pop().start
        floor = items[-1].end + 1 if items else region.start
        item.start = max(item.start, floor)
        if items and self._continues(items[-1], item):
            items[-1].end = item.end
            return
        if item.start <= item.end:
            items.append(item)

    def _continues(self, last: _Item, item: _Item) -> bool:
        """Whether an item is a further clause of the function before it, and fits beside it."""
        if last.definition is None or item.clause_of is None:
            return False
        same = item.clause_of is (last.definition.head or last.definition)
        return same and not self._too_big(last.start, item.end)

    def _stub_name(self, definition: Definition | None) -> str:
        if definition is None or definition.kind not in FUNCTION_LIKE:
            return ""
        body = definition.body
        empty = body is None or _STUB.match(self._document.text(body)[:80]) is not None
        return definition.qualname if empty else ""

    def _owns_chunk(self, definition: Definition, region: _Region) -> bool:
        lines = definition.end_line - definition.lead_line + 1
        if definition.kind in {"field", "attribute"}:  # of these, only a property has a body
            return definition.body is not None and lines >= OWN_CHUNK_LINES
        inside = region.owner is not None and region.owner.kind not in _CONTAINERS
        if inside or definition.kind not in _FUNCTIONS | _CONTAINERS - {"module"}:
            return lines >= OWN_CHUNK_LINES
        if definition.kind == "scope":
            return lines > EMPTY_SCOPE_LINES
        return definition.body is not None or lines >= OWN_CHUNK_LINES

    def _opens(self, node: Node, start: int, end: int, region: _Region) -> bool:
        """Whether to lay out a node's children instead of the node."""
        if end == start or not 0 < node.child_count <= MAX_CHILDREN:
            return False
        if self._too_big(start, end):
            return True
        owner = region.owner
        if owner is not None and (node == owner.node or node == owner.body):
            return True
        if owner is not None and owner.kind in {"case", "suite"} and _holds(node, owner.body):
            return True
        if owner is None and node.type in _LISTS:
            return True
        return end - start >= SMALL_CLASS_LINES and self._mostly_definitions(node, start, end)

    def _mostly_definitions(self, node: Node, start: int, end: int) -> bool:
        """Whether more than half of a wrapper's lines define something (an `if`, a closure)."""
        covered = 0
        reached = node.start_byte
        index = bisect_left(self._big_bytes, node.start_byte)
        for definition in self._big[index:]:
            if definition.node.start_byte >= node.end_byte:
                break
            if definition.node.start_byte >= reached and definition.node.end_byte <= node.end_byte:
                covered += definition.end_line - definition.lead_line + 1
                reached = definition.node.end_byte
        return covered * 2 > end - start + 1

    # --- chunks ------------------------------------------------------------------------------

    def chunks(self, cuts: list[_Cut]) -> list[Chunk]:
        """Chunks from cuts; a gap that says nothing joins the chunk before."""
        total = len(self._document.lines)
        kept: list[_Cut] = []
        for index, cut in enumerate(cuts):
            end = cuts[index + 1].start - 1 if index + 1 < len(cuts) else total
            if cut.gap and not self._has_word(cut.start, end):
                continue
            if kept and _is_bare_scope(kept[-1], cut):
                kept[-1] = replace(cut, start=kept[-1].start)
                continue
            kept.append(cut)
        if not kept:
            kept = cuts[:1]
        kept[0].start = 1
        ends = [cut.start - 1 for cut in kept[1:]] + [total]
        return [self._chunk(cut, end) for cut, end in zip(kept, ends, strict=True)]

    def _has_word(self, start: int, end: int) -> bool:
        lines, hidden = self._document.lines, self._document.hidden.lines
        return any(
            _WORD.search(lines[row - 1]) for row in range(start, end + 1) if row not in hidden
        )

    def _chunk(self, cut: _Cut, end: int) -> Chunk:
        owner = cut.owner or self._only_name(cut.start, end)
        if owner is None:
            return Chunk(cut.start, end, "module")
        owner = owner.head or owner
        chunk = Chunk(
            start_line=cut.start,
            end_line=end,
            kind="module" if cut.owner is None else _chunk_kind(owner),
            name=owner.name,
            qualname=owner.qualname,
            signature=owner.signature,
            doc=owner.doc,
            parents=owner.parents(),
        )
        return chunk if cut.first else replace(chunk, doc="")

    def _only_name(self, start: int, end: int) -> Definition | None:
        """The definition that a group of module statements is about, when there is just one."""
        index = bisect_left(self._named_starts, start)
        inside = [d for d in self._named[index : index + 2] if d.start_line <= end]
        return inside[0] if len(inside) == 1 and inside[0].outer.id in self._top else None


def _is_bare_scope(header: _Cut, member: _Cut) -> bool:
    """Whether a cut is only the opening lines of an impl block, just before its first member."""
    scope, inner = header.owner, member.owner
    if (
        scope is None
        or scope.kind not in {"scope", "suite"}
        or inner is None
        or inner.parent is not scope
    ):
        return False
    return header.first and member.start - header.start <= EMPTY_SCOPE_LINES


def _holds(node: Node, body: Node | None) -> bool:
    return body is not None and node.start_byte <= body.start_byte <= body.end_byte <= node.end_byte


def _chunk_kind(owner: Definition) -> ChunkKind:
    if owner.kind in FUNCTION_LIKE:
        return "function"
    if owner.kind in CLASS_LIKE:
        return "class"
    return "module" if owner.kind == "module" else "block"
