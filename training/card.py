"""Writes the tables of the model card, so that what it says of the data is what was used."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_PART = "<!-- {name}: written by `python -m training export` -->"
_END = "<!-- end -->"


def with_sources(card: str, used: Mapping[str, Mapping[str, Any]]) -> str:
    """Put the tables of repositories into a card's text, in the places marked for them."""
    for name, held_out in (("learned from", False), ("held out", True)):
        chosen = {key: facts for key, facts in used.items() if facts["held_out"] is held_out}
        card = _replace(card, name, _table(chosen))
    return card


def _table(used: Mapping[str, Mapping[str, Any]]) -> str:
    rows = [
        "| repository | licence | commit | files | questions |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name, facts in sorted(used.items(), key=lambda item: item[0].lower()):
        asked = sum(facts["questions"].values())
        commit = facts["commit"][:12]
        rows.append(f"| {name} | {facts['licence']} | {commit} | {facts['files']} | {asked} |")
    return "\n".join(rows)


def _replace(card: str, name: str, text: str) -> str:
    start = _PART.format(name=name)
    pattern = re.compile(f"{re.escape(start)}.*?{re.escape(_END)}", re.DOTALL)
    if not pattern.search(card):
        raise ValueError(f"the card has no place marked {start}")
    return pattern.sub(lambda _: f"{start}\n{text}\n{_END}", card)
