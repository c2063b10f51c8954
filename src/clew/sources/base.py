"""What every source gives to the stages after it: a pinned revision that can be listed and read.

It holds the shape only; how bytes are found is the business of the modules beside it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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
