"""How an extract answer reads: citations, names, quotes from doc comments, excerpts.

Every sentence here is a frame around what a tool found; none of them claims more than that.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clew.answerers.look import Looker, Place
    from clew.tools.scope import Scope

EXCERPT_LINES = 16  # lines of one excerpt: enough for a signature, its comment and the first steps
_KINDS = {
    "module": "Top-level code",
    "window": "A part",
    "block": "A block",
    "section": "A section",
}
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`])|\n\s*\n")
_LONGEST_QUOTE = 240  # characters of a doc comment's first sentence


def cite(scope: Scope, source: str, path: str, start: int, end: int) -> str:
    """A citation as the text spells it; the source is named when several are in scope."""
    lines = str(start) if start == end else f"{start}-{end}"
    return f"`{source}:{path}:{lines}`" if scope.several else f"`{path}:{lines}`"


def cite_place(scope: Scope, place: Place) -> str:
    """The citation of a whole place."""
    return cite(scope, place.source, place.path, place.start_line, place.end_line)


def named(place: Place) -> str:
    """A place's name with its kind; a place without a name is told by its kind alone."""
    kind = _KINDS.get(place.kind, place.kind)
    if place.named:
        return f"`{place.name}` ({kind})"
    return f"The section “{place.name}”" if place.kind == "section" and place.name else kind


def first_sentence(doc: str) -> str:
    """The first sentence of a doc comment on one line, "" when there is none to quote."""
    text = " ".join(_SENTENCE_END.split(doc.strip(), 1)[0].split())
    if len(text) > _LONGEST_QUOTE:
        text = text[:_LONGEST_QUOTE].rpartition(" ")[0] + " …"
    return text if any(c.isalpha() for c in text) else ""


def item(scope: Scope, place: Place) -> str:
    """One line of a list: name, citation, and what its doc comment says first."""
    said = first_sentence(place.doc)
    return f"- {named(place)} at {cite_place(scope, place)}" + (f" — {said}" if said else "")


def items(scope: Scope, places: Sequence[Place]) -> str:
    """A list of places, each with its citation."""
    return "".join(item(scope, place) + "\n" for place in places)


def excerpt(looker: Looker, place: Place, lines: int = EXCERPT_LINES) -> str:
    """A citation and, below it, exactly the lines it names."""
    start, end, text = looker.excerpt(place, lines)
    language = looker.view(place.source).document(place.path)
    fence = "`" * max(3, longest_run(text) + 1)
    label = cite(looker.scope, place.source, place.path, start, end)
    body = "\n".join(text)
    return f"{label}\n\n{fence}{language.language if language else ''}\n{body}\n{fence}\n\n"


def longest_run(lines: Sequence[str]) -> int:
    """The longest run of backticks, which a fence around the lines must exceed."""
    return max((len(m) for line in lines for m in re.findall(r"`+", line)), default=0)
