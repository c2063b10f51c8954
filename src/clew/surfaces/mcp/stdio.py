"""`clew mcp`: one client on this machine's standard input and output, with its user's rights."""

from __future__ import annotations

import asyncio
import os
import selectors
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, cast

from clew.surfaces.mcp.calls import Caller
from clew.surfaces.mcp.roots import CHANGED, Roots
from clew.surfaces.mcp.server import Serving, serving
from clew.types import Asker

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from pathlib import Path

    from anyio import AsyncFile
    from mcp.server import ServerRequestContext
    from mcp_types import CallToolRequestParams, InputRequiredResult

    from clew.app import Clew
    from clew.settings import McpSettings

ASKER = Asker("mcp", own=True)
LONGEST = 16 * 1024 * 1024  # bytes of one message


def local(clew: Clew, settings: McpSettings, repos: tuple[str, ...], cwd: Path) -> Serving:
    """A server for whoever started it.

    Args:
        clew: What answers.
        settings: How.
        repos: What to read, as `--repo` takes it; empty for the client's folders, or `cwd`.
        cwd: The working folder.
    """
    from mcp_types import NotificationParams

    roots = Roots(cwd)

    async def who(
        ctx: ServerRequestContext, params: CallToolRequestParams
    ) -> Caller | InputRequiredResult:
        if repos:
            return Caller(ASKER, repos)
        return await roots.ask(ctx, params) or Caller(ASKER, roots.repos())

    made = serving(clew, settings, who)
    made.server.add_notification_handler(CHANGED, NotificationParams, roots.forget)
    return made


async def run(clew: Clew, settings: McpSettings, repos: tuple[str, ...], cwd: Path) -> None:
    """Serve standard input and output until the client closes them."""
    from mcp.server.stdio import stdio_server

    made = local(clew, settings, repos, cwd)
    try:
        async with _input() as lines, stdio_server(stdin=lines) as (reading, writing):
            options = made.server.create_initialization_options()
            await made.server.run(reading, writing, options)
    finally:
        await made.close()


class _Lines:
    """What comes on standard input, line by line."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader

    def __aiter__(self) -> _Lines:
        return self

    async def __anext__(self) -> str:
        try:
            line = await self._reader.readline()
        except ValueError:  # longer than any message may be
            return "\n"  # which is no message, and is answered as such
        if not line:
            raise StopAsyncIteration
        return line.decode("utf-8", "replace")


@asynccontextmanager
async def _input() -> AsyncGenerator[AsyncFile[str] | None]:
    """Standard input, waited for by the event loop; None where that can't be.

    The library waits for a line in a thread, which nothing can call back: a process that is told
    to stop would hang until its client says something.
    """
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(LONGEST, loop=loop)
    try:
        pipe = sys.stdin.buffer
        with selectors.DefaultSelector() as probe:
            probe.register(pipe, selectors.EVENT_READ)  # the loop would find out too late to tell
        protocol = asyncio.StreamReaderProtocol(reader, loop=loop)
        transport, _ = await loop.connect_read_pipe(lambda: protocol, pipe)
    except (AttributeError, NotImplementedError, OSError, ValueError):  # a file; /dev/null; Windows
        yield None
        return
    try:
        yield cast("AsyncFile[str]", cast("Any", _Lines(reader)))  # it is only iterated over
    finally:
        transport.pause_reading()
        if not pipe.closed:
            os.set_blocking(pipe.fileno(), True)
        transport.close()
