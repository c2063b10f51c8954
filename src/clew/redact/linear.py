"""Regular expressions in linear time: the one typed door to RE2, which ships no types.

RE2 takes linear time whatever the pattern, so no pattern can hang a question; in return it has no
look-around and no back-references. Nothing here decides what to search for. Patterns and texts are
bytes, so offsets are bytes.
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

    def start(self) -> int:
        """Where the whole match starts."""
        ...


class Pattern(Protocol):
    """A compiled pattern; safe to use from several threads."""

    def finditer(self, text: bytes) -> Iterator[Match]:
        """The matches, from left to right, apart."""
        ...

    def search(self, text: bytes, pos: int | None = None) -> Match | None:
        """The first match at or after byte `pos`; anchors see the whole text."""
        ...

    def match(self, text: bytes) -> Match | None:
        """A match at the very start."""
        ...


def compile_linear(pattern: str, **options: bool | int) -> Pattern:
    """Compiles RE2 syntax: no look-around, no back-references, at most 1,000 repetitions.

    Args:
        pattern: What to find; what is no character in it matches nothing.
        options: RE2's own, by name.

    Raises:
        ValueError: The pattern is not RE2; the message says where.
    """
    library = importlib.import_module("re2")
    chosen = library.Options()
    chosen.log_errors = False  # else it writes to standard error
    for name, value in options.items():
        setattr(chosen, name, value)
    compiler = cast("Callable[[bytes, object], Pattern]", library.compile)
    try:
        return compiler(pattern.encode("utf-8", "replace"), chosen)
    except library.error as error:
        raise ValueError(_message(error)) from error


def literal(text: str) -> str:
    """The pattern that matches a text as it stands."""
    return cast("Callable[[str], str]", importlib.import_module("re2").escape)(text)


def _message(error: Exception) -> str:
    text: object = error.args[0] if error.args else ""
    return text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)
