"""Which module a file imports a name from, and whether a definition's file is that module.

It reads the import forms of Python, JavaScript and TypeScript, Go, Java and its kin, and Rust by
their text, at the lines where the index saw an import. It knows paths and no package manager: what
no path of the source fits is a dependency that isn't indexed, or can't be told.
"""

from __future__ import annotations

import itertools
import posixpath
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_REACH = 40  # lines that one import may be spread over
_PYTHON = re.compile(r"^\s*(?:from\s+(?P<module>[\w.]+)\s+import\b|import\s+(?P<list>.+))")
_QUOTED = re.compile(r"""(?:from|require\(|import\(?)\s*["']([^"']+)["']""")
_GO = re.compile(r'"([^"]+)"')
_GO_ROW = re.compile(r'^\s*(?:import\s+)?"([^"]+)"')
_GO_CODE = ("func ", "type ", "var ", "const ")  # imports stand before these
_DOTTED = re.compile(r"^\s*import\s+(?:static\s+)?([\w.]+)")
_RUST = re.compile(r"^\s*(?:pub(?:\([^)]*\))?\s+)?use\s+")
_SCRIPTS = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte")
_PYTHONS = (".py", ".pyi", ".pyw")
_JVM = (".java", ".kt", ".kts", ".scala", ".groovy")


def modules_at(path: str, lines: Sequence[str], line: int, name: str) -> tuple[str, ...]:
    """The modules that the import on a line may take a name from, as the language writes them."""
    if path.endswith(_PYTHONS):
        return _python(lines, line, name)
    if path.endswith(_SCRIPTS):
        found = _QUOTED.search(" ".join(lines[line - 1 : line - 1 + _REACH]))
        return (found[1],) if found else ()
    if path.endswith(".go"):
        return tuple(_GO.findall(lines[line - 1])[:1])
    if path.endswith(_JVM):
        found = _DOTTED.match(lines[line - 1])
        return (found[1],) if found else ()
    return (_rust(lines, line),) if path.endswith(".rs") else ()


def unseen(path: str, lines: Sequence[str], name: str) -> tuple[str, ...]:
    """The modules of imports that the index knows by no name: Go's packages and `require`."""
    if path.endswith(".go"):  # imported by its path, used by the last part of it
        head = itertools.takewhile(lambda line: not line.startswith(_GO_CODE), lines)
        rows = (_GO_ROW.match(line) for line in head)
        return tuple(row[1] for row in rows if row and row[1].rpartition("/")[2] == name)
    if path.endswith(_SCRIPTS):
        named = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$]).*=\s*require\(")
        found = (_QUOTED.search(line) for line in lines if "require(" in line if named.search(line))
        return tuple(row[1] for row in found if row)
    return ()


def _python(lines: Sequence[str], line: int, name: str) -> tuple[str, ...]:
    for at in range(line - 1, max(line - 1 - _REACH, -1), -1):
        if found := _PYTHON.match(lines[at]):
            if module := found["module"]:
                inner = module + name if module.endswith(".") else f"{module}.{name}"
                return module, inner
            every = (part.split()[0] for part in found["list"].split(",") if part.split())
            return tuple(part for part in every if name in re.split(r"\W+", found["list"]))
    return ()


def _rust(lines: Sequence[str], line: int) -> str:
    for at in range(line - 1, max(line - 1 - _REACH, -1), -1):
        if _RUST.match(lines[at]):
            return " ".join(lines[at : at + _REACH]).partition(";")[0]
    return ""


def defines(path: str, module: str, importer: str) -> bool:
    """Whether the file at `path` is the module that `importer` names, as far as paths tell."""
    stem, ending = posixpath.splitext(path)
    if importer.endswith(_PYTHONS):
        return ending in _PYTHONS and _is(
            _package(stem, "__init__"), _python_path(module, importer)
        )
    if importer.endswith(_SCRIPTS):
        wanted = _script_path(module, importer)
        return ending in _SCRIPTS and bool(wanted) and _is(_package(stem, "index"), wanted)
    if importer.endswith(".go"):
        folder = posixpath.dirname(path)
        return ending == ".go" and bool(folder) and f"/{module}".endswith(f"/{folder}")
    if importer.endswith(_JVM):
        dotted = module.replace(".", "/")
        return ending in _JVM and any(_is(stem, d) for d in (dotted, posixpath.dirname(dotted)))
    segments = re.findall(r"\w+", module)
    own = re.sub(r"/(?:mod|lib|main)$", "", stem).rpartition("/")[2].replace("-", "_")
    return ending == ".rs" and own in segments


def part_names(paths: Iterable[str]) -> frozenset[str]:
    """The names of all folders and files of a source, without endings, as `external` takes them."""
    parts = {part for path in paths for part in path.split("/")}
    return frozenset(part.partition(".")[0].replace("-", "_") for part in parts)


def external(module: str, importer: str, parts: frozenset[str]) -> bool:
    """Whether no path of the source could be the module: then it is a dependency."""
    if module.startswith((".", "/", "@/", "~/", "crate", "super", "self")):
        return False
    words = re.findall(r"[\w-]+", module.removeprefix("use "))
    if importer.endswith(".go"):
        words = words[-1:]
    elif importer.endswith(_JVM):
        words = [word for word in words if word.islower()][-1:] or words
    elif importer.endswith(".rs"):
        words = words[1:2] if words[:1] == ["use"] else words[:1]
    else:
        words = words[:1]
    wanted = {word.replace("-", "_") for word in words}
    return wanted.isdisjoint(parts)


def _package(stem: str, index: str) -> str:
    """A module's own path: that of its folder when the file is the folder's index."""
    return stem.removesuffix(f"/{index}")


def _is(stem: str, wanted: str) -> bool:
    return bool(wanted) and f"/{stem}".endswith(f"/{wanted}")


def _python_path(module: str, importer: str) -> str:
    dots = len(module) - len(module.lstrip("."))
    rest = module[dots:].replace(".", "/")
    if not dots:
        return rest
    folder = posixpath.dirname(importer)
    for _ in range(dots - 1):
        folder = posixpath.dirname(folder)
    return posixpath.join(folder, rest) if rest else folder


def _script_path(module: str, importer: str) -> str:
    bare = re.sub(r"\.(?:[cm]?[jt]sx?)$", "", module)
    if bare.startswith("."):
        joined = posixpath.normpath(posixpath.join(posixpath.dirname(importer), bare))
        return joined.removesuffix("/index")
    return bare[2:] if bare.startswith(("@/", "~/")) else ""
