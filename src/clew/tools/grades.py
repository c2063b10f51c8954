"""How sure it is that a use of a name means a definition: resolved, heuristic or textual.

*resolved*: the definition is in reach without guessing: in the same file or class, in the same
package, or in the module that the file imports the name from. *heuristic*: one definition only has
that name. *textual*: the rest, and every name imported from a dependency that isn't indexed.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from clew.tools.imports import defines, external, modules_at, part_names, unseen

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clew.index.view import SymbolRow, View
    from clew.tools.result import Grade
    from clew.tools.scope import Scope

_OWNS = frozenset({"self", "this", "cls", "Self", "super", "@"})
# Languages in which a method may call its class's methods without naming the object.
_BARE_METHODS = (".java", ".kt", ".kts", ".scala", ".swift", ".cs", ".cpp", ".cc", ".h", ".rb")
_PACKAGES = (".go", ".java", ".kt", ".scala")  # files of one folder see each other's names
_PARTS = re.compile(r"::|[.#]")


class Graded(NamedTuple):
    """A grade, the definition that is meant, and the dependency a name is imported from ("")."""

    grade: Grade
    definition: tuple[View, SymbolRow] | None = None
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Use:
    """Where a name is used; `owner` is what stands before it, as in `owner.name`."""

    view: View
    path: str
    line: int
    name: str
    owner: str


class Grader:
    """Grades uses; it remembers what files import, so keep one for a whole result."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._definitions: dict[str, list[tuple[View, SymbolRow]]] = {}
        self._imports: dict[tuple[str, str], dict[str, list[int]]] = {}
        self._parts: dict[str, frozenset[str]] = {}

    def definitions(self, name: str) -> list[tuple[View, SymbolRow]]:
        """Every definition of a name in the whole scope."""
        if name not in self._definitions:
            self._definitions[name] = [
                (view, symbol)
                for view in self._scope.views
                for symbol in view.definitions(name)
                if not self._scope.denied(symbol.path)
            ]
        return self._definitions[name]

    def grade(self, view: View, path: str, line: int, name: str, lines: Sequence[str]) -> Graded:
        """Grade the use of a name on a line; `lines` are the whole file's."""
        every = self.definitions(name)
        use = Use(view, path, line, name, _owner(lines[line - 1], name))
        here = [(v, s) for v, s in every if v is view]
        for _, symbol in here:
            if symbol.path == path and self._same_file(use, symbol):
                return Graded("resolved", (view, symbol))
        modules = tuple(self._modules(use, lines))
        for _, symbol in here:
            if self._imported(use, symbol, modules):
                return Graded("resolved", (view, symbol))
        for _, symbol in here:
            if _same_package(use, symbol):
                return Graded("resolved", (view, symbol))
        for module in modules:
            if external(module, path, self._parts_of(view)):
                return Graded("textual", None, module)
        if len(every) == 1:
            return Graded("heuristic", every[0])
        return Graded("textual")

    # --- reach -----------------------------------------------------------------------------------

    def _same_file(self, use: Use, symbol: SymbolRow) -> bool:
        around = _PARTS.split(symbol.qualname)[:-1]
        if not around:
            return not use.owner
        if use.owner == around[-1]:
            return True
        own = use.owner in _OWNS or (not use.owner and use.path.endswith(_BARE_METHODS))
        outer = [s for s in use.view.symbols_in(use.path) if _PARTS.split(s.qualname) == around]
        inside = any(s.start_line <= use.line <= s.end_line for s in outer)
        functions = any(s.kind in ("function", "method") for s in outer)
        return inside and (own or (functions and not use.owner))

    def _imported(self, use: Use, symbol: SymbolRow, modules: Iterable[str]) -> bool:
        around = _PARTS.split(symbol.qualname)[:-1]
        if around and around[-1] != use.owner:
            return False
        return any(
            defines(symbol.path, module, use.path) or self._passed_on(use, symbol, module)
            for module in modules
        )

    def _passed_on(self, use: Use, symbol: SymbolRow, module: str) -> bool:
        """Whether the package imported from imports the name itself, from below it."""
        folder = posixpath.dirname(symbol.path)
        first = _PARTS.split(symbol.qualname)[0]
        while folder:
            for index in ("__init__.py", "index.ts", "index.js"):
                door = f"{folder}/{index}"
                if defines(door, module, use.path) and door in self._importers(use.view, first):
                    return True
            folder = posixpath.dirname(folder)
        return False

    def _modules(self, use: Use, lines: Sequence[str]) -> Iterable[str]:
        """The modules that the file imports the name, or what stands before it, from."""
        name = use.owner or use.name
        for line in self._importers(use.view, name).get(use.path, ()):
            yield from modules_at(use.path, lines, line, name)
        yield from unseen(use.path, lines, name)

    def _importers(self, view: View, name: str) -> dict[str, list[int]]:
        key = (view.source.name, name)
        if key not in self._imports:
            found: dict[str, list[int]] = {}
            for row in view.references(name):
                if row.kind == "import":
                    found.setdefault(row.path, []).append(row.line)
            self._imports[key] = found
        return self._imports[key]

    def _parts_of(self, view: View) -> frozenset[str]:
        if view.source.name not in self._parts:
            self._parts[view.source.name] = part_names(d.path for d in view.documents())
        return self._parts[view.source.name]


def _same_package(use: Use, symbol: SymbolRow) -> bool:
    # Asked for every use with every definition: what is cheap and mostly false comes first.
    if use.owner or not use.path.endswith(_PACKAGES) or len(_PARTS.split(symbol.qualname)) != 1:
        return False
    same = posixpath.dirname(symbol.path) == posixpath.dirname(use.path)
    ending = posixpath.splitext(symbol.path)[1]
    return same and ending in _PACKAGES and use.path.endswith(ending)


def _owner(line: str, name: str) -> str:
    """What stands before the first use of a name on a line: `a` in `a.name` and in `a::name`."""
    found = re.search(
        rf"(?:([\w$@]+)(?:\(\))?\s*(?:\?\.|\.|::|->)\s*|(?P<any>[)\]}}\"']\s*\.\s*))?"
        rf"(?<![\w$]){re.escape(name)}(?![\w$])",
        line,
    )
    if found is None:
        return ""
    return found[1] or ("?" if found["any"] else "")
