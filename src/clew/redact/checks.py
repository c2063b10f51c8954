"""Tests on a single value that a rule has cut out: could it be a secret at all?"""

from __future__ import annotations

import re
from collections import Counter
from math import log2
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

# What stands for a value instead of being one: ${VAR}, #{var}, {var}, {{ var }}, <var>, [var],
# $(command), %(var)s, %s, %VAR%, $VAR, :var, the rest of
# [:var]. No part can match the same text in two ways.
_STAND_IN: Final = re.compile(
    r"[$#%]?\{[^{}]*\}|[{}]|[$%]?\([^()]*\)[sdr]?|<[^<>]*>|\[[^\[\]]*\]"
    r"|%(?:\[\d\])?[sdqvr](?!\w)|%[A-Z_]+%|\$(?:[a-z_]+|[A-Z0-9_]+)\b|^:\w+$|^[a-z_]+\]$"
)
_PORT: Final = re.compile(r"\d{1,5}[^\w!$%^*+~-]")

_SAID_SO: Final = frozenset({"PASSWORD", "PASSWD", "PASS", "YOUR_PASSWORD"})


def is_token(value: str) -> bool:
    """Not an example such as `ghp_xxxxxxxx`: its end is more than one or two characters."""
    return len(set(value[-12:])) > 2


def is_mixed(value: str) -> bool:
    """A small letter, a capital and a digit: neither a word nor a hex digest."""
    return (
        any(c.islower() for c in value)
        and any(c.isupper() for c in value)
        and any(c.isdigit() for c in value)
    )


def is_random(value: str) -> bool:
    """A letter, a digit, and at least 3 bits of entropy a character."""
    if not (any(c.isalpha() for c in value) and any(c.isdigit() for c in value)):
        return False
    total = len(value)
    return -sum(n / total * log2(n / total) for n in Counter(value).values()) >= 3.0


def is_password(value: str) -> bool:
    """Not a placeholder or interpolation, and not a port before something else with an "@"."""
    if _PORT.match(value):
        return False
    if value in _SAID_SO:
        return False
    left = _STAND_IN.sub("", value)
    return any(c.isalnum() for c in left) and set(left.lower()) != {"x"}


def is_generated(value: str) -> bool:
    """What a generator makes, and not a word that somebody thought of for an example."""
    return is_mixed(value) and is_random(value) and is_password(value)


CHECKS: Final[dict[str, Callable[[str], bool]]] = {
    "token": is_token,
    "mixed": is_mixed,
    "random": is_random,
    "password": is_password,
    "generated": is_generated,
}
