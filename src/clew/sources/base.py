"""What every source gives to the stages after it: a pinned revision that can be listed and read.

It holds the shape only; how bytes are found is the business of the modules beside it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clew.sources.history import Blamed, Change, Commit, Hunk, Log
    from clew.types import Revision, Source, TreeEntry


class Snapshot(Protocol):
    """One source at one revision. It never changes, and may be used by several threads at once."""

    @property
    def source(self) -> Source:
        """The source that is read."""
        ...

    @property
    def revision(self) -> Revision:
        """The revision that is read."""
        ...

    def entries(self) -> Iterator[TreeEntry]:
        """Yield every path under the source's prefix, sorted by path."""
        ...

    def read(self, oids: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        """Yield each object with its bytes, in order; None when it is missing or corrupt."""
        ...


class History(Protocol):
    """How one source came to its pinned revision; `sources.history.GitHistory` is one.

    What it returns is raw: whoever shows it takes secrets out. Its errors are of `clew.errors`.
    """

    @property
    def shallow(self) -> bool:
        """Whether it ends before the first commit."""
        ...

    def blame(self, path: str, start: int, end: int, seconds: float) -> list[Blamed]:
        """Who changed each of these lines last."""
        ...

    def log(
        self,
        path: str,
        limit: int,
        seconds: float,
        *,
        lines: tuple[int, int] | None = None,
        since: str = "",
        until: str = "",
    ) -> Log:
        """The newest commits that touched a file, a folder or some lines."""
        ...

    def resolve(self, name: str) -> Commit:
        """The commit that a branch, tag, SHA or date means."""
        ...

    def changes(self, since: str, until: str, path: str, seconds: float) -> list[Change]:
        """The files below a path that differ between two commits; `until` "" is the revision."""
        ...

    def hunks(self, change: Change, seconds: float) -> list[Hunk]:
        """Which lines of a changed file differ."""
        ...

    def blob(self, oid: str, most: int) -> bytes:
        """The content of an object, nothing when it has more than `most` bytes."""
        ...
