"""Answers to list all that belong to something: subclasses, members, errors, by their first lines.

What a class inherits from is read from the line that opens it, one step and by name; what it is
made of, from what stands inside it.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from clew.answerers.describe import members_of
from clew.answerers.find import ASIDE, DOING
from clew.answerers.look import Looker, Place
from clew.answerers.quoting import asked
from clew.answerers.reply import Reply
from clew.answerers.textual import definitions_in
from clew.answerers.writing import cite_place, code, item, items, more, named
from clew.search.roles import role_of
from clew.tools.result import plural
from clew.types import Caveat

if TYPE_CHECKING:
    from clew.answerers.plan import Plan

MOST_LISTED = 40  # rows listed
_INHERITS = re.compile(
    r"^(?:(?:direct\s+)?sub-?classes|children|implementations|implementors|implementers|inherits?"
    r"|extends?|subclass(?:es)?|implements?)\s+(?:of\s+|from\s+)?(?:the\s+)?[`'\"]?"
    r"\$?(?P<name>[\w.:]+)",
    re.IGNORECASE,
)
_MEMBERS = re.compile(
    r"^(?P<what>members|values|variants|cases|methods|fields|attributes|properties)\s+"
    r"(?:of|in|on)\s+(?:the\s+)?(?:enum\s+|class\s+|struct\s+|type\s+)?[`'\"]?(?P<name>[\w.:]+)",
    re.IGNORECASE,
)
_ERRORS = re.compile(
    r"^(?:custom\s+|our\s+)?(?:errors?|exceptions?)(?:\s+(?:class(?:es)?|types?))?$", re.IGNORECASE
)
_ERROR = re.compile(r"(?:Error|Exception|Throwable|Fault)s?\b")
_GO_ERROR = re.compile(r"^Err[A-Z]\w*$")
_FIELDS = frozenset({"constant", "variable", "field"})


def belongs(looker: Looker, plan: Plan) -> Reply | None:
    """What belongs to the thing that is asked about, None when the question is another one."""
    if found := _INHERITS.match(plan.bare):
        return _subclasses(looker, found["name"])
    if found := _MEMBERS.match(plan.bare):
        return _members(looker, found["what"].casefold(), found["name"])
    return _errors(looker) if _ERRORS.match(plan.bare) else None


def _errors(looker: Looker) -> Reply | None:
    """Types whose name or base ends as errors' do."""
    rows = [
        (view.source.name, row)
        for view, document in looker.documents()
        if not role_of(document.path) & ASIDE
        for row in looker.symbols(view.source.name, document.path)
        if (
            row.kind in ("class", "struct", "enum") and _ERROR.search(f"{row.name} {row.signature}")
        )
        or (row.kind in ("variable", "constant") and _GO_ERROR.match(row.name))
    ]
    if not rows:
        return None
    places = [looker.placed(source, row) for source, row in rows[:MOST_LISTED]]
    text = f"{len(rows)} found whose name or base is spelled as an error's:\n\n"
    text += items(looker, places) + more(len(rows) - len(places))
    said = "Errors are told by the spelling of names and bases; tests are left out."
    return Reply(text, tuple(places[:2]), caveats=(Caveat("by_name", said),))


def _subclasses(looker: Looker, name: str) -> Reply | None:
    """Classes whose head names a base: one step, by name."""
    bare = re.split(r"\.|::", name)[-1]
    pattern = (
        rf"^\s*(?:[\w@]+\s+)*(?:class|interface|trait|struct|record|enum|object)\s+\w.*\b{bare}\b"
        rf"|{_impl(bare)}|^\s*extends\s+.*\b{bare}\b"
    )
    places: list[Place] = []
    for file in looker.grep(pattern, f"first lines that name {asked(bare)}").files:
        for match in file.matches:
            place = _headed(looker, file.source, file.path, match.line, match.text, bare)
            if place is not None:
                places.append(place)
    if not places:
        return _external_base(looker, bare)
    places.sort(key=lambda p: bool(role_of(p.path) & ASIDE))
    looker.note([_head(p) for p in places[:MOST_LISTED]], f'grep "{bare}"')
    text = f"{len(places)} found whose first line names `{bare}` as a base:\n\n"
    text += "".join(_row(looker, p) for p in places[:MOST_LISTED])
    text += more(len(places) - MOST_LISTED)
    said = "Bases are read from the first lines of definitions: one step, by name."
    return Reply(text, tuple(places[:2]), caveats=(Caveat("by_name", said),))


def _row(looker: Looker, place: Place) -> str:
    if place.named:
        return item(looker, place) + "\n"
    return f"- {code(looker.lines(place)[0])} at {cite_place(looker.scope, place)}\n"


def _head(place: Place) -> Place:
    return Place(place.source, place.path, place.start_line, place.start_line, "", "window")


def _headed(
    looker: Looker, source: str, path: str, line: int, text: str, base: str
) -> Place | None:
    """The definition that a line opens, when what follows its name holds the base."""
    rows = [s for s in looker.symbols(source, path) if s.kind in DOING and s.name != base]
    heads = [s for s in rows if s.line == line]
    if text.lstrip().startswith("extends"):
        heads = [s for s in rows if s.line < line <= s.line + 3][-1:]
    for row in heads:
        if base in _heritage(text, row.name):
            return looker.placed(source, row)
    if heads:
        return None
    for row in definitions_in(path, looker.text_lines(source, path), {line}):
        if row.name != base and base in _heritage(text, row.name):
            return looker.defined(replace(row, source=source))
    if not re.search(_impl(base), text):
        return None
    return Place(source, path, line, line, "", "window")


def _heritage(text: str, name: str) -> str:
    """What follows a definition's name and its type parameters, whose bounds are no bases."""
    rest = text.split(name, 1)[-1]
    depth = 0
    for at, sign in enumerate(rest):
        depth += (sign == "<") - (sign == ">" and rest[at - 1 : at] not in ("-", "="))
        if depth <= 0:
            return rest[at + 1 :] if sign == ">" else rest
    return ""


def _impl(base: str) -> str:
    """A pattern for the line that implements a trait of that name."""
    return rf"^\s*(?:unsafe\s+)?impl(?:<.*>)?\s+(?:\w+::)*{base}\b(?:<.*>)?\s+for\b"


def _external_base(looker: Looker, bare: str) -> Reply | None:
    data = looker.symbol(bare)
    if data is None or not data.definitions:
        return None
    place = looker.defined(data.definitions[0])
    text = f"{named(place)} is defined at {cite_place(looker.scope, place)}; "
    text += "no first line of a class was found that has it as a base.\n"
    return Reply(text, (place,), "partial")


def _members(looker: Looker, what: str, name: str) -> Reply | None:
    data = looker.symbol(name)
    if data is None:
        return None
    kinds = DOING if what == "methods" else None if what == "members" else _FIELDS
    for row in data.definitions:
        place = looker.defined(row)
        rows = members_of(looker, place, kinds or DOING | _FIELDS)
        if not rows:
            continue
        places = [looker.placed(place.source, s) for s in rows[:MOST_LISTED]]
        text = f"{named(place)} at {cite_place(looker.scope, place)} has "
        text += f"{plural(len(rows), 'member')} of its own:\n\n{items(looker, places)}"
        text += more(len(rows) - len(places))
        said = "What it inherits, or gets when the program runs, is not in the list."
        return Reply(text, (place,), caveats=(Caveat("own_members", said),))
    if data.definitions:
        place = looker.defined(data.definitions[0])
        text = f"{named(place)} at {cite_place(looker.scope, place)} has no members to list.\n"
        return Reply(text, (place,), "partial")
    return None
