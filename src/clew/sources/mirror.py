"""The bare repository in which Clew keeps what it has read of one location.

One mirror serves every question about a location, whatever folder of it is asked about. Revisions
are kept by refs under `refs/clew/keep/`, named by their ids, so neither a force-push nor a garbage
collection takes one away. It is written only while its lock is held; readers need no lock, because
what a kept revision needs is never taken away. It never contacts anything.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from filelock import FileLock, Timeout

from clew.errors import BusyError
from clew.sources.gitcmd import Deadline, Done, run
from clew.sources.giterror import GitError
from clew.types import Revision

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence
    from pathlib import Path

    from clew.types import Source

KEEP = "refs/clew/keep/"
OBJECT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
REVISION_ID = re.compile(rf"({OBJECT_ID.pattern})(\+dirty\.[0-9a-f]{{12}})?")
READ_SECONDS = 60.0  # for commands that read this disk only
_STATE = "clew.json"
_PATIENCE_SECONDS = 0.3  # how long a wait for the lock is not worth a word
_TOLD_SECONDS = 1.0  # between two words about the same wait


@dataclass(frozen=True, slots=True)
class State:
    """What the last successful sync found.

    Attributes:
        started: When that sync began, in Unix seconds: it saw everything from before.
        url: The spelling of the address that answered, "" for a path.
        refs: When the last sync began that brought every branch and tag too.
        kind: The source's kind, "" when an older version wrote this; and so its location.
    """

    revision: Revision
    started: float
    url: str = ""
    refs: float = 0.0
    kind: str = ""
    location: str = ""


@dataclass(frozen=True, slots=True)
class Mirror:
    """Where one location is kept: `path` is the bare repository, `lock` guards writing to it."""

    path: Path
    lock: Path

    @classmethod
    def of(cls, source: Source, data: Path) -> Mirror:
        """Return the mirror of a source, which need not exist yet."""
        return cls(data / "git" / f"{source.id}.git", data / "locks" / f"git-{source.id}.lock")

    def git(
        self,
        *args: str,
        deadline: Deadline | None = None,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        ok: Sequence[int] = (0,),
    ) -> Done:
        """Run git in the mirror."""
        bound = deadline or Deadline(READ_SECONDS)
        return run(args, bound, git_dir=self.path, stdin=stdin, env=env, ok=ok)

    # --- holding it ---------------------------------------------------------------------------

    @contextmanager
    def held(
        self, deadline: Deadline, name: str, progress: Callable[[str], None]
    ) -> Generator[None]:
        """Hold the mirror for writing; waits until `deadline`, across threads and processes.

        Raises:
            BusyError: Another thread or process held it all that time.
        """
        for folder in (self.path.parent, self.lock.parent):
            folder.mkdir(exist_ok=True, mode=0o700)
        lock = FileLock(self.lock)
        try:
            try:
                lock.acquire(timeout=min(_PATIENCE_SECONDS, deadline.left()))
            except Timeout:
                _wait_for(lock, deadline, f"Waiting for another sync of {name}", progress)
        except Timeout as error:
            raise BusyError(
                f"{name} has been held by another sync for {deadline.seconds:g} s; ask again."
            ) from error
        mark = self.lock.with_suffix(".busy")
        try:
            if mark.exists():
                self._clear_stale_locks()
            mark.touch()
            yield
            mark.unlink(missing_ok=True)  # stays when the sync failed or its process died
        finally:
            lock.release()

    def _clear_stale_locks(self) -> None:
        """Remove lock files of a git that was killed; nobody else writes while we hold ours."""
        for found in (*self.path.glob("*.lock"), *self.path.glob("refs/**/*.lock")):
            found.unlink(missing_ok=True)

    # --- making it ----------------------------------------------------------------------------

    @contextmanager
    def being_made(self) -> Generator[Path]:
        """Yield a path to make the repository at; it takes the mirror's place when all is well."""
        draft = self.path.with_name(f".{self.path.name}.new")
        shutil.rmtree(draft, ignore_errors=True)
        try:
            yield draft
            draft.rename(self.path)
        finally:
            shutil.rmtree(draft, ignore_errors=True)

    def make_empty(self, object_format: str = "sha1") -> None:
        """Make the mirror without any object."""
        with self.being_made() as draft:
            init_bare(draft, object_format)

    # --- what the last sync found ---------------------------------------------------------------

    def state(self) -> State | None:
        """Return what the last successful sync found, or None before the first."""
        try:
            found = cast("dict[str, Any]", json.loads((self.path / _STATE).read_bytes()))
            revision = Revision(**found.pop("revision"))
            notes = tuple(cast("list[str]", revision.notes))
            return State(replace(revision, notes=notes), **found)
        except (OSError, ValueError, KeyError, TypeError):
            return None  # the next sync writes it again

    def save(self, state: State) -> None:
        """Write what a sync has found, at once or not at all."""
        draft = self.path / f"{_STATE}.new"
        draft.write_text(json.dumps(asdict(state)), encoding="utf-8")
        draft.replace(self.path / _STATE)

    # --- revisions ----------------------------------------------------------------------------

    def keep(self, revision: Revision) -> None:
        """Keep a revision's commit and tree until it is pruned, and note that it was pinned now."""
        if revision.commit:
            self._keep(revision.commit, revision.commit)
        if revision.id != revision.commit:
            self._keep(revision.id, revision.tree)

    def _keep(self, name: str, oid: str) -> None:
        try:
            os.utime(self.path / KEEP / name)  # pruning looks at this time
        except FileNotFoundError:  # a packed one is written again, harmlessly
            self.git("update-ref", KEEP + name, oid)

    def has(self, commit: str) -> bool:
        """Tell whether a commit is in the mirror."""
        return self.git("cat-file", "-e", f"{commit}^{{commit}}", ok=()).code == 0

    def commit_facts(self, commit: str) -> tuple[str, int | None]:
        """Return a commit's tree and its committer's time in Unix seconds."""
        body = self.git("cat-file", "commit", commit).out.split(b"\n\n", 1)[0]
        tree = re.search(rb"^tree ([0-9a-f]+)$", body, re.MULTILINE)
        when = re.search(rb"^committer .*> (-?\d+) [+-]\d+$", body, re.MULTILINE)
        if tree is None:
            raise GitError(f"commit {commit[:12]} is corrupt")
        return tree[1].decode("ascii"), int(when[1]) if when else None


def _wait_for(
    lock: FileLock, deadline: Deadline, message: str, progress: Callable[[str], None]
) -> None:
    """Take the lock, telling every second that it is waited for: who has left raises there."""
    ends = time.monotonic() + deadline.seconds - _PATIENCE_SECONDS
    while True:
        progress(message)
        left = ends - time.monotonic()
        try:
            lock.acquire(timeout=max(0.0, min(left, _TOLD_SECONDS)))
            return
        except Timeout:
            if left <= _TOLD_SECONDS:
                raise


def init_bare(path: Path, object_format: str = "sha1") -> None:
    """Make an empty bare repository without the user's template."""
    arguments = ("init", "-q", "--bare", "--template=", f"--object-format={object_format}")
    run((*arguments, "--", str(path)), Deadline(READ_SECONDS))
