"""Turns the best spans into results: where each stands, and what speaks for it.

Each view is asked once for all its chunks. Nothing here ranks.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

from clew.index.postings import FIELDS
from clew.types import Hit, HitSpan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clew.search.corpus import Corpus
    from clew.search.lexical import Lexical
    from clew.search.ranking import Ranked

T = TypeVar("T", int, float)


def hits(
    corpus: Corpus, found: Lexical, ranked: Ranked, files: Sequence[Sequence[int]]
) -> tuple[Hit, ...]:
    """The files as results, in their order; `files` holds positions in `ranked`."""
    places = [at for spans in files for at in spans]
    spans = dict(zip(places, _spans(corpus, found, ranked, places), strict=True))
    docs: list[int] = ranked.docs[[own[0] for own in files]].tolist() if files else []
    return tuple(
        _hit(corpus, doc, tuple(spans[at] for at in own))
        for doc, own in zip(docs, files, strict=True)
    )


def _hit(corpus: Corpus, doc: int, spans: tuple[HitSpan, ...]) -> Hit:
    view = corpus.views[corpus.view_of_document(doc)]
    return Hit(
        source=view.source.name,
        revision=view.revision.id,
        path=corpus.document(doc).path,
        score=spans[0].score,
        spans=spans,
    )


def _spans(corpus: Corpus, found: Lexical, ranked: Ranked, places: Sequence[int]) -> list[HitSpan]:
    rows = ranked.rows[places]
    first, last = (lines.tolist() for lines in corpus.lines(rows))
    scores: list[float] = ranked.scores[places].tolist()
    parts: list[list[float]] = ranked.parts[:, places].round(4).T.tolist()
    matched: list[list[int]] = ranked.matched[:, places].T.tolist()
    texts = [term.text for term in found.terms]
    return [
        HitSpan(
            start_line=first[at],
            end_line=last[at],
            symbol=symbol,
            kind=kind,
            score=scores[at],
            signals=_without_zeros(ranked.names, parts[at]),
            terms={t: _fields(bits) for t, bits in _without_zeros(texts, matched[at]).items()},
        )
        for at, (kind, symbol) in enumerate(corpus.labels(rows))
    ]


def _without_zeros(names: Sequence[str], values: Sequence[T]) -> dict[str, T]:
    return {name: value for name, value in zip(names, values, strict=True) if value}


@lru_cache(maxsize=1 << len(FIELDS))
def _fields(bits: int) -> tuple[str, ...]:
    """The fields whose bits are set."""
    return tuple(field for number, field in enumerate(FIELDS) if bits >> number & 1)
