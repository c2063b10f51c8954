"""From what was typed as `--repo` to open views: locate → sync and pin → index → open.

Every surface's request passes here once, before anything is searched; what it returns is one
pinned revision per source, and nothing after it looks at a newer one. One bad source does not
stop the others: it comes back by name with its error. It never searches and never answers.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clew.errors import ClewError
from clew.index.build import BuildOptions, Progress, build
from clew.index.view import View, open_view
from clew.sources.locate import default_spec, locate, name_apart
from clew.sources.sync import sync
from clew.types import IndexReport, Source, StatusEvent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from clew.sources.base import Snapshot

SYNCS_AT_ONCE = 8  # network-bound; git itself is the cost of a local one


@dataclass(frozen=True, slots=True)
class WorkspaceOptions:
    """Where things are kept, and how long a remote may take (seconds)."""

    data: Path
    sync_timeout: float
    first_timeout: float
    allow_private: bool
    build: BuildOptions


@dataclass(frozen=True, slots=True)
class Failure:
    """A source that could not be opened, and why."""

    name: str
    error: ClewError


@dataclass(frozen=True, slots=True)
class Opened:
    """One source at its pinned revision, indexed."""

    view: View
    report: IndexReport


@dataclass(frozen=True, slots=True)
class Workspace:
    """What one request may look at."""

    opened: tuple[Opened, ...]
    failed: tuple[Failure, ...]

    @property
    def revisions(self) -> dict[str, str]:
        """The pinned revision of each open source, by its name."""
        return {o.view.source.name: o.view.revision.id for o in self.opened}

    @property
    def views(self) -> tuple[View, ...]:
        """The open views, in the order the sources were named."""
        return tuple(o.view for o in self.opened)


def index_path(data: Path, source: Source) -> Path:
    """Where a source's index lives; a prefix shares its repository's."""
    return data / "index" / f"{source.id}.db"


def locate_all(repos: Sequence[str], cwd: Path, allow_private: bool) -> tuple[Source, ...]:
    """Turn `--repo` values (or, without any, the current folder) into sources, named apart.

    Raises:
        ForbiddenError: A URL that is refused.
        SourceError: A path that isn't there.
    """
    specs = list(dict.fromkeys(repos)) or [default_spec(cwd)]
    sources = [locate(spec, cwd=cwd, allow_private=allow_private) for spec in specs]
    distinct = {(source.id, source.prefix): source for source in sources}
    return name_apart(tuple(distinct.values()))


def open_workspace(
    sources: Sequence[Source],
    options: WorkspaceOptions,
    report: Callable[[StatusEvent], None],
) -> Workspace:
    """Sync, pin, index and open every source.

    Raises:
        ClewError: The first source's error, when no source at all could be opened.
    """
    with ThreadPoolExecutor(max_workers=min(SYNCS_AT_ONCE, len(sources))) as pool:
        waiting = [pool.submit(_sync, source, options, report) for source in sources]
        synced = [future.result() for future in waiting]
    opened: list[Opened] = []
    failed: list[Failure] = []
    for source, snapshot in zip(sources, synced, strict=True):
        outcome = snapshot if isinstance(snapshot, ClewError) else _open(snapshot, options, report)
        if isinstance(outcome, ClewError):
            failed.append(Failure(source.name, outcome))
        else:
            opened.append(outcome)
    if not opened:
        raise failed[0].error
    return Workspace(tuple(opened), tuple(failed))


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
        )
    except ClewError as error:
        return error


def _open(
    snapshot: Snapshot, options: WorkspaceOptions, report: Callable[[StatusEvent], None]
) -> Opened | ClewError:
    source = snapshot.source

    def progress(step: Progress) -> None:
        report(StatusEvent(f"{source.name}: {step.phase}", step.done, step.total))

    path = index_path(options.data, source)
    try:
        built = build(snapshot, path, options.build, progress)
        return Opened(open_view(path, source, snapshot.revision), built)
    except ClewError as error:
        return error
