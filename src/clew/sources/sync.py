"""Brings a source up to date within a bound, and pins the revision that a question reads.

Callers that ask at the same time, in this process or in another, share one refresh. When a source
can't be refreshed, the last revision is given and says why; a source never read before fails
instead. This is the package's door: what goes wrong below comes out as one of `clew.errors`.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from clew.errors import BusyError, NotFoundError, UserError
from clew.redact import redact
from clew.sources.clone import clone_local, fetch_head, fetch_refs
from clew.sources.gitcmd import Deadline, check_version
from clew.sources.giterror import GitError
from clew.sources.local import deepened, note_bounds
from clew.sources.locate import read_head
from clew.sources.mirror import KEEP, REVISION_ID, Mirror, State
from clew.sources.remote import Options, refresh_remote
from clew.sources.revisions import resolve
from clew.sources.snapshot import GitSnapshot
from clew.sources.worktree import Origin, Written, write_tree
from clew.types import Revision

if TYPE_CHECKING:
    from collections.abc import Callable

    from clew.sources.base import Snapshot
    from clew.types import Source

LOCAL_SECONDS = 120.0  # reading a changed work tree is this machine's work and not a network's


def sync(
    source: Source,
    data: Path,
    *,
    timeout: float = 5.0,
    first_timeout: float = 600.0,
    progress: Callable[[str], None] | None = None,
    at: str = "",
    perhaps: str = "",
    allow_private: bool = False,
) -> Snapshot:
    """Refresh a source and pin its present revision, or the one that `at` names.

    Args:
        source: What to read, from `locate`.
        data: Clew's data folder; it is made, readable by its owner only, when it is not there.
        timeout: Seconds a refresh over the network may take.
        first_timeout: Seconds the first copy may take; it may be large.
        progress: Is told, in words, what a long step is doing.
        at: A branch, tag, SHA, date or `HEAD~2`, looked up after the refresh; "" for the head. What
            is not committed is no part of it.
        perhaps: The same, where the source has it; else the head is meant.
        allow_private: Whether a host's name may lead to this machine.

    Returns:
        The present revision, or the last one with `stale` saying why it is not refreshed.

    Raises:
        InputError: `at` can't be a revision, or the source is a plain folder.
        ForbiddenError: The name of its host leads to this machine or its link.
        NotFoundError: The source has no revision `at`.
        SourceError: It was never read before, and can't be.
        SourceUnreachableError: The same, and trying again may help.
        BusyError: The same, because someone else is still making the first copy.
    """
    tell = progress or _silent
    data.mkdir(parents=True, exist_ok=True, mode=0o700)
    mirror = Mirror.of(source, data)
    last = mirror.state()
    local = source.kind != "remote"
    bound = Deadline(first_timeout if last is None else max(timeout, LOCAL_SECONDS * local))
    options = Options(refs=bool(at or perhaps), allow_private=allow_private)
    snapshot = _refreshed(source, mirror, bound, tell, options)
    if perhaps and not at:
        with suppress(UserError):
            return _at(snapshot, perhaps)
    return _at(snapshot, at) if at else snapshot


def _refreshed(
    source: Source,
    mirror: Mirror,
    bound: Deadline,
    tell: Callable[[str], None],
    options: Options,
) -> GitSnapshot:
    """The present revision, or the last one that says why it is not refreshed."""
    asked = time.time()
    last = mirror.state()
    local = source.kind != "remote"
    try:
        with mirror.held(bound, source.name, tell):
            last = mirror.state()
            if last is None:
                check_version(bound)
            seen = 0.0 if last is None else last.refs if options.refs else last.started
            if last is None or not asked <= seen <= time.time():
                state = _cleaned(_refresh(source, mirror, last, bound, tell, options), last)
                known = last.refs if last else 0.0
                state = replace(
                    state,
                    refs=state.started if options.refs else known,
                    kind=source.kind,
                    location=source.location,
                )
                mirror.keep(state.revision)
                mirror.save(state)
                last = state
    except GitError as error:
        if last is None or (local and not Path(source.location).is_dir()):
            raise error.about(source.name) from error
        return _stale(source, mirror, last, error.reason)
    except BusyError:
        if last is None:
            raise
        return _stale(source, mirror, last, "another sync of it is still running")
    return GitSnapshot(source, last.revision, mirror)


def pinned(source: Source, revision_id: str, data: Path) -> Snapshot:
    """Open a revision that an earlier sync has kept.

    Raises:
        NotFoundError: It is not, or no longer, kept.
    """
    mirror = Mirror.of(source, data)
    found = REVISION_ID.fullmatch(revision_id)
    missing = NotFoundError(f"Revision {revision_id!r} of {source.name} is not kept here.")
    if found is None or not mirror.path.is_dir():
        raise missing
    try:
        kept = mirror.git("rev-parse", "--verify", "-q", KEEP + revision_id, ok=())
        if kept.code:
            raise missing
        if found[2]:
            _, when = mirror.commit_facts(found[1])
            revision = Revision(revision_id, kept.text(), found[1], when, dirty=True)
        elif mirror.has(revision_id):
            tree, when = mirror.commit_facts(revision_id)
            revision = Revision(revision_id, tree, revision_id, when)
        else:
            revision = Revision(revision_id, revision_id)
        mirror.keep(revision)
    except GitError as error:
        raise error.about(source.name) from error
    return GitSnapshot(source, revision, mirror)


def _refresh(
    source: Source,
    mirror: Mirror,
    last: State | None,
    deadline: Deadline,
    progress: Callable[[str], None],
    options: Options,
) -> State:
    if source.kind == "remote":
        return refresh_remote(source, mirror, last, deadline, progress, options)
    if source.kind == "worktree":
        state = _refresh_worktree(source, mirror, last, deadline, progress)
        if options.refs:
            root = Path(source.location)
            fetch_refs(mirror, root, read_head(root, deadline).common_dir, deadline)
        return state
    return _refresh_folder(source, mirror, deadline)


def _refresh_worktree(
    source: Source,
    mirror: Mirror,
    last: State | None,
    deadline: Deadline,
    progress: Callable[[str], None],
) -> State:
    started = time.time()
    root = Path(source.location)
    head = read_head(root, deadline)
    commit = head.commit
    if not mirror.path.is_dir():
        clone_local(mirror, root, head.common_dir, deadline, progress)
    known = last is not None and last.revision.commit == commit
    missing = not known and not mirror.has(commit)
    if missing or deepened(mirror, head.common_dir):
        commit = fetch_head(mirror, root, commit, head.common_dir, deadline)
    note_bounds(mirror, head.common_dir)
    tree, when = mirror.commit_facts(commit)
    origin = Origin(commit, tree, head.git_dir, head.common_dir)
    if _is_bare_of_files(root, head.git_dir):
        written = Written(tree, ("Nothing is checked out in it; its head was read.",))
    else:
        written = write_tree(mirror, root, origin, deadline)
    dirty = written.tree != tree
    revision = Revision(
        id=f"{commit}+dirty.{written.tree[:12]}" if dirty else commit,
        tree=written.tree,
        commit=commit,
        committed_at=when,
        branch=head.branch,
        dirty=dirty,
        synced_at=time.time(),
        notes=written.notes,
    )
    return State(revision, started)


def _is_bare_of_files(root: Path, git_dir: Path) -> bool:
    """Tell whether a work tree was never filled, as after `clone --no-checkout`."""
    return not (git_dir / "index").exists() and {each.name for each in root.iterdir()} <= {".git"}


def _refresh_folder(source: Source, mirror: Mirror, deadline: Deadline) -> State:
    started = time.time()
    root = Path(source.location)
    if not root.is_dir():
        raise GitError("the folder is not there any more")
    if not mirror.path.is_dir():
        mirror.make_empty()
    written = write_tree(mirror, root, None, deadline)
    revision = Revision(
        id=written.tree, tree=written.tree, synced_at=time.time(), notes=written.notes
    )
    return State(revision, started)


def _cleaned(state: State, last: State | None) -> State:
    """The state without a secret in its branch's name: it is stored, shown and logged."""
    branch = state.revision.branch
    if branch is None or (last is not None and branch == last.revision.branch):
        return state  # loading the rules takes longer than the rest of a refresh
    return replace(state, revision=replace(state.revision, branch=redact(branch)))


def _at(snapshot: GitSnapshot, at: str) -> Snapshot:
    """The revision that a name means, kept like every other one that is read."""
    source, mirror, head = snapshot.source, snapshot.mirror, snapshot.revision
    try:
        named = resolve(source, mirror, head, at)
        tree, when = mirror.commit_facts(named.commit)
        revision = Revision(
            id=named.commit,
            tree=tree,
            commit=named.commit,
            committed_at=when,
            branch=named.branch,
            stale=head.stale,
            synced_at=head.synced_at,
            notes=(named.note,) if named.note else (),
            at=named.label,
        )
        mirror.keep(revision)
    except NotFoundError as error:
        if head.stale is None:
            raise
        raise NotFoundError(f"{error.message} (Newer ones are not known: {head.stale}.)") from error
    except GitError as error:
        raise error.about(source.name) from error
    return GitSnapshot(source, revision, mirror)


def _stale(source: Source, mirror: Mirror, last: State, reason: str) -> GitSnapshot:
    revision = replace(last.revision, stale=f"could not refresh: {reason}")
    return GitSnapshot(source, revision, mirror)


def _silent(_: str) -> None:
    """Tell nobody."""
