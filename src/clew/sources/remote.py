"""Follows a repository by its address, or a bare repository by its path.

Only branches and tags are fetched, never other people's pull-request refs. The head is what the
repository itself calls its head; where that names nothing, a branch is chosen and the choice is
said. Force-pushes, renamed and deleted branches are followed.
"""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from clew.sources.clone import HEAD, clone_local, depth, fetch_refs
from clew.sources.gitcmd import Deadline, run, run_with_progress
from clew.sources.giterror import GitError
from clew.sources.local import deepened, is_partial, note_bounds
from clew.sources.mirror import OBJECT_ID, Mirror, State
from clew.sources.resolve import resolved
from clew.types import Revision

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from clew.types import Source

_REFSPECS = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
_PREFERRED = ("main", "master", "trunk", "develop")
_SSH = "ssh -o BatchMode=yes -o ConnectTimeout=10"  # never asks; a silent host is given up on

_CONTACT_SECONDS = 30.0  # a host that says nothing for so long is down, though a copy may be long


@dataclass(frozen=True, slots=True)
class Options:
    """How a source is refreshed.

    Attributes:
        refs: Bring every branch and tag, although the head may not have moved.
        allow_private: Let a host's name lead to this machine.
    """

    refs: bool = False
    allow_private: bool = False


@dataclass(frozen=True, slots=True)
class _Remote:
    """What a remote says about itself: the commit and the branch of its head, if it has one."""

    url: str
    commit: str | None
    branch: str | None


def refresh_remote(
    source: Source,
    mirror: Mirror,
    last: State | None,
    deadline: Deadline,
    progress: Callable[[str], None],
    options: Options,
) -> State:
    """Bring the mirror up to the remote's head and return what was found.

    Raises:
        ForbiddenError: Its host's name leads to this machine.
        GitError: The remote could not be reached or read in time, or has no commits.
    """
    started = time.time()
    env = _ssh_env(source.location, deadline)
    contact = deadline if deadline.seconds <= _CONTACT_SECONDS else Deadline(_CONTACT_SECONDS)

    def tell(line: str) -> None:
        progress(f"Fetching {source.name}: {line}")

    def tick() -> None:
        tell("waiting for an answer")

    held = () if options.allow_private else resolved(source.location, contact)
    remote = _ask(source.location, last.url if last else "", contact, held, env, tick)

    if not mirror.path.is_dir():
        _make(mirror, remote, deadline, tell)
    path = Path(source.location)
    moved = path.is_absolute() and deepened(mirror, path)
    if options.refs or moved or remote.commit is None or not mirror.has(remote.commit):
        _fetch(mirror, remote, deadline, tell, held, env)
    if path.is_absolute():
        note_bounds(mirror, path)
    commit, branch, notes = _head(mirror, remote)
    tree, when = mirror.commit_facts(commit)
    revision = Revision(
        id=commit,
        tree=tree,
        commit=commit,
        committed_at=when,
        branch=branch,
        synced_at=time.time(),
        notes=notes,
    )
    return State(revision, started, remote.url)


def _ask(
    location: str,
    known: str,
    deadline: Deadline,
    held: Sequence[str],
    env: Mapping[str, str],
    tick: Callable[[], None],
) -> _Remote:
    """Ask the remote for its head, under the spelling of its address that it answers to."""
    spellings = [known] if known else _spellings(location)
    refused: GitError | None = None
    for url in spellings:
        try:
            ask = (*held, "ls-remote", "--symref", "--", url, "HEAD")
            done = run(ask, deadline, env=env, tick=tick)
        except GitError as error:
            if error.transient:
                raise
            refused = refused or error
            continue
        symbolic = re.search(r"^ref: refs/heads/(.+)\tHEAD$", done.text(), re.MULTILINE)
        found = re.search(rf"^({OBJECT_ID.pattern})\tHEAD$", done.text(), re.MULTILINE)
        commit = found[1] if found else None
        return _Remote(url, commit, symbolic[1] if symbolic and commit else None)
    raise refused or GitError("its address is not understood")


def _spellings(location: str) -> list[str]:
    """Return what may follow at the host: some answer only with `.git`, some only without.

    Redirects from one to the other are not followed, so both are tried, the likelier first.
    """
    if Path(location).is_absolute():
        return [location]
    both = [f"{location}.git", location]
    return both[::-1] if "/_git/" in location else both


def _make(
    mirror: Mirror, remote: _Remote, deadline: Deadline, progress: Callable[[str], None]
) -> None:
    path = Path(remote.url)
    if path.is_absolute() and remote.commit:
        clone_local(mirror, path, path, deadline, progress)
    else:
        long = remote.commit is not None and len(remote.commit) == 64
        mirror.make_empty("sha256" if long else "sha1")


def _fetch(
    mirror: Mirror,
    remote: _Remote,
    deadline: Deadline,
    progress: Callable[[str], None],
    held: Sequence[str],
    env: Mapping[str, str],
) -> None:
    path = Path(remote.url)
    if path.is_absolute() and is_partial(path):
        fetch_refs(mirror, path, path, deadline)
        return
    head = [f"+HEAD:{HEAD}"] if remote.commit else []
    arguments = [*held, "fetch", "--prune", "--progress", "--no-write-fetch-head", *depth(mirror)]
    arguments += ["--", remote.url, *_REFSPECS, *head]
    run_with_progress(arguments, deadline, progress, git_dir=mirror.path, env=env)


def _head(mirror: Mirror, remote: _Remote) -> tuple[str, str | None, tuple[str, ...]]:
    """Return the commit to read, its branch, and what a reader should know about the choice."""
    if remote.commit and mirror.has(remote.commit):
        return remote.commit, remote.branch, ()
    if remote.commit:  # it moved between the question and the fetch
        done = mirror.git("rev-parse", "--verify", "-q", HEAD, ok=())
        if done.code == 0:
            return done.text(), remote.branch, ()
        raise GitError("its head moved while it was read", transient=True)
    listed = mirror.git(
        "for-each-ref", "--sort=-committerdate", "--format=%(refname:lstrip=2)", "refs/heads"
    )
    branches = listed.text().split("\n") if listed.out else []
    if not branches:
        raise GitError("it has no commits")
    branch = next((name for name in _PREFERRED if name in branches), branches[0])
    commit = mirror.git("rev-parse", "--verify", "-q", f"refs/heads/{branch}^{{commit}}").text()
    return commit, branch, (f"Its head names no branch; branch {branch} was read instead.",)


def _ssh_env(location: str, deadline: Deadline) -> dict[str, str]:
    """Keep ssh from asking, unless the user has chosen how git starts it."""
    if location.startswith("http") or Path(location).is_absolute():
        return {}
    if "GIT_SSH_COMMAND" in os.environ or "GIT_SSH" in os.environ:
        return {}
    if run(("config", "--get", "core.sshCommand"), deadline, ok=()).out.strip():
        return {}
    return {"GIT_SSH_COMMAND": _SSH}
