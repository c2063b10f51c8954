"""Takes out of a mirror what nobody needs any more: refs of old revisions, then their objects.

The caller says which revisions stay. When a revision was last pinned is the time of its ref's
file, so refs are never packed here. Work trees' mirrors share their packs with the repository
itself by hard links: there only loose objects go, since packing anew would copy everything.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from typing import TYPE_CHECKING

from clew.sources.graph import drop_graph
from clew.sources.local import is_partial
from clew.sources.mirror import KEEP, REVISION_ID

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from clew.sources.gitcmd import Deadline
    from clew.sources.mirror import Mirror


def last_used(mirror: Mirror) -> dict[str, float]:
    """The revisions that the mirror keeps, with the Unix time each was last pinned (0: long ago).

    Raises:
        GitError: The mirror can't be read.
    """
    listed = mirror.git("for-each-ref", "--format=%(refname)", KEEP).text()
    found: dict[str, float] = {}
    for line in listed.split("\n"):
        name = line.removeprefix(KEEP)
        if REVISION_ID.fullmatch(name):
            found[name] = 0.0
            with suppress(FileNotFoundError):  # packed by somebody's own git
                found[name] = (mirror.path / KEEP / name).stat().st_mtime
    return found


def needed(revisions: Collection[str]) -> set[str]:
    """The refs that keep these revisions: their own, and their commits'."""
    return {name for each in revisions for name in (each, each.partition("+")[0])}


def forget(mirror: Mirror, revisions: Collection[str]) -> None:
    """Delete the refs of these revisions; the caller holds the mirror.

    Raises:
        GitError: The mirror can't be written.
    """
    lines = "".join(f"delete {KEEP}{each}\n" for each in sorted(revisions))
    if lines:
        mirror.git("update-ref", "--stdin", stdin=lines.encode("ascii"))


def collect(mirror: Mirror, kind: str, deadline: Deadline) -> None:
    """Remove objects that no ref leads to; the caller holds the mirror, so nobody is adding any.

    Raises:
        GitError: It took too long, or the mirror is damaged; what is left is whole.
    """
    if kind == "remote" and not is_partial(mirror.path):
        arguments = ("-c", "gc.packRefs=false", "gc", "--quiet", "--prune=now")
    else:
        drop_graph(mirror)
        arguments = ("prune", "--expire=now")
    # What our own index lists of a folder stays, so that the next sync reads only what changed.
    index = mirror.path / "clew-index"
    env = {"GIT_INDEX_FILE": str(index)} if index.exists() else None
    mirror.git(*arguments, deadline=deadline, env=env)


def remove(mirror: Mirror) -> None:
    """Delete the mirror; the caller holds it. Under another name first: it is whole or not there.

    Raises:
        OSError: It can't be deleted.
    """
    doomed = mirror.path.with_name(f".{mirror.path.name}.old")
    shutil.rmtree(doomed, ignore_errors=True)
    if mirror.path.is_dir():
        mirror.path.rename(doomed)
        shutil.rmtree(doomed)


def own_bytes(folder: Path) -> int:
    """Bytes of the files below a folder that no other folder shares; what vanishes counts nothing.

    git takes files and whole folders away while it tidies, and another process may be doing that.
    """
    total = 0
    for at, _, names in os.walk(folder):  # passes over a folder that is there no longer
        for name in names:
            with suppress(FileNotFoundError):
                facts = os.lstat(os.path.join(at, name))  # noqa: PTH118 - thousands of objects
                total += facts.st_size if facts.st_nlink == 1 else 0
    return total
