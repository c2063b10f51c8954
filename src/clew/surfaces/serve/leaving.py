"""Lets a server stop: ends what only waits, and says a word where an answer is cut off.

A client of MCP keeps a stream open on which it is told things, for hours; waited for, every stop
would take as long as answers are given to end. It decides neither when the server stops nor for
how long it waits.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clew.errors import BusyError
from clew.surfaces import wire

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

API = "/api/"
CUT_OFF = "Clew is being stopped, and this was cut off: ask again in a moment."


@dataclass(slots=True)
class State:
    """Whether requests may come: not before everything runs, and not once it is to stop."""

    ready: bool = False
    stopping: asyncio.Event = field(default_factory=asyncio.Event)

    def stop(self) -> None:
        """Take nothing more."""
        self.ready = False
        self.stopping.set()


class Leaving:
    """An ASGI layer in front of everything else."""

    def __init__(self, app: ASGIApp, state: State) -> None:
        self._app = app
        self._state = state

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and see to its end when the server stops."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        reply = _Reply(send)
        waits = scope["method"] == "GET"  # nothing that is asked by it takes long, but to wait
        try:
            await self._app(scope, self._until_stopped(receive) if waits else receive, reply)
        except asyncio.CancelledError:
            if not self._state.stopping.is_set():
                raise
            reply.cut_off = scope["path"].startswith(API)  # MCP knows no such event
        if self._state.stopping.is_set():
            await reply.end()

    def _until_stopped(self, receive: Receive) -> Receive:
        """What the client sends, which is that it has gone once the server stops."""

        async def received() -> Message:
            message = asyncio.ensure_future(_message(receive))
            stopped = asyncio.ensure_future(self._state.stopping.wait())
            try:
                await asyncio.wait([message, stopped], return_when=asyncio.FIRST_COMPLETED)
                return message.result() if message.done() else {"type": "http.disconnect"}
            finally:
                message.cancel()
                stopped.cancel()

        return received


@dataclass(slots=True)
class _Reply:
    """What is sent, and how far it is; `cut_off` when it did not come to its end by itself."""

    send: Send
    cut_off: bool = False
    begun: bool = False
    streams: bool = False
    ended: bool = False

    def __call__(self, message: Message) -> Awaitable[None]:
        self.begun = True
        if message["type"] == "http.response.start":
            self.streams = any(b"event-stream" in value for _, value in message["headers"])
        self.ended = message["type"] == "http.response.body" and not message.get("more_body")
        return self.send(message)

    async def end(self) -> None:
        """Bring it to its end, unless it is there."""
        if self.ended:
            return
        body = b""
        said = wire.line(wire.error(BusyError(CUT_OFF))).encode()
        if self.streams and self.cut_off:
            body = b"event: error\r\ndata: " + said + b"\r\n\r\n"
        elif not self.begun:
            body = said
            headers = [(b"content-type", b"application/json"), (b"retry-after", b"5")]
            await self.send({"type": "http.response.start", "status": 503, "headers": headers})
        await self.send({"type": "http.response.body", "body": body})


async def _message(receive: Receive) -> Message:
    return await receive()
