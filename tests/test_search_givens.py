"""Words that every file answers to are left out of a question, unless they are asked about."""

from __future__ import annotations

import pytest

from clew.search import search
from clew.search.corpus import Corpus
from clew.search.givens import without_givens
from clew.search.query import analyse
from support.searchable import searchable

DATES = "def to_date(text):\n    return strptime(text)\n"
NOISE = 'def banner():\n    """Say which Python this is."""\n    return python\n'
PYTHON = {"shop/dates.py": DATES, "shop/banner.py": NOISE}
MIXED = {**PYTHON, "web/app.ts": "\n".join(f"export const a{n} = {n};" for n in range(40))}


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    with searchable(PYTHON, tmp_path_factory.mktemp("python")) as view:
        yield view


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    with searchable(MIXED, tmp_path_factory.mktemp("mixed")) as view:
        yield view


def left(text: str, view) -> tuple[str, ...]:
    return without_givens(analyse(text), Corpus.of([view])).terms


@pytest.mark.parametrize(
    "text",
    [
        "python parse a date from text",
        "how do I parse a date from text in Python?",
        "parse a date from text python",
        "python3 parse a date from text",
        "parse a date from text in python2.7",
    ],
)
def test_the_language_of_all_the_code_is_no_word_of_the_question(text, python):
    assert not {"python", "python3", "python2"} & set(left(text, python))
    assert {"pars", "date", "text"} <= set(left(text, python))
    assert "python" not in without_givens(analyse(text), Corpus.of([python])).title.lower()


@pytest.mark.parametrize(
    "text",
    [
        "python",
        "python3",
        "which Python versions are supported",
        "where is the python interpreter looked up",
        "`python` as a banner",
        "what is in python/setup.cfg",
        "how is python-config read",
        "how does the Python domain find an object",
        "which imports of Python modules are kept",
        "is it written in go",
        "where do requests go",
    ],
)
def test_a_language_that_is_asked_about_or_not_the_code_s_stays(text, python):
    assert left(text, python) == analyse(text).terms


def test_a_language_of_the_lesser_part_of_the_code_stays(mixed):
    assert "python" in left("parse a date from text in python", mixed)
    assert "typescript" not in left("parse a date from text in typescript", mixed)


def test_a_file_gains_nothing_by_writing_its_language_down(python):
    found = search("python text to date", [python])
    assert found.hits[0].path == "shop/dates.py"
    assert search("python banner", [python]).hits[0].path == "shop/banner.py"
