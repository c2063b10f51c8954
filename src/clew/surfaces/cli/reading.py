"""`clew show`, `clew index` and `clew status`: what is there, without asking anything."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

from clew.errors import InputError
from clew.surfaces import wire
from clew.surfaces.cli.progress import Ticker
from clew.surfaces.cli.terminal import console, facts, is_screen, one_line, table, visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clew.app import Clew
    from clew.reads import Shown, SourceStatus
    from clew.surfaces.cli.where import Where
    from clew.types import IndexReport
    from clew.workspace import Workspace

_LINES = re.compile(
    r"^(?P<path>.+?)(?::L?|#L)(?P<start>[0-9]{1,9})(?:-L?(?P<end>[0-9]{1,9}))?$", re.DOTALL
)


def say_notices(workspace: Workspace) -> None:
    """Say on standard error which sources are missing from what follows, or not up to date."""
    for notice in workspace.notices:
        sys.stderr.write(f"clew: {one_line(notice)}\n")


async def show(clew: Clew, where: Where, place: str, *, as_json: bool) -> None:
    """Print the lines of one place."""
    path, start, end = _place(place)
    with Ticker() as ticker:
        workspace = await clew.open(where.repos, ticker.show, at=where.at, tag=where.tag)
    with workspace:
        say_notices(workspace)
        shown = await clew.show(workspace, path, start, end)
    if as_json:
        sys.stdout.write(wire.line(wire.plain(shown)) + "\n")
    else:
        _print_lines(shown)


def _place(place: str) -> tuple[str, int | None, int | None]:
    if not place.strip():
        raise InputError("The place is empty: name a file, as in clew show src/app.py:10-20.")
    found = _LINES.match(place)
    if not found:
        return place, None, None
    start = int(found["start"])
    return found["path"], start, int(found["end"] or start)


def _print_lines(shown: Shown) -> None:
    if is_screen():
        from rich.syntax import Syntax

        from clew.surfaces.cli.screen import draw_code

        code = "\n".join(shown.lines)
        lexer = Syntax.guess_lexer(shown.path, code)
        draw_code(console(), code, lexer, shown.start_line)
        return
    width = len(str(shown.end_line))
    for number, text in enumerate(shown.lines, shown.start_line):
        sys.stdout.write(f"{number:>{width}}  {visible(text)}\n")


async def index(clew: Clew, where: Where, *, as_json: bool) -> int:
    """Index, and print one line a source; returns 3 when a source failed, else 0."""
    with Ticker() as ticker:
        workspace = await clew.open(where.repos, ticker.show, patient=True, tag=where.tag)
    workspace.close()
    for opened in workspace.opened:
        if as_json:
            sys.stdout.write(wire.line(wire.index_report(opened.report)) + "\n")
        else:
            _print_report(opened.report)
    if not as_json:
        say_notices(workspace)
    for failure in workspace.failed if as_json else ():
        row = {"source": failure.name, **wire.error(failure.error)}
        sys.stdout.write(wire.line(row) + "\n")
    return max((f.error.exit_code for f in workspace.failed), default=0)


def _print_report(report: IndexReport) -> None:
    skipped = sum(report.skipped.values())
    sys.stdout.write(
        f"{one_line(report.source)} at {report.revision[:10]}: {report.files:,} files, "
        f"{report.chunks:,} chunks, {report.symbols:,} symbols in {report.seconds:.1f} s"
        + (f"; {skipped:,} left out ({_counts(report.skipped)})" if skipped else "")
        + "\n"
    )
    if report.problem:
        said = f"{report.source}: {int(report.embedded * 100)} % is embedded: {report.problem}"
        sys.stderr.write(f"clew: {one_line(said)}\n")


def _counts(skipped: dict[str, int]) -> str:
    ordered = sorted(skipped.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{count:,} {reason}" for reason, count in ordered)


async def status(clew: Clew, repos: Sequence[str], *, skipped: bool, as_json: bool) -> int:
    """Print what is indexed beside what is at the head; returns 3 when a source failed, else 0."""
    with Ticker() as ticker:
        found = await clew.status(repos, ticker.show)
    for number, source in enumerate(found):
        if as_json:
            sys.stdout.write(wire.line(wire.status(source, skipped=skipped)) + "\n")
            continue
        if number:
            sys.stdout.write("\n")
        facts(_facts(source))
        if skipped and source.skipped_files:
            if is_screen():
                sys.stdout.write("\n")
            table(("left out", "reason", "why"), source.skipped_files)
    return 3 if any(source.problem for source in found) else 0


def _facts(source: SourceStatus) -> list[tuple[str, str]]:
    rows = [("source", source.source), ("location", source.location)]
    if source.problem:
        return [*rows, ("problem", source.problem)]
    rows.append(("head", source.head))
    if source.stale:
        rows.append(("refresh", source.stale))
    if source.indexed is None:
        return [*rows, ("indexed", "nothing yet: clew index does it, and so does clew ask")]
    state = "up to date" if source.indexed == source.head else "behind the head"
    rows.append(("indexed", f"{source.indexed} ({state})"))
    rows.append(("files", f"{source.files:,} in {source.chunks:,} chunks"))
    if source.embedder:
        share = f"{int(source.embedded * 100)} % of the chunks"  # 100 only when all have one
        share = "all chunks" if source.embedded == 1 else share
        rows.append(("vectors", f"{share}, by {source.embedder}"))
    if source.chunks == 0:
        rows.append(("note", "nothing could be read, so no question about it can be answered"))
    return [*rows, ("left out", _counts(source.skipped) or "nothing")]
