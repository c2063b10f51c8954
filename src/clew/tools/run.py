"""run(): call a tool by name with arguments as a model sends them, and never fail silently.

A wrong name or argument, and every error a tool raises on purpose, comes back as a result that is
not ok and says how to call it right. A bug is not caught here.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping
from types import NoneType
from typing import TYPE_CHECKING, Any, TypeAlias

from clew.errors import ClewError, InputError
from clew.redact import redact
from clew.tools.blame import blame
from clew.tools.calls import what_calls, who_calls
from clew.tools.find_symbol import find_symbol
from clew.tools.grep import grep
from clew.tools.history import history
from clew.tools.list_files import list_files
from clew.tools.outline import outline
from clew.tools.read_file import read_file
from clew.tools.result import ToolResult, clip, shown
from clew.tools.search_code import search_code

if TYPE_CHECKING:
    from clew.tools.scope import Scope

Tool: TypeAlias = Callable[..., ToolResult[Any]]

TOOLS: Mapping[str, Tool] = {
    tool.__name__: tool
    for tool in (
        search_code,
        grep,
        read_file,
        find_symbol,
        list_files,
        outline,
        who_calls,
        what_calls,
        blame,
        history,
    )
}
_WORDS = {str: "text", int: "a whole number", bool: "true or false"}


def run(scope: Scope, name: str, arguments: object) -> ToolResult[Any]:
    """Run one tool over a scope.

    Args:
        scope: What may be looked at.
        name: The tool's name.
        arguments: Its arguments by name, without the scope.
    """
    tool = TOOLS.get(name)
    if tool is None:
        text = f'There is no tool "{shown(str(name))}"; the tools are: {", ".join(TOOLS)}.'
        return _failed(scope, shown(str(name)), "", text)
    try:
        checked = _checked(tool, arguments)
    except InputError as error:
        return _failed(scope, name, "", f"{error.message} Call it as {usage(name)}.")
    argument = shown(str(next(iter(checked.values()), "")))
    try:
        return tool(scope, **checked)
    except ClewError as error:
        return _failed(scope, name, argument, f"{name} failed: {error.message}")


def usage(name: str) -> str:
    """How a tool is called, such as `read_file(path: text, start_line: a whole number = …)`."""
    parts = [
        f"{key}: {_WORDS[kind]}" + ("" if required else " (optional)")
        for key, (kind, _, required) in parameters(TOOLS[name]).items()
    ]
    return f"{name}({', '.join(parts)})"


def parameters(tool: Tool) -> dict[str, tuple[type, bool, bool]]:
    """A tool's parameters without the scope: type, whether None will do, whether required."""
    found: dict[str, tuple[type, bool, bool]] = {}
    for key, parameter in list(inspect.signature(tool).parameters.items())[1:]:
        union = [part.strip() for part in str(parameter.annotation).split("|")]
        kind = {"str": str, "int": int, "bool": bool}[union[0]]
        found[key] = kind, "None" in union, parameter.default is inspect.Parameter.empty
    return found


def _checked(tool: Tool, arguments: object) -> dict[str, object]:
    if not isinstance(arguments, Mapping):
        raise InputError("The arguments are not an object of names and values.")
    given = typing.cast("Mapping[object, object]", arguments)
    known = parameters(tool)
    unknown = [shown(str(key)) for key in given if key not in known]
    if unknown:
        raise InputError(f"There is no argument {clip(', '.join(unknown), 200)}.")
    missing = [key for key, (_, _, required) in known.items() if required and key not in given]
    if missing:
        raise InputError(f"The argument {', '.join(missing)} is missing.")
    checked: dict[str, object] = {}
    for key, (kind, optional, _) in known.items():
        if key in given:
            checked[key] = _value(key, given[key], kind, optional)
    return checked


def _value(key: str, value: object, kind: type, optional: bool) -> object:
    if kind is int and isinstance(value, float) and value.is_integer():
        value = int(value)  # JSON does not tell 10 from 10.0
    fits = type(value) is kind or (optional and isinstance(value, NoneType))
    if not fits:
        raise InputError(f"The argument {key} must be {_WORDS[kind]}.")
    return value


def _failed(scope: Scope, name: str, argument: str, text: str) -> ToolResult[Any]:
    said = redact(text)[: scope.max_chars]
    return ToolResult(name, argument, said, (), None, ok=False, summary=clip(said, 200))
