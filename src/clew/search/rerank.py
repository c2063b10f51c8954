"""The last step of search, where one is set: a reranker reads the best spans again.

It sees a few spans only, adds to their scores under a name of its own and takes nothing away, so
whatever it says stands beside the other reasons. When it fails, the order without it stands and the
result says so. Nothing here sends anything.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from clew.errors import ProviderDownError, ProviderRefusedError
from clew.types import Caveat

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from clew.models.reranker import Reranker
    from clew.search.corpus import Corpus
    from clew.search.ranking import Ranked

SPANS: Final = 30
"""Spans that are read again: a reranker takes milliseconds for each."""
CHARACTERS: Final = 2_000
"""Of one span: what most rerankers read."""
LINES: Final = 80
"""Of one span: no more hold `CHARACTERS`."""


def reranked(
    ranked: Ranked,
    corpus: Corpus,
    files: Sequence[Sequence[int]],
    query: str,
    reranker: Reranker,
    weight: float,
) -> tuple[Ranked, Caveat | None]:
    """Lets a reranker order the best spans; with why it could not, when it could not.

    Args:
        ranked: All chunks of the best files.
        corpus: The scope.
        files: The spans that would be shown, by file, as positions in `ranked`.
        query: The question as it was asked.
        reranker: What reads it.
        weight: What the best of them gets; the worst gets nothing, the others what lies between.
    """
    best = sorted(at for spans in files for at in spans)[:SPANS]
    if not best:
        return ranked, None
    texts = [_text(corpus, int(ranked.rows[at])) for at in best]
    try:
        fits = reranker.scores(query, texts)
    except (ProviderDownError, ProviderRefusedError) as error:
        said = f"{error.message.rstrip('.')}; the order is the one without a reranker."
        return ranked, Caveat("not_reranked", said)
    part = np.zeros(len(ranked.rows))
    part[best] = weight * _between(fits)
    return _added(ranked, part), None


def _text(corpus: Corpus, row: int) -> str:
    """A span as a reranker reads it: its path, its whole name, its lines."""
    number = corpus.view_of_row(row)
    view = corpus.views[number]
    (chunk,) = view.chunks([row - corpus.rows[number]])
    last = min(chunk.end_line, chunk.start_line + LINES - 1)
    lines = view.lines(chunk.path, chunk.start_line, last)
    return "\n".join((chunk.path, chunk.qualname, *lines))[:CHARACTERS]


def _between(fits: NDArray[np.float32]) -> NDArray[np.float64]:
    """Scores of any scale, brought to 0 for the worst and 1 for the best."""
    low, high = float(fits.min()), float(fits.max())
    return np.zeros(len(fits)) if high <= low else (fits.astype(np.float64) - low) / (high - low)


def _added(ranked: Ranked, part: NDArray[np.float64]) -> Ranked:
    """The same chunks with one more signal, in their new order; ties stay as they were."""
    scores = np.round(ranked.scores + part, 6)
    added = replace(
        ranked,
        scores=scores,
        names=(*ranked.names, "rerank"),
        parts=np.concatenate([ranked.parts, part[None]]),
    )
    return added.in_order(np.argsort(-scores, kind="stable"))
