"""Who may ask about what: from an asker and the configured tags to what one request reads.

Denied by default: an asker without a right of their own reads what their tags name and nothing
else, and a refusal is the same whether what was asked for exists or not. Everything behind this
(search, every tool, every check) is given the sources that were chosen here and can reach no
other. It trusts the configuration and the asker that a surface has made of it, and reads neither.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from clew.errors import AccessError, ClewError, InputError, SourceError
from clew.types import Asker, Caveat, StatusEvent
from clew.workspace import Failure, Located, locate_all, open_known, open_workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from clew.search.weights import RankOptions
    from clew.types import ChannelMode, Exchange, Tag
    from clew.workspace import Workspace, WorkspaceOptions

    Report = Callable[[StatusEvent], None]

REFUSED = (
    "Nothing here is open to you: whoever runs this Clew can let you use a tag, "
    "in its configuration."
)
_ELSEWHERE = "not where the configuration says: whoever runs this Clew can see why"


@dataclass(frozen=True, slots=True)
class Channel:
    """A Slack channel that tags list: when it is answered, and with which of them."""

    mode: ChannelMode
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked for.

    Attributes:
        repos: As typed, by an asker with a right of their own; empty for the current folder.
        tag: The tag that was named, "" for none.
        text: The question or query, by which a tag is chosen among several; "" when there is
            none to go by.
        before: What was asked and answered last in the same conversation.
    """

    asker: Asker
    repos: tuple[str, ...] = ()
    tag: str = ""
    text: str = ""
    before: Exchange | None = None


@dataclass(frozen=True, slots=True)
class Opening:
    """What opening sources needs: see `WorkspaceOptions`; relative paths start from `cwd`.

    `ranking` is made when a tag has to be chosen by search: indexing needs none of it.
    """

    options: WorkspaceOptions
    cwd: Path
    ranking: Callable[[], RankOptions]


@dataclass(frozen=True, slots=True)
class Fit:
    """How well a question fits a tag: the share of it that one span there covers."""

    tag: str
    relevant: bool
    coverage: float


@dataclass(frozen=True, slots=True)
class Choice:
    """What one request reads: a tag's sources, or `repos` as typed when there is no tag.

    Attributes:
        fits: How each tag fitted, the best first, when one was chosen among several; else empty.
        goes_on: It is the tag of the answer before.
    """

    repos: tuple[str, ...]
    tag: Tag | None = None
    fits: tuple[Fit, ...] = ()
    goes_on: bool = False

    @property
    def caveats(self) -> tuple[Caveat, ...]:
        """What a reader must know about how the tag came to be chosen."""
        if self.tag is None or not self.fits:
            return ()
        others = ", ".join(sorted(fit.tag for fit in self.fits if fit.tag != self.tag.name))
        why = "the question fits it best" if self.fits[0].relevant else "none fits the question"
        why = "as for the answer before" if self.goes_on else why
        said = (
            f"No tag was named, so {self.tag.name} was chosen ({why}; you may also use {others})."
        )
        return (Caveat("tag_chosen", said),)


@dataclass(frozen=True, slots=True)
class Tags:
    """The tags of the configuration, in its order."""

    by_name: dict[str, Tag] = field(default_factory=dict[str, "Tag"])

    @classmethod
    def of(cls, tags: Iterable[Tag]) -> Tags:
        """Keep these."""
        return cls({tag.name: tag for tag in tags})

    def allowed(self, asker: Asker) -> tuple[Tag, ...]:
        """The tags that an asker may use."""
        return tuple(tag for name, tag in self.by_name.items() if asker.own or name in asker.tags)

    def heard(self, asker: Asker, earlier: Iterable[Exchange]) -> tuple[Exchange, ...]:
        """What of a conversation may still be told to an asker: what their tags answered."""
        return tuple(one for one in earlier if asker.own or one.tag in asker.tags)

    def channel(self, channel: str) -> Channel | None:
        """How a Slack channel is answered, or None when no tag lists it: then it isn't."""
        listed: list[tuple[ChannelMode, str]] = [
            (mode, tag.name)
            for tag in self.by_name.values()
            for name, mode in tag.channels
            if name == channel
        ]
        return Channel(listed[0][0], tuple(name for _, name in listed)) if listed else None

    def slack(self, channel: str, user: str) -> Asker:
        """The asker that a user is in a Slack channel; where no tag lists it, they may nothing."""
        found = self.channel(channel)
        return Asker("slack", user, found.tags if found else ())

    def candidates(self, request: Request) -> tuple[Tag, ...]:
        """The tags that a request may mean; none at all stands for `repos` as typed.

        Raises:
            AccessError: The asker may not.
            InputError: Somebody with a right of their own names no tag, or names repositories too.
        """
        allowed = self.allowed(request.asker)
        if request.asker.own:
            return self._own(request)
        if not allowed or request.repos:
            raise AccessError(REFUSED)
        if not request.tag:
            return allowed
        named = tuple(tag for tag in allowed if tag.name == request.tag)
        if not named:
            names = ", ".join(tag.name for tag in allowed)
            raise AccessError(f"No tag of that name is open to you; you may use {names}.")
        return named

    def _own(self, request: Request) -> tuple[Tag, ...]:
        if not request.tag:
            return ()
        if request.repos:
            raise InputError("A tag says which repositories are read: give either it or --repo.")
        if request.tag not in self.by_name:
            known = ", ".join(self.by_name) or "none"
            raise InputError(
                f"No tag is named {request.tag[:60]!a}; the configuration has {known}."
            )
        return (self.by_name[request.tag],)


def choose(tags: Tags, request: Request, opening: Opening, report: Report) -> Choice:
    """Decide what a request reads.

    Raises:
        AccessError: The asker may not.
        InputError: Several tags are allowed, none is named and there is no text to choose by; or
            an asker with a right of their own names what is not there.
        ClewError: None of several tags can be opened.
    """
    found = tags.candidates(request)
    if not found:
        return Choice(request.repos)
    if len(found) == 1:
        return Choice(found[0].sources, found[0])
    if not request.text.strip():
        names = ", ".join(tag.name for tag in found)
        raise InputError(f"Several tags are open to you ({names}): name the one that you mean.")
    before, text = request.before, request.text
    if before is not None:  # a follow-up says little: what it follows says what it is about
        found = tuple(sorted(found, key=lambda tag: tag.name != before.tag))
        text = f"{before.question}\n{text}"
    fits = infer(found, text, request.asker, opening, report)
    best = next(tag for tag in found if tag.name == fits[0].tag)
    report(StatusEvent(f"tag {best.name}: chosen among {len(found)}"))
    return Choice(best.sources, best, fits, before is not None and before.tag == best.name)


def infer(
    tags: tuple[Tag, ...], text: str, asker: Asker, opening: Opening, report: Report
) -> tuple[Fit, ...]:
    """How well a text fits each tag, the best first; of equals the earlier in the configuration.

    Every tag is searched as it was indexed last, without a refresh, so that choosing costs
    milliseconds; only what was never indexed is. The measure is coverage, by which relevance is
    judged too: scores of different collections don't compare.

    Raises:
        ClewError: None of the tags can be opened.
    """
    from clew.search import search  # indexing needs the rest of this module, and no search

    fits: list[Fit] = []
    errors: list[ClewError] = []
    ranking = opening.ranking()
    for tag in tags:
        try:
            located = locate_all(tag.sources, opening.cwd, opening.options.allow_private)
            with open_known(located, opening.options, report) as workspace:
                found = search(text, workspace.views, k=1, options=ranking)
            fits.append(Fit(tag.name, found.relevant, found.coverage))
        except ClewError as error:
            report(StatusEvent(f"tag {tag.name}: can't be looked at"))
            errors.append(error)
            fits.append(Fit(tag.name, relevant=False, coverage=-1.0))
    if len(errors) == len(tags):
        raise errors[0] if asker.own else _unreadable()
    return tuple(sorted(fits, key=lambda fit: (not fit.relevant, -fit.coverage)))


def open_choice(choice: Choice, asker: Asker, opening: Opening, report: Report) -> Workspace:
    """Sync, pin, index and open what was chosen.

    Raises:
        ClewError: No source could be opened.
    """
    try:
        located = locate_all(choice.repos, opening.cwd, opening.options.allow_private)
    except ClewError:  # what the configuration says is the operator's to know
        if asker.own:
            raise
        raise _unreadable() from None
    if not asker.own:  # what could not be found is not named by where it was looked for
        located = Located(located.sources, tuple(_hidden() for _ in located.failed))
    workspace = open_workspace(located, opening.options, report)
    return replace(workspace, tag=choice.tag.name if choice.tag else "")


def _hidden() -> Failure:
    return Failure("a source of this tag", SourceError(f"it is {_ELSEWHERE}."))


def _unreadable() -> SourceError:
    return SourceError(f"What this tag reads is {_ELSEWHERE}.")
