"""Looks a name up: its definitions and uses in reach, told apart by what is around them.

find_symbol, who_calls, what_calls and history all mean the same by a name because they ask here.
It reads the index only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clew.errors import InputError, NotFoundError
from clew.search.query import spellings
from clew.tools.names import nearest_names
from clew.tools.paths import find_folder
from clew.tools.result import shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from clew.index.view import ReferenceRow, SymbolRow, View
    from clew.tools.scope import Scope

MAX_NAME = 500  # characters
_SEPARATORS = re.compile(r"::|->|[.#/\\]")


@dataclass(frozen=True, slots=True)
class Name:
    """A name as typed, split into its last part and what stands before it."""

    text: str
    qualifiers: tuple[str, ...]
    base: str

    @staticmethod
    def parse(name: str) -> Name:
        """Split a name as typed: `pkg::Type::fn(…)` is `fn`, qualified by `pkg` and `Type`."""
        bare = re.sub(r"\(.*|<.*", "", name.strip(), flags=re.DOTALL).strip()
        parts = [part for part in _SEPARATORS.split(bare) if part]
        if not parts or len(name) > MAX_NAME or re.search(r"\s", bare):
            raise InputError(
                'name is one symbol\'s name, such as "retry" or "Client.retry"; '
                "for words use search_code, for other text grep."
            )
        return Name(shown(bare), tuple(parts[:-1]), parts[-1])


@dataclass(frozen=True, slots=True)
class Lookup:
    """All definitions and uses in reach, before anything is cut."""

    asked: Name
    views: tuple[View, ...]
    name: str
    definitions: list[tuple[View, SymbolRow]]
    references: list[tuple[View, ReferenceRow]]
    qualified: bool
    folded: bool
    elsewhere: bool  # definitions of the name lie outside the folder that was asked about


def look_up(scope: Scope, name: str, scope_path: str | None, source: str | None) -> Lookup:
    """Everything in reach that has this name.

    Raises:
        InputError: It is not one symbol's name.
        NotFoundError: Nothing is defined or used under it; the message names the nearest names.
    """
    asked = Name.parse(name)
    views = scope.pick(source)
    prefix = "" if scope_path is None else find_folder(scope, scope_path, source)
    found = _look_up(scope, views, asked, prefix)
    if not found.definitions and not found.references:
        raise _not_found(scope, views, asked, scope_path)
    return found


def _look_up(scope: Scope, views: tuple[View, ...], asked: Name, prefix: str) -> Lookup:
    def within(path: str) -> bool:
        inside = path.startswith(prefix) if prefix.endswith("/") else prefix in ("", path)
        return inside and not scope.denied(path)

    def defined(name: str, *, fold: bool) -> list[tuple[View, SymbolRow]]:
        found = ((v, s) for v in views for s in v.definitions(name, fold=fold))
        return [(v, s) for v, s in found if within(s.path)]

    def used(name: str) -> list[tuple[View, ReferenceRow]]:
        # A line that uses a name twice in one way is one use.
        rows = ((v, r) for v in views for r in dict.fromkeys(v.references(name)))
        return [(v, r) for v, r in rows if within(r.path)]

    base = _spelled(asked, defined)
    definitions, references = defined(base, fold=False), used(base)
    folded = not definitions and not references
    if folded:
        others = (defined(name, fold=True) for name in spellings(asked.base))
        definitions = next((found for found in others if found), definitions)
        for name in dict.fromkeys(s.name for _, s in definitions):
            references += used(name)
    fits = [_fit(s, asked.qualifiers) for _, s in definitions]
    best = max(fits, default=1)
    name = definitions[0][1].name if folded and definitions else base
    return Lookup(
        asked=asked,
        views=views,
        name=name,
        definitions=[d for d, fit in zip(definitions, fits, strict=True) if fit == best],
        references=references,
        qualified=best > 0,
        folded=folded,
        elsewhere=not definitions and any(view.definitions(name) for view in scope.views),
    )


def _spelled(asked: Name, defined: Callable[..., list[tuple[View, SymbolRow]]]) -> str:
    """The name as typed, or with a mark behind it where only that stands in what was named.

    "who calls Request#patch?" may mean `patch` or `patch?`; what is around it tells.
    """
    if asked.qualifiers:
        for name in spellings(asked.base):
            if any(_fit(s, asked.qualifiers) for _, s in defined(name, fold=False)):
                return name
    return asked.base


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


def _not_found(
    scope: Scope, views: tuple[View, ...], asked: Name, scope_path: str | None
) -> NotFoundError:
    where = f' in "{shown(scope_path)}"' if scope_path is not None else ""
    near = nearest_names(scope, views, asked.base)
    hint = f"did you mean {' or '.join(near)}?" if near else "try grep or search_code."
    return NotFoundError(f'Nothing named "{shown(asked.base)}" is defined or used{where}; {hint}')
