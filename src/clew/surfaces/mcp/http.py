"""MCP over streamable HTTP, as an application to be mounted: who may call, and from where.

Whose a request is was decided before it came here. Roots are never asked for: a client's folders
are on the client's machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clew.surfaces.mcp.calls import Caller
from clew.surfaces.mcp.server import Serving, serving
from clew.types import Asker

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp.server import ServerRequestContext
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    from mcp_types import CallToolRequestParams
    from starlette.requests import HTTPConnection
    from starlette.types import ASGIApp

    from clew.app import Clew
    from clew.settings import McpSettings


@dataclass(frozen=True, slots=True)
class Remote:
    """The MCP endpoint: `app` takes its requests while `sessions.run()` is open."""

    serving: Serving
    sessions: StreamableHTTPSessionManager
    app: ASGIApp


def remote(
    clew: Clew,
    settings: McpSettings,
    asker_of: Callable[[HTTPConnection], Asker],
    repos: tuple[str, ...],
) -> Remote:
    """Make the endpoint.

    Args:
        clew: What answers.
        settings: How.
        asker_of: Says whose a request is.
        repos: What the person at this machine reads without a tag.
    """
    from mcp.server.streamable_http_manager import (
        StreamableHTTPASGIApp,
        StreamableHTTPSessionManager,
    )

    async def who(ctx: ServerRequestContext[Any, Any], _: CallToolRequestParams) -> Caller:
        asker = asker_of(ctx.request) if ctx.request is not None else Asker("token")
        return Caller(asker, repos if asker.own else ())

    made = serving(clew, settings, who)
    sessions = StreamableHTTPSessionManager(app=made.server, security_settings=None)
    return Remote(made, sessions, StreamableHTTPASGIApp(sessions))
