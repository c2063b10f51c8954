"""Imports point one way, and the habits that keep the package readable hold in every module."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import clew
from support.importorder import Package, wrong_ways

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[1]

# The one place that says what may import what: each may use what stands before it and its own
# package. Names that exist only in the design keep their places free.
ORDER = (
    "types",
    "errors",
    "settings",
    "redact",
    "log",
    "streaming",
    "prompts",
    "models",
    "sources",
    "chunks",
    "index",
    "search",
    "tools",
    "verify",
    "agent",
    "answerers",
    "records",
    "workspace",
    "upkeep",
    "tags",
    "ask",
    "doctor",
    "reads",
    "app",
    "jobs",
    "surfaces",
    "__main__",
)
NEVER = {"surfaces": ("agent", "index", "models")}

# Who may touch the environment: the settings, the layer that hands it on to git, and the loader
# of the grammars, whose library takes its cache folder in no other way.
ENVIRONMENT = ("settings", "sources.gitcmd", "sources.remote", "chunks.grammars")
PRINTS = ("surfaces",)
MAX_LINES = 500
MAX_FOLDERS = 2  # below src/clew

# Too slow for every start of the command line; each is loaded by the command that needs it.
HEAVY = (
    "aiohttp",
    "alembic",
    "anthropic",
    "betterleaks",
    "mcp",
    "numpy",
    "openai",
    "pydantic",
    "pydantic_ai",
    "re2",
    "slack_bolt",
    "slack_sdk",
    "sqlalchemy",
    "starlette",
    "tree_sitter",
    "uvicorn",
)


@pytest.fixture(scope="module")
def package() -> Package:
    return Package(Path(clew.__file__).parent)


def report(found: Iterator[str]) -> str:
    return "\n".join(sorted(found))


def below(name: str, tops: tuple[str, ...]) -> bool:
    return any(name == top or name.startswith(f"{top}.") for top in tops)


# --- the package -----------------------------------------------------------------------------


def test_imports_point_one_way(package: Package) -> None:
    wrong = report(wrong_ways(package, ORDER, NEVER))
    assert not wrong, wrong


def test_only_a_few_modules_touch_the_environment(package: Package) -> None:
    wrong = report(
        f"{module.path}:{line} touches the environment: take the value as an argument, and read "
        "it in settings/."
        for module in package.modules.values()
        if not below(module.name, ENVIRONMENT)
        for line in module.environment()
    )
    assert not wrong, wrong


def test_only_surfaces_print(package: Package) -> None:
    wrong = report(
        f"{module.path}:{line} prints: return the text, or report it as an event."
        for module in package.modules.values()
        if not below(module.name, PRINTS)
        for line in module.calls("print")
    )
    assert not wrong, wrong


def test_every_module_says_what_it_is_for(package: Package) -> None:
    wrong = report(
        f"{module.path} has no docstring: say what it is for and what it never does."
        for module in package.modules.values()
        if not module.docstring
    )
    assert not wrong, wrong


def test_no_module_is_too_long_to_read(package: Package) -> None:
    wrong = report(
        f"{module.path} has {lines} lines, more than {MAX_LINES}: split it by what it does."
        for module in package.modules.values()
        if (lines := module.text.count("\n")) > MAX_LINES
    )
    assert not wrong, wrong


def test_folders_stay_shallow(package: Package) -> None:
    wrong = report(
        f"{module.path} lies more than {MAX_FOLDERS} folders deep: move it up."
        for module in package.modules.values()
        if len(module.path.relative_to(package.root).parts) > MAX_FOLDERS + 1
    )
    assert not wrong, wrong


def test_importing_clew_and_its_command_line_loads_nothing_heavy() -> None:
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    command_line = scripts["clew"].partition(":")[0]
    code = f"import sys, clew, {command_line}; print(*sorted({set(HEAVY)} & set(sys.modules)))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not loaded, (
        f"Starting the command line imports {', '.join(loaded)}: import them inside the functions "
        f"that need them (`python -X importtime -c 'import {command_line}'` shows who does)."
    )


# --- the checks themselves -------------------------------------------------------------------


@pytest.fixture
def checked(tmp_path: Path) -> Callable[[dict[str, str]], list[str]]:
    """What is said about a small package in the order low, high, top."""

    def check(files: dict[str, str]) -> list[str]:
        for name, text in {"__init__.py": "", **files}.items():
            path = tmp_path / "pack" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        found = Package(tmp_path / "pack")
        return list(wrong_ways(found, ("", "low", "high", "top"), {"top": ("low",)}))

    return check


@pytest.mark.parametrize(
    "text",
    [
        "import pack.high",
        "import json, pack.high.part as part",
        "from pack.high import part",
        "from pack import high",
        "from . import high",
        "from .high.part import thing",
        "def later():\n    from pack.high import part",
        "if TYPE_CHECKING:\n    from pack.high import Part",
    ],
)
def test_every_way_to_import_upwards_is_seen(
    checked: Callable[[dict[str, str]], list[str]], text: str
) -> None:
    wrong = checked({"low.py": text, "high/__init__.py": "", "high/part.py": ""})
    assert len(wrong) == 1
    assert f"pack/low.py:{text.count(chr(10)) + 1} imports high" in wrong[0]


def test_importing_downwards_and_inside_ones_own_package_is_fine(
    checked: Callable[[dict[str, str]], list[str]],
) -> None:
    high = "from pack.low import x\nfrom .part import y\nfrom pack import __version__\nimport json"
    files = {"low.py": "", "high/__init__.py": high, "high/part.py": "from ..low import x"}
    assert checked(files) == []


def test_what_is_forbidden_although_it_stands_before_is_seen(
    checked: Callable[[dict[str, str]], list[str]],
) -> None:
    assert "top never imports low" in checked({"low.py": "", "top.py": "from . import low"})[0]


def test_a_module_without_a_place_is_told_where_to_go(
    checked: Callable[[dict[str, str]], list[str]],
) -> None:
    assert "add 'new' to ORDER in tests/test_imports.py" in checked({"new/thing.py": ""})[0]
