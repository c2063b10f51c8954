"""The tools as a model is told of them: from their names, type hints and docstrings.

A tool is described in one place, where it is written; the scope that each takes first is hidden.
"""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING

from clew.models.chat import ToolSpec
from clew.tools.run import TOOLS, parameters

if TYPE_CHECKING:
    from clew.models.chat import Json
    from clew.tools.run import Tool

_TYPES = {str: "string", int: "integer", bool: "boolean"}
_ARGUMENT = re.compile(r"(?m)^ {4}(\w+): ")


def specs() -> tuple[ToolSpec, ...]:
    """Every tool, in the order they are offered."""
    return tuple(_spec(name, tool) for name, tool in TOOLS.items())


def _spec(name: str, tool: Tool) -> ToolSpec:
    about, said = _described(inspect.getdoc(tool) or "")
    properties: Json = {}
    required: list[str] = []
    for key, (kind, _, needed) in parameters(tool).items():
        properties[key] = {"type": _TYPES[kind], "description": said.get(key, "")}
        if needed:
            required.append(key)
    schema = {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
    return ToolSpec(name, about, schema)


def _described(doc: str) -> tuple[str, dict[str, str]]:
    """A docstring's text, and what it says of each argument."""
    about, _, arguments = doc.partition("\nArgs:\n")
    arguments = re.split(r"\n\S", arguments, maxsplit=1)[0]
    _, *pairs = _ARGUMENT.split(arguments)
    said = zip(pairs[::2], pairs[1::2], strict=True)
    return about.strip(), {name: " ".join(text.split()) for name, text in said}
