"""`clew mcp` as an editor starts it: a process of its own, spoken to by the official client."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters

from support.agents import GREETING, text_of
from support.asking import SHOP

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest

    from support.gitrepo import GitRepo

COMMAND = [sys.executable, "-m", "clew", "mcp"]


def test_an_editor_starts_it_in_a_folder_and_asks(
    git_repo: Callable[..., GitRepo], tmp_path: Path
) -> None:
    shop = git_repo(SHOP, name="shop")
    server = StdioServerParameters(
        command=COMMAND[0],
        args=[*COMMAND[1:], "--data", str(tmp_path / "data")],
        env=dict(os.environ),
        cwd=shop.path,
    )

    async def work() -> tuple[list[str], Any, Any]:
        async with Client(server) as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            found = await client.call_tool("search_code", {"query": "retry refund"})
            answer = await client.call_tool("ask", {"question": "where are refunds retried?"})
            return tools, found, answer

    tools, found, answer = asyncio.run(work())
    assert "ask" in tools
    assert "shop/refunds.py" in text_of(found)
    assert answer.structured_content["outcome"] == "answered"


def start(folder: Path, *options: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, "--data", str(folder / "data"), *options],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def greeted(server: subprocess.Popen[str]) -> dict[str, Any]:
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(json.dumps(GREETING) + "\n")
    server.stdin.flush()
    return json.loads(server.stdout.readline())


def test_it_ends_when_the_editor_closes_its_input(tmp_path: Path) -> None:
    with start(tmp_path) as server:
        assert greeted(server)["result"]["serverInfo"]["name"] == "clew"
        out, err = server.communicate(timeout=60)
    assert (server.returncode, out, err) == (0, "", "")


def test_it_ends_at_the_end_of_an_input_that_can_not_be_waited_for(tmp_path: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "--data", str(tmp_path / "data")],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_it_ends_when_it_is_told_to(tmp_path: Path) -> None:
    with start(tmp_path) as server:
        greeted(server)
        server.send_signal(signal.SIGTERM)
        try:
            assert server.wait(60) == 128 + signal.SIGTERM
        finally:
            server.kill()


def test_a_wrong_setting_is_told_on_standard_error_alone(
    capsys: pytest.CaptureFixture[str],
) -> None:
    from clew.surfaces.cli.main import run

    assert run(["mcp", "--toolset", "everything"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "mcp.toolset in a flag is wrong: it must be one of lean, full" in err


def test_without_the_extra_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import importlib.util

    from clew.surfaces.cli.main import run

    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name, *rest: None if name == "mcp" else found(name, *rest),
    )
    assert run(["mcp"]) == 2
    assert "install clew[mcp]" in capsys.readouterr().err
