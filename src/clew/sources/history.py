"""How one source came to be what it is: who changed which lines and when, read out of its mirror.

Everything is asked of the pinned revision. No filter, no external program and no setting of the
user or of the repository takes part, paths are taken literally, and every command has a bound in
seconds. What is returned is raw: whoever shows it takes secrets out. Nothing here writes, except
the commit object that uncommitted changes need so that git can tell their lines from committed
ones.
"""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from clew.errors import NotFoundError, SourceError, SourceUnreachableError
from clew.sources.gitcmd import Deadline, start_batch, stop_batch
from clew.sources.giterror import GitError
from clew.sources.mirror import READ_SECONDS, Mirror
from clew.sources.paths import raw, show
from clew.sources.revisions import resolve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path
    from typing import TypeVar

    from clew.types import Revision, Source

    T = TypeVar("T")

UNCOMMITTED = "uncommitted changes"  # the subject of the commit that stands for them
_NOBODY = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "nobody"), ("EMAIL", "nobody"), ("DATE", "@1 +0000"))
}
# Only git's own defaults: a user's settings could name files, programs or formats.
_NO_CONFIG = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_COUNT": "0",
    "GIT_LITERAL_PATHSPECS": "1",
}
# The same for a command that is followed while it runs, which takes no variables.
_HARMLESS = (
    "log.showSignature=false",
    f"diff.orderFile={os.devnull}",
    "log.follow=false",
    "log.mailmap=true",
)
_PLAIN = ("--no-ext-diff", "--no-textconv", "--no-color")
_FORMAT = "--format=%H%x00%an%x00%at%x00%B"
_BLAMED = re.compile(rb"^([0-9a-f]{40,64}) \d+ (\d+)(?: (\d+))?$")
_HUNK = re.compile(rb"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit as its author left it.

    Attributes:
        authored_at: Unix seconds.
        body: What follows the subject.
        uncommitted: It stands for changes that nobody has committed yet.
    """

    sha: str
    author: str
    authored_at: int
    subject: str
    body: str = ""
    uncommitted: bool = False


@dataclass(frozen=True, slots=True)
class Blamed:
    """One line and the commit that it was last changed in."""

    line: int
    commit: Commit


@dataclass(frozen=True, slots=True)
class Log:
    """Commits, the newest first; `stopped` says why there may be more, "" when there are none."""

    commits: tuple[Commit, ...]
    stopped: str = ""


@dataclass(frozen=True, slots=True)
class Hunk:
    """A run of changed lines: `count` lines from `start` before and after; 0 lines is none."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int


@dataclass(frozen=True, slots=True)
class Change:
    """One file that differs; `added` is None for a binary one. An object id is "" for none."""

    path: str
    old_path: str
    old_oid: str
    new_oid: str
    added: int | None = None
    deleted: int | None = None


@dataclass(frozen=True, slots=True)
class GitHistory:
    """The history of one source up to its pinned revision."""

    source: Source
    revision: Revision
    mirror: Mirror

    @classmethod
    def of(cls, source: Source, revision: Revision, data: Path) -> GitHistory | None:
        """The history of a pinned source, or None for a plain folder, which has none."""
        return cls(source, revision, Mirror.of(source, data)) if revision.commit else None

    @property
    def shallow(self) -> bool:
        """Whether the copy ends before the first commit."""
        return (self.mirror.path / "shallow").exists()

    def blame(self, path: str, start: int, end: int, seconds: float) -> list[Blamed]:
        """Who changed each of these lines last.

        Raises:
            NotFoundError: The path or the lines are not in the pinned revision.
            SourceError: The history can't be read.
            SourceUnreachableError: It took longer than `seconds`.
        """

        def ask() -> list[Blamed]:
            name = _literal(path)
            args = ("blame", "--porcelain", "--no-textconv", f"-L{start},{end}", self._tip())
            out = self._git(*args, "--", name, deadline=Deadline(seconds))
            return _read_blame(out)

        return self._guarded(ask, seconds)

    def log(
        self,
        path: str,
        limit: int,
        seconds: float,
        *,
        lines: tuple[int, int] | None = None,
        since: str = "",
        until: str = "",
    ) -> Log:
        """The newest commits that touched a file, a folder ("" for everything) or some lines.

        Args:
            path: As git knows it at the end of the range.
            limit: Commits at most.
            seconds: After these, what was found until then is returned.
            lines: First and last line; their history is followed through moves inside the file.
            since: A commit whose ancestors are left out.
            until: The newest commit; the pinned revision when left out.

        Raises:
            SourceError: The history can't be read.
        """

        def ask() -> Log:
            tip = until or self._tip()
            span = f"{since}..{tip}" if since else tip
            args = ["-z", _FORMAT, "--no-patch", *_PLAIN, f"--max-count={limit + 1}", span]
            if lines is not None:
                args.append(f"-L{lines[0]},{lines[1]}:{_literal(path)}")
            elif path and not path.endswith("/"):
                args += ["--follow", "--", _literal(path)]
            elif path:
                args += ["--", _literal(path)]
            commits, stopped = self._follow(args, Deadline(seconds))
            if len(commits) > limit:
                return Log(tuple(commits[:limit]), f"the newest {limit}")
            return Log(tuple(commits), stopped)

        return self._guarded(ask, seconds)

    def resolve(self, name: str) -> Commit:
        """The commit that a branch, tag, SHA or date means in this source.

        Raises:
            InputError: It is no name of a revision.
            NotFoundError: The source has no such revision.
        """

        def ask() -> Commit:
            found = resolve(self.source, self.mirror, self.revision, name)
            out = self._git("log", "-1", "-z", _FORMAT, "--no-patch", found.commit)
            return next(_commits(out))

        return self._guarded(ask, READ_SECONDS)

    def changes(self, since: str, until: str, path: str, seconds: float) -> list[Change]:
        """The files below a path that differ between two commits, by path; renames are followed.

        Raises:
            SourceError: The history can't be read.
            SourceUnreachableError: It took longer than `seconds`.
        """

        def ask() -> list[Change]:
            bound = Deadline(seconds)
            tip = until or self._tip()
            tail = ("-z", "-M", *_PLAIN, since, tip, "--", *([_literal(path)] if path else ()))
            listed = self._git("diff", "--raw", "--no-abbrev", *tail, deadline=bound)
            counted = self._git("diff", "--numstat", *tail, deadline=bound)
            return _read_changes(listed, counted)

        return self._guarded(ask, seconds)

    def hunks(self, change: Change, seconds: float) -> list[Hunk]:
        """Which lines of a changed file differ."""

        def ask() -> list[Hunk]:
            args = ("diff", "-U0", *_PLAIN, change.old_oid, change.new_oid, "--")
            out = self._git(*args, deadline=Deadline(seconds))
            return [_hunk(found) for found in _HUNK.finditer(out)]

        return self._guarded(ask, seconds) if change.old_oid and change.new_oid else []

    def blob(self, oid: str, most: int) -> bytes:
        """The content of an object, as git holds it; nothing when it has more than `most` bytes."""

        def ask() -> bytes:
            size = int(self._git("cat-file", "-s", oid) or 0)
            return self._git("cat-file", "blob", oid) if size <= most else b""

        return self._guarded(ask, READ_SECONDS) if oid else b""

    # --- git -----------------------------------------------------------------------------------

    def _tip(self) -> str:
        """The commit to ask; uncommitted changes get one of their own on top of theirs."""
        commit = self.revision.commit or ""
        if not self.revision.dirty:
            return commit
        args = ("commit-tree", self.revision.tree, "-p", commit, "-m", UNCOMMITTED)
        return self._git(*args, env=_NOBODY).decode("ascii").strip()

    def _git(
        self, *args: str, deadline: Deadline | None = None, env: Mapping[str, str] | None = None
    ) -> bytes:
        variables = {**_NO_CONFIG, **(env or {})}
        return self.mirror.git(*args, deadline=deadline, env=variables).out

    def _follow(self, args: list[str], deadline: Deadline) -> tuple[list[Commit], str]:
        """Run `git log`; when its time is over, keep what it has said until then."""
        harmless = [part for pair in _HARMLESS for part in ("-c", pair)]
        head = ["--literal-pathspecs", *harmless, "log"]
        process = start_batch(self.mirror.path, [*head, *args])
        stopped = ""
        try:
            out, _ = process.communicate(timeout=deadline.left())
        except subprocess.TimeoutExpired as error:
            out, stopped = error.output or b"", f"the time limit of {deadline.seconds:g} s"
        finally:
            stop_batch(process)
        if process.returncode and not stopped:
            raise GitError("git could not follow it: its history may be incomplete or damaged")
        return list(_commits(out)), stopped

    def _guarded(self, work: Callable[[], T], seconds: float) -> T:
        name = self.source.name
        try:
            return work()
        except GitError as error:
            if error.transient:
                raise SourceUnreachableError(
                    f"Reading the history of {name} took longer than {seconds:g} s: ask about "
                    "fewer lines or a smaller range."
                ) from error
            if "has only" in error.reason or "no such path" in error.reason:
                raise NotFoundError(
                    f"The history of {name} has no such lines: {error.reason}."
                ) from error
            raise SourceError(f"The history of {name} can't be read: {error.reason}.") from error


def _literal(path: str) -> str:
    return raw(path).decode("utf-8", "surrogateescape")


def _commits(out: bytes) -> Iterator[Commit]:
    """The whole commits in what `git log -z` has written; a last one may have been cut off."""
    fields = out.split(b"\0")
    whole = out.endswith((b"\0", b"\n")) or len(fields) % 4 == 0
    for at in range(0, len(fields) - 3, 4):
        if at + 4 >= len(fields) and not whole:
            return
        sha, author, when, message = (
            part.decode("utf-8", "replace") for part in fields[at : at + 4]
        )
        subject, _, body = message.strip("\n").partition("\n")
        yield _commit(sha.strip(), author, int(when or 0), subject, body.strip())


def _commit(sha: str, author: str, when: int, subject: str, body: str = "") -> Commit:
    mark = (author, when, subject) == ("nobody", 1, UNCOMMITTED)
    return Commit(sha, author, when, subject, body, uncommitted=mark)


def _read_blame(out: bytes) -> list[Blamed]:
    commits: dict[bytes, Commit] = {}
    lines: list[Blamed] = []
    sha, number = b"", 0
    facts: dict[bytes, bytes] = {}
    for line in out.split(b"\n"):
        if line.startswith(b"\t"):
            if sha not in commits:
                commits[sha] = _commit(
                    sha.decode("ascii"),
                    facts.get(b"author", b"").decode("utf-8", "replace"),
                    int(facts.get(b"author-time", b"0")),
                    facts.get(b"summary", b"").decode("utf-8", "replace"),
                )
            lines.append(Blamed(number, commits[sha]))
        elif found := _BLAMED.match(line):
            sha, number, facts = found[1], int(found[2]), {}
        else:
            key, _, value = line.partition(b" ")
            facts[key] = value
    return lines


def _read_changes(listed: bytes, counted: bytes) -> list[Change]:
    fields = iter(listed.split(b"\0"))
    found: dict[bytes, Change] = {}
    for facts in fields:
        if not facts:
            break
        _, _, old, new, status = facts.split()
        first = next(fields)
        last = next(fields) if status[:1] in b"RC" else first
        oids = (_oid(old), _oid(new))
        found[last] = Change(show(last), show(first), *oids)
    counts = iter(counted.split(b"\0"))
    for row in counts:
        if not row:
            break
        added, deleted, name = row.split(b"\t", 2)
        if not name:  # a rename: both names follow
            next(counts)
            name = next(counts)
        if name in found and added.isdigit():
            found[name] = replace(found[name], added=int(added), deleted=int(deleted))
    return sorted(found.values(), key=lambda change: change.path)


def _oid(text: bytes) -> str:
    return "" if set(text) == {ord("0")} else text.decode("ascii")


def _hunk(found: re.Match[bytes]) -> Hunk:
    old, new = int(found[1]), int(found[3])
    return Hunk(old, int(found[2] or 1), new, int(found[4] or 1))
