"""Agents of the tests: the official MCP client, in memory, with what it was told and sent."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp.client.client import Client
from mcp_types import ListRootsResult, Root

from clew.settings import McpSettings
from clew.surfaces.mcp.server import serving
from clew.surfaces.mcp.stdio import local

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable

    from mcp_types import CallToolResult, Implementation

    from clew.app import Clew
    from clew.surfaces.mcp.calls import Caller

# What a client says first, for tests that speak the protocol by themselves.
GREETING = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


@dataclass
class Agent:
    """A connected client, and the progress notes that it got."""

    client: Client
    notes: list[str] = field(default_factory=list)

    async def call(self, tool: str, /, **arguments: Any) -> CallToolResult:
        async def note(progress: float, total: float | None, message: str | None) -> None:
            self.notes.append(message or "")

        return await self.client.call_tool(tool, arguments, progress_callback=note)


def text_of(result: CallToolResult) -> str:
    """The text that a model reads."""
    (block,) = result.content
    assert block.type == "text"
    return block.text


@asynccontextmanager
async def an_agent(
    clew: Clew,
    *repos: object,
    caller: Caller | None = None,
    roots: list[Path] | None = None,
    cwd: Path | None = None,
    client_info: Implementation | None = None,
    mode: str = "auto",
    **settings: Any,
) -> AsyncGenerator[Agent]:
    """An agent at a server over `repos`, or at one for a `caller` who came over HTTP."""
    options = McpSettings(**{"toolset": "full", **settings})
    if caller is not None:

        async def who(*_: object) -> Caller:
            return caller

        made = serving(clew, options, who)
    else:
        made = local(clew, options, tuple(map(str, repos)), cwd or Path.cwd())

    async def listed(_: object) -> ListRootsResult:
        return ListRootsResult(roots=[Root(uri=root.as_uri()) for root in roots or []])

    client = Client(
        made.server,
        mode=mode,
        client_info=client_info,
        list_roots_callback=listed if roots is not None else None,
        raise_exceptions=True,
    )
    async with client:
        yield Agent(client)
    await made.close()


def with_agent(
    clew: Clew,
    work: Callable[[Agent], Coroutine[Any, Any, Any]],
    *repos: object,
    **options: Any,
) -> Any:
    """Let an agent do something, and return what it gives."""

    async def run() -> Any:
        async with an_agent(clew, *repos, **options) as agent:
            return await work(agent)

    return asyncio.run(run())


def call(clew: Clew, name: str, *repos: object, given: dict[str, Any], **options: Any) -> Any:
    """One call, and its result."""
    return with_agent(clew, lambda agent: agent.call(name, **given), *repos, **options)


def calls(
    clew: Clew, wanted: Iterable[tuple[str, dict[str, Any]]], *repos: object, **options: Any
) -> list[Any]:
    """Several calls of one agent, one after the other, and their results."""

    async def each(agent: Agent) -> list[Any]:
        return [await agent.call(name, **given) for name, given in wanted]

    return with_agent(clew, each, *repos, **options)
