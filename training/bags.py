"""Makes bags of terms from chunks, by the index's own fields and tokeniser.

A bag is what the index keeps of a chunk: (term, field, times). For training, a part of the chunk
has to go so that it can be asked for: its doc comment, its name, or one comment inside.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, TypeAlias

from clew.index import tokens
from clew.index.fields import FIELDS, MAX_TF

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from clew.types import Chunk

Bag: TypeAlias = "list[tuple[str, int, int]]"

NAME, STEM, QUALNAME, DOC, FOLDER, BODY, SIGNATURE = range(len(FIELDS))
MAX_BODY_TERMS = 400  # distinct; what stands further down a chunk teaches nothing new

_DOCSTRING = re.compile(r"^[ \t]*[rRuUbB]{0,2}(\"\"\"|''')(?:.|\n)*?\1[ \t]*;?$", re.MULTILINE)
_ATTRIBUTE = re.compile(r"^\s*(?:@\w|#\[|\[\w)")


def path_terms(path: str) -> dict[int, dict[str, int]]:
    """Count the terms of a path by field, as every chunk of the file shares them."""
    pure = PurePosixPath(path)
    return {STEM: tokens.count(pure.stem), FOLDER: tokens.count(str(pure.parent))}


def whole(chunk: Chunk, lines: Sequence[str], path: Mapping[int, Mapping[str, int]]) -> Bag:
    """Make the bag as the index has it. `lines` are the chunk's own."""
    return _bag(chunk, tokens.count("\n".join(lines)), path, tokens.count(chunk.doc))


def without_doc(
    chunk: Chunk, lines: Sequence[str], head: int, path: Mapping[int, Mapping[str, int]]
) -> Bag:
    """Make the bag without the chunk's doc comment, wherever that stands.

    Args:
        chunk: As the chunker gave it.
        lines: Its own.
        head: The position in `lines` of the line that names the definition.
        path: The terms of its file's path.
    """
    kept = [line for line in lines[:head] if _ATTRIBUTE.match(line)] + list(lines[head:])
    if chunk.doc:
        said = " ".join(tokens.words(chunk.doc))
        text = _DOCSTRING.sub("", "\n".join(kept), count=1) if _is_quoted(kept) else "\n".join(kept)
        kept = [line for line in text.split("\n") if not _repeats(line, said)]
    return _bag(chunk, tokens.count("\n".join(kept)), path, {})


def without_name(bag: Bag, name: str) -> Bag:
    """Take a name and its parts out of a bag, as often as the whole name occurs in each field."""
    parts = tokens.split(name)
    joined = parts[-1] if parts else ""
    times = {field: count for term, field, count in bag if term == joined}
    left: Bag = []
    for term, field, count in bag:
        if field == NAME:
            continue
        rest = count - times.get(field, 0) * parts.count(term)
        if rest > 0:
            left.append((term, field, rest))
    return left


def without_text(bag: Bag, text: str) -> Bag:
    """Take the terms of a text out of a bag's body, as often as they occur in it."""
    gone = tokens.count(text)
    left: Bag = []
    for term, field, count in bag:
        rest = count - gone.get(term, 0) if field == BODY else count
        if rest > 0:
            left.append((term, field, rest))
    return left


def _bag(
    chunk: Chunk,
    body: Mapping[str, int],
    path: Mapping[int, Mapping[str, int]],
    doc: Mapping[str, int],
) -> Bag:
    counts: dict[int, Mapping[str, int]] = {
        **path,
        NAME: tokens.count(chunk.name),
        QUALNAME: tokens.count(chunk.qualname),
        DOC: doc,
        BODY: dict(list(body.items())[:MAX_BODY_TERMS]),
        SIGNATURE: tokens.count(chunk.signature),
    }
    return [
        (term, field, min(times, MAX_TF))
        for field in range(len(FIELDS))
        for term, times in counts[field].items()
    ]


def _is_quoted(lines: Iterable[str]) -> bool:
    return any('"""' in line or "'''" in line for line in lines)


def _repeats(line: str, said: str) -> bool:
    words = tokens.words(line)
    return len(words) >= 2 and " ".join(words) in said


def count_all(bags: Iterable[Bag]) -> Counter[str]:
    """Count in how many bags each term occurs."""
    seen: Counter[str] = Counter()
    for bag in bags:
        seen.update({term for term, _, _ in bag})
    return seen
