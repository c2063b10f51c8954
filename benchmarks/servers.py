"""MCP servers to be measured side by side, and the official client that calls them.

Each is a process of its own. The floor is a server with one tool that always says the same: what
any server in this language and with this library costs. The peer (semble) has no network, and so no
model: `benchmarks/peer.py --mcp` starts its own server with vectors of one number.
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from benchmarks import peer
from benchmarks.processes import BenchmarkError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping

    from mcp_types import CallToolResult

SECONDS = 600.0  # nothing measured here may take longer
BROKEN = "Failed to index"  # how the peer's tools begin that could not do their work
FLOOR = """
import sys
from mcp.server.mcpserver import MCPServer
server = MCPServer("floor")
@server.tool()
def constant(query: str) -> str:
    "Says the same, whatever is asked."
    return "the same"
if len(sys.argv) > 1:
    server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
else:
    server.run()
"""


@dataclass(frozen=True, slots=True)
class Contender:
    """A server, and how it is asked to search.

    Attributes:
        env: What its process sees.
        tool: The tool that searches.
        given: The tool's arguments for a query.
        url: Where it listens; "" on stdio, `?` when it says so itself.
    """

    name: str
    command: tuple[str, ...]
    env: Mapping[str, str]
    tool: str
    given: Callable[[str], dict[str, Any]]
    url: str = ""


@dataclass(slots=True)
class Session:
    """A connected client.

    Attributes:
        listed_s: Seconds from the start of the process to the list of tools.
        tools: The list, as JSON.
        notes: When each note of progress came in the last call, in seconds.
    """

    client: Client
    listed_s: float
    tools: str
    notes: list[float] = field(default_factory=list[float])

    async def call(self, tool: str, given: dict[str, Any]) -> tuple[CallToolResult, float]:
        """One call, and the seconds that it took."""
        begun = time.perf_counter()
        self.notes = []

        async def note(*_: object) -> None:
            self.notes.append(time.perf_counter() - begun)

        found = await self.client.call_tool(tool, given, SECONDS, note)
        return found, time.perf_counter() - begun


def clew(program: Path, repo: Path, data: Path, env: Mapping[str, str]) -> Contender:
    """`clew mcp` on stdio, as an editor starts it."""
    command = (str(program), "mcp", "--repo", str(repo), "--data", str(data))
    return Contender("clew", command, env, "search_code", _query)


def clew_http(program: Path, repo: Path, data: Path, env: Mapping[str, str]) -> Contender:
    """`clew mcp --http` on loopback."""
    made = clew(program, repo, data, env)
    return Contender("clew", (*made.command, "--http", "--port", "0"), env, made.tool, _query, "?")


def floor(env: Mapping[str, str], *, http: bool = False) -> Contender:
    """The least that a server costs."""
    command = (sys.executable, "-c", FLOOR)
    if not http:
        return Contender("floor", command, env, "constant", _query)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}/mcp"
    return Contender("floor", (*command, str(port)), env, "constant", _query, url)


def semble(python: str, repo: Path, env: Mapping[str, str]) -> Contender:
    """The peer's own server on stdio."""

    def given(query: str) -> dict[str, Any]:
        return {"query": query, "repo": str(repo)}

    return Contender("semble", (python, peer.__file__, peer.MCP), env, "search", given)


def _query(query: str) -> dict[str, Any]:
    return {"query": query}


def nowhere() -> IO[str]:
    """Where standard error goes: what goes wrong is told in what the calls return."""
    return Path(os.devnull).open("w", encoding="utf-8")


@asynccontextmanager
async def session(of: Contender) -> AsyncIterator[Session]:
    """Start a server and list its tools; it is stopped at the end."""
    if of.url:
        async with _over_http(of) as made:
            yield made
        return
    with nowhere() as log:
        begun = time.perf_counter()
        server = StdioServerParameters(
            command=of.command[0], args=list(of.command[1:]), env=dict(of.env)
        )
        async with Client(stdio_client(server, errlog=log)) as client:
            yield await _listed(client, begun)


@asynccontextmanager
async def _over_http(of: Contender) -> AsyncIterator[Session]:
    begun = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        *of.command,
        env=dict(of.env),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stderr is not None
        said = ""
        while "http://" not in said:
            if not (line := await process.stderr.readline()):
                raise BenchmarkError(f"{of.name} ended before it listened.")
            said = line.decode()
        url = of.url
        if url == "?":
            url = f"http://{said.partition('http://')[2].partition('/mcp')[0]}/mcp"
        draining = asyncio.ensure_future(process.stderr.read())
        async with Client(url) as client:
            yield await _listed(client, begun)
        draining.cancel()
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def _listed(client: Client, begun: float) -> Session:
    listed = await client.list_tools()
    took = time.perf_counter() - begun
    return Session(client, took, listed.model_dump_json(exclude_none=True, by_alias=True))
