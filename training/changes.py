"""Reads what commits changed: a subject line is a question, the changed chunk its answer.

Only small commits count whose changed lines are still in the code that is read: then today's chunk
holds what the subject spoke of.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clew.search.roles import Role, role_of
from clew.sources.giterror import GitError
from training import mirrors, questions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

LOOKED_AT = 2_000  # commits, from the newest
MOST_FILES = 3  # of source code in one commit; more is a sweep over everything
MOST_LINES = 200  # added in one file; more is a rewrite
_PASSED_OVER = mirrors.NOT_LEARNED_FROM | Role.DOCUMENT | Role.CONFIG | Role.DOCS_FOLDER
_FRAME = re.compile(
    r"^\s*(?:\[[^\]]{1,30}\]\s*)+|^\s*[\w/.-]{1,20}(?:\([^)]{1,40}\))?!?:\s+|\s*\((?:#|GH-)?\d+\)|"
    r"\s*\b(?:fix(?:es)?|close[sd]?|refs?|see|issue)?:?\s*(?:#|GH-)\d+|^#?\d+\s*[-:]\s*",
    re.IGNORECASE,
)
_NO_CHANGE = re.compile(
    r"\b(?:bump|release|merge|revert|typos?|changelog|upgrade|lint|format|wip|version)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Change:
    """One commit: what its subject says, and the lines that it added, by path."""

    subject: str
    added: dict[str, list[str]] = field(default_factory=dict[str, list[str]])


def changes(git_dir: Path, commit: str, paths: set[str], limit: int) -> list[Change]:
    """Find at most `limit` commits that changed a few of these paths, from the newest on."""
    chosen: dict[str, str] = {}
    usable = {path for path in paths if not role_of(path) & _PASSED_OVER}
    for oid, subject, changed in _log(git_dir, commit):
        code = [path for path in changed if not role_of(path) & _PASSED_OVER]
        told = " ".join(_FRAME.sub(" ", subject).split())
        if (
            1 <= len(code) <= MOST_FILES
            and usable.issuperset(code)
            and questions.is_prose(told)
            and not _NO_CHANGE.search(told)
        ):
            chosen[oid] = told
        if len(chosen) >= limit:
            break
    return _added(git_dir, chosen, usable)


def answer(added: Sequence[str], chunks: Sequence[Sequence[str]]) -> int | None:
    """Find the chunk that holds most of the added lines; None when they are gone.

    Args:
        added: Lines that a commit added to one file.
        chunks: The lines of each chunk of the file as it is now.
    """
    wanted = {bare for line in added if len(bare := line.strip()) > 6}
    if not wanted or len(added) > MOST_LINES:
        return None
    held = [len(wanted.intersection(map(str.strip, chunk))) for chunk in chunks]
    most = max(held, default=0)
    return held.index(most) if most * 2 >= len(wanted) else None


def _log(git_dir: Path, commit: str) -> Iterator[tuple[str, str, list[str]]]:
    """Yield each commit's hash, subject and changed paths."""
    told = mirrors.git(
        git_dir,
        *("log", "--no-merges", f"-n{LOOKED_AT}", "--name-only", "-z", "--no-renames"),
        *("--diff-filter=M", "--format=%x01%H%x02%s%x02", commit),
    )
    for record in told.decode("utf-8", "replace").split("\1")[1:]:
        oid, subject, rest = record.split("\2", 2)
        yield oid, subject, [path.strip("\n") for path in rest.split("\0") if path.strip("\n")]


def _added(git_dir: Path, chosen: dict[str, str], paths: set[str]) -> list[Change]:
    """Read what the commits added to these paths, by hash and subject.

    A mirror may lack some objects, on which git gives up: halving finds the commits to pass over.
    """
    try:
        told = mirrors.git(
            git_dir,
            *("diff-tree", "--stdin", "-p", "-U0", "--no-renames", "--no-ext-diff"),
            stdin="".join(f"{oid}\n" for oid in chosen).encode(),
        )
    except GitError:
        if len(chosen) < 2:
            return []
        pairs = list(chosen.items())
        halves = pairs[: len(pairs) // 2], pairs[len(pairs) // 2 :]
        return [one for half in halves for one in _added(git_dir, dict(half), paths)]
    found: list[Change] = []
    lines: list[str] = []
    for line in told.decode("utf-8", "replace").split("\n"):
        if line in chosen:
            found.append(Change(chosen[line]))
            lines = []
        elif line.startswith("+++ b/"):
            lines = []
            if line[6:] in paths:
                found[-1].added[line[6:]] = lines
        elif line.startswith("+") and not line.startswith("+++ "):
            lines.append(line[1:])
    return found
