"""`clew slack`: answers in Slack, checks that it can, and prints the manifest of its app."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clew.surfaces.cli import running

if TYPE_CHECKING:
    from clew.app import Clew
    from clew.surfaces.slack.running import Connection

slack = typer.Typer(
    name="slack",
    help="Answer questions in Slack, in the channels that tags list.",
    invoke_without_command=True,
)

Data = Annotated[
    Path | None, typer.Option("--data", help="The folder that holds everything Clew writes.")
]
Config = Annotated[Path | None, typer.Option("--config", help="A configuration file (TOML).")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]


@slack.callback()
def answer(
    context: typer.Context,
    http: Annotated[
        bool, typer.Option("--http", help="Take events over HTTP instead of Socket Mode.")
    ] = False,
    host: Annotated[
        str, typer.Option("--host", help="The address to listen on, with --http.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65_535, help="The port to listen on, with --http.")
    ] = 3000,
    data: Data = None,
    config: Config = None,
) -> None:
    """Answer questions in Slack until stopped."""
    if context.invoked_subcommand is not None:
        return
    from clew.surfaces.slack.running import Http, run

    clew, connection = _open(data, config)
    where = Http(host, port) if http else None
    running.wait(clew, run(clew, connection, _say, where))


@slack.command()
def check(as_json: AsJson = False, data: Data = None, config: Config = None) -> None:
    """Look for what keeps Clew from answering in Slack, and say what to do about it."""
    clew, connection = _open(data, config)
    raise typer.Exit(running.wait(clew, _check(clew, connection, as_json=as_json)))


@slack.command()
def manifest(
    url: Annotated[
        str, typer.Option("--url", help="For events over HTTP: the address that Slack calls.")
    ] = "",
) -> None:
    """Print the manifest that a Slack app is made from."""
    from clew.surfaces.slack.manifest import manifest as text

    sys.stdout.write(text(url))


async def _check(clew: Clew, connection: Connection, *, as_json: bool) -> int:
    from clew.surfaces.cli.health import print_finding
    from clew.surfaces.slack.check import check as findings

    failed = False
    async for finding in findings(connection, clew.tags):
        print_finding(finding, as_json=as_json)
        failed = failed or finding.level == "fail"
    return 3 if failed else 0


def _say(words: str) -> None:
    sys.stderr.write(f"{words} Ctrl-C ends it.\n")
    sys.stderr.flush()


def _open(data: Path | None, config: Path | None) -> tuple[Clew, Connection]:
    from clew.app import build
    from clew.log import configure
    from clew.settings import load
    from clew.surfaces.slack.running import Connection

    settings = load(config, {} if data is None else {"data": data})
    configure(settings.log.level, settings.log.format)
    connection = Connection.of(settings.slack)
    return build(settings, cwd=Path.cwd()), connection
