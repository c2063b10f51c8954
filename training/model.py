"""The model as numpy arrays: its vocabulary, its file, and how a bag becomes a vector.

The reader that Clew ships is its own, faster code (`clew.models`); this one is the plain statement
of what the file means, and what held-out scores are measured with. The two are tested against
each other.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from clew.index import tokens
from clew.index.fields import FIELDS
from training.bags import BODY, DOC

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from training.arrays import Arrays, Ints

    Floats = NDArray[np.float32]

MODEL_ID = "clew-code-1"
CARD_FIELDS = tuple(field for field in range(len(FIELDS)) if field not in (DOC, BODY))
PREFIX = 4  # characters of an unknown term that choose its hashed row
_BLOCK = 400_000  # postings embedded at a time


@dataclass(frozen=True, slots=True)
class Model:
    """A table of vectors for terms, and what each term and field weighs.

    Attributes:
        vocabulary: The terms of the first rows; hashed rows for all others stand behind them.
        table: float32[rows, dims].
        query_weight: float32[rows], of a term in a question.
        chunk_weight: float32[rows], of a term in code.
        field_weight: float32[len(FIELDS)], in a chunk's vector.
        card_weight: float32[len(FIELDS)], in a card's: path, name and signature; else 0.
    """

    vocabulary: tuple[str, ...]
    table: Floats
    query_weight: Floats
    chunk_weight: Floats
    field_weight: Floats
    card_weight: Floats

    @property
    def hashed(self) -> int:
        """How many rows unknown terms share."""
        return len(self.table) - len(self.vocabulary)

    def queries(self, arrays: Arrays, ids: Ints) -> Floats:
        """Embed all questions: float32[questions, dims], each of length 1 or 0."""
        term = ids[arrays.asked_term]
        weight = self.query_weight[term] * _times(arrays.asked_times)
        return _sum(self.table, term, weight, arrays.asked_start)

    def chunks(self, arrays: Arrays, ids: Ints, *, card: bool = False) -> Floats:
        """Embed all bags, or only what their cards hold."""
        term = ids[arrays.bag_term]
        fields = self.card_weight if card else self.field_weight
        weight = self.chunk_weight[term] * fields[arrays.bag_field] * _times(arrays.bag_times)
        return _sum(self.table, term, weight, arrays.bag_start)


def rows_of(terms: Sequence[str], vocabulary: Sequence[str], hashed: int) -> Ints:
    """Find each term's row; -1 for those that have none."""
    known = {term: row for row, term in enumerate(vocabulary)}
    size = len(vocabulary)

    def row(term: str) -> int:
        found = known.get(term)
        if found is not None:
            return found
        return size + zlib.crc32(term[:PREFIX].encode()) % hashed if hashed else -1

    return np.fromiter(map(row, terms), np.int64, len(terms))


def choose_vocabulary(arrays: Arrays, size: int, least_repositories: int) -> tuple[str, ...]:
    """Choose the terms that most bags and questions hold, if several repositories have them.

    A name that one repository made up means nothing elsewhere; and what stands in several public
    repositories is no secret of any.
    """
    count = np.zeros(len(arrays.terms), np.int64)
    np.add.at(count, arrays.asked_term, 1)
    np.add.at(count, arrays.bag_term, 1)
    repo_of_bag = np.zeros(len(arrays.bag_start) - 1, np.int64)
    repo_of_bag[arrays.asked_bag] = arrays.repo
    where = np.repeat(repo_of_bag, np.diff(arrays.bag_start))
    asked_where = np.repeat(arrays.repo.astype(np.int64), np.diff(arrays.asked_start))
    pairs = np.unique(
        np.concatenate(
            [
                arrays.bag_term.astype(np.int64) << 16 | where,
                arrays.asked_term.astype(np.int64) << 16 | asked_where,
            ]
        )
    )
    spread = np.bincount(pairs >> 16, minlength=len(arrays.terms))
    count[spread < least_repositories] = 0
    order = sorted(range(len(count)), key=lambda term: (-count[term], arrays.terms[term]))
    return tuple(arrays.terms[term] for term in order[:size] if count[term] > 0)


def cut(whole: Model, sample: Arrays, dims: int) -> Model:
    """Turn the vectors so that the first dimensions tell most, and keep so many of those.

    Better than training with so few: measured on the held-out repositories, half of 256
    dimensions score as 128 trained ones and .003 more.

    Args:
        whole: As trained.
        sample: Material whose questions and chunks say which directions matter.
        dims: How many to keep.
    """
    if dims >= whole.table.shape[1]:
        return whole
    ids = rows_of(sample.terms, whole.vocabulary, whole.hashed)
    spread = np.zeros((whole.table.shape[1],) * 2)
    for vectors in (whole.chunks(sample, ids), whole.queries(sample, ids)):
        spread += vectors.T @ vectors / max(len(vectors), 1)
    turned = np.linalg.eigh(spread)[1][:, ::-1][:, :dims]
    return replace(whole, table=(whole.table @ turned).astype(np.float32))


def quantise(table: Floats) -> tuple[NDArray[np.int8], Floats]:
    """Round each row to 8 bits: row is about int8 × scale."""
    scale = np.maximum(np.abs(table).max(axis=1), 1e-12).astype(np.float32) / np.float32(127)
    return np.rint(table / scale[:, None]).astype(np.int8), scale


def save(path: Path, model: Model, near: tuple[Ints, Floats], meta: dict[str, Any]) -> None:
    """Write the file that Clew ships. `near` are the nearest terms and how near they are."""
    table, scale = quantise(model.table)
    about = {
        "id": MODEL_ID,
        "dims": int(table.shape[1]),
        "hashed": model.hashed,
        "tokeniser": tokens.TOKENISER,
        **meta,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as out:
        np.savez(  # not packed: a wheel is anyway, and reading takes 9 ms in the place of 30
            out,
            table=table,
            scale=scale,
            query_weight=model.query_weight.astype(np.float32),
            chunk_weight=model.chunk_weight.astype(np.float32),
            field_weight=model.field_weight.astype(np.float32),
            card_weight=model.card_weight.astype(np.float32),
            vocab=np.frombuffer("\n".join(model.vocabulary).encode(), np.uint8),
            near=near[0].astype(np.int32),
            near_similarity=near[1].astype(np.float16),
            meta=np.frombuffer(json.dumps(about, sort_keys=True).encode(), np.uint8),
        )


def load(path: Path) -> Model:
    """Read what `save` wrote, the table in floats again."""
    with np.load(path) as stored:
        return Model(
            vocabulary=tuple(stored["vocab"].tobytes().decode().split("\n")),
            table=stored["table"].astype(np.float32) * stored["scale"][:, None],
            query_weight=stored["query_weight"],
            chunk_weight=stored["chunk_weight"],
            field_weight=stored["field_weight"],
            card_weight=stored["card_weight"],
        )


def _times(times: Ints) -> Floats:
    return 1 + np.log(times.astype(np.float32))


def _sum(table: Floats, term: Ints, weight: Floats, start: Ints) -> Floats:
    """Add up each bag's weighted rows and scale the sums to length 1; an empty bag gives 0."""
    term, weight = np.maximum(term, 0), np.where(term < 0, np.float32(0), weight)
    sums = np.zeros((len(start) - 1, table.shape[1]), np.float32)
    first = 0
    while first < len(sums):
        last = int(np.searchsorted(start, start[first] + _BLOCK, "right")) - 1
        last = min(max(last, first + 1), len(sums))
        low, high = int(start[first]), int(start[last])
        filled = np.flatnonzero(np.diff(start[first : last + 1])) + first
        if len(filled):
            rows = table[term[low:high]] * weight[low:high, None]
            sums[filled] = np.add.reduceat(rows, start[filled] - low)
        first = last
    length = np.linalg.norm(sums, axis=1, keepdims=True)
    return sums / np.maximum(length, 1e-9)
