"""`clew search`: one query to a screen or as JSON, or a file of queries in one process."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from clew.errors import InputError
from clew.surfaces import wire
from clew.surfaces.cli import explaining
from clew.surfaces.cli.progress import Ticker
from clew.surfaces.cli.reading import say_notices
from clew.surfaces.cli.terminal import console, is_screen, linked, one_line

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from clew.app import Clew
    from clew.reads import Preview
    from clew.surfaces.cli.where import Where
    from clew.types import Hit, HitSpan, SearchResult
    from clew.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Request:
    """What was typed; `queries` are (id, text) pairs, one with id "" when not a batch."""

    queries: tuple[tuple[Any, str], ...]
    top: int | None
    path: str | None
    as_json: bool
    batch: bool
    explain: bool


def request(
    query: str | None,
    batch: Path | None,
    top: int | None,
    path: str | None,
    *,
    as_json: bool,
    explain: bool,
) -> Request:
    """Check what was typed.

    Raises:
        InputError: No query and no batch, both, an empty query, or a line that isn't a query.
    """
    if (query is None) == (batch is None):
        raise InputError("Give either a query or --batch FILE.")
    if batch is not None:
        if not as_json:
            raise InputError("--batch writes JSON lines: give --json with it.")
        return Request(_read_batch(batch), top, path, as_json, batch=True, explain=explain)
    text = (query or "").strip()
    if not text:
        raise InputError("The query is empty: give words, a name or a path.")
    return Request((("", text),), top, path, as_json, batch=False, explain=explain)


async def run(clew: Clew, where: Where, wanted: Request) -> int:
    """Search and print; returns the exit code: 0 when found (a batch: always), 1 when not."""
    with Ticker() as ticker:
        workspace = await clew.open(where.repos, ticker.show, at=where.at, tag=where.tag)
    with workspace:
        say_notices(workspace)
        if wanted.batch:
            return await _run_batch(clew, workspace, wanted)
        found = await clew.search(workspace, wanted.queries[0][1], wanted.top, wanted.path)
        if wanted.as_json:
            told = wire.search(workspace.revisions, found, explain=wanted.explain)
            sys.stdout.write(wire.line(told) + "\n")
        elif is_screen():
            await _draw(clew, workspace, found, wanted)
        else:
            _print(workspace, found, wanted)
    return 0 if found.hits and found.relevant else 1


async def _run_batch(clew: Clew, workspace: Workspace, wanted: Request) -> int:
    for key, text in wanted.queries:
        found = await clew.search(workspace, text, wanted.top, wanted.path)
        sys.stdout.write(wire.line(wire.batch_row(key, found, explain=wanted.explain)) + "\n")
        sys.stdout.flush()
    return 0


def _print(workspace: Workspace, found: SearchResult, wanted: Request) -> None:
    """One line a span, best file first: place, kind and symbol with tabs between."""
    for warning in found.warnings:
        sys.stderr.write(f"clew: {one_line(warning.message)}\n")
    if not found.relevant:
        sys.stderr.write(f"clew: {_nothing(found)}\n")
    for hit in found.hits:
        for span in hit.spans:
            cells = _label(workspace, hit, span), span.kind, span.symbol
            sys.stdout.write("\t".join(map(one_line, cells)) + "\n")
            if wanted.explain:
                explaining.write(span, wanted.queries[0][1])


async def _draw(clew: Clew, workspace: Workspace, found: SearchResult, wanted: Request) -> None:
    out = console()
    for warning in found.warnings:
        out.print(one_line(warning.message), style="yellow")
    if not found.relevant:
        out.print(_nothing(found), style="yellow")
    for rank, hit in enumerate(found.hits, 1):
        for n, span in enumerate(hit.spans):
            preview = await clew.preview(workspace, hit, span)
            _draw_span(out, f"{rank:>2}" if n == 0 else "  ", workspace, hit, span, preview)
            if wanted.explain:
                explaining.draw(out, span, wanted.queries[0][1])
    if wanted.explain:
        explaining.legend(out, found)


def _draw_span(
    out: Console, rank: str, workspace: Workspace, hit: Hit, span: HitSpan, preview: Preview
) -> None:
    from rich.text import Text

    place = linked(
        _label(workspace, hit, span) if rank.strip() else _lines(span),
        preview.url,
        "bold cyan" if rank.strip() else "cyan",
    )
    name = one_line(f"{span.kind} {span.symbol}".rstrip())
    out.print(Text.assemble((f"{rank}  ", "bright_black"), place, "  ", name), soft_wrap=True)
    line = Text(f"      {one_line(preview.text)}", "bright_black")
    out.print(line, no_wrap=True, overflow="ellipsis")


def _label(workspace: Workspace, hit: Hit, span: HitSpan) -> str:
    place = f"{hit.path}:{_lines(span)}"
    return f"{hit.source}:{place}" if len(workspace.views) > 1 else place


def _lines(span: HitSpan) -> str:
    return f"{span.start_line}-{span.end_line}"


def _nothing(found: SearchResult) -> str:
    return "nothing relevant found" + ("; the nearest:" if found.hits else ".")


def _read_batch(path: Path) -> tuple[tuple[Any, str], ...]:
    try:
        text = path.read_text("utf-8-sig")
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InputError(f"--batch {path} can't be read: {reason}.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"--batch {path} is not UTF-8: save it as UTF-8.") from error
    rows = enumerate(text.split("\n"), 1)
    return tuple(_query(path, number, row) for number, row in rows if row.strip())


def _query(path: Path, number: int, row: str) -> tuple[Any, str]:
    try:
        value: Any = json.loads(row)
    except (ValueError, RecursionError) as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else "it can't be read"
        raise InputError(f"{path}, line {number} is not JSON: {reason}.") from error
    record = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    if "id" not in record or not isinstance(record.get("query"), str):
        raise InputError(f'{path}, line {number} must be an object {{"id": …, "query": "…"}}.')
    return record["id"], record["query"]
