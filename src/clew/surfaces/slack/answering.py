"""One question's life in Slack: 🤔, a message that says what is done, the answer, ✅ or ⚠️.

Every way out ends in words that the asker can see, in the thread or else privately, and in a closed
receipt; only a process that ends leaves it open, for another one to go on with. What was asked and
answered is `Clew.ask`'s; this only translates.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clew.errors import ClewError, NotFoundError, UserError
from clew.surfaces.slack import message
from clew.surfaces.slack.door import Door
from clew.surfaces.slack.incoming import SURFACE, Place, place_of
from clew.surfaces.slack.progress import Pace, Progress, working
from clew.types import Answer, DoneEvent, Question

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from clew.app import Clew
    from clew.records.receipts import Ending, Receipt, Receipts
    from clew.surfaces.slack.client import Json, Reply, Slack
    from clew.surfaces.slack.message import Message

_log = logging.getLogger("clew.slack")
THINKING, DONE, WARNING = "thinking_face", "white_check_mark", "warning"
MAX_ATTEMPTS = 3  # processes that may end while they answer one question
STOPPING_SECONDS = 3.0  # for a last word when this process is asked to end
NOTHING_ASKED = "Write your question after my name, such as: where are refunds retried?"
AGAIN = "I was interrupted and begin again…"
STOPPED = "I am being restarted: I go on with this as soon as I am back."
INTERRUPTED = "I was interrupted several times while I was answering this: please ask again."
BROKEN = "Something in Clew itself failed while I was answering this: please report it."
TOO_LATE = "Slack or my records could not be reached for too long: please ask again."
ENDED_EARLY = "The answer ended too early: please ask again."
# A message that is no longer there, or may no longer be changed: a new one takes its place.
_GONE = frozenset({"message_not_found", "cant_update_message", "edit_window_closed"})
_HARMLESS = frozenset({"", "already_reacted", "no_reaction", "message_not_found", "too_many_emoji"})
_WHY = {
    "is_archived": "that channel is archived",
    "not_in_channel": "I am not in that channel: invite me",
    "channel_not_found": "I am not in that channel: invite me",
    "thread_not_found": "the question is gone",
    "restricted_action_thread_locked": "the thread is locked",
    "missing_scope": "I lack a permission in Slack: whoever runs me finds it by `clew slack check`",
}


@dataclass(frozen=True, slots=True)
class Answering:
    """What answering in Slack needs.

    Attributes:
        slots: As many questions as it lets in are answered at once.
        door: Where questions come in; work waits for them.
        pause: Waits between two updates of one message; seconds.
    """

    clew: Clew
    receipts: Receipts
    slack: Slack
    slots: asyncio.Semaphore
    pace: Pace = field(default_factory=Pace)
    door: Door = field(default_factory=Door)
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep

    async def answer(self, receipt: Receipt, *, again: bool = False) -> None:
        """Answer the question of a receipt, or go on where that was interrupted.

        Args:
            receipt: What is owed.
            again: This process has tried before.

        Raises:
            TransientError: Slack or the records can't be reached: the receipt stays open.
        """
        interrupted = again or receipt.attempts > 1
        work = _Work(self, receipt, place_of(receipt), list(receipt.posted), interrupted)
        try:
            if self.clew.tags.channel(work.place.channel) is None:
                await work.refuse()
            else:
                await work.answer()
        except asyncio.CancelledError:
            await work.last_word()
            raise

    async def broken(self, receipt: Receipt) -> None:
        """Say that a bug ended it."""
        await self._end(receipt, BROKEN)

    async def too_late(self, receipt: Receipt) -> None:
        """Say that it could not be answered for so long that it no longer is.

        Raises:
            TransientError: Slack or the records still can't be reached.
        """
        await self._end(receipt, TOO_LATE)

    async def _end(self, receipt: Receipt, said: str) -> None:
        known = await asyncio.to_thread(self.receipts.at, receipt.surface, receipt.place)
        now = known or receipt  # it may have come further than it was when it began
        await _Work(self, now, place_of(now), list(now.posted)).conclude(ClewError(said))


@dataclass(slots=True)
class _Work:
    on: Answering
    receipt: Receipt
    place: Place
    posted: list[str]
    interrupted: bool = False
    ending: bool = False  # the last words are on their way: nothing may be written over them

    # --- the whole way -----------------------------------------------------------------------

    async def answer(self) -> None:
        with self.on.door.entering():
            work = await self._let_in()
        if not work:
            return
        async with self.on.slots:
            await self.on.door.quiet()
            answered = await self._ask()
        if isinstance(answered, Answer):
            await self._in_records(self.on.receipts.answered, self.receipt.id, answered.id)
            await self._deliver(answered)
        else:
            await self.conclude(answered)

    async def _let_in(self) -> bool:
        """🤔 and a first word, or what is owed already; whether there is still work to do."""
        self._mind(await self.on.slack.react(self.place, THINKING))
        if self.interrupted:
            await self._find_posted()
        if self.receipt.answer_id:
            await self._deliver_stored()
        elif self.receipt.attempts > MAX_ATTEMPTS:
            await self.conclude(ClewError(INTERRUPTED))
        elif not self.receipt.question:
            await self.conclude(UserError(NOTHING_ASKED))
        else:
            return await self._announce()
        return False

    async def refuse(self) -> None:
        """One private sentence, which is that of `ask()`: no tag lists this channel."""
        refused = await self._ask()
        said = refused.message if isinstance(refused, ClewError) else BROKEN
        await self._privately(said)
        await self._close("refused", said)

    async def conclude(self, error: ClewError) -> None:
        """End without an answer, and say why."""
        self.ending = True
        ending: Ending = "refused" if isinstance(error, UserError) else "failed"
        refused = await self._write([message.of_words(f"⚠️ {error.message}")], self._about())
        if refused:
            await self._privately(error.message)
        await self._mark(WARNING)
        await self._close(ending, error.message)

    async def last_word(self) -> None:
        """Say that this process is asked to end, if that is quickly done."""
        if not self.posted or self.ending:
            return
        said = self.on.slack.update(
            self.place, self.posted[0], working(STOPPED), self._about(), patient=False
        )
        task = asyncio.ensure_future(said)
        done, _ = await asyncio.wait([task], timeout=STOPPING_SECONDS)
        for each in done:
            if problem := each.exception():
                _log.info("no last word: %s", type(problem).__name__)
        task.cancel()

    # --- asking ------------------------------------------------------------------------------

    async def _announce(self) -> bool:
        """Write the message that says what is being done; False when that can't be."""
        said = working(AGAIN if self.interrupted else self._waiting())
        refused = await self._write([said], self._about())
        if refused:
            why = _why(refused)
            await self._privately(f"I can't answer there: {why}.")
            await self._close("failed", f"Slack: {refused}")
        return not refused

    def _waiting(self) -> str:
        return "In line: other questions are before yours…" if self.on.slots.locked() else ""

    async def _ask(self) -> Answer | ClewError:
        """Ask, showing what is being done; what goes wrong with that comes back."""
        asker = self.on.clew.tags.slack(self.place.channel, self.place.user)
        progress = Progress(self._show, self.on.pause)
        earlier = await asyncio.to_thread(self.on.receipts.earlier, self.receipt)
        asked = Question(self.receipt.question or "?", asker=asker, earlier=tuple(earlier))
        try:
            async with aclosing(self.on.clew.ask(asked)) as events, progress.shown():
                async for event in events:
                    if isinstance(event, DoneEvent):
                        return event.answer
                    progress.feed(event)
        except ClewError as error:
            return error
        return ClewError(ENDED_EARLY)

    async def _show(self, state: Message) -> None:
        if not self.posted or not self.on.pace.take():
            return
        reply = await self.on.slack.update(
            self.place, self.posted[0], state, self._about(), patient=False
        )
        self.on.pace.hold(reply.retry_after)

    # --- delivering --------------------------------------------------------------------------

    async def _deliver_stored(self) -> None:
        """Deliver an answer that was made before this process was."""
        try:
            stored = await self.on.clew.answer(self.receipt.answer_id)
        except NotFoundError as error:
            await self.conclude(error)
            return
        if stored.answer is None:
            await self.conclude(ClewError(INTERRUPTED))
        else:
            await self._deliver(stored.answer)

    async def _deliver(self, answer: Answer) -> None:
        self.ending = True
        messages = message.of_answer(answer)
        about = {**self._about(), "answer": answer.id, "parts": len(messages)}
        refused = await self._write(messages, about)
        if refused:
            said = f"I can't write my answer there: {_why(refused)}."
            await self._privately(f"{said} It is kept as answer {answer.id}.")
            await self._close("failed", f"Slack: {refused}")
            return
        await self._mark(DONE if answer.outcome == "answered" else WARNING)
        await self._close("answered")

    async def _write(self, messages: Sequence[Message], about: Json) -> str:
        """Make these the messages of this question, in order; returns why Slack refuses, or "".

        Messages that are there already are written over, so that doing it again, after an
        interruption at any point, leads to the same thread.
        """
        for part, one in enumerate(messages):
            said = {**about, "part": part}
            if part < len(self.posted):
                reply = await self.on.slack.update(self.place, self.posted[part], one, said)
                if reply.error not in _GONE:
                    if reply.error:
                        return reply.error
                    continue
            reply = await self.on.slack.post(self.place, one, said)
            if reply.error:
                return reply.error
            self.posted[part:] = [reply.ts]
            await self._in_records(self.on.receipts.posted, self.receipt.id, list(self.posted))
        return ""

    async def _find_posted(self) -> None:
        """Find what a killed process wrote and had no time to remember."""
        found = await self.on.slack.ours(self.place, self.receipt.id)
        while len(self.posted) in found:
            self.posted.append(found[len(self.posted)])

    def _about(self) -> Json:
        return {"receipt": self.receipt.id, "part": 0}

    # --- ends --------------------------------------------------------------------------------

    async def _privately(self, said: str) -> None:
        """Say something to the asker alone: where they are, or else in their own messages."""
        words = message.of_words(said)
        in_thread = self.place.thread != self.place.ts
        reply = await self.on.slack.whisper(self.place, words, in_thread=in_thread)
        if reply.error:
            reply = await self.on.slack.direct(self.place.user, words)
        if reply.error:
            _log.warning("the asker of receipt %s can't be told: %s", self.receipt.id, reply.error)

    async def _mark(self, name: str) -> None:
        self._mind(await self.on.slack.unreact(self.place, THINKING))
        self._mind(await self.on.slack.react(self.place, name))

    def _mind(self, reply: Reply) -> None:
        """A reaction is a nicety: what is wrong with it is logged."""
        if reply.error not in _HARMLESS:
            _log.warning("no reaction on the message of %s: %s", self.receipt.id, reply.error)

    async def _close(self, ending: Ending, reason: str = "") -> None:
        await self._in_records(self.on.receipts.close, self.receipt.id, ending, reason)
        if ending == "failed":
            _log.warning("receipt %s of %s failed: %s", self.receipt.id, SURFACE, reason)

    async def _in_records(self, do: Callable[..., None], *arguments: object) -> None:
        await asyncio.to_thread(do, *arguments)


def _why(refused: str) -> str:
    return _WHY.get(refused, f"Slack says {refused}")
