"""The MCP benchmark from end to end, on a small repository and with real servers."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from benchmarks import mcp, peer, servers
from benchmarks.processes import BenchmarkError, environment

from support.searchable import SHOP

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.gitrepo import GitRepo

CLEW = Path(sys.executable).with_name("clew")
PEER = {
    "semble/__init__.py": "",
    "semble/index/__init__.py": "",
    "semble/index/dense.py": "def _load_cached(name):\n    raise OSError('no network')\n",
    "semble/mcp.py": """
from mcp.server.mcpserver import MCPServer

from semble.index import dense


async def serve():
    server = MCPServer("peer")

    @server.tool()
    def search(query: str, repo: str) -> str:
        "Search."
        return f"{query} {dense._load_cached('model').dim}"

    await server.run_stdio_async()
""",
}


@pytest.mark.skipif(not CLEW.exists(), reason="the command is not installed")
def test_starts_first_searches_and_round_trips_are_measured_kept_and_shown(
    git_repo: Callable[..., GitRepo], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shop = git_repo(SHOP, name="shop")
    out = tmp_path / "out" / "mcp.json"
    options = ["--repo", f"shop={shop.path}", "--runs", "1", "--queries", "4"]
    assert mcp.main([*options, "--clew", str(CLEW), "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    kept = json.loads(out.read_text())
    for over in ("stdio", "http"):
        started, called = kept["start"][over], kept["calls"][over]
        assert set(started) == set(called) == {"clew", "floor"}
        assert started["floor"]["ratio"] > 0
        assert started["clew"]["list_tokens"] > started["floor"]["list_tokens"]
        assert called["clew"]["search_code"]["n"] == called["floor"]["constant"]["n"] == 4
        assert {"read_file", "find_symbol"} <= set(called["clew"])
    first = kept["first"]["clew"]
    assert first["calls"] == 1
    assert first["notes"]["min"] >= 1  # its progress is seen
    assert str(tmp_path) not in out.read_text()
    assert mcp.main(["--show", str(out)]) == 0
    assert capsys.readouterr().out == printed


def test_a_server_that_ends_is_told(tmp_path: Path) -> None:
    env = environment(tmp_path)
    broken = servers.Contender("x", (sys.executable, "-c", ""), env, "search", dict, "?")

    async def begin() -> None:
        async with servers.session(broken):
            pass

    with pytest.raises(BenchmarkError, match="x ended before it listened"):
        asyncio.run(begin())


def test_the_peers_own_server_is_called_without_a_model(tmp_path: Path) -> None:
    for path, text in PEER.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    env = {**environment(tmp_path), "PYTHONPATH": str(tmp_path)}
    of = servers.semble(sys.executable, tmp_path, env)

    async def asked() -> str:
        async with servers.session(of) as made:
            found, _ = await made.call(of.tool, of.given("pay"))
            return mcp.text_of(found)

    assert of.command[1:] == (peer.__file__, peer.MCP)
    assert asyncio.run(asked()) == "pay 1"
