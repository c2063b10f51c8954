"""Loads tree-sitter grammars and compiles their queries, once a process.

The pack of grammars is one wheel that unpacks shared libraries into a folder at first use; this
is the only module that knows it, so that the pack can change. It never downloads anything and
never chooses the folder: the application says where with `use_cache`, before the first parse.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cache
from importlib import metadata, resources
from typing import TYPE_CHECKING, Final

from clew.errors import IndexFailedError

if TYPE_CHECKING:
    from pathlib import Path

    from tree_sitter import Language as TreeSitterLanguage
    from tree_sitter import Query

    from clew.chunks.languages import Language

VERSION: Final = metadata.version("semble-grammars")

# The pack reads this variable. Worker processes inherit it, however they are started.
_CACHE_VARIABLE: Final = "SEMBLE_GRAMMARS_CACHE_DIR"

_DEFINITION = re.compile(rb"@(?:def\.|wrapper\b|documented\b)")


@dataclass(frozen=True, slots=True)
class Grammar:
    """A grammar with its two queries, safe to share between threads.

    Attributes:
        definitions: Run by match: a definition, its name and its body belong together.
        uses: Run by capture: single nodes (references, comments), ten times as many.
    """

    language: TreeSitterLanguage
    definitions: Query
    uses: Query


def use_cache(folder: Path) -> None:
    """Unpacks grammars below `folder` from now on, in a subfolder of the pack's own version.

    Call it before the first parse; grammars that are already loaded stay where they are.
    """
    os.environ[_CACHE_VARIABLE] = str(folder / VERSION)


@cache
def load(language: Language) -> Grammar:
    """Loads a language's grammar and compiles its queries (5-60 ms, then cached).

    Raises:
        IndexFailedError: The grammar can't be unpacked or loaded on this machine.
    """
    loaded = _load_language(language.grammar)
    source = query_source(language)
    return Grammar(
        language=loaded,
        definitions=_compile(loaded, source, definitions=True),
        uses=_compile(loaded, source, definitions=False),
    )


def query_source(language: Language) -> str:
    """The text of a language's queries, its files joined."""
    folder = resources.files("clew.chunks") / "queries"
    return "\n".join((folder / f"{name}.scm").read_text("utf-8") for name in language.queries)


def _load_language(name: str) -> TreeSitterLanguage:
    # The wheel carries no type information; the cast-free boundary is this one call.
    import semble_grammars as pack  # pyright: ignore[reportMissingTypeStubs]

    try:
        return pack.get_language(name)
    except (
        pack.GrammarLoadError,
        pack.LanguageNotFoundError,
        pack.UnsupportedPlatformError,
        OSError,
    ) as error:
        raise IndexFailedError(
            f"The {name} grammar can't be loaded ({error}): check that the data folder is "
            "writable and that the platform is Linux, macOS or Windows on x86-64 or ARM64."
        ) from error


def _compile(language: TreeSitterLanguage, source: str, *, definitions: bool) -> Query:
    """Compiles the query and keeps only the patterns for one of the two passes."""
    from tree_sitter import Query

    query = Query(language, source)
    data = source.encode()
    for index in range(query.pattern_count):
        start, end = query.start_byte_for_pattern(index), query.end_byte_for_pattern(index)
        if (_DEFINITION.search(data[start:end]) is not None) is not definitions:
            query.disable_pattern(index)
    return query
