"""What each word of a question counts for, and which other words mean nearly the same.

Search by words takes both as they are: it knows rarity, and nothing of repetition or meaning.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clew.models.embedder import Embedder
    from clew.search.query import Query

RELATED: Final = 12
"""Words that a question is widened by: each is one more look-up."""
LEAST: Final = 0.5
"""Cosine; what is less alike is as often of another subject."""


@runtime_checkable
class Thesaurus(Protocol):
    """An embedder that has a vocabulary of its own."""

    def near(self, term: str) -> list[tuple[str, float]]:
        """The words nearest to a term, nearest first, each with its cosine."""
        ...


def said(asked: Query) -> dict[str, float]:
    """The question's terms: what a long text repeats is what it is about, less and less so."""
    times = zip(asked.terms, asked.times, strict=True)
    return {term: 1.0 + math.log(count) for term, count in times}


def related(terms: Iterable[str], embedder: Embedder | None) -> dict[str, float]:
    """Words that the question doesn't say, each with how near it lies to one that it does."""
    if not isinstance(embedder, Thesaurus):
        return {}
    known = set(terms)
    found: dict[str, float] = {}
    for term in known:
        for word, cosine in embedder.near(term):
            if cosine > LEAST and word not in known:
                found[word] = max(cosine, found.get(word, 0.0))
    best = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    return dict(best[:RELATED])
