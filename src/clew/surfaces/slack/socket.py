"""Socket Mode: the connection on which Slack tells events, and what keeps it open for weeks.

Slack's own client connects and acknowledges; what it does about a connection that fails is put
right here. It reads no event.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clew.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Generator

    from aiohttp import ClientSession
    from slack_bolt.async_app import AsyncApp
    from slack_sdk.socket_mode.aiohttp import SocketModeClient

    from clew.surfaces.slack.client import Slack

_log = logging.getLogger("clew.slack.socket")
PING_SECONDS = 10.0
_TICKET = re.compile(r"(ticket=)[^&'\s]+")
LOST_LOOKS = 3  # looks in a row that find no connection, before a new one is forced


@dataclass(frozen=True, slots=True)
class Listening:
    """A way in that is open: how it is called, and what never ends unless by a bug."""

    words: str
    forever: Awaitable[object]


@asynccontextmanager
async def by_socket(app: AsyncApp, slack: Slack, token: str) -> AsyncGenerator[Listening]:
    """Take events by Socket Mode, as long as this is open.

    Raises:
        SettingsError: Slack refuses the token.
        TransientError: Slack can't be reached.
    """
    from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler

    url = await socket_url(slack, token)
    with _in_one_line():
        handler = AsyncSocketModeHandler(app, token, logger=_log, ping_interval=PING_SECONDS)
        client = handler.client
        await client.aiohttp_client_session.close()
        client.aiohttp_client_session = _session(client)
        client.wss_uri = url
        try:
            await handler.connect_async()
            yield Listening("by Socket Mode", watch(client))
        finally:
            await handler.close_async()


def _session(client: SocketModeClient) -> ClientSession:
    """A session in which every try to connect takes an address of its own.

    The client tries one address for ever, and Slack's are good for one connection, soon.
    """
    import aiohttp

    async def used(*_: object) -> None:
        client.wss_uri = None  # it asks for another one when it has none

    trace = aiohttp.TraceConfig()
    trace.on_request_start.append(used)
    return aiohttp.ClientSession(trace_configs=[trace])


async def socket_url(slack: Slack, app_token: str) -> str:
    """Ask Slack for a socket.

    Raises:
        SettingsError: Slack refuses the token.
    """
    reply = await slack.call("apps.connections.open", {"app_token": app_token})
    if reply.error:
        raise SettingsError(f"Slack refuses SLACK_APP_TOKEN ({reply.error}): see docs/slack.md.")
    return str(reply.data["url"])


async def watch(client: SocketModeClient) -> None:
    """Open the socket anew when it is dead and nobody noticed, for ever.

    The client has a watch of its own, but one that never got an answer to its first ping thinks
    that all is well.
    """
    from aiohttp import ClientError
    from slack_sdk.errors import SlackApiError

    lost = 0
    while True:
        await asyncio.sleep(PING_SECONDS)
        heard = client.last_ping_pong_time
        fresh = heard is not None and time.time() - heard < 6 * PING_SECONDS
        lost = 0 if fresh and await client.is_connected() else lost + 1
        if lost >= LOST_LOOKS:
            _log.warning("the socket to Slack is dead: opening another one")
            lost = 0
            try:
                await client.connect_to_new_endpoint(force=True)
            except (ClientError, SlackApiError, TimeoutError, OSError) as error:
                _log.warning("Slack can't be reached (%s): trying again", type(error).__name__)


class _Brief(logging.Filter):
    """What the client logs, in one line and without secrets.

    When the network is away, it adds a traceback at every try, and the address with its ticket.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        from aiohttp import ClientError
        from slack_sdk.errors import SlackApiError

        problem = record.exc_info[1] if record.exc_info else None
        if isinstance(problem, (ClientError, SlackApiError, OSError)):
            record.exc_info = None
        record.msg = _TICKET.sub(r"\1…", str(record.msg))  # who has it can listen in our place
        return True


@contextmanager
def _in_one_line() -> Generator[None]:
    brief = _Brief()
    _log.addFilter(brief)
    try:
        yield
    finally:
        _log.removeFilter(brief)
