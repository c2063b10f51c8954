"""What is special about a repository on this machine that does not hold all of its history.

A shallow one ends early and may be deepened later; a partial one lacks objects, which its own git
would fetch when it needs them. Ours never does: what is there is taken, file by file, and what is
not there is missing. One that borrows from another has those objects, too. Only regular files below
`objects` are taken, and nothing of it is started.
"""

from __future__ import annotations

import os
import re
import shutil
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from clew.sources.gitcmd import run
from clew.sources.giterror import GitError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clew.sources.gitcmd import Deadline
    from clew.sources.mirror import Mirror

_PLACES = ("refs/heads", "refs/tags", "refs/remotes")
_LOOSE = re.compile(r"[0-9a-f]{38}(?:[0-9a-f]{24})?")
_PACK = re.compile(r"pack-[0-9a-f]{40,64}\.(pack|promisor|rev|idx)")
_ORDER = ("pack", "promisor", "rev", "idx")  # a pack counts from the moment its idx is there
_BOUNDS = "clew-shallow"
_LENDERS = 5  # how deep borrowing goes, as for git itself


def is_partial(git_dir: Path) -> bool:
    """Tell whether a repository, or a mirror made of it, was cloned without some objects."""
    return any(
        next((objects / "pack").glob("*.promisor"), None) is not None
        for objects in _object_folders(git_dir)
    )


def borrows(git_dir: Path) -> bool:
    """Tell whether a repository reads objects of others, as after `clone --shared`."""
    return (git_dir / "objects" / "info" / "alternates").exists()


def _object_folders(git_dir: Path) -> list[Path]:
    """Where a repository's objects are: its own first, then those that it borrows from."""
    found = [git_dir / "objects"]
    last = found
    for _ in range(_LENDERS):
        last = [each for folder in last for each in _lenders(folder) if each not in found]
        found += last
    return found


def _lenders(objects: Path) -> Iterator[Path]:
    with suppress(OSError):
        for line in (objects / "info" / "alternates").read_bytes().split(b"\n"):
            if line and not line.startswith(b"#"):
                lender = Path(os.path.normpath(objects / os.fsdecode(line)))
                if lender.is_dir():
                    yield lender


def deepened(mirror: Mirror, git_dir: Path) -> bool:
    """Tell whether a repository's history has other bounds than when the mirror last took it."""
    if not (mirror.path / "shallow").exists():
        return False
    return _bounds(git_dir / "shallow") != _bounds(mirror.path / _BOUNDS)


def note_bounds(mirror: Mirror, git_dir: Path) -> None:
    """Note where the history that the mirror has now taken ends."""
    bounds = _bounds(git_dir / "shallow")
    if (mirror.path / "shallow").exists() and bounds != _bounds(mirror.path / _BOUNDS):
        (mirror.path / _BOUNDS).write_bytes(bounds)


def take_objects(mirror: Mirror, git_dir: Path, deadline: Deadline) -> None:
    """Take every object file that the mirror lacks, as a link where that can be.

    Raises:
        GitError: A file could not be taken, or the time is over.
    """
    ours = mirror.path / "objects"
    try:
        for theirs in _object_folders(git_dir):
            for found in _object_files(theirs):
                deadline.left()
                target = ours / found.relative_to(theirs)
                if not target.exists():
                    target.parent.mkdir(exist_ok=True)
                    _take(found, target)
    except OSError as error:
        raise GitError(f"its objects can't be copied: {error.strerror or error}") from error


def take_refs(mirror: Mirror, git_dir: Path, deadline: Deadline) -> None:
    """Give the mirror the branches and tags of a repository whose objects it has taken.

    Raises:
        GitError: They could not be read or written.
    """
    theirs = _refs(git_dir, deadline)
    ours = _refs(mirror.path, deadline)
    gone = "".join(f"delete {name}\0{oid}\0" for name, oid in ours.items() if name not in theirs)
    new = "".join(
        f"update {name}\0{oid}\0\0" for name, oid in theirs.items() if ours.get(name) != oid
    )
    for lines in (gone, new):  # apart: a branch may become a folder of branches
        if lines:
            given = lines.encode("utf-8", "surrogateescape")
            mirror.git("update-ref", "-z", "--stdin", stdin=given, deadline=deadline)


def _refs(git_dir: Path, deadline: Deadline) -> dict[str, str]:
    listing = ("for-each-ref", "--format=%(refname) %(objectname)", *_PLACES)
    out = run(listing, deadline, git_dir=git_dir).text()
    return dict(line.split(" ", 1) for line in out.split("\n") if line)


def _object_files(objects: Path) -> Iterator[Path]:
    for folder in objects.iterdir():
        if re.fullmatch(r"[0-9a-f]{2}", folder.name) and not folder.is_symlink():
            yield from (each for each in folder.iterdir() if _LOOSE.fullmatch(each.name))
    packs = [(each, _PACK.fullmatch(each.name)) for each in (objects / "pack").iterdir()]
    for kind in _ORDER:
        yield from (each for each, found in packs if found and found[1] == kind)


def _take(source: Path, target: Path) -> None:
    if source.is_symlink():
        return  # it could lead anywhere
    try:
        os.link(source, target)
    except OSError:  # another file system, or one without links
        draft = target.with_name(f"tmp_{target.name}")
        shutil.copyfile(source, draft)
        draft.replace(target)


def _bounds(file: Path) -> bytes:
    with suppress(FileNotFoundError):
        return b"".join(sorted(file.read_bytes().splitlines(keepends=True)))
    return b""
