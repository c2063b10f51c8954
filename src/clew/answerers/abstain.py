"""Says "I don't know": what was searched, what lay nearest, and who may know."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pathspec

from clew.answerers.base import Found
from clew.answerers.find import unique
from clew.answerers.reply import Reply
from clew.answerers.writing import items
from clew.search import search
from clew.types import Caveat

if TYPE_CHECKING:
    from clew.answerers.look import Looker, Place
    from clew.answerers.plan import Plan
    from clew.index.view import View

NEAREST = 4  # places named
OWNER_FILES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")


def abstain(looker: Looker, plan: Plan, unknown_text: str) -> Reply:
    """The answer when the evidence is short."""
    text = f"{unknown_text}\n"
    searched = list(dict.fromkeys(looker.searched))
    if not plan.query.terms:
        text += "\nThe question holds no word that could be looked for.\n"
    elif searched:
        looker.emit(Found((), tuple(searched)))  # Clew's own words, which no file holds
        text += f"\nSearched for {_listed(searched)}: nothing comes near enough.\n"
    near = nearest(looker, plan)
    if near:
        text += "\nThe nearest things found:\n\n" + items(looker, near)
    return Reply(text + _whom_to_ask(looker, near), outcome="no_answer")


def without_history(looker: Looker, plan: Plan, unknown_text: str, reason: str) -> Reply:
    """The answer to when, why and by whom where no history can be read."""
    near = nearest(looker, plan)
    text = f"{unknown_text}\n\nOnly the present state was read, not how it came to be.\n"
    if near:
        text += "\nWhat is there now and comes nearest:\n\n" + items(looker, near)
    text += _whom_to_ask(looker, near)
    return Reply(text, outcome="no_answer", caveats=(Caveat("no_history", reason),))


def nearest(looker: Looker, plan: Plan) -> tuple[Place, ...]:
    """The places that rank best although none is relevant enough."""
    if not plan.query.terms:
        return ()
    found = search(plan.subject, looker.scope.views, k=NEAREST, embedder=looker.scope.embedder)
    spans = ((hit, hit.spans[0]) for hit in found.hits if not looker.scope.denied(hit.path))
    return unique(
        looker.place(hit.source, hit.path, s.start_line, s.end_line, s.symbol, s.kind)
        for hit, s in spans
    )


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _whom_to_ask(looker: Looker, near: tuple[Place, ...]) -> str:
    for place in near[:1]:
        owners = _owners(looker.view(place.source), place.path)
        if owners:
            return f"\nWho may know: {', '.join(owners)} (code owners of the nearest file).\n"
    return ""


def _owners(view: View, path: str) -> list[str]:
    """The owners that CODEOWNERS gives a path: its last line that matches decides."""
    documents = (view.document(name) for name in OWNER_FILES)
    name = next((d.path for d in documents if d is not None and not d.skip), None)
    owners: list[str] = []
    for row in view.text(name).split("\n") if name else ():
        pattern, *who = row.partition("#")[0].split()[:20] or [""]
        if pattern and pathspec.GitIgnoreSpec.from_lines([pattern]).match_file(path):
            owners = who
    return owners
