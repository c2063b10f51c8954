"""TOML, INI and properties: tables, sections and settings, one a line.

A table or section is a block; its settings are places to cut. Values aren't read.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clew.chunks.outline import Key, Outline
from clew.chunks.readers.masks import clip

if TYPE_CHECKING:
    from collections.abc import Sequence

_TABLE = re.compile(r"""\s*\[{1,2}\s*((?:"[^"]*"|'[^']*'|[^\]"'#])+?)\s*\]{1,2}\s*(?:[#;].*)?\Z""")
_SETTING = re.compile(r"""\s*((?:"[^"]*"|'[^']*'|[\w$@/*-]+)(?:\s*\.\s*(?:"[^"]*"|[\w-]+))*)\s*=""")
_INI_SETTING = re.compile(r"([^\s#;=:\[][^=:]*?)\s*[=:]")
_VARIABLE = re.compile(r"(?:export\s+)?([A-Z][A-Z0-9_]+)=")
_LONG_TEXT = re.compile(r'"""|' + "'''")


def read_toml(lines: Sequence[str]) -> Outline:
    """The tables of a TOML file, as modules, and the settings before the first, as fields."""
    keys: list[Key] = []
    quote = ""
    depth = 1
    for number, line in enumerate(clip(lines), 1):
        if not quote and (match := _TABLE.match(line)) and "=" not in match[1]:
            owner, _, name = match[1].rpartition(".")
            keys.append(Key(number, 1, _bare(name), "module", owner=_bare(owner)))
            depth = 2
        elif not quote and (match := _SETTING.match(line)):
            keys.append(Key(number, depth, _bare(match[1]), "field" if depth == 1 else ""))
        for mark in _LONG_TEXT.findall(line):
            quote = "" if mark == quote else quote or mark
    return Outline(keys)


def read_ini(lines: Sequence[str]) -> Outline:
    """The sections of an INI file, as modules; an indented line continues the one before."""
    keys: list[Key] = []
    depth = 1
    for number, line in enumerate(clip(lines), 1):
        if match := _TABLE.match(line):
            keys.append(Key(number, 1, _bare(match[1]), "module"))
            depth = 2
        elif match := _INI_SETTING.match(line):
            keys.append(Key(number, depth, match[1]))
    return Outline(keys, comment=("#", ";"))


def read_properties(lines: Sequence[str]) -> Outline:
    """The settings of a properties or environment file; names in capitals are constants."""
    keys: list[Key] = []
    for number, line in enumerate(clip(lines), 1):
        if match := _VARIABLE.match(line):
            keys.append(Key(number, 1, match[1], "constant"))
        elif match := _INI_SETTING.match(line):
            keys.append(Key(number, 1, match[1]))
    return Outline(keys, comment=("#", "!"))


def _bare(name: str) -> str:
    return name.strip().strip("\"'")
