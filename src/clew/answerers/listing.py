"""Answers to list all: by kind and name, by what a class is made of, by what a file holds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clew.answerers.describe import members_of
from clew.answerers.files import folder_files
from clew.answerers.find import DOING, find_subject, is_aside
from clew.answerers.look import Looker, Place
from clew.answerers.registered import Registered, kind_asked, name_in
from clew.answerers.reply import LONG_EXCERPT, Reply
from clew.answerers.writing import cite_place, code, items, more, named
from clew.index.tokens import terms
from clew.search.roles import Role, role_of
from clew.tools.result import plural
from clew.types import Caveat

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clew.answerers.plan import Plan
    from clew.index.rows import SymbolRow

MOST_LISTED = 40  # rows listed
MOST_READ = 4_000  # chunks that hold the words and whose files are looked through
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
    "field": frozenset({"field"}),
    "macro": frozenset({"macro"}),
}
_INHERITS = re.compile(
    r"^(?:(?:direct\s+)?sub-?classes|children|implementations|implementors|implementers|inherits?"
    r"|extends?|subclass(?:es)?|implements?)\s+(?:of\s+|from\s+)?(?:the\s+)?[`'\"]?"
    r"(?P<name>[\w.:]+)",
    re.IGNORECASE,
)
_MEMBERS = re.compile(
    r"^(?P<what>members|values|variants|cases|methods|fields|attributes|properties)\s+"
    r"(?:of|in|on)\s+(?:the\s+)?(?:enum\s+|class\s+|struct\s+|type\s+)?[`'\"]?(?P<name>[\w.:]+)",
    re.IGNORECASE,
)
_FIELDS = frozenset({"constant", "variable", "field"})
BY_NAME = Caveat(
    "by_name",
    "The list holds what is named so; code that does it under another name is not in it.",
)


def listing(looker: Looker, plan: Plan) -> Reply | None:
    """Everything of a kind that can be told by name; what search ranks when nothing can."""
    if found := _INHERITS.match(plan.bare):
        return _subclasses(looker, found["name"])
    if found := _MEMBERS.match(plan.bare):
        return _members(looker, plan, found["what"].casefold(), found["name"])
    kind = kind_asked(plan.query.terms)
    reply = _registered(looker, kind) if kind else None
    return reply or _named(looker, plan) or _held(looker, plan) or _nearest(looker, plan)


# --- what is named so ------------------------------------------------------------------------


def _named(looker: Looker, plan: Plan) -> Reply | None:
    stems = {terms(word)[0]: kinds for word, kinds in KIND_WORDS.items()}
    wanted = [term for term in plan.query.terms if term not in stems]
    kinds = frozenset[str]().union(*(stems[t] for t in plan.query.terms if t in stems))
    if not wanted and not kinds:
        return None
    found = [
        (source, row)
        for source, row in _candidates(looker, wanted, kinds)
        if set(wanted) <= set(terms(f"{row.name} {row.signature if kinds else ''}"))
        and not is_aside(Place(source, row.path, 1, 1, "", ""), plan)
    ]
    if not found:
        return None
    places = [looker.placed(source, row) for source, row in found[:MOST_LISTED]]
    text = f"{len(found)} found by name:\n\n{items(looker, places)}"
    text += more(len(found) - len(places), "definition")
    held = _held(looker, plan) if not kinds else None
    if held is not None:
        text += f"\n{held.text}"
    return Reply(text, (*places[:2], *(held.evidence[:1] if held else ())), caveats=(BY_NAME,))


def _candidates(
    looker: Looker, wanted: list[str], kinds: frozenset[str]
) -> Iterator[tuple[str, SymbolRow]]:
    """Definitions of the kinds, in files that hold all the words."""
    for view in looker.scope.views:
        paths = [d.path for d in view.documents() if not d.skip]
        if wanted:
            docs: set[int] | None = None
            for word in wanted:
                held = set(map(int, view.chunk_doc[view.postings(word).chunk]))
                docs = held if docs is None else docs & held
            documents = view.documents()
            paths = [documents[at].path for at in sorted(docs or ())[:MOST_READ]]
        for path in paths:
            if looker.scope.denied(path):
                continue
            for row in looker.symbols(view.source.name, path):
                if (row.kind in kinds) if kinds else (row.kind in DOING or row.kind == "constant"):
                    yield view.source.name, row


# --- what a file or folder of that name holds ------------------------------------------------


def _held(looker: Looker, plan: Plan) -> Reply | None:
    """The definitions of a file, or the files of a folder, that is called by the noun."""
    noun = terms(plan.bare)
    if not noun or len(noun) > 2:
        return None
    folders: dict[tuple[str, str], None] = {}
    for view, document in looker.documents():
        place = Place(view.source.name, document.path, 1, 1, "", "")
        if is_aside(place, plan):
            continue
        parent, _, name = document.path.rpartition("/")
        if terms(name.partition(".")[0]) == noun and (reply := _file(looker, place)):
            return reply
        parts = parent.split("/")
        for at, part in enumerate(parts):
            if terms(part) == noun:
                folders[view.source.name, "/".join(parts[: at + 1]) + "/"] = None
                break
    for source, folder in list(folders)[:1]:
        text, places = folder_files(looker, source, folder, MOST_LISTED)
        others = len(folders) - 1
        text += f"\n{plural(others, 'other folder')} have that name.\n" if others else ""
        return Reply(text, tuple(places[:2]), "partial", (BY_NAME,))
    return None


def _file(looker: Looker, place: Place) -> Reply | None:
    rows = [
        s
        for s in looker.symbols(place.source, place.path)
        if "." not in s.qualname and not s.name.startswith("_")
    ]
    if not rows:
        return None
    shown = [looker.placed(place.source, row) for row in rows[:MOST_LISTED]]
    document = looker.view(place.source).document(place.path)
    whole = Place(place.source, place.path, 1, document.lines if document else 1, "", "module")
    text = f"{cite_place(looker.scope, whole)} defines {plural(len(rows), 'public name')}:\n\n"
    text += items(looker, shown) + more(len(rows) - len(shown), "definition")
    head = tuple(shown[:2]) if whole.end_line > LONG_EXCERPT else (whole,)
    return Reply(text, head, caveats=(BY_NAME,), explains=True)


# --- what belongs to a class -----------------------------------------------------------------


def _subclasses(looker: Looker, name: str) -> Reply | None:
    """Classes whose head names a base: one step, by name."""
    bare = re.split(r"\.|::", name)[-1]
    pattern = (
        rf"^\s*(?:[\w@]+\s+)*(?:class|interface|trait|struct|record|enum|object)\s+\w.*\b{bare}\b"
        rf"|^\s*(?:unsafe\s+)?impl\b.*\b{bare}\b.*\bfor\b|^\s*extends\s+.*\b{bare}\b"
    )
    places: list[Place] = []
    for file in looker.grep(pattern).files:
        for match in file.matches:
            place = _headed(looker, file.source, file.path, match.line, match.text, bare)
            if place is not None:
                places.append(place)
    if not places:
        return _external_base(looker, bare)
    places.sort(key=_is_test)
    looker.note([_head(p) for p in places[:MOST_LISTED]], f'grep "{bare}"')
    text = f"{len(places)} found whose first line names `{bare}` as a base:\n\n"
    text += items(looker, places[:MOST_LISTED]) + more(len(places) - MOST_LISTED, "definition")
    said = "Bases are read from the first lines of definitions: one step, by name."
    return Reply(text, tuple(places[:2]), caveats=(Caveat("by_name", said),))


def _head(place: Place) -> Place:
    return Place(place.source, place.path, place.start_line, place.start_line, "", "window")


def _headed(
    looker: Looker, source: str, path: str, line: int, text: str, base: str
) -> Place | None:
    """The definition that a line opens, when what follows its name holds the base."""
    for row in looker.symbols(source, path):
        near = row.line == line or (row.kind in DOING and row.start_line <= line <= row.line + 3)
        if near and row.name != base and base in text.split(row.name, 1)[-1]:
            return looker.placed(source, row)
    found = re.search(r"(?:class|impl)\b.*?([A-Z]\w*)\s*(?:[<(:]|extends|for\s+(\w+))", text)
    if found and (found[2] or found[1]) != base:
        return Place(source, path, line, line, found[2] or found[1], "definition")
    return None


def _external_base(looker: Looker, bare: str) -> Reply | None:
    data = looker.symbol(bare)
    if data is None or not data.definitions:
        return None
    place = looker.defined(data.definitions[0])
    text = f"{named(place)} is defined at {cite_place(looker.scope, place)}. "
    text += f"No class was found whose first line names `{bare}` as a base.\n"
    return Reply(text, (place,), "partial")


def _members(looker: Looker, plan: Plan, what: str, name: str) -> Reply | None:
    data = looker.symbol(name)
    if data is None:
        return None
    kinds = DOING if what == "methods" else _FIELDS if what in ("fields", "attributes") else None
    for row in data.definitions:
        place = looker.defined(row)
        rows = members_of(looker, place, kinds or DOING | _FIELDS)
        if not rows:
            continue
        places = [looker.placed(place.source, s) for s in rows[:MOST_LISTED]]
        text = f"{named(place)} at {cite_place(looker.scope, place)} has "
        text += f"{plural(len(rows), 'member')} of its own:\n\n{items(looker, places)}"
        text += more(len(rows) - len(places), "member")
        said = "What it inherits, or gets when the program runs, is not in the list."
        return Reply(text, (place,), caveats=(Caveat("own_members", said),))
    return _nearest(looker, plan)


# --- what is registered ----------------------------------------------------------------------


def _registered(looker: Looker, kind: Registered) -> Reply | None:
    rows: dict[str, list[Place]] = {}
    unnamed = 0
    for file in looker.grep(kind.pattern).files:
        for match in file.matches:
            place = Place(file.source, file.path, match.line, match.line, "", "window")
            if _is_test(place):
                continue
            name = name_in(kind, match.text)
            unnamed += not name
            rows.setdefault(name or f"\0{unnamed}", []).append(place)
    if not rows:
        return None
    shown = list(rows.items())[:MOST_LISTED]
    looker.note([places[0] for _, places in shown], "grep")
    text = f"{plural(len(rows), kind.noun)} found by the lines that spell them:\n\n"
    text += "".join(_registration(looker, places) for _, places in shown)
    text += more(len(rows) - len(shown), kind.noun)
    said = f"A {kind.noun} that is set up in another way is not in the list; tests are left out."
    return Reply(text, tuple(p[0] for _, p in shown[:2]), caveats=(Caveat("by_form", said),))


def _registration(looker: Looker, places: list[Place]) -> str:
    where = cite_place(looker.scope, places[0])
    around = looker.around(places[0].source, places[0].path, places[0].start_line)
    inside = f" in `{around.qualname}`" if around and "`" not in around.qualname else ""
    line = looker.lines(places[0])[0]
    again = f" and on {plural(len(places) - 1, 'other line')}" if len(places) > 1 else ""
    return f"- {code(line)} at {where}{inside}{again}\n"


def _is_test(place: Place) -> bool:
    return bool(role_of(place.path) & (Role.TEST | Role.DOCUMENT | Role.DOCS_FOLDER))


def _nearest(looker: Looker, plan: Plan) -> Reply | None:
    subject = find_subject(looker, plan)
    if subject is None:
        return None
    places = (*subject.main, *subject.inside, *subject.related)
    text = "No set of definitions is named so; these come nearest:\n\n"
    return Reply(text + items(looker, places[:8]), places[:2], "partial", (BY_NAME,))
