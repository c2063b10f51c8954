"""JSON, JSON5 and JSON with comments: keys by the brackets around them.

A reader of our own, because it takes comments, trailing commas and what is cut off as they come.
Keys are no symbols: JSON holds data as often as configuration, and every record has the same.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from clew.chunks.outline import Key, Outline

if TYPE_CHECKING:
    from collections.abc import Sequence

_TOKEN = re.compile(
    r"""(?P<text>"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?)|(?P<open>[{\[])|(?P<close>[}\]])"""
    r"""|(?P<colon>:)|(?P<comma>,)|//[^\n]*|/\*.*?(?:\*/|\Z)|(?P<line>\n)|(?P<word>[\w$.+-]+)""",
    re.DOTALL,
)
_DEEPEST: Final = 4
_NAME_LIMIT: Final = 100


def read_json(lines: Sequence[str]) -> Outline:
    """The keys of objects down to the fourth level, and the items of lists as places to cut."""
    keys: list[Key] = []
    line, depth = 1, 0
    name, name_line = "", 0
    in_list: list[bool] = []
    for match in _TOKEN.finditer("\n".join(lines)):
        kind = match.lastgroup
        if kind in {"text", "word"}:
            name, name_line = match[0], line
        elif kind == "colon" and name and 0 < depth <= _DEEPEST:
            keys.append(Key(name_line, depth, name.strip("\"'")[:_NAME_LIMIT]))
        elif kind == "open":
            if in_list and in_list[-1] and depth <= _DEEPEST:
                keys.append(Key(line, depth))
            in_list.append(match[0] == "[")
            depth += 1
        elif kind == "close" and depth:
            in_list.pop()
            depth -= 1
        line += match[0].count("\n")
    return Outline(keys, comment=("//", "#"))
