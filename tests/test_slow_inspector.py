"""An outside check: the MCP Inspector's command line, from npm, against a real `clew mcp`."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from support.asking import SHOP

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.gitrepo import GitRepo

NPX = shutil.which("npx")
PACKAGE = "@modelcontextprotocol/inspector@2"
SECONDS = 600  # the first run fetches it

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(NPX is None, reason="npm is not installed: the MCP Inspector needs npx"),
]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where npm keeps what it fetches; skips the tests where it can't be fetched."""
    folder = tmp_path_factory.mktemp("npm")
    asked = [str(NPX), "--yes", "--cache", str(folder), PACKAGE, "--cli", "--help"]
    try:
        subprocess.run(asked, capture_output=True, timeout=SECONDS, check=True)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        pytest.skip("the MCP Inspector can't be fetched from npm here")
    return folder


@pytest.fixture
def inspect(
    cache: Path, git_repo: Callable[..., GitRepo], tmp_path: Path
) -> Callable[..., dict[str, Any]]:
    """Let the Inspector call a server that is started on a small repository."""
    shop = git_repo(SHOP, name="shop")
    server = [sys.executable, "-m", "clew", "mcp", "--data", str(tmp_path / "data")]

    def run(*asked: str) -> dict[str, Any]:
        inspector = [
            str(NPX),
            "--yes",
            "--cache",
            str(cache),
            PACKAGE,
            "--cli",
            "--connect-timeout",
            "120000",
        ]
        done = subprocess.run(
            [*inspector, *server, "--repo", str(shop.path), *asked],
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert done.stdout, done.stderr
        return json.loads(done.stdout)

    return run


def test_the_inspector_lists_the_tools(inspect: Callable[..., dict[str, Any]]) -> None:
    tools = inspect("--method", "tools/list")["tools"]
    assert [tool["name"] for tool in tools] == [
        "ask",
        "search_code",
        "read_file",
        "find_symbol",
        "get_tags",
    ]
    assert all(tool["annotations"]["readOnlyHint"] for tool in tools)


def test_the_inspector_calls_a_tool(inspect: Callable[..., dict[str, Any]]) -> None:
    call = ("--method", "tools/call", "--tool-name", "ask")
    result = inspect(*call, "--tool-arg", "question=where are refunds retried?")
    assert not result.get("isError")
    assert "shop/refunds.py:6-11" in result["content"][0]["text"]
    assert result["structuredContent"]["outcome"] == "answered"
