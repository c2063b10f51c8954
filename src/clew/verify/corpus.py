"""What verification needs to see of a source at its revision, and nothing more.

The index's `View` has this shape. A checker that asks for less can be tested with a dictionary of
files, and can't come to depend on how an index is kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clew.types import Revision, Source


class Document(Protocol):
    """A file of the revision. `skip` says why its text was not kept, "" when it was."""

    @property
    def path(self) -> str:
        """From the source's root, as git spells it."""
        ...

    @property
    def lines(self) -> int:
        """How many lines it has."""
        ...

    @property
    def skip(self) -> str:
        """Why its text was not kept."""
        ...


class Definition(Protocol):
    """A named definition and its span, both lines inclusive."""

    @property
    def name(self) -> str:
        """As written where it is defined."""
        ...

    @property
    def qualname(self) -> str:
        """With its enclosing definitions, dotted."""
        ...

    @property
    def path(self) -> str:
        """From the source's root, as git spells it."""
        ...

    @property
    def start_line(self) -> int:
        """The first line of the definition."""
        ...

    @property
    def end_line(self) -> int:
        """The last line of the definition."""
        ...


class Corpus(Protocol):
    """One source at one revision; every text it gives is redacted."""

    @property
    def source(self) -> Source:
        """What is read."""
        ...

    @property
    def revision(self) -> Revision:
        """The state that is read."""
        ...

    def document(self, path: str) -> Document | None:
        """The file at exactly this path, skipped or not."""
        ...

    def documents(self) -> Sequence[Document]:
        """Every file of the revision."""
        ...

    def lines(self, path: str, start: int, end: int) -> Sequence[str]:
        """Lines of an indexed file; only asked for when they are in range."""
        ...

    def texts(self) -> Iterator[tuple[Document, str]]:
        """Every indexed file with its whole text."""
        ...

    def symbols_in(self, path: str) -> Sequence[Definition]:
        """The definitions of one file."""
        ...

    def has_name(self, name: str) -> bool:
        """Whether the name is defined or used anywhere as code."""
        ...
