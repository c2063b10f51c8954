"""The server as the protocol sees it: lists the tools, takes calls, tells progress.

It is made for a transport by `stdio` or `http`, which say who calls; everything else is the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from clew import __version__
from clew.surfaces import wire
from clew.surfaces.mcp.calls import Caller, Calls
from clew.surfaces.mcp.doors import Doors
from clew.surfaces.mcp.offers import INSTRUCTIONS, offered
from clew.surfaces.mcp.pages import Budget
from clew.surfaces.mcp.progress import telling

if TYPE_CHECKING:
    from mcp.server import Server, ServerRequestContext
    from mcp_types import (
        CallToolRequestParams,
        CallToolResult,
        InputRequiredResult,
        ListToolsResult,
        PaginatedRequestParams,
    )

    from clew.app import Clew
    from clew.settings import McpSettings
    from clew.surfaces.mcp.asking import Result

# Clients that show their model the data of a result and not its text, so that text alone says more.
_DATA_HIDES_TEXT = ("claude-code",)


class Who(Protocol):
    """Says who makes a call. What it returns instead has to be asked of the client first."""

    async def __call__(
        self, ctx: ServerRequestContext, params: CallToolRequestParams, /
    ) -> Caller | InputRequiredResult:
        """The caller of one request."""
        ...


@dataclass(frozen=True, slots=True)
class Serving:
    """A server for one transport; `close()` it when the transport has ended."""

    server: Server[Any]
    doors: Doors

    async def close(self) -> None:
        """Stop what is still being indexed."""
        await self.doors.close()


def serving(clew: Clew, settings: McpSettings, who: Who) -> Serving:
    """Make the server; it opens nothing before the first call."""
    from mcp.server import Server
    from mcp_types import CallToolResult, InputRequiredResult, ListToolsResult, TextContent

    doors = Doors(clew, settings.wait)
    calls = Calls(clew, doors, settings.toolset, settings.seconds)
    tools = offered(settings.toolset, tags=bool(clew.tags.by_name))

    async def list_tools(
        _: ServerRequestContext, __: PaginatedRequestParams | None
    ) -> ListToolsResult:
        return ListToolsResult(tools=tools)

    async def call_tool(
        ctx: ServerRequestContext, params: CallToolRequestParams
    ) -> CallToolResult | InputRequiredResult:
        caller = await _caller(who, ctx, params)
        if isinstance(caller, InputRequiredResult):
            return caller
        data = _wants_data(settings, ctx)
        budget = Budget(settings.max_tokens, data=data)

        async def send(count: float, words: str) -> None:
            await ctx.session.report_progress(count, None, words)

        if isinstance(caller, Caller):
            async with telling(send) as progress:
                done = await calls.call(
                    params.name, params.arguments or {}, caller, progress, budget
                )
        else:
            done = caller
        return CallToolResult(
            content=[TextContent(type="text", text=done.text)],
            structured_content=done.data if data else None,
            is_error=done.failed,
        )

    server: Server[Any] = Server(
        "clew",
        version=__version__,
        title="Clew",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    return Serving(server, doors)


async def _caller(
    who: Who, ctx: ServerRequestContext, params: CallToolRequestParams
) -> Caller | InputRequiredResult | Result:
    """Who calls; a result that says why nobody may, when that is so."""
    from clew.errors import ClewError
    from clew.surfaces.mcp.asking import Result

    try:
        return await who(ctx, params)
    except ClewError as error:
        return Result(error.message, wire.error(error), failed=True)


def _wants_data(settings: McpSettings, ctx: ServerRequestContext) -> bool:
    if settings.results != "auto":
        return settings.results == "both"
    client = ctx.session.client_params
    name = client.client_info.name.lower() if client else ""
    return not name.startswith(_DATA_HIDES_TEXT)
