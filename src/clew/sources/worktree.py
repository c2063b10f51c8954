"""Turns the files of a folder, as they are now, into a git tree inside Clew's own mirror.

The asked repository's own configuration may name programs (filters, monitors, hooks), so git never
works inside it: it works on the mirror, with the folder as its work tree, an index of ours, and a
handful of harmless settings. Ignore files are honoured. Inner repositories and submodules are
named, never entered. Nothing is written outside the mirror.
"""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clew.sources.gitcmd import Deadline, Done, run
from clew.sources.giterror import GitError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from clew.sources.mirror import Mirror

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

# Folders that tools fill by themselves. They are left out of what git doesn't already track.
TOOL_FOLDERS = (
    "node_modules",
    "bower_components",
    ".venv",
    "venv",
    "__pycache__",
    ".tox",
    ".nox",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".gradle",
    ".terraform",
    ".hg",
    ".svn",
)
_TREE_KEYS = "autocrlf|eol|filemode|ignorecase|symlinks|precomposeunicode"
_USER_KEYS = f"{_TREE_KEYS}|excludesfile|attributesfile"
_SUBMODULE = b"160000"
_NAMED = 5  # how many paths a note names before it only counts
_UNREADABLE = re.compile(
    r"^(?:error: unable to index file '(.*)'|warning: could not open directory '(.*?)/?': .*"
    r"|error: '(.*?)/?' does not have a commit checked out)$",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Origin:
    """The repository a work tree belongs to: its own git directory, and the one it shares."""

    commit: str
    tree: str
    git_dir: Path
    common_dir: Path


@dataclass(frozen=True, slots=True)
class Written:
    """The tree that was written, the unknown repositories inside, and what could not be read."""

    tree: str
    nested: tuple[str, ...]
    notes: tuple[str, ...]


def write_tree(
    mirror: Mirror,
    root: Path,
    origin: Origin | None,
    nested: Sequence[str],
    deadline: Deadline,
) -> Written:
    """Write the files under `root` as a tree; `origin` is None for a folder outside git.

    Args:
        mirror: Where the tree goes; it holds the origin's commit.
        root: The work tree or folder.
        origin: What its own repository says, or None.
        nested: The unknown repositories that the last call found.
        deadline: When to give up.

    Raises:
        GitError: The folder could not be read.
    """
    _write_info(mirror, root, origin)
    tree = _Tree(mirror, root, _settings(mirror, origin, deadline), deadline)
    try:
        return _write(tree, origin, nested)
    except GitError as error:
        if error.transient or not tree.index.exists():
            raise
        tree.index.unlink()  # it may be damaged: once more without it
        return _write(tree, origin, ())


def _write(tree: _Tree, origin: Origin | None, nested: Sequence[str]) -> Written:
    seeded = origin is not None and tree.seed(origin)
    if nested and not seeded:  # else git would look into them for changes
        tree.git("update-index", "-z", "--force-remove", "--stdin", stdin=_lines(nested))
    notes = _left_out(tree.add_all())
    written = tree.git("write-tree").text()
    base = origin.tree if origin else EMPTY_TREE
    inner = tree.new_submodules(base, written) if written != base else ()
    if inner:
        notes = (*notes, f"Repositories inside it are named and not read: {_some(inner)}.")
    return Written(written, inner, notes)


@dataclass(frozen=True, slots=True)
class _Tree:
    """Git at work on a folder, with the mirror's objects and an index of our own."""

    mirror: Mirror
    root: Path
    settings: Sequence[str]
    deadline: Deadline

    @property
    def index(self) -> Path:
        return self.mirror.path / "clew-index"

    def git(self, *args: str, stdin: bytes = b"", ok: Sequence[int] = (0,)) -> Done:
        env = {
            "GIT_WORK_TREE": str(self.root),
            "GIT_INDEX_FILE": str(self.index),
            "GIT_CONFIG_GLOBAL": os.devnull,  # where the user's own filters would be named
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_COUNT": "0",
            "GIT_LITERAL_PATHSPECS": "1",
        }
        return run(
            (*self.settings, *args),
            self.deadline,
            git_dir=self.mirror.path,
            cwd=self.root,
            stdin=stdin,
            env=env,
            ok=ok,
        )

    def add_all(self) -> str:
        """Bring the index up to the files, and return what git complained of."""
        done = self.git("add", "-A", "--ignore-errors", "--", ".", ok=(0, 1))
        return done.err

    def seed(self, origin: Origin) -> bool:
        """Start from the head's tree when the head or the repository's own index has changed.

        The own index is copied for what it knows of the files' times, so unchanged files are not
        read; `read-tree --reset` then drops from it all that isn't the head's. Its entries for
        submodules, and for files behind a filter, are set aside: looking at them would start
        programs.

        Returns:
            Whether the index was started anew.
        """
        theirs = origin.git_dir / "index"
        try:
            facts = theirs.stat()
            key = f"{origin.commit} {facts.st_mtime_ns} {facts.st_size} {facts.st_ino}"
        except OSError:
            key = origin.commit
        mark = self.mirror.path / "clew-index.seed"
        if self.index.exists() and mark.exists() and mark.read_text("utf-8") == key:
            return False
        mark.unlink(missing_ok=True)
        self.index.unlink(missing_ok=True)
        try:
            shutil.copy2(theirs, self.index)  # with its times: git judges races by them
            self.git("read-tree", "--reset", origin.commit)
        except (OSError, GitError):
            self.index.unlink(missing_ok=True)
            self.git("read-tree", origin.commit)
        self._set_aside()
        mark.write_text(key, "utf-8")
        return True

    def _set_aside(self) -> None:
        listed = self.git("ls-files", "-s", "-z").out.split(b"\0")
        entries = [line.partition(b"\t") for line in listed if line]
        names = b"".join(name + b"\0" for _, _, name in entries)
        answers = self.git("check-attr", "-z", "--stdin", "filter", stdin=names).out.split(b"\0")
        aside = [name for facts, _, name in entries if facts.startswith(_SUBMODULE)]
        aside += [
            name
            for name, value in zip(answers[0::3], answers[2::3], strict=False)
            if value not in (b"unspecified", b"unset")
        ]
        if aside:
            paths = b"".join(name + b"\0" for name in aside)
            self.git("update-index", "-z", "--skip-worktree", "--stdin", stdin=paths)

    def new_submodules(self, base: str, tree: str) -> tuple[str, ...]:
        """Return the inner repositories that `tree` has and `base` has not."""
        out = self.git("diff-tree", "-r", "-z", "--diff-filter=AT", base, tree).out
        fields = out.split(b"\0")
        return tuple(
            os.fsdecode(name)
            for facts, name in zip(fields[0::2], fields[1::2], strict=False)
            if facts.split()[1] == _SUBMODULE
        )


def _settings(mirror: Mirror, origin: Origin | None, deadline: Deadline) -> list[str]:
    """Return the few settings that change what a file's content is, as `-c` arguments."""
    user = mirror.git(
        "config", "-z", "--get-regexp", rf"^core\.({_USER_KEYS})$", ok=(0, 1), deadline=deadline
    )
    found = [line for line in user.text().split("\0") if line]
    if origin is not None:
        config = ("--file", str(origin.common_dir / "config"), "--no-includes")
        pattern = rf"^core\.({_TREE_KEYS})$"
        own = run(("config", *config, "-z", "--get-regexp", pattern), deadline, ok=())
        found += [line for line in own.text().split("\0") if line]
    pairs = ["core.bare=false", "core.looseCompression=1", "core.splitIndex=false"]
    pairs += ["=".join(line.split("\n", 1)) for line in found]
    return [part for pair in pairs for part in ("-c", pair)]


def _write_info(mirror: Mirror, root: Path, origin: Origin | None) -> None:
    """Copy the repository's private ignore rules and attributes, and add ours."""
    rules: list[str] = []
    attributes = ""
    if origin is not None:
        rules.append(_text(origin.common_dir / "info" / "exclude"))
        attributes = _text(origin.common_dir / "info" / "attributes")
    rules += [f"{name}/" for name in TOOL_FOLDERS]
    data = mirror.path.parent.parent
    if data.is_relative_to(root):  # Clew's own data never becomes part of what it reads
        inside = re.sub(r"([\\*?\[\]!# ])", r"\\\1", data.relative_to(root).as_posix())
        rules.append(f"/{inside}/")
    info = mirror.path / "info"
    info.mkdir(exist_ok=True)
    for name, text in (("exclude", "\n".join(rules) + "\n"), ("attributes", attributes)):
        if _text(info / name) != text:
            (info / name).write_text(text, "utf-8", "surrogateescape")


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "surrogateescape") if path.is_file() else ""
    except OSError:
        return ""


def _left_out(stderr: str) -> tuple[str, ...]:
    paths = [next(part for part in found if part) for found in _UNREADABLE.findall(stderr)]
    if not paths:
        return ()
    return (f"Left out, because they could not be read: {_some(paths)}.",)


def _some(paths: Sequence[str]) -> str:
    shown = ", ".join(paths[:_NAMED])
    more = len(paths) - _NAMED
    return f"{shown} and {more} more" if more > 0 else shown


def _lines(paths: Sequence[str]) -> bytes:
    return b"".join(os.fsencode(path) + b"\0" for path in paths)
