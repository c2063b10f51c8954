"""What the terms of a text are."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.index.tokens import MAX_TERM, count, terms, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("getUserByID", ["get", "user", "id", "getuserbyid"]),
        ("get_user_by_id", ["get", "user", "id", "getuserbyid"]),
        ("HTTPServer2Config", ["http", "server", "2", "config", "httpserver2config"]),
        ("__init__", ["init"]),
        ("__in__", ["in"]),
        ("MAX_SIZE = 3.14", ["max", "size", "maxsize", "3", "14"]),
        ("0xFF", ["0", "x", "ff", "0xff"]),
    ],
)
def test_an_identifier_gives_its_words_and_itself_joined(text, expected):
    assert terms(text) == expected


def test_two_spellings_of_one_name_share_all_their_terms():
    assert Counter(terms("retry_after_seconds")) == Counter(terms("retryAfterSeconds"))


def test_words_are_stemmed_and_stop_words_dropped():
    assert terms("where is the configuration of sessions") == ["configur", "session"]
    assert terms("configures") == terms("configured") == terms("configure")


def test_a_name_made_of_stop_words_is_still_found_as_a_whole():
    assert terms("is_in") == ["isin"]


def test_compatibility_forms_and_case_outside_ascii_fold():
    assert terms("ﬁle") == terms("file")
    assert terms("ＡＢＣ") == terms("abc")
    assert terms("café") == terms("cafe\u0301") == terms("CAFÉ")
    assert terms("Straße") == terms("STRASSE")
    assert terms("ПриветМир") == ["привет", "мир", "приветмир"]


def test_scripts_without_spaces_become_pairs():
    assert terms("検索語") == ["検索", "索語"]
    assert terms("x検索y") == ["x", "検索", "y"]
    assert terms("字") == ["字"]


def test_vowel_signs_do_not_break_a_word():
    assert terms("हिन्दी भाषा") == ["हिन्दी", "भाषा"]


def test_a_long_run_of_letters_is_one_cut_term():
    assert terms("a" * 100_000) == ["a" * MAX_TERM]
    assert terms("a" * 100) == ["a" * MAX_TERM]
    assert len(terms("aB" * 100)) == 1


def test_nothing_comes_of_nothing():
    assert terms("") == terms("_ __ -> {} \ud800 \u200b") == []


@given(st.text(max_size=200))
def test_counting_gives_the_same_terms_as_listing(text):
    assert count(text) == Counter(terms(text))


@given(st.text(max_size=200))
def test_terms_are_bounded_folded_and_storable(text):
    for term in terms(text):
        assert 0 < len(term) <= MAX_TERM * 3
        assert term.encode("utf-8")


@given(st.text(alphabet="abcXYZ_019 .\n", max_size=80))
def test_a_text_gives_what_its_lines_give(text):
    assert terms(text) == [term for line in text.split("\n") for term in terms(line)]


def test_threads_get_the_same_terms():
    text = " ".join(f"configuredSessions{n}Handlers" for n in range(2_000))
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(terms, [text] * 8))
    assert all(result == results[0] for result in results)


def test_plain_text_has_the_words_that_it_has_beside_other_scripts():
    plain = "".join(map(chr, range(128))) * 2 + " def parse_item2(self): return 'x_1'"
    assert words(f"{plain} é") == [*words(plain), "é"]
