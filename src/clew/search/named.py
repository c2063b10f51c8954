"""What the question names outright: definitions by exact or folded name, files and folders by path.

These need no ranking to be found; ranking only decides how much being named is worth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from clew.search.query import last_name, qualifier

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clew.index.view import SymbolRow
    from clew.search.corpus import Corpus
    from clew.search.query import Query

MAX_IDENTIFIERS: Final = 8
MAX_DEFINITIONS: Final = 200
"""Of one name in one view: a name defined more often tells nothing."""
MAX_PATHS: Final = 4
FOLDED: Final = 0.6
"""What a definition is worth whose name differs in case only."""
OTHERS: Final = 0.4
"""What `A.run` is worth when `B.run` was asked for."""
FOLDER: Final = 0.5
"""What a file in a folder is worth that the question names."""


@dataclass(frozen=True, slots=True)
class Named:
    """Rows and documents that the question names, each with how surely (0 to 1].

    Attributes:
        definitions: Row to grade, for identifiers.
        words: Documents that define a capitalised word of the question.
        qualified: Rows whose definition has the qualifier that the question gives.
        paths: Document to grade, for paths.
        exists: Whether an exact name or path of the question exists in the scope.
    """

    definitions: dict[int, float]
    words: frozenset[int]
    qualified: frozenset[int]
    paths: dict[int, float]
    exists: bool


def named(corpus: Corpus, asked: Query) -> Named:
    """Looks up every name and path of the question in every view of the scope."""
    definitions: dict[int, float] = {}
    qualified: set[int] = set()
    exists = False
    for identifier in asked.identifiers[:MAX_IDENTIFIERS]:
        for row, grade, matches in _definitions(corpus, identifier):
            definitions[row] = max(grade, definitions.get(row, 0.0))
            exists = exists or grade > FOLDED
            if matches:
                qualified.add(row)
        exists = exists or any(view.has_name(last_name(identifier)) for view in corpus.views)
    words = {
        int(corpus.doc[row])
        for word in asked.capitalised[:MAX_IDENTIFIERS]
        for row, grade, _ in _definitions(corpus, word)
        if grade == 1.0
    }
    paths, found = _paths(corpus, asked)
    return Named(definitions, frozenset(words), frozenset(qualified), paths, exists or found)


def _definitions(corpus: Corpus, identifier: str) -> Iterator[tuple[int, float, bool]]:
    """Row, grade and whether the qualifier matches, for each definition of the name."""
    name, outer = last_name(identifier), qualifier(identifier)
    found = [view.definitions(name) for view in corpus.views]
    exact = any(found)  # in one view: then another view's folded names aren't meant either
    if not exact:
        found = [view.definitions(name, fold=True) for view in corpus.views]
    for number, symbols in enumerate(found):
        for symbol in symbols[:MAX_DEFINITIONS]:
            row = corpus.row_at(number, symbol.path, symbol.line)
            if row >= 0:
                matches = bool(outer) and _inside(symbol, outer)
                grade = (1.0 if exact else FOLDED) * (OTHERS if outer and not matches else 1.0)
                yield row, grade, matches


def _inside(symbol: SymbolRow, outer: str) -> bool:
    """Whether the definition stands in `outer`: a class, or a module by its file's name."""
    parts = symbol.qualname.replace("::", ".").split(".")
    stem = symbol.path.rpartition("/")[2].split(".")[0]
    return outer in parts[:-1] or outer.lower() == stem.lower()


def _paths(corpus: Corpus, asked: Query) -> tuple[dict[int, float], bool]:
    """Documents that the question's paths mean, and whether any path exists (skipped ones too)."""
    found: dict[int, float] = {}
    exists = False
    for path in asked.paths[:MAX_PATHS]:
        wanted = path.removeprefix("./").strip("/")
        for view, profile, first in zip(corpus.views, corpus.profiles, corpus.docs, strict=False):
            for number in profile.named.get(wanted.rpartition("/")[2], ()):
                if f"/{profile.documents[number].path}".endswith(f"/{wanted}"):
                    found[first + number] = 1.0
            if "/" in path and wanted:
                for known, number in profile.number.items():
                    if f"/{wanted}/" in f"/{known}":
                        found.setdefault(first + number, FOLDER)
            exists = exists or view.document(wanted) is not None
    return found, exists or bool(found)
