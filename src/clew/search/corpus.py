"""The chunks of every view in scope, numbered one after another, so that ranking can use arrays.

A `Profile` holds what search needs to know of one view and is computed once per view; a `Corpus`
joins the profiles of one question's scope. Nothing here reads text or knows the question.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from clew.search.impacts import Impacts
from clew.search.roles import Role, outdated, role_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clew.index.view import DocumentRow, View

Floats: TypeAlias = NDArray[np.float32]
Ints: TypeAlias = NDArray[np.int32]
Mask: TypeAlias = NDArray[np.bool_]
T = TypeVar("T", bound=np.generic)


@dataclass(frozen=True, slots=True)
class Profile:
    """One view as arrays.

    Attributes:
        documents: Its indexed documents, by path; a document's number is its position here.
        ids: By that number, the document's id in the view.
        number: Path to the number.
        stems: File name, as `stem_of` folds it, to the numbers of the documents that bear it.
        doc: For each of the view's rows the number of its document, -1 when the row is dead.
        order: The live rows, by document and first line; `order[first[d]:first[d + 1]]` are d's.
        roles: `Role` flags of each document.
        ordered: Whether the rows are in that order as they are.
        filled: The documents that have any live rows.
        chunks: Live rows of each document.
        languages: How many lines of source code there are in each language.
        language: By document, the place of its own among them.
        lengths: Each field's length summed over the live rows.
        impacts: What the terms asked for last count in its rows.
    """

    documents: tuple[DocumentRow, ...]
    ids: Ints
    number: dict[str, int]
    stems: dict[str, tuple[int, ...]]
    doc: Ints
    order: Ints
    first: Ints
    roles: NDArray[np.uint16]
    ordered: bool
    filled: NDArray[np.intp]
    chunks: Ints
    languages: dict[str, int]
    language: Ints
    lengths: NDArray[np.float64]
    impacts: Impacts


_profiles: WeakKeyDictionary[View, Profile] = WeakKeyDictionary()
_profiles_lock = threading.Lock()


def profile_of(view: View) -> Profile:
    """The view's profile, computed once; a view never changes, and it is kept no longer than it."""
    with _profiles_lock:
        known = _profiles.get(view)
    if known is None:
        known = _profile(view)
        with _profiles_lock:
            _profiles[view] = known
    return known


def _profile(view: View) -> Profile:
    documents = tuple(row for row in view.documents() if not row.skip)
    paths = tuple(row.path for row in documents)
    doc = _document_numbers(view, documents)
    rows = np.flatnonzero(doc >= 0)
    order = rows[np.lexsort((view.chunk_start[rows], doc[rows]))].astype(np.int32)
    older = tuple(outdated(paths))
    roles = [role_of(p) | (Role.LEGACY if older and p.startswith(older) else 0) for p in paths]
    languages = _languages(documents, roles)
    places = {language: place for place, language in enumerate(languages)}
    first = np.searchsorted(doc[order], np.arange(len(documents) + 1)).astype(np.int32)
    return Profile(
        documents=documents,
        ids=np.array([row.id for row in documents], np.int32),
        number={path: number for number, path in enumerate(paths)},
        stems=_by_stem(paths),
        doc=doc,
        order=order,
        first=first,
        roles=np.array(roles, np.uint16),
        ordered=len(order) == len(doc) and bool((np.diff(order) == 1).all()),
        filled=np.flatnonzero(np.diff(first)),
        chunks=np.diff(first),
        languages=languages,
        language=np.array([places[row.language] for row in documents], np.int32),
        lengths=view.field_lengths[:, rows].sum(axis=1, dtype=np.float64),
        impacts=Impacts(),
    )


def _languages(documents: tuple[DocumentRow, ...], roles: Sequence[int]) -> dict[str, int]:
    lines = {document.language: 0 for document in documents}
    for document, role in zip(documents, roles, strict=True):
        if not role & ~Role.PACKAGE_INIT:
            lines[document.language] += document.lines
    return lines


def _by_stem(paths: Sequence[str]) -> dict[str, tuple[int, ...]]:
    stems: defaultdict[str, list[int]] = defaultdict(list)
    for number, path in enumerate(paths):
        stems[stem_of(path)].append(number)
    return {stem: tuple(numbers) for stem, numbers in stems.items()}


def stem_of(path: str) -> str:
    """A file's name up to its first dot, without case, underscores and hyphens."""
    name = path.rpartition("/")[2].partition(".")[0]
    return name.lower().replace("_", "").replace("-", "")


def _document_numbers(view: View, documents: tuple[DocumentRow, ...]) -> Ints:
    """Turns the store's document ids into numbers, for live rows."""
    doc = np.full(len(view.live), -1, np.int32)
    live = np.flatnonzero(view.live)
    if documents and len(live):
        ids = np.array([row.id for row in documents], np.int64)
        by_id = np.argsort(ids)
        at = np.searchsorted(ids[by_id], view.chunk_doc[live]).clip(max=len(ids) - 1)
        known = ids[by_id[at]] == view.chunk_doc[live]
        doc[live[known]] = by_id[at[known]]
    return doc


@dataclass(frozen=True, slots=True)
class Corpus:
    """A scope: rows and documents of all views, each view's numbers shifted by its offset.

    Attributes:
        rows, docs: Where each view's rows and documents begin; the last entry is the total.
        doc: For each row of the scope the number of its document, -1 when dead.
        size: Live rows: the N of BM25.
        average: Each field's mean length over the live rows, at least 1e-9.
    """

    views: tuple[View, ...]
    profiles: tuple[Profile, ...]
    rows: tuple[int, ...]
    docs: tuple[int, ...]
    doc: Ints
    roles: NDArray[np.uint16]
    size: int
    average: NDArray[np.float64]

    @staticmethod
    def of(views: Sequence[View]) -> Corpus:
        """Joins at least one view."""
        profiles = tuple(profile_of(view) for view in views)
        rows, docs = [0], [0]
        shifted: list[Ints] = []
        for profile in profiles:
            first = docs[-1]
            shifted.append(_moved(profile.doc, first) if first else profile.doc)
            rows.append(rows[-1] + len(profile.doc))
            docs.append(first + len(profile.documents))
        size = sum(len(profile.order) for profile in profiles)
        lengths = np.sum([profile.lengths for profile in profiles], axis=0)
        return Corpus(
            views=tuple(views),
            profiles=profiles,
            rows=tuple(rows),
            docs=tuple(docs),
            doc=joined(shifted),
            roles=joined([profile.roles for profile in profiles]),
            size=size,
            average=np.maximum(lengths / max(size, 1), 1e-9),
        )

    def view_of_row(self, row: int) -> int:
        """The number of the view that a row belongs to."""
        return bisect_right(self.rows, row) - 1

    def view_of_document(self, doc: int) -> int:
        """The number of the view that a document belongs to."""
        return bisect_right(self.docs, doc) - 1

    def document(self, doc: int) -> DocumentRow:
        """The document with a number of this scope."""
        view = self.view_of_document(doc)
        return self.profiles[view].documents[doc - self.docs[view]]

    def documents_named(self, stem: str) -> list[int]:
        """The numbers of the documents whose file name `stem_of` folds to this."""
        starts = zip(self.profiles, self.docs, strict=False)
        return [first + number for known, first in starts for number in known.stems.get(stem, ())]

    def rows_of(self, doc: int) -> Ints:
        """A document's live rows by first line."""
        view = self.view_of_document(doc)
        profile, number = self.profiles[view], doc - self.docs[view]
        return profile.order[profile.first[number] : profile.first[number + 1]] + self.rows[view]

    def by_view(self, rows: Ints) -> Iterator[tuple[int, Mask, Ints]]:
        """For each view that has any of the rows: which they are, and their numbers in it."""
        for view in range(len(self.views)):
            first, last = self.rows[view], self.rows[view + 1]
            here = (rows >= first) & (rows < last)
            if here.any():
                yield view, here, rows[here] - np.int32(first)

    def rows_of_all(self, docs: NDArray[np.intp]) -> Ints:
        """The live rows of some documents, given in order."""
        parts: list[Ints] = [np.zeros(0, np.int32)]
        for view, profile in enumerate(self.profiles):
            own = docs[(docs >= self.docs[view]) & (docs < self.docs[view + 1])] - self.docs[view]
            counts = profile.chunks[own]
            before = np.cumsum(counts) - counts
            within = np.arange(int(counts.sum()))
            places = within + np.repeat(profile.first[own] - before, counts)
            parts.append((profile.order[places] + self.rows[view]).astype(np.int32))
        return np.concatenate(parts)

    def row_at(self, view: int, path: str, line: int) -> int:
        """The innermost live row that holds a line of a file, -1 when none does."""
        profile, of = self.profiles[view], self.views[view]
        number = profile.number.get(path, -1)
        if number < 0:
            return -1
        rows = profile.order[profile.first[number] : profile.first[number + 1]]
        holds = (of.chunk_start[rows] <= line) & (of.chunk_end[rows] >= line)
        return int(rows[np.flatnonzero(holds)[-1]]) + self.rows[view] if holds.any() else -1

    def chunk_counts(self) -> Ints:
        """How many live rows each document has."""
        return joined([profile.chunks for profile in self.profiles])

    def greatest(self, values: Floats) -> Floats:
        """By document, the greatest of its rows' values, none below 0; 0 without rows."""
        # Floats of at least 0 order as their bits do, and integers take a third of the time.
        return self._by_document(np.maximum, values.view(np.int32)).view(np.float32)

    def sums(self, values: Floats) -> Floats:
        """By document, the sum of its rows' values; 0 without rows."""
        return self._by_document(np.add, values)

    def _by_document(self, join: np.ufunc, values: NDArray[T]) -> NDArray[T]:
        out = np.zeros(self.docs[-1], values.dtype)
        for view, profile in enumerate(self.profiles):
            if len(profile.filled):
                here = values[self.rows[view] : self.rows[view + 1]]
                if not profile.ordered:
                    here = here[profile.order]
                joined = join.reduceat(here, profile.first[profile.filled])
                out[profile.filled + self.docs[view]] = joined
        return out

    def languages(self) -> dict[str, float]:
        """What share of the scope's code is in each language, by lines."""
        lines: Counter[str] = Counter()
        for profile in self.profiles:
            lines.update(profile.languages)
        total = max(lines.total(), 1)
        return {language: count / total for language, count in lines.items()}

    def language_shares(self, docs: Ints) -> Floats:
        """What share of the scope's code is in the language of each of these documents."""
        shares, out = self.languages(), np.zeros(len(docs), np.float32)
        for profile, first, last in zip(self.profiles, self.docs, self.docs[1:], strict=False):
            here = np.flatnonzero((docs >= first) & (docs < last))
            own = np.array([shares[each] for each in profile.languages], np.float32)
            out[here] = own[profile.language[docs[here] - first]]
        return out

    def path_order(self, docs: Ints) -> NDArray[np.int64]:
        """For each document its place among them all by path; equal paths share it."""
        if len(self.views) == 1:
            return docs.astype(np.int64)
        paths = {doc: self.document(doc).path for doc in np.unique(docs).tolist()}
        place = {path: at for at, path in enumerate(sorted(set(paths.values())))}
        return np.array([place[paths[doc]] for doc in docs.tolist()], np.int64)

    def first_lines(self, rows: Ints) -> NDArray[np.int64]:
        """The first line of each row's chunk."""
        return self._of_rows(rows, [view.chunk_start for view in self.views])

    def labels(self, rows: Ints) -> list[tuple[str, str]]:
        """The kind and the name of each row's chunk; each view is asked once."""
        found = [("", "")] * len(rows)
        for view, here, own in self.by_view(rows):
            labels = self.views[view].labels(own)
            for at, label in zip(np.flatnonzero(here).tolist(), labels, strict=True):
                found[at] = label
        return found

    def lines(self, rows: Ints) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The first and the last line of each row's chunk."""
        return self.first_lines(rows), self._of_rows(rows, [view.chunk_end for view in self.views])

    def field_length(self, field: int, rows: Ints) -> NDArray[np.int64]:
        """The length of one field of each row's chunk, in terms."""
        return self._of_rows(rows, [view.field_lengths[field] for view in self.views])

    def _of_rows(self, rows: Ints, columns: Sequence[NDArray[np.generic]]) -> NDArray[np.int64]:
        if len(columns) == 1:
            return columns[0][rows].astype(np.int64)
        out = np.zeros(len(rows), np.int64)
        for view, here, own in self.by_view(rows):
            out[here] = columns[view][own]
        return out


def _moved(numbers: Ints, by: int) -> Ints:
    return np.where(numbers < 0, np.int32(-1), numbers + np.int32(by))


def joined(parts: Sequence[NDArray[T]]) -> NDArray[T]:
    """One array for all views; that of a single view is not copied."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
