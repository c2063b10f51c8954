"""What a person means by a branch, a tag, a SHA, a date or `HEAD~2`, in one source's mirror.

Only branches and tags of the source and commits that the mirror holds can be named; refs of ours,
reflogs, paths and ranges can't. It reads the mirror and contacts nothing.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from clew.errors import InputError, NotFoundError
from clew.redact import redact

if TYPE_CHECKING:
    from clew.sources.mirror import Mirror
    from clew.types import Revision, Source

MAX_NAME = 250  # characters, as git's own limit for one file name of a ref
_NEAR = 3  # names offered
_NOT_A_NAME = re.compile(r"^[-/]|[\x00-\x20\x7f:?*\[\\]|\.\.|@\{|\^\{|//|\.lock$|[./]$")
_PARTS = re.compile(r"(?P<base>.+?)(?P<steps>(?:[~^][0-9]{0,6})*)", re.DOTALL)
_HEX = re.compile(r"[0-9a-f]{4,64}", re.IGNORECASE)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
HELP = "a branch, a tag, a commit's SHA, a date such as 2026-01-31, or HEAD~2"


@dataclass(frozen=True, slots=True)
class Named:
    """What a name means.

    Attributes:
        commit: The full SHA.
        label: How it was found, such as `tag v1.0` or `branch main`.
        branch: The branch that was named, or None.
        note: What a reader should know about the choice, "" when nothing.
    """

    commit: str
    label: str
    branch: str | None = None
    note: str = ""


def resolve(source: Source, mirror: Mirror, head: Revision, name: str) -> Named:
    """Find the commit that `name` means; `HEAD` is the source's own head.

    Raises:
        InputError: It can't be the name of a revision, or means several commits.
        NotFoundError: The source has no such revision; the message names the nearest ones.
        GitError: The mirror can't be read.
    """
    if head.commit is None:
        raise InputError(f"{source.name} is a plain folder: it has no history, only what it holds.")
    if len(name) > MAX_NAME or not name.strip() or _NOT_A_NAME.search(name):
        raise InputError(f'"{_shown(name)}" can\'t be a revision: give {HELP}.')
    parts = _PARTS.fullmatch(name)
    base, steps = (parts["base"], parts["steps"]) if parts else (name, "")
    found = _start(source, mirror, head, base)
    if not steps:
        return found
    commit = _commit(mirror, found.commit + steps)
    if commit is None:
        shallow = " (its history is shallow)" if (mirror.path / "shallow").exists() else ""
        raise NotFoundError(f'"{_shown(name)}" goes back further than {source.name} does{shallow}.')
    return Named(commit, f"at {_shown(name)}", note=found.note)


def _start(source: Source, mirror: Mirror, head: Revision, base: str) -> Named:
    if base in ("HEAD", "@"):
        return Named(head.commit or "", "the head", head.branch)
    found = _ref(mirror, base) or _by_sha(source, mirror, base) or _by_date(mirror, head, base)
    if found is None:
        near = _near(mirror, base)
        hint = f"did you mean {' or '.join(near)}?" if near else f"give {HELP}."
        raise NotFoundError(f'{source.name} has no revision "{_shown(base)}"; {hint}')
    return found


def _ref(mirror: Mirror, base: str) -> Named | None:
    """The tag or branch of that name; git, too, takes the tag when there are both."""
    bare = re.sub(r"^refs/", "", base)
    tag, branch = re.sub(r"^tags/", "", bare), re.sub(r"^(?:heads|remotes)/", "", bare)
    short = branch.removeprefix("origin/")
    tagged = (
        None if bare.startswith(("heads/", "remotes/")) else _commit(mirror, f"refs/tags/{tag}")
    )
    places = () if bare.startswith("tags/") else ("heads/", "remotes/origin/", "remotes/")
    tips = [
        tip
        for place in places
        for each in dict.fromkeys((branch, short))
        if (tip := _commit(mirror, f"refs/{place}{each}"))
    ]
    if tagged:
        both = tips and tips[0] != tagged
        note = f"{_shown(tag)} is a tag and a branch; the tag was read." if both else ""
        return Named(tagged, f"tag {_shown(tag)}", note=note)
    return Named(tips[0], f"branch {_shown(short)}", _shown(short)) if tips else None


def _by_sha(source: Source, mirror: Mirror, base: str) -> Named | None:
    if not _HEX.fullmatch(base):
        return None
    commit = _commit(mirror, base.lower())
    if commit is not None:
        return Named(commit, f"commit {base.lower()[:12]}")
    every = mirror.git("rev-parse", f"--disambiguate={base.lower()}", ok=()).text().split()
    kinds = [_commit(mirror, oid) for oid in every[:50]]
    if sum(kind is not None for kind in kinds) > 1:
        raise InputError(
            f"{base} is the start of several commits of {source.name}: give more of it."
        )
    return None


def _by_date(mirror: Mirror, head: Revision, base: str) -> Named | None:
    """The commit that was the head's at the end of that day (UTC), along first parents."""
    if not _DATE.fullmatch(base):
        return None
    try:
        day = date.fromisoformat(base)
    except ValueError:
        raise InputError(f"{base} is no day: write year-month-day, such as 2026-01-31.") from None
    before = f"--before={day.isoformat()}T23:59:59+00:00"
    args = ("rev-list", "-1", "--first-parent", before, head.commit or "")
    commit = mirror.git(*args).text()
    if not commit:
        raise NotFoundError(f"There is no commit up to {day.isoformat()}: the history is younger.")
    return Named(commit, f"the last commit up to {day.isoformat()}", head.branch)


def _commit(mirror: Mirror, name: str) -> str | None:
    done = mirror.git(
        "rev-parse", "--verify", "-q", "--end-of-options", f"{name}^{{commit}}", ok=()
    )
    return done.text() if done.code == 0 else None


def _near(mirror: Mirror, base: str) -> list[str]:
    """Up to three branches and tags that are most likely meant."""
    args = ("for-each-ref", "--format=%(refname)", "refs/heads", "refs/tags", "refs/remotes")
    names = [
        re.sub(r"^refs/(?:heads|tags|remotes(?:/origin)?)/", "", ref)
        for ref in mirror.git(*args).text().split("\n")
    ]
    names = [name for name in dict.fromkeys(names) if name and name != "HEAD"]
    folded = base.casefold()
    close = difflib.get_close_matches(base, names, n=_NEAR, cutoff=0.6)
    inside = [name for name in names if folded in name.casefold() or name.casefold() in folded]
    return [_shown(name) for name in dict.fromkeys([*close, *inside])][:_NEAR]


def _shown(name: str) -> str:
    return redact(" ".join(name.split()))[:80]
