"""Chunks and symbols of a file that is divided by keys: configuration, schemas, SQL.

A reader of a format says on which lines its keys stand and how deep; here the lines are divided
among them. Every block of the first level is a chunk, short neighbours share one, and what is too
long is cut at the keys inside. The chunks partition the file's lines. Nothing here knows a format.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from clew.chunks.comments import clean_comment, shorten
from clew.chunks.symbols import CLASS_LIKE, FUNCTION_LIKE, LICENCE, SIGNATURE_LIMIT
from clew.types import Chunk, ChunkKind, Parsed, Reference, Symbol, SymbolKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# A block stays whole up to this many lines and characters.
BLOCK_LINES: Final = 60
BLOCK_CHARS: Final = 3_000
# Blocks below both share a chunk with their neighbours: `name: x` alone says little.
SHORT_LINES: Final = 4
SHORT_CHARS: Final = 200
# The keys of one file that are looked at; a file with more is data.
MAX_KEYS: Final = 20_000
# Deeper keys are no place to cut.
MAX_DEPTH: Final = 8

KeyKind: TypeAlias = SymbolKind | Literal[""]

_HEAD_END = re.compile(r"[\s:={(\[,|>]*\Z")


@dataclass(frozen=True, slots=True)
class Key:
    """Where a block starts.

    Attributes:
        line: 1-based.
        depth: 1 at file level; a key belongs to the last one before it that is less deep.
        name: What it is called; "" for a mere place to cut, such as an item of a list.
        kind: What it is in the symbol table; "" when it isn't there.
        owner: What stands before the name in the qualified name, besides the keys around.
        signature: What to show of it; its line when that says it.
        end: Its last line; 0 when it ends where the next key of its depth begins.
    """

    line: int
    depth: int
    name: str = ""
    kind: KeyKind = ""
    owner: str = ""
    signature: str = ""
    end: int = 0


@dataclass(frozen=True, slots=True)
class Outline:
    """What a reader finds in a file.

    Attributes:
        keys: In the order of lines.
        references: In any order; one that is given twice counts once.
        comment: What a line of comment starts with; such lines belong to the key below them.
    """

    keys: Sequence[Key]
    references: Iterable[Reference] = ()
    comment: tuple[str, ...] = ("#",)


@dataclass(slots=True)
class _Block:
    """A key with its lines, from the comment above it; and the blocks inside."""

    key: Key
    start: int
    end: int
    qualname: str
    parent: _Block | None
    inside: list[_Block] = field(default_factory=list["_Block"])

    def signatures(self) -> tuple[str, ...]:
        """Of this block and those around it, outermost first."""
        around = self.parent.signatures() if self.parent else ()
        return (*around, self.key.signature) if self.key.signature else around


def divide(language: str, lines: Sequence[str], outline: Outline) -> Parsed:
    """Chunks, symbols and references of a file, from its outline.

    Args:
        language: The format's name.
        lines: At least one.
        outline: What the format's reader has found.
    """
    divider = _Divider(lines, outline)
    blocks = divider.blocks()
    ordered = sorted(set(outline.references), key=lambda r: (r.line, r.name, r.kind))
    return Parsed(
        language=language,
        chunks=tuple(divider.chunks(blocks)),
        symbols=tuple(divider.symbols(blocks)),
        references=tuple(ordered),
    )


class _Divider:
    def __init__(self, lines: Sequence[str], outline: Outline) -> None:
        self._lines = lines
        self._keys = [key for key in outline.keys[:MAX_KEYS] if key.depth <= MAX_DEPTH]
        self._comment = outline.comment
        self._offsets = [0]
        for line in lines:
            self._offsets.append(self._offsets[-1] + len(line) + 1)

    # --- blocks ------------------------------------------------------------------------------

    def blocks(self) -> list[_Block]:
        """The blocks of the first level, with what they hold."""
        top: list[_Block] = []
        open_: list[_Block] = []
        before = 0  # the line of the last key: a comment below it belongs to the next one
        for key in self._keys:
            start = self._lead(key.line, before)
            while open_ and open_[-1].key.depth >= key.depth:
                self._close(open_.pop(), start - 1)
            parent = open_[-1] if open_ else None
            signature = shorten(key.signature or self._head(key), SIGNATURE_LIMIT)
            scope = parent.qualname if parent else ""
            qualname = ".".join(filter(None, (scope, key.owner, key.name)))
            shown = replace(key, signature=signature if key.name else "")
            block = _Block(shown, start, 0, qualname, parent)
            (parent.inside if parent else top).append(block)
            open_.append(block)
            before = key.line
        while open_:
            self._close(open_.pop(), len(self._lines))
        return top

    def _lead(self, line: int, before: int) -> int:
        start = line
        while start - 1 > before and self._lines[start - 2].lstrip().startswith(self._comment):
            start -= 1
        return start

    def _close(self, block: _Block, end: int) -> None:
        block.end = max(end, block.key.end, block.key.line)

    def _head(self, key: Key) -> str:
        line = self._lines[key.line - 1].lstrip()[: 2 * SIGNATURE_LIMIT]
        return _HEAD_END.sub("", " ".join(line.split()))

    # --- chunks ------------------------------------------------------------------------------

    def chunks(self, blocks: Sequence[_Block]) -> list[Chunk]:
        """Chunks that partition the lines; the first carries what the file says of itself."""
        found: list[Chunk] = []
        self._lay_out(1, len(self._lines), blocks, None, found)
        first = found[0]
        if not first.doc and self._lines[0].lstrip().startswith(self._comment):
            found[0] = replace(first, doc=self._file_doc())
        return found

    def _file_doc(self) -> str:
        end = 0
        while end < len(self._lines) and self._lines[end].lstrip().startswith(self._comment):
            end += 1
        doc = clean_comment("\n".join(self._lines[:end]))
        return "" if LICENCE.search(doc) else doc

    def _lay_out(
        self,
        start: int,
        end: int,
        blocks: Sequence[_Block],
        owner: _Block | None,
        found: list[Chunk],
    ) -> None:
        """Divides the lines `start..end` of `owner` (None: the file) among the blocks in them."""
        at = start
        group: list[_Block] = []
        for block in blocks:
            if block.start > end or block.end < at:
                continue
            if at < block.start and not self._joins(at, group, block):
                self._add(at, block.start - 1, group, owner, found)
                at, group = block.start, []
            if self._fits(block.start, block.end):
                group.append(block)
                continue
            if at < block.start:
                self._add(at, block.start - 1, group, owner, found)
            self._lay_out(max(at, block.start), block.end, block.inside, block, found)
            at, group = block.end + 1, []
        if at <= end:
            self._add(at, end, group, owner, found)

    def _joins(self, at: int, group: Sequence[_Block], block: _Block) -> bool:
        """Whether a block shares a chunk with the lines from `at` before it."""
        if not self._short(block.start, block.end):
            # A few lines before the first block, such as a file's own comment, go along.
            return not group and self._short(at, block.start - 1) and self._fits(at, block.end)
        last = group[-1] if group else None
        begins = last is None or self._short(last.start, last.end)
        return begins and self._fits(at, block.end)

    def _size(self, start: int, end: int) -> int:
        return self._offsets[end] - self._offsets[start - 1]

    def _fits(self, start: int, end: int) -> bool:
        return end - start < BLOCK_LINES and self._size(start, end) <= BLOCK_CHARS

    def _short(self, start: int, end: int) -> bool:
        return end - start < SHORT_LINES and self._size(start, end) < SHORT_CHARS

    def _add(
        self,
        start: int,
        end: int,
        group: Sequence[_Block],
        owner: _Block | None,
        found: list[Chunk],
    ) -> None:
        """One chunk, or several when its lines are too many and have no key to cut at."""
        if found and not any(map(str.strip, self._lines[start - 1 : end])):
            found[-1] = replace(found[-1], end_line=end)
            return
        chunk = self._chunk(start, end, group, owner)
        at = start
        for line in range(start + 1, end + 1):
            if not self._fits(at, line):
                found.append(replace(chunk, start_line=at, end_line=line - 1))
                at = line
        found.append(replace(chunk, start_line=at, end_line=end))

    def _chunk(self, start: int, end: int, group: Sequence[_Block], owner: _Block | None) -> Chunk:
        named = [block for block in group if block.key.name]
        if len(named) == 1:
            only = named[0]
            around = only.parent.signatures() if only.parent else ()
            doc = clean_comment("\n".join(self._lines[only.start - 1 : only.key.line - 1]))
            if only.start == 1 and LICENCE.search(doc):
                doc = ""
            return Chunk(
                start, end, _chunk_kind(only.key.kind), only.key.name, only.qualname,
                only.key.signature, doc, around,
            )  # fmt: skip
        listed = shorten(", ".join(block.key.name for block in named), SIGNATURE_LIMIT)
        if owner is None:
            return Chunk(start, end, "block", signature=listed)
        signature = listed or owner.key.signature
        around = owner.signatures() if listed else owner.signatures()[:-1]
        return Chunk(
            start, end, _chunk_kind(owner.key.kind), owner.key.name, owner.qualname,
            signature, "", around,
        )  # fmt: skip

    # --- symbols -----------------------------------------------------------------------------

    def symbols(self, blocks: Sequence[_Block]) -> list[Symbol]:
        """What has a kind, in the order of lines."""
        found: list[Symbol] = []
        stack = list(reversed(blocks))
        while stack:
            block = stack.pop()
            key = block.key
            if key.kind and key.name and " " not in key.name:
                found.append(
                    Symbol(
                        key.name, block.qualname, key.kind, key.line, key.line,
                        key.end or self._last_text(key.line, block.end), key.signature,
                    )
                )  # fmt: skip
            stack.extend(reversed(block.inside))
        return found

    def _last_text(self, start: int, end: int) -> int:
        """The last line that is neither blank nor a comment on what follows."""
        while end > start:
            line = self._lines[end - 1].strip()
            if line and not line.startswith(self._comment):
                break
            end -= 1
        return end


def _chunk_kind(kind: KeyKind) -> ChunkKind:
    if kind in FUNCTION_LIKE:
        return "function"
    return "class" if kind in CLASS_LIKE else "block"
