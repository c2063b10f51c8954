"""Answers that list: who calls, what is the value of, list all."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clew.answerers.find import find_subject, ranked_places
from clew.answerers.look import Looker, Place
from clew.answerers.reply import Reply
from clew.answerers.writing import cite, cite_place, items, named
from clew.index.tokens import terms
from clew.types import Caveat

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clew.answerers.plan import Plan
    from clew.index.view import SymbolRow, View
    from clew.tools.result import SymbolData, Use

MOST_USES = 25  # call sites listed
MOST_LISTED = 40  # symbols listed
MOST_VALUES = 6  # assignments listed
# What a word for a kind of definition selects; the word itself says nothing about names.
KIND_WORDS: dict[str, frozenset[str]] = {
    "class": frozenset({"class", "struct"}),
    "struct": frozenset({"struct"}),
    "interface": frozenset({"interface", "trait"}),
    "trait": frozenset({"trait"}),
    "enum": frozenset({"enum"}),
    "type": frozenset({"class", "struct", "interface", "trait", "enum", "type"}),
    "function": frozenset({"function", "method"}),
    "method": frozenset({"method"}),
    "constant": frozenset({"constant"}),
    "variable": frozenset({"variable", "constant"}),
    "macro": frozenset({"macro"}),
}
_ASSIGNED = r"(?::[^=]{0,120})?(?::=|=|:)"


def callers(looker: Looker, plan: Plan) -> Reply | None:
    """Who calls or uses a thing: every use by name, calls first, with the caller's name."""
    found = _used(looker, plan)
    if found is None:
        return None
    data, lead = found
    calls = [use for use in data.uses if use.kind == "call"]
    uses = calls or list(data.uses)
    if not uses:
        place = looker.defined(data.definitions[0])
        text = f"{lead}Nothing in this scope uses `{data.name}` by that name.\n"
        return Reply(text, (place,), outcome="answered", caveats=_by_name(data))
    verb = "called" if calls else "used"
    text = f"{lead}`{data.name}` is {verb} from:\n\n"
    text += "".join(f"- {_site(looker, use)}\n" for use in uses[:MOST_USES])
    caveats = _by_name(data)
    listed = len(uses[:MOST_USES])
    if data.total_uses > listed:
        what = f"{listed} {'calls' if calls else 'uses'} of {data.name} are listed"
        more = f"{what}; {data.total_uses - listed} more lines name it."
        caveats = (*caveats, Caveat("cut", more))
    shown = [_around(looker, use) for use in uses[:2]]
    defined = [looker.defined(row) for row in data.definitions[:1]]
    return Reply(text, (*defined, *shown), caveats=caveats)


def _used(looker: Looker, plan: Plan) -> tuple[SymbolData, str] | None:
    """The name that is asked about, given or found by its words, with a sentence about it."""
    for name in plan.names or _single_word(plan):
        data = looker.symbol(name)
        if data is not None:
            defined = [looker.defined(row) for row in data.definitions[:1]]
            lead = f"{named(defined[0])} is defined at {cite_place(looker.scope, defined[0])}. "
            return data, lead if defined else ""
    for place in ranked_places(looker, plan.subject):
        bare = place.name.rpartition(".")[2]
        data = looker.symbol(bare) if bare and place.kind != "section" else None
        if data is not None and data.definitions:
            where = cite_place(looker.scope, place)
            return data, f"The nearest to “{plan.subject}” is {named(place)}, at {where}. "
    return None


def _single_word(plan: Plan) -> tuple[str, ...]:
    word = plan.subject.strip("`'\"() ")
    return (word,) if re.fullmatch(r"[^\W\d]\w*", word) else ()


def _site(looker: Looker, use: Use) -> str:
    caller = looker.chunk_at(use.source, use.path, use.line)
    inside = f" in `{caller.qualname}`" if caller and caller.qualname else ""
    return f"{cite(looker.scope, use.source, use.path, use.line, use.line)}{inside}"


def _around(looker: Looker, use: Use) -> Place:
    total = looker.view(use.source).document(use.path)
    last = min(use.line + 1, total.lines if total else use.line)
    return Place(use.source, use.path, max(use.line - 1, 1), last, "", "window")


def _by_name(data: SymbolData) -> tuple[Caveat, ...]:
    if data.total_definitions == 1:
        return (Caveat("by_name", "Uses are found by name, not by type."),)
    several = f"{data.total_definitions} definitions are named {data.name}"
    return (Caveat("by_name", f"Uses are found by name, not by type: {several}."),)


def values(looker: Looker, plan: Plan) -> Reply | None:
    """The value of a constant, setting or default: the lines that assign it."""
    found = list(_assignments(looker, plan))
    if not found:
        return None
    rows = "".join(
        f"- `{text}` at {cite(looker.scope, p.source, p.path, p.start_line, p.end_line)}\n"
        for p, text in found[:MOST_VALUES]
    )
    text = f"It is assigned here:\n\n{rows}"
    caveats = ()
    if len(found) > 1:
        text = f"It is assigned in {len(found)} places:\n\n{rows}"
        told = "Which assignment wins when the program runs was not worked out."
        caveats = (Caveat("several_values", told),)
    return Reply(text, tuple(p for p, _ in found[:3]), caveats=caveats)


def _assignments(looker: Looker, plan: Plan) -> Iterable[tuple[Place, str]]:
    names = plan.names or _single_word(plan)
    for name in names:
        pattern = rf"\b{re.escape(name.rpartition('.')[2])}[\"']?\]?\s*{_ASSIGNED}"
        for file in looker.grep(pattern).files:
            for match in file.matches:
                place = Place(file.source, file.path, match.line, match.line, "", "window")
                if not re.search(r"[=!<>]=\s", match.text):  # a comparison assigns nothing
                    yield place, match.text.strip().replace("`", "'")
    if names:
        return
    wanted = set(plan.query.terms) - set(terms("default value setting"))
    for place in ranked_places(looker, plan.subject):
        lines = looker.view(place.source).lines(place.path, place.start_line, place.end_line)
        for number, line in enumerate(lines, place.start_line):
            assigned = re.match(rf"[^=:(]*?([\w.\-\"']+)\s*{_ASSIGNED}\s*\S", line)
            if assigned and wanted and wanted <= set(terms(assigned[1] + " " + place.name)):
                at = Place(place.source, place.path, number, number, "", "window")
                yield at, line.strip().replace("`", "'")


def listing(looker: Looker, plan: Plan) -> Reply | None:
    """Every definition whose name fits the words; what search ranks when no name does."""
    fitting = list(_fitting(looker, plan))
    if not fitting:
        subject = find_subject(looker, plan)
        if subject is None:
            return None
        places = (*subject.main, *subject.related)
        text = "No set of definitions is named so; these come nearest:\n\n"
        return Reply(text + items(looker.scope, places[:8]), places[:2], outcome="partial")
    shown = fitting[:MOST_LISTED]
    text = f"{len(fitting)} found by name:\n\n{items(looker.scope, shown)}"
    caveats: tuple[Caveat, ...] = (
        Caveat(
            "by_name",
            "The list holds what is named so; code that does it under another name is not in it.",
        ),
    )
    if len(fitting) > MOST_LISTED:
        more = f"{len(fitting) - MOST_LISTED} more are not listed; narrow the question."
        caveats = (*caveats, Caveat("cut", more))
    return Reply(text, tuple(shown[:2]), caveats=caveats)


def _fitting(looker: Looker, plan: Plan) -> Iterable[Place]:
    stems = {terms(word)[0]: kinds for word, kinds in KIND_WORDS.items()}
    wanted = [term for term in plan.query.terms if term not in stems]
    kinds = frozenset[str]().union(*(stems[t] for t in plan.query.terms if t in stems))
    if not wanted and not kinds:
        return
    tests = "tests" in plan.query.wants
    for view in looker.scope.views:
        for symbol in _symbols(view):
            if kinds and symbol.kind not in kinds:
                continue
            if not kinds and symbol.kind in ("field", "variable", "module"):
                continue
            if set(wanted) <= set(terms(f"{symbol.name} {symbol.signature}")) and (
                tests or "test" not in terms(symbol.path)
            ):
                span = symbol.start_line, symbol.end_line
                yield looker.place(
                    view.source.name, symbol.path, *span, symbol.qualname, symbol.kind
                )


def _symbols(view: View) -> Iterable[SymbolRow]:
    for document in view.documents():
        if not document.skip:
            yield from view.symbols_in(document.path)
