"""Packs one document's terms and references as a segment takes them, without numpy.

A segment then only places them: it adds its own numbers to whole arrays. So most of the work is
done where the document is prepared, which may be another process, and little has to be sent.
"""

from __future__ import annotations

import sys
from array import array
from collections import defaultdict
from dataclasses import dataclass
from itertools import chain
from struct import Struct
from typing import TYPE_CHECKING

from clew.index.fields import FIELDS, KIND_CODES, MAX_LENGTH, MAX_TF

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from clew.types import Reference

_REFERENCE = Struct("<iiB")  # document, line, kind


@dataclass(frozen=True, slots=True)
class Packed:
    """Rows of equal size, grouped by name. `sizes` are the bytes of each group, in order."""

    names: tuple[str, ...] = ()
    sizes: array[int] | tuple[int, ...] = ()
    data: bytes = b""


EMPTY = Packed()


def pack_terms(
    chunks: Iterable[Mapping[str, Mapping[str, int]]], count: int
) -> tuple[Packed, bytes]:
    """Pack the terms of a document's chunks: {field: {term: times}} for each, in order.

    Returns:
        The postings by term, sorted by chunk then field; and uint16[len(FIELDS), count], the
        terms in each field of each chunk.
    """
    postings: dict[str, list[int]] = defaultdict(list)
    lengths = array("H", bytes(2 * len(FIELDS) * count))
    for ordinal, fields in enumerate(chunks):
        for field, name in enumerate(FIELDS):
            if counts := fields[name]:
                lengths[field * count + ordinal] = min(sum(counts.values()), MAX_LENGTH)
                base = (ordinal & 0xFFFF) | field << 16  # more chunks than that are never kept
                for term, times in counts.items():  # the hottest loop: no call of min()
                    postings[term].append(base | (times if times < MAX_TF else MAX_TF) << 24)  # noqa: FURB136
    numbers = array("I", chain.from_iterable(postings.values()))
    if sys.byteorder == "big":
        lengths.byteswap()
        numbers.byteswap()
    sizes = array("I", [numbers.itemsize * len(part) for part in postings.values()])
    return Packed(tuple(postings), sizes, numbers.tobytes()), lengths.tobytes()


def pack_references(references: Iterable[Reference]) -> Packed:
    """Pack a document's references by name, in the order given, with document 0."""
    groups: dict[str, bytearray] = defaultdict(bytearray)
    for reference in references:
        groups[reference.name] += _REFERENCE.pack(0, reference.line, KIND_CODES[reference.kind])
    return Packed(tuple(groups), array("I", map(len, groups.values())), b"".join(groups.values()))
