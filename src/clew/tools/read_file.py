"""read_file: numbered lines of one file at the pinned revision."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.errors import InputError
from clew.tools.result import (
    HEADER_WIDTH,
    FileData,
    Page,
    ToolResult,
    clip,
    evidence,
    plural,
    shown,
)
from clew.tools.scope import revision_label

if TYPE_CHECKING:
    from clew.tools.paths import Located
    from clew.tools.scope import Scope

MAX_LINES = 400  # lines of one result
MAX_WIDTH = 1_000  # characters of one line


def read_file(
    scope: Scope,
    path: str,
    start_line: int | None = None,
    end_line: int | None = None,
    source: str | None = None,
) -> ToolResult[FileData]:
    """Read a file, or a range of its lines, with line numbers.

    Use it to see code around what a search found, before stating anything about it. At most 400
    lines come back at once; the result says how to go on.

    Args:
        scope: What may be looked at.
        path: The file's path relative to the source's root, such as "src/app.py".
        start_line: First line, from 1; the file's first when left out.
        end_line: Last line, inclusive; as far as the limit allows when left out.
        source: The source's name; needed only when several sources hold that path.
    """
    located = scope.locate(path, source)
    total = located.document.lines
    first, last = _range(located, start_line, end_line)
    page = Page(scope.max_chars)
    place = clip(scope.place(located.view, located.document.path), HEADER_WIDTH)
    if not total:
        page.add(f"{place} in {revision_label(located.view)} is empty")
        return _result(located, page, first, [], "")
    page.add(f"{place} in {revision_label(located.view)}, {plural(total, 'line')}")
    hidden = located.view.redactions(located.document.path)
    if hidden:
        page.add(f"({plural(hidden, 'secret')} in this file shown as [REDACTED:…])")
    lines = located.view.lines(located.document.path, first, min(last, first + MAX_LINES - 1))
    width = len(str(first + len(lines) - 1))
    taken: list[str] = []
    for number, line in enumerate(lines, first):
        text = line.removesuffix("\r")
        mark = f" [+{len(text) - MAX_WIDTH:,} characters]" if len(text) > MAX_WIDTH else ""
        if not page.add(f"{number:>{width}}  {text[:MAX_WIDTH]}{mark}"):
            break
        taken.append(text)
    if end_line is not None and end_line > total and len(taken) == total - first + 1:
        page.add(f"(the file ends at line {total:,})")
    return _result(located, page, first, taken, _cut(first, len(taken), last, total))


def _range(located: Located, start_line: int | None, end_line: int | None) -> tuple[int, int]:
    """The lines asked for, with the end clamped to the file's."""
    total = located.document.lines
    first = 1 if start_line is None else start_line
    last = total if end_line is None else end_line
    name = shown(located.document.path, 200)
    if first < 1 or (end_line is not None and end_line < first):
        raise InputError(
            f"Lines are counted from 1 and end_line is not before start_line; {name} has "
            f"{plural(total, 'line')}."
        )
    if first > max(total, 1):
        raise InputError(f"{name} has {plural(total, 'line')}; line {first:,} is past its end.")
    return first, min(last, total)


def _cut(first: int, taken: int, last: int, total: int) -> str:
    end = first + taken - 1
    if end >= last:
        return ""
    return f"lines {first:,}-{end:,} of {total:,}; go on with start_line={end + 1}"


def _result(
    located: Located, page: Page, first: int, taken: list[str], cut: str
) -> ToolResult[FileData]:
    view, path = located.view, located.document.path
    last = first + len(taken) - 1
    argument = shown(path, 200) + (f":{first}-{last}" if taken else "")
    spans = (evidence(view, path, first, taken, f"read_file {argument}"),) if taken else ()
    data = FileData(
        source=view.source.name,
        path=path,
        start_line=first,
        end_line=last,
        total_lines=located.document.lines,
        lines=tuple(line[:MAX_WIDTH] for line in taken),
        redactions=view.redactions(path),
    )
    summary = plural(len(taken), "line")
    return ToolResult("read_file", argument, page.finish(cut), spans, data, cut, summary=summary)
