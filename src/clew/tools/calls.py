"""who_calls and what_calls: the callers of a name, and what its own body calls."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING

from clew.chunks.parse import parse
from clew.chunks.text import split_lines
from clew.errors import NotFoundError
from clew.tools.find_symbol import by_folder, grade_use, narrower, notes
from clew.tools.grades import Grader
from clew.tools.lookup import Lookup, look_up
from clew.tools.result import (
    LINE_WIDTH,
    Callee,
    CalleesData,
    Caller,
    CallersData,
    Page,
    ToolResult,
    clip,
    evidence,
    plural,
    shown,
)
from clew.tools.scope import revision_labels

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clew.index.view import ReferenceRow, SymbolRow, View
    from clew.tools.result import Use
    from clew.tools.scope import Scope
    from clew.types import Evidence, Reference

MAX_CALLS = 80  # call lines shown
MAX_BODIES = 5  # definitions of one name whose calls are listed
MAX_CALLEES = 120  # names shown
_AROUND = frozenset(
    {"function", "method", "class", "struct", "interface", "trait", "enum", "macro", "module"}
)
_ORDER = {"resolved": 0, "heuristic": 1, "textual": 2}


def who_calls(
    scope: Scope, name: str, scope_path: str | None = None, source: str | None = None
) -> ToolResult[CallersData]:
    """Find every call of a function, method or class, with the function that it is in.

    Use it for "who calls X" and "what breaks if X changes". Each call has a grade: "resolved",
    "heuristic" or "textual", as in find_symbol, which also shows uses that are no calls.

    Args:
        scope: What may be looked at.
        name: The name, alone or qualified: "retry", "Client.retry", "pkg::retry".
        scope_path: Only calls in this folder or file, such as "src/flask" or "src/app.py".
        source: Only this source, by its name; without it all sources are searched.
    """
    found = look_up(scope, name, None, source)
    calls = found if scope_path is None else look_up(scope, name, scope_path, source)
    rows = [(v, r) for v, r in calls.references if r.kind == "call"]
    page = Page(scope.max_chars)
    found_by = f"who_calls {found.asked.text}"
    everything = sorted(_calls(scope, found, rows), key=_by_grade)
    stopped = len(everything) < len(rows)
    groups = _grouped(everything)
    places = plural(len(groups), "place") + (" or more" if stopped else "")
    summary = f"{plural(len(rows), 'call')} from {places}"
    page.add(f"{found_by}: {summary}")
    page.add(f"in {revision_labels(found.views)}")
    external = not found.definitions and any(r.kind == "import" for _, r in found.references)
    for note in notes(found, external=external):
        page.add(note)
    for view, symbol in found.definitions[:3]:
        place = scope.place(view, f"{symbol.path}:{symbol.start_line}-{symbol.end_line}")
        page.add(f"Defined: {place} {symbol.kind} {clip(symbol.qualname, LINE_WIDTH)}")
    others = len(calls.references) - len(rows)
    if others:
        verb = "is no call" if others == 1 else "are no calls"
        page.add(f"({plural(others, 'use')} that {verb}: find_symbol shows them)")
    if len(rows) > MAX_CALLS:
        by_folder(scope, page, rows, "call")
    callers, spans = _present_callers(scope, page, groups, found_by)
    told = sum(len(caller.calls) for caller in callers)
    cut = ""
    if told < len(rows):
        cut = f"{told} of {len(rows):,} calls shown; "
        if stopped:
            cut += f"{_late(scope)} after {len(everything):,} of them; "
        cut += narrower(scope, rows)
    data = CallersData(found.name, tuple(callers), len(rows), external)
    text = page.finish(cut)
    return ToolResult("who_calls", found.asked.text, text, tuple(spans), data, cut, summary=summary)


def _calls(
    scope: Scope, found: Lookup, rows: list[tuple[View, ReferenceRow]]
) -> Iterator[tuple[View, SymbolRow | None, Use, str]]:
    """Each call with the innermost definition around it and its whole line, until time is up."""
    grader = Grader(scope)
    deadline = time.monotonic() + scope.seconds
    last: tuple[str, str] | None = None
    lines: list[str] = []
    symbols: list[SymbolRow] = []
    for view, row in rows:
        if time.monotonic() > deadline:
            return
        if last != (view.source.name, row.path):
            last = (view.source.name, row.path)
            lines = split_lines(view.text(row.path))
            symbols = view.symbols_in(row.path)
        around = [
            s for s in symbols if s.kind in _AROUND and s.start_line <= row.line <= s.end_line
        ]
        inner = max(around, key=lambda s: (s.start_line, -s.end_line), default=None)
        line = lines[row.line - 1].removesuffix("\r")
        yield view, inner, grade_use(grader, found, view, row, lines), line


def _late(scope: Scope) -> str:
    return f"the time limit of {scope.seconds:g} s was reached"


def _by_grade(call: tuple[View, SymbolRow | None, Use, str]) -> tuple[int, str, str, int]:
    _, _, use, _ = call
    return _ORDER[use.grade], use.source, use.path, use.line


def _grouped(
    calls: list[tuple[View, SymbolRow | None, Use, str]],
) -> list[tuple[View, SymbolRow | None, list[tuple[Use, str]]]]:
    """Calls by the definition around them, those with the surest call first."""
    groups: dict[tuple[str, str, int], tuple[View, SymbolRow | None, list[tuple[Use, str]]]] = {}
    for view, symbol, use, line in calls:
        key = use.source, use.path, symbol.start_line if symbol else 0
        groups.setdefault(key, (view, symbol, []))[2].append((use, line))
    return list(groups.values())


def _present_callers(
    scope: Scope,
    page: Page,
    groups: list[tuple[View, SymbolRow | None, list[tuple[Use, str]]]],
    found_by: str,
) -> tuple[list[Caller], list[Evidence]]:
    callers: list[Caller] = []
    spans: list[Evidence] = []
    left = MAX_CALLS
    for view, symbol, calls in groups:
        path = calls[0][0].path
        head = [f"  {scope.place(view, path)} at file level"]
        span = (0, 0)
        if symbol:
            span = symbol.start_line, symbol.end_line
            place = scope.place(view, f"{path}:{span[0]}-{span[1]}")
            head = [f"  {place} {symbol.kind} {clip(symbol.qualname, LINE_WIDTH)}"]
        told: list[Use] = []
        for use, line in calls[:left]:
            said = f"{use.grade}{': from ' + use.origin if use.origin else ''}"
            if not page.add(*head, f"    {use.line}: {use.text} [{said}]"):
                left = 0
                break
            head = []
            told.append(use)
            spans.append(evidence(view, path, use.line, [line], found_by))
        left -= len(told)
        if told:
            name, kind = (symbol.qualname, symbol.kind) if symbol else ("", "")
            callers.append(Caller(view.source.name, path, name, kind, *span, tuple(told)))
        if left <= 0:
            break
    return callers, spans


# --- callees ---------------------------------------------------------------------------------


def what_calls(
    scope: Scope, name: str, scope_path: str | None = None, source: str | None = None
) -> ToolResult[CalleesData]:
    """List what a function, method or class calls in its own body, with where that is defined.

    Use it to follow how something works, step by step. (For the other direction, what calls X,
    use who_calls.) Names that nothing here defines, such as the language's own, come last.

    Args:
        scope: What may be looked at.
        name: The name, alone or qualified: "retry", "Client.retry", "pkg::retry".
        scope_path: Only a definition in this folder or file.
        source: Only this source, by its name; without it all sources are searched.
    """
    found = look_up(scope, name, scope_path, source)
    if not found.definitions:
        base = shown(found.name)
        raise NotFoundError(
            f'"{base}" is used here but defined nowhere, so it has no body to read.'
        )
    page = Page(scope.max_chars)
    found_by = f"what_calls {found.asked.text}"
    page.add(f"{found_by}: {plural(len(found.definitions), 'definition')}")
    page.add(f"in {revision_labels(found.views)}")
    for note in notes(found, external=False):
        page.add(note)
    grader = Grader(scope)
    rows: list[Callee] = []
    spans: list[Evidence] = []
    total = read = 0
    deadline = time.monotonic() + scope.seconds
    for view, symbol in found.definitions[:MAX_BODIES]:
        if time.monotonic() > deadline:
            break
        read += 1
        place = scope.place(view, f"{symbol.path}:{symbol.start_line}-{symbol.end_line}")
        page.add(f"{place} {symbol.kind} {clip(symbol.qualname, LINE_WIDTH)} calls:")
        callees = _callees(grader, view, symbol)
        total += len(callees)
        added, shown_spans = _present_callees(
            scope, page, view, symbol, callees[: MAX_CALLEES - len(rows)], found_by
        )
        rows += added
        spans += shown_spans
    cut = ""
    if len(rows) < total or len(found.definitions) > read:
        cut = f"{len(rows)} of {total:,} names shown; "
        if read < min(len(found.definitions), MAX_BODIES):
            cut += f"{_late(scope)} after {plural(read, 'definition')}; "
        cut += "ask about one definition, by qualified name or scope_path=…"
    summary = plural(total, "name")
    data = CalleesData(found.name, tuple(rows), total)
    text = page.finish(cut)
    return ToolResult(
        "what_calls", found.asked.text, text, tuple(spans), data, cut, summary=summary
    )


def _callees(grader: Grader, view: View, symbol: SymbolRow) -> list[Callee]:
    """The names called in a definition's lines: those defined here first, then in order."""
    text = view.text(symbol.path)
    lines = split_lines(text)
    found: dict[str, list[Reference]] = {}
    for row in parse(symbol.path, text).references:
        if row.kind == "call" and symbol.start_line <= row.line <= symbol.end_line:
            found.setdefault(row.name, []).append(row)
    callees: list[Callee] = []
    for name, uses in found.items():
        graded = grader.grade(view, symbol.path, uses[0].line, name, lines)
        meant = graded.definition or next(iter(grader.definitions(name)), None)
        where = ("", "", "", 0, 0)
        if meant and not graded.origin:
            other, it = meant
            where = (other.source.name, it.path, it.qualname, it.start_line, it.end_line)
        at = tuple(dict.fromkeys(use.line for use in uses))
        callees.append(Callee(name, at, graded.grade, *where, graded.origin))
    return sorted(callees, key=lambda c: (not c.path, c.lines[0]))


def _present_callees(
    scope: Scope,
    page: Page,
    view: View,
    symbol: SymbolRow,
    callees: list[Callee],
    found_by: str,
) -> tuple[list[Callee], list[Evidence]]:
    rows: list[Callee] = []
    spans: list[Evidence] = []
    views = {v.source.name: v for v in scope.views}
    outside = [c for c in callees if not c.path]
    for callee in callees:
        if not callee.path:
            continue
        place = scope.place(
            views[callee.source], f"{callee.path}:{callee.start_line}-{callee.end_line}"
        )
        at = ", ".join(map(str, callee.lines[:5]))
        name = clip(callee.qualname, LINE_WIDTH)
        if not page.add(f"  {name} at {place} [{callee.grade}], called in line {at}"):
            return rows, spans
        rows.append(callee)
        first = callee.lines[0]
        line = view.lines(symbol.path, first, first)[0]
        spans.append(evidence(view, symbol.path, first, [line], found_by))
    counts = Counter(c.origin for c in outside if c.origin)
    names = ", ".join(c.name for c in outside)
    if outside and page.add(f"  defined nowhere here: {clip(names, 1_000)}"):
        rows += outside
        if counts:
            said = clip(", ".join(counts), LINE_WIDTH)
            page.add(f"  (imported from dependencies that aren't indexed: {said})")
    return rows, spans
