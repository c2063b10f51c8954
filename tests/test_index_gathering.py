"""Rows of many documents come together by name, in the order in which they came."""

from __future__ import annotations

import hypothesis.strategies as st
from hypothesis import given

from clew.index.gathering import Gathering
from clew.index.packing import EMPTY, Packed

ROW = 3


@st.composite
def packed(draw):
    groups = draw(st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 4), max_size=5))
    sizes = tuple(ROW * count for count in groups.values())
    return Packed(tuple(groups), sizes, draw(st.binary(min_size=sum(sizes), max_size=sum(sizes))))


@given(documents=st.lists(packed(), max_size=6))
def test_each_name_has_its_rows_one_document_after_the_other(documents):
    gathering, plain = Gathering(ROW), {}
    for document in documents:
        gathering.add(document, document.data)
        start = 0
        for name, size in zip(document.names, document.sizes, strict=True):
            plain[name] = plain.get(name, b"") + document.data[start : start + size]
            start += size
    assert gathering.by_name() == plain


def test_nothing_gathers_to_nothing():
    gathering = Gathering(ROW)
    gathering.add(EMPTY, b"")
    assert gathering.by_name() == {}
