"""A view over a dict of files, for tests of tools that need odd documents or very many of them.

Definitions are lines that begin with `def`, `class` or `const`; a name before "(" elsewhere is a
call, one after `import` an import. What the real index does is tested on the real index.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

from clew.chunks.text import split_lines
from clew.errors import InputError, NotFoundError
from clew.index.view import DocumentRow, ReferenceRow, SymbolRow, View
from clew.tools.scope import Scope
from clew.types import Revision, Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_KINDS = {"def": "function", "class": "class", "const": "constant"}


class FakeView:
    """Files by path; `skipped` are paths with the reason why they have no text."""

    def __init__(
        self,
        files: Mapping[str, str],
        skipped: Mapping[str, str] | None = None,
        name: str = "shop",
    ) -> None:
        self.source = Source(f"{name}-1", name, "worktree", f"/{name}")
        self.revision = Revision("a" * 40, "b" * 40, commit="a" * 40)
        self._files = dict(files)
        rows = dict.fromkeys(files, "") | dict(skipped or {})
        self._documents = tuple(
            DocumentRow(
                number,
                path,
                f"{number:040x}",
                len(files.get(path, "")),
                len(split_lines(files.get(path, ""))),
                "",
                rows[path],
            )
            for number, path in enumerate(sorted(rows))
        )
        self._by_path = {row.path: row for row in self._documents}

    def documents(self) -> tuple[DocumentRow, ...]:
        return self._documents

    def document(self, path: str) -> DocumentRow | None:
        return self._by_path.get(path)

    def text(self, path: str) -> str:
        if path not in self._files:
            raise NotFoundError(f"{path} has no text.")
        return self._files[path]

    def texts(self, paths: Iterable[str] | None = None) -> Iterator[tuple[DocumentRow, str]]:
        for path in sorted(self._files) if paths is None else paths:
            yield self._by_path[path], self._files[path]

    def lines(self, path: str, start: int, end: int) -> list[str]:
        lines = split_lines(self.text(path))
        if not 1 <= start <= end <= len(lines):
            raise InputError(f"{path} has {len(lines)} lines.")
        return lines[start - 1 : end]

    def redactions(self, path: str) -> int:
        return self._files.get(path, "").count("[REDACTED:")

    def definitions(self, name: str, *, fold: bool = False) -> list[SymbolRow]:
        return [
            s
            for s in self._symbols()
            if s.name == name or (fold and s.name.casefold() == name.casefold())
        ]

    def symbols_in(self, path: str) -> list[SymbolRow]:
        return [symbol for symbol in self._symbols() if symbol.path == path]

    def references(self, name: str) -> list[ReferenceRow]:
        found: list[ReferenceRow] = []
        for path in sorted(self._files):
            for number, line in enumerate(split_lines(self._files[path]), 1):
                if re.match(rf"\s*(def|class|const) {re.escape(name)}\b", line):
                    continue
                if re.search(rf"\bimport {re.escape(name)}\b", line):
                    found.append(ReferenceRow(name, path, number, "import"))
                elif re.search(rf"\b{re.escape(name)}\(", line):
                    found.append(ReferenceRow(name, path, number, "call"))
                elif re.search(rf"\b{re.escape(name)}\b", line):
                    found.append(ReferenceRow(name, path, number, "use"))
        return found

    def _symbols(self) -> Iterator[SymbolRow]:
        for path in sorted(self._files):
            around = ""
            for number, line in enumerate(split_lines(self._files[path]), 1):
                if match := re.match(r"(\s*)(def|class|const) (\w+)", line):
                    indent, word, name = match.groups()
                    around = name if word == "class" else around if indent else ""
                    qualname = f"{around}.{name}" if indent and around else name
                    kind = "method" if indent else _KINDS[word]
                    yield SymbolRow(
                        name,
                        qualname,
                        kind,
                        path,
                        number,
                        number,
                        number,
                        line.strip(),
                    )


def fake_scope(
    files: Mapping[str, str], skipped: Mapping[str, str] | None = None, **options: object
) -> Scope:
    """A scope of one source called `shop`."""
    return Scope((cast("View", FakeView(files, skipped)),), **options)


def two_sources(first: Mapping[str, str], second: Mapping[str, str]) -> Scope:
    """A scope of two sources, called `shop` and `bank`."""
    views = FakeView(first), FakeView(second, name="bank")
    return Scope(tuple(cast("View", view) for view in views))
