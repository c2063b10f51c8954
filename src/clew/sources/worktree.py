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
from stat import S_ISDIR, S_ISLNK, S_ISREG
from typing import TYPE_CHECKING, Literal

from clew.sources.gitcmd import Deadline, Done, run
from clew.sources.giterror import GitError, failure
from clew.sources.paths import show

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
_TREE_KEYS = "autocrlf|eol|filemode|symlinks|precomposeunicode"
_USER_KEYS = f"{_TREE_KEYS}|excludesfile|attributesfile"
_SUBMODULE = b"160000"
_NAMED = 5  # how many paths a note names before it only counts
# What git says of a folder it can't open, of a name it never takes, and of a file it can't read.
_CLOSED = re.compile(r"^warning: could not open directory '(.*)/': ", re.MULTILINE)
_IGNORED = re.compile(r"^Ignoring path (.*)$", re.MULTILINE)
_OF_A_FILE = "Unable to process path"
_FULL = "No space left on device"
_LARGE_BYTES = 64 * 1024 * 1024  # an uncommitted file above this is left out: nothing reads it


@dataclass(frozen=True, slots=True)
class Origin:
    """The repository a work tree belongs to: its own git directory, and the one it shares."""

    commit: str
    tree: str
    git_dir: Path
    common_dir: Path


@dataclass(frozen=True, slots=True)
class Written:
    """The tree that was written, and what a reader should know about it."""

    tree: str
    notes: tuple[str, ...]


def write_tree(
    mirror: Mirror,
    root: Path,
    origin: Origin | None,
    deadline: Deadline,
) -> Written:
    """Write the files under `root` as a tree; `origin` is None for a folder outside git.

    Args:
        mirror: Where the tree goes; it holds the origin's commit.
        root: The work tree or folder.
        origin: What its own repository says, or None.
        deadline: When to give up.

    Raises:
        GitError: The folder could not be read.
    """
    _write_info(mirror, root, origin)
    tree = _Tree(mirror, root, _settings(mirror, origin, deadline), deadline)
    try:
        return _write(tree, origin)
    except GitError as error:
        if error.transient or not tree.index.exists():
            raise
        tree.index.unlink()  # it may be damaged: once more without it
        return _write(tree, origin)


def _write(tree: _Tree, origin: Origin | None) -> Written:
    if origin is not None:
        tree.seed(origin)
    notes = tree.add_changed()
    written = tree.git("write-tree").text()
    base = origin.tree if origin else EMPTY_TREE
    inner = tree.new_submodules(base, written) if written != base else ()
    if inner:
        notes = (*notes, f"Repositories inside it are named and not read: {_some(inner)}.")
    return Written(written, notes)


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

    def add_changed(self) -> tuple[str, ...]:
        """Bring the index up to the files, and say what had to be left out.

        `git add` would do it in one step, but starts `git status` inside inner repositories, and
        gives up on a single file that it can't read.
        """
        found = self.git("ls-files", "-z", "--modified", "--others", "--exclude-standard")
        names = dict.fromkeys(name.rstrip(b"/") for name in found.out.split(b"\0") if name)
        add: list[bytes] = []
        special: list[bytes] = []
        large: list[bytes] = []
        for name in names:
            kind = self._kind(name)
            (special if kind == "special" else large if kind == "large" else add).append(name)
        if special:  # pipes and sockets where files were
            self.git("update-index", "-z", "--force-remove", "--stdin", stdin=_lines(special))
        unread = [name.encode() for name in _CLOSED.findall(found.err)] + self._stage(add)
        reasons = (("could not be read", unread), (f"are over {_LARGE_BYTES >> 20} MB", large))
        return tuple(
            f"Left as committed, or out, because they {reason}: {_some(paths)}."
            for reason, paths in reasons
            if paths
        )

    def _kind(self, name: bytes) -> Literal["special", "large", "usual"]:
        try:
            facts = os.lstat(os.fsencode(self.root) + b"/" + name)
        except OSError:
            return "usual"  # deleted; git sees for itself
        if not (S_ISREG(facts.st_mode) or S_ISLNK(facts.st_mode) or S_ISDIR(facts.st_mode)):
            return "special"
        return "large" if facts.st_size > _LARGE_BYTES else "usual"

    def _stage(self, names: list[bytes]) -> list[bytes]:
        """Stage files, halving a batch that fails until the bad ones are found; returns those."""
        bad: list[bytes] = []
        batches = [names] if names else []
        arguments = ("update-index", "-z", "--add", "--remove", "--replace", "--stdin")
        while batches:
            batch = batches.pop()
            done = self.git(*arguments, stdin=_lines(batch), ok=())
            bad += [name.encode() for name in _IGNORED.findall(done.err)]
            if not done.code:
                continue
            if _OF_A_FILE not in done.err or _FULL in done.err:
                raise failure(done.err)
            if len(batch) == 1:
                bad += batch
            else:
                middle = len(batch) // 2
                batches += [batch[middle:], batch[:middle]]
        return bad

    def seed(self, origin: Origin) -> None:
        """Start from the head's tree when the head or the repository's own index has changed.

        The own index is copied for what it knows of the files' times, so unchanged files are not
        read; `read-tree --reset` then drops from it all that isn't the head's. Its entries for
        submodules, and for files behind a filter, are set aside: looking at them would start
        programs.
        """
        theirs = origin.git_dir / "index"
        try:
            facts = theirs.stat()
            key = f"{origin.commit} {facts.st_mtime_ns} {facts.st_size} {facts.st_ino}"
        except OSError:
            key = origin.commit
        mark = self.mirror.path / "clew-index.seed"
        if self.index.exists() and mark.exists() and mark.read_text("utf-8") == key:
            return
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

    def _set_aside(self) -> None:
        listed = self.git("ls-files", "-s", "-z").out.split(b"\0")
        entries = [line.partition(b"\t") for line in listed if line]
        names = _lines([name for _, _, name in entries])
        answers = self.git("check-attr", "-z", "--stdin", "filter", stdin=names).out.split(b"\0")
        aside = [name for facts, _, name in entries if facts.startswith(_SUBMODULE)]
        aside += [
            name
            for name, value in zip(answers[0::3], answers[2::3], strict=False)
            if value not in (b"unspecified", b"unset")
        ]
        if aside:
            self.git("update-index", "-z", "--skip-worktree", "--stdin", stdin=_lines(aside))

    def new_submodules(self, base: str, tree: str) -> tuple[bytes, ...]:
        """Return the inner repositories that `tree` has and `base` has not."""
        out = self.git("diff-tree", "-r", "-z", "--diff-filter=AT", base, tree).out
        fields = out.split(b"\0")
        return tuple(
            name
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
        # What it says of this itself may come from another disk, where one file had both names.
        folds = (origin.git_dir / "head").exists()
        found.append(f"core.ignorecase\n{str(folds).lower()}")
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


def _some(names: Sequence[bytes]) -> str:
    shown = ", ".join(show(name) for name in names[:_NAMED])
    more = len(names) - _NAMED
    return f"{shown} and {more} more" if more > 0 else shown


def _lines(names: Sequence[bytes]) -> bytes:
    return b"".join(name + b"\0" for name in names)
