"""history: the commits that touched a file, a folder or a definition, and what two differ in.

What a commit says and the lines of older files are read whole and redacted before anything of them
is shown; a path on the deny-list is not compared.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clew.errors import ClewError, InputError, NotFoundError
from clew.tools.blame import NO_BLAME, SHALLOW, meaningless
from clew.tools.commits import commit_row, title
from clew.tools.compare import compare, present_changes
from clew.tools.lookup import look_up
from clew.tools.names import nearest_names
from clew.tools.paths import clean_path, nearest
from clew.tools.result import (
    LINE_WIDTH,
    ChangedFile,
    CommitRow,
    HistoryData,
    Page,
    ToolResult,
    clip,
    plural,
    shown,
)
from clew.tools.scope import revision_label

if TYPE_CHECKING:
    from clew.index.view import View
    from clew.sources.history import Log
    from clew.tools.scope import Scope
    from clew.types import Evidence

MAX_COMMITS = 40  # shown
MAX_READ = 500  # read, to know which was the first
BODY_LINES = 4  # of a commit's message below its subject


def history(
    scope: Scope,
    subject: str,
    start_line: int | None = None,
    end_line: int | None = None,
    since: str | None = None,
    until: str | None = None,
    source: str | None = None,
) -> ToolResult[HistoryData]:
    """List the commits that changed a file, a folder or a symbol, newest first, with messages.

    Use it for "when, why and by whom was this introduced or changed" (the last commit listed is
    where it began) and, with since and until, for "what changed between A and B": then the files
    that differ and their changed lines are shown too.

    Args:
        scope: What may be looked at.
        subject: A path ("src/app.py", "src/", "." for everything) or a symbol ("Client.retry").
        start_line: With a file: only the commits that touched the lines from this one on.
        end_line: The last of those lines, inclusive.
        since: A branch, tag, SHA or date; only what came after it, with the differences.
        until: The same, as the end; the revision that is read when left out.
        source: Only this source, by its name.
    """
    asked = _subject(scope, subject, start_line, end_line, source)
    past = scope.history(asked.view)
    argument = shown(subject) + _range_words(since, until)
    if asked.generated:
        text = f"{shown(asked.path, 200)}: {meaningless(asked.generated)}"
        data = HistoryData(asked.view.source.name, asked.path, (), generated=True)
        return ToolResult("history", argument, text, (), data, summary="generated file")
    first = past.resolve(since).sha if since is not None else ""
    last = past.resolve(until).sha if until is not None else ""
    # At another revision the lines may be elsewhere, so a range is that of whole files.
    lines = None if first or last else asked.lines
    log = past.log(asked.path, MAX_READ, scope.seconds, lines=lines, since=first, until=last)
    page = Page(scope.max_chars)
    summary = plural(len(log.commits), "commit") + (" or more" if log.stopped else "")
    page.add(f"history {argument}: {summary}")
    page.add(f"in {revision_label(asked.view)}")
    page.add(*filter(None, (asked.note, SHALLOW if past.shallow else "")))
    rows = [commit_row(commit) for commit in log.commits]
    told = _present(page, rows[:MAX_COMMITS])
    whole = not log.stopped and not past.shallow and bool(rows) and not first
    if whole and len(told) < len(rows):
        page.add(f"  first: {title(rows[-1])}")
    cut = [_cut(len(told), log)]
    files: list[ChangedFile] = []
    spans: list[Evidence] = []
    if first:
        changes = compare(scope, asked.view, past, asked.path, first, last)
        found_by = f"history {argument}"
        files, spans = present_changes(scope, page, asked.view, changes, found_by, pinned=not last)
        summary += f", {plural(len(changes), 'file')} changed"
        if len(files) < len(changes):
            cut.append(f"{len(files)} of {len(changes)} changed files shown; narrow the path")
    data = HistoryData(
        source=asked.view.source.name,
        path=asked.path,
        commits=tuple(told),
        lines=lines,
        symbol=asked.symbol,
        total=len(rows),
        first=rows[-1] if whole else None,
        shallow=past.shallow,
        since=first,
        until=last,
        files=tuple(files),
    )
    note = "; ".join(filter(None, cut))
    text = page.finish(note)
    return ToolResult("history", argument, text, tuple(spans), data, note, summary=summary)


@dataclass(frozen=True, slots=True)
class _Subject:
    """What the history is of; `generated` is the reason why it has none worth telling."""

    view: View
    path: str
    lines: tuple[int, int] | None = None
    symbol: str = ""
    note: str = ""
    generated: str = ""


def _subject(
    scope: Scope, subject: str, start: int | None, end: int | None, source: str | None
) -> _Subject:
    """A path when there is one, else a symbol."""
    named, bare = _split_source(scope, subject, source)
    try:
        path = "" if bare.strip() in (".", "/", "") and subject.strip() else clean_path(bare)
    except InputError:
        path = None
    for view in scope.pick(named):
        if path is None:
            break
        found = _at_path(scope, view, path, start, end)
        if found is not None:
            return found
    if start is not None or end is not None:
        raise NotFoundError(f'There is no file "{shown(bare)}" whose lines could be followed.')
    return _of_symbol(scope, bare, named)


def _split_source(scope: Scope, subject: str, source: str | None) -> tuple[str | None, str]:
    if source is None:
        for view in scope.views:
            if subject.startswith(view.source.name + ":"):
                return view.source.name, subject.removeprefix(view.source.name + ":")
    return source, subject


def _at_path(
    scope: Scope, view: View, path: str, start: int | None, end: int | None
) -> _Subject | None:
    document = view.document(path) if path else None
    if document is None:
        prefix = f"{path}/" if path else view.source.prefix
        inside = not path or any(d.path.startswith(prefix) for d in view.documents())
        return _Subject(view, prefix) if inside else None
    if document.skip == "denied" or scope.denied(path):
        raise NotFoundError(f"{shown(path, 200)} is on the deny-list: its content is never shown.")
    if document.skip in NO_BLAME:
        return _Subject(view, path, generated=document.skip)
    if start is None and end is None:
        return _Subject(view, path)
    first, last = start or 1, document.lines if end is None else min(end, document.lines)
    if not 1 <= first <= last:
        raise InputError(f"{shown(path, 200)} has {plural(document.lines, 'line')}.")
    return _Subject(view, path, (first, last))


def _of_symbol(scope: Scope, name: str, source: str | None) -> _Subject:
    try:
        found = look_up(scope, name, None, source)
    except ClewError as error:
        raise _nothing_called(scope, name, source, error) from error
    if not found.definitions:
        raise NotFoundError(f'"{shown(name)}" is used here but defined nowhere: give a path.')
    view, symbol = found.definitions[0]
    note = f"{symbol.kind} {clip(symbol.qualname, LINE_WIDTH)} at "
    note += scope.place(view, f"{symbol.path}:{symbol.start_line}-{symbol.end_line}")
    others = len(found.definitions) - 1
    if others:
        note += f" (and {plural(others, 'other definition')}: give a path and lines for those)"
    return _Subject(view, symbol.path, (symbol.start_line, symbol.end_line), symbol.qualname, note)


def _nothing_called(scope: Scope, name: str, source: str | None, error: ClewError) -> NotFoundError:
    """Name what was asked for as it was written: a path's last part is no symbol's name."""
    path = name.strip().replace("\\", "/").removeprefix("./").strip("/")
    said = f'No path and no symbol "{shown(name, 200)}" is here; '
    if isinstance(error, NotFoundError) and not re.search(r"[/.]", name):
        return NotFoundError(f"{said}{error.message.rpartition('; ')[2]}")
    views = scope.pick(source)
    near = nearest(path, (d.path for view in views for d in view.documents()))
    if not near and isinstance(error, NotFoundError) and "/" not in path:
        near = nearest_names(scope, views, path.rpartition(".")[2])
    hint = f"did you mean {' or '.join(near)}?" if near else "list_files shows the paths there are"
    gone = "" if near else ", and a file that was removed is in its folder's history."
    return NotFoundError(f"{said}{hint}{gone}")


def _range_words(since: str | None, until: str | None) -> str:
    words = f" since {shown(since)}" if since is not None else ""
    return words + (f" until {shown(until)}" if until is not None else "")


def _present(page: Page, rows: list[CommitRow]) -> list[CommitRow]:
    told: list[CommitRow] = []
    for row in rows:
        body = [clip(line, LINE_WIDTH) for line in row.body.split("\n") if line.strip()]
        if not page.add(f"  {title(row)}", *(f"      {line}" for line in body[:BODY_LINES])):
            break
        told.append(row)
    return told


def _cut(told: int, log: Log) -> str:
    notes: list[str] = []
    if told < len(log.commits):
        notes.append(f"{told} of {len(log.commits)} commits shown")
    if log.stopped:
        notes.append(f"older ones were not read ({log.stopped}); give lines, since or until")
    return "; ".join(notes)
