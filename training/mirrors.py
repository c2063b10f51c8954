"""Reads files of bare repositories: those at hand, or clones that it makes.

It runs `git` through Clew's own wrapper, so that nothing in a repository can start a program, and
never writes to a mirror that it was given.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from clew.chunks.skip import SkipRules, skip_content, skip_path
from clew.chunks.text import decode
from clew.search.roles import Role, role_of
from clew.sources import gitcmd
from clew.types import TreeEntry
from training.licences import FILE_NAMES, licence_of

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable, Iterator

RULES = SkipRules(max_bytes=500_000)
NOT_LEARNED_FROM = Role.TEST | Role.EXAMPLE | Role.VENDORED | Role.LEGACY | Role.GENERATED
_KINDS = {"120000": "symlink", "160000": "submodule"}
_SECONDS = 3_600.0  # enough to clone anything; every other command takes seconds
_BATCH = 200  # files read at a time


def locate(name: str, pattern: str | None, cache: Path) -> Path | None:
    """Find the git directory of `owner/name`; clone it when no pattern says where mirrors are.

    Args:
        name: As on GitHub.
        pattern: Such as `/mirrors/{owner}+{name}/repo`; None to clone from GitHub into `cache`.
        cache: Where clones are kept.

    Returns:
        None when the pattern leads nowhere.
    """
    owner, _, short = name.partition("/")
    if pattern is not None:
        found = Path(pattern.format(owner=owner, name=short))
        if (found / ".git").is_dir():
            found /= ".git"
        return found if (found / "objects").is_dir() else None
    bare = cache / "clones" / f"{owner}+{short}"
    if not (bare / "objects").is_dir():
        bare.parent.mkdir(parents=True, exist_ok=True)
        url = f"https://github.com/{name}.git"
        git(None, "clone", "--quiet", "--bare", "--", url, str(bare))
    return bare


def commit_of(git_dir: Path, wanted: str = "HEAD") -> str:
    """Resolve a revision to its commit's full hash."""
    return git(git_dir, "rev-parse", "--verify", f"{wanted}^{{commit}}").decode().strip()


def licence(git_dir: Path, commit: str) -> str | None:
    """Name the permissive licence that stands at the repository's top, or None."""
    top = [one for one in entries(git_dir, commit, recurse=False) if FILE_NAMES.match(one.path)]
    found = {one.path: data for one, data in read(git_dir, top)}
    said = {path: data.decode("utf-8", "replace") for path, data in found.items()}
    return licence_of(said) if len(said) == len(top) else None


def entries(git_dir: Path, commit: str, *, recurse: bool = True) -> list[TreeEntry]:
    """List the paths of a commit."""
    options = ("-r",) if recurse else ()
    listed: list[TreeEntry] = []
    for row in git(git_dir, "ls-tree", "-z", "-l", *options, commit).split(b"\0"):
        head, _, path = row.partition(b"\t")
        parts = head.decode().split()
        if len(parts) != 4 or parts[1] == "tree":
            continue
        kind = _KINDS.get(parts[0], "file")
        size = int(parts[3]) if parts[3].isdigit() else 0
        listed.append(TreeEntry(path.decode("utf-8", "replace"), parts[2], size, kind))  # pyright: ignore[reportArgumentType] - one of the three
    return listed


def sources(
    git_dir: Path, commit: str, limit: int, rng: random.Random
) -> Iterator[tuple[str, str]]:
    """Yield path and text of source files in random order, until `limit` bytes were given.

    Left out is what the index leaves out too, and tests, examples, copies and generated code.
    """
    listed = usable(git_dir, commit)
    rng.shuffle(listed)
    for start in range(0, len(listed), _BATCH):
        for path, text, size in texts(git_dir, listed[start : start + _BATCH]):
            yield path, text
            limit -= size
            if limit <= 0:
                return


def usable(git_dir: Path, commit: str) -> list[TreeEntry]:
    """List the entries that one may learn from, judged by their paths."""
    return [
        one
        for one in entries(git_dir, commit)
        if not skip_path(one, RULES) and not role_of(one.path) & NOT_LEARNED_FROM
    ]


def texts(git_dir: Path, wanted: Iterable[TreeEntry]) -> Iterator[tuple[str, str, int]]:
    """Yield path, text and size of those that are text written by people."""
    for entry, data in read(git_dir, wanted):
        decoded = decode(data)
        if decoded is not None and not skip_content(entry.path, decoded.text, RULES):
            yield entry.path, decoded.text, len(data)


def read(git_dir: Path, wanted: Iterable[TreeEntry]) -> Iterator[tuple[TreeEntry, bytes]]:
    """Yield entries with their bytes; those that the mirror lacks are passed over."""
    listed = list(wanted)
    if not listed:
        return
    asked = "".join(f"{entry.oid}\n" for entry in listed).encode()
    data = git(git_dir, "cat-file", "--batch", stdin=asked)
    at = 0
    for entry in listed:
        end = data.index(b"\n", at)
        head = data[at:end].split()
        at = end + 1
        if len(head) == 3:  # "<oid> blob <size>"; "<oid> missing" has two
            size = int(head[2])
            yield entry, data[at : at + size]
            at += size + 1


def git(git_dir: Path | None, *args: str, stdin: bytes = b"") -> bytes:
    """Run git and return what it said; GitError when it failed."""
    return gitcmd.run(args, gitcmd.Deadline(_SECONDS), git_dir=git_dir, stdin=stdin).out
