"""The closing lines of an answer: caveats, revision and age."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clew.answerers.closing import age, closing, index_caveats
from clew.types import Caveat, IndexReport, Revision, Source

BILLING = Source("billing-1", "billing", "worktree", "/src/billing")
DAY = 86_400


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-5, "less than a minute"),
        (59, "less than a minute"),
        (60, "1 min"),
        (3 * 3600, "3 hours"),
        (DAY, "1 day"),
        (400 * DAY, "1 year"),
    ],
)
def test_an_age_is_said_in_one_unit(seconds: float, words: str):
    assert age(seconds) == words


def test_a_commit_is_named_with_its_branch_and_age():
    revision = Revision("a" * 40, "b" * 40, "a" * 40, committed_at=0, branch="main")
    assert closing([(BILLING, revision)], (), now=3 * DAY) == (
        "\nAs of `billing` at `aaaaaaaaaa` (branch main, committed 3 days ago).\n"
    )


def test_a_source_that_could_not_be_refreshed_says_since_when_and_why():
    revision = Revision("a" * 40, "b" * 40, "a" * 40, stale="the remote is down", synced_at=0.0)
    text = closing([(BILLING, revision)], (), now=2 * 3600)
    assert "last refreshed 2 hours ago: the remote is down" in text


def test_the_same_caveat_is_said_once():
    twice = [Caveat("x", "Beware."), Caveat("y", "Beware.")]
    assert closing([], twice, now=0).count("Beware.") == 1


def _report(files: int, chunks: int, skipped: dict[str, int]) -> IndexReport:
    return IndexReport("billing", "r", files, chunks, 0, skipped, 0.0)


def test_an_index_with_nothing_inside_says_why():
    (caveat,) = index_caveats("billing", _report(0, 0, {"vendored": 12}))
    assert caveat.type == "nothing_indexed"
    assert "12 vendored" in caveat.message


@pytest.mark.parametrize(
    ("embedded", "problem", "said"),
    [
        (1.0, "", ""),
        (0.0, "", ""),
        (
            0.429,
            "",
            "42 % of billing is embedded so far; until it is done, it is searched by words",
        ),
        (0.5, "x is down.", "x is down; until that is put right, billing is searched by words"),
    ],
)
def test_what_has_no_vectors_is_said_once_with_the_reason(embedded, problem, said):
    report = replace(_report(3, 9, {}), embedded=embedded, problem=problem)
    caveats = index_caveats("billing", report)
    assert [caveat.type for caveat in caveats] == (["words_only"] if said else [])
    assert all(caveat.message == f"{said} alone." for caveat in caveats)


def test_an_index_that_skipped_most_files_says_so_and_pictures_do_not_count():
    (caveat,) = index_caveats("billing", _report(3, 9, {"generated": 7, "media": 100}))
    assert caveat.type == "mostly_skipped"
    assert index_caveats("billing", _report(3, 9, {"media": 100})) == ()
