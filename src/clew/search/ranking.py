"""Ranks candidate chunks: signals that add, penalties that take away, each under its own name.

A signal is a function from the pool of candidates to one number in 0..1 for each of them; its
weight is the field of `Weights` with the same name. A dense or learned signal is one more entry of
`SIGNALS`. Nothing here fetches text, and nothing knows a particular project.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from clew.index.postings import FIELDS
from clew.search.lexical import best_rows
from clew.search.query import last_name
from clew.search.roles import Role

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from clew.search.corpus import Corpus, Floats, Ints
    from clew.search.lexical import Lexical
    from clew.search.named import Named
    from clew.search.query import Query, Want
    from clew.search.weights import RankOptions, Weights

STEM: Final = FIELDS.index("stem")
SIZE_SCALE: Final = 5.0
"""Natural log of the size that counts in full: about 150 chunks or lines."""

PENALTIES: Final[tuple[tuple[str, Role, Want | None], ...]] = (
    ("test", Role.TEST, "tests"),
    ("document", Role.DOCUMENT, "docs"),
    ("docs_folder", Role.DOCS_FOLDER, "docs"),
    ("config", Role.CONFIG, "config"),
    ("example", Role.EXAMPLE, "examples"),
    ("vendored", Role.VENDORED, "vendored"),
    ("legacy", Role.LEGACY, "legacy"),
    ("package_init", Role.PACKAGE_INIT, None),
    ("generated", Role.GENERATED, "generated"),
)
"""Name, the role that is held back, and the wish that waives it."""


@dataclass(frozen=True, slots=True)
class Pool:
    """The candidates and all that a signal may look at.

    Attributes:
        rows: The candidates' rows; every array of a signal is aligned with it.
        docs: Their documents.
        matched: Bit f of `[term, i]`: the term occurs in field f of candidate i.
        coherence: How well each document as a whole matches; by document, at most 1.
    """

    asked: Query
    corpus: Corpus
    found: Lexical
    named: Named
    rows: Ints
    docs: Ints
    matched: NDArray[np.uint8]
    coherence: Floats


Signal: TypeAlias = "Callable[[Pool], NDArray[np.floating]]"


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


# --- before the pool: what its choice needs ---------------------------------------------------


def penalties(corpus: Corpus, asked: Query, weights: Weights) -> dict[str, NDArray[np.float64]]:
    """What each document loses for the part it plays, by penalty; nothing when it is asked for."""
    lost: dict[str, NDArray[np.float64]] = {}
    for name, role, want in PENALTIES:
        if want is None or want not in asked.wants:
            lost[name] = -getattr(weights, name) * ((corpus.roles & role) > 0)
    return lost


def coherence(corpus: Corpus, found: Lexical, rows: Ints, options: RankOptions) -> Floats:
    """Each document's best chunks together, decayed, divided by the best document's."""
    together = np.zeros(corpus.docs[-1], np.float64)
    if len(rows):
        docs, scores = corpus.doc[rows], found.scores[rows].astype(np.float64)
        order = np.lexsort((-scores, docs))
        docs, scores = docs[order], scores[order]
        new = np.concatenate(([True], docs[1:] != docs[:-1]))
        begins = np.maximum.accumulate(np.where(new, np.arange(len(docs)), 0))
        place = np.arange(len(docs)) - begins
        decayed = scores * options.coherence_decay**place * (place < options.coherence_chunks)
        together += np.bincount(docs, decayed, len(together))
        together /= max(together.max(), 1e-9)
    return together.astype(np.float32)


def choose(
    corpus: Corpus, found: Lexical, lost: Iterable[NDArray[np.float64]], rows: Ints, count: int
) -> Ints:
    """The best rows after the penalties, so that a crowd of tests can't push the code out."""
    scores = np.zeros(corpus.rows[-1], np.float32)
    scores[rows] = found.scores[rows] / max(float(found.scores.max(initial=0.0)), 1e-9)
    for part in lost:
        scores[rows] += part[corpus.doc[rows]]
    return best_rows(scores, rows, count)


# --- signals -----------------------------------------------------------------------------------


def _lexical(pool: Pool) -> NDArray[np.floating]:
    scores = pool.found.scores[pool.rows]
    return scores / max(float(scores.max(initial=0.0)), 1e-9)


def _coherence(pool: Pool) -> NDArray[np.floating]:
    return pool.coherence[pool.docs]


def _stem_words(pool: Pool) -> NDArray[np.floating]:
    """√(share of the question in the file's name × share of the name in the question)."""
    in_stem = (pool.matched >> STEM) & 1
    idf = np.array([term.idf for term in pool.found.terms])
    asked = idf @ in_stem / max(float(idf.sum()), 1e-9)
    length = pool.corpus.field_length(STEM, pool.rows)
    return np.sqrt(asked * np.minimum(in_stem.sum(axis=0) / np.maximum(length, 1), 1.0))


def _stem_name(pool: Pool) -> NDArray[np.floating]:
    names = {last_name(i).lower().replace("_", "") for i in pool.asked.identifiers}
    names |= {word.lower() for word in pool.asked.capitalised}
    if not names:
        return np.zeros(len(pool.rows))
    docs = np.unique(pool.docs).tolist()
    alike = [doc for doc in docs if _stem(pool.corpus.document(doc).path) in names]
    return np.isin(pool.docs, alike).astype(np.float64)


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0].lower().replace("_", "").replace("-", "")


def _defines(pool: Pool) -> NDArray[np.floating]:
    if pool.asked.kind != "symbol":
        return np.zeros(len(pool.rows))
    grades = pool.named.definitions
    return np.array([grades.get(int(row), 0.0) for row in pool.rows])


def _file_defines(pool: Pool) -> NDArray[np.floating]:
    if pool.asked.kind != "symbol":
        return np.zeros(len(pool.rows))
    return _defining_documents(pool)[pool.docs]


def _names_defined(pool: Pool) -> NDArray[np.floating]:
    if pool.asked.kind == "symbol":
        return np.zeros(len(pool.rows))
    grades = _defining_documents(pool)
    grades[list(pool.named.words)] = 1.0
    return grades[pool.docs]


def _defining_documents(pool: Pool) -> NDArray[np.float64]:
    grades = np.zeros(pool.corpus.docs[-1])
    for row, grade in pool.named.definitions.items():
        doc = pool.corpus.doc[row]
        grades[doc] = max(grades[doc], grade)
    return grades


def _qualified(pool: Pool) -> NDArray[np.floating]:
    return np.isin(pool.rows, list(pool.named.qualified)).astype(np.float64)


def _path(pool: Pool) -> NDArray[np.floating]:
    return np.array([pool.named.paths.get(int(doc), 0.0) for doc in pool.docs])


def _file_chunks(pool: Pool) -> NDArray[np.floating]:
    return np.log(pool.corpus.chunk_counts()[pool.docs]) / SIZE_SCALE


def _file_lines(pool: Pool) -> NDArray[np.floating]:
    return np.log(np.maximum(pool.corpus.line_counts()[pool.docs], 1)) / SIZE_SCALE


SIGNALS: Final[tuple[tuple[str, Signal], ...]] = (
    ("lexical", _lexical),
    ("coherence", _coherence),
    ("stem_words", _stem_words),
    ("stem_name", _stem_name),
    ("defines", _defines),
    ("file_defines", _file_defines),
    ("names_defined", _names_defined),
    ("qualified", _qualified),
    ("path", _path),
    ("file_chunks", _file_chunks),
    ("file_lines", _file_lines),
)


def rank(pool: Pool, lost: dict[str, NDArray[np.float64]], weights: Weights) -> Ranked:
    """Scores and orders the pool; ties break by path, first line and source."""
    parts = {name: getattr(weights, name) * signal(pool) for name, signal in SIGNALS}
    parts |= {name: part[pool.docs] for name, part in lost.items()}
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
