"""Turns a `--repo` as typed into a source: an address, a work tree, a bare repository or a folder.

A folder inside a work tree means that work tree with the folder as its bound; a folder that the
work tree around it ignores stands for itself. Addresses are checked by `clew.sources.urls`. It
looks at the local disk only, and never contacts a remote.
"""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from clew.errors import ForbiddenError, InputError, SourceError
from clew.sources import urls
from clew.sources.gitcmd import Deadline, Done, run
from clew.sources.giterror import GitError, failure
from clew.sources.paths import show
from clew.types import Source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clew.types import SourceKind

_SECONDS = 10.0
_SLUG_CHARACTERS = 40
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_UNFIT = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Head:
    """What a work tree's own repository says about it."""

    commit: str
    branch: str | None
    git_dir: Path
    common_dir: Path


def locate(spec: str, *, cwd: Path, allow_private: bool = False) -> Source:
    """Find what a `--repo` means.

    Args:
        spec: An address or a path, as typed.
        cwd: The folder that a relative path starts from.
        allow_private: Whether addresses on private networks and on this machine are allowed.

    Raises:
        InputError: It is empty, malformed, or a file.
        ForbiddenError: It is refused for safety.
        SourceError: There is no such path, or its repository can't be read.
    """
    if not spec:
        raise InputError("The repository is empty; give an address or a folder.")
    if spec.startswith("-"):
        raise ForbiddenError(
            f"A repository can't begin with a dash; write ./{spec[:40]!a} for a folder."
        )
    if spec.startswith("file://"):
        spec = _file_path(spec)
    elif urls.is_url(spec) and not _names_folder(spec, cwd):
        url = urls.parse(spec, allow_private=allow_private)
        last = url.path.split("/")[-2:]
        return Source(_id(last, url.key), url.name, "remote", url.location)
    return _local(_folder(spec, cwd))


def default_spec(cwd: Path) -> str:
    """Return the work tree around a folder, or the folder itself when there is none."""
    return _local(_folder(str(cwd), cwd)).location


def name_apart(sources: Sequence[Source]) -> tuple[Source, ...]:
    """Drop repeated sources and give the rest names that differ, with as few words as it takes."""
    unique = list({(source.id, source.prefix): source for source in sources}.values())
    spellings = {id(source): _spellings(source) for source in unique}
    depth = dict.fromkeys(spellings, 0)
    while True:
        names = {key: spellings[key][depth[key]] for key in depth}
        taken = list(names.values())
        clashing = [
            key
            for key in depth
            if taken.count(names[key]) > 1 and depth[key] + 1 < len(spellings[key])
        ]
        if not clashing:
            return tuple(replace(source, name=names[id(source)]) for source in unique)
        for key in clashing:
            depth[key] += 1


def read_head(root: Path, deadline: Deadline) -> Head:
    """Ask a work tree's repository for its head; this starts nothing that it could name.

    Raises:
        GitError: It has no commits, or can't be read.
    """
    done = _rev_parse(
        root,
        *("--absolute-git-dir", "--path-format=absolute", "--git-common-dir"),
        *("HEAD^{commit}", "--symbolic-full-name", "HEAD"),
        deadline=deadline,
    )
    lines = done.text().split("\n")
    if done.code or len(lines) != 4:
        if "HEAD" in done.err:
            if not _rev_parse(root, "--verify", "-q", "HEAD", deadline=deadline).code:
                raise GitError(
                    "the commit of its head is missing; it is damaged, or the repository that "
                    "it borrows objects from has gone"
                )
            raise GitError("it has no commits; commit its files first, then ask again")
        raise failure(done.err)
    branch = lines[3].removeprefix("refs/heads/") if lines[3] != "HEAD" else None
    return Head(lines[2], branch, Path(lines[0]), Path(lines[1]))


# --- local paths -----------------------------------------------------------------------------


def _local(folder: Path) -> Source:
    if _is_git_dir(folder):
        base = folder.parent if folder.name == ".git" else folder
        return _source("remote", folder, base.name.removesuffix(".git"))
    root = _work_tree(folder)
    if root is None:
        if folder in (Path.home(), Path(folder.anchor)):
            raise InputError(f"{folder} holds far more than one project; name a folder inside it.")
        return _source("folder", folder, folder.name)
    inside = folder.relative_to(root).as_posix()
    if inside == ".":
        return _source("worktree", root, root.name)
    prefix = show(os.fsencode(inside))
    return replace(_source("worktree", root, f"{root.name}/{prefix}"), prefix=f"{prefix}/")


def _source(kind: SourceKind, path: Path, name: str) -> Source:
    location = str(path)
    if _UNFIT.search(location):  # it is shown, stored and logged
        raise InputError("The path of a repository must be printable UTF-8; rename the folder.")
    return Source(_id([name.split("/", maxsplit=1)[0]], location), name or location, kind, location)


def _id(words: Sequence[str], location: str) -> str:
    slug = re.sub(r"[^a-z0-9]+", "-", "-".join(words).lower()).strip("-")[:_SLUG_CHARACTERS]
    digest = hashlib.sha256(location.encode("utf-8", "surrogateescape")).hexdigest()[:10]
    return f"{slug or 'source'}-{digest}"


def _folder(spec: str, cwd: Path) -> Path:
    """Return the folder that a path names, with symbolic links resolved."""
    if _CONTROL.search(spec):
        raise ForbiddenError("A repository path can't hold control characters.")
    try:
        path = (cwd / Path(spec).expanduser()).resolve()
        if path.is_dir():
            return path
        exists = path.exists()
    except (OSError, RuntimeError) as error:
        raise SourceError(f"The path {spec[:200]!r} can't be looked at; check it.") from error
    if exists:
        raise InputError(f"{spec!r} is a file; give the folder or repository that holds it.")
    hint = f" (for an address write https://{spec})" if re.match(r"[\w-]+\.[a-z]+/\w", spec) else ""
    raise SourceError(f"There is no folder {spec[:200]!r}; check the path{hint}.")


def _file_path(spec: str) -> str:
    parts = urlsplit(spec)
    if parts.netloc not in ("", "localhost"):
        raise ForbiddenError("A file:// address must name a path on this machine: file:///path.")
    return unquote(parts.path)


def _names_folder(spec: str, cwd: Path) -> bool:
    """Tell whether what looks like `host:path` is the name of a folder here."""
    return "://" not in spec and "::" not in spec and "\0" not in spec and (cwd / spec).is_dir()


def _is_git_dir(folder: Path) -> bool:
    return (folder / "HEAD").is_file() and all(
        (folder / name).is_dir() for name in ("objects", "refs")
    )


def _work_tree(folder: Path) -> Path | None:
    """Return the root of the work tree that holds a folder, unless it ignores that folder."""
    done = _rev_parse(folder, "--show-toplevel")
    if done.code:
        if "not a git repository" in done.err or "must be run in a work tree" in done.err:
            return None
        raise failure(done.err).about(str(folder))
    root = Path(done.text()).resolve()
    if root != folder and root not in folder.parents:
        raise ForbiddenError(
            f"The repository at {folder} claims files elsewhere (core.worktree); name that folder."
        )
    if root != folder and _ignores(root, folder):
        return None
    return root


def _ignores(root: Path, folder: Path) -> bool:
    deadline = Deadline(_SECONDS)
    inside = str(folder.relative_to(root))
    env = {"GIT_LITERAL_PATHSPECS": "1"}
    try:
        ignored = run(("check-ignore", "-q", "--", inside), deadline, cwd=root, ok=(0, 1))
        tracked = run(("ls-files", "-z", "--", inside), deadline, cwd=root, env=env)
    except GitError as error:
        raise error.about(str(root)) from error
    return ignored.code == 0 and not tracked.out


def _rev_parse(folder: Path, *arguments: str, deadline: Deadline | None = None) -> Done:
    bound = deadline or Deadline(_SECONDS)
    try:
        return run(("rev-parse", *arguments), bound, cwd=folder, ok=())
    except GitError as error:
        if deadline is not None:
            raise
        raise error.about(str(folder)) from error


def _spellings(source: Source) -> list[str]:
    """Return a source's possible names, the shortest first; the last one is unique."""
    if not Path(source.location).is_absolute():
        return [source.name, source.location, f"{source.name}@{source.id[-10:]}"]
    *parents, _ = Path(source.location).parts[1:] or ("",)
    longer = ["/".join([*parents[-n:], source.name]) for n in range(1, len(parents) + 1)]
    return [source.name, *longer, f"{source.name}@{source.id[-10:]}"]
