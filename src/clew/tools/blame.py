"""blame: who changed each of some lines last, and in which commit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from clew.errors import InputError
from clew.tools.commits import commit_row, title
from clew.tools.paths import find_document
from clew.tools.result import (
    HEADER_WIDTH,
    BlameData,
    BlameRun,
    Page,
    ToolResult,
    clip,
    evidence,
    plural,
    shown,
)
from clew.tools.scope import revision_label

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clew.sources.history import Blamed, Commit
    from clew.tools.paths import Located
    from clew.tools.scope import Scope
    from clew.types import Evidence

MAX_LINES = 400  # lines blamed at once
MAX_WIDTH = 160  # characters of one line
NO_BLAME = frozenset(
    {"generated", "minified", "source map", "lock file", "build output", "snapshot", "dependency"}
)


def blame(
    scope: Scope,
    path: str,
    start_line: int | None = None,
    end_line: int | None = None,
    source: str | None = None,
) -> ToolResult[BlameData]:
    """Say for each line of a file who changed it last, when, and in which commit.

    Use it for "who wrote this", "when was this line added", "why is this here": the commit's
    subject is shown, and history(subject=PATH) tells the rest. At most 400 lines at once.

    Args:
        scope: What may be looked at.
        path: The file's path relative to the source's root, such as "src/app.py".
        start_line: First line, from 1; the file's first when left out.
        end_line: Last line, inclusive; as far as the limit allows when left out.
        source: The source's name; needed only when several sources hold that path.
    """
    refused = without_blame(scope, path, source)
    if refused is not None:
        data = BlameData(refused.view.source.name, refused.document.path, (), generated=True)
        return _meaningless(scope, refused, data)
    located = scope.locate(path, source)
    past = scope.history(located.view)
    view, document = located
    first, last = _range(located, start_line, end_line)
    upto = min(last, first + MAX_LINES - 1)
    blamed = past.blame(document.path, first, upto, scope.seconds) if document.lines else []
    page = Page(scope.max_chars)
    argument = f"{shown(document.path, 200)}:{first}-{upto}"
    place = clip(scope.place(view, document.path), HEADER_WIDTH)
    runs = list(_runs(blamed))
    commits = {run.commit.sha for run in runs}
    summary = f"{plural(len(blamed), 'line')} from {plural(len(commits), 'commit')}"
    page.add(f"blame {place}:{first}-{upto}: {summary}")
    page.add(f"in {revision_label(view)}")
    if past.shallow:
        page.add(SHALLOW)
    told, spans = _present(located, page, runs, f"blame {argument}")
    end = told[-1].end_line if told else first - 1
    cut = ""
    if document.lines and end < last:
        cut = f"lines {first:,}-{end:,} of {document.lines:,}; go on with start_line={end + 1}"
    data = BlameData(view.source.name, document.path, tuple(told), shallow=past.shallow)
    text = page.finish(cut)
    return ToolResult("blame", argument, text, tuple(spans), data, cut, summary=summary)


SHALLOW = "(the history here is shallow: its oldest commit may stand for older ones)"


def without_blame(scope: Scope, path: str, source: str | None) -> Located | None:
    """The file when a program wrote it: who ran that program last says nothing about its lines."""
    located = find_document(scope, path, source)
    return located if located.document.skip in NO_BLAME else None


def _meaningless(scope: Scope, located: Located, data: BlameData) -> ToolResult[BlameData]:
    place = clip(scope.place(located.view, located.document.path), HEADER_WIDTH)
    text = f"{place}: {meaningless(located.document.skip)}"
    argument = shown(located.document.path, 200)
    return ToolResult("blame", argument, text, (), data, summary="generated file")


def meaningless(reason: str) -> str:
    """Why a file's lines have no author worth naming."""
    kind = "" if reason == "generated" else f" ({reason})"
    return (
        f"generated file{kind}: blame not meaningful; ask about what it is generated from, or who "
        "changed that."
    )


def _range(located: Located, start_line: int | None, end_line: int | None) -> tuple[int, int]:
    total = located.document.lines
    first = 1 if start_line is None else start_line
    last = total if end_line is None else min(end_line, total)
    name = shown(located.document.path, 200)
    if first < 1 or (end_line is not None and end_line < first) or first > max(total, 1):
        raise InputError(
            f"Lines are counted from 1 and end_line is not before start_line; {name} has "
            f"{plural(total, 'line')}."
        )
    return first, last


@dataclass(frozen=True, slots=True)
class _Run:
    start: int
    end: int
    commit: Commit


def _runs(blamed: list[Blamed]) -> Iterator[_Run]:
    """Adjacent lines of one commit together."""
    start = 0
    for at, row in enumerate(blamed):
        following = blamed[at + 1] if at + 1 < len(blamed) else None
        if following is None or following.commit.sha != row.commit.sha:
            yield _Run(blamed[start].line, row.line, row.commit)
            start = at + 1


def _present(
    located: Located, page: Page, runs: list[_Run], found_by: str
) -> tuple[list[BlameRun], list[Evidence]]:
    view, document = located
    told: list[BlameRun] = []
    spans: list[Evidence] = []
    for run in runs:
        commit = commit_row(run.commit)
        head = [title(commit)]
        kept: list[str] = []
        for number, line in enumerate(view.lines(document.path, run.start, run.end), run.start):
            text = line.removesuffix("\r")
            if not page.add(*head, f"  {number}: {clip(text, MAX_WIDTH)}"):
                break
            head = []
            kept.append(text)
        if kept:
            last = run.start + len(kept) - 1
            told.append(BlameRun(run.start, last, commit))
            spans.append(evidence(view, document.path, run.start, kept, found_by))
        if len(kept) < run.end - run.start + 1:
            break
    return told, spans
