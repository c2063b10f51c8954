"""Decides whether anything found answers the question at all.

The measure is how much of the question, by the weight of its words, one of the spans found covers,
and how near the nearest of them lies to it. The ranking score is never asked: it only orders, and
has no zero.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from clew.index.tokens import terms

if TYPE_CHECKING:
    from clew.search.named import Named
    from clew.search.pool import Pool
    from clew.search.query import Query
    from clew.search.ranking import Ranked

FILES: Final = 10
"""Best files that are looked at, however many are shown: further down, chance holds all words."""

NEAR: Final = 2.0
"""What a cosine counts beside the share of a question of one word …"""
NEITHER: Final = 0.45
"""… from here on: as many answers lie below as spans that only look alike above."""

_GENERIC: Final = (
    "about across after also approach around automatically based basically before between both "
    "code codebase correctly currently different during ensure etc exactly generally given handle "
    "happen implement implementation internally logic make many mechanism more most much multiple "
    "once only process project properly quickly really related repository responsible several "
    "simply specific through twice under upon use using usually various via way whether while "
    "within without work"
)
"""Words that questions are made of and code needn't hold: they say nothing about the subject."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """How far the spans found go.

    Attributes:
        share: The largest share of the question that one of them covers, 0 to 1.
        terms: Of how many terms.
        nearest: The greatest cosine of one of them; None where cosines can't be told apart.
    """

    share: float
    terms: int
    nearest: float | None = None


@lru_cache(maxsize=1)
def _generic() -> frozenset[str]:
    return frozenset(terms(_GENERIC))


def coverage(pool: Pool, ranked: Ranked, files: list[list[int]]) -> Coverage:
    """Measures the best of the spans found, given by their positions in `ranked`.

    A term weighs the root of its idf: the rare ones count more, and one that occurs nowhere the
    most, but a single word that no programmer wrote down can't outweigh the subject.
    """
    found, near = pool.found, pool.near
    counted = np.array([term.text not in _generic() for term in found.terms], np.bool_)
    if not counted.any():
        counted[:] = True
    weights = np.sqrt([term.idf for term in found.terms]) * counted
    spans = [at for file in files[:FILES] for at in file]
    if not len(weights) or not spans:
        return Coverage(0.0, 0)
    covered = weights @ (ranked.matched[:, spans] > 0)
    nearest = None
    if near is not None and near.own:
        nearest = float(near.scores[ranked.rows[spans]].max())
    return Coverage(float(covered.max() / weights.sum()), int(counted.sum()), nearest)


def is_relevant(asked: Query, exact: Named, covered: Coverage, floor: float) -> bool:
    """Whether to answer: a name or path that exists always; else by coverage.

    The share that must be covered falls with the root of the number of terms: of two words both
    must stand in one place; a quarter of twenty words in one place is no chance. It falls too when
    a span means the same in other words, and rises when all that is found is far.
    """
    if exact.exists and asked.kind in ("symbol", "path"):
        return True
    if covered.nearest is not None:
        floor -= NEAR * (covered.nearest - NEITHER)
    return covered.terms > 0 and covered.share >= min(1.0, floor / math.sqrt(covered.terms))
