"""The loop: ask the model, run the tools it wants, until it answers or a limit is reached.

It holds the conversation and nothing else: it reads no source itself, writes no record and shows
nothing to a reader. Odd models are the normal case here: whatever one does, the loop ends, within
its limits, with an `Ended` that says what came of it.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from clew.agent import memory, steps
from clew.agent.draft import Draft, whole
from clew.agent.limits import Limits
from clew.errors import (
    ClewError,
    ContextFullError,
    NoToolsError,
    ProviderDownError,
    ProviderRefusedError,
)
from clew.models.chat import Call, Prompt, Reply, Result, Results, Spent, Told
from clew.streaming import to_the_end
from clew.tools.run import TOOLS, run
from clew.tools.schema import specs
from clew.types import Caveat

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable, Sequence

    from clew.models.chat import Chat, Message, ToolSpec
    from clew.tools.result import ToolResult
    from clew.tools.scope import Scope

T = TypeVar("T")
StepMode: TypeAlias = Literal["auto", "tools", "json"]
MAX_CALLS = 8  # in one turn; the rest is not run, and the model is told
NATIVE_FAILURES = 2  # broken calls after which a model is asked for steps in JSON
PATIENCE = 2  # turns of one kind in a row that lead nowhere
LAST = (
    "This is your last turn: no tool can be called any more. Write your answer now from what "
    "you have seen, and say under Caveats what you could not look at."
)
LOOK_FIRST = (
    "You have not looked at the code yet, and only what the tools show counts. Call search_code "
    "(or another tool) first, then answer."
)
NOT_SHOWN = "What it had written was not yet an answer and is not shown."
SAY_SOMETHING = "Your reply was empty. Call a tool, or write your answer."
AGAIN = "You have made this call before, with the same result. Do something else, or answer."


@dataclass(frozen=True, slots=True)
class Asking:
    """A turn begins; `last` says why no other will follow, "" when one may."""

    turn: int
    last: str = ""


@dataclass(frozen=True, slots=True)
class Ran:
    """A tool has run."""

    turn: int
    result: ToolResult[Any]


@dataclass(frozen=True, slots=True)
class Said:
    """A piece of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class Ended:
    """The last event.

    Attributes:
        said: Whether there is an answer; without one, `caveats` say why not.
        whole: Whether the answer is all that the model wanted to say, within the limits.
    """

    said: bool
    whole: bool
    caveats: tuple[Caveat, ...] = ()


AgentEvent: TypeAlias = Asking | Ran | Said | Spent | Ended


@dataclass(frozen=True, slots=True)
class AgentOptions:
    """How the loop works. `steps`: tool calls, steps in JSON, or whichever the model can."""

    limits: Limits = field(default_factory=Limits)
    steps: StepMode = "auto"
    output_tokens: int = 4_096


@dataclass(slots=True)
class Agent:
    """One model at work on one question.

    Attributes:
        system: What it is told before everything, and `json_steps` what is added for steps.
        clock: Seconds that only grow.
        spent: What the turns so far have used.
        messages: The conversation as it is sent, older results shortened.
        looked: Whether a tool has shown anything, be it that there is nothing.
    """

    chat: Chat
    scope: Scope
    system: str
    json_steps: str
    options: AgentOptions
    clock: Callable[[], float]
    spent: Spent = field(default_factory=Spent)
    messages: list[Message] = field(default_factory=list["Message"])
    looked: bool = False
    tools: tuple[ToolSpec, ...] = field(default_factory=specs)
    _json: bool = False
    _turn: int = 0
    _begun: float = 0.0
    _told_last: bool = False
    _failures: int = 0
    _idle: int = 0
    _repeats: int = 0
    _made: dict[str, ToolResult[Any]] = field(default_factory=dict[str, "ToolResult[Any]"])

    async def run(self, question: str) -> AsyncGenerator[AgentEvent]:
        """Work until there is an answer or there can't be one; the last event is an `Ended`."""
        self._begun = self.clock()
        self._json = self.options.steps == "json"
        self.messages = [Told(question)]
        while True:
            self._turn += 1
            over = self.options.limits.over(self.spent, self._size(), self._passed())
            if over is not None:
                yield Ended(said=False, whole=False, caveats=(over,))
                return
            async with aclosing(self._one_turn()) as events:
                async for event in events:
                    yield event
                    if isinstance(event, Ended):
                        return

    async def _one_turn(self) -> AsyncGenerator[AgentEvent]:
        """One turn: what it asks for is run, and its answer passed on."""
        last = self._last()
        yield Asking(self._turn, last.message if last else "")
        self._prepare(last)
        draft = Draft(may_begin=self.looked and not self._json)
        reply: Reply | None = None
        try:
            async with aclosing(self._pieces(last)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, Reply):
                        reply = piece
                    elif text := draft.feed(piece):
                        yield Said(text)
        except (ProviderDownError, ProviderRefusedError) as error:
            # In the last turn nothing but an answer can come, with or without its heading.
            if last is not None and self.looked and not self._json and (rest := draft.rest()):
                yield Said(rest)
            ended = self._failed(error, draft)
            if ended is not None:
                yield ended
            return
        reply = reply or Reply("")
        self.spent += reply.spent
        yield self.spent
        if draft.begun:
            yield self._answered(reply, last)
            return
        async with aclosing(self._follow(self._read(reply), last)) as events:
            async for event in events:
                yield event

    # --- asking ---

    def _last(self) -> Caveat | None:
        if self._repeats >= PATIENCE:
            return Caveat("loop", "The model made the same calls again and again and was stopped.")
        passed = self._passed()
        return self.options.limits.last_turn(self._turn, self.spent, self._size(), passed)

    def _prepare(self, last: Caveat | None) -> None:
        """Shorten what is old, and say so when this is the last turn."""
        if memory.due(self._turn):
            self.messages = list(memory.shorten(self.messages))
        context = self.chat.context
        for keep in (1, 0):
            if context and self._size() + self.options.output_tokens > context:
                self.messages = list(memory.shorten(self.messages, keep))
        if last is not None and not self._told_last:
            self._told_last = True
            self.messages.append(Told(LAST))

    async def _pieces(self, last: Caveat | None) -> AsyncGenerator[str | Reply]:
        """The model's reply, in what is left of the question's time."""
        left = self.options.limits.seconds - self._passed()
        deadline = asyncio.get_running_loop().time() + left
        async with aclosing(self.chat.turn(self._prompt(last, left))) as pieces:
            while True:
                try:
                    async with asyncio.timeout_at(deadline):
                        piece = await anext(pieces)
                except StopAsyncIteration:
                    return
                except TimeoutError:
                    raise ProviderDownError(f"{self.chat.id} did not answer in time.") from None
                yield piece

    def _prompt(self, last: Caveat | None, left: float) -> Prompt:
        if not self._json:
            messages = tuple(self.messages)
            return Prompt(self.system, messages, self.tools, last is None, seconds=left)
        form = steps.schema(self.tools, may_call=last is None)
        system = f"{self.system}\n\n{self.json_steps}"
        return Prompt(system, steps.as_text(self.messages), schema=form, seconds=left)

    def _size(self) -> int:
        return memory.tokens(self.messages, self.system) + memory.tool_tokens(self.tools)

    def _passed(self) -> float:
        return self.clock() - self._begun

    def _failed(self, error: ClewError, draft: Draft) -> Ended | None:
        """What a failed turn means: another try in another way, or the end."""
        if isinstance(error, NoToolsError) and self.options.steps == "auto" and not self._json:
            self._json = True
            return None
        if isinstance(error, ContextFullError) and self._idle < PATIENCE:
            self._idle += 1
            self.messages = list(memory.shorten(self.messages, 0))
            return None
        if self._passed() >= self.options.limits.seconds:
            note = self.options.limits.late()
        else:
            kind = "model_down" if isinstance(error, ProviderDownError) else "model_refused"
            note = Caveat(kind, error.message)
        if draft.begun:
            cut = Caveat("cut", "The answer ends where the model broke off.")
            return Ended(said=True, whole=False, caveats=(note, cut))
        if draft.text.strip():
            note = replace(note, message=f"{note.message} {NOT_SHOWN}")
        return Ended(said=False, whole=False, caveats=(note,))

    # --- reading ---

    def _read(self, reply: Reply) -> Reply:
        """The reply as calls or text, whichever form it came in."""
        if not self._json:
            if reply.calls or not steps.looks_like(reply.text):
                return reply
            if self.options.steps == "auto":
                self._json = True  # it writes its calls instead of making them
        step = steps.parse(reply.text, self._turn)
        if step.call is not None:
            return replace(reply, calls=(step.call,), native=None)
        if step.flaw and "{" in reply.text:
            return replace(reply, calls=(Call("", "", flaw=step.flaw),), native=None)
        return replace(reply, text=step.answer or reply.text, native=None)

    async def _follow(self, reply: Reply, last: Caveat | None) -> AsyncGenerator[AgentEvent]:
        """Do what a whole reply asks for."""
        if reply.stop == "refused" and not reply.calls:
            yield self._nothing("refused", "The model refused to answer this question.")
        elif reply.calls and last is None:
            async for event in self._run_calls(reply):
                yield event
        elif reply.calls:
            yield Ended(said=False, whole=False, caveats=(last,) if last else ())
        elif not reply.text.strip():
            if ended := self._again(reply, SAY_SOMETHING, last):
                yield ended
        elif not self.looked and last is None and self._idle < PATIENCE:
            self._again(reply, LOOK_FIRST, last)
            self._json = self._json or (self.options.steps == "auto" and self._idle == PATIENCE)
        elif not self.looked:
            yield self._nothing("no_tools", "The model answered without looking at the code.")
        else:
            yield Said(whole(reply.text))
            yield self._answered(reply, last)

    def _answered(self, reply: Reply, last: Caveat | None) -> Ended:
        caveats = (last,) if last else ()
        if reply.stop in ("length", "refused"):
            why = "its longest reply ends" if reply.stop == "length" else "it refused to go on"
            caveats = (*caveats, Caveat("cut", f"The model's answer ends where {why}."))
        return Ended(said=True, whole=not caveats, caveats=caveats)

    def _again(self, reply: Reply, told: str, last: Caveat | None) -> Ended | None:
        """Ask once more after a turn that led nowhere; the end when there were enough of them."""
        self._idle += 1
        if last is not None or self._idle > PATIENCE:
            why = "The model gave no answer."
            return Ended(said=False, whole=False, caveats=(last or Caveat("no_reply", why),))
        self.messages += [reply, Told(told)] if reply.text.strip() else [Told(told)]
        return None

    def _nothing(self, kind: str, message: str) -> Ended:
        return Ended(said=False, whole=False, caveats=(Caveat(kind, message),))

    # --- tools ---

    async def _run_calls(self, reply: Reply) -> AsyncGenerator[AgentEvent]:
        """Run a turn's calls side by side, and put their results into the conversation."""
        flaw = reply.calls[0].flaw
        if flaw and not reply.calls[0].tool:  # a step that could not be read at all
            if ended := self._again(replace(reply, calls=(), native=None), flaw, None):
                yield ended
            return
        calls = reply.calls[:MAX_CALLS]
        known = [_key(call) in self._made for call in calls]
        self._repeats = self._repeats + 1 if all(known) else 0
        results = await _side_by_side(self._run(call) for call in calls)
        items: list[Result] = []
        for call, again, result in zip(calls, known, results, strict=True):
            text = f"{AGAIN}\n\n{result.text}" if again else result.text
            short = memory.brief(result, several=self.scope.several)
            items.append(Result(call.id, call.tool, text, short))
            self.looked = self.looked or result.ok
            if not again:
                self._made[_key(call)] = result
                yield Ran(self._turn, result)
        for call in reply.calls[MAX_CALLS:]:
            text = f"Not run: at most {MAX_CALLS} calls are run in one turn. Call it again."
            items.append(Result(call.id, call.tool, text, text))
        self.messages += [reply, Results(tuple(items))]
        self._note_failures(calls)

    async def _run(self, call: Call) -> ToolResult[Any]:
        if (made := self._made.get(_key(call))) is not None:
            return made
        given = {name: value for name, value in call.arguments.items() if value is not None}
        arguments: object = call.flaw or given
        result = await to_the_end(lambda: run(self.scope, call.tool, arguments))
        return replace(result, text=f"{call.flaw} {result.text}") if call.flaw else result

    def _note_failures(self, calls: Sequence[Call]) -> None:
        """After a few broken calls, ask for steps in JSON instead."""
        self._failures += any(call.flaw or call.tool not in TOOLS for call in calls)
        if self._failures >= NATIVE_FAILURES and self.options.steps == "auto":
            self._json = True


async def _side_by_side(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Run all to their end, then raise the first error of any: nothing goes on unseen."""
    done = await asyncio.gather(*work, return_exceptions=True)
    for result in done:
        if isinstance(result, BaseException):
            raise result
    return [result for result in done if not isinstance(result, BaseException)]


def _key(call: Call) -> str:
    """The same for calls that must give the same result."""
    arguments = {name: value for name, value in call.arguments.items() if value is not None}
    return f"{call.tool} {json.dumps(arguments, sort_keys=True, default=str)} {call.flaw}"
