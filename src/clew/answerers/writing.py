"""How an extract answer reads: citations, names, quotes from doc comments, lines of code.

Every sentence here is a frame around what a tool found; none of them claims more than that.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clew.answerers.look import Looker, Place
from clew.answerers.quoting import comment_above, first_sentence
from clew.verify.claims import extract
from clew.verify.library import Place as File
from clew.verify.spans import items_of, read_span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clew.tools.scope import Scope

MOST_SAID = 240  # characters of a comment in a list, and in a quotation of its own
MOST_QUOTED = 600
LINE_SHOWN = 140  # characters of a line of code inside a sentence
_KINDS = {
    "mod": "module",
    "module": "Top-level code",
    "window": "Lines",
    "block": "A block",
    "section": "A section",
}


_SPEAKABLE = re.compile(
    r"[$@]?[^\W\d]\w*[?!]?(?:(?:\.|::|#)[^\W\d]\w*[?!]?)*"  # a word, or words joined
)


def cite(scope: Scope, source: str, path: str, start: int, end: int) -> str:
    """A citation as the text spells it; the source is named when several are in scope."""
    lines = str(start) if start == end else f"{start}-{end}"
    return _ticked(f"{source}:{path}:{lines}" if scope.several else f"{path}:{lines}")


def _ticked(text: str) -> str:
    """Text in backticks, more of them than it holds itself."""
    ticks = "`" * (longest_run([text]) + 1)
    pad = " " if len(ticks) > 1 else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def cite_place(scope: Scope, place: Place) -> str:
    """The citation of a whole place."""
    return cite(scope, place.source, place.path, place.start_line, place.end_line)


def named(place: Place) -> str:
    """A place's name with its kind; a place without a name is told by its kind alone."""
    kind = _KINDS.get(place.kind, place.kind)
    if place.named and speakable(place.name):
        return f"`{place.name}` ({kind})"
    if place.kind == "section" and place.name and not re.search(r"[`“”\n]", place.name):
        return f"The section “{place.name}”"
    article = "An" if place.kind[:1] in "aeiou" else "A"
    return _KINDS.get(place.kind, f"{article} {place.kind}")


def speakable(name: str) -> bool:
    """Whether a name can be written in backticks so that every reader takes it for one name."""
    return _SPEAKABLE.fullmatch(name) is not None


def inside(name: str) -> str:
    """In which function or class something stands, "" when that has no name to tell."""
    return f" in `{name}`" if name and speakable(name) else ""


def said(looker: Looker, place: Place, longest: int = MOST_SAID) -> str:
    """What a place's comment says first, "" when that names things which its lines don't hold."""
    text = first_sentence(place.doc, longest)
    if not text:
        return ""
    claims = extract(text, sources=[v.source.name for v in looker.scope.views])
    if claims.paths or claims.numbers:
        return ""
    items = items_of(claims.names, claims.quotes)
    document = looker.view(place.source).document(place.path) if items else None
    if document is not None:  # the gate would mark it, and reads the lines in the same way
        spot = File(looker.view(place.source), document)
        span = read_span(spot, place.start_line, place.end_line)
        if not all(span.bears(item) for item in items):
            return ""
    return text


def comment(looker: Looker, place: Place) -> str:
    """A place's comment as a quotation of its own."""
    text = said(looker, place, longest=MOST_QUOTED)
    if not text or text.endswith("…"):
        return ""
    lines = looker.text_lines(place.source, place.path)
    if above := comment_above(lines, place.start_line):
        spans = Place(place.source, place.path, *above, place.name, "window")
        looker.note([spans], f"read_file {place.path}")
    return f"\n> {text}\n"


def item(looker: Looker, place: Place) -> str:
    """One line of a list: name, citation, and what its doc comment says first."""
    text = said(looker, place)
    where = cite_place(looker.scope, place)
    return f"- {named(place)} at {where}" + (f" — {text}" if text else "")


def items(looker: Looker, places: Sequence[Place]) -> str:
    """A list of places, each with its citation."""
    return "".join(item(looker, place) + "\n" for place in places)


def code(line: str) -> str:
    """A line of code as it stands inside a sentence: whole, or cut between words."""
    text = " ".join(line.split())
    if len(text) > LINE_SHOWN:
        cut = text[:LINE_SHOWN].rpartition(" ")[0]
        text = re.sub(r"[\"'`][^\"'`]*$", "", cut).rstrip() if _odd(cut) else cut
        text = f"{text} …" if text else "…"
    return _ticked(text)


def _odd(text: str) -> bool:
    """Whether a cut has left a quotation open."""
    return text.count('"') % 2 == 1 or text.count("'") % 2 == 1


def more(count: int) -> str:
    """The last row of a list that was cut, "" when nothing was left out."""
    return f"- and {count:,} more\n" if count > 0 else ""


def fenced(looker: Looker, place: Place, text: Sequence[str]) -> str:
    """A place's citation and, below it, exactly the lines it names."""
    document = looker.view(place.source).document(place.path)
    fence = "`" * max(3, longest_run(text) + 1)
    body = "\n".join(text)
    language = document.language if document else ""
    return f"{cite_place(looker.scope, place)}\n\n{fence}{language}\n{body}\n{fence}\n\n"


def longest_run(lines: Sequence[str]) -> int:
    """The longest run of backticks, which a fence around the lines must exceed."""
    return max((len(m) for line in lines for m in re.findall(r"`+", line)), default=0)
