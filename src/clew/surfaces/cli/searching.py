"""`clew search`: one query to a screen or as JSON, or a file of queries in one process."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from clew.errors import InputError
from clew.surfaces import wire
from clew.surfaces.cli.terminal import Ticker, console

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from clew.app import Clew
    from clew.types import SearchResult
    from clew.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Request:
    """What was typed; `queries` are (id, text) pairs, one with id "" when not a batch."""

    queries: tuple[tuple[Any, str], ...]
    top: int | None
    path: str | None
    as_json: bool
    batch: bool


def request(
    query: str | None, batch: Path | None, top: int | None, path: str | None, *, as_json: bool
) -> Request:
    """Check what was typed.

    Raises:
        InputError: No query and no batch, both, an empty query, or a line that isn't a query.
    """
    if (query is None) == (batch is None):
        raise InputError("Give either a query or --batch FILE.")
    if batch is not None:
        return Request(_read_batch(batch), top, path, as_json, batch=True)
    text = (query or "").strip()
    if not text:
        raise InputError("The query is empty: give words, a name or a path.")
    return Request((("", text),), top, path, as_json, batch=False)


async def run(clew: Clew, repos: Sequence[str], wanted: Request) -> int:
    """Search and print; returns the exit code: 0 when found (a batch: always), 1 when not."""
    with Ticker() as ticker:
        workspace = await clew.open(repos, ticker.show)
    with workspace:
        if wanted.batch:
            for key, text in wanted.queries:
                found = await clew.search(workspace, text, wanted.top, wanted.path)
                row = {"id": key, **wire.search(workspace.revisions, found)}
                sys.stdout.write(wire.line(row) + "\n")
            return 0
        found = await clew.search(workspace, wanted.queries[0][1], wanted.top, wanted.path)
    if wanted.as_json:
        sys.stdout.write(wire.line(wire.search(workspace.revisions, found)) + "\n")
    else:
        _print(workspace, found)
    return 0 if found.hits and found.relevant else 1


def _print(workspace: Workspace, found: SearchResult) -> None:
    out = console()
    for failure in workspace.failed:
        out.print(f"{failure.name} was not searched: {failure.error.message}", markup=False)
    if not found.relevant:
        nearest = " The nearest:" if found.hits else ""
        out.print(f"Nothing relevant found.{nearest}", style="yellow", markup=False)
    several = len(workspace.views) > 1
    for hit in found.hits:
        for n, span in enumerate(hit.spans):
            place = f"{hit.path}:{span.start_line}-{span.end_line}"
            label = f"{hit.source}:{place}" if several else place
            style = "bold cyan" if n == 0 else "cyan"
            out.print("  " * n + label, style=style, end="", markup=False)
            out.print(f"  {span.kind} {span.symbol}".rstrip(), markup=False)


def _read_batch(path: Path) -> tuple[tuple[Any, str], ...]:
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"--batch {path} can't be read: {error}.") from error
    rows = enumerate(text.split("\n"), 1)
    return tuple(_query(path, number, row) for number, row in rows if row.strip())


def _query(path: Path, number: int, row: str) -> tuple[Any, str]:
    try:
        value: Any = json.loads(row)
    except json.JSONDecodeError as error:
        raise InputError(f"{path}, line {number} is not JSON: {error.msg}.") from error
    record = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    if "id" not in record or not isinstance(record.get("query"), str):
        raise InputError(f'{path}, line {number} must be an object {{"id": …, "query": "…"}}.')
    return record["id"], record["query"]
