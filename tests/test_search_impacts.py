"""What a term counts is the same whether it was kept or is computed, and little is kept."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.index.postings import FIELDS
from clew.search import impacts as module
from clew.search.corpus import Corpus, profile_of
from clew.search.impacts import Impacts, Measure, computed
from clew.search.weights import FieldWeights
from support.searchable import SHOP, searchable

MEASURE = Measure(FieldWeights(), 20.0)
WORDS = ("coupon", "cart", "self", "shop", "retry", "zeppelin")


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    with searchable(SHOP, tmp_path_factory.mktemp("shop")) as view:
        yield view


@pytest.fixture
def asked(monkeypatch):
    """The terms that were looked up in postings, in order."""
    terms: list[str] = []

    def counted(view, wanted, measure):
        terms.extend(wanted)
        return computed(view, wanted, measure)

    monkeypatch.setattr(module, "computed", counted)
    return terms


def plain(impact) -> tuple:
    order = np.argsort(impact.rows)
    columns = (impact.rows, impact.values, impact.fields)
    return tuple(column[order].tolist() for column in columns), impact.df


@given(asks=st.lists(st.lists(st.sampled_from(WORDS), unique=True, max_size=6), max_size=8))
def test_what_is_kept_is_what_is_computed(shop, asks):
    impacts = Impacts()
    for terms in asks:
        found = impacts.of(shop, terms, MEASURE)
        alone = [computed(shop, [term], MEASURE)[0] for term in terms]
        assert [plain(each) for each in found] == [plain(each) for each in alone]


def test_an_impact_tells_the_chunks_the_fields_and_how_many_speak_of_it(shop):
    cart, nothing, folder = computed(shop, ["cart", "zeppelin", "shop"], MEASURE)
    postings = shop.postings("cart")
    assert sorted(cart.rows.tolist()) == sorted(set(postings.chunk.tolist()))
    for row, bits in zip(cart.rows.tolist(), cart.fields.tolist(), strict=True):
        assert bits == sum(1 << f for f in set(postings.field[postings.chunk == row].tolist()))
    assert cart.df == len(set(postings.chunk[postings.field != FIELDS.index("folder")].tolist()))
    assert (cart.values > 0).all()
    assert (cart.values < 1).all()
    assert not len(nothing.rows)
    assert nothing.df == 0
    assert folder.df < len(folder.rows), "where only the folder is called so, nothing is said"


def test_a_term_asked_for_again_is_not_looked_up_again(shop, asked):
    impacts = Impacts()
    impacts.of(shop, ["cart", "zeppelin"], MEASURE)
    impacts.of(shop, ["coupon", "cart", "zeppelin"], MEASURE)
    assert asked == ["cart", "zeppelin", "coupon"]


@pytest.mark.parametrize(
    "other", [replace(MEASURE, mean=30.0), replace(MEASURE, fields=FieldWeights(body=2.0))]
)
def test_another_measure_has_impacts_of_its_own(shop, other):
    impacts = Impacts()
    one, two = (impacts.of(shop, ["cart"], each)[0].values for each in (MEASURE, other))
    assert not np.array_equal(one, two)
    assert np.array_equal(two, computed(shop, ["cart"], other)[0].values)


def test_what_was_not_asked_for_the_longest_goes_first(shop, asked, monkeypatch):
    sizes = [len(each.rows) + module.EMPTY for each in computed(shop, WORDS[:3], MEASURE)]
    monkeypatch.setattr(module, "PLACES", sum(sizes) / shop.chunk_count)
    impacts = Impacts()
    for word in (*WORDS[:3], WORDS[0], WORDS[3]):  # the last takes the room of the second
        impacts.of(shop, [word], MEASURE)
    asked.clear()
    impacts.of(shop, [WORDS[0], WORDS[3]], MEASURE)
    assert asked == []
    impacts.of(shop, [WORDS[1]], MEASURE)
    assert asked == [WORDS[1]]


def test_a_term_that_takes_more_than_all_the_room_is_found_all_the_same(shop, asked, monkeypatch):
    monkeypatch.setattr(module, "PLACES", 0)
    impacts = Impacts()
    for _ in range(2):
        (found,) = impacts.of(shop, ["cart"], MEASURE)
        assert len(found.rows)
    assert asked == ["cart", "cart"]


def test_several_threads_get_what_one_gets(shop, monkeypatch):
    monkeypatch.setattr(module, "PLACES", 3)  # so that terms come and go
    switching = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    impacts = Impacts()
    wanted = {word: plain(computed(shop, [word], MEASURE)[0]) for word in WORDS}

    def ask(number: int) -> bool:
        terms = [WORDS[(number + at) % len(WORDS)] for at in range(3)]
        found = impacts.of(shop, terms, MEASURE)
        return [plain(each) for each in found] == [wanted[term] for term in terms]

    try:
        with ThreadPoolExecutor(8) as pool:
            assert all(pool.map(ask, range(1_000)))
    finally:
        sys.setswitchinterval(switching)
    kept = impacts._kept.values()
    assert impacts._places == sum(map(module._places, kept)) <= 3 * shop.chunk_count


def test_a_view_keeps_its_impacts_as_long_as_its_profile(shop):
    corpus = Corpus.of([shop])
    assert corpus.profiles[0].impacts is profile_of(shop).impacts
