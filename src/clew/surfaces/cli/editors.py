"""`clew install` and `clew uninstall`: let an editor's agent ask Clew, or no more."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from clew.surfaces.mcp.clients import Change

Client = Annotated[str, typer.Argument(metavar="CLIENT", help="claude-code, cursor or vscode.")]
Project = Annotated[
    bool, typer.Option("--project", help="Write the current folder's file, not your own.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the file, and write nothing.")]
Data = Annotated[
    Path | None, typer.Option("--data", help="The folder that holds everything Clew writes.")
]
Config = Annotated[Path | None, typer.Option("--config", help="A configuration file (TOML).")]


def install(
    client: Client,
    project: Project = False,
    dry_run: DryRun = False,
    data: Data = None,
    config: Config = None,
) -> None:
    """Let an editor's agent ask Clew: write it into the editor's configuration."""
    from clew.surfaces.cli.serving import require_mcp
    from clew.surfaces.mcp.clients import installing

    require_mcp()  # or the editor would start what says that it can't

    change = installing(client, Path.cwd() if project else None, data, config)
    _finish(change, dry_run=dry_run, done="Clew is installed in")


def uninstall(client: Client, project: Project = False, dry_run: DryRun = False) -> None:
    """Take Clew out of an editor's configuration."""
    from clew.surfaces.mcp.clients import uninstalling

    change = uninstalling(client, Path.cwd() if project else None)
    _finish(change, dry_run=dry_run, done="Clew is taken out of")


def _finish(change: Change, *, dry_run: bool, done: str) -> None:
    from clew.surfaces.mcp.clients import write

    if dry_run:
        sys.stderr.write(f"{change.file} would be:\n")
        sys.stdout.write(change.after)
    elif change.after == change.before:
        sys.stderr.write(f"{change.file} needs no change.\n")
    else:
        write(change)
        sys.stderr.write(f"{done} {change.file}. Restart the editor, or reload its MCP servers.\n")
