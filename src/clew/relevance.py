"""Decides whether anything found answers the question at all.

The measure is how much of the question, by the weight of its words, one found file covers with the
spans that would be shown. The ranking score is never asked: it only orders, and has no zero.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from clew.lexical import Lexical
    from clew.named import Named
    from clew.query import Query
    from clew.ranking import Ranked

FILES: Final = 5
"""Best files that are looked at: further down, a file can hold all words by chance."""


def coverage(found: Lexical, ranked: Ranked, files: list[list[int]]) -> float:
    """The largest share of the question, by idf, that one of the best files covers: 0 to 1.

    A word that occurs nowhere in the scope weighs the most.
    """
    idf = np.array([term.idf for term in found.terms])
    if not len(idf) or not files:
        return 0.0
    covered = [idf @ (ranked.matched[:, spans] > 0).any(axis=1) for spans in files[:FILES]]
    return float(max(covered) / idf.sum())


def is_relevant(asked: Query, exact: Named, covered: float, floor: float) -> bool:
    """Whether to answer: a name or path that exists always; else by coverage."""
    if exact.exists and asked.kind in ("symbol", "path"):
        return True
    return covered >= floor
