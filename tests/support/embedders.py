"""Embedders for tests: a static model with random numbers, and one that reads texts."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

import numpy as np

from clew.index.postings import FIELDS
from clew.index.tokens import TOKENISER
from clew.models.embedder import TextEmbedder
from clew.models.static_table import StaticTable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

VOCABULARY = ("alpha", "beta", "gamma", "def", "return", "class", "self", "order", "share", "new")


def write_model(
    path: Path,
    *,
    seed: int = 0,
    dims: int = 16,
    hashed: int = 8,
    id_: str = "toy",
    words=VOCABULARY,
) -> Path:
    """A model file of random numbers, in the format of the one that is shipped."""
    rng = np.random.default_rng(seed)
    rows, v = len(words) + hashed, len(words)
    meta = {"id": id_, "dims": dims, "hashed": hashed, "tokeniser": TOKENISER}
    np.savez(
        path,
        table=rng.integers(-127, 128, (rows, dims), dtype=np.int8),
        scale=rng.random(rows, np.float32) / 100,
        query_weight=rng.random(rows, np.float32),
        chunk_weight=rng.random(rows, np.float32),
        field_weight=rng.random(len(FIELDS), np.float32),
        vocab=np.frombuffer("\n".join(words).encode(), np.uint8),
        near=rng.integers(0, v, (v, 8), dtype=np.int32),
        near_similarity=rng.random((v, 8)).astype(np.float16),
        meta=np.frombuffer(json.dumps(meta).encode(), np.uint8),
    )
    return path


def static_model(folder: Path, **changes) -> StaticTable:
    """A static model of random numbers."""
    name = "-".join(map(str, changes.values())) or "toy"
    return StaticTable(write_model(folder / f"{name}.npz", **changes))


class ToyText(TextEmbedder):
    """Vectors from digests of the texts; counts what it was asked, and may be told to fail."""

    def __init__(self, id_: str = "toy-text", dims: int = 8, batch: int = 4) -> None:
        self._id, self._dims, self._batch = id_, dims, batch
        self.texts: list[str] = []
        self.fail: Exception | None = None
        self.fail_after = 0

    @property
    def id(self) -> str:
        return self._id

    @property
    def dims(self) -> int:
        return self._dims

    @property
    def max_chars(self) -> int:
        return 2_000

    @property
    def batch(self) -> int:
        return self._batch

    def query(self, text: str, terms: Sequence[str]) -> np.ndarray:
        return self._vector(text)

    def embed(self, texts: Sequence[str], *_: object) -> np.ndarray:
        if self.fail and len(self.texts) >= self.fail_after:
            raise self.fail
        self.texts += texts
        return np.array([self._vector(text) for text in texts], np.float32)

    def _vector(self, text: str) -> np.ndarray:
        digest = hashlib.sha256(f"{self._id}\0{text}".encode()).digest()
        vector = np.frombuffer(digest[: self._dims], np.int8).astype(np.float32) + 0.5
        return vector / np.linalg.norm(vector)
