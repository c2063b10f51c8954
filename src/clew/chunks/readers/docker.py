"""Dockerfiles: their stages, and the variables that each sets.

A reader of our own, because the grammar gives a flat list of instructions without stages.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clew.chunks.outline import Key, Outline
from clew.chunks.readers.masks import clip
from clew.types import Reference

if TYPE_CHECKING:
    from collections.abc import Sequence

_FROM = re.compile(r"FROM\s+(?:--\S+\s+)*(\S+)(?:\s+AS\s+([\w.-]+))?", re.IGNORECASE)
_INSTRUCTION = re.compile(r"([A-Z]+)\s+\S", re.IGNORECASE)
_VARIABLE = re.compile(r"(?:ENV|ARG)\s+([A-Za-z_]\w*)", re.IGNORECASE)
_COPY_FROM = re.compile(r"--from=([\w.-]+)")
_HERE = re.compile(r"<<-?[\"']?(\w+)[\"']?")


def read_dockerfile(lines: Sequence[str]) -> Outline:
    """Stages as modules, `ENV` and `ARG` as variables; a stage uses those it copies from."""
    keys: list[Key] = []
    references: list[Reference] = []
    depth, here, continued = 1, "", False
    for number, line in enumerate(clip(lines), 1):
        text = line.strip()
        if here:
            here = "" if text == here else here
            continue
        if not text or text[0] == "#":
            continue
        if not continued:
            if match := _FROM.match(text):
                keys.append(_stage(number, match))
                references.append(Reference(match[1], number, "import"))
                depth = 2
            elif match := _VARIABLE.match(text):
                keys.append(Key(number, depth, match[1], "variable"))
            elif _INSTRUCTION.match(text):
                keys.append(Key(number, depth))
            references.extend(Reference(one, number, "use") for one in _COPY_FROM.findall(text))
            match = _HERE.search(text)
            here = match[1] if match else ""
        continued = text.endswith("\\")
    return Outline(keys, references)


def _stage(number: int, match: re.Match[str]) -> Key:
    image = match[1].rpartition("/")[2].partition("@")[0].partition(":")[0]
    alias = match[2] or ""
    return Key(number, 1, alias or image, "module" if alias else "")
