"""Keeps the data folder small: drops what no question needs any more, and says what it freed.

It works while others ask: a revision that was pinned in the last hour stays, readers keep the file
they have open, and what is dropped can be made again by the next question. A source's index and
mirror go as a whole only when its folder is gone and the caller says so. It never touches records.
"""

from __future__ import annotations

import re
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from clew.errors import ClewError, IndexFailedError
from clew.index.compact import Compacted, compact
from clew.index.generations import discard, generations
from clew.index.lock import alone
from clew.index.view import indexed_revisions
from clew.sources.gitcmd import Deadline
from clew.sources.giterror import GitError
from clew.sources.mirror import Mirror
from clew.sources.prune import collect, forget, last_used, needed, own_bytes, remove

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from clew.index.store import RevisionRow
    from clew.sources.mirror import State

PINNED_SECONDS = 3_600.0
"""A revision that was pinned in that time may be in a running question's hands."""

HOLD_SECONDS = 120.0
COLLECT_SECONDS = 600.0
"""How long to wait for a source that others hold, and how long git may tidy its mirror."""

_INDEX = re.compile(r"(.+?)(?:\.[0-9]{1,9})?\.db")


@dataclass(frozen=True, slots=True)
class PruneOptions:
    """What to drop.

    Attributes:
        data: The data folder.
        keep: How many of the newest indexed revisions stay in any case.
        saved: Revisions that saved answers were read from, by source id; they stay.
        embedder: The id of the embedder whose vectors stay, "" for none; None to keep all.
        gone: Also remove what is kept of sources whose folder is there no longer.
        dry_run: Only say what would be done.
    """

    data: Path
    keep: int
    saved: Mapping[str, Collection[str]]
    gone: bool = False
    dry_run: bool = False
    embedder: str | None = None


@dataclass(frozen=True, slots=True)
class Pruned:
    """What became of one source.

    Attributes:
        source: What it is called in the data folder.
        location: Where it lies, "" when that was never noted.
        dropped: Indexed revisions that were dropped, or would be.
        kept: How many are left.
        freed: Bytes; 0 in a dry run.
        bytes: What it takes now.
        gone: Whether its folder is there no longer.
        removed: Whether everything about it was removed, or would be.
        problem: Why it could not be done, or None.
    """

    source: str
    location: str
    dropped: tuple[str, ...] = ()
    kept: int = 0
    freed: int = 0
    bytes: int = 0
    gone: bool = False
    removed: bool = False
    problem: str | None = None


def stored_sources(data: Path) -> list[str]:
    """The ids of the sources that the data folder holds anything of, sorted."""
    found = {path.name.removesuffix(".git") for path in (data / "git").glob("[!.]*.git")}
    for path in (data / "index").glob("[!.]*.db"):
        if name := _INDEX.fullmatch(path.name):
            found.add(name[1])
    return sorted(found)


def prune(ids: Sequence[str], options: PruneOptions, report: Callable[[str], None]) -> list[Pruned]:
    """Prune these sources, one after the other; one that fails does not stop the others.

    Args:
        ids: Source ids, as `stored_sources` gives them.
        options: What to drop.
        report: Is told, in words, what is being done; what it raises stops it.
    """
    done: list[Pruned] = []
    for id_ in ids:
        stored = _Stored(id_, options, report)
        try:
            done.append(stored.prune())
        except (GitError, ClewError, OSError) as error:
            done.append(stored.failed(_message(error, id_)))
    return done


def _message(error: GitError | ClewError | OSError, name: str) -> str:
    if isinstance(error, OSError):
        return f"{error.strerror or error}: check the disk and the permissions, then try again."
    return (error.about(name) if isinstance(error, GitError) else error).message


class _Stored:
    """One source in the data folder."""

    def __init__(self, id_: str, options: PruneOptions, report: Callable[[str], None]) -> None:
        self._id = id_
        self._options = options
        self._report = report
        self._index = options.data / "index" / f"{id_}.db"
        locks = options.data / "locks"
        self._mirror = Mirror(options.data / "git" / f"{id_}.git", locks / f"git-{id_}.lock")
        self._state = self._mirror.state()
        self._before = self._bytes()

    def failed(self, problem: str) -> Pruned:
        return Pruned(self._id, _location(self._state), bytes=self._bytes(), problem=problem)

    def prune(self) -> Pruned:
        gone = _is_gone(self._state)
        rows = indexed_revisions(self._index)
        if gone and self._options.gone:
            if not self._options.dry_run:
                self._remove()
            return self._told([row.revision for row in rows], 0, gone=True, removed=True)
        if self._options.dry_run:
            stay = self._staying()
            dropped = [row.revision for row in rows if row.revision not in stay]
            return self._told(dropped, len(rows) - len(dropped), gone=gone)
        done = self._compact()
        self._prune_mirror()
        left = len(indexed_revisions(self._index))
        return self._told([row.id for row in done.dropped], left, gone=gone)

    def _told(
        self, dropped: Sequence[str], kept: int, *, gone: bool, removed: bool = False
    ) -> Pruned:
        now = self._bytes()
        return Pruned(
            source=self._id,
            location=_location(self._state),
            dropped=tuple(dict.fromkeys(dropped)),
            kept=kept,
            freed=max(self._before - now, 0),
            bytes=now,
            gone=gone,
            removed=removed,
        )

    def _staying(self) -> set[str]:
        """Ids of the revisions that stay: head, newest, saved with answers, lately pinned."""
        state = self._mirror.state()
        stay = {state.revision.id} if state else set[str]()
        newest = sorted(indexed_revisions(self._index), key=lambda row: -row.created)
        stay.update(list(dict.fromkeys(row.revision for row in newest))[: self._options.keep])
        stay.update(self._options.saved.get(self._id, ()))
        since = time.time() - PINNED_SECONDS
        if self._mirror.path.is_dir():
            stay.update(name for name, at in last_used(self._mirror).items() if at >= since)
        return stay

    def _compact(self) -> Compacted:
        if not generations(self._index):
            return Compacted()
        with alone(self._index, HOLD_SECONDS, lambda: self._say("waiting for its index")):
            stay = self._staying()

            def keep(row: RevisionRow) -> bool:
                return row.id in stay

            def alive() -> None:
                self._say("making the index smaller")

            return compact(self._index, keep, alive, self._options.embedder)

    def _prune_mirror(self) -> None:
        mirror = self._mirror
        if not mirror.path.is_dir():
            return
        with mirror.held(Deadline(HOLD_SECONDS), self._id, self._say):
            kept = last_used(mirror)  # before asking who stays: a later pin is seen there
            stay = needed(self._staying())
            forget(mirror, [name for name in kept if name not in stay])
            self._say("removing old objects")
            kind = self._state.kind if self._state else ""
            collect(mirror, kind, Deadline(COLLECT_SECONDS))

    def _remove(self) -> None:
        """Everything of a source whose folder is gone; it may have come back meanwhile."""
        with (
            self._mirror.held(Deadline(HOLD_SECONDS), self._id, self._say),
            alone(self._index, HOLD_SECONDS, lambda: self._say("waiting for its index")),
        ):
            if not _is_gone(self._mirror.state()):
                raise IndexFailedError("its folder is there again: nothing was removed")
            for file in generations(self._index):
                discard(file)
            remove(self._mirror)

    def _say(self, words: str) -> None:
        self._report(f"{self._id}: {words}")

    def _bytes(self) -> int:
        total = own_bytes(self._mirror.path) if self._mirror.path.is_dir() else 0
        for file in generations(self._index):
            with suppress(FileNotFoundError):  # another prune may just have replaced it
                total += file.stat().st_size
        return total


def _location(state: State | None) -> str:
    return state.location if state else ""


def _is_gone(state: State | None) -> bool:
    if state is None or state.kind not in ("worktree", "folder") or not state.location:
        return False
    return not Path(state.location).exists()
