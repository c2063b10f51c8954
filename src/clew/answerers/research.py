"""The research answerer: a model reads the code with the tools, and its answer passes the gate.

When the model is down, refuses, or comes to no answer, the extract answerer answers instead, and
a caveat says why. It decides nothing about the text: what is true in it, the gate finds out.
"""

from __future__ import annotations

import time
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from clew import prompts
from clew.agent import steps
from clew.agent.loop import Agent, Asking, Ended, Ran, Said
from clew.answerers.base import OF_HISTORY, Conclude, Found, Say
from clew.answerers.earlier import told
from clew.errors import ProviderDownError, ProviderRefusedError
from clew.models.chat import Spent
from clew.tools.schema import specs
from clew.tools.scope import revision_label
from clew.types import Caveat, StatusEvent, ToolCallEvent, Usage

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from clew.agent.loop import AgentEvent, AgentOptions
    from clew.answerers.base import Answerer, Step
    from clew.models.chat import Chat, OpenChat
    from clew.tools.scope import Scope
    from clew.types import Outcome, Question

INSTEAD = "This answer was made by rule from the code itself, without the model"
_RESULT_SHARE = 0.15  # of a small model's context that one tool result may take
_CHARS_PER_TOKEN = 3


@dataclass(frozen=True, slots=True)
class ResearchAnswerer:
    """Answers by a model with tools.

    Attributes:
        open_chat: Makes the model ready for one question.
        fallback: Answers when the model doesn't.
        unknown_text: What an answer says that found nothing.
    """

    open_chat: OpenChat
    fallback: Answerer
    unknown_text: str
    options: AgentOptions
    clock: Callable[[], float] = time.monotonic

    async def answer(self, question: Question, scope: Scope) -> AsyncGenerator[Step]:
        """Yield the steps of one answer; see `Answerer`."""
        work = _Work(self, question, scope)
        try:
            async with self.open_chat() as chat, aclosing(work.steps(chat)) as taken:
                async for step in taken:
                    yield step
        except (ProviderDownError, ProviderRefusedError) as error:
            kind = "model_down" if isinstance(error, ProviderDownError) else "model_refused"
            work.ended = Ended(said=False, whole=False, caveats=(Caveat(kind, error.message),))
        if work.ended.said:
            yield Conclude(work.outcome(), work.ended.caveats)
            return
        async with aclosing(self._instead(question, scope, work.ended.caveats)) as taken:
            async for step in taken:
                yield step

    async def _instead(
        self, question: Question, scope: Scope, why: tuple[Caveat, ...]
    ) -> AsyncGenerator[Step]:
        """The fallback's answer, which says that it is one and why."""
        caveats = (*why, Caveat("without_model", f"{INSTEAD}."))
        async with aclosing(self.fallback.answer(question, scope)) as taken:
            async for step in taken:
                if isinstance(step, Conclude):
                    yield replace(step, caveats=(*caveats, *step.caveats), mode="extract")
                else:
                    yield step


@dataclass(slots=True)
class _Work:
    """One question at one model: the agent's events as an answerer's steps."""

    answerer: ResearchAnswerer
    question: Question
    scope: Scope
    ended: Ended = field(default_factory=lambda: Ended(said=False, whole=False))
    text: list[str] = field(default_factory=list[str])

    async def steps(self, chat: Chat) -> AsyncGenerator[Step]:
        """Let the agent work."""
        system, version = _system(self.answerer, self.scope)
        agent = Agent(
            chat,
            _fitting(self.scope, chat),
            system,
            prompts.load("steps").text.replace("{tools}", steps.listing(specs())),
            _in_time(self.answerer.options, self.question.seconds),
            self.answerer.clock,
        )
        asked = Usage(model=chat.id, prompt=version)
        yield asked  # also a model that never answers was the one that was asked
        async with aclosing(agent.run(told(self.question))) as events:
            async for event in events:
                for step in self._taken(event):
                    yield (
                        replace(step, model=asked.model, prompt=asked.prompt)
                        if isinstance(step, Usage)
                        else step
                    )

    def _taken(self, event: AgentEvent) -> list[Step]:
        if isinstance(event, Said):
            self.text.append(event.text)
            return [Say(event.text)]
        if isinstance(event, Ran):
            done, turn = event.result, event.turn
            told = ToolCallEvent(done.tool, done.argument, done.summary, done.ok, turn)
            words = (done.text,) if done.tool in OF_HISTORY else ()
            return [told, Found(done.evidence, words)]
        if isinstance(event, Asking):
            why = f" (the last: {event.last})" if event.last else ""
            return [StatusEvent(f"asking the model, turn {event.turn}{why}")]
        if isinstance(event, Spent):
            return [_usage(event)]
        self.ended = event
        return []

    def outcome(self) -> Outcome:
        """What the answer is by its own words and by how it came to its end."""
        unknown = self.scope.no_answer or self.answerer.unknown_text
        if unknown.strip() in "".join(self.text):
            return "no_answer"
        return "answered" if self.ended.whole else "partial"


def _system(answerer: ResearchAnswerer, scope: Scope) -> tuple[str, str]:
    """The model's instructions, and their version: names of sources, never where they lie."""
    prompt, own = prompts.load("research"), prompts.load("tag")
    sources = "\n".join(f"- {revision_label(view)}" for view in scope.views)
    several = ", with the source's name before it as in `name:path:start-end`,"
    values = {
        "{sources}": sources,
        "{turns}": str(answerer.options.limits.turns),
        "{several}": several if scope.several else "",
        "{unknown}": scope.no_answer or answerer.unknown_text,
    }
    text = prompt.text
    for mark, value in values.items():
        text = text.replace(mark, value)
    if not scope.instructions.strip():
        return text, prompt.version
    added = own.text.replace("{instructions}", scope.instructions.strip())
    return f"{text}\n\n{added}", f"{prompt.version} + {own.version}"


def _in_time(options: AgentOptions, seconds: float | None) -> AgentOptions:
    """The options with no more time than the asker has."""
    if seconds is None or seconds >= options.limits.seconds:
        return options
    return replace(options, limits=replace(options.limits, seconds=seconds))


def _fitting(scope: Scope, chat: Chat) -> Scope:
    """The scope with results that fit a small model's context."""
    if not chat.context:
        return scope
    room = int(chat.context * _RESULT_SHARE) * _CHARS_PER_TOKEN
    return replace(scope, max_chars=min(scope.max_chars, room))


def _usage(spent: Spent) -> Usage:
    return Usage(
        model_calls=spent.calls,
        input_tokens=spent.input_tokens,
        output_tokens=spent.output_tokens,
        cached_tokens=spent.cached_tokens,
        cost=spent.cost,
    )
