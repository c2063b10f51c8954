"""`clew token`: makes, lists and revokes the tokens that may ask over HTTP.

A token's secret is printed once, by the command that makes it, and is kept nowhere.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clew.errors import InputError

if TYPE_CHECKING:
    from clew.app import Clew

tokens = typer.Typer(
    name="token", help="Tokens that may ask over HTTP, in their tags.", no_args_is_help=True
)

Data = Annotated[
    Path | None, typer.Option("--data", help="The folder that holds everything Clew writes.")
]
Config = Annotated[Path | None, typer.Option("--config", help="A configuration file (TOML).")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="What the token is called.")]


@tokens.command()
def create(
    name: Name,
    tag: Annotated[
        list[str] | None, typer.Option("--tag", help="A tag that it may use; may be repeated.")
    ] = None,
    as_json: AsJson = False,
    data: Data = None,
    config: Config = None,
) -> None:
    """Make a token and print it, once."""
    from clew.surfaces import wire

    wanted = tuple(dict.fromkeys(tag or ()))
    with _clew(data, config) as clew:
        unknown = [each for each in wanted if each not in clew.tags.by_name]
        if unknown or not wanted:
            known = ", ".join(clew.tags.by_name) or "none: see docs/tags.md"
            said = f"No tag is named {unknown[0][:60]!a}" if unknown else "A token needs a --tag"
            raise InputError(f"{said}; the configuration has {known}.")
        made, secret = clew.tokens().create(name, wanted)
    if as_json:
        row = {"name": made.name, "tags": list(made.tags), "token": secret}
        sys.stdout.write(wire.line(row) + "\n")
        return
    sys.stdout.write(secret + "\n")
    sys.stderr.write("Keep it now: it is not stored and can't be shown again.\n")


@tokens.command(name="list")
def list_(as_json: AsJson = False, data: Data = None, config: Config = None) -> None:
    """List the tokens, also revoked ones."""
    from clew.surfaces import wire
    from clew.surfaces.cli.terminal import table

    with _clew(data, config) as clew:
        found = clew.tokens().every()
    if as_json:
        for each in found:
            sys.stdout.write(wire.line(wire.plain(each)) + "\n")
        return
    if not found:
        sys.stderr.write("There is no token yet: clew token create makes one.\n")
        return
    rows = (
        (
            each.name,
            ", ".join(each.tags),
            _day(each.created_at),
            "may ask" if each.revoked_at is None else f"revoked {_day(each.revoked_at)}",
        )
        for each in found
    )
    table(("name", "tags", "made", "state"), rows)


@tokens.command()
def revoke(name: Name, as_json: AsJson = False, data: Data = None, config: Config = None) -> None:
    """Let a token ask no more, from its next request on."""
    from clew.surfaces import wire

    with _clew(data, config) as clew:
        gone = clew.tokens().revoke(name)
    if as_json:
        sys.stdout.write(wire.line(wire.plain(gone)) + "\n")
    else:
        sys.stderr.write(f"{gone.name} may ask no more.\n")


def _day(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M")


def _clew(data: Path | None, config: Path | None) -> Clew:
    from clew.app import build
    from clew.settings import load

    return build(load(config, {} if data is None else {"data": data}), cwd=Path.cwd())
