"""The rows that a view returns: plain, frozen, with paths and lines instead of row ids."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clew.types import ChunkKind, ReferenceKind, SymbolKind


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """A chunk. `id` and `doc` count within one view."""

    id: int
    doc: int
    path: str
    start_line: int
    end_line: int
    kind: ChunkKind
    name: str
    qualname: str
    signature: str
    doc_comment: str
    parents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A path of the revision's tree. `skip` is why it is not indexed, "" when it is.

    `id` is the position in `View.documents()`; `size` is in bytes, as in the tree.
    """

    id: int
    path: str
    oid: str
    size: int
    lines: int
    language: str
    skip: str


@dataclass(frozen=True, slots=True)
class SymbolRow:
    """A definition. `line` is where the name stands; the span is the whole definition."""

    name: str
    qualname: str
    kind: SymbolKind
    path: str
    line: int
    start_line: int
    end_line: int
    signature: str


@dataclass(frozen=True, slots=True)
class ReferenceRow:
    """A use of a name that is not its definition."""

    name: str
    path: str
    line: int
    kind: ReferenceKind


@dataclass(frozen=True, slots=True)
class IndexedRevision:
    """A revision that a file holds, as its build counted. `created` is Unix seconds."""

    revision: str
    prefix: str
    created: float
    files: int
    chunks: int
    symbols: int
    skipped: dict[str, int]
