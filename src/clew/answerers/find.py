"""Finds the places a question is about: definitions of the names in it, else what search ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clew.answerers.look import Looker, Place
    from clew.answerers.plan import Plan
    from clew.tools.result import SymbolData

TOP = 8  # files asked of a search
MOST_DEFINITIONS = 4  # of one name that are told about one by one


@dataclass(frozen=True, slots=True)
class Subject:
    """What a question is about: its main places first, related ones behind.

    Attributes:
        main: The definitions that it names, or the best span that search found.
        inside: When the main place is no definition (a file's head): the definitions in that
            file that search ranks.
        related: Other spans, best first; none of them is in `main` or `inside`.
        symbols: What find_symbol returned for each name in the question.
        by_name: Whether `main` are definitions of a name in the question.
    """

    main: tuple[Place, ...]
    inside: tuple[Place, ...]
    related: tuple[Place, ...]
    symbols: tuple[SymbolData, ...]
    by_name: bool


def find_subject(looker: Looker, plan: Plan) -> Subject | None:
    """Look for what a question is about; None when nothing relevant is found."""
    symbols = tuple(s for name in plan.names if (s := looker.symbol(name)))
    defined = [
        looker.defined(row) for found in symbols for row in found.definitions[:MOST_DEFINITIONS]
    ]
    ranked = list(ranked_places(looker, plan.subject))
    if defined:
        # Something that does or is made of something is what people ask about; fields of the
        # same name come behind.
        own = [p for p in unique(defined) if p.kind not in ("field", "variable")]
        main = tuple(own) or unique(defined)
        others = (p for p in (*defined, *ranked) if p not in main)
        return Subject(main, (), _without(others, main), symbols, by_name=True)
    if not ranked:
        return None
    best = ranked[0]
    same_file = (p for p in ranked if (p.source, p.path) == (best.source, best.path))
    inside = sorted((p for p in same_file if p.named), key=_is_private) if not best.named else ()
    others = (p for p in ranked if (p.source, p.path) != (best.source, best.path) or best.named)
    return Subject((best,), tuple(inside), _without(others, (best,)), symbols, by_name=False)


def ranked_places(looker: Looker, words: str) -> Iterable[Place]:
    """What search ranks best: each file's best span in turn, then the files' other spans."""
    if not words.strip():
        return
    data = looker.search(words, TOP)
    depth = max((len(hit.spans) for hit in data.hits), default=0)
    for n in range(depth):
        for hit in data.hits:
            if n < len(hit.spans):
                s = hit.spans[n]
                yield looker.place(hit.source, hit.path, s.start_line, s.end_line, s.symbol, s.kind)


def unique(places: Iterable[Place]) -> tuple[Place, ...]:
    """The places in order, each once."""
    return tuple({place.key: place for place in reversed(list(places))}.values())[::-1]


def _without(places: Iterable[Place], taken: Iterable[Place]) -> tuple[Place, ...]:
    """The places that lie outside every taken one."""
    spans = list(taken)
    return tuple(p for p in unique(places) if not any(_within(p, t) for t in spans))


def _is_private(place: Place) -> bool:
    """Whether a name says that it is a detail of its file."""
    return place.name.rpartition(".")[2].startswith("_")


def _within(inner: Place, outer: Place) -> bool:
    same = (inner.source, inner.path) == (outer.source, outer.path)
    return same and outer.start_line <= inner.start_line <= outer.end_line
