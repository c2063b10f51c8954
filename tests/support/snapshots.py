"""A pinned revision held in memory: the shape of `sources.base.Snapshot`, for index tests."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clew.types import Revision, Source, TreeEntry

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def oid_of(data: bytes) -> str:
    """The object id that git gives these bytes."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


@dataclass
class MemorySnapshot:
    """Files by path; `reads` counts the objects that were asked for; `lost` ones are missing."""

    files: dict[str, bytes]
    prefix: str = ""
    lost: frozenset[str] = frozenset()
    extra: tuple[TreeEntry, ...] = ()
    reads: list[str] = field(default_factory=list)

    @property
    def source(self) -> Source:
        return Source("memory-1", "memory", "folder", "/nowhere", self.prefix)

    @property
    def revision(self) -> Revision:
        parts = [f"{path}\0{oid_of(self.files[path])}" for path in sorted(self.files)]
        parts += [repr(entry) for entry in self.extra] + sorted(self.lost)
        tree = hashlib.sha1("\n".join(parts).encode(), usedforsecurity=False).hexdigest()
        return Revision(id=tree, tree=tree)

    def entries(self) -> Iterator[TreeEntry]:
        found = [
            TreeEntry(path, oid_of(data), len(data), "file")
            for path, data in self.files.items()
            if path.startswith(self.prefix)
        ]
        yield from sorted([*found, *self.extra], key=lambda entry: entry.path)

    def read(self, oids: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        by_oid = {oid_of(data): data for data in self.files.values()}
        for oid in oids:
            self.reads.append(oid)
            yield oid, None if oid in self.lost else by_oid.get(oid)
