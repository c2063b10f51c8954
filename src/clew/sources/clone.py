"""Makes the first copy of a repository that lies on this machine, by hard links where it can.

The asked repository is only read. Its hooks and its templates never run, and its objects are
copied whole where links would lean on a third repository that may go away.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.sources.gitcmd import run, run_with_progress
from clew.sources.giterror import GitError
from clew.sources.local import borrows, is_partial, take_objects, take_refs

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from clew.sources.gitcmd import Deadline
    from clew.sources.mirror import Mirror

HEAD = "refs/clew/head"


def clone_local(
    mirror: Mirror,
    repository: Path,
    git_dir: Path,
    deadline: Deadline,
    progress: Callable[[str], None],
) -> None:
    """Make the mirror of a local repository, with its branches, its tags and its head.

    Args:
        mirror: What to make; it does not exist yet.
        repository: The work tree or bare repository, as git takes it.
        git_dir: Its git directory, shared by all its work trees.
        deadline: When to give up.
        progress: Is told how far it is.
    """
    if borrows(git_dir) and is_partial(git_dir):  # its git could not send it without what it lacks
        told = run(("rev-parse", "--show-object-format"), deadline, git_dir=git_dir).text()
        mirror.make_empty("sha256" if told == "sha256" else "sha1")
        take_objects(mirror, git_dir, deadline)
        take_refs(mirror, git_dir, deadline)
        return
    base = ("clone", "--bare", "--progress", "--template=")
    ends = ("--", str(repository))
    if not borrows(git_dir):
        try:
            with mirror.being_made() as draft:
                run_with_progress((*base, *ends, str(draft)), deadline, progress)
            return
        except GitError:
            deadline.left()  # objects vanished or can't be linked: copy through the transport
    with mirror.being_made() as draft:
        run_with_progress((*base, "--no-local", *ends, str(draft)), deadline, progress)


def fetch_refs(mirror: Mirror, repository: Path, git_dir: Path, deadline: Deadline) -> None:
    """Bring a local repository's branches and tags, and the branches it knows of its remotes."""
    if is_partial(git_dir):
        take_objects(mirror, git_dir, deadline)
        take_refs(mirror, git_dir, deadline)
        return
    places = ("heads", "tags", "remotes")
    run(
        (
            *("fetch", "--prune", "--no-tags", "--no-write-fetch-head", *depth(mirror)),
            *("--quiet", "--", str(repository)),
            *(f"+refs/{place}/*:refs/{place}/*" for place in places),
        ),
        deadline,
        git_dir=mirror.path,
    )


def fetch_head(
    mirror: Mirror, repository: Path, commit: str, git_dir: Path, deadline: Deadline
) -> str:
    """Bring what a local repository's head, last seen at `commit`, holds; return that commit."""
    if is_partial(git_dir):  # its git could not send it without what it lacks
        take_objects(mirror, git_dir, deadline)
        mirror.git("update-ref", HEAD, commit)
        return commit
    run(
        (
            *("fetch", "--no-tags", "--no-write-fetch-head", *depth(mirror), "--quiet"),
            *("--", str(repository), f"+HEAD:{HEAD}"),
        ),
        deadline,
        git_dir=mirror.path,
    )
    return mirror.git("rev-parse", "--verify", "-q", HEAD).text()


def depth(mirror: Mirror) -> tuple[str, ...]:
    """The arguments with which a fetch takes a shallow history, or what it was deepened by."""
    whole = ("--unshallow",) if (mirror.path / "shallow").exists() else ()
    return ("--update-shallow", *whole)
