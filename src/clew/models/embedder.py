"""What turns texts into vectors, and the one that turns them into nothing.

An embedder's id is part of the index's key: another id means other vectors. This module computes
nothing and loads no model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt


class Embedder(Protocol):
    """Texts to vectors; may be called from several threads at once."""

    @property
    def id(self) -> str:
        """Name and version: the same id gives the same vectors for the same texts."""
        ...

    @property
    def dims(self) -> int:
        """Numbers in one vector; 0 when there are no vectors."""
        ...

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """One row a text: shape (len(texts), dims), each of length 1 unless dims is 0.

        Raises:
            ProviderDownError: A provider is down or over its quota; a retry may help.
            ProviderRefusedError: It said no for good.
        """
        ...


class LexicalOnly:
    """No vectors: search is by words and symbols alone."""

    id: Final = "none"
    dims: Final = 0

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """An array of shape (len(texts), 0)."""
        import numpy as np

        return np.zeros((len(texts), 0), dtype=np.float32)
