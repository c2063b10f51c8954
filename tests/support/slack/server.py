"""The servers in front of a workspace: the Web API, and Socket Mode with its envelopes.

By docs.slack.dev: apis/web-api, apis/web-api/rate-limits, apis/events-api/using-socket-mode (a
ticket opens one socket; an envelope that isn't acknowledged in time, or whose socket is gone, is
sent again on another one with `retry_attempt`), authentication/verifying-requests-from-slack.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import itertools
import json
import time
import uuid
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import aiohttp
from aiohttp import WSMsgType, web

from support.slack.workspace import APP, APP_TOKEN, BOT_TOKEN, SECRET, Json, RefusedError, Workspace

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

RETRIES = 3


@dataclass(eq=False)
class Envelope:
    """Something that is told by Socket Mode until it is acknowledged."""

    kind: str
    payload: Json
    attempt: int = 0
    acked: asyncio.Event = field(default_factory=asyncio.Event)
    sent_to: list[web.WebSocketResponse] = field(default_factory=list)


class FakeSlack:
    """A workspace with its servers running.

    Attributes:
        ack_seconds: How long an envelope may stay unacknowledged before it is sent again.
        answers_pings: A dead socket doesn't.
        refused: Tickets that open no socket although they are new.
    """

    def __init__(self) -> None:
        self.workspace = Workspace()
        self.ack_seconds = 3.0
        self.answers_pings = True
        self.refused = 0
        self.sockets: list[web.WebSocketResponse] = []
        self.opened = 0
        self.acks: list[Json] = []
        self._tickets: set[str] = set()
        self._turn = itertools.count()
        self._waiting: dict[str, Envelope] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self.port = 0

    @property
    def api(self) -> str:
        return f"http://127.0.0.1:{self.port}/api/"

    @asynccontextmanager
    async def running(self) -> AsyncIterator[FakeSlack]:
        app = web.Application()
        app.router.add_route("*", "/api/{method}", self._call)
        app.router.add_get("/link", self._link)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        self.port = runner.addresses[0][1]
        try:
            yield self
        finally:
            for task in self._tasks:
                task.cancel()
            for socket in list(self.sockets):
                await socket.close()
            await runner.cleanup()

    # --- Web API -------------------------------------------------------------------------

    async def _call(self, request: web.Request) -> web.StreamResponse:
        method = request.match_info["method"]
        args = await _arguments(request)
        self.workspace.calls.append((method, args))
        await self.workspace.changed()
        failures = self.workspace.failures[method]
        failure = failures.popleft() if failures else None
        if failure and failure.status != 200:
            after = {"Retry-After": failure.retry_after} if failure.retry_after else {}
            await self.workspace.changed()
            if failure.status != 429 and not failure.error:  # what stands before Slack speaks
                page = "<html><body>upstream connect error</body></html>"
                return web.Response(text=page, status=failure.status, content_type="text/html")
            body = {"ok": False, "error": failure.error or "ratelimited"}
            return web.json_response(body, status=failure.status, headers=after)
        if failure and failure.withheld:
            await failure.withheld.wait()
        try:
            if failure and failure.error:
                raise RefusedError(failure.error)
            self._authorize(method, request)
            done = self._open() if method == "apps.connections.open" else None
            body = done or self.workspace.answer(method, args)
        except RefusedError as refused:
            body = {"ok": False, "error": refused.error, **refused.more}
        await self.workspace.changed()
        if failure and failure.dropped and request.transport:
            request.transport.abort()
        if failure and failure.held:
            await failure.held.wait()
        scopes = {"x-oauth-scopes": ",".join(sorted(self.workspace.scopes))}
        return web.json_response(body, headers=scopes)

    def _authorize(self, method: str, request: web.Request) -> None:
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if not token:
            raise RefusedError("not_authed")
        wanted = APP_TOKEN if method.startswith("apps.") else BOT_TOKEN
        if token != wanted:
            other = token in (APP_TOKEN, BOT_TOKEN)
            raise RefusedError("not_allowed_token_type" if other else "invalid_auth")

    def _open(self) -> Json:
        ticket = uuid.uuid4().hex
        self._tickets.add(ticket)
        return {"ok": True, "url": f"ws://127.0.0.1:{self.port}/link?ticket={ticket}&app_id={APP}"}

    # --- Socket Mode ---------------------------------------------------------------------

    async def _link(self, request: web.Request) -> web.StreamResponse:
        ticket = request.query.get("ticket", "")
        if ticket not in self._tickets:
            return web.Response(status=404)
        self._tickets.remove(ticket)
        if self.refused:
            self.refused -= 1
            await self.workspace.changed()
            return web.Response(status=503)
        socket = web.WebSocketResponse(autoping=False)
        await socket.prepare(request)
        hello = {"type": "hello", "num_connections": len(self.sockets) + 1}
        await socket.send_str(json.dumps({**hello, "connection_info": {"app_id": APP}}))
        self.sockets.append(socket)
        self.opened += 1
        await self.workspace.changed()
        async for message in socket:
            if message.type == WSMsgType.PING and self.answers_pings:
                await socket.pong(message.data)
            elif message.type == WSMsgType.TEXT:
                self._acknowledged(json.loads(message.data))
                await self.workspace.changed()
        self.sockets.remove(socket)
        await self.workspace.changed()
        return socket

    def _acknowledged(self, ack: Json) -> None:
        self.acks.append(ack)
        if envelope := self._waiting.get(ack.get("envelope_id", "")):
            envelope.acked.set()

    async def tell(self, payload: Json, kind: str = "events_api") -> Envelope:
        """Tell something on one of the sockets, until it is acknowledged; returns at once."""
        envelope = Envelope(kind, payload)
        task = asyncio.create_task(self._told(envelope))
        self._tasks.add(task)
        return envelope

    async def told(self, payload: Json, kind: str = "events_api") -> Envelope:
        """Tell something, and wait for the acknowledgement."""
        envelope = await self.tell(payload, kind)
        async with asyncio.timeout(60):
            await envelope.acked.wait()
        return envelope

    async def _told(self, envelope: Envelope) -> None:
        while envelope.attempt <= RETRIES:
            await self.workspace.until(lambda: self.sockets, "a socket")
            socket = self.sockets[next(self._turn) % len(self.sockets)]
            envelope.sent_to.append(socket)
            key = str(uuid.uuid4())
            self._waiting[key] = envelope
            content: Json = {
                "envelope_id": key,
                "type": envelope.kind,
                "payload": envelope.payload,
                "accepts_response_payload": envelope.kind != "events_api",
            }
            if envelope.kind == "events_api":
                content["retry_attempt"] = envelope.attempt
                content["retry_reason"] = "timeout" if envelope.attempt else ""
            try:
                await socket.send_str(json.dumps(content))
            except ConnectionError:
                continue
            gone = asyncio.create_task(self._gone(socket))
            done = asyncio.create_task(envelope.acked.wait())
            await asyncio.wait(
                [gone, done], timeout=self.ack_seconds, return_when=asyncio.FIRST_COMPLETED
            )
            for task in (gone, done):
                task.cancel()
            if envelope.acked.is_set():
                return
            envelope.attempt += 1

    async def _gone(self, socket: web.WebSocketResponse) -> None:
        await self.workspace.until(lambda: socket not in self.sockets)

    async def disconnect(self, socket: web.WebSocketResponse, reason: str) -> None:
        """Ask the app to connect anew, as Slack does every few hours."""
        await socket.send_str(json.dumps({"type": "disconnect", "reason": reason}))

    # --- events over HTTP ----------------------------------------------------------------

    async def send(
        self, url: str, body: Json, *, secret: str = SECRET, age: float = 0, retry: int = 0
    ) -> tuple[int, str]:
        """Send an event to an app's URL, signed; returns the status and the body."""
        content = json.dumps(body)
        moment = str(int(time.time() - age))
        signed = hmac.new(secret.encode(), f"v0:{moment}:{content}".encode(), hashlib.sha256)
        headers = {
            "Content-Type": "application/json",
            "X-Slack-Request-Timestamp": moment,
            "X-Slack-Signature": f"v0={signed.hexdigest()}",
        }
        if retry:
            headers |= {"X-Slack-Retry-Num": str(retry), "X-Slack-Retry-Reason": "http_timeout"}
        async with (
            aiohttp.ClientSession() as session,
            session.post(url, data=content, headers=headers) as reply,
        ):
            return reply.status, await reply.text()


async def _arguments(request: web.Request) -> Json:
    """The arguments of a call, in whichever of Slack's ways they came."""
    args: Json = dict(request.query)
    if request.method == "POST":
        if request.content_type == "application/json":
            args |= await request.json()
        else:
            args |= dict(await request.post())
    for key in ("blocks", "metadata"):
        if isinstance(args.get(key), str):
            args[key] = json.loads(args[key])
    return args
