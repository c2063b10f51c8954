"""Answers to what is the value of, what is the default, how many, which port: assignments."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from clew.answerers.assignments import assignments
from clew.answerers.describe import describe
from clew.answerers.find import is_aside, ranked_places
from clew.answerers.look import Looker, Place
from clew.answerers.quoting import asked
from clew.answerers.reply import Reply
from clew.answerers.writing import cite, code, inside, more
from clew.index.tokens import terms
from clew.search.roles import Role, role_of
from clew.types import Caveat

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clew.answerers.plan import Plan
    from clew.index.rows import SymbolRow
    from clew.tools.result import Definition

MOST_VALUES = 6  # assignments listed
CHUNKS_READ = 120  # chunks that hold all words and are looked through
VALUES = frozenset({"constant", "variable", "field"})
# Words of a question about a value that say nothing about its name.
_GENERIC = frozenset(
    terms(
        "default value setting current many long often large big much old far used using set server"
        " listen on application app we number make try allow take happen keep per"
    )
)
_SAID = {"assigned": "", "default": " (a default)", "fallback": " (when it is not set)",
         "bare": " (this line gives no value by itself)"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Value:
    """A line that gives something a value; `place` goes on as far as the value does."""

    place: Place
    text: str
    how: str
    literal: bool
    score: float
    inside: str = ""


def values(looker: Looker, plan: Plan) -> Reply | None:
    """The value of a constant, setting or default: the lines that assign it."""
    names = plan.names or _one_word(plan)
    found = sorted(_by_name(looker, names), key=_order) if names else []
    by_words = not found
    if by_words and not plan.names:
        found = _by_words(looker, plan)
    if not found:
        reply = describe(looker, plan)
        if reply is None or reply.outcome != "answered":
            return reply
        text = f"No assignment to that was found. {reply.text}"
        return replace(reply, text=text, outcome="partial")
    shown = found[:MOST_VALUES]
    looker.note([v.place for v in shown], "grep")
    rows = "".join(_row(looker, value) for value in shown)
    caveats: list[Caveat] = []
    text = "It is assigned here:\n\n" if not by_words else "The nearest assignment is this:\n\n"
    if len(found) > 1:
        told = "the words of the question fit" if by_words else "it gets a value"
        text = f"There are {len(found)} places where {told}:\n\n"
        message = "Which assignment wins when the program runs was not worked out."
        caveats.append(Caveat("several_values", message))
    if by_words:
        said = "No model was used: the names were matched with the words of the question."
        caveats.append(Caveat("by_words", said))
    text += rows + more(len(found) - len(shown))
    evidence = tuple(_with_lines_before(v) for v in shown[:3])
    return Reply(text, evidence, caveats=tuple(caveats))


def _with_lines_before(value: Value) -> Place:
    """The place to show; what counts on by itself is shown from where the counting may begin."""
    start = value.place.start_line
    return (
        replace(value.place, start_line=max(start - 8, 1)) if value.how == "bare" else value.place
    )


def what(looker: Looker, plan: Plan) -> Reply | None:
    """What a thing is or does; of what is given a plain value and no more, that value."""
    if len(plan.names) == 1 and plan.names[0].strip("`") == plan.bare:
        data = looker.symbol(plan.names[0])
        rows = data.definitions if data else ()
        if all(row.kind in VALUES for row in rows):
            found = list(_by_name(looker, plan.names))
            made = len(rows) == 1 and not any(value.literal for value in found)
            if found and not made:  # `export const schema = object({…` is described
                return values(looker, plan)
    return describe(looker, plan)


def _row(looker: Looker, value: Value) -> str:
    p = value.place
    where = cite(looker.scope, p.source, p.path, p.start_line, p.end_line)
    return f"- {code(value.text)} at {where}{inside(value.inside)}{_SAID[value.how]}\n"


def _one_word(plan: Plan) -> tuple[str, ...]:
    return (plan.bare,) if re.fullmatch(r"[^\W\d][\w-]*", plan.bare) else ()


def _order(value: Value) -> tuple[int, float, int, str, int]:
    """The likeliest first: code, then configuration, documents and tests."""
    role = role_of(value.place.path)
    aside = 2 if role & Role.TEST else 1 if role & (Role.DOCUMENT | Role.EXAMPLE) else 0
    behind = 2 * bool(role & Role.CONFIG) + (value.how == "fallback")
    return aside, -value.score, behind, value.place.path, value.place.start_line


# --- by name ---------------------------------------------------------------------------------


def _by_name(looker: Looker, names: Iterable[str]) -> Iterator[Value]:
    seen: set[tuple[str, str, int]] = set()
    for name in names:
        bare = re.split(r"\.|::|#", name)[-1]
        owner = re.split(r"\.|::|#", name)[-2] if re.search(r"\.|::|#", name) else ""
        data = looker.symbol(name)
        rows = data.definitions if data else ()
        for row in rows:
            if row.kind in VALUES:
                value = _definition(looker, row)
                if value is None:
                    continue
                seen.add((row.source, row.path, row.line))
                yield value
        found = [v for v in _by_text(looker, bare, owner) if _key(v) not in seen]
        if not found and data and data.definitions and data.name != bare:
            found = [v for v in _by_text(looker, data.name, owner) if _key(v) not in seen]
        yield from found


def _key(value: Value) -> tuple[str, str, int]:
    return value.place.source, value.place.path, value.place.start_line


def _by_text(looker: Looker, bare: str, owner: str) -> Iterator[Value]:
    """The lines that give something a value that is spelled exactly so."""
    if not looker.holds(bare):
        return
    pattern = rf"(?:^|[^\w]){re.escape(bare)}[\"'\])]*\s*(?::|=|\?=|\+=|,|\s)"
    for file in looker.grep(pattern, f"lines with {asked(bare)}").files:
        for match in file.matches:
            value = _at(looker, file.source, file.path, match.line, bare)
            if value and not (owner and owner not in (value.inside or file.path)):
                yield value


def _definition(looker: Looker, row: Definition) -> Value | None:
    """A definition as a value; a constant that counts on from the one above gives none itself."""
    value = _at(looker, row.source, row.path, row.line, row.name)
    last = min(row.end_line, row.line + 11) if value else row.line
    place = Place(row.source, row.path, row.line, max(last, row.line), row.name, "constant")
    if value is not None:
        return replace(value, place=place, score=1)
    if row.kind != "constant":
        return None
    around = looker.around(row.source, row.path, row.line)
    text = looker.lines(place)[0]
    held = around.qualname if around else ""
    how = "assigned" if re.search(r"(?<![=!<>])=(?![=>])", text) else "bare"  # as in `A, B = 1, 2`
    return Value(place, text.strip(), how, literal=False, score=1, inside=held)


def _at(looker: Looker, source: str, path: str, line: int, name: str) -> Value | None:
    """What a line gives the name, None when it assigns something else or nothing."""
    text = looker.view(source).lines(path, line, line)[0]
    around = looker.around(source, path, line)
    signature = around is not None and _in_head(looker, source, around, line)
    for found in assignments(path, text, signature=signature):
        if found.name.replace("-", "_") == name.replace("-", "_"):
            place = Place(source, path, line, line, "", "window")
            inside = around.qualname if around else ""
            return Value(place, text.strip(), found.how, found.literal, 0, inside)
    return None


def _in_head(looker: Looker, source: str, around: SymbolRow, line: int) -> bool:
    """Whether a line belongs to the head of a function: before its body begins."""
    if around.kind not in ("function", "method") or not around.line <= line <= around.line + 30:
        return False
    lines = looker.view(source).lines(around.path, around.line, line)
    depth = sum(row.count("(") - row.count(")") for row in lines[:-1])
    return line == around.line or depth > 0


# --- by words --------------------------------------------------------------------------------


def _by_words(looker: Looker, plan: Plan) -> list[Value]:
    """The assignments whose name, with what is around it, holds all words of the question."""
    wanted = set(plan.query.terms) - _GENERIC
    if not wanted:
        return []
    best: dict[tuple[str, str, int], Value] = {}
    for source, path, start, end in _spans(looker, plan, wanted):
        if is_aside(Place(source, path, 1, 1, "", "window"), plan):
            continue
        lines = looker.text_lines(source, path)
        around_file = set(terms(re.sub(r"\.\w+$", "", path)))
        for number in range(start, end + 1):
            value = _fitting(looker, source, path, number, lines[number - 1], wanted, around_file)
            if value is not None:
                best[source, path, number] = value
    ranked = sorted(best.values(), key=_order)
    return [v for v in ranked if v.score >= ranked[0].score - 0.25] if ranked else []


def _fitting(
    looker: Looker,
    source: str,
    path: str,
    number: int,
    line: str,
    wanted: set[str],
    around_file: set[str],
) -> Value | None:
    """A line as a value, when its name holds one of the words and its surroundings the others."""
    if "=" not in line and ":" not in line and "ENV" not in line:
        return None
    here = set(terms(line))
    if not wanted & here:
        return None
    around = looker.around(source, path, number)
    signature = around is not None and _in_head(looker, source, around, number)
    context = set(terms(around.qualname)) if around else set[str]()
    for found in assignments(path, line, signature=signature):
        own = set(terms(found.name.replace("-", "_")))
        named, near = wanted & own, wanted & (own | context | around_file)
        enough = len(near) == len(wanted) or (len(named) > 1 and len(near) >= _most(wanted))
        if not named or not enough or not (found.literal or found.how != "assigned"):
            continue
        score = (
            (len(named) + len(near)) / (2 * len(wanted))
            + (0.5 if found.literal else 0)
            - 0.02 * len(own - wanted)
        )
        place = Place(source, path, number, number, "", "window")
        inside = around.qualname if around else ""
        return Value(place, line.strip(), found.how, found.literal, round(score, 2), inside)
    return None


def _most(wanted: set[str]) -> int:
    """How many of the words must be near: all of two, and one less of more."""
    return len(wanted) - (len(wanted) > 2)


def _spans(looker: Looker, plan: Plan, wanted: set[str]) -> Iterator[tuple[str, str, int, int]]:
    """What search ranks, and the chunks that hold the most of the words."""
    for place in ranked_places(looker, plan.subject):
        yield place.source, place.path, place.start_line, place.end_line
    for view in looker.scope.views:
        held = Counter(
            chunk for word in wanted for chunk in set(map(int, view.postings(word).chunk))
        )
        fullest = sorted(
            (chunk for chunk, count in held.items() if count >= _most(wanted)),
            key=lambda chunk: (-held[chunk], chunk),
        )
        for row in view.chunks(fullest[:CHUNKS_READ]):
            if not looker.scope.denied(row.path):
                yield view.source.name, row.path, row.start_line, row.end_line
