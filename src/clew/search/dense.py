"""The dense step of search: how near every chunk lies to the question, by an embedder's vectors.

It finds what says the same in other words. Where any view of the scope has no vectors yet there is
no dense step at all, so that sources are never ranked by two measures side by side.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from clew.index.tokens import terms
from clew.search.lexical import best_of
from clew.search.priors import after

if TYPE_CHECKING:
    from clew.index.dense import Dense
    from clew.models.embedder import Embedder
    from clew.search.corpus import Corpus, Floats, Ints
    from clew.search.query import Query

FEEDBACK: Final = 5
"""Best chunks whose mean is added to the question …"""
SHARE: Final = 0.5
"""… and how much it counts: they know the words that the code uses for what was asked."""


@dataclass(frozen=True, slots=True)
class Near:
    """Cosines of the question, 0 where they would be negative.

    Attributes:
        query: The question's vector.
        second: That of the question together with the mean of its best chunks.
        scores: Of the question and every row of the scope.
        centroid: By document, of the question and the sum of the vectors of its rows.
    """

    query: Floats
    second: Floats
    scores: Floats
    centroid: Floats
    views: tuple[Dense, ...]

    def again(self, corpus: Corpus, rows: Ints) -> Floats:
        """Cosines of `second` and some rows."""
        cosines = np.einsum("ij,j->i", _vectors(self.views, corpus, rows), self.second)
        return np.maximum(cosines, 0.0)

    def cards(self, corpus: Corpus, rows: Ints) -> Floats:
        """Cosines of the question and what some rows are called."""
        out = np.zeros(len(rows), np.float32)
        for view, here, own in corpus.by_view(rows):
            out[here] = self.views[view].cards(self.query, own)
        return np.maximum(out, 0.0)


def nearness(corpus: Corpus, asked: Query, embedder: Embedder | None, lost: Floats) -> Near | None:
    """Scores every row of the scope; None without an embedder, or without its vectors.

    Args:
        corpus: The scope.
        asked: The question.
        embedder: What turns it into a vector.
        lost: By document, what it loses for the part that it plays.

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
    scores = np.concatenate([each.scores(query) for each in views])
    centroid = _centroids(views, corpus, scores)
    np.maximum(scores, 0.0, out=scores)
    best = best_of(after(scores, lost, corpus.doc), FEEDBACK).astype(np.int32)
    mean = _vectors(views, corpus, best).mean(axis=0)
    second = query + SHARE * mean / max(float(np.linalg.norm(mean)), 1e-9)
    second /= max(float(np.linalg.norm(second)), 1e-9)
    return Near(query, second, scores, centroid, views)


def _centroids(views: tuple[Dense, ...], corpus: Corpus, scores: Floats) -> Floats:
    """By document: the sum of its rows' cosines over the length of the sum of their vectors."""
    centroid = np.zeros(corpus.docs[-1], np.float32)
    for number, (view, profile) in enumerate(zip(views, corpus.profiles, strict=True)):
        docs = np.flatnonzero(profile.chunks)
        if len(docs):
            sums = np.add.reduceat(scores[corpus.rows[number] + profile.order], profile.first[docs])
            length = np.maximum(view.norms[profile.ids[docs]], 1e-9)
            centroid[docs + corpus.docs[number]] = sums / length
    return np.maximum(centroid, 0.0)


def _vectors(views: tuple[Dense, ...], corpus: Corpus, rows: Ints) -> Floats:
    out = np.zeros((len(rows), views[0].dims), np.float32)
    for view, here, own in corpus.by_view(rows):
        out[here] = views[view].rows(own)
    return out
