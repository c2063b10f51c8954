"""References of one file: the names it uses and does not define at that place.

One capture query gives single nodes; a name is taken with the most telling kind that a pattern
found for it. Strings and comments hold no references, except the module that an import names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from clew.types import Reference, ReferenceKind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tree_sitter import Node

    from clew.chunks.document import Document
    from clew.chunks.languages import Language

# From the most to the least telling.
_ORDER: Final[tuple[ReferenceKind, ...]] = ("call", "type", "use")

_SHORTEST: Final = 2  # characters; a name of one letter is a local of no interest elsewhere
_LONGEST: Final = 200


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
            imported; `ref.module`, the module that an import names; and `ignore`.
        defined: Byte offsets of the names that definitions own.
        language: Its implied names are left out.
    """
    data, implied = document.data, language.implied
    seen = set(defined)
    seen.update(node.start_byte for node in captures.get("ignore", ()))
    found: dict[tuple[int, str], ReferenceKind] = {}
    extra: set[tuple[int, str, ReferenceKind]] = set()
    imports = sorted(node.byte_range for node in captures.get("imports", ()))
    for raw in _ORDER:
        inside = 0
        for node in captures.get(f"ref.{raw}", ()):
            start, end = node.byte_range
            if start in seen or end - start < _SHORTEST or end - start > _LONGEST:
                continue
            seen.add(start)
            while inside < len(imports) and imports[inside][1] <= start:
                inside += 1
            imported = inside < len(imports) and imports[inside][0] <= start
            kind: ReferenceKind = "import" if imported else raw
            name = data[start:end].decode("utf-8", "replace")
            if name in implied:
                continue
            key = (node.start_point[0] + 1, name)
            known = found.setdefault(key, kind)
            if known != kind and kind != "use":
                extra.add((*key, kind))
    for node in captures.get("ref.module", ()):
        name = document.text(node).strip("\"'`")
        if 0 < len(name) <= _LONGEST and "\n" not in name:
            found.setdefault((node.start_point[0] + 1, name), "import")
    rows: list[tuple[int, str, ReferenceKind]] = [(*key, kind) for key, kind in found.items()]
    rows.extend(extra)
    rows.sort()
    return [Reference(name=name, line=line, kind=kind) for line, name, kind in rows]
