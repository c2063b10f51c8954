"""Slack's Web API, as far as it is used here: a thin typed boundary around the official client.

A call that Slack refuses comes back as a `Reply` with its error, for the caller to decide about;
a limit (429) is waited for as Slack says, and what is only broken on the way is tried again. Blocks
that Slack doesn't take are sent as plain text. It composes no text.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from clew.errors import TransientError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from slack_sdk.errors import SlackApiError
    from slack_sdk.web.async_client import AsyncWebClient

    from clew.surfaces.slack.incoming import Place
    from clew.surfaces.slack.message import Message

Json: TypeAlias = dict[str, Any]
_log = logging.getLogger("clew.slack")
EVENT_TYPE = "clew_answer"  # of the metadata of our messages
TRIES = 6
MAX_NOTICE = 1_000  # characters of a text that is shortened because the blocks say all of it
MAX_WAIT = 180.0  # seconds of limits that one call waits for in all
_FIRST_WAIT = 1.0
_SERVER_ERROR = 500
_LIMITED = 429
_NO_ROOM = frozenset({"ratelimited", "rate_limited", "message_limit_exceeded"})
_DOWN = frozenset({"internal_error", "fatal_error", "service_unavailable", "request_timeout"})
_UNREACHABLE = "Slack can't be reached ({}: {}): try again later."
_BLOCKS = ("blocks", "block_")  # invalid_blocks, msg_blocks_too_long, block_mismatch, …


@dataclass(frozen=True, slots=True)
class Reply:
    """What Slack said.

    Attributes:
        error: Its word for what is wrong, "" when nothing is.
        retry_after: Seconds for which it wants to be left alone.
        unsure: The call may have been carried out although no answer came.
    """

    data: Mapping[str, Any] = field(default_factory=dict[str, Any])
    error: str = ""
    retry_after: float = 0.0
    unsure: bool = False

    @property
    def ts(self) -> str:
        """The message that was written."""
        return str(self.data.get("ts") or "")


@dataclass(frozen=True, slots=True)
class Identity:
    """Who this app is in its workspace."""

    user: str
    team: str
    name: str
    scopes: frozenset[str] = frozenset()


class Slack:
    """The calls that answering needs.

    Args:
        web: The official client, with the bot's token.
        sleep: Waits; seconds.
        tries: How often a call is made before Slack counts as unreachable.
        clock: Seconds that only grow.

    Every method raises `TransientError` when Slack can't be reached, after some tries.
    """

    def __init__(
        self,
        web: AsyncWebClient,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        tries: int = TRIES,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.web = web
        self._sleep = sleep
        self._tries = tries
        self._clock = clock
        self._closed: dict[tuple[str, str], float] = {}  # until when, by method and channel

    async def post(self, place: Place, message: Message, about: Json) -> Reply:
        """Write a message into the thread of a place, once.

        Args:
            place: The question's place.
            message: What to write.
            about: The message's metadata: `receipt` and `part` say which one it is. When no
                answer comes, the thread is looked through for it before it is written again.
        """
        args: Json = {
            "channel": place.channel,
            "thread_ts": place.thread,
            "metadata": {"event_type": EVENT_TYPE, "event_payload": about},
            "unfurl_links": False,
            "unfurl_media": False,
        }
        reply = Reply()
        for _ in range(self._tries):
            reply = await self._write("chat.postMessage", message, args, again=False)
            if not reply.unsure:
                return reply
            await self._sleep(_FIRST_WAIT)
            written = await self.ours(place, about["receipt"])
            if about["part"] in written:
                return Reply({"ts": written[about["part"]]})
        raise TransientError(_UNREACHABLE.format("chat.postMessage", reply.error))

    async def update(
        self, place: Place, ts: str, message: Message, about: Json, *, patient: bool = True
    ) -> Reply:
        """Write a message anew; one that is not patient comes back when there is no room."""
        metadata = {"event_type": EVENT_TYPE, "event_payload": about}
        args: Json = {"channel": place.channel, "ts": ts, "metadata": metadata}
        return await self._write("chat.update", message, args, patient=patient)

    async def whisper(self, place: Place, message: Message, *, in_thread: bool) -> Reply:
        """Write what only one person sees, where they are."""
        where: Json = {"channel": place.channel, "user": place.user}
        if in_thread:
            where["thread_ts"] = place.thread
        return await self._write("chat.postEphemeral", message, where)

    async def direct(self, user: str, message: Message) -> Reply:
        """Write to one person alone, away from the channel."""
        return await self._write("chat.postMessage", message, {"channel": user})

    async def react(self, place: Place, name: str) -> Reply:
        """Put an emoji on the message at a place."""
        where = {"channel": place.channel, "timestamp": place.ts}
        return await self.call("reactions.add", {**where, "name": name})

    async def unreact(self, place: Place, name: str) -> Reply:
        """Take our emoji away again."""
        where = {"channel": place.channel, "timestamp": place.ts}
        return await self.call("reactions.remove", {**where, "name": name})

    async def ours(self, place: Place, receipt: str) -> dict[int, str]:
        """Our messages of a thread that belong to a receipt: part's number → timestamp.

        Asked only after an interruption: some apps may read a thread once a minute, and 15
        messages at that.
        """
        found: dict[int, str] = {}
        args: Json = {
            "channel": place.channel,
            "ts": place.thread,
            "oldest": place.ts,
            "include_all_metadata": True,
            "limit": 15,
        }
        while True:
            reply = await self.call("conversations.replies", args)
            messages: list[Json] = reply.data.get("messages") or []
            for message in messages:
                payload = _below(_below(message, "metadata"), "event_payload")
                if payload.get("receipt") == receipt and "part" in payload:
                    found.setdefault(payload["part"], str(message["ts"]))
            cursor = _below(reply.data, "response_metadata").get("next_cursor")
            if reply.error or not cursor:
                return found
            args = {**args, "cursor": cursor}

    async def identity(self) -> tuple[Reply, Identity | None]:
        """Who this app is; None with the reply that says why not."""
        reply = await self.call("auth.test", {})
        if reply.error:
            return reply, None
        scopes = frozenset(str(reply.data.get("scopes") or "").split(",")) - {""}
        data = reply.data
        return reply, Identity(
            str(data.get("user_id")), str(data.get("team_id")), str(data.get("user")), scopes
        )

    # --- calling -----------------------------------------------------------------------------

    async def _write(
        self, method: str, message: Message, args: Json, *, patient: bool = True, again: bool = True
    ) -> Reply:
        args = {**args, "text": message.text, "blocks": list(message.blocks)}
        reply = await self.call(method, args, patient=patient, again=again)
        if reply.error == "msg_too_long" and message.blocks:  # the text is read in notifications
            args["text"] = re.sub(r"&\w*$", "", message.text[:MAX_NOTICE]) + "…"
            reply = await self.call(method, args, patient=patient, again=again)
        if any(mark in reply.error for mark in _BLOCKS):
            _log.warning("Slack refused blocks (%s): plain text is sent instead", reply.error)
            args |= {"text": message.text, "blocks": []}
            reply = await self.call(method, args, patient=patient, again=again)
        return reply

    async def call(
        self, method: str, args: Json, *, patient: bool = True, again: bool = True
    ) -> Reply:
        """Call one method; waits where Slack wants that, within `MAX_WAIT`.

        Args:
            method: As Slack calls it.
            args: Its arguments.
            patient: Wait for room; else come back at once, with how long that would take.
            again: Call again when no answer came; else come back, unsure.

        Raises:
            TransientError: Slack can't be reached, or wants to be left alone for too long.
        """
        waited, pause, reply = 0.0, _FIRST_WAIT, Reply()
        for attempt in range(1, self._tries + 1):
            reply = self._limit(method, args) or await self._once(method, args)
            if reply.unsure and again and patient:
                wait, pause = pause, pause * 2
            elif reply.retry_after and patient:
                wait = reply.retry_after
            else:
                return reply
            waited += wait
            if waited > MAX_WAIT or attempt == self._tries:
                break
            _log.info("%s: %s, again in %g s", method, reply.error, wait)
            await self._sleep(wait)
        raise TransientError(_UNREACHABLE.format(method, reply.error))

    def _limit(self, method: str, args: Json) -> Reply | None:
        """What Slack said a while ago, as long as it wants to be left alone."""
        left = self._closed.get((method, str(args.get("channel"))), 0.0) - self._clock()
        return Reply(error="ratelimited", retry_after=left) if left > 0 else None

    def _close(self, method: str, args: Json, seconds: float) -> None:
        now = self._clock()
        self._closed = {key: until for key, until in self._closed.items() if until > now}
        self._closed[method, str(args.get("channel"))] = now + seconds

    async def _once(self, method: str, args: Json) -> Reply:
        from aiohttp import ClientError
        from slack_sdk.errors import SlackApiError

        # The official client has one method for each of Slack's, with the dots written as "_".
        caller = cast("Callable[..., Awaitable[Any]]", getattr(self.web, method.replace(".", "_")))
        try:
            response = await caller(**args)
        except SlackApiError as error:
            refused = _refused(error)
            if refused.retry_after:
                self._close(method, args, refused.retry_after)
            return refused
        except (ClientError, TimeoutError, json.JSONDecodeError) as error:
            return Reply(error=type(error).__name__, unsure=True)
        data = cast("Json", response.data)
        return Reply({**data, "scopes": _header(response, "x-oauth-scopes")})


def _refused(error: SlackApiError) -> Reply:
    """A refusal, in Slack's words."""
    response = cast("Any", error.response)
    status = int(getattr(response, "status_code", 0) or getattr(response, "status", 0))
    body = getattr(response, "data", None)
    data = cast("Json", body) if isinstance(body, dict) else {}
    word = str(data.get("error") or f"http {status}")
    if status == _LIMITED or word in _NO_ROOM:
        return Reply(
            data, word, retry_after=max(float(_header(response, "retry-after") or 1), 0.001)
        )
    return Reply(data, word, unsure=status >= _SERVER_ERROR or word in _DOWN)


def _below(data: Mapping[str, Any], key: str) -> Json:
    return data.get(key) or {}


def _header(response: object, name: str) -> str:
    """A header of a response, whatever the case of its name."""
    headers = cast("Mapping[str, str]", getattr(response, "headers", None) or {})
    return next((value for key, value in headers.items() if key.lower() == name), "")
