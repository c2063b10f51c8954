"""Items of Rust that a macro wraps (`cfg_rt! { pub fn f() {} }`), opened up before the parse.

To the grammar what stands in a macro's braces is a run of tokens. Where that text is items by
itself, the macro's name and its braces are blanked in their place, so that the items are parsed
like any other. A macro with a syntax of its own keeps its tokens, and so does code that is quoted.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING, Final

from clew.chunks.preprocess import Hidden, blank

if TYPE_CHECKING:
    from collections.abc import Callable

# Braces, and the literals and comments in which they mean nothing.
_BRACE: Final = re.compile(
    rb"[{}]|//[^\n]*|/\*.*?(?:\*/|\Z)|\bb?r(#*)\".*?(?:\"\1|\Z)|\"(?:[^\"\\]|\\.)*\""
    rb"|'(?:[^'\\\n\x80-\xff]|[\x80-\xff]{2,4}|\\.[^'\n]{0,10})'",
    re.DOTALL,
)
_CALL: Final = re.compile(rb"^[ \t]*(?:\w+::)*(\w+)!\s*(\{)", re.MULTILINE)
_ATTRIBUTES: Final = (
    rb"(?:\s|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/|\#!?\[(?:[^\[\]]|\[[^\[\]]*\])*+\])*+"
)
_ITEM: Final = re.compile(
    _ATTRIBUTES
    + rb"(?:(?:pub(?:\s*\([^()]*\))?|const|async|unsafe|default|safe|extern(?:\s*\"+)?)\s+)*"
    rb"(?:(?:fn|struct|enum|union|trait|impl|mod|type|static|const|use|extern)\b"
    rb"|(?:\w+::)*\w+!\s*[{(\[])"
)
# `if #[cfg(…)] {`, `} else if #[cfg(…)] {` and `} else {`: what `cfg_if!` holds.
_BRANCH: Final = re.compile(rb"\s*(?:else\b\s*)?(?:if\s*\#\[(?:[^\[\]]|\[[^\[\]]*\])*+\]\s*)?(\{)")

# What another macro makes code of, and the bodies of macros: templates, not items of this file.
_TEMPLATES: Final = re.compile(rb"quote|\Amacro_rules\Z")

_DEPTH: Final = 4  # of macros in macros; each level is parsed once more
_LOOK_BACK: Final = 4_000  # bytes of comments before a macro


def unwrap(data: bytes, parses: Callable[[bytes], bool]) -> Hidden:
    """Blanks what stands around items that are the arguments of a macro.

    Args:
        data: A file's text in UTF-8.
        parses: Whether a text is code without an error.
    """
    found = [call for call in _CALL.finditer(data) if _may_hold_items(data, call)]
    closing = _pairs(data) if found else {}
    around: list[int] = []  # where the macros end that were opened up around here
    opaque = 0  # the end of the last one that was not
    spans: list[tuple[int, int]] = []
    calls: list[tuple[int, str]] = []
    for call in found:
        close = closing.get(call.start(2))
        while around and call.start() > around[-1]:
            around.pop()
        if close is None or call.start() < opaque:  # in a comment, or in a template
            continue
        bodies = _bodies(data, call, close, closing) if len(around) < _DEPTH else []
        if not bodies or not all(parses(data[start:end]) for start, end in bodies):
            opaque = close
            continue
        around.append(close)
        calls.append((call.start(1), call[1].decode()))
        starts = [call.start(), *(end for _, end in bodies)]
        ends = [*(start for start, _ in bodies), close + 1]
        spans += zip(starts, ends, strict=True)
    return _hidden(data, spans, calls) if spans else Hidden(data)


def _may_hold_items(data: bytes, call: re.Match[bytes]) -> bool:
    start = call.end()
    templates = _TEMPLATES.search(call[1]) is not None
    return (
        templates or _ITEM.match(data, start) is not None or _BRANCH.match(data, start) is not None
    )


def _bodies(
    data: bytes, call: re.Match[bytes], close: int, closing: dict[int, int]
) -> list[tuple[int, int]]:
    """The texts inside a macro's braces that may be items; none when it holds anything else."""
    if _TEMPLATES.search(call[1]) or _before(data, call.start()) not in b";{}]":
        return []
    start = call.end()
    if _ITEM.match(data, start, close):
        return [(start, close)]
    found: list[tuple[int, int]] = []
    while branch := _BRANCH.match(data, start, close):
        end = closing.get(branch.start(1), close)
        if data[branch.end() : end].strip() and not _ITEM.match(data, branch.end(), end):
            return []
        found.append((branch.end(), end))
        start = end + 1
    return [] if data[start:close].strip() else found


def _before(data: bytes, at: int) -> bytes:
    """The last byte before an offset that is in no comment on its own lines; none at the start."""
    cut = at > _LOOK_BACK  # then the first line is a part of one
    lines = data[at - _LOOK_BACK if cut else 0 : at].rstrip().split(b"\n")[cut:]
    while lines and lines[-1].lstrip().startswith((b"//", b"*", b"/*")):
        lines.pop()
    return lines[-1].partition(b" //")[0].rstrip()[-1:] if lines else b""


def _hidden(data: bytes, spans: list[tuple[int, int]], calls: list[tuple[int, str]]) -> Hidden:
    seen = bytearray(data)
    for start, end in spans:
        seen[start:end] = blank(data[start:end])
    ends = [match.start() for match in re.finditer(rb"\n", data)]

    def row(at: int) -> int:
        return bisect_left(ends, at) + 1

    def is_blank(line: int) -> bool:
        start = ends[line - 2] + 1 if line > 1 else 0
        return not seen[start : ends[line - 1] if line <= len(ends) else None].strip()

    rows = {line for start, end in spans for line in range(row(start), row(end - 1) + 1)}
    lines = frozenset(filter(is_blank, rows))
    opening = lines & {row(end - 1) for _, end in spans if data[end - 1 : end] == b"{"}
    return Hidden(bytes(seen), lines, opening, calls=tuple((row(at), name) for at, name in calls))


def _pairs(data: bytes) -> dict[int, int]:
    """Where each brace that is opened is closed."""
    found: dict[int, int] = {}
    open_ones: list[int] = []
    for brace in _BRACE.finditer(data):
        if brace[0] == b"{":
            open_ones.append(brace.start())
        elif brace[0] == b"}" and open_ones:
            found[open_ones.pop()] = brace.start()
    return found
