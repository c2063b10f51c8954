"""Reads a package's source with `ast` and tells what it imports and what it does at a glance.

Nothing is imported to be checked, so an import inside a function or under `TYPE_CHECKING` counts
like any other.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

ENVIRONMENT = {"environ", "environb", "getenv", "getenvb", "putenv", "unsetenv"}


@dataclass
class Module:
    """One file of the package. `name` is relative to the package: "" is its `__init__`."""

    name: str
    path: Path
    package: bool

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text, str(self.path))

    @property
    def docstring(self) -> str:
        return ast.get_docstring(self.tree) or ""

    def calls(self, function: str) -> Iterator[int]:
        """Lines that call a plain name."""
        for node in ast.walk(self.tree):
            called = node.func if isinstance(node, ast.Call) else None
            if isinstance(called, ast.Name) and called.id == function:
                yield node.lineno

    def environment(self) -> Iterator[int]:
        """Lines that read or change the process's environment."""
        for node in ast.walk(self.tree):
            by_attribute = (
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node.value.id == "os"
                and node.attr in ENVIRONMENT
            )
            by_name = (
                isinstance(node, ast.ImportFrom)
                and node.module == "os"
                and any(alias.name in ENVIRONMENT for alias in node.names)
            )
            if by_attribute or by_name:
                yield node.lineno


@dataclass
class Package:
    """All modules of a package in a folder."""

    root: Path
    modules: dict[str, Module] = field(default_factory=dict[str, Module])

    def __post_init__(self) -> None:
        for path in sorted(self.root.rglob("*.py")):
            parts = path.relative_to(self.root).with_suffix("").parts
            package = parts[-1] == "__init__"
            name = ".".join(parts[:-1] if package else parts)
            self.modules[name] = Module(name, path, package)

    def imports(self, module: Module) -> Iterator[tuple[int, str]]:
        """(line, module of this package), as relative names; imports of others are left out."""
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield from self._inside(node.lineno, alias.name)
            elif isinstance(node, ast.ImportFrom):
                base = self._base(module, node)
                for alias in node.names:
                    whole = f"{base}.{alias.name}"
                    is_module = self._relative(whole) in self.modules
                    yield from self._inside(node.lineno, whole if is_module else base)

    def _base(self, module: Module, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        here = [self.root.name, *(module.name.split(".") if module.name else [])]
        up = node.level - 1 if module.package else node.level
        return ".".join([*here[: len(here) - up], *(node.module or "").split(".")]).rstrip(".")

    def _inside(self, line: int, name: str) -> Iterator[tuple[int, str]]:
        if name == self.root.name or name.startswith(f"{self.root.name}."):
            yield line, self._relative(name)

    def _relative(self, name: str) -> str:
        return name.removeprefix(self.root.name).removeprefix(".")


def wrong_ways(
    package: Package, order: Sequence[str], never: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    """A sentence for every import that points the wrong way, or whose module has no place.

    Args:
        package: What to check.
        order: Top-level modules and packages; each may import what stands before it.
        never: What a top-level name may not import although it stands before it.
    """
    place = {name: number for number, name in enumerate(order)}
    for module in package.modules.values():
        top = module.name.split(".")[0]
        if not module.name:
            continue  # the package offers what stands anywhere, and loads it when it is used
        if top not in place:
            yield (
                f"{module.name} has no place in the import order: add {top!r} to ORDER in "
                "tests/test_imports.py, after all that it imports and before all that imports it."
            )
            continue
        for line, imported in package.imports(module):
            other = imported.split(".")[0]
            if other in ("", top) or other not in place:
                continue  # of the package itself only the version is asked for
            where = f"{module.path.relative_to(package.root.parent)}:{line}"
            if place[other] > place[top]:
                yield f"{where} imports {imported}, which stands after {top} in the import order."
            elif other in never.get(top, ()):
                yield f"{where} imports {imported}: {top} never imports {other}."
