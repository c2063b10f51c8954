"""The scope every tool takes first: which pinned views it may look at, and its limits.

A tool sees these views and nothing else; what lies outside is refused in the same words whether it
exists or not. Nothing here reads text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

from clew.errors import NotFoundError
from clew.search.weights import RankOptions
from clew.tools.paths import Located, find_document, require_text
from clew.tools.result import HEADER_WIDTH, MAX_CHARS, clip, shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from clew.index.view import View
    from clew.models.embedder import Embedder
    from clew.models.reranker import Reranker
    from clew.sources.base import History
    from clew.types import Revision, Source

    Histories: TypeAlias = Callable[[Source, Revision], History | None]

DEFAULT_RANKING = RankOptions()


class Denier(Protocol):
    """What says that a path's content is never shown; `redact.DenyList` is one."""

    def match(self, path: str) -> str | None:
        """The glob that denies the path, or None."""
        ...


@dataclass(frozen=True, slots=True)
class Scope:
    """What one question may look at.

    Attributes:
        views: One pinned view per source, each with its own source name.
        deny: The deny-list in force now; it may be stricter than when the index was built.
        ranking: How search ranks, with its relevance floor.
        max_chars: Characters a tool's result may have; a token is about four.
        seconds: Wall time after which a scan stops and says how far it came.
        histories: Opens a source's history at its pinned revision; None where there is none.
        embedder: What made the views' vectors; None for search by words alone.
        reranker: Gives what reads the best results of a search again; None for nothing.
        instructions: What the tag that bounds it tells a model besides, "" for nothing.
        no_answer: What an answer says in that tag that found nothing, "" for the usual text.
    """

    views: tuple[View, ...]
    deny: Denier | None = None
    ranking: RankOptions = DEFAULT_RANKING
    max_chars: int = MAX_CHARS
    seconds: float = 10.0
    histories: Histories | None = None
    embedder: Embedder | None = None
    reranker: Callable[[], Reranker] | None = None
    instructions: str = ""
    no_answer: str = ""

    def pick(self, source: str | None) -> tuple[View, ...]:
        """The views of one source by name, or all of them.

        Raises:
            NotFoundError: No source of this scope has that name.
        """
        if source is None:
            return self.views
        found = tuple(view for view in self.views if view.source.name == source)
        if not found:
            names = clip(", ".join(view.source.name for view in self.views), HEADER_WIDTH)
            raise NotFoundError(
                f'No source is named "{shown(source)}" here; this scope has: {names}.'
            )
        return found

    def locate(self, path: str, source: str | None = None) -> Located:
        """The view and the document at a path whose text may be read.

        Raises:
            ForbiddenError: The path leaves the source, is a link, or is on the deny-list.
            InputError: Several sources hold it and none was named.
            NotFoundError: It is not there, or its text was left out of the index (says why).
        """
        located = find_document(self, path, source)
        require_text(self, located)
        return located

    def history(self, view: View) -> History:
        """How a view's source came to its pinned revision.

        Raises:
            NotFoundError: It has no history, being a plain folder.
        """
        found = self.histories(view.source, view.revision) if self.histories else None
        if found is None:
            raise NotFoundError(
                f"{view.source.name} is a plain folder: it has no history, only what it holds now."
            )
        return found

    def denied(self, path: str) -> bool:
        """Whether the deny-list in force now hides this path's content."""
        return self.deny is not None and self.deny.match(path) is not None

    def place(self, view: View, path: str) -> str:
        """A path as results write it: with its source's name when several are in scope."""
        return f"{view.source.name}:{path}" if self.several else path

    @property
    def several(self) -> bool:
        """Whether a path alone does not say which source it is in."""
        return len(self.views) > 1


def revision_labels(views: tuple[View, ...]) -> str:
    """Sources at their revisions, as many as fit a line, such as `flask @ 1a2b3c4d5e6f`."""
    return clip(", ".join(revision_label(view) for view in views), HEADER_WIDTH)


def revision_label(view: View) -> str:
    """One source at its revision."""
    revision = view.revision
    head = (revision.commit or revision.tree)[:12]
    return f"{view.source.name} @ {head}{'+dirty' if revision.dirty else ''}"
