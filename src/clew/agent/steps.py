"""Steps in JSON, for models without reliable tool calls: each reply is one object.

`{"tool": NAME, "arguments": {…}}` runs a tool, `{"answer": TEXT}` ends the work. The server is
given the schema and should hold the model to it; what comes is read leniently all the same.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from clew.models.chat import Call, Reply, Told
from clew.tools.run import TOOLS, usage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clew.models.chat import Json, Message, ToolSpec

_FENCE = re.compile(r"(?s)^\s*(?:```\w*|<tool_call>)\s*(.*?)\s*(?:```|</tool_call>)?\s*$")
_SHAPES = 'Reply with one JSON object: {"tool": NAME, "arguments": {…}} or {"answer": TEXT}.'


@dataclass(frozen=True, slots=True)
class Step:
    """One step as it was read: a call, an answer, or what is wrong with it."""

    call: Call | None = None
    answer: str = ""
    flaw: str = ""


def schema(tools: Sequence[ToolSpec], *, may_call: bool) -> Json:
    """The schema of one step; an answer is all that is left once no tool may be called."""
    answer: Json = {
        "type": "object",
        "properties": {"answer": {"type": "string"}},
        "required": ["answer"],
        "additionalProperties": False,
    }
    if not may_call:
        return answer
    calls = [
        {
            "type": "object",
            "properties": {"tool": {"const": tool.name}, "arguments": tool.parameters},
            "required": ["tool", "arguments"],
            "additionalProperties": False,
        }
        for tool in tools
    ]
    return {"type": "object", "anyOf": [*calls, answer]}


def listing(tools: Sequence[ToolSpec]) -> str:
    """The tools in words, since no list of tools is sent along."""
    return "\n\n".join(f"{usage(tool.name)}\n{tool.description}" for tool in tools)


def parse(text: str, turn: int) -> Step:
    """Read one step from a reply."""
    found = _FENCE.match(text)
    inside = found[1] if found else text
    start = inside.find("{")
    if start < 0:
        return Step(flaw=f"That was no JSON object. {_SHAPES}")
    try:
        value, _ = json.JSONDecoder(strict=False).raw_decode(inside, start)
    except (ValueError, RecursionError) as error:
        return Step(flaw=f"That was not valid JSON: {error}. {_SHAPES}")
    fields = cast("Json", value)
    answer = fields.get("answer")
    if isinstance(answer, str) and answer.strip():
        return Step(answer=answer)
    name = fields.get("tool", fields.get("name"))
    arguments = fields.get("arguments", fields.get("parameters", {}))
    if not isinstance(name, str) or not isinstance(arguments, dict):
        return Step(
            flaw=f"That object has neither a tool with its arguments nor an answer. {_SHAPES}"
        )
    return Step(call=Call(f"step_{turn}", name, cast("Json", arguments)))


def looks_like(text: str) -> bool:
    """Whether a text is a tool call that a model wrote instead of making it."""
    step = parse(text, 0) if text.lstrip().startswith(("{", "```json", "<tool_call>")) else None
    return step is not None and step.call is not None and step.call.tool in TOOLS


def as_text(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The conversation without tool messages: calls as steps, results as what we say."""
    return tuple(_plain(message) for message in messages)


def _plain(message: Message) -> Message:
    if isinstance(message, Told):
        return message
    if isinstance(message, Reply):
        if not message.calls:
            return Reply(message.text)
        said = [{"tool": call.tool, "arguments": call.arguments} for call in message.calls]
        return Reply("\n".join(json.dumps(step, ensure_ascii=False) for step in said))
    return Told("\n\n".join(f"Result of {item.tool}:\n{item.text}" for item in message.items))
