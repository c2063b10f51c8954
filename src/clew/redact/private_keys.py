r"""Finds private keys in PEM, PGP and SSH armour, also when one end is cut off.

A key may stand in a string literal, in JSON with `\n` for its line ends, in a comment, in YAML,
or be joined by `+` over several literals. A marker alone is no key: programs that read keys name
them (`startswith("-----BEGIN PRIVATE KEY-----")`), so there must be key material beside it.
Linear in the length of the text: no byte is looked at for more than two markers.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from clew.redact.linear import Pattern, compile_linear

if TYPE_CHECKING:
    from collections.abc import Iterator

RULE: Final = "private-key"

# Bytes between BEGIN and END when not all of it is base64; past that, they belong to two things.
_LIMIT: Final = 65_536

# What may stand between two lines of a key: line ends (also as `\n` in a literal), quotes,
# commas, plus signs, comment and quotation marks.
_GAP: Final = r"""(?:\\[nrt]|[\s"'`+,;#*>|/\\&-]){0,100}"""
_HEADERS: Final = rf"(?:{_GAP}[A-Za-z][A-Za-z-]{{2,20}}: [^\n\\]{{0,100}}){{0,6}}"
_LINE: Final = r"[A-Za-z0-9+/=]{16,}"


@dataclass(frozen=True, slots=True)
class _Patterns:
    marker: Pattern
    body: Pattern  # nothing but base64 between BEGIN and END
    line: Pattern  # one line that is long enough to be of a key
    after_begin: Pattern  # group 1: as much as looks like a key
    last_line: Pattern  # group 1: the short line that may follow; not the first word of a sentence
    before_end: Pattern  # the same over reversed bytes


@functools.cache
def _patterns() -> _Patterns:
    return _Patterns(
        marker=compile_linear(
            r"(?i)-{4,5} ?(BEGIN|END)[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
        ),
        body=compile_linear(rf"^{_HEADERS}(?:{_GAP}[\w+/=-]{{12,}})+{_GAP}[\w+/=]{{0,20}}{_GAP}$"),
        line=compile_linear(r"[A-Za-z0-9+/_=-]{40}"),
        after_begin=compile_linear(rf"^({_HEADERS}(?:{_GAP}{_LINE})+)"),
        last_line=compile_linear(rf"""^({_GAP}[A-Za-z0-9+/]{{1,15}}={{0,2}})(?:["'`\\\r\n]|$)"""),
        before_end=compile_linear(rf"^({_GAP}(?:[A-Za-z0-9+/=]{{1,15}})?(?:{_GAP}{_LINE})+)"),
    )


def find_private_keys(data: bytes) -> Iterator[tuple[int, int, str]]:
    """Start, end (in bytes) and rule of every private key in UTF-8 text."""
    if b"PRIVATE KEY" not in data and b"private key" not in data:
        return
    markers = [(*m.span(), *m.span(1)) for m in _patterns().marker.finditer(data)]
    kinds = [data[left:right].upper() for _, _, left, right in markers]
    ends = [end for _, end, _, _ in markers]
    for index, (start, end, _, _) in enumerate(markers):
        after = markers[index + 1][0] if index + 1 < len(markers) else len(data)
        if kinds[index] == b"BEGIN":
            if kinds[index + 1 : index + 2] == [b"END"]:
                if _is_key(data[end:after]):
                    yield start, ends[index + 1], RULE
            elif length := _length_after(data[end:after]):
                yield start, end + length, RULE
        elif index == 0 or kinds[index - 1] == b"END":
            before = ends[index - 1] if index else 0
            if length := _length(_patterns().before_end, data[before:start][::-1]):
                yield start - length, end, RULE


def _is_key(between: bytes) -> bool:
    patterns = _patterns()
    if len(between) <= _LIMIT and patterns.line.search(between):
        return True
    return patterns.body.match(between) is not None


def _length_after(data: bytes) -> int:
    """How many bytes after a BEGIN without END belong to its key."""
    length = _length(_patterns().after_begin, data)
    last = _patterns().last_line.match(data[length:]) if length else None
    return length + (last.span(1)[1] if last else 0)


def _length(pattern: Pattern, data: bytes) -> int:
    """How many bytes at the start of `data` belong to a key; 0 when no line looks like one."""
    found = pattern.match(data)
    if found is None:
        return 0
    end = found.span(1)[1]
    return end if _patterns().line.search(data[:end]) else 0
