"""Answers to how does, what does and what is: comment, members or steps, callers, related code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clew.answerers.find import ASIDE, find_subject
from clew.answerers.locate import CALLABLE, doubts, lead, related
from clew.answerers.plan import SPELLED
from clew.answerers.reply import Reply
from clew.answerers.uses import listed, sites_of, used_elsewhere
from clew.answerers.writing import cite, cite_place, code, more, speakable
from clew.search.roles import role_of
from clew.tools.grades import Grader

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clew.answerers.find import Subject
    from clew.answerers.look import Looker, Place
    from clew.answerers.plan import Plan
    from clew.answerers.uses import Site
    from clew.index.rows import SymbolRow

STEPS = 8  # calls listed as what a function does
MEMBERS = 12  # members listed of a class
CALLERS = 5  # call sites told about in passing
GRADED = 200  # call sites at most whose imports are read; of more, all are told about
OUTCOMES = 8  # lines listed that return, raise or throw
_HOLDERS = frozenset({"class", "struct", "interface", "trait", "enum", "module"})
_ITSELF = frozenset({"self", "this", "cls", "super", "Self"})
# Where a call without an owner never means a method.
_BARE_IS_FUNCTION = re.compile(r"\.(?:pyi?|[mc]?[jt]sx?|go|rs)$")
_ASPECTS = (
    (re.compile(r"\breturns?\b", re.IGNORECASE), re.compile(r"^\s*(?:return|yield)\b"), "returns"),
    (
        re.compile(r"\b(?:raises?|throws?|errors?|exceptions?)\b", re.IGNORECASE),
        re.compile(
            r"^\s*(?:raise\b|throw\b|panic!|bail!|return\s+(?:Err\(|errors?\.|fmt\.Errorf))"
        ),
        "raises or throws",
    ),
)


def describe(looker: Looker, plan: Plan) -> Reply | None:
    """How something works or what it does: comment, members or steps, and who calls it."""
    if (elsewhere := used_elsewhere(looker, plan)) is not None:
        return elsewhere
    subject = find_subject(looker, plan)
    if subject is None:
        return None
    text = lead(looker, subject)
    for place in _told_about(subject):
        text += _aspect(looker, place, plan)
        text += _members(looker, place) or _steps(looker, place)
    text += _called_by(looker, subject)
    text += related(looker, subject)
    shown = (*subject.inside[:2], *subject.main[:2], *subject.related[: 1 - subject.by_name])
    return Reply(text, shown, caveats=doubts(subject), explains=True)


def _told_about(subject: Subject) -> list[Place]:
    """The places whose inside is told about: the first two of those that count."""
    if subject.inside:
        return [subject.first]
    return list(subject.main[:2])


def _aspect(looker: Looker, place: Place, plan: Plan) -> str:
    """What a function returns or raises, as its lines say, when that is asked."""
    if place.kind not in CALLABLE:
        return ""
    for asked, wanted, verb in _ASPECTS:
        if not asked.search(plan.text):
            continue
        rows = [
            f"- {cite(looker.scope, place.source, place.path, number, number)}: {code(line)}\n"
            for number, line in enumerate(looker.lines(place), place.start_line)
            if wanted.match(line)
        ]
        typed = re.search(r"(?:->|\)\s*:)\s*([^:{]+?)\s*$", place.signature)
        text = ""
        if verb == "returns" and typed and "`" not in typed[1]:
            where = cite(looker.scope, place.source, place.path, place.start_line, place.end_line)
            text = f"\nIts signature declares {code(typed[1])}, at {where}.\n"
        if not rows and not text:
            text = f"\nNo line at {cite_place(looker.scope, place)} {verb} by itself.\n"
        if rows:
            text += f"\nThe lines on which it {verb}:\n\n{''.join(rows[:OUTCOMES])}"
            text += more(len(rows) - OUTCOMES)
        return text
    return ""


def _members(looker: Looker, place: Place) -> str:
    """The members of a class with their spans, "" for anything else."""
    inside = members_of(looker, place)
    public = [s for s in inside if not s.name.startswith("_")] or inside
    if not public:
        return ""
    where = place.source, place.path
    rows = "".join(
        f"- `{s.name}` ({s.kind}) at {cite(looker.scope, *where, s.start_line, s.end_line)}\n"
        for s in public[:MEMBERS]
    )
    left = more(len(public) - MEMBERS)
    at = cite_place(looker.scope, place)
    return f"\nPublic members of `{place.name}` at {at}:\n\n{rows}{left}"


def members_of(looker: Looker, place: Place, kinds: frozenset[str] = CALLABLE) -> list[SymbolRow]:
    """The definitions directly inside a class or the like, in order."""
    if place.kind not in _HOLDERS:
        return []
    rows: dict[str, SymbolRow] = {}
    apart = place.path.endswith((".go", ".rs"))  # there methods stand outside of their type
    for s in looker.symbols(place.source, place.path):
        inside = apart or (place.start_line <= s.start_line and s.end_line <= place.end_line)
        if inside and s.qualname == f"{place.name}.{s.name}" and s.kind in kinds:
            other = rows.setdefault(s.name, s)  # of overloads, the one with the body
            if s.end_line - s.start_line > other.end_line - other.start_line:
                rows[s.name] = s
    return [s for s in rows.values() if speakable(s.name)]


def _steps(looker: Looker, place: Place) -> str:
    """What a function calls that is certain to be in the scope, in order, with its definition."""
    if place.kind not in CALLABLE or not place.named:
        return ""
    rows = list(_calls(looker, place))
    if not rows:
        return ""
    left = more(len(rows) - STEPS)
    return f"\n`{place.name}` calls, in this order:\n\n{''.join(rows[:STEPS])}{left}"


def _calls(looker: Looker, place: Place) -> Iterator[str]:
    rows = looker.references(place.source, place.path)
    imported = frozenset(r.name for r in rows if r.kind == "import")
    lines = looker.text_lines(place.source, place.path)
    view, grader = looker.view(place.source), Grader(looker.scope)
    told: set[str] = set()
    for row in rows:
        if row.kind != "call" or not place.start_line <= row.line <= place.end_line:
            continue
        found = _callee(looker, place, row.name, lines[row.line - 1], imported)
        if found is None or found.qualname in (*told, place.name) or not speakable(found.qualname):
            continue
        graded = grader.grade(view, place.path, row.line, row.name, lines)
        if graded.origin or (row.name in imported and graded.grade != "resolved"):
            continue  # a dependency's, or it can't be told whose
        told.add(found.qualname)
        span = found.start_line, found.end_line
        where = cite(looker.scope, place.source, found.path, *span)
        yield f"- `{found.qualname}` at {where}\n"


def _callee(
    looker: Looker, place: Place, name: str, line: str, imported: frozenset[str]
) -> SymbolRow | None:
    """The definition that a call by a name means, None when it may be something else's.

    One in the same file counts, else the only one in the code when its name is imported here or
    is too particular to be a coincidence. `x.update()` says too little about which `update`.
    """
    found = re.search(rf"([\w)\]]+)?\s*(\.|->|::)\s*{re.escape(name)}\b", line)
    owner = (found[1] or "") if found else None
    rows = [s for s in looker.view(place.source).definitions(name) if s.kind in CALLABLE]
    if owner is None and _BARE_IS_FUNCTION.search(place.path):
        rows = [s for s in rows if s.kind != "method"]
    own = [s for s in rows if s.path == place.path]
    distinct = SPELLED.search(name) is not None
    if len(own) == 1 and (owner is None or owner in _ITSELF or distinct):
        return own[0]
    rows = [s for s in rows if not role_of(s.path) & ASIDE]
    if len(rows) != 1:
        return None
    holder = {rows[0].path.rpartition("/")[2].partition(".")[0], *rows[0].qualname.split(".")[:-1]}
    certain = distinct or (name in imported if owner is None else owner in holder & imported)
    return rows[0] if certain else None


def _alone(looker: Looker, place: Place) -> bool:
    """Whether nothing else in the code has a place's name, so that a use by name means it."""
    rows = [s for view in looker.scope.views for s in view.definitions(place.bare)]
    places = {(s.path, s.qualname) for s in rows if not role_of(s.path) & ASIDE}
    return len(places) <= 1


def _called_by(looker: Looker, subject: Subject) -> str:
    """Where a callable is called from; nothing when its name means several things."""
    place = subject.first
    if place.kind not in CALLABLE or not place.named:
        return ""
    bare = place.bare
    found = next((s for s in subject.symbols if s.name == bare), None) or looker.symbol(bare)
    if found is None or not _alone(looker, place):
        return ""
    calls = [site for site in sites_of(looker, found) if site.kind == "call"]
    calls = calls if len(calls) > GRADED else list(_not_of_others(looker, bare, calls))
    return "\n" + listed(looker, bare, calls, most=CALLERS) if calls else ""


def _not_of_others(looker: Looker, name: str, sites: Sequence[Site]) -> Iterator[Site]:
    """The sites whose name is not imported from a dependency, as `exec.Command` is."""
    grader, lines = Grader(looker.scope), dict[tuple[str, str], list[str]]()
    for site in sites:
        key = site.source, site.path
        if key not in lines:
            lines[key] = looker.text_lines(*key)
        view = looker.view(site.source)
        if not grader.grade(view, site.path, site.line, name, lines[key]).origin:
            yield site
