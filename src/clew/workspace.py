"""From what was typed as `--repo` to open views: locate → sync and pin → index → open.

Every surface's request passes here once, before anything is searched; what it returns is one
pinned revision per source, and nothing after it looks at a newer one. One bad source does not
stop the others: it comes back by name with its error. A revision that can't be indexed leaves the
last indexed one to answer, which then says so. It never searches and never answers.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from clew.errors import ClewError, IndexFailedError, SourceError
from clew.index.build import BuildOptions, Progress, build
from clew.index.view import View, indexed_revisions, open_view
from clew.redact import redact
from clew.sources.graph import write_graph
from clew.sources.locate import default_spec, locate, name_apart
from clew.sources.sync import pinned, sync
from clew.types import IndexReport, Source, StatusEvent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from clew.index.rows import IndexedRevision
    from clew.sources.base import Snapshot

SYNCS_AT_ONCE = 8  # network-bound; git itself is the cost of a local one
EMBED_SECONDS = 10.0
"""How long a question waits for vectors after its index was built; later ones go on from there."""


@dataclass(frozen=True, slots=True)
class WorkspaceOptions:
    """Where things are kept, and how long a remote may take (seconds).

    Attributes:
        fall_back: Read the revision indexed last when the present one can't be indexed.
        at: The revision to read in every source, "" for their heads.
        perhaps: A branch or tag (`heads/NAME`, `tags/NAME`) to read in the sources that have it.
        upkeep: Do also what pays only while nobody waits for an answer.
    """

    data: Path
    sync_timeout: float
    first_timeout: float
    allow_private: bool
    build: BuildOptions
    fall_back: bool = True
    at: str = ""
    perhaps: str = ""
    upkeep: bool = False


@dataclass(frozen=True, slots=True)
class Failure:
    """A source that could not be opened, and why."""

    name: str
    error: ClewError


@dataclass(frozen=True, slots=True)
class Located:
    """The sources that `--repo` values mean, and those that mean none."""

    sources: tuple[Source, ...]
    failed: tuple[Failure, ...] = ()


@dataclass(frozen=True, slots=True)
class Opened:
    """One source at its pinned revision, indexed."""

    view: View
    report: IndexReport


@dataclass(frozen=True, slots=True)
class Workspace:
    """What one request may look at; close it when the request is done.

    Attributes:
        tag: The tag that says so, "" for none.
    """

    opened: tuple[Opened, ...]
    failed: tuple[Failure, ...]
    tag: str = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let the index files go; a second call does nothing."""
        for view in self.views:
            view.close()

    @property
    def revisions(self) -> dict[str, str]:
        """The pinned revision of each open source, by its name."""
        return {o.view.source.name: o.view.revision.id for o in self.opened}

    @property
    def notices(self) -> tuple[str, ...]:
        """What a reader must know: which sources are missing, and which are not up to date."""
        missing = [f"{f.name} was not searched: {f.error.message}" for f in self.failed]
        pinned = [(view.source.name, view.revision) for view in self.views]
        old = [
            f"{name} is read as of {revision.id[:12]}: {revision.stale}"
            for name, revision in pinned
            if revision.stale
        ]
        return (*missing, *old)

    @property
    def views(self) -> tuple[View, ...]:
        """The open views, in the order the sources were named."""
        return tuple(o.view for o in self.opened)


def index_path(data: Path, source: Source) -> Path:
    """Where a source's index lives; a prefix shares its repository's."""
    return data / "index" / f"{source.id}.db"


def locate_all(repos: Sequence[str], cwd: Path, allow_private: bool) -> Located:
    """Turn `--repo` values (or, without any, the current folder) into sources, named apart.

    Raises:
        InputError: One that can't mean a repository.
        ForbiddenError: A URL that is refused.
        SourceError: None of the paths is there.
    """
    found: list[Source] = []
    failed: list[Failure] = []
    for spec in list(dict.fromkeys(repos)) or [default_spec(cwd)]:
        try:
            found.append(locate(spec, cwd=cwd, allow_private=allow_private))
        except SourceError as error:
            failed.append(Failure(redact(spec), error))
    if not found:
        raise failed[0].error
    return Located(name_apart(found), tuple(failed))


def open_workspace(
    located: Located, options: WorkspaceOptions, report: Callable[[StatusEvent], None]
) -> Workspace:
    """Sync, pin, index and open every source.

    Raises:
        ClewError: The first source's error, when no source at all could be opened.
    """
    sources = located.sources
    with ThreadPoolExecutor(max_workers=min(SYNCS_AT_ONCE, len(sources))) as pool:
        waiting = [pool.submit(_sync, source, options, report) for source in sources]
        synced = [future.result() for future in waiting]
    opened: list[Opened] = []
    failed = list(located.failed)
    with ExitStack() as views:
        for source, snapshot in zip(sources, synced, strict=True):
            outcome = (
                snapshot if isinstance(snapshot, ClewError) else _open(snapshot, options, report)
            )
            if isinstance(outcome, ClewError):
                failed.append(Failure(source.name, outcome))
            else:
                opened.append(outcome)
                views.callback(outcome.view.close)
        if not opened:
            raise failed[0].error
        views.pop_all()
    return Workspace(tuple(opened), tuple(failed))


def open_known(
    located: Located, options: WorkspaceOptions, report: Callable[[StatusEvent], None]
) -> Workspace:
    """Open every source as it was indexed last, without a refresh; what never was is indexed.

    Raises:
        ClewError: The first source's error, when no source at all could be opened.
    """
    with ExitStack() as views:
        opened = [found for source in located.sources if (found := _known(source, options))]
        for each in opened:
            views.callback(each.view.close)
        known = {(each.view.source.id, each.view.source.prefix) for each in opened}
        rest = tuple(s for s in located.sources if (s.id, s.prefix) not in known)
        if not rest:
            views.pop_all()
            return Workspace(tuple(opened), located.failed)
        try:
            others = open_workspace(Located(rest, located.failed), options, report)
        except ClewError as error:
            if not opened:
                raise
            others = Workspace((), (*located.failed, *(Failure(s.name, error) for s in rest)))
        views.pop_all()
        return Workspace((*opened, *others.opened), others.failed)


def _known(source: Source, options: WorkspaceOptions) -> Opened | None:
    """A source at the revision that was indexed last, or None when there is none to be had."""
    path = index_path(options.data, source)
    try:
        past = [row for row in indexed_revisions(path) if row.prefix == source.prefix]
        if not past:
            return None
        newest = max(past, key=lambda row: row.created)
        revision = pinned(source, newest.revision, options.data).revision
        return Opened(open_view(path, source, revision), _report_of(source, newest))
    except ClewError:  # it is built anew, and what is wrong shows then
        return None


def _sync(
    source: Source, options: WorkspaceOptions, report: Callable[[StatusEvent], None]
) -> Snapshot | ClewError:
    try:
        return sync(
            source,
            options.data,
            timeout=options.sync_timeout,
            first_timeout=options.first_timeout,
            progress=lambda line: report(StatusEvent(f"{source.name}: {line}")),
            at=options.at,
            perhaps=options.perhaps,
            allow_private=options.allow_private,
        )
    except ClewError as error:
        return error


def _open(
    snapshot: Snapshot, options: WorkspaceOptions, report: Callable[[StatusEvent], None]
) -> Opened | ClewError:
    source = snapshot.source

    def progress(step: Progress) -> None:
        words = f"{source.name}: {step.waiting or step.phase}"
        report(StatusEvent(words, step.done, step.total))

    path = index_path(options.data, source)
    how = options.build if options.upkeep else replace(options.build, embed_seconds=EMBED_SECONDS)
    try:
        built = build(snapshot, path, how, progress)
        if options.upkeep:
            write_graph(
                source,
                options.data,
                lambda line: report(StatusEvent(f"{source.name}: {line}")),
            )
        try:
            return Opened(open_view(path, source, snapshot.revision), built)
        except IndexFailedError:  # pruned in between: what is built now is too new to be
            built = build(snapshot, path, how, progress)
            return Opened(open_view(path, source, snapshot.revision), built)
    except ClewError as error:
        # Where a revision was asked for by name, another one is not what was asked.
        fall_back = options.fall_back and not snapshot.revision.at
        return _open_last(snapshot, path, options, error) if fall_back else error


def _open_last(
    snapshot: Snapshot, path: Path, options: WorkspaceOptions, error: ClewError
) -> Opened | ClewError:
    """The revision that was indexed last, when the present one can't be."""
    source = snapshot.source
    try:
        past = [row for row in indexed_revisions(path) if row.prefix == source.prefix]
        if not past:
            return error
        newest = max(past, key=lambda row: row.created)
        revision = pinned(source, newest.revision, options.data).revision
        stale = f"{snapshot.revision.id[:10]} could not be indexed: {error.message}"
        revision = replace(revision, stale=stale, synced_at=newest.created)
        return Opened(open_view(path, source, revision), _report_of(source, newest))
    except ClewError:  # nothing older is left: what went wrong first is what to tell
        return error


def _report_of(source: Source, row: IndexedRevision) -> IndexReport:
    return IndexReport(
        source=source.name,
        revision=row.revision,
        files=row.files,
        chunks=row.chunks,
        symbols=row.symbols,
        skipped=row.skipped,
        seconds=0.0,
    )
