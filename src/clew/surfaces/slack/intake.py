"""Decides which messages are questions to us, and takes each in once, before anything is said.

It is called while Slack waits for an acknowledgement: it writes a receipt and returns. Buttons are
authorised again here when they are pressed.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clew.surfaces.slack import incoming
from clew.surfaces.slack.incoming import SURFACE, place_key, thread_key
from clew.surfaces.slack.message import FEEDBACK, of_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clew.records.receipts import Receipt, Receipts
    from clew.surfaces.slack.client import Slack
    from clew.surfaces.slack.door import Door
    from clew.surfaces.slack.incoming import Asked, Pressed
    from clew.surfaces.slack.worker import Worker
    from clew.tags import Tags

_log = logging.getLogger("clew.slack")
THANKS = {
    "up": "Noted, thank you: 👍. Press 👎 should you change your mind.",
    "down": "Noted, thank you: 👎. Press 👍 should you change your mind.",
}
NOT_YOURS = "That can't be done here."


@dataclass(frozen=True, slots=True)
class Intake:
    """Where events and buttons come in. `me` is my user id."""

    tags: Tags
    receipts: Receipts
    slack: Slack
    worker: Worker
    door: Door
    me: str

    async def event(self, body: Mapping[str, Any]) -> None:
        """Take a message event in; returns once its receipt is written.

        Raises:
            ClewError: The receipt can't be written: Slack must tell it again.
        """
        asked = incoming.asked(body, self.me)
        with self.door.entering():
            if asked is not None and await self._is_for_us(asked):
                receipt = await asyncio.to_thread(self._take, asked)
                if receipt is not None:
                    self.worker.start(receipt)

    async def _is_for_us(self, asked: Asked) -> bool:
        if asked.kind != "message":
            return True  # who speaks to us gets a word, be it that they may not
        channel = self.tags.channel(asked.place.channel)
        if channel is None or channel.mode != "questions" or asked.to_somebody:
            return False
        if not incoming.is_question(asked.text):
            return False
        if not asked.replies:
            return True
        thread = thread_key(asked.place)
        return await asyncio.to_thread(self.receipts.knows_thread, SURFACE, thread)

    def _take(self, asked: Asked) -> Receipt | None:
        return self.receipts.take(
            SURFACE,
            place_key(asked.place),
            thread=thread_key(asked.place),
            event=asked.event,
            asker=asked.place.user,
            question=asked.text,
        )

    async def button(self, body: Mapping[str, Any]) -> None:
        """Save what somebody thinks of an answer, if they may see it; they alone are told."""
        pressed = incoming.pressed(body)
        if pressed is None or pressed.action not in FEEDBACK:
            return
        said = await asyncio.to_thread(self._rate, pressed)
        self.worker.aside(self._tell(pressed, said))  # Slack waits no longer than for the saving

    def _rate(self, pressed: Pressed) -> str:
        if not self._may_rate(pressed):
            return NOT_YOURS
        verdict = FEEDBACK[pressed.action]
        asker = f"{pressed.place.team}/{pressed.place.user}"
        self.receipts.rate(pressed.value, SURFACE, asker, verdict)
        return THANKS[verdict]

    async def _tell(self, pressed: Pressed, said: str) -> None:
        reply = await self.slack.whisper(pressed.place, of_words(said), in_thread=True)
        if reply.error:
            _log.info("who pressed a button can't be told: %s", reply.error)

    def _may_rate(self, pressed: Pressed) -> bool:
        """Whether the answer was given in that very thread, in a channel that is still listed."""
        given = self.receipts.of_answer(pressed.value)
        return (
            given is not None
            and given.thread == thread_key(pressed.place)
            and self.tags.channel(pressed.place.channel) is not None
        )
