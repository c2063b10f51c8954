"""Spans of secrets: joining them, replacing them, and turning bytes into characters."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


@dataclass(frozen=True, slots=True)
class SecretSpan:
    """A secret at `text[start:end]`, in characters; `rule` is what it looks like."""

    start: int
    end: int
    rule: str


def merge(spans: Iterable[SecretSpan]) -> list[SecretSpan]:
    """Sorted, with overlapping ones joined under the name of the longest."""
    merged: list[SecretSpan] = []
    longest = 0
    for span in sorted(spans, key=lambda s: (s.start, -s.end, s.rule)):
        length = span.end - span.start
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            rule = span.rule if length > longest else last.rule
            merged[-1] = SecretSpan(last.start, max(last.end, span.end), rule)
            longest = max(longest, length)
        elif length > 0:
            merged.append(span)
            longest = length
    return merged


def replace(text: str, spans: Sequence[SecretSpan]) -> tuple[str, Callable[[int], int]]:
    """The text with `spans` (sorted, apart) replaced, and the way back for its offsets."""
    pieces: list[str] = []
    here: list[int] = [0]  # where each kept piece starts in the new text,
    there: list[int] = [0]  # and where it starts in the old one
    end = length = 0
    for span in spans:
        mark = _marked(text[span.start : span.end], span.rule)
        pieces += (text[end : span.start], mark)
        length += span.start - end + len(mark)
        end = span.end
        here.append(length)
        there.append(end)
    pieces.append(text[end:])

    def origin(offset: int) -> int:
        at = bisect_right(here, offset) - 1
        limit = spans[at].start if at < len(spans) else len(text)
        return min(there[at] + offset - here[at], limit)

    return "".join(pieces), origin


def _marked(secret: str, rule: str) -> str:
    mark = f"[REDACTED:{rule}]"
    lines: list[str] = []
    for line in secret.split("\n"):
        if line.strip():
            indent = line[: len(line) - len(line.lstrip())]
            lines.append(indent + mark + ("\r" if line.endswith("\r") else ""))
        else:
            lines.append(line)
    return "\n".join(lines)


def outside(span: SecretSpan, marks: Sequence[tuple[int, int]]) -> Iterator[SecretSpan]:
    """What of a span is not covered by `marks` (start and end, sorted, apart)."""
    start = span.start
    for left, right in marks[max(bisect_right(marks, (start, 0)) - 1, 0) :]:
        if left >= span.end:
            break
        if start < left:
            yield SecretSpan(start, left, span.rule)
        start = max(start, right)
    if start < span.end:
        yield SecretSpan(start, span.end, span.rule)


def in_characters(
    text: str, data: bytes, spans: Iterable[tuple[int, int, str]]
) -> Iterator[SecretSpan]:
    """Byte offsets as character offsets, in one pass; `data` is the text as UTF-8."""
    ordered = sorted(spans)
    if len(text) == len(data):
        yield from (SecretSpan(*span) for span in ordered)
        return
    places = {0: 0}
    byte = char = 0
    for offset in sorted({offset for span in ordered for offset in span[:2]}):
        char += len(data[byte:offset].decode("utf-8", "ignore"))
        byte = offset
        places[byte] = char
    for start, end, rule in ordered:
        yield SecretSpan(places[start], places[end], rule)


def starts_of(lengths: Iterable[int]) -> list[int]:
    """Where each of several lines starts when one character stands between them."""
    starts = [0]
    for length in lengths:
        starts.append(starts[-1] + length + 1)
    return starts[:-1] or [0]
