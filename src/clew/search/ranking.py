"""Ranks candidates: what speaks for each and what its file loses, added up and ordered.

The signals stand in `signals.py`, the penalties in `priors.py`, the weights of both in
`weights.py`. Nothing here fetches text, and nothing knows a particular project.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from clew.search.signals import SIGNALS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clew.search.corpus import Corpus, Ints
    from clew.search.pool import Pool
    from clew.search.priors import Priors
    from clew.search.weights import Weights


@dataclass(frozen=True, slots=True)
class Ranked:
    """Candidates with their scores, best first, and what each signal contributed."""

    rows: Ints
    docs: Ints
    scores: NDArray[np.float64]
    matched: NDArray[np.uint8]
    parts: dict[str, NDArray[np.float64]]

    def explain(self, at: int) -> dict[str, float]:
        """The contributions to one candidate's score, by name, without zeros."""
        values = ((name, round(float(part[at]), 4)) for name, part in self.parts.items())
        return {name: value for name, value in values if value}


def rank(pool: Pool, prior: Priors, weights: Weights) -> Ranked:
    """Scores and orders the pool; ties break by path, first line and source."""
    parts = {name: getattr(weights, name) * signal(pool) for name, signal in SIGNALS}
    parts |= prior.of(pool.corpus.roles[pool.docs])
    scores = np.sum(list(parts.values()), axis=0) if len(pool.rows) else np.zeros(0)
    scores = np.round(scores.astype(np.float64), 6)
    order = np.lexsort((*_tie_break(pool), -scores))
    return Ranked(
        rows=pool.rows[order],
        docs=pool.docs[order],
        scores=scores[order],
        matched=pool.matched[:, order],
        parts={name: part[order] for name, part in parts.items()},
    )


def _tie_break(pool: Pool) -> tuple[NDArray[np.int64], ...]:
    """Least key first, as `lexsort` wants them: source, first line, path."""
    sources = np.searchsorted(pool.corpus.docs, pool.docs, side="right")
    return sources, pool.corpus.first_lines(pool.rows), pool.corpus.path_order(pool.docs)


def group(ranked: Ranked, corpus: Corpus, k: int, spans: int) -> list[list[int]]:
    """Positions in `ranked` by file: the `k` best files, each with its best spans, best first.

    Windows of one file overlap; a span that repeats most of a better one is left out.
    """
    files: dict[int, list[int]] = {}
    rows: list[int] = ranked.rows.tolist()
    for at, doc in enumerate(ranked.docs.tolist()):
        if doc not in files and len(files) == k:
            continue
        chosen = files.setdefault(doc, [])
        if len(chosen) < spans and not any(corpus.overlap(rows[at], rows[one]) for one in chosen):
            chosen.append(at)
    return list(files.values())
