"""What is there, without asking anything: lines, previews of what was found, states of sources.

`app.Clew` calls these for whoever asks, over views that are open already. Nothing here answers,
and nothing indexes.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from clew.errors import ClewError, InputError, ProviderDownError, ProviderRefusedError

if TYPE_CHECKING:
    from clew.tools.scope import Scope
    from clew.types import Hit, HitSpan, Source
    from clew.workspace import Workspace, WorkspaceOptions

PREVIEW_LINES = 12  # of a span: past its decorators and comment to the name it defines


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
class Preview:
    """One line of a span that was found, and the address where it opens ("" when nowhere)."""

    text: str
    url: str


@dataclass(frozen=True, slots=True)
class SourceStatus:
    """What is at a source's head and what of it is indexed.

    Attributes:
        head: The revision that a question would read now; "" when there is a `problem`.
        stale: Why that is not the newest one, or None when it is.
        problem: Why the source can't be read at all, or None when it can.
        indexed: The indexed revision, or None when nothing is.
        embedder: The id of the embedder that is set, "" for none, `unreachable` when it is down.
        embedded: The share of the indexed chunks, 0 to 1, that have its vectors.
    """

    source: str
    location: str
    head: str = ""
    stale: str | None = None
    problem: str | None = None
    indexed: str | None = None
    files: int = 0
    chunks: int = 0
    embedder: str = ""
    embedded: float = 0.0
    skipped: dict[str, int] = field(default_factory=dict[str, int])
    skipped_files: tuple[tuple[str, str, str], ...] = ()


def preview(workspace: Workspace, hit: Hit, span: HitSpan) -> Preview:
    """The line that tells most about a span that was found, and where the span opens."""
    from clew.sources.links import link

    view = next(view for view in workspace.views if view.source.name == hit.source)
    last = min(span.end_line, span.start_line + PREVIEW_LINES - 1)
    lines = [line.strip() for line in view.lines(hit.path, span.start_line, last)]
    name = span.symbol.rpartition(".")[2]
    telling = [line for line in lines if name and name in line]
    url = link(view.source, view.revision, hit.path, span.start_line, span.end_line)
    return Preview(next(iter([*telling, *filter(None, lines)]), ""), url or "")


def show(
    scope: Scope, path: str, start: int | None, end: int | None, source: str | None = None
) -> Shown:
    """The redacted lines of one file, all of them without `start`.

    Raises:
        NotFoundError: No such path, or it was left out of the index (says why).
        InputError: Lines out of range (says how many there are).
    """
    view, found = scope.locate(path, source)
    total = max(found.lines, 1)
    first = 1 if start is None else start
    last = total if end is None else end
    if first > last:
        raise InputError(f"{first}-{last} is no range: the first line comes first.")
    if not 1 <= first <= last <= total:
        raise InputError(
            f"{found.path} has {found.lines:,} lines, so {first}-{last} is not in it: choose "
            "lines inside."
        )
    lines = view.lines(found.path, first, last) if found.lines else []
    return Shown(view.source.name, view.revision.id, found.path, first, last, tuple(lines))


def status(source: Source, options: WorkspaceOptions) -> SourceStatus:
    """A source's head beside its index, without indexing anything."""
    from clew.chunks.skip import explain
    from clew.index.view import indexed_revisions, open_view
    from clew.sources.sync import sync
    from clew.workspace import index_path

    try:
        snapshot = sync(
            source,
            options.data,
            timeout=options.sync_timeout,
            first_timeout=options.first_timeout,
            allow_private=options.allow_private,
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
    embedder = _id_of(options)
    with open_view(path, source, replace(head, id=newest.revision)) as view:
        embedded = view.embedded(embedder) if embedder else 0.0
        left_out = [(d.path, d.skip, explain(d.skip)) for d in view.documents() if d.skip]
    return replace(
        empty,
        indexed=newest.revision,
        files=newest.files,
        chunks=newest.chunks,
        embedder=embedder,
        embedded=embedded,
        skipped=newest.skipped,
        skipped_files=tuple(left_out),
    )


def _id_of(options: WorkspaceOptions) -> str:
    """The id of the embedder that is set; a server that can't be asked gives none."""
    embedder = options.build.embedder
    if embedder is None:
        return ""
    try:
        return embedder.id
    except (ProviderDownError, ProviderRefusedError):
        return "unreachable"
