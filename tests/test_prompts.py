"""The texts that models are given have versions, and an answer's record names them."""

from __future__ import annotations

import hashlib

import pytest

from clew import prompts
from clew.agent import steps
from clew.tools.run import TOOLS
from clew.tools.schema import specs

# Who changes a text gives it the next number in its first line and puts its digest here.
DIGESTS = {
    "research": ("research 1", "74b41eae0c42"),
    "steps": ("steps 1", "f85fdaefbb02"),
    "tag": ("tag 1", "63cbc7d16cc5"),
}


@pytest.mark.parametrize("name", DIGESTS)
def test_a_changed_text_has_a_new_version(name: str) -> None:
    made = prompts.load(name)
    digest = hashlib.sha256(made.text.encode()).hexdigest()[:12]
    assert (made.version, digest) == DIGESTS[name]


def test_every_tool_is_described_by_what_its_code_says() -> None:
    told = {spec.name: spec for spec in specs()}
    assert list(told) == list(TOOLS)
    for spec in told.values():
        assert spec.description
        assert "scope" not in spec.parameters["properties"]
        assert all(p["description"] for p in spec.parameters["properties"].values())
    assert told["read_file"].parameters["required"] == ["path"]
    assert told["read_file"].parameters["properties"]["start_line"]["type"] == "integer"


@pytest.mark.parametrize(
    ("text", "tool", "answer"),
    [
        ('{"tool": "grep", "arguments": {"pattern": "a"}}', "grep", ""),
        ('Sure!\n```json\n{"tool": "grep", "arguments": {"pattern": "a"}}\n```', "grep", ""),
        ('<tool_call>{"name": "grep", "arguments": {"pattern": "a"}}</tool_call>', "grep", ""),
        ('{"tool": "list_files"}', "list_files", ""),
        ('{"answer": "two\nlines"}', "", "two\nlines"),
        ('{"answer": "done"} and more', "", "done"),
    ],
)
def test_a_step_is_read_however_it_is_wrapped(text: str, tool: str, answer: str) -> None:
    step = steps.parse(text, 1)
    assert step.flaw == ""
    assert (step.call.tool if step.call else "", step.answer) == (tool, answer)


@pytest.mark.parametrize(
    "text",
    ["", "no", "{", '{"tool": 3}', "[1]", '{"answer": ""}', '{"tool": "grep", "arguments": 1}'],
)
def test_a_step_that_can_not_be_read_says_how_to_write_one(text: str) -> None:
    assert "one JSON object" in steps.parse(text, 1).flaw
