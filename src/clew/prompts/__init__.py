"""The texts that models are given: one Markdown file each, with a version of its own.

The first line of a file names it and its version, such as `<!-- research 1 -->`, and every saved
answer says which it was made with. Whoever changes a text gives it the next number; a test holds
them together.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class PromptText:
    """A text with its name and version, such as `research 1`."""

    version: str
    text: str


@cache
def load(name: str) -> PromptText:
    """The text of one file, without its first line."""
    whole = files(__name__).joinpath(f"{name}.md").read_text(encoding="utf-8")
    head, _, text = whole.partition("\n")
    return PromptText(head.removeprefix("<!--").removesuffix("-->").strip(), text.strip())
