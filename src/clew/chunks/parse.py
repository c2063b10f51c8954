"""parse(): one file's text in, its chunks, symbols and references out.

It never raises on what a file holds: what can't be parsed in its time gets windows. The text it
is given has been redacted before; it keeps nothing and is safe to call from many threads.
"""

from __future__ import annotations

from typing import Final

from clew.chunks import document, formats, grammars
from clew.chunks.code import chunk_code
from clew.chunks.comments import find_leads, inner_doc
from clew.chunks.languages import BY_NAME, Language, language_of
from clew.chunks.outline import Outline, divide
from clew.chunks.prose import chunk_prose
from clew.chunks.readers.notebook import read_notebook
from clew.chunks.references import find_references
from clew.chunks.symbols import find_definitions
from clew.chunks.text import split_lines
from clew.chunks.windows import chunk_windows
from clew.types import Parsed

# Raise the number whenever the same text would give other chunks, symbols or references.
CHUNKER: Final = f"8/{grammars.VERSION}"

# A text beyond this is data, whatever its name; a tree of it takes some 20 times its size.
MAX_PARSE_CHARS: Final = 4_000_000


def parse(path: str, text: str) -> Parsed:
    """Divides one file.

    Args:
        path: POSIX path inside the source; only its name counts.
        text: The file's decoded and redacted text.

    Returns:
        Chunks by line; for code they partition the lines, windows overlap. `language` is "" when
        windows were all that could be had.

    Raises:
        IndexFailedError: A grammar can't be loaded on this machine.
    """
    name = language_of(path, text)
    if not text:
        return Parsed(language=name, chunks=())
    if name in formats.BY_NAME:
        return _parse_format(name, split_lines(text))
    language = BY_NAME.get(name)
    if language is not None and len(text) <= MAX_PARSE_CHARS:
        try:
            return _parse_code(text, language)
        except document.TooSlowError:
            pass  # garbage, or code that its grammar can't follow: windows cover it
    return Parsed(language="", chunks=chunk_windows(split_lines(text)))


def _parse_format(name: str, lines: list[str]) -> Parsed:
    read = formats.BY_NAME[name].read
    if read is None:
        cells = read_notebook(lines, parse)
        return cells or Parsed(language="", chunks=chunk_windows(lines))
    found = read(lines)
    if isinstance(found, Outline):
        return divide(name, lines, found)
    return Parsed(language=name, chunks=chunk_prose(lines, found))


def _parse_code(text: str, language: Language) -> Parsed:
    grammar = grammars.load(language)
    parsed = document.read(text, grammar, language.dialect)
    captures = grammars.cursor(grammar.uses).captures(parsed.root)
    leads = find_leads(parsed, captures.get("comment", ()), captures.get("attached", ()))
    definitions, cases, doc = find_definitions(parsed, grammar, language, leads)
    doc = inner_doc(parsed, captures.get("inner", ())) or doc
    references = find_references(parsed, captures, (one.name_byte for one in definitions), language)
    return Parsed(
        language=language.name,
        chunks=chunk_code(parsed, [*definitions, *cases], leads, doc),
        symbols=tuple(
            one.symbol() for one in definitions if one.kind != "scope" and one.head is None
        ),
        references=tuple(references),
    )
