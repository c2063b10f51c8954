"""Clew: holds what `ask()` needs, and is what every surface calls.

`build(settings)` is the only wiring: it makes the parts from the settings and nothing else does.
Searching, showing and indexing go through here with the same scope, sync and pinning as a
question; none of them has a way of its own. It translates nothing: surfaces do.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from clew.answerers.extract import ExtractAnswerer
from clew.ask import Parts, ask
from clew.chunks.grammars import use_cache
from clew.chunks.skip import SkipRules, explain
from clew.errors import ClewError, InputError
from clew.index.build import BuildOptions
from clew.index.view import indexed_revisions, open_view
from clew.records.store import AnswerSummary, Records, StoredAnswer
from clew.redact import DEFAULT_DENY, DenyList
from clew.search import search
from clew.sources.sync import sync
from clew.streaming import Background
from clew.tools.scope import Scope
from clew.types import Event, Question, SearchResult, Source, StatusEvent
from clew.weights import RankOptions
from clew.workspace import (
    Workspace,
    WorkspaceOptions,
    index_path,
    locate_all,
    open_workspace,
)

if TYPE_CHECKING:
    from pathlib import Path

    from clew.settings import Settings

Reporter = Callable[[StatusEvent], None]


@dataclass(frozen=True, slots=True)
class Shown:
    """Lines of one file, redacted, as the index holds them."""

    source: str
    revision: str
    path: str
    start_line: int
    end_line: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SourceStatus:
    """What is at a source's head and what of it is indexed.

    Attributes:
        head: The revision that a question would read now; "" when there is a `problem`.
        stale: Why that is not the newest one, or None when it is.
        problem: Why the source can't be read at all, or None when it can.
        indexed: The indexed revision, or None when nothing is.
    """

    source: str
    location: str
    head: str = ""
    stale: str | None = None
    problem: str | None = None
    indexed: str | None = None
    files: int = 0
    chunks: int = 0
    skipped: dict[str, int] = field(default_factory=dict[str, int])
    skipped_files: tuple[tuple[str, str, str], ...] = ()


class Clew:
    """The application: one instance a process, used by any number of surfaces."""

    def __init__(self, parts: Parts, settings: Settings) -> None:
        self._parts = parts
        self._settings = settings

    def close(self) -> None:
        """Release the records; harmless when nothing was opened."""
        self._parts.records.close()

    def ask(self, question: Question) -> AsyncGenerator[Event]:
        """Answer a question; see `clew.ask.ask`. Close it when you stop before its end."""
        return ask(question, self._parts)

    async def open(
        self, repos: Sequence[str], report: Reporter, *, patient: bool = False
    ) -> Workspace:
        """Sync, pin and index the sources; close the workspace when you are done with it.

        Args:
            repos: What was typed as `--repo`; empty for the current folder's work tree.
            report: Is told what is being done.
            patient: Give a refresh as long as a first copy, and never fall back to an older
                index: nobody waits for an answer.

        Raises:
            ClewError: No source could be opened.
        """
        options, cwd = self._parts.workspace, self._parts.cwd
        if patient:
            options = replace(options, sync_timeout=options.first_timeout, fall_back=False)
        located = await asyncio.to_thread(locate_all, repos, cwd, options.allow_private)
        work: Background[StatusEvent, Workspace] = Background(
            lambda told: open_workspace(located, options, told)
        )
        async with aclosing(work.reports()) as events:
            async for event in events:
                report(event)
        return work.result

    async def search(
        self, workspace: Workspace, query: str, top: int | None, path: str | None
    ) -> SearchResult:
        """Search the open sources; `top` files at most (default: the setting), under a glob."""
        k = top or self._settings.search.top
        ranking = self._parts.scope_of(workspace.views).ranking
        return await asyncio.to_thread(
            search, query, workspace.views, k=k, path_glob=path, options=ranking
        )

    async def show(
        self, workspace: Workspace, path: str, start: int | None, end: int | None
    ) -> Shown:
        """The redacted lines of one file (all of them without `start`).

        Raises:
            NotFoundError: No such path, or it was left out of the index (says why).
            InputError: Lines out of range (says how many there are).
        """
        scope = self._parts.scope_of(workspace.views)
        return await asyncio.to_thread(_show, scope, path, start, end)

    async def status(self, repos: Sequence[str], report: Reporter) -> list[SourceStatus]:
        """Compare each source's head with its index, without indexing anything."""
        options, cwd = self._parts.workspace, self._parts.cwd
        located = await asyncio.to_thread(locate_all, repos, cwd, options.allow_private)
        found: list[SourceStatus] = []
        for source in located.sources:
            report(StatusEvent(f"{source.name}: looking"))
            found.append(await asyncio.to_thread(_status, source, options))
        missing = [SourceStatus(f.name, f.name, problem=f.error.message) for f in located.failed]
        return [*found, *missing]

    async def history(self, limit: int) -> list[AnswerSummary]:
        """The newest questions."""
        return await asyncio.to_thread(self._parts.records.history, limit)

    async def answer(self, answer_id: str) -> StoredAnswer:
        """A past answer by its id or how the id begins."""
        return await asyncio.to_thread(self._parts.records.get, answer_id)


def build(settings: Settings, *, cwd: Path) -> Clew:
    """Wire the application from its settings. Opens and writes nothing yet."""
    use_cache(settings.data / "grammars")
    rules = SkipRules(
        max_bytes=settings.index.max_file_bytes,
        deny=(*DEFAULT_DENY, *settings.index.deny),
    )
    deny, ranking = DenyList(rules.deny), RankOptions(floor=settings.search.floor)
    workspace = WorkspaceOptions(
        data=settings.data,
        sync_timeout=settings.sync.timeout,
        first_timeout=settings.sync.first_timeout,
        allow_private=settings.sync.allow_private,
        build=BuildOptions(rules=rules),
    )
    parts = Parts(
        workspace=workspace,
        records=Records(settings.data / "records.db"),
        answerers={
            "extract": ExtractAnswerer(
                unknown_text=settings.answer.unknown_text,
                evidence_max=settings.answer.evidence_max,
            )
        },
        scope_of=lambda views: Scope(views, deny=deny, ranking=ranking),
        strict=settings.answer.strict,
        exempt=(settings.answer.unknown_text,),
        cwd=cwd,
    )
    return Clew(parts, settings)


def _show(scope: Scope, path: str, start: int | None, end: int | None) -> Shown:
    view, found = scope.locate(path, None)
    total = max(found.lines, 1)
    first, last = start or 1, end or total
    if not 1 <= first <= last <= total:
        raise InputError(f"{found.path} has lines 1 to {found.lines}; {first}-{last} is outside.")
    lines = view.lines(found.path, first, last) if found.lines else []
    return Shown(view.source.name, view.revision.id, found.path, first, last, tuple(lines))


def _status(source: Source, options: WorkspaceOptions) -> SourceStatus:
    try:
        snapshot = sync(
            source, options.data, timeout=options.sync_timeout, first_timeout=options.first_timeout
        )
    except ClewError as error:
        return SourceStatus(source.name, source.location, problem=error.message)
    head = snapshot.revision
    path = index_path(options.data, source)
    past = [r for r in indexed_revisions(path) if r.prefix == source.prefix]
    empty = SourceStatus(source.name, source.location, head.id, head.stale)
    if not past:
        return empty
    newest = max(past, key=lambda row: (row.revision == head.id, row.created))
    with open_view(path, source, replace(head, id=newest.revision)) as view:
        left_out = [(d.path, d.skip, explain(d.skip)) for d in view.documents() if d.skip]
    return replace(
        empty,
        indexed=newest.revision,
        files=newest.files,
        chunks=newest.chunks,
        skipped=newest.skipped,
        skipped_files=tuple(left_out),
    )
