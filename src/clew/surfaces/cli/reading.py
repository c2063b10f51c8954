"""`clew show`, `clew index` and `clew status`: what is there, without asking anything."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

from clew.errors import InputError
from clew.surfaces import wire
from clew.surfaces.cli.terminal import Ticker, console, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clew.app import Clew, SourceStatus
    from clew.types import IndexReport

_LINES = re.compile(r"^(?P<path>.+?):L?(?P<start>\d+)(?:-L?(?P<end>\d+))?$", re.DOTALL)


async def show(clew: Clew, repos: Sequence[str], place: str, *, as_json: bool) -> None:
    """Print the lines of one place."""
    path, start, end = _place(place)
    with Ticker() as ticker:
        workspace = await clew.open(repos, ticker.show)
    with workspace:
        shown = await clew.show(workspace, path, start, end)
    if as_json:
        sys.stdout.write(wire.line(wire.plain(shown)) + "\n")
        return
    width = len(str(shown.end_line))
    out = console()
    for number, text in enumerate(shown.lines, shown.start_line):
        out.print(f"{number:>{width}}", style="dim", end="  ", markup=False)
        out.print(text, markup=False, soft_wrap=True)


def _place(place: str) -> tuple[str, int | None, int | None]:
    found = _LINES.match(place)
    if not found:
        if not place.strip():
            raise InputError("Name a file, as in clew show src/app.py:10-20.")
        return place, None, None
    start = int(found["start"])
    return found["path"], start, int(found["end"] or start)


async def index(clew: Clew, repos: Sequence[str], *, as_json: bool) -> int:
    """Index, and print one line a source; returns 3 when a source failed, else 0."""
    with Ticker() as ticker:
        workspace = await clew.open(repos, ticker.show, patient=True)
    workspace.close()
    for failure in workspace.failed:
        if as_json:
            row = {"source": failure.name, **wire.error(failure.error)}
            sys.stdout.write(wire.line(row) + "\n")
        else:
            sys.stderr.write(f"clew: {failure.name}: {failure.error.message}\n")
    for opened in workspace.opened:
        if as_json:
            sys.stdout.write(wire.line(wire.index_report(opened.report)) + "\n")
        else:
            _print_report(opened.report)
    return max((f.error.exit_code for f in workspace.failed), default=0)


def _print_report(report: IndexReport) -> None:
    skipped = sum(report.skipped.values())
    sys.stdout.write(
        f"{report.source} at {report.revision[:10]}: {report.files:,} files, "
        f"{report.chunks:,} chunks, {report.symbols:,} symbols in {report.seconds:.1f} s"
        + (f"; {skipped:,} left out ({_counts(report.skipped)})" if skipped else "")
        + "\n"
    )


def _counts(skipped: dict[str, int]) -> str:
    ordered = sorted(skipped.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{count:,} {reason}" for reason, count in ordered)


async def status(clew: Clew, repos: Sequence[str], *, skipped: bool, as_json: bool) -> int:
    """Print what is indexed beside what is at the head; returns 3 when a source failed, else 0."""
    with Ticker() as ticker:
        found = await clew.status(repos, ticker.show)
    for source in found:
        if as_json:
            sys.stdout.write(wire.line(wire.plain(source)) + "\n")
        else:
            _print_status(source, skipped=skipped)
    return 3 if any(source.problem for source in found) else 0


def _print_status(source: SourceStatus, *, skipped: bool) -> None:
    rows = [("source", source.source), ("location", source.location), ("head", source.head)]
    if source.problem:
        rows[2:] = [("problem", source.problem)]
        table(("", ""), rows)
        return
    if source.stale:
        rows.append(("refresh", source.stale))
    if source.indexed is None:
        rows.append(("index", "nothing is indexed yet: clew index does it, and so does clew ask"))
    else:
        state = "up to date" if source.indexed == source.head else "behind the head"
        rows.append(("index", f"{source.indexed} ({state})"))
        rows.append(("files", f"{source.files:,} in {source.chunks:,} chunks"))
        if source.files == 0:
            rows.append(("note", "nothing could be read, so every question will be abstained from"))
        rows.append(("left out", _counts(source.skipped) or "nothing"))
    table(("", ""), rows)
    if skipped:
        table(("left out", "reason", "why"), source.skipped_files)
