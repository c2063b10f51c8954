"""Jupyter notebooks: cells as chunks, outputs dropped, lines those of the file.

Code in a cell has symbols and references like any other code. A reader of our own that follows
the lines as notebooks are written (one line of the source a line of the file); a notebook that is
written otherwise, such as all on one line, gets windows.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from clew.chunks.prose import BLOCK_LINES
from clew.types import Chunk, Parsed, Reference, Symbol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_CELL_TYPE = re.compile(r'\s*"cell_type":\s*"(\w+)"')
_SOURCE = re.compile(r'(\s*)"source":\s*\[\s*\Z')
_ONE_LINE = re.compile(r'\s*"source":\s*(?:\[\s*)?("(?:[^"\\]|\\.)*")\s*\]?,?\s*\Z')
_ITEM = re.compile(r'\s*("(?:[^"\\]|\\.)*"),?\s*\Z')
_KERNEL = re.compile(r'"(?:language|name)":\s*"(\w+)"')
_MAGIC = re.compile(r"\s*[%!?]|.*\?\s*\Z")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(.*?)[\s#]*\Z")
_TITLE_LIMIT: Final = 200
_EXTENSIONS: Final = {"python": ".py", "julia": ".jl", "r": ".r", "scala": ".scala", "rust": ".rs"}


@dataclass(frozen=True, slots=True)
class _Cell:
    """A cell's source: its lines as text, and the line of the file on which the first stands."""

    kind: str
    first: int
    source: tuple[str, ...]


def read_notebook(lines: Sequence[str], parse: Callable[[str, str], Parsed]) -> Parsed | None:
    """The cells of a notebook; None when it isn't laid out by lines.

    Args:
        lines: The notebook's file.
        parse: Divides the code of a cell, by a file name and its text.
    """
    cells = _cells(lines)
    if not cells:
        return None
    extension = _extension(lines)
    chunks: list[Chunk] = []
    symbols: list[Symbol] = []
    references: list[Reference] = []
    title = ""
    for cell in cells:
        title = _title(cell) or title
        by = cell.first - 1
        parsed = _parse(cell, extension, parse)
        chunks.extend(_chunks(cell, title, parsed))
        symbols.extend(_moved(one, by) for one in parsed.symbols)
        references.extend(replace(one, line=one.line + by) for one in parsed.references)
    return Parsed("notebook", tuple(chunks), tuple(symbols), tuple(references))


def _cells(lines: Sequence[str]) -> list[_Cell]:
    found: list[_Cell] = []
    kind = ""
    index = 0
    while index < len(lines):
        line = lines[index]
        index += 1
        if match := _CELL_TYPE.match(line):
            kind = match[1]
        elif kind and (match := _ONE_LINE.match(line)):
            found.append(_Cell(kind, index, (_text(match[1]),)))
            kind = ""
        elif kind and _SOURCE.match(line):
            source: list[str] = []
            while index + len(source) < len(lines):
                item = _ITEM.match(lines[index + len(source)])
                if item is None:
                    break
                source.append(_text(item[1]))
            if source:
                found.append(_Cell(kind, index + 1, tuple(source)))
            index += len(source)
            kind = ""
    return found


def _text(literal: str) -> str:
    try:
        text = json.loads(literal)
    except ValueError:  # an escape that JSON doesn't know
        text = literal[1:-1]
    return str(text).rstrip("\n").replace("\n", " ")


def _extension(lines: Sequence[str]) -> str:
    """What a file with the cells' code would end in; Python unless the end of the file differs."""
    for line in reversed(lines[-60:]):
        for match in _KERNEL.finditer(line):
            if match[1].lower() in _EXTENSIONS:
                return _EXTENSIONS[match[1].lower()]
    return ".py"


def _title(cell: _Cell) -> str:
    """The last heading of a cell of text."""
    if cell.kind != "markdown":
        return ""
    found = [match[1] for line in cell.source if (match := _HEADING.match(line))]
    return found[-1][:_TITLE_LIMIT] if found else ""


def _parse(cell: _Cell, extension: str, parse: Callable[[str, str], Parsed]) -> Parsed:
    """A cell as a file of its own; lines that are commands to the notebook count as blank."""
    if cell.kind != "code":
        return parse("cell.md", "\n".join(cell.source) + "\n")
    code = ("" if _MAGIC.match(line) else line for line in cell.source)
    return parse(f"cell{extension}", "\n".join(code) + "\n")


def _chunks(cell: _Cell, title: str, parsed: Parsed) -> Iterator[Chunk]:
    """A cell is one chunk, unless it is long."""
    around = (title,) if title else ()
    if len(cell.source) > BLOCK_LINES:
        by = cell.first - 1
        for one in parsed.chunks:
            yield replace(one, start_line=one.start_line + by, end_line=one.end_line + by)
        return
    end = cell.first + len(cell.source) - 1
    if cell.kind != "code":
        yield Chunk(cell.first, end, "section", name=title, qualname=title)
    elif len(parsed.chunks) == 1 and parsed.chunks[0].name:
        yield replace(parsed.chunks[0], start_line=cell.first, end_line=end, parents=around)
    else:
        yield Chunk(cell.first, end, "block", parents=around)


def _moved(symbol: Symbol, by: int) -> Symbol:
    return replace(
        symbol,
        line=symbol.line + by,
        start_line=symbol.start_line + by,
        end_line=symbol.end_line + by,
    )
