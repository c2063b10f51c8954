"""Definitions told from their text alone, for languages that have no grammar here.

Most languages open a definition with a word for its kind and the name, at the start of a line:
`class Pool`, `def self.open`, `func Dial`, `sub parse`. What ends it is the first line that is
indented as its first one and closes a block. It is a reading of lines, and never sure.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from clew.tools.result import Definition

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

_KINDS: Final = {
    "class": "class",
    "module": "mod",
    "interface": "interface",
    "trait": "trait",
    "struct": "struct",
    "enum": "enum",
    "protocol": "interface",
    "record": "class",
    "object": "class",
    "namespace": "mod",
    "type": "type",
    "def": "method",
    "fun": "function",
    "func": "function",
    "function": "function",
    "fn": "function",
    "sub": "function",
    "proc": "function",
    "defmodule": "mod",
    "defp": "function",
}
_HOLDERS: Final = frozenset({"class", "mod", "interface", "trait", "struct", "enum"})
_MODIFIERS: Final = (
    r"(?:(?:public|private|protected|internal|abstract|final|static|sealed|partial|async|export"
    r"|default|open|override|data|inline|virtual|readonly|local)\s+)*"
)
_WORDS: Final = "|".join(sorted(_KINDS, key=len, reverse=True))
_OWNER: Final = r"(?:self\.|\w+(?:::|\.))*"
_DEFINITION = re.compile(
    rf"^(?P<indent>[ \t]*){_MODIFIERS}(?P<word>{_WORDS})\s+(?P<name>{_OWNER}[^\W\d]\w*[?!]?)"
)
_CONSTANT = re.compile(r"^(?P<indent>[ \t]*)(?P<name>[A-Z][A-Z0-9_]{2,})\s*=(?![=~>])")
_JOINTS = re.compile(r"::|\.|#|->")
_SIMPLE = re.compile(r"[^\W\d]\w*[?!]?")
_PROSE: Final = (".md", ".mdx", ".rst", ".txt", ".adoc", ".html", ".htm")
_LONGEST: Final = 600  # lines in which the end of a definition is looked for


def bare_name(name: str) -> str:
    """The last part of a name as typed: `Pool#open()` is `open`."""
    return _JOINTS.split(name.strip("`() "))[-1]


def fitting(rows: Sequence[Definition], name: str) -> list[Definition]:
    """The definitions that a name means: spelled so, and inside what it says, if any is."""
    spelled = [row for row in rows if row.name == bare_name(name)]
    path = ".".join(_JOINTS.split(name.strip("`() ")))
    inside = [r for r in spelled if ".".join(_JOINTS.split(r.qualname)).endswith(path)]
    return inside or spelled


def definition_patterns(name: str) -> str:
    """An RE2 pattern for the lines that may define a name, "" when it is no plain name."""
    bare = bare_name(name)
    if not _SIMPLE.fullmatch(bare):
        return ""
    escaped = re.escape(bare)
    end = "" if bare[-1] in "?!" else r"\b"
    constant = rf"|^\s*{escaped}\s*=[^=~>]" if bare.isupper() else ""
    return rf"^\s*{_MODIFIERS}(?:{_WORDS})\s+{_OWNER}{escaped}{end}{constant}"


def definitions_in(
    path: str, lines: Sequence[str], wanted: Collection[int] | None = None
) -> Iterator[Definition]:
    """The definitions that stand on lines of a file, all of them or those of some lines.

    Their `source` is left empty; the caller knows it.
    """
    if path.casefold().endswith(_PROSE):
        return
    open_: list[tuple[int, str]] = []  # indentation and name of what is around
    for number, line in enumerate(lines, 1):
        found = _DEFINITION.match(line) or _CONSTANT.match(line)
        if found is None:
            continue
        indent = len(found["indent"].expandtabs())
        open_ = [(depth, name) for depth, name in open_ if depth < indent]
        name = found["name"].removeprefix("self.")
        kind = _KINDS[found["word"]] if "word" in found.groupdict() else "constant"
        qualname = ".".join([*(around for _, around in open_), name])
        if kind in _HOLDERS:
            open_.append((indent, name))
        if wanted is None or number in wanted:
            end = number if kind == "constant" else _end(lines, number, found["indent"])
            bare = re.split(r"::|\.", name)[-1]
            yield Definition(
                "", path, bare, qualname, kind, number, number, end, " ".join(line.split())[:200]
            )


def _end(lines: Sequence[str], start: int, indent: str) -> int:
    """The line that closes what opens on line `start`."""
    closing = re.compile(rf"{re.escape(indent)}(?:end\b|[}}\])])")
    if re.search(r"(?:\bend|\})\s*;?\s*$", lines[start - 1]):
        return start
    for number, line in enumerate(lines[start : start + _LONGEST], start + 1):
        if closing.match(line):
            return number
        if line.strip() and len(line) - len(line.lstrip()) < len(indent):
            break
    return start
