"""`clew mcp`: one client on this machine's standard input and output, with its user's rights."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.surfaces.mcp.calls import Caller
from clew.surfaces.mcp.roots import Roots
from clew.surfaces.mcp.server import Serving, serving
from clew.types import Asker

if TYPE_CHECKING:
    from pathlib import Path

    from mcp.server import ServerRequestContext
    from mcp_types import CallToolRequestParams, InputRequiredResult

    from clew.app import Clew
    from clew.settings import McpSettings

ASKER = Asker("mcp", own=True)


def local(clew: Clew, settings: McpSettings, repos: tuple[str, ...], cwd: Path) -> Serving:
    """A server for whoever started it.

    Args:
        clew: What answers.
        settings: How.
        repos: What to read, as `--repo` takes it; empty for the client's folders, or `cwd`.
        cwd: The working folder.
    """
    roots = Roots(cwd)

    async def who(
        ctx: ServerRequestContext, params: CallToolRequestParams
    ) -> Caller | InputRequiredResult:
        if repos:
            return Caller(ASKER, repos)
        return await roots.ask(ctx, params) or Caller(ASKER, roots.repos())

    return serving(clew, settings, who)


async def run(clew: Clew, settings: McpSettings, repos: tuple[str, ...], cwd: Path) -> None:
    """Serve standard input and output until the client closes them."""
    from mcp.server.stdio import stdio_server

    made = local(clew, settings, repos, cwd)
    try:
        async with stdio_server() as (reading, writing):
            options = made.server.create_initialization_options()
            await made.server.run(reading, writing, options)
    finally:
        await made.close()
