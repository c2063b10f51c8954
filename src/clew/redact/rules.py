"""Our own rules, read from `secrets.toml` beside this file."""

from __future__ import annotations

import functools
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from clew.redact.checks import CHECKS
from clew.redact.linear import Pattern, compile_linear

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

RULES_TEXT: Final = Path(__file__).with_name("secrets.toml").read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class _Rule:
    id: str
    keywords: tuple[bytes, ...]
    pattern: Pattern
    check: Callable[[str], bool]


@functools.cache
def _rules() -> tuple[_Rule, ...]:
    rules = cast("list[dict[str, object]]", tomllib.loads(RULES_TEXT)["rules"])
    return tuple(
        _Rule(
            id=str(rule["id"]),
            keywords=tuple(word.encode() for word in cast("list[str]", rule["keywords"])),
            pattern=compile_linear(str(rule["pattern"])),
            check=CHECKS[str(rule["check"])],
        )
        for rule in rules
    )


@functools.cache
def _any_keyword() -> Pattern:
    """All keywords in one pass: most texts have none, and 50 passes cost as much as the engine."""
    words = {re.escape(word.decode()) for rule in _rules() for word in rule.keywords}
    return compile_linear("|".join(sorted(words)))


def find_by_rules(data: bytes) -> Iterator[tuple[int, int, str]]:
    """Start, end (in bytes) and rule of what our own rules find in UTF-8 text."""
    if not _any_keyword().search(data):
        return
    for rule in _rules():
        if any(word in data for word in rule.keywords):
            for match in rule.pattern.finditer(data):
                start, end = match.span(1)
                if rule.check(data[start:end].decode("utf-8", "replace")):
                    yield start, end, rule.id
