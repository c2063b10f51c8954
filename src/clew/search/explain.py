"""What each signal means, in words for whoever asks why a result ranks where it does.

One sentence for each weight, and the only place where they stand; a test holds them against
`Weights`. Nothing here computes a score.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from clew.index.tokens import terms

if TYPE_CHECKING:
    from clew.types import HitSpan

MEANINGS: Final[dict[str, str]] = {
    "lexical": "the question's words occur here, rare ones counting more",
    "related": "words that mean nearly what the question's words mean occur here",
    "coherence": "the question's words occur all over this file",
    "stem_words": "the file's name is made of the question's words",
    "stem_name": "the file is named like something the question names",
    "defines": "defines the name that was asked for",
    "names_defined": "its file defines a name in the question",
    "qualified": "is the method of that very class",
    "path": "the question names this file",
    "file_dense": "something in its file means nearly the same as the question",
    "centroid": "its file as a whole is about what was asked",
    "dense": "means nearly the same as the question, perhaps in other words",
    "share": "holds many of the question's words, each counted once",
    "name_words": "its name, or its class's, is made of the question's words",
    "file_chunks": "its file holds many definitions",
    "language": "is in the language that most of the code is written in",
    "rerank": "the reranker found that it answers the question",
    "test": "is a test, and none was asked for",
    "document": "is a document, and none was asked for",
    "docs_folder": "lies in the documentation, and none was asked for",
    "config": "is configuration, and none was asked for",
    "example": "is an example, and none was asked for",
    "vendored": "is other people's code, and none was asked for",
    "legacy": "is an older version, and none was asked for",
    "package_init": "mostly passes on names that are defined elsewhere",
    "generated": "was written by a program, and that was not asked for",
}
"""By the name of a weight: what it says of a span that has it."""


@dataclass(frozen=True, slots=True)
class Reason:
    """What one signal did for a span: `value` was added to its score."""

    signal: str
    value: float
    meaning: str


def reasons(span: HitSpan) -> tuple[Reason, ...]:
    """Why a span ranks where it does: what counted most first, penalties among them."""
    ordered = sorted(span.signals.items(), key=lambda item: (-abs(item[1]), item[0]))
    return tuple(Reason(name, value, MEANINGS.get(name, "")) for name, value in ordered)


def words_found(span: HitSpan, query: str) -> dict[str, tuple[str, ...]]:
    """The question's words that occur in a span, as they were asked, each with the fields."""
    asked: dict[str, str] = {}
    for word in re.findall(r"\w+", query):
        found = terms(word)
        if len(found) == 1:  # a name of several parts stays with its parts
            asked.setdefault(found[0], word)
    return {asked.get(term, term): fields for term, fields in span.terms.items()}
