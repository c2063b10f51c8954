"""`clew prune`: what was dropped, what is left, and what that freed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from clew.surfaces import wire
from clew.surfaces.cli.progress import Ticker
from clew.surfaces.cli.terminal import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clew.app import Clew, PrunePlan
    from clew.upkeep import Pruned


async def prune(clew: Clew, repos: Sequence[str], plan: PrunePlan, *, as_json: bool) -> int:
    """Prune, and print one line a source; returns 3 when a source failed, else 0."""
    with Ticker() as ticker:
        found = await clew.prune(repos, plan, ticker.show)
    for one in found:
        if as_json:
            sys.stdout.write(wire.line(wire.plain(one)) + "\n")
        elif one.problem:
            sys.stderr.write(f"clew: {one_line(one.source)}: {one_line(one.problem)}\n")
        else:
            sys.stdout.write(_line(one, dry_run=plan.dry_run) + "\n")
    if not as_json:
        _summarise(found, plan)
    return 3 if any(one.problem for one in found) else 0


def _line(one: Pruned, *, dry_run: bool) -> str:
    name = one_line(one.location or one.source)
    verb = "would be" if dry_run else "was" if one.removed else "were"
    size = f"{_bytes(one.bytes)} now" if dry_run else f"{_bytes(one.freed)} freed"
    if one.removed:
        return f"{name}: its folder is gone; all that is kept of it {verb} removed ({size})"
    left = "" if dry_run else f", {_bytes(one.bytes)} left"
    gone = "; its folder is gone" if one.gone else ""
    dropped = f"{len(one.dropped):,} revisions {verb} dropped, {one.kept:,} kept"
    return f"{name}: {dropped} ({size}{left}){gone}"


def _bytes(count: int) -> str:
    size = float(count)
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def _summarise(found: Sequence[Pruned], plan: PrunePlan) -> None:
    if not found:
        sys.stderr.write("Nothing is kept yet, so there is nothing to drop.\n")
    elif not plan.dry_run and len(found) > 1:
        sys.stdout.write(f"{_bytes(sum(one.freed for one in found))} freed in all\n")
    left = [one for one in found if one.gone and not one.removed]
    if left:
        held = _bytes(sum(one.bytes for one in left))
        sys.stderr.write(
            f"{len(left):,} of them {'has its' if len(left) == 1 else 'have their'} folder gone "
            f"({held}): clew prune --gone removes what is kept of them.\n"
        )
