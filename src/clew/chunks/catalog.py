"""What each language and format gives, as the Markdown of a page of the documentation.

It is told from the code itself: the tables of languages and formats, and the captures of their
queries. Nothing here loads a grammar.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from clew.chunks.formats import FORMATS
from clew.chunks.grammars import query_sources
from clew.chunks.languages import LANGUAGES
from clew.chunks.prose import Prose

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clew.chunks.formats import Format
    from clew.chunks.languages import Language

_KINDS: Final = (
    ("class", "classes"), ("interface", "interfaces"), ("struct", "structs"), ("enum", "enums"),
    ("trait", "traits"), ("type", "types"), ("function", "functions"), ("method", "methods"),
    ("macro", "macros"), ("module", "modules"), ("constant", "constants"),
    ("variable", "variables"), ("field", "fields"), ("attribute", "fields"),
)  # fmt: skip
_USES: Final = (("import", "imports"), ("call", "calls"), ("type", "types"), ("use", "other uses"))
_DEFINITION = re.compile(r"@def\.(\w+)")
_CAPTURE = re.compile(r"@([\w.]+)")

# What stands for an import beside `@ref.import`, which no query has.
_IMPORTS: Final = frozenset({"imports", "ref.module"})

_INTRODUCTION: Final = """\
# Languages and formats

What Clew makes of a file depends on its name, and for scripts on the first line. **Chunks** are
what search returns, **symbols** are the definitions that can be asked for by name, **references**
are the places where a name is used, and **docs** is where a description comes from. A file that
nothing below covers is still searched, in overlapping windows of lines. This page is written by
`docs/make_languages.py` from the code.
"""

_CODE: Final = """\
## Code

Cut by the grammar: a function is one chunk, a class is its head and its members (or whole when it
is small), and what is longer than a chunk is cut between statements. The comment above a
definition, or its docstring, belongs to it. A test that a string names (`it("…", …)`, RSpec,
ExUnit, Busted, Pest, Kotest, ScalaTest, Quick, Zig) is a chunk like a function, and no symbol.
Items of Rust that a macro wraps (`cfg_rt! { … }`) are read like any other.
"""

_PROSE: Final = """\
## Prose

Cut at headings; a section is named by its own heading and those above it, and a long one is cut
between paragraphs. Of a notebook the cells are chunks, the lines are those of its file, and
outputs are left out.
"""

_BLOCKS: Final = """\
## Configuration, schemas and SQL

Cut at the keys, tables, stages or statements of the first level; short neighbours share a chunk,
a long block is cut at the keys inside, and the comment above a key belongs to it.
"""


def page() -> str:
    """The whole page."""
    prose = [one for one in FORMATS if one.read is None or isinstance(one.read(["x"]), Prose)]
    blocks = [one for one in FORMATS if one not in prose]
    parts = [
        _INTRODUCTION,
        _CODE,
        _table(map(_code_row, sorted(LANGUAGES, key=lambda one: one.name))),
        _PROSE,
        _table(_format_row(one, "") for one in prose),
        _BLOCKS,
        _table(_format_row(one, "comments") for one in blocks),
    ]
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)


def _table(rows: Iterable[tuple[str, ...]]) -> str:
    head = ("language", "files", "symbols", "references", "docs")
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell or 'none' for cell in line)} |" for line in lines)


def _code_row(language: Language) -> tuple[str, ...]:
    definitions, uses = query_sources(language)
    captures = set(_CAPTURE.findall(uses))
    used = {one.removeprefix("ref.") for one in captures if one.startswith("ref.")}
    return (
        language.name,
        _files(language.extensions, language.filenames, language.shebangs),
        _listed(_KINDS, set(_DEFINITION.findall(definitions))),
        _listed(_USES, used | ({"import"} if captures & _IMPORTS else set())),
        "comments and docstrings" if "@documented" in definitions else "comments",
    )


def _format_row(one: Format, docs: str) -> tuple[str, ...]:
    return one.name, _files(one.extensions, one.filenames, ()), one.symbols, one.references, docs


def _files(extensions: Sequence[str], names: Sequence[str], shebangs: Sequence[str]) -> str:
    files = ", ".join((*extensions, *names))
    return f"{files}; scripts for {', '.join(shebangs)}" if shebangs else files


def _listed(words: Iterable[tuple[str, str]], present: set[str]) -> str:
    found = {many: None for kind, many in words if kind in present}
    return ", ".join(found)
