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
        related: Other spans, best first; none of them is in `main`.
        symbols: What find_symbol returned for each name in the question.
        by_name: Whether `main` are definitions of a name in the question.
    """

    main: tuple[Place, ...]
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
        main = unique(defined)
        return Subject(main, _without(ranked, main), symbols, by_name=True)
    if not ranked:
        return None
    return Subject((ranked[0],), _without(ranked, ranked[:1]), symbols, by_name=False)


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


def _within(inner: Place, outer: Place) -> bool:
    same = (inner.source, inner.path) == (outer.source, outer.path)
    return same and outer.start_line <= inner.start_line <= outer.end_line
