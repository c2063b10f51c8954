"""The one typed door to RE2: compile a pattern, find it in bytes, explain what RE2 refuses.

RE2 takes linear time whatever the pattern, so no pattern can hang a question; in return it has no
look-around and no back-references, and the error says what to do instead.
"""

from __future__ import annotations

from typing import Any, Protocol, cast

import re2 as _untyped  # pyright: ignore[reportMissingTypeStubs] - its wheel has none

from clew.errors import InputError
from clew.tools.result import clip, shown

MAX_PATTERN = 1_000  # characters
MAX_MEMORY = 8 << 20  # bytes of automaton; past it RE2 goes on, slower, in constant memory
re2: Any = _untyped


class Match(Protocol):
    """A match; offsets are bytes."""

    def start(self) -> int:
        """Where it starts."""
        ...

    def end(self) -> int:
        """Where it ends, exclusive."""
        ...


class Pattern(Protocol):
    """A compiled pattern."""

    def search(self, text: bytes, pos: int | None = None) -> Match | None:
        """The first match at or after byte `pos`; anchors see the whole text."""
        ...


def compile_pattern(pattern: str, *, ignore_case: bool = False) -> Pattern:
    """Compile a regular expression that matches within single lines.

    `^` and `$` are the ends of a line, and nothing in the pattern matches a line break.

    Raises:
        InputError: RE2 refuses it; the message says why and how to write it.
    """
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    options.never_nl = True
    options.case_sensitive = not ignore_case
    options.max_mem = MAX_MEMORY
    try:
        return cast("Pattern", re2.compile(b"(?m)" + pattern.encode("utf-8", "replace"), options))
    except re2.error as error:
        raise InputError(_explain(pattern, _reason(error))) from None


def _reason(error: BaseException) -> str:
    reason = error.args[0] if error.args else ""
    return reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)


def _explain(pattern: str, reason: str) -> str:
    name = shown(pattern)
    if "invalid perl operator" in reason or "invalid named capture" in reason:
        return (
            f'The pattern "{name}" uses look-around or a group RE2 does not have: search for the '
            "part that must occur, and leave the rest to reading the matches."
        )
    if "invalid escape sequence" in reason and any(
        f"\\{digit}" in pattern for digit in "123456789"
    ):
        return (
            f'The pattern "{name}" uses a back-reference, which RE2 does not have: write the '
            "repeated text out, or search for its first part."
        )
    if "too large" in reason or "repetition size" in reason:
        return f'The pattern "{name}" repeats too much ({clip(reason, 80)}): use + or * instead.'
    literal = shown(cast("str", re2.escape(pattern)), 160)
    return (
        f'The pattern "{name}" is not a valid regular expression ({shown(reason, 80)}); to find it '
        f"as literal text, write: {literal}"
    )
