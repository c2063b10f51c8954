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
    """Candidates with their scores, best first, and what each signal contributed.

    Attributes:
        names: Of the signals and penalties.
        parts: `[name, i]`: what it contributed to candidate i.
    """

    rows: Ints
    docs: Ints
    scores: NDArray[np.float64]
    matched: NDArray[np.uint8]
    names: tuple[str, ...]
    parts: NDArray[np.float64]

    def in_order(self, order: NDArray[np.intp]) -> Ranked:
        """The same candidates in another order."""
        return Ranked(
            rows=self.rows[order],
            docs=self.docs[order],
            scores=self.scores[order],
            matched=self.matched[:, order],
            names=self.names,
            parts=self.parts[:, order],
        )


def rank(pool: Pool, prior: Priors, weights: Weights) -> Ranked:
    """Scores and orders the pool; ties break by path, first line and source."""
    parts: dict[str, NDArray[np.floating]] = {
        name: float(getattr(weights, name)) * signal(pool) for name, signal in SIGNALS
    }
    parts |= prior.of(pool.corpus.roles[pool.docs])
    values: NDArray[np.float64] = np.array(list(parts.values()), np.float64)
    scores = np.asarray(np.round(np.sum(values, axis=0), 6), np.float64)
    ranked = Ranked(pool.rows, pool.docs, scores, pool.matched, tuple(parts), values)
    return ranked.in_order(np.lexsort((*_tie_break(pool), -scores)))


def _tie_break(pool: Pool) -> tuple[NDArray[np.integer], ...]:
    """Least key first, as `lexsort` wants them: source, first line, path.

    One view's rows are numbered in that order; only several have to be put in it.
    """
    if len(pool.corpus.views) == 1 and pool.corpus.profiles[0].ordered:
        return ()
    sources = np.searchsorted(pool.corpus.docs, pool.docs, side="right")
    return sources, pool.corpus.first_lines(pool.rows), pool.corpus.path_order(pool.docs)


def group(ranked: Ranked, corpus: Corpus, k: int, spans: int) -> list[list[int]]:
    """Positions in `ranked` by file: the `k` best files, each with its best spans, best first.

    Windows of one file overlap; a span that repeats most of a better one is left out.
    """
    files: dict[int, list[int]] = {}
    first, last = (lines.tolist() for lines in corpus.lines(ranked.rows))

    def repeats(one: int, other: int) -> bool:
        shared = min(last[one], last[other]) - max(first[one], first[other]) + 1
        return shared * 2 > min(last[one] - first[one], last[other] - first[other]) + 1

    for at, doc in enumerate(ranked.docs.tolist()):
        chosen = files.get(doc)
        if chosen is None:
            if len(files) < k:
                files[doc] = [at]
        elif len(chosen) < spans and not any(repeats(at, other) for other in chosen):
            chosen.append(at)
    return list(files.values())
