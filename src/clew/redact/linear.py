"""Regular expressions in linear time: the typed boundary of RE2, which ships no types.

Nothing here decides what to search for. Patterns and texts are bytes, so offsets are bytes.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Match(Protocol):
    """Where a pattern matched; an unmatched group's span is (-1, -1)."""

    def span(self, group: int = 0) -> tuple[int, int]:
        """Start and end of a group, in bytes of the searched text."""
        ...


class Pattern(Protocol):
    """A compiled pattern; safe to use from several threads."""

    def finditer(self, text: bytes) -> Iterator[Match]:
        """The matches, from left to right, apart."""
        ...

    def search(self, text: bytes) -> Match | None:
        """The first match."""
        ...

    def match(self, text: bytes) -> Match | None:
        """A match at the very start."""
        ...


def compile_linear(pattern: str) -> Pattern:
    """Compiles RE2 syntax: no look-around, no back-references, at most 1,000 repetitions.

    Raises:
        ValueError: The pattern is not RE2; the message says where.
    """
    library = importlib.import_module("re2")
    options = library.Options()
    options.log_errors = False  # else it writes to standard error
    compiler = cast("Callable[[bytes, object], Pattern]", library.compile)
    try:
        return compiler(pattern.encode("utf-8"), options)
    except library.error as error:
        raise ValueError(_message(error)) from error


def _message(error: Exception) -> str:
    text: object = error.args[0] if error.args else ""
    return text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)
