"""References of one file: the names it uses and does not define at that place.

One capture query gives single nodes; a name is taken with the most telling kind that a pattern
found for it. Strings and comments hold no references, except the module that an import names.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Final, TypeAlias

from clew.types import Reference, ReferenceKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tree_sitter import Node

    from clew.chunks.document import Document
    from clew.chunks.languages import Language

_Row: TypeAlias = tuple[int, str, ReferenceKind]

# From the most to the least telling.
_ORDER: Final[tuple[ReferenceKind, ...]] = ("call", "type", "use")

_WORD: Final = re.compile(rb"[A-Za-z_]\w+")

_SHORTEST: Final = 2  # bytes; a name of one letter is a local of no interest elsewhere
_LONGEST: Final = 200


class _Ranges:
    """Byte ranges of nodes that don't overlap."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        ranges = sorted(node.byte_range for node in nodes)
        self._starts = [start for start, _ in ranges]
        self._ends = [end for _, end in ranges]
        self._last = self._ends[-1] if ranges else 0

    def __contains__(self, offset: int) -> bool:
        if offset >= self._last:
            return False
        index = bisect_right(self._starts, offset) - 1
        return index >= 0 and offset < self._ends[index]


def _name(raw: bytes, language: Language) -> str:
    """A name worth a reference, else ""."""
    if not _SHORTEST <= len(raw) <= _LONGEST or b"\n" in raw:  # what a wrong grammar makes of prose
        return ""
    name = raw.lstrip(b":").decode("utf-8", "replace")
    if language.separator and name[0].isalpha():
        name = name.rpartition(language.separator)[2]
    return "" if name in language.implied else name


def find_references(
    document: Document,
    captures: dict[str, list[Node]],
    defined: Iterable[int],
    language: Language,
) -> list[Reference]:
    """References in the order of lines, each name once per line and kind.

    Args:
        document: The parsed file.
        captures: Nodes by capture name: `ref.<kind>`; `imports`, inside which every name is
            imported; `ref.module`, the module that an import names; `words`, text that the
            grammar leaves whole; and `ignore`.
        defined: Byte offsets of the names that definitions own.
        language: Its implied names are left out.
    """
    telling: set[_Row] = set()
    plain: set[tuple[int, str]] = set()
    for row in _uses(document, captures, set(defined), language):
        if row[2] == "use":
            plain.add(row[:2])
        else:
            telling.add(row)
    for node in captures.get("ref.module", ()):
        name = document.text(node).strip("\"'`<>:")
        if 0 < len(name) <= _LONGEST and "\n" not in name:
            telling.add((node.start_point[0] + 1, name, "import"))
    telling.update((line, name, "call") for line, name in document.hidden.calls)
    plain.update(document.hidden.names)
    plain.difference_update([row[:2] for row in telling])
    rows = list(telling)
    rows.extend((line, name, "use") for line, name in plain)
    rows.sort()
    return [Reference(name=name, line=line, kind=kind) for line, name, kind in rows]


def _uses(
    document: Document, captures: dict[str, list[Node]], seen: set[int], language: Language
) -> Iterator[_Row]:
    """Each place where a name is used, once, in no order (the binding gives captures in none)."""
    data = document.data
    names: dict[bytes, str] = {}
    seen.update(node.start_byte for node in captures.get("ignore", ()))
    imports = _Ranges(captures.get("imports", ()))
    for kind in _ORDER:
        for node in captures.get(f"ref.{kind}", ()):
            start, end = node.byte_range
            if start in seen:
                continue
            seen.add(start)
            raw = data[start:end]
            name = names.get(raw)
            if name is None:
                name = names[raw] = _name(raw, language)
            if name:
                yield node.start_point[0] + 1, name, "import" if start in imports else kind
    for node in captures.get("words", ()):
        yield from _words(document, node, language)


def _words(document: Document, node: Node, language: Language) -> Iterator[_Row]:
    """Every name in a text without structure, such as what a macro stands for."""
    start, end = node.byte_range
    line = node.start_point[0] + 1
    for offset, text in enumerate(document.data[start:end].split(b"\n")):
        for match in _WORD.finditer(text.partition(b"//")[0]):
            name = _name(match[0], language)
            if name and name.isascii():
                yield line + offset, name, "use"
