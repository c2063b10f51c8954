"""`clew mcp` and `clew serve`: answer agents, programs and Slack until stopped."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clew.errors import SettingsError
from clew.surfaces.cli import running

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clew.settings import Settings

NOT_INSTALLED = "MCP and HTTP need the extra: install clew[mcp]."

Repos = Annotated[
    list[str] | None,
    typer.Option("--repo", "-r", help="A git URL, a work tree or a folder; may be repeated."),
]
Host = Annotated[str | None, typer.Option("--host", help="The address to listen on.")]
Port = Annotated[
    int | None, typer.Option("--port", min=0, max=65_535, help="The port; 0 for any free one.")
]
Data = Annotated[
    Path | None, typer.Option("--data", help="The folder that holds everything Clew writes.")
]
Config = Annotated[Path | None, typer.Option("--config", help="A configuration file (TOML).")]


def mcp(
    repo: Repos = None,
    toolset: Annotated[
        str | None, typer.Option("--toolset", help="The tools to offer: lean or full.")
    ] = None,
    http: Annotated[
        bool, typer.Option("--http", help="Serve HTTP instead of standard input and output.")
    ] = False,
    host: Host = None,
    port: Port = None,
    data: Data = None,
    config: Config = None,
) -> None:
    """Answer an agent over the Model Context Protocol."""
    flags = {"mcp.toolset": toolset, "serve.host": host, "serve.port": port, "data": data}
    settings = _settings(config, flags)
    repos = tuple(repo or ())
    if http:
        _serve(settings, repos, only_mcp=True)
        return
    from clew.app import build
    from clew.surfaces.mcp.stdio import run

    clew = build(settings, cwd=Path.cwd())
    running.wait(clew, run(clew, settings.mcp, repos, Path.cwd()))


def serve(
    repo: Repos = None,
    host: Host = None,
    port: Port = None,
    data: Data = None,
    config: Config = None,
) -> None:
    """Serve MCP and the API over HTTP, and Slack where it is configured."""
    flags = {"serve.host": host, "serve.port": port, "data": data}
    _serve(_settings(config, flags), tuple(repo or ()), only_mcp=False)


def _serve(settings: Settings, repos: tuple[str, ...], *, only_mcp: bool) -> None:
    from clew.app import build
    from clew.surfaces.serve.running import Service, run
    from clew.surfaces.slack.running import Connection

    slack = Connection.of(settings.slack)
    service = Service(repos, only_mcp, slack if slack.bot_token and not only_mcp else None)
    clew = build(settings, cwd=Path.cwd())
    running.wait(clew, run(clew, settings, service, _say))


def require_mcp() -> None:
    """See to it that what MCP needs is there.

    Raises:
        SettingsError: The extra is not installed.
    """
    from importlib.util import find_spec

    if find_spec("mcp") is None:
        raise SettingsError(NOT_INSTALLED)


def _settings(config: Path | None, flags: Mapping[str, object]) -> Settings:
    """The settings, and logging as they say; what is served is nobody's terminal.

    Raises:
        SettingsError: A setting is wrong, or the extra is not installed.
    """
    from clew.log import configure
    from clew.settings import load

    require_mcp()
    settings = load(config, flags)
    configure(settings.log.level, settings.log.format)
    return settings


def _say(words: str) -> None:
    sys.stderr.write(f"{words} Ctrl-C ends it.\n")
    sys.stderr.flush()
