"""Answers to what a function calls: names that the scope defines, then the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from clew.answerers.find import find_subject
from clew.answerers.locate import CALLABLE, doubts, lead
from clew.answerers.reply import Reply
from clew.answerers.writing import cite, cite_place, more, named, speakable
from clew.tools.result import plural
from clew.types import Caveat

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clew.answerers.look import Looker, Place
    from clew.answerers.plan import Plan
    from clew.tools.result import Callee

MOST_CALLED: Final = 30  # names of one body that are listed
MOST_BODIES: Final = 3  # definitions of one name whose calls are told
MOST_OUTSIDE: Final = 12  # names that nothing here defines, or several things do
_BY_NAME: Final = Caveat("by_name", "What is called is told by name, not by type.")


def callees(looker: Looker, plan: Plan) -> Reply | None:
    """What the body of a function, method or class calls, in the order of its lines."""
    subject = find_subject(looker, plan)
    if subject is None:
        return None
    places = [p for p in (subject.main if subject.by_name else (subject.first,)) if _calls(p)]
    if not places:
        text = f"{lead(looker, subject)}\nIt is no function: there is no more to tell.\n"
        return Reply(text, subject.main[:1], "partial", doubts(subject))
    text = "\n".join(_called(looker, place) for place in places[:MOST_BODIES])
    caveats = (*doubts(subject), _BY_NAME)
    return Reply(text, tuple(places[:MOST_BODIES]), caveats=caveats, explains=True)


def _calls(place: Place) -> bool:
    return place.named and place.kind in CALLABLE


def _called(looker: Looker, place: Place) -> str:
    """What one body calls: what is certain, what has only a name in common, and what is outside."""
    where = f"{named(place)} at {cite_place(looker.scope, place)}"
    data = looker.callees(place)
    if data is None or not data.callees:
        return f"{where} calls nothing that has a name.\n"
    here = [callee for callee in data.callees if callee.path and speakable(callee.qualname)]
    sure = [callee for callee in here if callee.grade == "resolved"]
    maybe = [callee for callee in here if callee.grade == "heuristic"]
    text = f"{where} calls nothing that is certain to be defined in this scope.\n"
    if sure:
        count = plural(len(sure), "name")
        text = f"{where} calls {count} that this scope defines:\n\n{_rows(looker, place, sure)}"
    if maybe:
        rows = _rows(looker, place, maybe)
        text += f"\nBy their name alone these are meant, and it may be something else:\n\n{rows}"
    return text + _outside(looker, place, data.callees)


def _rows(looker: Looker, place: Place, found: Sequence[Callee]) -> str:
    rows = "".join(_row(looker, place, callee) for callee in found[:MOST_CALLED])
    return rows + more(len(found) - MOST_CALLED)


def _row(looker: Looker, place: Place, callee: Callee) -> str:
    scope, line = looker.scope, callee.lines[0]
    there = cite(scope, callee.source, callee.path, callee.start_line, callee.end_line)
    here = cite(scope, place.source, place.path, line, line)
    return f"- `{callee.qualname}` at {there}: called at {here}\n"


def _outside(looker: Looker, place: Place, called: Sequence[Callee]) -> str:
    others = (c for c in called if not c.path or c.grade == "textual")
    names = [c.name for c in others if speakable(c.name)]
    if not names:
        return ""
    said = ", ".join(f"`{name}`" for name in names[:MOST_OUTSIDE])
    left = len(names) - MOST_OUTSIDE
    rest = f" and {plural(left, 'more name')}" if left > 0 else ""
    return f"\nOther names that it calls: {said}{rest}, in {cite_place(looker.scope, place)}.\n"
