"""Runs what is served until it is stopped, and lets what is being answered come to its end."""

from __future__ import annotations

import asyncio
import logging
import socket
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clew.errors import PermanentError, TransientError
from clew.surfaces.serve.guard import is_loopback
from clew.surfaces.serve.leaving import State
from clew.surfaces.serve.site import MCP_PATH, site

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from uvicorn import Server

    from clew.app import Clew
    from clew.settings import Settings
    from clew.surfaces.slack.running import Connection

_log = logging.getLogger("clew.http")
AGAIN_SECONDS = 30.0  # between two tries to reach Slack, each of which takes about a minute
GRACE_SECONDS = 10  # that requests have to end when Clew is stopped
_BACKLOG = 128  # connections that wait to be taken


@dataclass(frozen=True, slots=True)
class Service:
    """What runs. `slack` is None where it is not configured."""

    repos: tuple[str, ...] = ()
    only_mcp: bool = False
    slack: Connection | None = None


async def run(clew: Clew, settings: Settings, service: Service, say: Callable[[str], None]) -> None:
    """Serve until cancelled.

    Raises:
        PermanentError: The address can't be listened on.
        SettingsError: Slack is configured and refuses it.
    """
    state = State()
    app = site(clew, settings, service.repos, state, only_mcp=service.only_mcp)
    with _listening(settings) as listening:
        server = _server(app)
        work = [asyncio.ensure_future(server.serve([listening]))]
        say(_where(settings, listening, service))
        if service.slack is not None:
            work.append(asyncio.ensure_future(_slack(clew, service.slack, say)))
        try:
            done, _ = await asyncio.wait(work, return_when=asyncio.FIRST_COMPLETED)
            for each in done:
                each.result()
        finally:
            state.stop()
            server.should_exit = True
            for each in work[1:]:
                each.cancel()
            await _ended(work)


async def _slack(clew: Clew, connection: Connection, say: Callable[[str], None]) -> None:
    """Answer in Slack, as soon as it can be reached: the rest is served meanwhile."""
    from clew.surfaces.slack.running import run as run_slack

    while True:
        try:
            await run_slack(clew, connection, say)
        except TransientError as error:
            _log.warning("not answering in Slack yet: %s", error.message)
        await asyncio.sleep(AGAIN_SECONDS)


async def _ended(work: list[asyncio.Task[None]]) -> None:
    """Wait until everything has stopped; who asks a second time is heard at once."""
    with suppress(asyncio.CancelledError):
        await asyncio.wait(work)
    for each in work:
        if not each.done():
            each.cancel()
        elif not each.cancelled():
            each.exception()


def _listening(settings: Settings) -> socket.socket:
    host, port = settings.serve.host, settings.serve.port
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        raise PermanentError(
            f"{host} port {port} can't be listened on ({error.strerror or error}): choose another "
            "by serve.host and serve.port."
        ) from None


def _server(app: object) -> Server:
    import uvicorn

    class Quiet(uvicorn.Server):
        """A server that leaves signals to whoever runs it."""

        @contextmanager
        def capture_signals(self) -> Generator[None]:
            """Capture none."""
            yield

    config = uvicorn.Config(
        app,  # pyright: ignore[reportArgumentType] -- any ASGI application
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    return Quiet(config)


def _where(settings: Settings, listening: socket.socket, service: Service) -> str:
    host, port = listening.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    what = "MCP" if service.only_mcp else "MCP and the API"
    local = is_loopback(host) and settings.serve.tokens == "remote"
    whom = "this machine without a token, others" if local else "requests"
    return f"Serving {what} at http://{shown}:{port}{MCP_PATH}: {whom} with one."
