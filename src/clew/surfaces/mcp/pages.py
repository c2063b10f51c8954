"""A result within the client's cap, and how to go on when it was longer.

A client cuts what is too long wherever it happens to end, or refuses it whole. So a long text is
handed out in pages that end at a line; each but the last names a cursor. A cursor says how far the
reader is and in which text: when the text has changed meanwhile, going on would skip or repeat
lines unseen, and is refused.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clew.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

CHARS_PER_TOKEN = 3  # code has about 3 to 3.5; the cap must hold for it too
WHOLE_PAGES = 12  # pages that a tool may fill before it has to cut by itself
_NOTE = 220  # characters kept free for the note about the cut
_CURSOR = re.compile(r"(?P<offset>\d{1,9})\.(?P<digest>[0-9a-f]{10})")


@dataclass(frozen=True, slots=True)
class Budget:
    """What a result may have. `data`: whether it goes out as data too, which then counts twice."""

    max_tokens: int
    data: bool

    @property
    def chars(self) -> int:
        """Characters of one page of text."""
        room = self.max_tokens * CHARS_PER_TOKEN
        return int(room * 0.4) if self.data else int(room * 0.95)

    @property
    def places(self) -> int:
        """Characters that the data may have beside the text."""
        return int(self.max_tokens * CHARS_PER_TOKEN * 0.1)

    @property
    def whole(self) -> int:
        """Characters that a tool may fill before its result is cut into pages."""
        return self.chars * WHOLE_PAGES


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a text. `cursor` goes on, "" when this is the last."""

    text: str
    cursor: str


def page(text: str, cursor: str, budget: Budget) -> Page:
    """The page of a text that a cursor asks for; the first one without.

    Raises:
        InputError: It is no cursor of ours, or the text is another one by now.
    """
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:10]
    start = _start(text, cursor, digest)
    rest = text[start:]
    if len(rest) <= budget.chars:
        return Page(rest, "")
    end = rest.rfind("\n", 0, budget.chars - _NOTE) + 1 or budget.chars - _NOTE
    following = f"{start + end}.{digest}"
    total = -(-len(text) // end)
    note = (
        f"[cut: about 1 of {total} parts; to go on, call again with the same arguments and "
        f'cursor="{following}"]'
    )
    return Page(rest[:end] + note, following)


def _start(text: str, cursor: str, digest: str) -> int:
    if not cursor:
        return 0
    found = _CURSOR.fullmatch(cursor)
    if found is None or int(found["offset"]) >= len(text):
        raise InputError("That is no cursor of this tool: leave it out to begin at the start.")
    if found["digest"] != digest:
        raise InputError(
            "The result is another one by now (the code or the arguments changed): call again "
            "without the cursor."
        )
    return int(found["offset"])


def fitting(rows: Sequence[Mapping[str, Any]], room: int) -> list[Mapping[str, Any]]:
    """As many rows, from the first on, as have at most `room` characters as JSON."""
    kept: list[Mapping[str, Any]] = []
    for row in rows:
        room -= len(json.dumps(row, ensure_ascii=False)) + 2
        if room < 0:
            break
        kept.append(row)
    return kept
