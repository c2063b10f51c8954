"""What turns questions and chunks into vectors: the port that the index and search see.

Two kinds give a chunk its vector in two ways. A *term embedder* is a table of vectors for terms:
the index sums them over the postings that it has anyway. A *text embedder* reads texts, by a model
in this process or over the network. Both turn a question into a vector of the same space. `None`
in the place of an embedder means search by words and symbols alone. This module computes nothing
and loads no model.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    import numpy.typing as npt


class Embedder(Protocol):
    """Questions to vectors; may be called from several threads at once."""

    @property
    def id(self) -> str:
        """Name and version: the same id gives the same vectors for the same texts."""
        ...

    @property
    def dims(self) -> int:
        """Numbers in one vector, at least 1."""
        ...

    def query(self, text: str, terms: Sequence[str]) -> npt.NDArray[np.float32]:
        """The question's vector: shape (dims,), of length 1, or 0 when nothing is known of it.

        Args:
            text: The question as it was asked.
            terms: Its terms as the index splits them, repeats included.

        Raises:
            ProviderDownError: A provider is down or over its quota; a retry may help.
            ProviderRefusedError: It said no for good.
        """
        ...


class _Vectors(ABC):
    """What both kinds have, as `Embedder` describes it."""

    @property
    @abstractmethod
    def id(self) -> str:
        """As `Embedder.id`."""

    @property
    @abstractmethod
    def dims(self) -> int:
        """As `Embedder.dims`."""

    @abstractmethod
    def query(self, text: str, terms: Sequence[str]) -> npt.NDArray[np.float32]:
        """As `Embedder.query`."""


class TermEmbedder(_Vectors):
    """A table of vectors for terms. `query` never raises.

    A chunk's vector is the sum over its postings of
    `chunk_weight[row] * field_weight[field] * (1 + ln tf) * table[row]`, brought to length 1.
    Fields are in the order of the index's `FIELDS`.
    """

    @abstractmethod
    def rows(self, terms: Sequence[str]) -> npt.NDArray[np.int32]:
        """The table's row of each term; -1 for a term without one."""

    @property
    @abstractmethod
    def table(self) -> npt.NDArray[np.int8]:
        """Shape (rows, dims)."""

    @property
    @abstractmethod
    def chunk_weight(self) -> npt.NDArray[np.float32]:
        """By row: what the row counts in a chunk, with the row's scale in it."""

    @property
    @abstractmethod
    def field_weight(self) -> npt.NDArray[np.float32]:
        """By field."""


class TextEmbedder(_Vectors):
    """A model that reads texts; slow, and it may fail."""

    @property
    @abstractmethod
    def max_chars(self) -> int:
        """Characters of one text that it reads; the rest is cut."""

    @property
    @abstractmethod
    def batch(self) -> int:
        """Texts that it takes at a time, at least 1."""

    @abstractmethod
    def embed(
        self,
        texts: Sequence[str],
        seconds: float = math.inf,
        told: Callable[[str], None] | None = None,
    ) -> npt.NDArray[np.float32]:
        """One row a text: shape (len(texts), dims), each of length 1.

        Args:
            texts: What is embedded.
            seconds: How long it may take, where a model can be kept to that.
            told: Is told in a sentence what is waited for.

        Raises:
            ProviderDownError: A provider is down or over its quota; a retry may help.
            ProviderRefusedError: It said no for good.
        """
