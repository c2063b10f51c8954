"""From a text to its secrets: the engine, our own rules, private keys, and once more."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Final

from clew.redact.engine import ENGINE, scan_windows
from clew.redact.private_keys import find_private_keys
from clew.redact.rules import RULES_TEXT, find_by_rules
from clew.redact.spans import SecretSpan, in_characters, merge, outside, replace, starts_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_LOGIC: Final = 2  # raise it when this package finds other things with the same rules
_ROUNDS: Final = 8  # the second look nearly always finds nothing
_ECHOES: Final = 64  # how many found values are looked for elsewhere in the same text
_ECHO_LENGTH: Final = 16  # characters; a shorter value may be a common word

SCANNER: Final = f"{ENGINE}+{_LOGIC}.{hashlib.sha256(RULES_TEXT.encode()).hexdigest()[:12]}"
"""The version of engine and rules: what is cached under it is scanned again when it changes."""

_MARK: Final = re.compile(r"\[REDACTED:[a-z0-9-]{1,60}\]")


def find_secrets(text: str) -> tuple[SecretSpan, ...]:
    """The secrets of a whole text, sorted and apart.

    Replacing one secret can lay another bare (they shared a match), so the redacted text is
    looked at again until nothing new is found: `redact` of a redacted text changes nothing.

    Raises:
        PermanentError: The engine can't be used; then the text must not be used either.
    """
    spans = merge(_scan(text))
    if not spans:
        return ()
    for _ in range(_ROUNDS):
        redacted, origin = replace(text, spans)
        found = [SecretSpan(origin(s.start), origin(s.end), s.rule) for s in _scan(redacted)]
        grown = merge([*spans, *found])
        if grown == spans:
            break
        spans = grown
    return tuple(spans)


def apply(text: str, spans: Iterable[SecretSpan]) -> str:
    r"""Replaces each span by `[REDACTED:<rule>]`.

    A secret of several lines gets a mark on each of its lines, and keeps each line's indentation
    and its line end (`\n` or `\r\n`).
    """
    return replace(text, merge(spans))[0]


def redact(text: str) -> str:
    """The text without its secrets: for questions, log lines and other short strings."""
    return apply(text, find_secrets(text))


def secret_names(paths: Iterable[str]) -> frozenset[str]:
    """Those of the paths that hold a secret in their very name: one scan over all of them."""
    listed = list(paths)
    flat = [path.replace("\n", " ") for path in listed]
    starts = starts_of(map(len, flat))
    spans = find_secrets("\n".join(flat))
    suspects = {listed[bisect_right(starts, span.start) - 1] for span in spans}
    return frozenset(path for path in suspects if find_secrets(path))


def _scan(text: str) -> list[SecretSpan]:
    """Everything that looks like a secret, except inside marks of an earlier redaction."""
    # NUL would end the text for the engine, and a lone surrogate has no bytes: one character
    # takes the place of each, so that offsets hold.
    clean = text.encode("utf-8", "replace").decode("utf-8").replace("\0", " ")
    data = clean.encode("utf-8")
    ours = {*find_by_rules(data), *find_private_keys(data)}
    found = [*in_characters(clean, data, ours), *scan_windows(clean)]
    found += _echoes(clean, found)
    marks = [(m.start(), m.end()) for m in _MARK.finditer(clean)]
    return [piece for span in found for piece in outside(span, marks)] if marks else found


def _echoes(text: str, found: Sequence[SecretSpan]) -> Iterator[SecretSpan]:
    """The same values again, where nothing around them says what they are."""
    values = {text[s.start : s.end]: s.rule for s in found if s.end - s.start >= _ECHO_LENGTH}
    for value, rule in list(values.items())[:_ECHOES]:
        at = text.find(value)
        while at >= 0:
            yield SecretSpan(at, at + len(value), rule)
            at = text.find(value, at + len(value))
