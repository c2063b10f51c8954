"""The page about languages says what the code does."""

from __future__ import annotations

from pathlib import Path

from clew.chunks.catalog import page
from clew.chunks.formats import FORMATS
from clew.chunks.languages import LANGUAGES, language_of

PAGE = Path(__file__).parents[1] / "docs" / "languages.md"


def test_the_page_of_languages_is_current():
    assert PAGE.read_text(encoding="utf-8") == page(), "run python docs/make_languages.py"


def test_every_language_and_format_is_on_the_page_once():
    rows = [line.split(" | ")[0].removeprefix("| ") for line in page().split("\n")]
    names = [one.name for one in (*LANGUAGES, *FORMATS)]
    assert all(rows.count(name) == 1 for name in names)


def test_no_two_claim_the_same_files():
    claimed = [name for one in (*LANGUAGES, *FORMATS) for name in (*one.extensions, *one.filenames)]
    assert sorted(claimed) == sorted(set(claimed))


def test_every_name_that_is_claimed_leads_to_its_language():
    for one in (*LANGUAGES, *FORMATS):
        assert all(language_of(f"x/a{end}") == one.name for end in one.extensions)
        assert all(language_of(f"x/{name}") == one.name for name in one.filenames)
