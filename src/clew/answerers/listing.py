"""Answers to list all: by kind and name, by what a class is made of, by what a file holds."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from clew.answerers.belonging import belongs
from clew.answerers.files import folder_files
from clew.answerers.find import DOING, find_subject, is_aside
from clew.answerers.look import Looker, Place
from clew.answerers.registered import Registered, kind_asked, name_in
from clew.answerers.reply import LONG_EXCERPT, Reply
from clew.answerers.writing import cite_place, code, inside, items, more
from clew.index.tokens import terms
from clew.search.roles import Role, role_of
from clew.tools.result import plural
from clew.types import Caveat

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clew.answerers.plan import Plan
    from clew.index.rows import SymbolRow

MOST_LISTED = 40  # rows listed
MOST_OTHERS = 8  # rows listed of what only has the words somewhere in its name
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
_SPELLED = re.compile(r"[A-Z]|[^\W_]_+[^\W_]")  # a name as code spells it, and no plain word
BY_NAME = Caveat(
    "by_name",
    "The list holds what is named so; code that does it under another name is not in it.",
)


def listing(looker: Looker, plan: Plan) -> Reply | None:
    """Everything of a kind that can be told by name; what search ranks when nothing can."""
    if (belonging := belongs(looker, plan)) is not None:
        return belonging
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
    spelled = tuple(name.casefold() for name in plan.query.identifiers if _SPELLED.search(name))
    wanted = [] if spelled else wanted
    fitting = [
        (source, row)
        for source, row in _candidates(looker, wanted, kinds)
        if _fits(row, wanted, kinds, spelled)
    ]
    found = [p for p in fitting if not is_aside(Place(p[0], p[1].path, 1, 1, "", ""), plan)]
    if not found:
        return None
    own = [(s, row) for s, row in found if not wanted or _ends(row.name, wanted)] or found
    others = [pair for pair in found if pair not in own]
    places = [looker.placed(source, row) for source, row in own[:MOST_LISTED]]
    text = f"{len(own)} found by name:\n\n{items(looker, places)}"
    text += more(len(own) - len(places))
    if others:
        rest = [looker.placed(source, row) for source, row in others[:MOST_OTHERS]]
        text += f"\n{plural(len(others), 'definition')} with these words in another place of the "
        text += f"name:\n\n{items(looker, rest)}{more(len(others) - len(rest))}"
    if aside := len(fitting) - len(found):
        text += f"\nIn tests, examples and documents: {aside} more.\n"
    held = _held(looker, plan) if not kinds else None
    if held is not None:
        text += f"\n{held.text}"
    return Reply(text, (*places[:2], *(held.evidence[:1] if held else ())), caveats=(BY_NAME,))


def _fits(
    row: SymbolRow, wanted: list[str], kinds: frozenset[str], spelled: tuple[str, ...]
) -> bool:
    """Whether a name holds all the words, or what is spelled as a part of names."""
    if spelled:
        return all(part in row.name.casefold() for part in spelled)
    return set(wanted) <= set(terms(f"{row.name} {row.signature if kinds else ''}"))


def _ends(name: str, wanted: list[str]) -> bool:
    """Whether a name ends in the last of the words, as `NoAppException` is an exception."""
    parts = terms(name)
    return wanted[-1] in (parts[-2:-1] if len(parts) > 1 else parts)


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
    counts = Counter(
        (view.source.name, document.path.rpartition("/")[0] + "/")
        for view, document in looker.documents()
    )
    for source, folder in sorted(folders, key=lambda f: -counts[f])[:1]:
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
    text += items(looker, shown) + more(len(rows) - len(shown))
    head = tuple(shown[:2]) if whole.end_line > LONG_EXCERPT else (whole,)
    return Reply(text, head, caveats=(BY_NAME,), explains=True)


# --- what is registered ----------------------------------------------------------------------


def _registered(looker: Looker, kind: Registered) -> Reply | None:
    rows: dict[str, list[Place]] = {}
    unnamed = 0
    for file in looker.grep(kind.pattern, f"lines that set up a {kind.noun}").files:
        for match in file.matches:
            place = Place(file.source, file.path, match.line, match.line, "", "window")
            if _is_test(place) or match.text.lstrip().startswith(("#", "//", "*", "--")):
                continue
            name = name_in(kind, match.text)
            unnamed += not name
            rows.setdefault(name or f"\0{unnamed}", []).append(place)
    if not rows:
        return None
    shown = list(rows.items())[:MOST_LISTED]
    looker.note([places[0] for _, places in shown], "grep")
    text = f"{plural(len(rows), kind.noun)} found by the lines that spell them:\n\n"
    text += "".join(_registration(looker, name, places) for name, places in shown)
    text += more(len(rows) - len(shown))
    said = f"Any {kind.noun} that is set up in another way is not in the list; tests are left out."
    return Reply(text, tuple(p[0] for _, p in shown[:2]), caveats=(Caveat("by_form", said),))


def _registration(looker: Looker, name: str, places: list[Place]) -> str:
    where = cite_place(looker.scope, places[0])
    around = looker.around(places[0].source, places[0].path, places[0].start_line)
    held = inside(around.qualname) if around else ""
    line = looker.lines(places[0])[0]
    again = f" and on {plural(len(places) - 1, 'other line')}" if len(places) > 1 else ""
    told = f"`{name}`" if re.fullmatch(r"[A-Z][A-Z0-9_]+", name) else code(line)
    return f"- {told} at {where}{held}{again}\n"


def _is_test(place: Place) -> bool:
    return bool(role_of(place.path) & (Role.TEST | Role.DOCUMENT | Role.DOCS_FOLDER))


def _nearest(looker: Looker, plan: Plan) -> Reply | None:
    subject = find_subject(looker, plan)
    if subject is None:
        return None
    places = (*subject.main, *subject.inside, *subject.related)
    text = "No set of definitions is named so; these come nearest:\n\n"
    return Reply(text + items(looker, places[:8]), places[:2], "partial", (BY_NAME,))
