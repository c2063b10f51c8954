"""The programming language that a question names although all of the code is in it.

"How do I parse a date in Python" is asked of Python code: every file is an answer to that word, and
only those that happen to write it down would gain by it. "The Python domain" is another matter: a
language that is part of a thing's name stays. Nothing here ranks.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from clew.index.tokens import terms

if TYPE_CHECKING:
    from clew.search.corpus import Corpus
    from clew.search.query import Query

MAIN: Final = 0.5
"""Share of the code, by lines, from which on a language goes without saying."""

_ALIKE: Final = ("javascript", "typescript", "tsx")
_SAID: Final[dict[str, tuple[str, ...]]] = {
    "python": ("python",),
    "javascript": _ALIKE,
    "js": _ALIKE,
    "typescript": _ALIKE,
    "ts": _ALIKE,
    "go": ("go",),
    "golang": ("go",),
    "java": ("java",),
    "rust": ("rust",),
    "c": ("c",),
    "c++": ("cpp", "c"),
    "c#": ("csharp",),
    "ruby": ("ruby",),
    "php": ("php",),
    "kotlin": ("kotlin",),
    "swift": ("swift",),
    "scala": ("scala",),
    "bash": ("bash",),
    "lua": ("lua",),
    "elixir": ("elixir",),
    "haskell": ("haskell",),
    "zig": ("zig",),
}
"""How people write a language, and what Clew calls it."""
_WORDS_TOO: Final = frozenset({"go", "c", "swift", "rust"})
"""Meant as a language for sure only after "in"."""


def _aside(name: str) -> re.Pattern[str]:
    """Where the language is named by the way: after "in", first or last."""
    word = rf"{re.escape(name)}(?:\d(?:\.\d+)?)?"
    after = rf"\b(?:in|using|with)\s+{word}(?![\w/:@`\"'+#-]|\.\w)"
    if name not in _WORDS_TOO:
        after += rf"|^\W*{word}(?=:?\s)|(?<=\s){word}(?=[\s?!.]*$)"
    return re.compile(rf"(?:{after})(?!\s+(?:versions?|interpreters?)\b)", re.IGNORECASE)


_PLACES: Final = {name: _aside(name) for name in _SAID}


def without_givens(asked: Query, corpus: Corpus) -> Query:
    """The question without the language of most of the code, where it is named by the way.

    A name, a path or a quote stays as it is, and so does a question of nothing else.
    """
    if asked.kind != "prose":
        return asked
    shares = corpus.languages()
    given = [
        place
        for name, place in _PLACES.items()
        if sum(shares.get(each, 0.0) for each in _SAID[name]) >= MAIN
    ]
    said = {
        term for place in given for each in place.finditer(asked.text) for term in terms(each[0])
    }
    kept = [at for at, term in enumerate(asked.terms) if term not in said]
    if not kept or len(kept) == len(asked.terms):
        return asked
    title = asked.title
    for place in given:
        title = place.sub(" ", title)
    return replace(
        asked,
        title=title,
        terms=tuple(asked.terms[at] for at in kept),
        times=tuple(asked.times[at] for at in kept),
    )
