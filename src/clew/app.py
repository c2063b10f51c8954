"""Clew: holds what `ask()` needs, and is what every surface calls.

`build(settings)` is the only wiring: it makes the parts from the settings and nothing else does.
Searching, showing and indexing go through here with the same scope, sync and pinning as a
question; none of them has a way of its own. It translates nothing: surfaces do.

Half of a short command's time would be imports, so every part is imported and made when it is
first used: a search opens no records, and the history loads no index.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from clew.errors import ClewError
from clew.reads import SourceStatus, preview, show, status
from clew.types import Asker, Event, Question, SearchResult, Source, StatusEvent

if TYPE_CHECKING:
    from pathlib import Path

    from clew.answerers.base import Answerer
    from clew.ask import Parts
    from clew.index.view import View
    from clew.reads import Preview, Shown
    from clew.records.receipts import Receipts
    from clew.records.rows import AnswerSummary, StoredAnswer
    from clew.records.store import Records
    from clew.records.tokens import Tokens
    from clew.settings import Settings
    from clew.sources.base import History
    from clew.tags import Fit, Opening, Tags
    from clew.tools.result import ToolResult
    from clew.tools.scope import Scope
    from clew.types import Hit, HitSpan, Mode, Revision
    from clew.upkeep import Pruned, PruneOptions
    from clew.workspace import Located, Workspace, WorkspaceOptions

T = TypeVar("T")
Reporter = Callable[[StatusEvent], None]
OWNER = Asker("python", own=True)  # who runs this process: what it can read, they can


@dataclass(frozen=True, slots=True)
class PrunePlan:
    """What `prune` drops.

    Attributes:
        keep: How many of the newest indexed revisions stay in any case.
        answers: Also drop revisions that saved answers were read from.
        gone: Also remove what is kept of sources whose folder is there no longer.
        dry_run: Only say what would be done.
    """

    keep: int = 5
    answers: bool = False
    gone: bool = False
    dry_run: bool = False


class Lazy(Generic[T]):
    """A part that is made when it is first asked for, once, whichever threads ask."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._made: list[T] = []

    def __call__(self) -> T:
        """The part."""
        with self._lock:
            if not self._made:
                self._made.append(self._make())
            return self._made[0]

    @property
    def made(self) -> list[T]:
        """The part, or nothing when nobody asked for it yet."""
        return list(self._made)


@dataclass(frozen=True, slots=True)
class Reading:
    """What reading needs: how sources are opened, and what the tools may see of them."""

    options: WorkspaceOptions
    scope_of: Callable[[tuple[View, ...]], Scope]


class Clew:
    """The application: one instance a process, used by any number of surfaces."""

    def __init__(
        self,
        settings: Settings,
        cwd: Path,
        reading: Lazy[Reading],
        records: Lazy[Records],
        parts: Lazy[Parts],
        tags: Lazy[Tags],
    ) -> None:
        self._settings = settings
        self._cwd = cwd
        self._reading = reading
        self._records = records
        self._parts = parts
        self._tags = tags

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the records; harmless when nothing was opened."""
        for records in self._records.made:
            records.close()

    def ask(self, question: Question) -> AsyncGenerator[Event]:
        """Answer a question; see `clew.ask.ask`. Close it when you stop before its end."""
        from clew.ask import ask

        return ask(question, self._parts())

    @property
    def receipts(self) -> Receipts:
        """The questions that surfaces have taken in, kept in the records."""
        from clew.records.receipts import Receipts

        return Receipts(self._records())

    @property
    def tags(self) -> Tags:
        """The tags of the configuration, and what an asker may of them."""
        return self._tags()

    def tokens(self) -> Tokens:
        """The tokens that may ask over HTTP."""
        from clew.records.tokens import Tokens

        return Tokens(self._records())

    async def token_asker(self, secret: str) -> Asker | None:
        """The asker that a token makes, with its tags as far as they are there; None without."""
        found = await asyncio.to_thread(lambda: self.tokens().find(secret))
        if found is None:
            return None
        names = tuple(name for name in self.tags.by_name if name in found.tags)
        return Asker("token", found.name, names)

    async def open(
        self,
        repos: Sequence[str],
        report: Reporter,
        *,
        patient: bool = False,
        at: str = "",
        asker: Asker = OWNER,
        tag: str = "",
        text: str = "",
    ) -> Workspace:
        """Sync, pin and index the sources; close the workspace when you are done with it.

        Args:
            repos: What was typed as `--repo`; empty for the current folder's work tree.
            report: Is told what is being done.
            patient: Give a refresh as long as a first copy, and never fall back to an older
                index: nobody waits for an answer.
            at: A branch, tag, SHA or date to read in every source; "" for their heads.
            asker: Who asks; the person who runs this process unless a surface says otherwise.
            tag: The tag to read in, "" for none named.
            text: What is looked for, by which a tag is chosen among several.

        Raises:
            AccessError: The asker may not.
            ClewError: No source could be opened.
        """
        from clew.streaming import Background
        from clew.tags import Request, choose, open_choice

        options = replace(self._reading().options, at=at)
        if patient:
            options = replace(
                options, sync_timeout=options.first_timeout, fall_back=False, upkeep=True
            )
        opening = self._opening(options)
        request = Request(asker, tuple(repos), tag, text)

        def opened(told: Reporter) -> Workspace:
            return open_choice(choose(self.tags, request, opening, told), asker, opening, told)

        work: Background[StatusEvent, Workspace] = Background(opened)
        async with aclosing(work.reports()) as events:
            async for event in events:
                report(event)
        return work.result

    def _opening(self, options: WorkspaceOptions) -> Opening:
        from clew.tags import Opening

        return Opening(options, self._cwd, lambda: self._reading().scope_of(()).ranking)

    async def infer_tag(
        self, question: str, report: Reporter, asker: Asker = OWNER
    ) -> tuple[Fit, ...]:
        """How well a question fits each tag that the asker may use, the best first.

        Raises:
            AccessError: They may use none.
            ClewError: None of their tags can be opened.
        """
        from clew.errors import AccessError
        from clew.streaming import Background
        from clew.tags import REFUSED, infer

        allowed = self.tags.allowed(asker)
        if not allowed:
            raise AccessError(REFUSED)
        opening = self._opening(self._reading().options)
        work: Background[StatusEvent, tuple[Fit, ...]] = Background(
            lambda told: infer(allowed, question, asker, opening, told)
        )
        async with aclosing(work.reports()) as events:
            async for event in events:
                report(event)
        return work.result

    async def _locate(self, repos: Sequence[str]) -> Located:
        from clew.workspace import locate_all

        allow_private = self._settings.sync.allow_private
        return await asyncio.to_thread(locate_all, repos, self._cwd, allow_private)

    async def search(
        self, workspace: Workspace, query: str, top: int | None, path: str | None
    ) -> SearchResult:
        """Search the open sources; `top` files at most (default: the setting), under a glob."""
        from clew.search import search

        k = top or self._settings.search.top
        scope = self._reading().scope_of(workspace.views)
        return await asyncio.to_thread(
            search,
            query,
            workspace.views,
            k=k,
            path_glob=path,
            options=scope.ranking,
            embedder=scope.embedder,
            reranker=scope.reranker() if scope.reranker else None,
        )

    async def preview(self, workspace: Workspace, hit: Hit, span: HitSpan) -> Preview:
        """The line that tells most about a span that was found, and where the span opens."""
        return await asyncio.to_thread(preview, workspace, hit, span)

    async def show(
        self,
        workspace: Workspace,
        path: str,
        start: int | None,
        end: int | None,
        source: str | None = None,
    ) -> Shown:
        """The redacted lines of one file (all of them without `start`), of one source by name.

        Raises:
            NotFoundError: No such path, or it was left out of the index (says why).
            InputError: Lines out of range (says how many there are).
        """
        scope = self._reading().scope_of(workspace.views)
        return await asyncio.to_thread(show, scope, path, start, end, source)

    async def tool(
        self, workspace: Workspace, name: str, arguments: object, max_chars: int
    ) -> ToolResult[Any]:
        """Run one of the tools over the open sources, with a result of at most `max_chars`.

        A wrong name or argument gives a result that is not ok and says how to call it.
        """
        from clew.tools.run import run

        scope = replace(self._reading().scope_of(workspace.views), max_chars=max_chars)
        return await asyncio.to_thread(run, scope, name, arguments)

    async def status(self, repos: Sequence[str], report: Reporter) -> list[SourceStatus]:
        """Compare each source's head with its index, without indexing anything."""
        options = self._reading().options
        located = await self._locate(repos)
        found: list[SourceStatus] = []
        for source in located.sources:
            report(StatusEvent(f"{source.name}: looking"))
            found.append(await asyncio.to_thread(status, source, options))
        missing = [SourceStatus(f.name, f.name, problem=f.error.message) for f in located.failed]
        return [*found, *missing]

    async def prune(self, repos: Sequence[str], plan: PrunePlan, report: Reporter) -> list[Pruned]:
        """Drop what no question needs any more, and say what that freed.

        Args:
            repos: What was typed as `--repo`; empty for everything in the data folder.
            plan: What to drop.
            report: Is told what is being done.
        """
        from clew.streaming import Background
        from clew.upkeep import prune, stored_sources

        data = self._settings.data
        located = await self._locate(repos) if repos else None
        work: Background[StatusEvent, list[Pruned]] = Background(
            lambda told: prune(
                [each.id for each in located.sources] if located else stored_sources(data),
                self._prune_options(plan),
                lambda words: told(StatusEvent(words)),
            )
        )
        async with aclosing(work.reports()) as events:
            async for event in events:
                report(event)
        return work.result

    def _prune_options(self, plan: PrunePlan) -> PruneOptions:
        from clew.upkeep import PruneOptions

        embedder = self._reading().options.build.embedder
        try:
            id_ = embedder.id if embedder else ""
        except ClewError:  # an endpoint that is down: all vectors stay
            id_ = None
        data = self._settings.data
        return PruneOptions(
            data, plan.keep, self._saved(plan), plan.gone, plan.dry_run, embedder=id_
        )

    def _saved(self, plan: PrunePlan) -> dict[str, set[str]]:
        """The revisions that saved answers were read from, unless these don't count."""
        if plan.answers or not (self._settings.data / "records.db").exists():
            return {}
        return self._records().revisions_read()

    async def history(self, limit: int) -> list[AnswerSummary]:
        """The newest questions."""
        return await asyncio.to_thread(lambda: self._records().history(limit))

    async def answer(self, answer_id: str) -> StoredAnswer:
        """A past answer by its id or how the id begins."""
        return await asyncio.to_thread(lambda: self._records().get(answer_id))


def build(settings: Settings, *, cwd: Path) -> Clew:
    """Wire the application from its settings. Opens, writes and imports nothing yet."""
    reading = Lazy(lambda: _reading(settings))
    records = Lazy(lambda: _records(settings))
    tags = Lazy(lambda: _tags(settings))
    parts = Lazy(lambda: _parts(settings, cwd, reading(), records, tags()))
    return Clew(settings, cwd, reading, records, parts, tags)


def _reading(settings: Settings) -> Reading:
    from clew.chunks.grammars import use_cache
    from clew.chunks.skip import SkipRules
    from clew.index.build import BuildOptions
    from clew.models.embedders import embedder_of
    from clew.models.reranker import RerankOptions, make_reranker
    from clew.redact import DEFAULT_DENY
    from clew.workspace import WorkspaceOptions

    use_cache(settings.data / "grammars")
    rules = SkipRules(
        max_bytes=settings.index.max_file_bytes, deny=(*DEFAULT_DENY, *settings.index.deny)
    )
    model = settings.model
    embedder = embedder_of(model.embed, timeout=model.timeout, retries=model.retries)
    reranking = RerankOptions(model.rerank, model.rerank_seconds)
    reranker = Lazy(lambda: make_reranker(reranking)) if model.rerank else None
    options = WorkspaceOptions(
        data=settings.data,
        sync_timeout=settings.sync.timeout,
        first_timeout=settings.sync.first_timeout,
        allow_private=settings.sync.allow_private,
        build=BuildOptions(rules=rules, embedder=embedder, workers=settings.index.workers),
    )

    def scope_of(views: tuple[View, ...]) -> Scope:
        from clew.redact import DenyList
        from clew.search.weights import RankOptions
        from clew.sources.history import GitHistory
        from clew.tools.scope import Scope

        def history(source: Source, revision: Revision) -> History | None:
            return GitHistory.of(source, revision, settings.data)

        deny, ranking = DenyList(rules.deny), RankOptions(floor=settings.search.floor)
        return Scope(views, deny, ranking, histories=history, embedder=embedder, reranker=reranker)

    return Reading(options, scope_of)


def _records(settings: Settings) -> Records:
    from clew.records.store import Records

    return Records(settings.data / "records.db")


def _tags(settings: Settings) -> Tags:
    from clew.tags import Tags
    from clew.types import Tag

    return Tags.of(
        Tag(
            name=name,
            sources=tuple(tag.sources),
            about=tag.about,
            instructions=tag.instructions,
            no_answer=tag.no_answer,
            channels=tuple((each.channel, each.mode) for each in tag.slack),
        )
        for name, tag in settings.tags.items()
    )


def _parts(
    settings: Settings, cwd: Path, reading: Reading, records: Lazy[Records], tags: Tags
) -> Parts:
    from clew.answerers.extract import ExtractAnswerer
    from clew.ask import Parts

    answerers: dict[Mode, Answerer] = {}
    answerers["extract"] = ExtractAnswerer(
        unknown_text=settings.answer.unknown_text, evidence_max=settings.answer.evidence_max
    )
    if settings.model.answer:
        answerers["research"] = _research(settings, answerers["extract"])
    return Parts(
        workspace=reading.options,
        records=records,
        answerers=answerers,
        mode="research" if settings.model.answer else "extract",
        scope_of=reading.scope_of,
        strict=settings.answer.strict,
        exempt=(settings.answer.unknown_text,),
        cwd=cwd,
        tags=tags,
    )


def _research(settings: Settings, fallback: Answerer) -> Answerer:
    """The answerer that asks the configured model; nothing heavy is imported before a question."""
    from clew.agent.limits import Limits
    from clew.agent.loop import AgentOptions
    from clew.answerers.research import ResearchAnswerer
    from clew.models.gateway import ModelOptions, open_chat, split_name

    model, limits = settings.model, settings.research
    split_name(model.answer)
    options = ModelOptions(
        model.answer,
        timeout=model.timeout,
        retries=model.retries,
        output_tokens=model.output_tokens,
        context=model.context,
    )
    return ResearchAnswerer(
        open_chat=lambda: open_chat(options),
        fallback=fallback,
        unknown_text=settings.answer.unknown_text,
        options=AgentOptions(
            Limits(limits.turns, limits.tokens, limits.cost, limits.seconds),
            steps=model.steps,
            output_tokens=model.output_tokens,
        ),
    )
