"""Answers to where is, is there already a helper for, and questions for yes or no."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clew.answerers.find import (
    Subject,
    find_subject,
    is_aside,
    is_private,
    ranked_places,
    refined,
    unique,
)
from clew.answerers.look import Place
from clew.answerers.quoting import MOST_ASKED, asked
from clew.answerers.reply import Reply
from clew.answerers.uses import used_elsewhere
from clew.answerers.writing import cite_place, code, comment, inside, items, more, named
from clew.index.tokens import terms
from clew.tools.result import plural
from clew.types import Caveat

if TYPE_CHECKING:
    from clew.answerers.look import Looker
    from clew.answerers.plan import Plan

RELATED = 4  # related places told about
OUTLINE = 6  # definitions listed of the file that is the best match
MATCHES = 8  # lines told about for a question of yes or no
SPANS_READ = 8  # best spans in which those lines are looked for
_SUPPORTS = frozenset(
    terms("support allow use work handle safe able possible have need automatically")
)
OUTLINED = frozenset({"function", "class", "struct", "interface", "trait", "enum", "type"})
CALLABLE = frozenset({"function", "method", "class", "struct", "macro"})


def locate(looker: Looker, plan: Plan) -> Reply | None:
    """Where something is: its definitions, or the best match, then what is related."""
    first = _quoted(looker, plan) or used_elsewhere(looker, plan)
    if first is not None:
        return first
    subject = find_subject(looker, plan)
    if subject is None:
        return None
    shown = (*subject.inside[:2], *subject.main[:3], *subject.related[: 2 - 2 * subject.by_name])
    text = lead(looker, subject) + related(looker, subject)
    return Reply(text, shown, caveats=doubts(subject))


def _quoted(looker: Looker, plan: Plan) -> Reply | None:
    """Where words in quotes stand, such as an error message, letter by letter."""
    for words in plan.query.quoted:
        if not re.search(r"\w\W+\w", words) or len(words) > MOST_ASKED:
            continue
        matches = looker.grep(re.escape(words), f"the exact words {asked(words)}").files
        lines = [
            Place(file.source, file.path, match.line, match.line, "", "window")
            for file in matches
            for match in file.matches
        ]
        if lines:
            lines.sort(key=lambda p: is_aside(p, plan))
            looker.note(lines[:MATCHES], f"grep {words}")
            rows = "".join(f"- {_line(looker, p)}\n" for p in lines[:MATCHES])
            count = plural(len(lines), "line")
            text = f"These words stand on {count}:\n\n{rows}{more(len(lines) - MATCHES)}"
            return Reply(text, tuple(_lines_around(looker, p) for p in lines[:3]))
    return None


def existing(looker: Looker, plan: Plan) -> Reply | None:
    """Whether something is there already: the functions and classes that come nearest."""
    ranked = (refined(looker, p, plan) for p in ranked_places(looker, plan.subject))
    places = [p for p in unique(ranked) if p.kind in CALLABLE and not is_aside(p, plan)]
    if not places:
        return None
    wanted = set(plan.query.terms)
    # What is named by all the words comes first, and of the rest what others may call.
    places.sort(key=lambda p: (not wanted <= set(terms(p.name)), is_private(p)))
    best, others = places[0], places[1 : 1 + RELATED]
    fits = wanted <= set(terms(f"{best.name} {best.doc}"))
    where = cite_place(looker.scope, best)
    text = (
        f"The nearest to {asked(plan.bare)} is {named(best)}, at {where}.\n{comment(looker, best)}"
    )
    if others:
        text += "\nOthers that come near:\n\n" + items(looker, others)
    caveat = Caveat("nearest_only", "Nearness is by words: read it before you rely on it.")
    outcome = "answered" if fits else "partial"
    return Reply(text, (best, *others[:1]), outcome, caveats=(caveat,))


def check(looker: Looker, plan: Plan) -> Reply | None:
    """A question of yes or no: the lines that bear on it, and never the verdict."""
    sources = " ".join(view.source.name for view in looker.scope.views)
    wanted = set(plan.query.terms) - _SUPPORTS - set(terms(sources))
    wanted -= set(terms(" ".join(plan.names)))  # of a name, what is asked about it
    wanted = wanted or set(plan.query.terms)
    least = (len(wanted) + 1) // 2 if len(wanted) > 1 else 1
    found: list[tuple[int, int, Place]] = []
    for rank, place in enumerate(list(ranked_places(looker, plan.subject))[:SPANS_READ]):
        scored = [
            (len(wanted & set(terms(line))), -number)
            for number, line in enumerate(looker.lines(place), place.start_line)
        ]
        for score, number in sorted(scored, reverse=True)[:2]:
            if score >= max(least, min(2, len(wanted))):
                line = Place(place.source, place.path, -number, -number, place.name, "window")
                found.append((-score - 2 * (not is_aside(place, plan)), rank, line))
    caveat = Caveat("not_judged", "What the code does when it runs was not worked out.")
    if not found:
        reply = locate(looker, plan)
        text = f"Yes or no is not judged here. {reply.text}" if reply else ""
        return Reply(text, reply.evidence, "partial", (caveat, *reply.caveats)) if reply else None
    found.sort(key=lambda f: f[:2])
    lines = unique(place for _, _, place in found[:MATCHES])
    looker.note(lines, "search_code")
    text = "Yes or no is not judged here. These lines bear on it:\n\n"
    text += "".join(f"- {_line(looker, place)}\n" for place in lines)
    subject = find_subject(looker, plan)
    if subject is not None and subject.by_name:
        text += "\n" + lead(looker, subject)
    spans = [_lines_around(looker, place) for place in lines[:3]]
    main = subject.main[:1] if subject and subject.by_name else ()
    return Reply(text, (*main, *spans), "partial", (caveat,))


def _line(looker: Looker, place: Place) -> str:
    said = code(looker.lines(place)[0])
    around = looker.around(place.source, place.path, place.start_line)
    held = inside(around.qualname) if around else ""
    return f"{cite_place(looker.scope, place)}{held}: {said}"


def _lines_around(looker: Looker, place: Place) -> Place:
    document = looker.view(place.source).document(place.path)
    last = min(place.start_line + 2, document.lines if document else place.start_line)
    span = max(place.start_line - 2, 1), last
    return Place(place.source, place.path, *span, "", "window")


# --- what other answers begin with -----------------------------------------------------------


def lead(looker: Looker, subject: Subject) -> str:
    """Say where the main places are, with what their comments say."""
    scope, first = looker.scope, subject.main[0]
    where = cite_place(scope, first)
    if subject.by_name and len(subject.main) > 1:
        told = "It is defined in these places"
        if len(subject.symbols) == 1:
            told = f"{plural(subject.total, 'definition')} in this scope have that name"
        rest = more(subject.total - len(subject.main))
        return f"{told}:\n\n{items(looker, subject.main)}{rest}{_aside(subject)}"
    if subject.by_name:
        text = f"{named(first)} is defined at {where}.\n{comment(looker, first)}"
        return text + _aside(subject)
    best = subject.inside[0] if subject.inside else first
    text = f"By the words of the question, the best match is {_told(best)} at "
    text += f"{cite_place(scope, best)}.\n{comment(looker, best)}"
    if not subject.inside:
        return text
    if first.doc:
        text += f"\nIts file begins at {where}.\n{comment(looker, first)}"
    rest = unique((*subject.inside[1:], *outline(looker, best.source, best.path)))
    rest = tuple(p for p in rest if p.key != best.key)[:OUTLINE]
    return text + ("\nIn the same file:\n\n" + items(looker, rest) if rest else "")


def _aside(subject: Subject) -> str:
    if not subject.aside:
        return ""
    said = plural(subject.aside, "more definition")
    return f"\nIn tests, examples and documents: {said} of that name.\n"


def _told(place: Place) -> str:
    said = named(place)
    return said if place.named else said[0].lower() + said[1:]


def outline(looker: Looker, source: str, path: str) -> list[Place]:
    """The public definitions at the top level of a file."""
    return [
        looker.placed(source, s)
        for s in looker.symbols(source, path)
        if "." not in s.qualname and not s.name.startswith("_") and s.kind in OUTLINED
    ]


def related(looker: Looker, subject: Subject) -> str:
    """The other places that search ranked: definitions before lines without a name."""
    named_ = [p for p in subject.related if p.named]
    places = (named_ or list(subject.related))[: RELATED - subject.by_name]
    return "\nRelated:\n\n" + items(looker, places) if places else ""


def doubts(subject: Subject) -> tuple[Caveat, ...]:
    """What the reader must know about how the main place was found."""
    if subject.by_name:
        return ()
    return (
        Caveat(
            "by_words",
            "No model was used: the place was found by the words of the question, and what the "
            "code means was not judged.",
        ),
    )
