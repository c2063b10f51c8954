"""The extract answerer: an answer made from the code itself, by rule, without a model.

It plans from the question's form, runs the same tools a model would, and writes Answer →
Evidence from what they found: names, signatures, doc comments, the lines that match, callers. It
never writes a sentence that the source doesn't contain or the tools didn't find, and abstains
when what was found lies below the relevance floor.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clew.answerers.abstain import abstain
from clew.answerers.base import Conclude, Say, Step
from clew.answerers.callees import callees
from clew.answerers.describe import describe
from clew.answerers.earlier import resolved
from clew.answerers.files import describe_path
from clew.answerers.listing import listing
from clew.answerers.locate import check, existing, locate
from clew.answerers.look import Looker
from clew.answerers.past import changed, since_when, told
from clew.answerers.plan import Intent, Plan, plan
from clew.answerers.reply import Reply
from clew.answerers.uses import callers
from clew.answerers.values import values, what
from clew.answerers.when import When, when
from clew.streaming import Background

if TYPE_CHECKING:
    from clew.tools.scope import Scope
    from clew.types import Question

Composer = Callable[[Looker, Plan], Reply | None]
COMPOSERS: dict[Intent, Composer] = {
    "where": locate,
    "how": describe,
    "what": what,
    "callers": callers,
    "callees": callees,
    "value": values,
    "list": listing,
    "helper": existing,
    "check": check,
}


@dataclass(frozen=True, slots=True)
class ExtractAnswerer:
    """Composes an answer by rule.

    Attributes:
        unknown_text: What it says when the code doesn't say.
        evidence_max: How many excerpts an answer shows at most.
    """

    unknown_text: str
    evidence_max: int

    async def answer(self, question: Question, scope: Scope) -> AsyncGenerator[Step]:
        """Yield the steps of one answer; see `Answerer`."""
        work: Background[Step, None] = Background(lambda emit: self._compose(question, scope, emit))
        async with aclosing(work.reports()) as steps:
            async for step in steps:
                yield step

    def _compose(self, question: Question, scope: Scope, emit: Callable[[Step], None]) -> None:
        looker = Looker(scope, emit)
        text, taken = resolved(question)
        asked = when(text)
        planned = plan(asked.other if _is_read(scope, asked.perhaps) else text)
        reply = self._reply(looker, planned, asked)
        emit(Say(f"## Answer\n\n{reply.text.strip()}\n\n"))
        for at, excerpt in enumerate(
            reply.excerpts(looker, self.evidence_max, planned.query.terms)
        ):
            emit(Say(f"## Evidence\n\n{excerpt}" if at == 0 else excerpt))
        emit(Conclude(reply.outcome, (*taken, *reply.caveats, *looker.cuts)))

    def _reply(self, looker: Looker, planned: Plan, asked: When) -> Reply:
        unknown = looker.scope.no_answer or self.unknown_text
        if asked.since:
            reply = changed(looker, planned, asked)
            return reply or abstain(looker, planned, unknown)
        if reply := since_when(planned, asked):
            return reply
        if planned.intent == "history":
            reply = told(looker, planned, unknown)
            return reply or abstain(looker, planned, unknown)
        about_path = planned.query.paths and planned.intent in ("where", "how", "what", "list")
        reply = describe_path(looker, planned) if about_path else None
        reply = reply or COMPOSERS[planned.intent](looker, planned)
        return reply or abstain(looker, planned, unknown)


def _is_read(scope: Scope, perhaps: str) -> bool:
    """Whether the branch or tag that a question may name is what it is answered from."""
    kind, _, name = perhaps.partition("/")
    label = f"{'branch' if kind == 'heads' else 'tag'} {name}"
    return any(view.revision.at == label for view in scope.views)
