"""Changes a sentence's text where a check found something: repaired citations, visible marks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from clew.verify import layout as marks
from clew.verify.pathlike import write_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clew.verify.claims import PathClaim
    from clew.verify.layout import Layout
    from clew.verify.pathlike import Range

_CLOSERS = re.compile(r"[`*\"”’]*")


@dataclass(frozen=True, slots=True)
class Edit:
    """Put `text` in place of `start:end`."""

    start: int
    end: int
    text: str


def apply_edits(text: str, edits: Sequence[Edit]) -> str:
    """The text with all edits; they don't overlap, and those at one place stand in their order."""
    pieces: list[str] = []
    done = 0
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        pieces += (text[done : edit.start], edit.text)
        done = max(done, edit.end)
    return "".join([*pieces, text[done:]])


def mark(text: str, layout: Layout, start: int, end: int, why: str) -> Edit:
    """A visible mark behind a mention, outside of its link, backticks and quotation marks.

    In a code block it stands at the end of the line, where it breaks no code.
    """
    at = end
    if layout.kinds[start] == marks.BLOCK:
        line_end = text.find("\n", end)
        at = len(text) if line_end < 0 else line_end
    else:
        if span := layout.code_at(start):
            at = max(at, span[1])
        found = _CLOSERS.match(text, at)
        at = found.end() if found else at
        at = max(at, layout.link_end(start) or 0)
    return Edit(at, at, f" [unverified: {why}]")


def rewrite(
    claim: PathClaim, layout: Layout, path: str, source: str, ranges: Sequence[Range]
) -> list[Edit]:
    """Write a claim's path, source and lines anew, in the form that it had.

    `source` is "" when none is to be added. A link's target takes no source: it would turn the
    link into an address.
    """
    edits: list[Edit] = []
    target = layout.kinds[claim.path_at[0]] == marks.TARGET
    spelled = quote(path, safe="/()[]+@~$") if target else path
    prefix = f"{source}:" if source and not claim.source and not target else ""
    if prefix or path != claim.path:
        edits.append(Edit(*claim.path_at, prefix + spelled))
    if claim.lines_at and tuple(ranges) != claim.lines:
        edits.append(Edit(*claim.lines_at, write_lines(tuple(ranges), claim.form)))
    return edits
