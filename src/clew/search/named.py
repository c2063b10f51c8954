"""What the question names outright: definitions by exact or folded name, files and folders by path.

These need no ranking to be found; ranking only decides how much being named is worth.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product, takewhile
from typing import TYPE_CHECKING, Final

from clew.search.corpus import stem_of
from clew.search.query import qualifier, spellings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clew.index.view import SymbolRow
    from clew.search.corpus import Corpus, Profile
    from clew.search.query import Query

MAX_IDENTIFIERS: Final = 8
MAX_DEFINITIONS: Final = 200
"""Of one name in one view: a name defined more often tells nothing."""
MAX_PATHS: Final = 8
FOLDED: Final = 0.6
"""What a definition is worth whose name differs in case only."""
OTHERS: Final = 0.4
"""What `A.run` is worth when `B.run` was asked for."""
ELSEWHERE: Final = 0.8
"""What a file is worth that a traceback of an installed copy means."""
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
        names = spellings(identifier)
        exists = exists or any(view.has_name(n) for n in names for view in corpus.views)
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
    outer, names = qualifier(identifier), spellings(identifier)
    found: list[list[SymbolRow]] = []
    exact = True
    for name, exact in product(names, (True, False)):
        found = [view.definitions(name, fold=not exact) for view in corpus.views]
        if any(found):  # in one view: then another view's other names aren't meant either
            break
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
            meant = _meant(profile, wanted)
            found.update((first + number, 1.0) for number in meant)
            exists = exists or bool(meant) or view.document(wanted) is not None
            for number in () if meant else _elsewhere(profile, wanted):
                found.setdefault(first + number, ELSEWHERE)
            if "/" in path and wanted:
                for known, number in profile.number.items():
                    if f"/{wanted}/" in f"/{known}":
                        found.setdefault(first + number, FOLDER)
                        exists = True
    return found, exists


def _meant(profile: Profile, wanted: str) -> list[int]:
    """The documents whose paths end so."""
    alike = profile.stems.get(stem_of(wanted), ())
    return [n for n in alike if f"/{profile.documents[n].path}".endswith(f"/{wanted}")]


def _elsewhere(profile: Profile, wanted: str) -> list[int]:
    """Where a path leads that names another place, as tracebacks do: to the longest common end.

    A file's name alone is no common end: every package has an `__init__.py`.
    """
    parts = wanted.split("/")[::-1]
    ends = {
        number: _common(parts, profile.documents[number].path.split("/")[::-1])
        for number in profile.stems.get(stem_of(wanted), ())
    }
    longest = max(ends.values(), default=0)
    return [number for number, end in ends.items() if end == longest > 1]


def _common(one: list[str], other: list[str]) -> int:
    """How many parts are the same from the beginning."""
    same = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return sum(1 for _ in same)
