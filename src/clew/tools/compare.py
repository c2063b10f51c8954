"""What two commits differ in: files with counts, and their changed lines, redacted and capped.

Both texts are redacted whole before lines are taken from them, so a secret never shows because a
difference starts in its middle.
"""

from __future__ import annotations

import time
from itertools import islice
from typing import TYPE_CHECKING

from clew.chunks.text import decode, split_lines
from clew.redact import redact
from clew.tools.result import ChangedFile, ChangedLine, Page, clip, evidence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clew.index.view import View
    from clew.sources.base import History
    from clew.sources.history import Change
    from clew.tools.scope import Scope
    from clew.types import Evidence

MAX_FILES = 40
MAX_LINES = 160  # changed lines shown, over all files
PER_FILE = 40
MAX_BYTES = 2_000_000  # of a file that is compared line by line
_WIDTH = 200


def compare(
    scope: Scope, view: View, past: History, path: str, since: str, until: str
) -> list[Change]:
    """The files that differ below a path and may be shown, those with most changes first."""
    found = past.changes(since, until, path, scope.seconds)
    prefix = view.source.prefix
    seen = [
        change
        for change in found
        if change.path.startswith(prefix)
        and not (scope.denied(change.path) or scope.denied(change.old_path))
        and redact(change.path) == change.path
    ]
    return sorted(
        seen, key=lambda c: (_unread(view, c), -(c.added or 0) - (c.deleted or 0), c.path)
    )


def _unread(view: View, change: Change) -> bool:
    """Whether it is a file that nobody writes or reads: a lock file, a picture."""
    document = view.document(change.path)
    return change.added is None or (document is not None and document.skip != "")


def present_changes(
    scope: Scope, page: Page, view: View, changes: list[Change], found_by: str, *, pinned: bool
) -> tuple[list[ChangedFile], list[Evidence]]:
    """Add the files, then their lines; lines are evidence when they are the pinned revision's."""
    past = scope.history(view)
    told: list[ChangedFile] = []
    spans: list[Evidence] = []
    left = MAX_LINES
    until = time.monotonic() + scope.seconds  # past it, files are only counted
    page.add("Files that differ:" if changes else "No file differs.")
    for change in changes[:MAX_FILES]:
        if not page.add(f"  {scope.place(view, change.path)} {counts(change)}"):
            break
        lines: list[ChangedLine] = []
        if left and time.monotonic() < until:
            found = _lines(scope, view, past, change, pinned=pinned)
            lines = list(islice(found, min(PER_FILE, left)))
        kept: list[ChangedLine] = []
        for line in lines:
            sign = "+" if line.added else "-"
            if not page.add(f"    {sign}{line.line}: {clip(line.text, _WIDTH)}"):
                break
            kept.append(line)
        left -= len(kept)
        told.append(
            ChangedFile(
                view.source.name,
                change.path,
                change.old_path,
                _status(change),
                change.added,
                change.deleted,
                tuple(kept),
                counts(change),
            )
        )
        spans += _spans(view, change, kept, found_by) if pinned else ()
    return told, spans


def counts(change: Change) -> str:
    """How much of a file differs, in words."""
    status = _status(change)
    if change.added is None:
        return f"{status}, binary"
    said = f"{status}, +{change.added} -{change.deleted or 0}"
    return f"{said}, was {change.old_path}" if change.old_path != change.path else said


def _status(change: Change) -> str:
    if not change.old_oid:
        return "added"
    return "changed" if change.new_oid else "removed"


def _lines(
    scope: Scope, view: View, past: History, change: Change, *, pinned: bool
) -> Iterator[ChangedLine]:
    """The changed lines of one file, removed ones before added ones, in order."""
    if change.added is None or not (change.old_oid and change.new_oid):
        return  # binary, or a whole file: its counts say it
    document = view.document(change.path)
    if document is not None and document.skip:
        return
    old = _redacted(past.blob(change.old_oid, MAX_BYTES))
    here = pinned and document is not None
    new = (
        split_lines(view.text(change.path))
        if here
        else _redacted(past.blob(change.new_oid, MAX_BYTES))
    )
    for hunk in past.hunks(change, scope.seconds):
        for at in range(hunk.old_start, hunk.old_start + hunk.old_count):
            if at <= len(old):
                yield ChangedLine(at, old[at - 1].removesuffix("\r"), added=False)
        for at in range(hunk.new_start, hunk.new_start + hunk.new_count):
            if at <= len(new):
                yield ChangedLine(at, new[at - 1].removesuffix("\r"), added=True)


def _redacted(data: bytes) -> list[str]:
    decoded = decode(data)
    return split_lines(redact(decoded.text)) if decoded else []


def _spans(
    view: View, change: Change, lines: list[ChangedLine], found_by: str
) -> Iterator[Evidence]:
    """One row per run of adjacent added lines."""
    run: list[ChangedLine] = []
    for line in [row for row in lines if row.added]:
        if run and line.line != run[-1].line + 1:
            yield evidence(view, change.path, run[0].line, [x.text for x in run], found_by)
            run = []
        run.append(line)
    if run:
        yield evidence(view, change.path, run[0].line, [x.text for x in run], found_by)
