"""Reads a static model: one file with a vector for every common identifier part.

The file is made by `training/` and read by numpy alone. Terms that are not in its vocabulary share
rows by how they begin. Nothing is read before the first use, and nothing is ever fetched.
"""

from __future__ import annotations

import json
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from tokenize import TokenError
from typing import TYPE_CHECKING, Any, Final, cast
from zipfile import BadZipFile, ZipFile
from zlib import crc32

import numpy as np

from clew.errors import IndexFailedError
from clew.models.embedder import TermEmbedder

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence
    from pathlib import Path

    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]
    Ints = npt.NDArray[np.int32]

_DAMAGE: Final = (
    OSError,
    EOFError,
    BadZipFile,
    KeyError,
    ValueError,
    TypeError,
    RuntimeError,
    TokenError,
)
"""What `zipfile` and numpy raise for a file that is cut, overwritten or something else."""
_BEGINNING: Final = 4  # characters of a term that choose its shared row


@dataclass(frozen=True, slots=True)
class _Arrays:
    """What the file holds, R rows: first one for each word of the vocabulary, then shared ones."""

    table: npt.NDArray[np.int8]
    query_weight: Floats
    chunk_weight: Floats
    field_weight: Floats
    words: dict[str, int]


class StaticTable(TermEmbedder):
    """A static model in a file; reading it takes about 10 ms, once."""

    def __init__(self, path: Path) -> None:
        self._path = path

    # --- what it is ----------------------------------------------------------------------------

    @cached_property
    def _head(self) -> tuple[dict[str, Any], str]:
        """What the file says of itself, and a digest of what it holds."""
        with self._opened() as arrays:
            meta = json.loads(arrays["meta"].tobytes())
        with ZipFile(self._path) as archive:
            sums = ",".join(f"{each.filename}:{each.CRC}" for each in archive.infolist())
        return cast("dict[str, Any]", meta), f"{crc32(sums.encode()):08x}"

    @property
    def id(self) -> str:
        """The model's name and a digest of its numbers, so that a model trained anew is another."""
        meta, digest = self._head
        return f"{meta['id']}-{digest}"

    @property
    def dims(self) -> int:
        """Numbers in one vector."""
        return int(self._head[0]["dims"])

    @property
    def tokeniser(self) -> str:
        """The tokeniser that its terms are of; the index's own has to be the same."""
        return str(self._head[0]["tokeniser"])

    # --- what it gives -------------------------------------------------------------------------

    @property
    def table(self) -> npt.NDArray[np.int8]:
        """Shape (rows, dims)."""
        return self._arrays.table

    @property
    def chunk_weight(self) -> Floats:
        """By row: what the row counts in a chunk, with the row's scale in it."""
        return self._arrays.chunk_weight

    @property
    def field_weight(self) -> Floats:
        """By field."""
        return self._arrays.field_weight

    def rows(self, terms: Sequence[str]) -> Ints:
        """The table's row of each term; -1 for a term without one."""
        words = self._arrays.words
        shared = len(self._arrays.table) - len(words)
        rows = [words.get(term, -1) for term in terms]
        if shared:
            for at, row in enumerate(rows):
                if row < 0:
                    begins = crc32(terms[at][:_BEGINNING].encode("utf-8", "surrogatepass"))
                    rows[at] = len(words) + begins % shared
        return np.array(rows, np.int32)

    def query(self, text: str, terms: Sequence[str]) -> Floats:
        """The question's vector, of length 1; 0 when the model knows none of its terms."""
        del text  # the terms are all that it knows
        counts = Counter(terms)
        rows = self.rows(list(counts))
        times = 1 + np.log(np.array(list(counts.values()), np.float32))
        known = rows >= 0
        rows, times = rows[known], times[known]
        arrays = self._arrays
        total: Floats = (arrays.query_weight[rows] * times) @ arrays.table[rows].astype(np.float32)
        length = np.float32(np.linalg.norm(total))
        return total / length if length else total

    def near(self, term: str) -> list[tuple[str, float]]:
        """The words of the vocabulary nearest to a term, nearest first, each with its cosine."""
        row = self._arrays.words.get(term)
        if row is None:
            return []
        rows, similarities = self._near
        found, cosines = rows[row].tolist(), similarities[row].tolist()
        pairs = zip(found, cosines, strict=True)
        return [(self._words[at], cosine) for at, cosine in pairs if at >= 0]  # -1 fills a row up

    # --- the file ------------------------------------------------------------------------------

    @cached_property
    def _words(self) -> tuple[str, ...]:
        return tuple(self._arrays.words)

    @cached_property
    def _arrays(self) -> _Arrays:
        with self._opened() as file:
            scale = file["scale"]
            words = file["vocab"].tobytes().decode("utf-8").split("\n")
            return _Arrays(
                table=file["table"],
                query_weight=file["query_weight"] * scale,
                chunk_weight=file["chunk_weight"] * scale,
                field_weight=file["field_weight"],
                words={word: at for at, word in enumerate(words)},
            )

    @cached_property
    def _near(self) -> tuple[Ints, npt.NDArray[np.float16]]:
        with self._opened() as file:
            return file["near"], file["near_similarity"]

    @contextmanager
    def _opened(self) -> Generator[Mapping[str, npt.NDArray[Any]]]:
        try:
            with self._path.open("rb") as opened, np.load(opened) as arrays:
                yield arrays
        except _DAMAGE as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: Exception) -> IndexFailedError:
        return IndexFailedError(
            f"the embedding model {self._path.name} can't be read ({error}): install Clew again, "
            'or search by words alone with model.embed = "none"'
        )
