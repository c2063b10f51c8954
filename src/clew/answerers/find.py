"""Finds the places a question is about: definitions of the names in it, else what search ranks."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from clew.answerers.textual import definitions_in
from clew.index.tokens import terms
from clew.search.roles import Role, role_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clew.answerers.look import Looker, Place
    from clew.answerers.plan import Plan
    from clew.tools.result import SymbolData

TOP = 8  # files asked of a search
MOST_DEFINITIONS = 6  # of one name that are told about one by one
TINY = 3  # lines; a private definition no longer than that is seldom what is asked about
DOING = frozenset(
    {"function", "method", "class", "struct", "interface", "trait", "enum", "type", "macro"}
)
ASIDE = Role.TEST | Role.DOCUMENT | Role.DOCS_FOLDER | Role.EXAMPLE | Role.VENDORED | Role.GENERATED
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_+")
_MOCK = re.compile(r"(?:^|[/_])mocks?(?:[._/]|$)")
_JOINABLE = re.compile(r"[A-Za-z]\w*(?: [A-Za-z]\w*){0,4}")


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
        total: How many definitions have the name, told about or not.
        aside: How many more there are in tests, examples and documents.
    """

    main: tuple[Place, ...]
    inside: tuple[Place, ...]
    related: tuple[Place, ...]
    symbols: tuple[SymbolData, ...]
    by_name: bool
    total: int
    aside: int = 0

    @property
    def first(self) -> Place:
        """The one place that the question is about most."""
        return (*self.inside, *self.main)[0]


def find_subject(looker: Looker, plan: Plan) -> Subject | None:
    """Look for what a question is about; None when nothing relevant is found."""
    symbols = named_symbols(looker, plan)
    defined = _bodies(looker.defined(row) for found in symbols for row in found.definitions)
    ranked = [refined(looker, p, plan) for p in ranked_places(looker, plan.subject)]
    if defined:
        main = _weighed(unique(defined), plan)
        total = max(len(main), sum(s.total_definitions for s in symbols if len(s.definitions) > 19))
        aside = len([p for p in defined if is_aside(p, plan) and p not in main])
        others = without([*main[MOST_DEFINITIONS:], *ranked], main[:MOST_DEFINITIONS])
        return Subject(
            main[:MOST_DEFINITIONS], (), others, symbols, by_name=True, total=total, aside=aside
        )
    unknown = plan.names == (plan.bare,) and not looker.holds(plan.bare)
    unknown = unknown or (bool(plan.spelled) and not looker.spells(plan.spelled))
    if not ranked or unknown:  # words alone would lead to what has another name
        return None
    best = _best(ranked, plan)
    same_file = (p for p in ranked if (p.source, p.path) == (best.source, best.path))
    inside = sorted((p for p in same_file if p.named), key=is_private) if not best.named else []
    others = (p for p in ranked if (p.source, p.path) != (best.source, best.path) or best.named)
    related = without(others, (best, *inside))
    return Subject((best,), tuple(inside), related, symbols, by_name=False, total=1)


def named_symbols(looker: Looker, plan: Plan) -> tuple[SymbolData, ...]:
    """What find_symbol says about each name in the question that is defined in the scope.

    A subject of one word, or of two or three that together spell a name ("request context"), is
    a name when something that does or is made of something is called so.
    """
    found = [s for name in plan.names if (s := looker.symbol(name)) is not None]
    if found:
        return tuple(found)
    words = plan.names[0] if plan.names else plan.bare
    words = " ".join(_HUMP.split(words)) if plan.names else words
    if not _JOINABLE.fullmatch(words):
        return ()
    # "the parser" may be a class; a function or a macro is not spoken of so.
    exact = " " in words or words == plan.subject.strip()
    for joined in dict.fromkeys((words.replace(" ", "_"), re.sub(r"[ _]", "", words))):
        for view in looker.scope.views:
            for row in view.definitions(joined, fold=True):
                fits = row.kind in DOING and (exact or row.kind not in ("function", "method"))
                if fits and not role_of(row.path) & ASIDE:
                    data = looker.symbol(row.name)
                    return (data,) if data else ()
    return ()


def ranked_places(looker: Looker, words: str) -> Iterable[Place]:
    """What search ranks best: each file's best span in turn, then the files' other spans."""
    if not words.strip():
        return
    data = looker.search(words[:2_000], TOP)
    depth = max((len(hit.spans) for hit in data.hits), default=0)
    for n in range(depth):
        for hit in data.hits:
            if n < len(hit.spans):
                s = hit.spans[n]
                yield looker.place(hit.source, hit.path, s.start_line, s.end_line, s.symbol, s.kind)


def refined(looker: Looker, place: Place, plan: Plan) -> Place:
    """A window without a name, narrowed to the definition in it that fits the words best."""
    if place.kind != "window" or role_of(place.path) & (Role.DOCUMENT | Role.CONFIG):
        return place
    wanted = set(plan.query.terms)
    rows = definitions_in(
        place.path,
        looker.text_lines(place.source, place.path),
        range(place.start_line, place.end_line + 1),
    )
    scored = [
        (len(wanted & set(terms(row.qualname))), -row.line, row)
        for row in rows
        if row.kind != "constant"
    ]
    count, _, best = max(scored, key=lambda s: s[:2], default=(0, 0, None))
    return looker.defined(replace(best, source=place.source)) if best and count else place


def unique(places: Iterable[Place]) -> tuple[Place, ...]:
    """The places in order, each once."""
    return tuple({place.key: place for place in reversed(list(places))}.values())[::-1]


def without(places: Iterable[Place], taken: Iterable[Place]) -> tuple[Place, ...]:
    """The places that lie outside every taken one."""
    spans = list(taken)
    return tuple(p for p in unique(places) if not any(_within(p, t) for t in spans))


def is_private(place: Place) -> bool:
    """Whether a name says that it is a detail of its file."""
    return place.bare.startswith("_") and not place.bare.startswith("__")


def is_aside(place: Place, plan: Plan) -> bool:
    """Whether a file is a test, an example or a document that was not asked for."""
    role = role_of(place.path)
    asked = plan.query.wants
    if role & Role.TEST or _MOCK.search(place.path):
        return "tests" not in asked
    if role & (Role.DOCUMENT | Role.DOCS_FOLDER):
        return "docs" not in asked
    return bool(role & ASIDE) and not asked


def _bodies(places: Iterable[Place]) -> list[Place]:
    """The places, of the overloads of one function the one with the body only."""
    kept: dict[tuple[str, str, str], Place] = {}
    for place in places:
        key = place.source, place.path, place.name
        other = kept.setdefault(key, place)
        if place.end_line - place.start_line > other.end_line - other.start_line:
            kept[key] = place
    return list(kept.values())


def _weighed(places: tuple[Place, ...], plan: Plan) -> tuple[Place, ...]:
    """Definitions of one name: what does something before fields, code before tests."""
    own = tuple(p for p in places if p.kind not in ("field", "variable")) or places
    code = tuple(p for p in own if not is_aside(p, plan)) or own
    return tuple(sorted(code, key=lambda p: (p.kind == "method", is_private(p), not p.doc)))


def _best(ranked: list[Place], plan: Plan) -> Place:
    """The best span, unless it is an aside, or a tiny detail beside something public."""
    first = ranked[0]
    if is_aside(first, plan):
        first = next((p for p in ranked[:5] if not is_aside(p, plan)), first)
    if first.named and is_private(first) and first.end_line - first.start_line < TINY:
        same = (p for p in ranked if (p.source, p.path) == (first.source, first.path))
        return next((p for p in same if p.named and not is_private(p)), first)
    return first


def _within(inner: Place, outer: Place) -> bool:
    same = (inner.source, inner.path) == (outer.source, outer.path)
    return same and outer.start_line <= inner.start_line <= outer.end_line
