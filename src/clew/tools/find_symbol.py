"""find_symbol: where a name is defined, and where it is used."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from clew.chunks.text import split_lines
from clew.tools.grades import Grader
from clew.tools.lookup import Lookup, look_up
from clew.tools.result import (
    LINE_WIDTH,
    Definition,
    Page,
    SymbolData,
    ToolResult,
    Use,
    clip,
    evidence,
    plural,
    shown,
)
from clew.tools.scope import revision_labels

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TypeAlias

    from clew.index.view import ReferenceRow, SymbolRow, View
    from clew.tools.scope import Scope
    from clew.types import Evidence

    _At: TypeAlias = tuple[View, SymbolRow] | tuple[View, ReferenceRow]

MAX_DEFINITIONS = 20  # shown
MAX_USES = 80  # shown
MAX_FOLDERS = 20  # counted when there are more definitions or uses than are shown
_ORDER = {"call": 0, "import": 1, "type": 2, "use": 3}


def find_symbol(
    scope: Scope, name: str, scope_path: str | None = None, source: str | None = None
) -> ToolResult[SymbolData]:
    """Find where a function, class, method, type or constant is defined, and every use of it.

    Use it for "where is X" and "what uses X". Each use has a grade: "resolved" (same file or class,
    or imported from where it is defined), "heuristic" (one definition only has that name here) or
    "textual" (it may be another's). For calls alone, with the functions they are in: who_calls.

    Args:
        scope: What may be looked at.
        name: The name, alone or qualified: "retry", "Client.retry", "Client#retry", "pkg::retry".
        scope_path: Only in this folder or file, such as "src/flask" or "src/app.py".
        source: Only this source, by its name; without it all sources are searched.
    """
    return _present(scope, look_up(scope, name, scope_path, source))


# --- words -----------------------------------------------------------------------------------


def _present(scope: Scope, lookup: Lookup) -> ToolResult[SymbolData]:
    asked = lookup.asked
    page = Page(scope.max_chars)
    found_by = f"find_symbol {asked.text}"
    many, uses = plural(len(lookup.definitions), "definition"), len(lookup.references)
    summary = f"{many}, {plural(uses, 'use')}"
    page.add(f"{found_by}: {summary}")
    page.add(f"in {revision_labels(lookup.views)}")
    external = (
        not lookup.definitions
        and not lookup.elsewhere
        and any(r.kind == "import" for _, r in lookup.references)
    )
    for note in notes(lookup, external=external):
        page.add(note)
    if len(lookup.definitions) > MAX_DEFINITIONS:
        by_folder(scope, page, lookup.definitions, "definition")
    definitions, spans = _definitions(scope, page, lookup, found_by)
    if uses > MAX_USES:
        by_folder(scope, page, lookup.references, "use")
    rows, more = _uses(scope, page, lookup, found_by)
    cut = _cut(scope, lookup, len(definitions), len(rows))
    data = SymbolData(
        name=lookup.name,
        definitions=tuple(definitions),
        uses=tuple(rows),
        total_definitions=len(lookup.definitions),
        total_uses=uses,
        external=external,
        qualified=lookup.qualified,
    )
    text = page.finish(cut)
    every = (*spans, *more)
    return ToolResult("find_symbol", asked.text, text, every, data, cut, summary=summary)


def notes(lookup: Lookup, *, external: bool) -> Iterator[str]:
    """What a reader must know about how a name was looked up."""
    asked = lookup.asked
    base = shown(asked.base)
    if lookup.folded:
        case = ", in other case" if base.casefold() == shown(lookup.name).casefold() else ""
        yield f'Nothing is named exactly "{base}"; this is "{shown(lookup.name)}"{case}.'
    if not lookup.qualified:
        yield f'No "{base}" is inside "{shown(".".join(asked.qualifiers))}"; others of that name:'
    if external:
        yield f'"{base}" is not defined here: it is imported from a dependency that isn\'t indexed.'
    elif not lookup.definitions and lookup.elsewhere:
        yield f'"{base}" is defined outside this folder: leave scope_path out to see where.'
    elif not lookup.definitions:
        yield f'"{base}" is used here but defined nowhere in this scope.'


def _definitions(
    scope: Scope, page: Page, lookup: Lookup, found_by: str
) -> tuple[list[Definition], list[Evidence]]:
    rows: list[Definition] = []
    spans: list[Evidence] = []
    head = ["Definitions:"]
    for view, s in lookup.definitions[:MAX_DEFINITIONS]:
        line = view.lines(s.path, s.line, s.line)[0].removesuffix("\r")
        place = scope.place(view, f"{s.path}:{s.start_line}-{s.end_line}")
        said = clip(s.signature or line.strip(), LINE_WIDTH)
        title = f"  {place} {s.kind} {clip(s.qualname or s.name, LINE_WIDTH)}"
        if not page.add(*head, title, f"    {s.line}: {said}"):
            break
        head = []
        span = s.line, s.start_line, s.end_line, s.signature
        rows.append(Definition(view.source.name, s.path, s.name, s.qualname, s.kind, *span))
        spans.append(evidence(view, s.path, s.line, [line], found_by, s.qualname or s.name))
    return rows, spans


def _uses(
    scope: Scope, page: Page, lookup: Lookup, found_by: str
) -> tuple[list[Use], list[Evidence]]:
    grader = Grader(scope)
    rows: list[Use] = []
    spans: list[Evidence] = []
    title = ["Uses:"]
    for view, path, references in _by_file(lookup.references):
        lines = split_lines(view.text(path))
        head = [*title, f"  {scope.place(view, path)} ({len(references)})"]
        for r in references[: MAX_USES - len(rows)]:
            use = grade_use(grader, lookup, view, r, lines)
            said = f" [{use.grade}{': from ' + use.origin if use.origin else ''}]"
            if not page.add(*head, f"    {r.line}: {r.kind}: {use.text}{said}"):
                return rows, spans
            head, title = [], []
            rows.append(use)
            line = lines[r.line - 1].removesuffix("\r")
            spans.append(evidence(view, path, r.line, [line], found_by))
        if len(rows) >= MAX_USES:
            break
    return rows, spans


def grade_use(
    grader: Grader, lookup: Lookup, view: View, row: ReferenceRow, lines: list[str]
) -> Use:
    """One use as shown; it is resolved when it means a definition that was found, if one was."""
    graded = grader.grade(view, row.path, row.line, row.name, lines)
    meant = {(v.source.name, s.path, s.line) for v, s in lookup.definitions}
    grade = graded.grade
    if graded.definition is not None and meant:
        other, symbol = graded.definition
        if (other.source.name, symbol.path, symbol.line) not in meant:
            grade = "textual"
    line = lines[row.line - 1].removesuffix("\r").strip()
    text = clip(line, LINE_WIDTH, max(line.find(row.name), 0))
    origin = clip(graded.origin, 80)
    return Use(view.source.name, row.path, row.line, row.kind, grade, text, origin)


def _by_file(
    references: list[tuple[View, ReferenceRow]],
) -> list[tuple[View, str, list[ReferenceRow]]]:
    """References by file, files with calls first, and calls first in each."""
    files: dict[tuple[str, str], tuple[View, list[ReferenceRow]]] = {}
    for view, reference in references:
        files.setdefault((view.source.name, reference.path), (view, []))[1].append(reference)
    grouped = [
        (view, path, sorted(rows, key=lambda r: (_ORDER.get(r.kind, 9), r.line)))
        for (_, path), (view, rows) in files.items()
    ]
    return sorted(grouped, key=lambda g: (_ORDER.get(g[2][0].kind, 9), g[0].source.name, g[1]))


def by_folder(scope: Scope, page: Page, found: Sequence[_At], word: str) -> None:
    """Say how many of them each folder holds: the deepest folders that are few enough to list."""
    rows = _folders(found)
    page.add(f"{word.capitalize()}s by folder:")
    for view, folder, count in rows[:MAX_FOLDERS]:
        page.add(f"  {clip(scope.place(view, folder + '/'), LINE_WIDTH)}  {plural(count, word)}")
    rest = rows[MAX_FOLDERS:]
    if rest:
        left = plural(sum(count for _, _, count in rest), word)
        page.add(f"  … and {plural(len(rest), 'folder')} more with {left}")


def _folders(found: Sequence[_At]) -> list[tuple[View, str, int]]:
    """Folders with counts, the fullest first; never more than needed to be told apart."""
    parts = [(view, row.path.split("/")[:-1]) for view, row in found]
    rows: list[tuple[View, str, int]] = []
    for depth in range(max((len(p) for _, p in parts), default=0), -1, -1):
        counts = Counter((view.source.name, "/".join(p[:depth])) for view, p in parts)
        if len(counts) <= MAX_FOLDERS or depth <= 1:
            views = {view.source.name: view for view, _ in parts}
            rows = [(views[name], folder, count) for (name, folder), count in counts.items()]
            break
    return sorted(rows, key=lambda row: (-row[2], row[0].source.name, row[1]))


def narrower(scope: Scope, found: Sequence[_At]) -> str:
    """How to ask about less: the folder that holds the most of them, by name."""
    rows = [row for row in _folders(found) if row[1] and row[2] < len(found)]
    if not rows:
        return "narrow with scope_path=…"
    view, folder, _ = rows[0]
    of = f' and source="{view.source.name}"' if scope.several else ""
    return f'narrow with scope_path=…, such as "{shown(folder, LINE_WIDTH)}"{of}'


def _cut(scope: Scope, lookup: Lookup, definitions: int, uses: int) -> str:
    notes: list[str] = []
    cut: list[_At] = []
    ways: list[str] = []
    if definitions < len(lookup.definitions):
        notes.append(f"{definitions} of {len(lookup.definitions):,} definitions shown")
        cut += lookup.definitions
        inside = next((s.qualname for _, s in lookup.definitions if s.qualname != s.name), "")
        if inside and not lookup.asked.qualifiers:
            ways.append(f'a qualified name, such as "{shown(inside)}"')
    if uses < len(lookup.references):
        notes.append(f"{uses} of {len(lookup.references):,} uses shown")
        cut += lookup.references
    return "; ".join([*notes, " or ".join([narrower(scope, cut), *ways])]) if notes else ""
