"""Decides, for every path of a revision, what a build has to do about it: nothing, list, or read.

What the last revision under the same rules had with the same content needs no second look, so an
edit in a large repository costs what it touched. Nothing here reads a blob or writes.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from clew import redact
from clew.chunks.skip import SkipRules, skip_path
from clew.index.prepare import MISSING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clew.index.store import Writer
    from clew.types import TreeEntry

_LINKS = ("symlink", "submodule")


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be done.

    Attributes:
        known: Row ids of the documents that the index has, by path.
        skipped: New paths that a rule keeps from being read, with the rule.
        new: New paths to read, by object id.
    """

    known: dict[str, int] = field(default_factory=dict[str, int])
    skipped: list[tuple[TreeEntry, str]] = field(default_factory=list["tuple[TreeEntry, str]"])
    new: dict[str, list[TreeEntry]] = field(default_factory=dict[str, "list[TreeEntry]"])


def plan(entries: Sequence[TreeEntry], rules: SkipRules, writer: Writer) -> Plan:
    """Plan a build of these entries under these (relaxed) rules."""
    made = Plan()
    last = _last(rules, writer)
    unsure: list[TreeEntry] = []
    for entry in entries:
        id_, rule = last.get((entry.path, entry.oid), (0, MISSING))
        if _holds(rule, entry):
            made.known[entry.path] = id_
        else:
            unsure.append(entry)
    for entry, rule in _judged(unsure, rules):
        found = writer.find(entry.path, entry.oid, rule)
        if found is not None:
            made.known[entry.path] = found
        elif rule:
            made.skipped.append((entry, rule))
        else:
            made.new.setdefault(entry.oid, []).append(entry)
    return made


def _last(rules: SkipRules, writer: Writer) -> dict[tuple[str, str], tuple[int, str]]:
    """(row id, rule) by (path, oid) of the last revision under the same rules."""
    docs = writer.newest(rules.digest())
    if docs is None:
        return {}
    rows = writer.keys(np.frombuffer(docs, "<i4").tolist())
    return {(path, oid): (id_, rule) for id_, path, oid, rule in rows}


def _holds(rule: str, entry: TreeEntry) -> bool:
    """Whether what was decided about the same path and content still holds."""
    if entry.kind != "file":
        return rule == entry.kind
    return rule != MISSING and rule not in _LINKS


def _judged(entries: list[TreeEntry], rules: SkipRules) -> Iterator[tuple[TreeEntry, str]]:
    """Each entry with the rule that skips it or "", and no secret in any path."""
    secret = redact.secret_names(entry.path for entry in entries)
    hidden: set[str] = set()
    for entry in entries:
        if entry.path not in secret:
            yield entry, skip_path(entry, rules) or ""
        elif (path := redact.redact(entry.path)) not in hidden:
            hidden.add(path)  # what two names differ in may be the secret: one of them is listed
            yield replace(entry, path=path), "secret in its name"
