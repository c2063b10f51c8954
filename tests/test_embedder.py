"""The seam for vectors."""

from __future__ import annotations

import numpy as np

from clew.models.embedder import Embedder, LexicalOnly


def test_without_an_embedder_every_text_has_an_empty_vector():
    embedder: Embedder = LexicalOnly()
    vectors = embedder.embed(["a", "b"])
    assert (embedder.id, embedder.dims) == ("none", 0)
    assert vectors.shape == (2, 0)
    assert vectors.dtype == np.float32
    assert embedder.embed([]).shape == (0, 0)
