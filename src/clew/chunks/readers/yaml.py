"""YAML: its keys by their indentation.

A reader of our own: it is forty times as fast as the grammar, and the templates that many YAML
files are (Helm, Jinja) don't stop it. It sees block style only; what is written in braces belongs
to the key before it.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from clew.chunks.outline import Key, Outline
from clew.chunks.readers.masks import LINE_CHARS, clip

if TYPE_CHECKING:
    from collections.abc import Sequence

_KEY = re.compile(
    r"""("[^"]*"|'[^']*'|[^\s#:{}\[\],&*!|>'"%@`?-][^:#]*|-[^\s:#][^:#]*)\s*:(?=\s|\Z)"""
)
_ITEM = re.compile(r"-(?=\s|\Z)\s*")
_BLOCK_TEXT = re.compile(r"(?:^|[:\s-])[|>][+-]?\d?[+-]?\s*(?:#.*)?\Z")
_DOCUMENT = re.compile(r"---(?=\s|\Z)")
# The keys right below these are what people ask for by name: a workflow's jobs, and services.
_NAMED_BELOW: Final = frozenset({"jobs", "services"})
_DEEPEST: Final = 5
_NAME_LIMIT: Final = 100
_RESOURCE = re.compile(r"(kind|name):\s*([\w.-]+)\s*\Z")


def read_yaml(lines: Sequence[str]) -> Outline:
    """The keys of a YAML file; of the first level, and below `jobs` and `services`, as fields."""
    keys: list[Key] = []
    open_: list[tuple[int, bool, str]] = []  # indentation, whether an item, name
    text_below = -1  # the indentation of the key whose value is a block of text
    for number, line in enumerate(clip(lines), 1):
        body = line.lstrip(" ")
        indent = len(line) - len(body)
        if text_below >= 0:
            if not body.strip() or indent > text_below:
                continue
            text_below = -1
        if not body.strip() or body[0] == "#":
            continue
        if _BLOCK_TEXT.search(body):
            text_below = indent
        if indent == 0 and _DOCUMENT.match(body):
            open_.clear()
            continue
        for at, item, name in _starts(body, indent):
            while open_ and (open_[-1][0], open_[-1][1]) >= (at, item):
                open_.pop()
            depth = len(open_) + 1
            if depth <= _DEEPEST:
                below = depth == 2 and open_[-1][2] in _NAMED_BELOW
                known = name and (depth == 1 or below)
                keys.append(Key(number, depth, name, "field" if known else ""))
            open_.append((at, item, name))
    return Outline(_by_document(lines, keys))


def _starts(body: str, indent: int) -> list[tuple[int, bool, str]]:
    """What begins on a line: items of lists, then at most one key, each with its indentation."""
    found: list[tuple[int, bool, str]] = []
    while (match := _ITEM.match(body)) and len(found) < _DEEPEST:
        found.append((indent, True, ""))
        indent += len(match[0])
        body = body[len(match[0]) :]
    match = _KEY.match(body)
    if match and len(match[1]) <= _NAME_LIMIT:
        found.append((indent, False, match[1].strip().strip("\"'")))
    return found


def _by_document(lines: Sequence[str], keys: list[Key]) -> list[Key]:
    """Puts the keys of each resource (Kubernetes) below one named as the resource is."""
    starts = [0, *(i + 1 for i, line in enumerate(lines) if _DOCUMENT.match(line)), len(lines)]
    found: list[Key] = []
    at = 0
    for start, end in pairwise(starts):
        inside: list[Key] = []
        while at < len(keys) and keys[at].line <= end:
            inside.append(keys[at])
            at += 1
        resource = _resource(lines[start:end])
        if not resource or not inside:
            found.extend(inside)
            continue
        kind, name = resource
        first = inside[0].line
        found.append(Key(first, 1, name, "module", owner=kind, signature=f"{kind} {name}"))
        found.extend(replace(key, depth=key.depth + 1, kind="") for key in inside)
    return found


def _resource(lines: Sequence[str]) -> tuple[str, str] | None:
    """Kind and name of a Kubernetes resource, when the document is one."""
    if not any(line.startswith("apiVersion:") for line in lines):
        return None
    kind = name = ""
    inside = False
    for line in lines:
        match = _RESOURCE.match(line[:LINE_CHARS].strip())
        if line[:1].strip():
            inside = line.startswith("metadata:")
            if match and match[1] == "kind":
                kind = match[2]
        elif inside and match and match[1] == "name" and not name:
            name = match[2]
    return (kind, name) if kind and name else None
