"""Protocol Buffers: messages, enums, services and their members, by the braces around them.

A reader of our own, because the grammar knows the third version of the language only and gives up
at the first line of a file in another (proto2, editions).
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from clew.chunks.outline import Key, Outline
from clew.chunks.readers.masks import LINE_CHARS, Lines, mask, words
from clew.types import Reference

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clew.chunks.outline import KeyKind

_NOT_CODE = re.compile(
    r"//[^\n]*|/\*.*?(?:\*/|\Z)|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'", re.DOTALL
)
_OPTIONS = re.compile(r"\[[^\[\]]*\]")
_END = re.compile(r"[{};]")
_HEAD = re.compile(r"\s*(message|enum|service|oneof)\s+(\w+)\s*\Z")
_EXTEND = re.compile(r"\s*extend\s+([\w.]+)\s*\Z")
_RPC = re.compile(
    r"\s*rpc\s+(\w+)\s*\(\s*(?:stream\s+)?([\w.]+)\s*\)\s*returns\s*\(\s*(?:stream\s+)?([\w.]+)\s*\)"
)
_GROUP = re.compile(r"\s*(?:optional|required|repeated)?\s*group\s+(\w+)\s*=\s*\d+\s*\Z")
_FIELD = re.compile(
    r"\s*(?:(?:optional|required|repeated)\s+)?(?:map\s*<\s*\w+\s*,\s*([\w.]+)\s*>|([\w.]+))\s+(\w+)\s*=\s*\d+\s*\Z"
)
_VALUE = re.compile(r"\s*(\w+)\s*=\s*-?\w+\s*\Z")
_IMPORT = re.compile(r"\s*import\s+(?:public\s+|weak\s+|option\s+)?[\"']([^\"'\n]+)[\"']")
_KINDS: Final[dict[str, KeyKind]] = {
    "message": "struct", "enum": "enum", "service": "interface", "oneof": "field"
}  # fmt: skip
_SCALARS: Final = words(
    "double float int32 int64 uint32 uint64 sint32 sint64 fixed32 fixed64 sfixed32 sfixed64 bool "
    "string bytes"
)


def read_protobuf(lines: Sequence[str]) -> Outline:
    """What a file declares, and the types that its fields and calls use."""
    text = "\n".join(lines)
    masked = mask(mask(text, _NOT_CODE), _OPTIONS)
    reader = _Reader(Lines(lines))
    start = 0
    for match in _END.finditer(masked):
        reader.read(masked[start : match.start()], start, match[0])
        start = match.end()
    imports = (
        Reference(match[1], number, "import")
        for number, line in enumerate(lines, 1)
        if (match := _IMPORT.match(line[:LINE_CHARS]))
    )
    return Outline(reader.keys, (*reader.references, *imports), comment=("//", "/*", "*"))


class _Reader:
    """Follows declarations from one brace or semicolon to the next."""

    def __init__(self, lines: Lines) -> None:
        self.keys: list[Key] = []
        self.references: list[Reference] = []
        self._lines = lines
        self._open: list[tuple[int, str]] = []  # index of the key or -1, and what it is

    def read(self, text: str, start: int, end: str) -> None:
        """Takes a declaration that starts at an offset and ends with `end`."""
        line = self._lines.of(start + len(text) - len(text.lstrip()))
        before = len(self.keys)
        word = self._declare(text.strip()[:LINE_CHARS], line)
        last = self._lines.of(start + len(text))
        if end == "{":
            self._open.append((before if len(self.keys) > before else -1, word))
        elif end == "}" and self._open:
            index, _ = self._open.pop()
            if index >= 0:
                self.keys[index] = replace(self.keys[index], end=last)
        elif len(self.keys) > before:
            self.keys[before] = replace(self.keys[before], end=last)

    def _declare(self, text: str, line: int) -> str:
        """Adds what a declaration declares; its keyword."""
        inside = self._open[-1][1] if self._open else ""
        if match := _HEAD.match(text):
            self._add(line, match[2], _KINDS[match[1]], text)
            return match[1]
        if match := _RPC.match(text):
            self._add(line, match[1], "method", text)
            self._use(line, match[2], match[3])
            return "rpc"
        if match := _EXTEND.match(text):
            self._use(line, match[1])
            self.keys.append(Key(line, len(self._open) + 1))
            return "extend"
        if match := _GROUP.match(text):
            self._add(line, match[1], "struct", text)
            return "group"
        if inside == "enum" and (match := _VALUE.match(text)):
            self._add(line, match[1], "constant", text)
        elif inside in {"message", "oneof", "extend", "group"} and (match := _FIELD.match(text)):
            self._add(line, match[3], "field", text)
            self._use(line, match[1] or match[2])
        return ""

    def _add(self, line: int, name: str, kind: KeyKind, text: str) -> None:
        signature = " ".join(text.split())
        self.keys.append(Key(line, len(self._open) + 1, name, kind, signature=signature))

    def _use(self, line: int, *types: str) -> None:
        for one in types:
            name = one.rpartition(".")[2]
            if one not in _SCALARS and name:
                self.references.append(Reference(name, line, "type"))
