"""Patterns as a model or a person writes them: compiled for single lines, or refused with help.

A refusal says why and how to write the pattern instead.
"""

from __future__ import annotations

from clew.errors import InputError
from clew.redact.linear import Pattern, compile_linear, literal
from clew.tools.result import clip, shown

MAX_PATTERN = 1_000  # characters
MAX_MEMORY = 8 << 20  # bytes of automaton; past it RE2 goes on, slower, in constant memory


def compile_pattern(pattern: str, *, ignore_case: bool = False) -> Pattern:
    """Compile a regular expression that matches within single lines.

    `^` and `$` are the ends of a line, and nothing in the pattern matches a line break.

    Raises:
        InputError: RE2 refuses it; the message says why and how to write it.
    """
    try:
        return compile_linear(
            f"(?m){pattern}",
            never_capture=True,
            never_nl=True,
            case_sensitive=not ignore_case,
            max_mem=MAX_MEMORY,
        )
    except ValueError as error:
        raise InputError(_explain(pattern, str(error))) from None


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
    plain = shown(literal(pattern), 160)
    return (
        f'The pattern "{name}" is not a valid regular expression ({shown(reason, 80)}); to find it '
        f"as literal text, write: {plain}"
    )
