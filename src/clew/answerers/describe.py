"""Answers to where is, how does, what does, and is there already a helper for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.answerers.find import Subject, find_subject, ranked_places, unique
from clew.answerers.reply import Reply
from clew.answerers.writing import cite, cite_place, first_sentence, items, named
from clew.types import Caveat

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clew.answerers.look import Looker, Place
    from clew.answerers.plan import Plan
    from clew.tools.result import SymbolData, Use

RELATED = 4  # related places told about
STEPS = 8  # calls listed as what a function does
MEMBERS = 12  # members listed of a class
OUTLINE = 6  # definitions listed of the file that is the best match
CALLERS = 5  # call sites told about in passing
OUTLINED = frozenset({"function", "class", "struct", "interface", "trait", "enum", "type"})
CALLABLE = frozenset({"function", "method", "class", "struct", "macro", "constructor"})


def locate(looker: Looker, plan: Plan) -> Reply | None:
    """Where something is: its definitions, or the best match, then what is related."""
    subject = find_subject(looker, plan)
    if subject is None:
        return _external(looker, plan)
    shown = (*subject.inside[:2], *subject.main, *subject.related[:2])
    text = _lead(looker, subject) + _related(looker, subject)
    return Reply(text, shown, caveats=_doubts(subject))


def describe(looker: Looker, plan: Plan) -> Reply | None:
    """How something works or what it does: comment, members or steps, and who calls it."""
    subject = find_subject(looker, plan)
    if subject is None:
        return _external(looker, plan)
    first = (*subject.inside, *subject.main)[0]
    text = _lead(looker, subject)
    text += _members(looker, first) or _steps(looker, first)
    text += _called_by(looker, first, subject.symbols)
    text += _related(looker, subject)
    shown = (*subject.inside[:2], *subject.main[:2], *subject.related[:2])
    return Reply(text, shown, caveats=_doubts(subject), explains=True)


def existing(looker: Looker, plan: Plan) -> Reply | None:
    """Whether something is there already: the functions and classes that come nearest."""
    places = [p for p in unique(ranked_places(looker, plan.subject)) if p.kind in CALLABLE]
    if not places:
        return None
    best, others = places[0], places[1 : 1 + RELATED]
    text = (
        f"The nearest to “{plan.subject}” is {named(best)}, at {cite_place(looker.scope, best)}.\n"
    )
    text += _comment(best)
    if others:
        text += "\nOthers that come near:\n\n" + items(looker.scope, others)
    caveat = Caveat("nearest_only", "Nearness is by words: read it before you rely on it.")
    return Reply(text, (best, *others[:1]), caveats=(caveat,))


def _lead(looker: Looker, subject: Subject) -> str:
    """Say where the main places are, with what their comments say."""
    scope = looker.scope
    first = subject.main[0]
    if len(subject.main) > 1:
        return "It is defined in these places:\n\n" + items(scope, subject.main)
    where = cite_place(scope, first)
    if not subject.inside:
        verb = "is defined" if subject.by_name else "is the best match"
        return f"{named(first)} {verb}, at {where}.\n{_comment(first)}"
    best = subject.inside[0]
    lead = f"{named(best)} is the best match, at {cite_place(scope, best)}.\n{_comment(best)}"
    lead += f"\nIts file begins at {where}.\n{_comment(first)}" if first.doc else ""
    rest = unique((*subject.inside[1:], *_outline(looker, best)))
    rest = tuple(p for p in rest if p.key != best.key)[:OUTLINE]
    return lead + ("\nIn the same file:\n\n" + items(scope, rest) if rest else "")


def _outline(looker: Looker, place: Place) -> list[Place]:
    """The public definitions at the top level of a place's file."""
    return [
        looker.place(place.source, place.path, s.start_line, s.end_line, s.qualname, s.kind)
        for s in looker.parsed(place.source, place.path).symbols
        if "." not in s.qualname and not s.name.startswith("_") and s.kind in OUTLINED
    ]


def _related(looker: Looker, subject: Subject) -> str:
    if not subject.related:
        return ""
    return "\nRelated:\n\n" + items(looker.scope, subject.related[:RELATED])


def _comment(place: Place) -> str:
    said = first_sentence(place.doc)
    return f"\n> {said}\n" if said else ""


def _members(looker: Looker, place: Place) -> str:
    """The members of a class with their spans, "" for anything else."""
    if place.kind not in ("class", "struct", "interface", "trait", "enum"):
        return ""
    inside = [
        s
        for s in looker.parsed(place.source, place.path).symbols
        if s.qualname.startswith(place.name + ".")
        and s.qualname.count(".") == place.name.count(".") + 1
        and s.kind in ("method", "function", "class")
    ]
    if not inside:
        return ""
    where = place.source, place.path
    rows = "".join(
        f"- `{s.name}` at {cite(looker.scope, *where, s.start_line, s.end_line)}\n"
        for s in inside[:MEMBERS]
    )
    rest = len(inside) - MEMBERS
    more = f"- and {rest} more\n" if rest > 0 else ""
    return f"\nIts members:\n\n{rows}{more}"


def _steps(looker: Looker, place: Place) -> str:
    """What a function calls that is defined in the scope, in order, each with its definition."""
    if place.kind not in CALLABLE:
        return ""
    calls = [
        r.name
        for r in looker.parsed(place.source, place.path).references
        if r.kind == "call" and place.start_line <= r.line <= place.end_line
    ]
    view = looker.view(place.source)
    rows: list[str] = []
    for name in dict.fromkeys(calls):
        found = view.definitions(name)
        if len(found) == 1 and found[0].qualname != place.name:
            s = found[0]
            where = cite(looker.scope, place.source, s.path, s.start_line, s.end_line)
            rows.append(f"- `{s.name}` at {where}\n")
    if not rows:
        return ""
    return "\nIt calls, in this order:\n\n" + "".join(rows[:STEPS])


def _called_by(looker: Looker, place: Place, symbols: Sequence[SymbolData]) -> str:
    """Where a callable is called from, with the line itself as the citation."""
    if place.kind not in CALLABLE or not place.name:
        return ""
    bare = place.name.rpartition(".")[2]
    found = next((s for s in symbols if s.name == bare), None) or looker.symbol(bare)
    if found is None:
        return ""
    # With several definitions of one name, a call by that name may mean any of them.
    calls = [u for u in found.uses if u.kind == "call"] if found.total_definitions == 1 else []
    if not calls:
        return ""
    rows = "".join(f"- {_use(looker, use)}\n" for use in calls[:CALLERS])
    more = f"- and {len(calls) - CALLERS} more\n" if len(calls) > CALLERS else ""
    return f"\n`{bare}` is called from:\n\n{rows}{more}"


def _use(looker: Looker, use: Use) -> str:
    caller = looker.chunk_at(use.source, use.path, use.line)
    where = cite(looker.scope, use.source, use.path, use.line, use.line)
    return f"{where} in `{caller.qualname}`" if caller and caller.qualname else where


def _doubts(subject: Subject) -> tuple[Caveat, ...]:
    if subject.by_name:
        return ()
    return (
        Caveat(
            "by_words",
            "No model was used: the place was found by the words of the question, and what the "
            "code means was not judged.",
        ),
    )


def _external(looker: Looker, plan: Plan) -> Reply | None:
    """A name that is imported from a dependency and defined nowhere here."""
    for name in plan.names:
        found = looker.symbol(name)
        if found is not None and not found.definitions and found.uses:
            uses = "".join(f"- {_use(looker, use)}\n" for use in found.uses[:CALLERS])
            said = "It comes from a dependency that isn't indexed.\n" if found.external else ""
            text = f"`{found.name}` is used here and defined nowhere in this scope. {said}"
            return Reply(f"{text}\nIt is used at:\n\n{uses}", outcome="partial")
    return None
