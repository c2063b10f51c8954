"""The vectors of one revision's chunks, as search scores them: every chunk, exactly.

The matrix stays as it is stored, one int8 row a chunk: no float copy of it is made. Nothing here
decides what a score means.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clew.index.store import DamagedIndexError
from clew.index.vectors import vectors_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clew.index.layout import Layout
    from clew.index.postings import Int32
    from clew.index.store import Reader, VectorKind, VectorRow, VectorSpan
    from clew.index.vectors import Float32, Int8


class Matrix:
    """int8 rows by view-wide chunk id, with a scale each."""

    def __init__(self, count: int, dims: int) -> None:
        self.rows: Int8 = np.zeros((count, dims), np.int8)
        self.scales: Float32 = np.zeros(count, np.float32)
        self.norms: Float32 = np.zeros(count, np.float32)

    def fill(self, row: VectorRow, ids: Int32) -> None:
        """Take a stored row; `ids` are the numbers of its chunks, -1 for dead ones."""
        live = ids >= 0
        at = ids[live]
        try:
            stored = vectors_of(row)
            norms = np.frombuffer(row.norms, "<f4", row.count) if row.norms else None
        except ValueError as error:
            raise DamagedIndexError(
                f"the vectors of segment {row.segment} of the index are damaged: delete the index "
                "and ask again"
            ) from error
        whole = len(at) == len(ids)
        self.rows[at] = stored.rows if whole else stored.rows[live]
        self.scales[at] = stored.scales if whole else stored.scales[live]
        if norms is not None:
            self.norms[at] = norms if whole else norms[live]

    def floats(self, ids: Int32) -> Float32:
        """The vectors of some chunks: shape (len(ids), dims)."""
        return self.rows[ids] * self.scales[ids, None]


class Dense:
    """The vectors of every chunk of a view. Thread-safe.

    Attributes:
        dims: Numbers in one vector; 0 in a revision without chunks.
        norms: float32, by document number of the view: the length of the sum of the vectors of
            its chunks, 0 for a document without any. The cosine of a question and the centroid of
            a document is the sum of its chunks' scores over this.
    """

    def __init__(
        self,
        chunks: Matrix,
        chunk_doc: Int32,
        documents: int,
    ) -> None:
        self.dims = chunks.rows.shape[1]
        self.norms: Float32 = np.zeros(documents, np.float32)
        self.norms[chunk_doc] = chunks.norms
        self._chunks = chunks

    def scores(self, query: Float32) -> Float32:
        """The cosine of the question and every chunk: float32[N], by chunk id.

        The question's vector is rounded to int8 too, so that they are off by a few thousandths
        (0.005 at most in 150 questions to 110,000 chunks); equal vectors have equal ones.
        """
        matrix = self._chunks
        peak = float(np.abs(query).max(initial=0))
        if not peak or not len(matrix.scales):
            return np.zeros(len(matrix.scales), np.float32)
        rounded = np.rint(query * np.float32(127 / peak)).astype(np.int8)
        scores = _products(matrix.rows, rounded)
        scores *= matrix.scales
        scores *= np.float32(peak / 127)
        return scores

    def rows(self, ids: Int32) -> Float32:
        """The vectors of some chunks, of length 1 or 0: shape (len(ids), dims)."""
        return self._chunks.floats(ids)


def _products(rows: Int8, query: Int8) -> Float32:
    """The product of every row with the query: float32[len(rows)]."""
    import simsimd

    found = simsimd.cdist(query[None], rows, metric="dot", out_dtype="float32")
    return np.asarray(found, np.float32).reshape(-1)


def load_dense(reader: Reader, layout: Layout, documents: int, embedder: str) -> Dense | None:
    """The vectors by an embedder of this id; None unless every chunk has one.

    Args:
        reader: The index.
        layout: The revision's chunks.
        documents: How many documents the revision has.
        embedder: The embedder's id.
    """
    chunks = _matrix(reader, layout, embedder, "chunk")
    if chunks is None:
        return None
    return Dense(chunks, layout.doc, documents)


def embedded(spans: Iterable[VectorSpan], layout: Layout) -> int:
    """How many of the revision's chunks stand in the spans."""
    count = 0
    for span in spans:
        ids = layout.ids.get(span.segment)
        if ids is not None:
            count += int(np.count_nonzero(ids[span.first : span.first + span.count] >= 0))
    return count


def _matrix(reader: Reader, layout: Layout, embedder: str, kind: VectorKind) -> Matrix | None:
    """Stored rows in the order of the chunks' ids, read one segment at a time."""
    spans = reader.vector_spans(embedder, kind)
    if embedded(spans, layout) < len(layout.doc):
        return None
    matrix = Matrix(len(layout.doc), spans[0].dims if len(layout.doc) else 0)
    for segment in layout.segments:
        for row in reader.vectors(embedder, kind, segment):
            matrix.fill(row, layout.ids[segment][row.first : row.first + row.count])
    return matrix
