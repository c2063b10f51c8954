r"""Names in a git tree are bytes; paths in Clew are text that can be printed, stored and typed.

A name that is plain UTF-8 stays as it is. Bytes that are not UTF-8, and characters that would
break a line or turn a terminal around (controls, line separators, bidirectional overrides), are
written as `\xNN` in place, so folders stay prefixes of what they hold. A backslash that would
read as such an escape is written `\x5c`. So the form is lossless: `raw(show(name)) == name`.
"""

from __future__ import annotations

import re

_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\udc80-\udcff]")
_ESCAPE = re.compile(r"\\x([01][0-9a-f]|7f|[89a-f][0-9a-f]|5c)")


def show(name: bytes) -> str:
    """Return the printable form of a name from git."""
    text = name.decode("utf-8", "surrogateescape")
    text = _ESCAPE.sub(lambda found: r"\x5c" + found[0][1:], text)
    return _UNSAFE.sub(lambda found: _escape(found[0]), text)


def raw(path: str) -> bytes:
    """Return the bytes that git knows a path by; the inverse of `show`."""
    parts = _ESCAPE.split(path)
    return b"".join(
        bytes([int(part, 16)]) if index % 2 else part.encode("utf-8", "surrogateescape")
        for index, part in enumerate(parts)
    )


def _escape(character: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in character.encode("utf-8", "surrogateescape"))
