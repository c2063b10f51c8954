"""The application that is served: its routes behind the guard, and what runs while it is up."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from clew.surfaces.mcp.http import remote
from clew.surfaces.serve.api import AskEndpoint
from clew.surfaces.serve.guard import Guard, asker
from clew.surfaces.serve.leaving import Leaving

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp

    from clew.app import Clew
    from clew.settings import Settings
    from clew.surfaces.serve.leaving import State

MCP_PATH = "/mcp"
ASK_PATH = "/api/v1/ask"


def site(
    clew: Clew, settings: Settings, repos: tuple[str, ...], state: State, *, only_mcp: bool
) -> ASGIApp:
    """Make the application.

    Args:
        clew: What answers.
        settings: How, and who may call.
        repos: What the person at this machine reads without a tag.
        state: Says whether it is ready.
        only_mcp: Leave the rest of the API out.
    """
    from starlette.applications import Starlette
    from starlette.responses import PlainTextResponse
    from starlette.routing import Route

    mcp = remote(clew, settings.mcp, asker, repos)

    async def alive(_: Request) -> Response:
        return PlainTextResponse("ok\n")

    async def ready(_: Request) -> Response:
        return PlainTextResponse("ready\n") if state.ready else PlainTextResponse("no\n", 503)

    @asynccontextmanager
    async def running(_: Starlette) -> AsyncGenerator[None]:
        try:
            async with mcp.sessions.run():
                state.ready = True
                yield
        finally:
            state.ready = False
            await mcp.serving.close()

    routes = [
        Route("/healthz", alive),
        Route("/readyz", ready),
        Route(MCP_PATH, mcp.app),
    ]
    if not only_mcp:
        routes.append(Route(ASK_PATH, AskEndpoint(clew, asker, repos).answer, methods=["POST"]))
    behind = Guard(Starlette(routes=routes, lifespan=running), clew, settings.serve)
    return Leaving(behind, state)
