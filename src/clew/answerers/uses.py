"""Answers to who calls, what uses, where is it used: every use by name, code before tests."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from clew.answerers.find import named_symbols, ranked_places, refined
from clew.answerers.look import Looker, Place
from clew.answerers.quoting import asked
from clew.answerers.reply import Reply
from clew.answerers.writing import cite, cite_place, inside, more, named
from clew.search.roles import Role, role_of
from clew.tools.result import plural
from clew.types import Caveat

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clew.answerers.plan import Plan
    from clew.tools.result import SymbolData

MOST_USES = 25  # sites in code that are listed
MOST_ASIDE = 4  # sites in tests, or in examples and documents, that are listed
TEXTUAL = 4_000  # lines looked at when uses are found by text alone
_NOT_CODE = Role.EXAMPLE | Role.DOCUMENT | Role.DOCS_FOLDER
_WORD = re.compile(r"[^\W\d]\w*[?!]?")
_VERBS = {"call": "called", "import": "imported", "type": "used as a type", "use": "used"}


@dataclass(frozen=True, slots=True)
class Site:
    """A line that uses a name."""

    source: str
    path: str
    line: int
    kind: str

    @property
    def place(self) -> Place:
        """The line as a place."""
        return Place(self.source, self.path, self.line, self.line, "", "window")


def callers(looker: Looker, plan: Plan) -> Reply | None:
    """Who calls or uses a thing: every use by name, calls first, with the caller's name."""
    found = _used(looker, plan)
    if found is None:
        return None
    data, text, caveats = found
    sites = sites_of(looker, data)
    calls = [s for s in sites if s.kind == "call"]
    defined = [looker.defined(row) for row in data.definitions[:2]]
    text += _defined_at(looker, data, defined)
    if not defined:
        text = _undefined(looker, data, sites)
    if not sites:
        text += "\n\nNo other line of this scope holds that name.\n"
        return Reply(text, tuple(defined), caveats=(*caveats, _by_name(looker, data)))
    wanted = calls or sites
    text = f"{text.rstrip()}\n\n{listed(looker, data.name, wanted)}"
    if 0 < len(calls) < len(sites) and wanted is calls:
        others = len(sites) - len(calls)
        text += f"\nIts name stands on {plural(others, 'more line')} of this scope.\n"
    shown = [_around(looker, site) for site in by_role(wanted)[:3]]
    outcome = "answered" if defined else "partial"
    return Reply(text, (*defined[:1], *shown), outcome, (*caveats, _by_name(looker, data)))


def used_elsewhere(looker: Looker, plan: Plan) -> Reply | None:
    """A name that is used here and defined nowhere in the scope, such as a dependency's."""
    if len(plan.names) != 1:
        return None
    name = plan.names[0]
    for spelled in dict.fromkeys((name, name.casefold())):
        data = looker.symbol(spelled) if spelled == name or looker.uses(spelled) else None
        if data is not None and data.definitions:
            return None
        if data is None:
            continue
        sites = sites_of(looker, data)
        if not sites or not (data.external or spelled == name):
            continue
        text = _undefined(looker, data, sites) + f"\n{listed(looker, data.name, sites, most=8)}"
        shown = tuple(_around(looker, site) for site in by_role(sites)[:2])
        return Reply(text, shown, outcome="partial")
    return None


def _undefined(looker: Looker, data: SymbolData, sites: Sequence[Site]) -> str:
    first = by_role(sites)[0]
    where = cite(looker.scope, first.source, first.path, first.line, first.line)
    text = f"No definition of `{data.name}` is in this scope: it is used from {where} on."
    return text + (" A dependency that isn't indexed has it.\n" if data.external else "\n")


def _used(looker: Looker, plan: Plan) -> tuple[SymbolData, str, tuple[Caveat, ...]] | None:
    """The name that is asked about, given or found by its words, with a sentence about it."""
    for data in named_symbols(looker, plan):
        return data, "", ()
    if _WORD.fullmatch(plan.bare) and (data := looker.symbol(plan.bare)) is not None:
        return data, "", ()
    if plan.spelled:  # not here, and the uses of something else are no answer
        return None
    for place in (refined(looker, p, plan) for p in ranked_places(looker, plan.subject)):
        data = looker.symbol(place.bare) if place.named else None
        if data is not None and data.definitions:
            text = f"The nearest to {asked(plan.bare)} is {named(place)}, at "
            text += f"{cite_place(looker.scope, place)}.\n\n"
            said = "What is meant was found by the words of the question."
            return data, text, (Caveat("by_words", said),)
    return None


def sites_of(looker: Looker, data: SymbolData) -> list[Site]:
    """Every line that uses a name, each once: from the symbol table, else from the text."""
    sites: dict[tuple[str, str, int], Site] = {}
    for view, row in looker.uses(data.name):
        key = view.source.name, row.path, row.line
        if key not in sites or row.kind == "call":
            sites[key] = Site(*key, row.kind)
    if sites or not data.definitions:
        return list(sites.values())
    own = {(d.source, d.path, d.line) for d in data.definitions}
    end = "" if data.name[-1] in "?!" else r"\b"
    endings = {posixpath.splitext(d.path)[1] for d in data.definitions} - {""}
    glob = f"*{next(iter(endings))}" if len(endings) == 1 else None
    pattern = rf"\b{re.escape(data.name)}{end}"
    matches = looker.grep(pattern, f"lines with {asked(data.name)}", glob).files
    keys = ((f.source, f.path, m.line) for f in matches for m in f.matches)
    return [Site(*key, "use") for key in keys if key not in own]


def by_role(sites: Sequence[Site]) -> list[Site]:
    """Sites in code first, then in examples and documents, then in tests; as found in each."""
    return sorted(sites, key=lambda site: _rank(site.path))


def _rank(path: str) -> int:
    role = role_of(path)
    return 2 if role & Role.TEST else 1 if role & _NOT_CODE else 0


def listed(looker: Looker, name: str, sites: Sequence[Site], most: int = MOST_USES) -> str:
    """The sites by where they are: all in code up to a limit, a few of the others, and counts."""
    groups: list[list[Site]] = [[], [], []]
    for site in sites:
        groups[_rank(site.path)].append(site)
    text = ""
    for group, where in zip(groups, ("", " in examples and documents", " in tests"), strict=True):
        if not group:
            continue
        kinds = {site.kind for site in group}
        verb = _VERBS.get(kinds.pop(), "used") if len(kinds) == 1 else "used"
        count = plural(len(group), "line")
        limit = most if not where or not text else MOST_ASIDE
        runs = _runs(looker, group)
        shown = runs[:limit]
        looker.note(shown, f"find_symbol {name}")
        head = f"`{name}` is {verb} on {count}{where}:\n\n"
        rows = "".join(f"- {_site(looker, run)}\n" for run in shown)
        told = sum(run.end_line - run.start_line + 1 for run in shown)
        text += ("\n" if text else "") + head + rows + more(len(group) - told)
    return text


def _runs(looker: Looker, sites: Sequence[Site]) -> list[Place]:
    """Sites as places, those on adjacent lines of one function as one."""
    runs: list[Place] = []
    for site in sorted(sites, key=lambda s: (s.source, s.path, s.line)):
        around = looker.around(site.source, site.path, site.line)
        place = replace(site.place, name=around.qualname if around else "")
        last = runs[-1] if runs else None
        same = last and (last.source, last.path, last.name) == (
            place.source,
            place.path,
            place.name,
        )
        if last and same and site.line == last.end_line + 1:
            runs[-1] = replace(last, end_line=site.line)
        else:
            runs.append(place)
    return runs


def _site(looker: Looker, run: Place) -> str:
    """Where a name is used, with the function or class it stands in."""
    return f"{cite_place(looker.scope, run)}{inside(run.name)}"


def _defined_at(looker: Looker, data: SymbolData, places: Sequence[Place]) -> str:
    """Where the name is defined, one place in a sentence and several in a list."""
    if len(places) == 1 and data.total_definitions == 1:
        return f"{named(places[0])} is defined at {cite_place(looker.scope, places[0])}.\n"
    rows = "".join(f"- {named(p)} at {cite_place(looker.scope, p)}\n" for p in places)
    head = f"{plural(data.total_definitions, 'definition')} in this scope have that name:"
    return f"{head}\n\n{rows}{more(data.total_definitions - len(places))}" if places else ""


def _around(looker: Looker, site: Site) -> Place:
    document = looker.view(site.source).document(site.path)
    last = min(site.line + 1, document.lines if document else site.line)
    return Place(site.source, site.path, max(site.line - 1, 1), last, "", "window")


def _by_name(looker: Looker, data: SymbolData) -> Caveat:
    rows = [s for view in looker.scope.views for s in view.definitions(data.name)]
    count, several = len({(s.path, s.qualname) for s in rows}), ""
    if count > 1:
        several = f", and {count} definitions are named {data.name}"
    return Caveat("by_name", f"Uses are found by name, not by type{several}.")
