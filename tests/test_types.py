"""What goes from one process to another arrives as it was."""

from __future__ import annotations

import pickle
from dataclasses import fields

import pytest

from clew.types import Chunk, Symbol

CHUNK = Chunk(3, 9, "method", "pay", "Bill.pay", "def pay(self)", "Pays it.", ("class Bill",))
SYMBOL = Symbol("pay", "Bill.pay", "method", 3, 2, 9, "def pay(self)")


@pytest.mark.parametrize("made", [CHUNK, SYMBOL], ids=["chunk", "symbol"])
@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickled_row_is_the_same_row(made, protocol):
    assert pickle.loads(pickle.dumps(made, protocol)) == made


@pytest.mark.parametrize("made", [CHUNK, SYMBOL], ids=["chunk", "symbol"])
def test_every_field_of_a_row_is_pickled_in_its_place(made):
    values = [getattr(made, field.name) for field in fields(made)]
    assert len(set(map(repr, values))) == len(values), "two equal values could stand for each other"
    assert made.__reduce__() == (type(made), tuple(values))
