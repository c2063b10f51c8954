"""Globs over paths, compiled to a linear-time matcher.

A glob without a slash matches a file's name in any folder; one with a slash is anchored at the
source's root. `*` and `?` stay within a folder, `**` crosses folders, `[…]` is a set, `{a,b}` are
alternatives, and a glob that ends in a slash means everything below that folder.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from clew.errors import ForbiddenError, InputError
from clew.tools.patterns import compile_pattern
from clew.tools.result import shown

if TYPE_CHECKING:
    from clew.redact.linear import Pattern

MAX_GLOB = 500  # characters
HELP = 'examples: "*.py", "src/**", "src/**/test_*.py", "*.{ts,tsx}"'


@dataclass(frozen=True, slots=True)
class Glob:
    """A compiled glob."""

    text: str
    pattern: Pattern

    def match(self, path: str) -> bool:
        """Whether the whole path matches."""
        return self.pattern.search(path.encode("utf-8", "replace")) is not None


def compile_glob(text: str) -> Glob:
    """Compile a glob.

    Raises:
        InputError: It is empty, too long, negated, or a bracket is not closed.
        ForbiddenError: It leaves the source, or holds a NUL.
    """
    glob = text.strip().replace("\\", "/")
    if not glob or len(glob) > MAX_GLOB:
        raise InputError(f"A glob has 1 to {MAX_GLOB} characters; {HELP}.")
    if "\x00" in glob or ".." in glob.split("/") or glob.startswith("~"):
        raise ForbiddenError(
            f'The glob "{shown(text)}" leaves the source: give one relative to its root; {HELP}.'
        )
    if glob.startswith("!"):
        raise InputError(f'The glob "{shown(text)}" is negated: say what to include; {HELP}.')
    while glob.startswith("./"):
        glob = glob[2:]
    anchored = "/" in glob.rstrip("/")
    glob = glob.lstrip("/")
    if glob.endswith("/") or not glob:
        glob += "**"
    regex = _Translator(glob, shown(text)).regex()
    try:
        pattern = compile_pattern(rf"\A{'' if anchored else '(?:.*/)?'}{regex}\z")
    except InputError:  # such as a set that runs backwards, [z-a]
        raise InputError(f'The glob "{shown(text)}" can\'t be read; {HELP}.') from None
    return Glob(text, pattern)


class _Translator:
    """Turns one glob into one regular expression."""

    def __init__(self, glob: str, name: str) -> None:
        self._glob = glob
        self._name = name
        self._depth = 0

    def regex(self) -> str:
        parts: list[str] = []
        at = 0
        while at < len(self._glob):
            part, at = self._next(at)
            parts.append(part)
        if self._depth:
            raise self._bad("{")
        return "".join(parts)

    def _next(self, at: int) -> tuple[str, int]:
        rest, sign = self._glob[at:], self._glob[at]
        if rest.startswith("**/"):
            return "(?:.*/)?", at + 3
        if rest.startswith("**"):
            return ".*", at + 2
        if sign == "[":
            return self._set(at)
        if sign in "{}" or (sign == "," and self._depth):
            return self._alternatives(sign), at + 1
        simple = {"*": "[^/]*", "?": "[^/]"}
        return simple.get(sign) or _literal(sign), at + 1

    def _alternatives(self, sign: str) -> str:
        self._depth += {"{": 1, "}": -1, ",": 0}[sign]
        if self._depth < 0:
            raise self._bad("}")
        return {"{": "(?:", "}": ")", ",": "|"}[sign]

    def _set(self, at: int) -> tuple[str, int]:
        negated = self._glob[at + 1 : at + 2] in ("!", "^")
        first = at + 1 + negated
        end = self._glob.find("]", first + 1)
        if end < 0:
            raise self._bad("[")
        inner = "".join(c if c == "-" else _literal(c) for c in self._glob[first:end] if c != "/")
        return f"[{'^/' if negated else ''}{inner}]", end + 1

    def _bad(self, sign: str) -> InputError:
        return InputError(f'The glob "{self._name}" has a "{sign}" without its partner; {HELP}.')


def _literal(sign: str) -> str:
    return sign if sign.isalnum() or sign in "_/" or not sign.isascii() else "\\" + sign
