"""grep: every line that a regular expression matches, over the redacted text of the index."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clew.errors import InputError, NotFoundError
from clew.tools.globs import compile_glob
from clew.tools.patterns import MAX_PATTERN, compile_pattern
from clew.tools.result import (
    LINE_WIDTH,
    FileMatches,
    GrepData,
    LineMatch,
    Page,
    ToolResult,
    clip,
    evidence,
    plural,
    shown,
)
from clew.tools.scope import revision_label, revision_labels

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clew.index.view import DocumentRow, View
    from clew.redact.linear import Pattern
    from clew.tools.globs import Glob
    from clew.tools.scope import Scope
    from clew.types import Evidence

MAX_COUNT = 5_000  # matching lines after which counting stops
MAX_LINES = 120  # matching lines shown
MAX_PER_FILE = 15  # of them, in one file, when other files match too


def grep(
    scope: Scope,
    pattern: str,
    glob: str | None = None,
    ignore_case: bool = False,
    source: str | None = None,
    after: str | None = None,
) -> ToolResult[GrepData]:
    r"""Find every line that a regular expression matches, exactly, in all indexed files.

    Use it for exact strings: error messages, configuration keys, names, call sites, TODO marks.
    To find code by meaning use search_code; for definitions and uses of a name use find_symbol.

    Args:
        scope: What may be looked at.
        pattern: A regular expression in RE2 syntax, matched within single lines. No look-around
            and no back-references. Escape literal signs, as in `foo\(`.
        glob: Only files that match, such as "*.py", "src/**" or "src/**/*.{ts,tsx}".
        ignore_case: Whether upper and lower case count as the same.
        source: Only this source, by its name; without it all sources are searched.
        after: Only files whose path sorts after this one: to go on where a search stopped.
    """
    _check(pattern)
    regex = compile_pattern(pattern, ignore_case=ignore_case)
    files = compile_glob(glob) if glob is not None else None
    views = scope.pick(source)
    scan = _Scan(regex, time.monotonic() + scope.seconds, _start(views, after))
    for view in views:
        scan.view(scope, view, files)
    if after is not None and not scan.reachable:
        raise NotFoundError(f'No file to search comes after "{shown(after)}".')
    if files and not scan.reachable:
        raise NotFoundError(
            f'No file matches the glob "{shown(files.text)}"; list_files shows what there is.'
        )
    return _present(scope, views, scan, shown(pattern), shown(glob) if glob else "")


@dataclass(frozen=True, slots=True)
class _After:
    """The file that a search goes on after; sources before its own are passed over whole."""

    source: str
    path: str


def _start(views: tuple[View, ...], after: str | None) -> _After | None:
    """Read `after`, with its source's name before it as results write it in a wide scope."""
    if after is None:
        return None
    for view in views:
        if after.startswith(view.source.name + ":") or len(views) == 1:
            return _After(view.source.name, after.removeprefix(view.source.name + ":"))
    raise InputError(
        f'after="{shown(after)}" names no source: write it as the note did, with "source:" first.'
    )


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    text: str
    at: int  # character offset of the match in the line


@dataclass(frozen=True, slots=True)
class _Found:
    view: View
    path: str
    count: int
    lines: tuple[_Line, ...]


@dataclass(slots=True)
class _Scan:
    """What one call has seen so far, over all views."""

    regex: Pattern
    deadline: float
    after: _After | None
    found: list[_Found] = field(default_factory=list[_Found])
    skipped: Counter[str] = field(default_factory=Counter[str])
    total: int = 0
    searched: int = 0
    reachable: int = 0
    stopped: str = ""
    late: bool = False  # it was the time that stopped it
    last: tuple[View, str] | None = None  # the file that was searched last

    def view(self, scope: Scope, view: View, glob: Glob | None) -> None:
        """Scan one view's files until the match or time limit is reached."""
        documents = [d for d in view.documents() if glob is None or glob.match(d.path)]
        after = self.after
        if after:
            if view.source.name != after.source:
                return
            self.after = None  # the sources that follow are searched whole
            documents = [d for d in documents if d.path > after.path]
        self.reachable += len(documents)
        paths = [d.path for d in self._readable(scope, documents)]
        texts = view.texts(paths if glob or after else None)
        allowed = set(paths)
        for document, text in texts:
            if document.path not in allowed:
                continue
            if self.total >= MAX_COUNT:
                self.stopped = f"counting stopped at {MAX_COUNT:,} matches"
            elif time.monotonic() > self.deadline:
                self.late = True
                self.stopped = f"the time limit of {scope.seconds:g} s was reached"
            if self.stopped:
                return
            self.searched += 1
            self._file(view, document.path, text)
            self.last = view, document.path

    def _readable(self, scope: Scope, documents: list[DocumentRow]) -> Iterator[DocumentRow]:
        for document in documents:
            reason = document.skip or ("denied" if scope.denied(document.path) else "")
            if reason:
                self.skipped[reason] += 1
            else:
                yield document

    def _file(self, view: View, path: str, text: str) -> None:
        data = text.encode("utf-8", "replace")
        if b"\r\n" in data:  # so that `$` stands before the line's end
            data = data.replace(b"\r\n", b"\n")
        kept: list[_Line] = []
        count = 0
        for number, line, at in _matches(self.regex, data):
            count += 1
            if len(kept) < MAX_LINES:
                kept.append(_Line(number, line.decode("utf-8"), len(line[:at].decode("utf-8"))))
            if self.total + count >= MAX_COUNT:
                break
        if count:
            self.total += count
            self.found.append(_Found(view, path, count, tuple(kept)))


def _matches(regex: Pattern, data: bytes) -> Iterator[tuple[int, bytes, int]]:
    """Each matching line once: its number, its bytes, and the byte offset of its first match."""
    number, line_start, end = 1, 0, len(data)
    while line_start < end and (match := regex.search(data, line_start)):
        at = match.start()
        if at == end and data.endswith(b"\n"):
            return  # the place after the last line end is not a line
        number += data.count(b"\n", line_start, at)
        line_start = data.rfind(b"\n", line_start, at) + 1 or line_start
        line_end = data.find(b"\n", at)
        line_end = end if line_end < 0 else line_end
        yield number, data[line_start:line_end], at - line_start
        number, line_start = number + 1, line_end + 1


# --- words -----------------------------------------------------------------------------------


def _check(pattern: str) -> None:
    if not pattern:
        raise InputError('The pattern is empty: give a regular expression, such as "def retry".')
    if len(pattern) > MAX_PATTERN:
        raise InputError(
            f"The pattern has {len(pattern):,} characters; at most {MAX_PATTERN:,} are allowed."
        )
    if "\n" in pattern or "\\n" in pattern.replace("\\\\", ""):
        raise InputError(
            "A pattern matches within one line and this one holds a line break: search for one "
            "line's part, then use read_file for the lines around it."
        )


def _present(
    scope: Scope, views: tuple[View, ...], scan: _Scan, argument: str, glob: str
) -> ToolResult[GrepData]:
    title = f'grep "{argument}"' + (f" in {glob}" if glob else "")
    at_least = "more than " if scan.stopped and scan.total >= MAX_COUNT else ""
    summary = (
        f"{at_least}{plural(scan.total, 'match', 'matches')} in {plural(len(scan.found), 'file')}"
    )
    page = Page(scope.max_chars)
    if scan.found:
        page.add(f"{title}: {summary}")
    else:
        page.add(_nothing(scan, title))
    if not scan.found or not scope.several:
        page.add(f"in {revision_labels(views)}")
    rows, spans = _rows(scope, scan, page, title)
    shown_lines = sum(len(row.matches) for row in rows)
    cut = _cut(scope, scan, shown_lines, at_least)
    data = GrepData(
        files=tuple(rows),
        total=scan.total,
        matched=len(scan.found),
        searched=scan.searched,
        skipped=dict(scan.skipped),
        complete=not scan.stopped,
    )
    return ToolResult("grep", argument, page.finish(cut), tuple(spans), data, cut, summary=summary)


def _rows(
    scope: Scope, scan: _Scan, page: Page, found_by: str
) -> tuple[list[FileMatches], list[Evidence]]:
    rows: list[FileMatches] = []
    spans: list[Evidence] = []
    per_file = MAX_LINES if len(scan.found) == 1 else MAX_PER_FILE
    left = MAX_LINES
    last_view: View | None = None
    for found in scan.found:
        head: list[str] = []
        if scope.several and found.view is not last_view:
            head.append(revision_label(found.view))
        head.append(f"{scope.place(found.view, found.path)} ({found.count})")
        kept: list[_Line] = []
        for line in found.lines[: min(per_file, left)]:
            row = f"  {line.number}: {clip(line.text, LINE_WIDTH, line.at)}"
            if not page.add(*head, row):
                left = 0
                break
            head, last_view = [], found.view
            kept.append(line)
        left -= len(kept)
        if kept:
            rows.append(_row(found, kept))
            spans.extend(_spans(found, kept, found_by))
        if left <= 0:
            break
    return rows, spans


def _row(found: _Found, kept: list[_Line]) -> FileMatches:
    matches = tuple(LineMatch(x.number, clip(x.text, LINE_WIDTH, x.at)) for x in kept)
    return FileMatches(found.view.source.name, found.path, found.count, matches)


def _spans(found: _Found, kept: list[_Line], found_by: str) -> Iterator[Evidence]:
    """One evidence row per run of adjacent lines."""
    run: list[_Line] = []
    for line in kept:
        if run and line.number != run[-1].number + 1:
            yield _span(found, run, found_by)
            run = []
        run.append(line)
    yield _span(found, run, found_by)


def _span(found: _Found, run: list[_Line], found_by: str) -> Evidence:
    return evidence(found.view, found.path, run[0].number, [x.text for x in run], found_by)


def _nothing(scan: _Scan, title: str) -> str:
    """No match, told apart from not having looked."""
    said = f"{title}: no match in {plural(scan.searched, 'file')}"
    if scan.skipped:
        reasons = ", ".join(f"{n:,} {reason}" for reason, n in scan.skipped.most_common(8))
        said += f"; not searched: {plural(scan.skipped.total(), 'file')} ({reasons})"
    return said


def _cut(scope: Scope, scan: _Scan, shown_lines: int, at_least: str) -> str:
    notes: list[str] = []
    ways = ["narrow with glob=… or a longer pattern"]
    if shown_lines < scan.total:
        notes.append(f"{shown_lines:,} of {at_least}{plural(scan.total, 'match', 'matches')} shown")
    if scan.stopped:
        everything = scan.reachable - scan.skipped.total()
        notes.append(f"{scan.stopped} after {scan.searched:,} of {everything:,} files")
    if scan.late and scan.last:
        ways = [f'go on with after="{scope.place(*scan.last)}"', "narrow with glob=…"]
    return "; ".join([*notes, " or ".join(ways)]) if notes else ""
