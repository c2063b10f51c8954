"""Makefiles: targets, variables and what they use.

A reader of our own, because a Makefile's rules are told by its lines alone and the grammar stops
at the functions of GNU make.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from clew.chunks.outline import Key, Outline
from clew.chunks.readers.masks import clip
from clew.types import Reference

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_VARIABLE = re.compile(
    r"(?:(?:export|override|private|unexport)\s+)*(?:define\s+)?([\w.%-]+)\s*(?:\?|\+|!|:{1,3})?=|define\s+([\w.-]+)"
)
_RULE = re.compile(r"([^\s#:=$(][^#:=]*?)\s*(?:&?:{1,2})(?![:=])\s*([^=#;]*)")
_INCLUDE = re.compile(r"[-s]?include\s+(\S+)")
_USE = re.compile(r"\$[({]([\w.-]+)[)}]")
_WORD = re.compile(r"(?<!\S)[\w./-]*\w[\w./-]*(?!\S)")
_TARGET = re.compile(r"[\w./%$()+-]+\Z")
# Names of targets that are words to make itself.
_SPECIAL: Final = re.compile(r"\.[A-Z_]+\Z")


def read_makefile(lines: Sequence[str]) -> Outline:
    """Targets as functions and variables; prerequisites and `$(NAME)` as uses."""
    keys: list[Key] = []
    references: list[Reference] = []
    inside = continued = False
    for number, line in enumerate(clip(lines), 1):
        if not continued and not inside and line[:1].strip() and line[0] != "#":
            keys.extend(_keys(number, line))
            inside = line.startswith("define ")
            references.extend(_prerequisites(number, line))
        elif line.startswith("endef"):
            inside = False
        references.extend(Reference(name, number, "use") for name in _USE.findall(line))
        continued = line.endswith("\\")
    seen: set[str] = set()
    first: list[Key] = []
    for key in keys:
        again = key.kind == "variable" and key.name in seen
        seen.add(key.name)
        first.append(Key(key.line, 1) if again else key)
    return Outline(first, references)


def _keys(number: int, line: str) -> Iterator[Key]:
    if match := _VARIABLE.match(line):
        yield Key(number, 1, match[1] or match[2], "variable")
    elif (match := _RULE.match(line)) and not _INCLUDE.match(line):
        for name in match[1].split():
            if _SPECIAL.match(name):
                yield Key(number, 1)
            elif _TARGET.match(name):
                yield Key(number, 1, name, "" if {"$", "%"} & set(name) else "function")


def _prerequisites(number: int, line: str) -> Iterator[Reference]:
    if match := _INCLUDE.match(line):
        yield Reference(match[1], number, "import")
        return
    match = None if _VARIABLE.match(line) else _RULE.match(line)
    if match and not _SPECIAL.match(match[1]):
        for name in _WORD.findall(match[2]):
            yield Reference(name, number, "call")
