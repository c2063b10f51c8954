"""ask(): the only door to an answer.

scope → record → sync and pin → answer, through the sentence gate → record. The question's row is
written before work starts and completed whatever happens after: an error, a cancelled caller or
a bug. Everything after pinning sees exactly the pinned revisions. It knows no surface.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import aclosing, suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from clew.answerers.base import Answerer, Conclude, Found, Say
from clew.answerers.closing import closing, index_caveats
from clew.answerers.deadline import in_time, own_limit
from clew.answerers.when import when
from clew.errors import ClewError, InputError, UserError
from clew.redact import redact
from clew.sources.links import link
from clew.streaming import Background, to_the_end
from clew.tags import Choice, Opening, Request, Tags, choose, open_choice
from clew.types import (
    Answer,
    Caveat,
    Citation,
    CitationEvent,
    DoneEvent,
    Event,
    Evidence,
    Exchange,
    Mode,
    Outcome,
    Question,
    StatusEvent,
    TextEvent,
    ToolCallEvent,
    Usage,
)
from clew.verify.gate import Gate

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Mapping
    from pathlib import Path

    from clew.index.view import View
    from clew.records.store import Records
    from clew.tools.scope import Scope
    from clew.workspace import Workspace, WorkspaceOptions

MAX_QUESTION = 8_000  # characters; longer is a paste, not a question
LEAST_SECONDS = 2.0  # to answer in, however long opening the sources took
INTERRUPTED = "The question was interrupted before its answer was done: ask again."
BROKEN = "Something in Clew itself failed while this was being answered: please report it."
NO_FLAW = frozenset({"repaired_path", "uncited", "unchecked"})  # warnings that refute nothing
STORED = (StatusEvent, ToolCallEvent)  # what the record keeps of the events; text has its column


@dataclass(frozen=True, slots=True)
class Parts:
    """What `ask()` needs; `app.build` is the only place that makes one."""

    workspace: WorkspaceOptions
    records: Callable[[], Records]  # opens them, once
    answerers: Mapping[Mode, Answerer]
    mode: Mode  # how a question is answered that doesn't say how
    scope_of: Callable[[tuple[View, ...]], Scope]
    strict: bool
    exempt: tuple[str, ...]
    cwd: Path
    tags: Tags = field(default_factory=Tags)
    clock: Callable[[], float] = time.time


async def ask(question: Question, parts: Parts) -> AsyncGenerator[Event]:
    """Answer one question; the last event is a `DoneEvent` with the whole answer.

    Raises:
        InputError: The question is empty or too long; nothing was recorded.
        ClewError: No source could be opened, or nothing could be said; the record says so.
    """
    mode = _mode(question, parts)
    run = _Run(_checked(question, mode, parts.tags), parts, mode)
    error = ClewError(BROKEN)
    try:
        await to_the_end(run.begin)
        for stage in (run.open, run.answer):
            async with aclosing(stage()) as events:
                async for event in events:
                    yield event
        yield DoneEvent(await to_the_end(run.complete))
    except ClewError as raised:
        error = raised
        raise
    except (GeneratorExit, asyncio.CancelledError, KeyboardInterrupt):
        error = ClewError(INTERRUPTED)
        raise
    finally:
        run.close(error)


def _clean(event: StatusEvent | ToolCallEvent) -> StatusEvent | ToolCallEvent:
    if isinstance(event, StatusEvent):
        return replace(event, message=redact(event.message))
    return replace(event, argument=redact(event.argument), summary=redact(event.summary))


def _mode(question: Question, parts: Parts) -> Mode:
    mode = question.mode or parts.mode
    if mode not in parts.answerers:
        raise InputError(
            f"--mode {mode} needs a model, and none is set: set CLEW_MODEL, or name one by --model."
        )
    return mode


def _checked(question: Question, mode: Mode, tags: Tags) -> Question:
    text = redact(question.text.strip())
    if not text:
        raise InputError('The question is empty: write it in quotes, as in clew ask "where is …?".')
    if len(text) > MAX_QUESTION:
        raise InputError(
            f"The question has {len(text):,} characters; at most {MAX_QUESTION:,} are read."
        )
    heard = tags.heard(question.asker, question.earlier)
    earlier = tuple(Exchange(redact(e.question), redact(e.answer), e.tag) for e in heard)
    return replace(question, text=text, mode=mode, earlier=earlier)


@dataclass(slots=True)
class _Run:
    """The state of one question while it is being answered."""

    question: Question
    parts: Parts
    mode: Mode
    answer_id: str = ""
    completed: bool = False
    choice: Choice = field(default_factory=lambda: Choice(()))
    workspace: Workspace | None = None
    events: list[Event] = field(default_factory=list[Event])
    evidence: dict[Evidence, None] = field(default_factory=dict[Evidence, None])
    text: list[str] = field(default_factory=list[str])
    timings: dict[str, float] = field(default_factory=dict[str, float])
    conclusion: Conclude = field(default_factory=lambda: Conclude("failed"))
    gate: Gate | None = None
    tool_calls: int = 0
    usage: Usage = field(default_factory=Usage)
    started: float = field(default_factory=time.perf_counter)

    def begin(self) -> None:
        """Write the question's row."""
        self.answer_id = self.parts.records().begin(self.question)

    async def open(self) -> AsyncGenerator[Event]:
        """Decide the scope, then sync, pin, index and open it."""
        asked, since = self.question, time.perf_counter()
        before = asked.earlier[-1] if asked.earlier else None
        request = Request(asked.asker, asked.repos, asked.tag, asked.text, before)

        def work(report: Callable[[StatusEvent], None]) -> None:
            opening = self._opening()
            self.choice = choose(self.parts.tags, request, opening, report)
            self.workspace = open_choice(self.choice, asked.asker, opening, report)

        async with aclosing(Background(work).reports()) as events:
            async for event in events:
                yield event  # progress is shown and not kept: there may be thousands
        pinned = [(v.source, v.revision) for v in self._views()]
        await asyncio.to_thread(self.parts.records().pin, self.answer_id, pinned)
        self.timings["open"] = time.perf_counter() - since

    def _opening(self) -> Opening:
        parts = self.parts
        at = self._at()
        perhaps = "" if at else when(self.question.text).perhaps
        options = replace(parts.workspace, at=at, perhaps=perhaps)
        return Opening(options, parts.cwd, lambda: parts.scope_of(()).ranking)

    def _at(self) -> str:
        """The revision that is asked about, by option or in the question's own words."""
        named, given = when(self.question.text).at, self.question.at
        if named and given and named != given:
            raise InputError(
                f"The question is about {named} and --at says {given}: leave one of them out."
            )
        return given or named

    async def answer(self) -> AsyncGenerator[Event]:
        """Run the answerer; what it says is emitted once the gate has checked it."""
        before = time.perf_counter()
        scope = self._scope()
        gate = self.gate = Gate(
            scope.views,
            strict=self.parts.strict,
            evidence=self.evidence,
            question=self.question.text,
            exempt=(*self.parts.exempt, *filter(None, (scope.no_answer,))),
        )
        answerer = self.parts.answerers[self.mode]
        left = self._left()
        asked = replace(self.question, seconds=own_limit(left))
        work = in_time(answerer.answer(asked, scope), left, several=scope.several)
        async with aclosing(work) as steps:
            async for step in steps:
                if isinstance(step, Say):
                    for event in await asyncio.to_thread(gate.feed, step.text):
                        yield self._keep(event)
                elif isinstance(step, Found):
                    self.evidence.update(dict.fromkeys(step.evidence))
                    gate.show(step.texts)
                elif isinstance(step, Conclude):
                    self.conclusion = step
                elif isinstance(step, Usage):
                    self.usage = step
                else:
                    yield self._keep(_clean(step))
        for event in await asyncio.to_thread(gate.finish):
            yield self._keep(event)
        yield self._keep(TextEvent(redact(self._closing(scope))))
        self.timings["answer"] = time.perf_counter() - before

    def _left(self) -> float | None:
        """The seconds that the asker still waits; a few in any case, or there'd be no answer."""
        if self.question.seconds is None:
            return None
        passed = time.perf_counter() - self.started
        return max(self.question.seconds - passed, LEAST_SECONDS)

    def complete(self) -> Answer:
        """Write the finished answer into its record."""
        answer = self._answer(self._outcome())
        self.parts.records().complete(answer, [e for e in self.events if isinstance(e, STORED)])
        self.completed = True
        return answer

    def close(self, error: ClewError) -> None:
        """Let the sources go, and complete the record of a question that got no answer."""
        if self.workspace:
            self.workspace.close()
        if self.completed or not self.answer_id:
            return
        outcome: Outcome = "refused" if isinstance(error, UserError) else "failed"
        events = [e for e in self.events if isinstance(e, STORED)]
        with suppress(ClewError):  # what went wrong first is what the asker is told
            self.parts.records().complete(self._answer(outcome), events, error)

    def _scope(self) -> Scope:
        """What the answerer may look at, and what the tag that says so adds."""
        scope, tag = self.parts.scope_of(self._views()), self.choice.tag
        if tag is None:
            return scope
        return replace(scope, instructions=tag.instructions, no_answer=tag.no_answer)

    def _views(self) -> tuple[View, ...]:
        return self.workspace.views if self.workspace else ()

    def _keep(self, event: Event) -> Event:
        if isinstance(event, CitationEvent):
            event = CitationEvent(self._with_url(event.citation))
        self.events.append(event)
        if isinstance(event, TextEvent):
            self.text.append(event.text)
        self.tool_calls += isinstance(event, ToolCallEvent)
        return event

    def _with_url(self, citation: Citation) -> Citation:
        span = citation.path, citation.start_line, citation.end_line
        for view in self._views():
            if view.source.name == citation.source and citation.verdict != "missing":
                url = link(view.source, view.revision, *span) or ""
                # A file of this machine opens for nobody else, and tells where things lie.
                here = url.startswith("file:") and not self.question.asker.own
                return replace(citation, url="" if here else url)
        return citation

    def _caveats(self) -> tuple[Caveat, ...]:
        if self.workspace is None:
            return self.conclusion.caveats
        opened = self.workspace.opened
        partly = [c for o in opened for c in index_caveats(o.view.source.name, o.report)]
        missing = [
            Caveat("source_failed", f"{f.name} was not searched: {f.error.message}")
            for f in self.workspace.failed
        ]
        notes = [Caveat("source_note", note) for v in self._views() for note in v.revision.notes]
        found = self.gate.warnings if self.gate else ()
        chosen = self.choice.caveats
        return (*found, *self.conclusion.caveats, *chosen, *notes, *partly, *missing)

    def _closing(self, scope: Scope) -> str:
        pinned = [(view.source, view.revision) for view in scope.views]
        return closing(pinned, self._caveats(), self.parts.clock(), "".join(self.text))

    def _outcome(self) -> Outcome:
        """The answerer's judgement, lowered to partial when a check failed."""
        warnings = self.gate.warnings if self.gate else ()
        bad = any(warning.type not in NO_FLAW for warning in warnings)
        outcome = self.conclusion.outcome
        return "partial" if outcome == "answered" and bad else outcome

    def _answer(self, outcome: Outcome) -> Answer:
        self.timings["total"] = time.perf_counter() - self.started
        return Answer(
            id=self.answer_id,
            question=self.question.text,
            outcome=outcome,
            text="".join(self.text),
            citations=tuple(e.citation for e in self.events if isinstance(e, CitationEvent)),
            warnings=self._caveats(),
            revisions={view.source.name: view.revision.id for view in self._views()},
            evidence=tuple(self.evidence),
            usage=replace(self.usage, tool_calls=self.tool_calls),
            timings={stage: round(seconds, 4) for stage, seconds in self.timings.items()},
            mode=self.conclusion.mode or self.mode,
            tag=self.choice.tag.name if self.choice.tag else "",
        )
