"""The dense step of search: how near every chunk lies to the question, by an embedder's vectors.

It finds what says the same in other words. Where any view of the scope has no vectors yet there is
no dense step at all, so that sources are never ranked by two measures side by side.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from clew.index.tokens import terms
from clew.models.embedder import TermEmbedder
from clew.search.corpus import joined

if TYPE_CHECKING:
    from clew.models.embedder import Embedder
    from clew.search.corpus import Corpus, Floats
    from clew.search.query import Query


@dataclass(frozen=True, slots=True)
class Near:
    """Cosines of the question to a few thousandths, 0 where they would be negative.

    Attributes:
        scores: Of every row of the scope.
        best: By document, the greatest of its rows.
        centroid: By document, of the sum of the vectors of its rows.
        own: Whether a static model made the vectors, whose cosines are known to mean something;
            those of other models lie elsewhere, and only order.
    """

    scores: Floats
    best: Floats
    centroid: Floats
    own: bool


def nearness(corpus: Corpus, asked: Query, embedder: Embedder | None) -> Near | None:
    """Scores every row of the scope; None without an embedder, or without its vectors.

    Args:
        corpus: The scope.
        asked: The question.
        embedder: What turns it into a vector.

    Raises:
        ProviderDownError: An embedder over the network is down.
        ProviderRefusedError: It refuses.
    """
    if embedder is None or not corpus.size:
        return None
    found = [view.vectors(embedder.id) for view in corpus.views]
    views = tuple(each for each in found if each is not None)
    if len(views) < len(found):
        return None
    query = embedder.query(asked.text, terms(asked.title))
    scores = joined([each.scores(query) for each in views])
    norms = joined(
        [view.norms[profile.ids] for view, profile in zip(views, corpus.profiles, strict=True)]
    )
    centroid = np.maximum(corpus.sums(scores) / np.maximum(norms, 1e-9), 0.0)
    np.maximum(scores, 0.0, out=scores)
    own = isinstance(embedder, TermEmbedder)
    return Near(scores, corpus.greatest(scores), centroid, own)
