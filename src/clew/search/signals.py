"""What speaks for a candidate: each signal under its own name, with its weight in `Weights`.

A signal is a function from the pool of candidates to one number for each of them, 0 to 1 or a
little more. The first group tells of the file and is the same for all its chunks; the second tells
of the chunk. So the order of files and the order of spans inside a file come from one sum. Nothing
here fetches text, and nothing knows a particular project.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from clew.index.postings import FIELDS
from clew.search.query import last_name
from clew.search.roles import Role

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from clew.search.corpus import Ints
    from clew.search.pool import Pool

QUALNAME: Final = FIELDS.index("qualname")
STEM: Final = FIELDS.index("stem")
SIZE_SCALE: Final = 5.0
"""Natural log of the size that counts in full: about 150 chunks."""

NO_CODE: Final = Role.DOCUMENT | Role.CONFIG

Signal: TypeAlias = "Callable[[Pool], NDArray[np.floating]]"

# --- of the file ---------------------------------------------------------------------------------


def _coherence(pool: Pool) -> NDArray[np.floating]:
    return pool.coherence[pool.docs]


def _file_dense(pool: Pool) -> NDArray[np.floating]:
    """The file's nearest chunk."""
    if pool.near is None:
        return np.zeros(len(pool.rows))
    return pool.near.best[pool.docs] / pool.peaks.dense


def _centroid(pool: Pool) -> NDArray[np.floating]:
    if pool.near is None:
        return np.zeros(len(pool.rows))
    return pool.near.centroid[pool.docs] / pool.peaks.centroid


def _stem_words(pool: Pool) -> NDArray[np.floating]:
    return _shared_words(pool, STEM)


def _stem_name(pool: Pool) -> NDArray[np.floating]:
    names = {last_name(i).lower().replace("_", "") for i in pool.asked.identifiers}
    names |= {word.lower() for word in pool.asked.capitalised}
    if not names:
        return np.zeros(len(pool.rows))
    alike = [doc for name in names for doc in pool.corpus.documents_named(name)]
    return _by_document(pool, dict.fromkeys(alike, 1.0))[pool.docs]


def _names_defined(pool: Pool) -> NDArray[np.floating]:
    if pool.asked.kind == "symbol":
        return np.zeros(len(pool.rows))
    grades = _defining_documents(pool)
    grades[list(pool.named.words)] = 1.0
    return grades[pool.docs]


def _defining_documents(pool: Pool) -> NDArray[np.float64]:
    best: dict[int, float] = {}
    for row, grade in pool.named.definitions.items():
        doc = int(pool.corpus.doc[row])
        best[doc] = max(grade, best.get(doc, 0.0))
    return _by_document(pool, best)


def _by_document(pool: Pool, grades: Mapping[int, float]) -> NDArray[np.float64]:
    out = np.zeros(pool.corpus.docs[-1])
    out[list(grades)] = list(grades.values())
    return out


def _grades(rows: Ints, grades: Mapping[int, float]) -> NDArray[np.float64]:
    """The grade of each of the rows, which are in order; 0 for one without."""
    out = np.zeros(len(rows))
    keys = np.fromiter(grades, np.int32)
    at = np.searchsorted(rows, keys)
    inside = at < len(rows)
    inside[inside] = rows[at[inside]] == keys[inside]
    out[at[inside]] = np.fromiter(grades.values(), np.float64)[inside]
    return out


def _path(pool: Pool) -> NDArray[np.floating]:
    return _by_document(pool, pool.named.paths)[pool.docs]


def _file_chunks(pool: Pool) -> NDArray[np.floating]:
    return np.log(pool.corpus.chunk_counts()[pool.docs]) / SIZE_SCALE


def _language(pool: Pool) -> NDArray[np.floating]:
    """What share of the code is in the file's language.

    Documents and configuration are in none of them: what that costs, their penalties say.
    """
    shares = pool.corpus.language_shares(pool.docs)
    return np.where(pool.corpus.roles[pool.docs] & NO_CODE, 1.0, shares)


# --- of the chunk --------------------------------------------------------------------------------


def _lexical(pool: Pool) -> NDArray[np.floating]:
    return pool.found.scores[pool.rows] / pool.peaks.lexical


def _related(pool: Pool) -> NDArray[np.floating]:
    return pool.wider[pool.rows] / pool.peaks.related


def _dense(pool: Pool) -> NDArray[np.floating]:
    return pool.dense / pool.peaks.dense


def _share(pool: Pool) -> NDArray[np.floating]:
    """√ of how much of the question the chunk holds: each word once, by its rarity."""
    idf = np.array([term.idf for term in pool.found.terms])
    return np.sqrt(idf @ (pool.matched > 0) / max(float(idf.sum()), 1e-9))


def _name_words(pool: Pool) -> NDArray[np.floating]:
    return _shared_words(pool, QUALNAME)


def _defines(pool: Pool) -> NDArray[np.floating]:
    if pool.asked.kind != "symbol":
        return np.zeros(len(pool.rows))
    return _grades(pool.rows, pool.named.definitions)


def _qualified(pool: Pool) -> NDArray[np.floating]:
    return _grades(pool.rows, dict.fromkeys(pool.named.qualified, 1.0))


def _shared_words(pool: Pool, field: int) -> NDArray[np.floating]:
    """√(share of the question in the field × share of the field in the question)."""
    inside = (pool.matched >> field) & 1
    idf = np.array([term.idf for term in pool.found.terms])
    asked = idf @ inside / max(float(idf.sum()), 1e-9)
    length = pool.corpus.field_length(field, pool.rows)
    return np.sqrt(asked * np.minimum(inside.sum(axis=0) / np.maximum(length, 1), 1.0))


SIGNALS: Final[tuple[tuple[str, Signal], ...]] = (
    ("coherence", _coherence),
    ("file_dense", _file_dense),
    ("centroid", _centroid),
    ("stem_words", _stem_words),
    ("stem_name", _stem_name),
    ("names_defined", _names_defined),
    ("path", _path),
    ("file_chunks", _file_chunks),
    ("language", _language),
    ("lexical", _lexical),
    ("related", _related),
    ("dense", _dense),
    ("share", _share),
    ("name_words", _name_words),
    ("defines", _defines),
    ("qualified", _qualified),
)
