"""find_symbol: where a name is defined, and where it is used."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clew.chunks.text import split_lines
from clew.errors import InputError, NotFoundError
from clew.tools.names import nearest_names
from clew.tools.paths import find_folder
from clew.tools.result import (
    LINE_WIDTH,
    Definition,
    Grade,
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
    from collections.abc import Iterator

    from clew.index.view import ReferenceRow, SymbolRow, View
    from clew.tools.scope import Scope
    from clew.types import Evidence

MAX_NAME = 500  # characters
MAX_DEFINITIONS = 20  # shown
MAX_USES = 80  # shown
MAX_FOLDERS = 20  # counted when there are more uses than that
_ORDER = {"call": 0, "import": 1, "type": 2, "use": 3}
_SEPARATORS = re.compile(r"::|->|[.#/\\]")


def find_symbol(
    scope: Scope, name: str, scope_path: str | None = None, source: str | None = None
) -> ToolResult[SymbolData]:
    """Find where a function, class, method, type or constant is defined, and every use of it.

    Use it for "where is X", "who calls X", "what uses X". Uses are found by name: the grade says
    "heuristic" when one definition only has that name here, else "textual" (may be another's).

    Args:
        scope: What may be looked at.
        name: The name, alone or qualified: "retry", "Client.retry", "Client#retry", "pkg::retry".
        scope_path: Only in this folder or file, such as "src/flask" or "src/app.py".
        source: Only this source, by its name; without it all sources are searched.
    """
    asked = _Name.parse(name)
    views = scope.pick(source)
    prefix = "" if scope_path is None else find_folder(scope, scope_path, source)
    lookup = _look_up(scope, views, asked, prefix)
    if not lookup.definitions and not lookup.references:
        raise _not_found(scope, views, asked, scope_path)
    return _present(scope, views, asked, lookup)


@dataclass(frozen=True, slots=True)
class _Name:
    text: str
    qualifiers: tuple[str, ...]
    base: str

    @staticmethod
    def parse(name: str) -> _Name:
        """Split a name as typed: `pkg::Type::fn(…)` is `fn`, qualified by `pkg` and `Type`."""
        bare = re.sub(r"\(.*|<.*", "", name.strip(), flags=re.DOTALL).strip()
        parts = [part for part in _SEPARATORS.split(bare) if part]
        if not parts or len(name) > MAX_NAME or re.search(r"\s", bare):
            raise InputError(
                'name is one symbol\'s name, such as "retry" or "Client.retry"; '
                "for words use search_code, for other text grep."
            )
        return _Name(shown(bare), tuple(parts[:-1]), parts[-1])


@dataclass(frozen=True, slots=True)
class _Lookup:
    """All definitions and uses in reach, before anything is cut."""

    name: str
    definitions: list[tuple[View, SymbolRow]]
    references: list[tuple[View, ReferenceRow]]
    qualified: bool
    folded: bool
    unique: bool  # one definition in the whole scope has the name


def _look_up(scope: Scope, views: tuple[View, ...], asked: _Name, prefix: str) -> _Lookup:
    def within(path: str) -> bool:
        inside = path.startswith(prefix) if prefix.endswith("/") else prefix in ("", path)
        return inside and not scope.denied(path)

    def defined(*, fold: bool) -> list[tuple[View, SymbolRow]]:
        found = ((v, s) for v in views for s in v.definitions(asked.base, fold=fold))
        return [(v, s) for v, s in found if within(s.path)]

    def used(name: str) -> list[tuple[View, ReferenceRow]]:
        # A line that uses a name twice in one way is one use.
        rows = ((v, r) for v in views for r in dict.fromkeys(v.references(name)))
        return [(v, r) for v, r in rows if within(r.path)]

    definitions, references = defined(fold=False), used(asked.base)
    folded = not definitions and not references
    if folded:
        definitions = defined(fold=True)
        for name in dict.fromkeys(s.name for _, s in definitions):
            references += used(name)
    fits = [_fit(s, asked.qualifiers) for _, s in definitions]
    best = max(fits, default=1)
    name = definitions[0][1].name if folded and definitions else asked.base
    return _Lookup(
        name=name,
        definitions=[d for d, fit in zip(definitions, fits, strict=True) if fit == best],
        references=references,
        qualified=best > 0,
        folded=folded,
        unique=sum(len(view.definitions(name)) for view in scope.views) == 1,
    )


def _fit(symbol: SymbolRow, qualifiers: tuple[str, ...]) -> int:
    """How well the qualifiers name what is around a definition: 2 exactly, 1 roughly, 0 not.

    Exactly means the innermost one is the definition around it, letter by letter. Roughly means
    that every one, in order and in any case, is a part of the path or of the qualified name.
    """
    enclosing = _SEPARATORS.split(symbol.qualname)[:-1]
    rest = iter(part.casefold() for part in [*re.split(r"[/.]", symbol.path), *enclosing])
    if not qualifiers:
        return 1
    if not all(qualifier.casefold() in rest for qualifier in qualifiers):
        return 0
    return 2 if enclosing[-1:] == list(qualifiers[-1:]) else 1


# --- words -----------------------------------------------------------------------------------


def _present(
    scope: Scope, views: tuple[View, ...], asked: _Name, lookup: _Lookup
) -> ToolResult[SymbolData]:
    page = Page(scope.max_chars)
    found_by = f"find_symbol {asked.text}"
    many, uses = plural(len(lookup.definitions), "definition"), len(lookup.references)
    summary = f"{many}, {plural(uses, 'use')}"
    page.add(f"{found_by}: {summary}")
    page.add(f"in {revision_labels(views)}")
    external = not lookup.definitions and any(r.kind == "import" for _, r in lookup.references)
    for note in _notes(asked, lookup, external):
        page.add(note)
    definitions, spans = _definitions(scope, page, lookup, found_by)
    if uses > MAX_USES:
        page.add("Uses by folder:")
        for folder, count in _folders(scope, lookup.references):
            page.add(f"  {folder}  {plural(count, 'use')}")
    rows, more = _uses(scope, page, lookup, found_by)
    cut = _cut(lookup, len(definitions), len(rows))
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


def _notes(asked: _Name, lookup: _Lookup, external: bool) -> Iterator[str]:
    base = shown(asked.base)
    if lookup.folded:
        yield f'Nothing is named exactly "{base}"; this is "{shown(lookup.name)}", in other case.'
    if not lookup.qualified:
        yield f'No "{base}" is inside "{shown(".".join(asked.qualifiers))}"; others of that name:'
    if external:
        yield f'"{base}" is not defined here: it is imported from a dependency that isn\'t indexed.'
    elif not lookup.definitions:
        yield f'"{base}" is used here but defined nowhere in this scope.'


def _definitions(
    scope: Scope, page: Page, lookup: _Lookup, found_by: str
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
    scope: Scope, page: Page, lookup: _Lookup, found_by: str
) -> tuple[list[Use], list[Evidence]]:
    grade: Grade = "heuristic" if lookup.unique else "textual"
    rows: list[Use] = []
    spans: list[Evidence] = []
    title = [f"Uses ({grade}, by name):"]
    for view, path, references in _by_file(lookup.references):
        lines = split_lines(view.text(path))
        head = [*title, f"  {scope.place(view, path)} ({len(references)})"]
        for r in references[: MAX_USES - len(rows)]:
            line = lines[r.line - 1].removesuffix("\r")
            text = clip(line.strip(), LINE_WIDTH, max(line.strip().find(r.name), 0))
            if not page.add(*head, f"    {r.line}: {r.kind}: {text}"):
                return rows, spans
            head, title = [], []
            rows.append(Use(view.source.name, path, r.line, r.kind, grade, text))
            spans.append(evidence(view, path, r.line, [line], found_by))
        if len(rows) >= MAX_USES:
            break
    return rows, spans


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


def _folders(scope: Scope, references: list[tuple[View, ReferenceRow]]) -> list[tuple[str, int]]:
    counts = Counter(
        clip(scope.place(view, r.path.rpartition("/")[0] + "/"), LINE_WIDTH)
        for view, r in references
    )
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MAX_FOLDERS]


def _cut(lookup: _Lookup, definitions: int, uses: int) -> str:
    notes: list[str] = []
    if definitions < len(lookup.definitions):
        notes.append(f"{definitions} of {len(lookup.definitions):,} definitions shown")
    if uses < len(lookup.references):
        notes.append(f"{uses} of {len(lookup.references):,} uses shown")
    return "; ".join([*notes, "narrow with scope_path=…"]) if notes else ""


def _not_found(
    scope: Scope, views: tuple[View, ...], asked: _Name, scope_path: str | None
) -> NotFoundError:
    where = f' in "{shown(scope_path)}"' if scope_path is not None else ""
    near = nearest_names(scope, views, asked.base)
    hint = f"did you mean {' or '.join(near)}?" if near else "try grep or search_code."
    return NotFoundError(f'Nothing named "{shown(asked.base)}" is defined or used{where}; {hint}')
