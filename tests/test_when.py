"""What a question says about time."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.answerers.plan import plan
from clew.answerers.when import when


@pytest.mark.parametrize(
    ("question", "at"),
    [
        ("on branch release/2.x, where is the parser?", "release/2.x"),
        ("where is the parser on the develop branch?", "develop"),
        ("In the main branch, where is the parser?", "main"),
        ("what did it do at tag v1.2?", "v1.2"),
        ("how did it work in v1.2.3?", "v1.2.3"),
        ("where is the parser at 1a2b3c4d?", "1a2b3c4d"),
        ("As of 2026-01-31, how are refunds done?", "2026-01-31"),
        ("where was it at commit HEAD~2?", "HEAD~2"),
        ("on branch feature, where is the parser?", "feature"),
        ("where is the parser on branch feature?", "feature"),
        ("at tag nightly: where is the parser?", "nightly"),
        ("where is the parser on branch `feature` now", "feature"),
        ("what happens on branch prediction failures?", ""),
        ("where is the parser in version 1.0?", "1.0"),
        ("in the version 2.3.1, where is the parser?", "2.3.1"),
        ("how did it work in 3.0.0?", "3.0.0"),
        ("how did it work in 3.0.0rc1?", "3.0.0rc1"),
        ("how did it work in v1.2.", "v1.2"),
        ("does it listen at 127.0.0.1?", ""),
        ("how did it work in version 2.0 of the shop?", "2.0"),
        ("how did it work in v7.0.8.1?", "v7.0.8.1"),
        ("which version is it in version 3?", ""),
        ("is the ratio at 1.5?", ""),
        ("how do we parse the commit message?", ""),
        ("what happens in the else branch?", ""),
        ("where is the tag name validated?", ""),
        ("in the tag parser, where are names read?", ""),
        ("on release/2.x, where is the parser?", "release/2.x"),
        ("where is the parser on feature/login?", "feature/login"),
        ("where is the parser in feature/login?", ""),
        ("at HEAD~3, where is the parser?", "HEAD~3"),
        ("where is the parser in HEAD^?", "HEAD^"),
        ("where do we answer on HEAD requests?", ""),
        ("where is the parser in origin/develop?", "origin/develop"),
        ("where is the parser in refs/heads/main?", "refs/heads/main"),
        ("where was it at 95519709?", "95519709"),
        ("where was it at commit deadbeef?", "deadbeef"),
        ("what happens at defaced pages?", ""),
        ("what is in the release notes?", ""),
        ("is it used in src/app.py?", ""),
    ],
)
def test_a_question_about_another_revision_is_noticed(question: str, at: str) -> None:
    assert when(question).at == at


@pytest.mark.parametrize(
    ("question", "perhaps", "other"),
    [
        ("where is the parser on the feature branch?", "heads/feature", "where is the parser?"),
        ("On the feature branch, where is the parser?", "heads/feature", "where is the parser?"),
        ("how did it work at the nightly tag?", "tags/nightly", "how did it work?"),
        ("what happens in the else branch?", "heads/else", "what happens?"),
        ("where is the parser on the develop branch?", "", ""),
        ("On develop, where is the parser?", "heads/develop", "where is the parser?"),
        ("where is the parser on feature-x?", "heads/feature-x", "where is the parser?"),
        ("on 2.x: where is the parser?", "heads/2.x", "where is the parser?"),
        ("In the branch feature-x, where is it?", "heads/feature-x", "where is it?"),
        ("where is the parser in src/app?", "", ""),
        ("where is the branch predictor?", "", ""),
        ("what happens on each branch?", "", ""),
        ("where is the parser?", "", ""),
    ],
)
def test_a_plain_word_may_be_a_branch_and_only_the_source_can_say(
    question: str, perhaps: str, other: str
) -> None:
    found = when(question)
    assert (found.perhaps, found.other) == (perhaps, other)
    assert found.at in ("", "develop")


@pytest.mark.parametrize(
    ("question", "since", "at", "rest"),
    [
        (
            "what changed in the cart between v1.0 and v2.0?",
            "v1.0",
            "v2.0",
            "what changed in the cart?",
        ),
        (
            "what changed from 3.0.0 to 3.1.0 in the json module?",
            "3.0.0",
            "3.1.0",
            "what changed in the json module?",
        ),
        ("what changed between main and feature/x?", "main", "feature/x", "what changed?"),
        ("what changed in a.py since 2026-01-31?", "2026-01-31", "", "what changed in a.py?"),
        ("what changed between v1.0 and now?", "v1.0", "", "what changed?"),
        ("what changed between one and other?", "one", "other", "what changed?"),
        ("what changed in a.py between v1.0..v2.0?", "v1.0", "v2.0", "what changed in a.py?"),
        ("what changed in main...feature/x?", "main", "feature/x", "what changed in?"),
        (
            "what changed in a/ between the v1 tag and the v2 tag?",
            "v1",
            "v2",
            "what changed in a/?",
        ),
        ("diff of a.py from branch one to branch two", "one", "two", "diff of a.py"),
        ("compare v1.0 and v2.0", "v1.0", "v2.0", "what changed?"),
        ("compare main with feature/x", "main", "feature/x", "what changed?"),
        ("what changed in the last 3 commits?", "HEAD~3", "", "what changed?"),
        ("what is the difference between client and server?", "", "", ""),
        ("compare Client and Server", "", "", ""),
        ("compare src/a.py and src/b.py", "", "", ""),
        ("what is the difference between src/client and src/server?", "", "", ""),
        ("what changed between fix/a and feature/b?", "fix/a", "feature/b", "what changed?"),
        ("what changes between start and stop?", "", "", ""),
        ("where are numbers from 1 to 10 added?", "", "", ""),
    ],
)
def test_a_question_about_what_changed_names_both_ends(
    question: str, since: str, at: str, rest: str
) -> None:
    found = when(question)
    assert (found.since, found.at) == (since, at)
    assert found.rest == (rest or question)


@pytest.mark.parametrize(
    ("question", "at", "since"),
    [
        ("where was the parser as of yesterday?", "2026-03-14", ""),
        ("where was the parser as of 31 January 2026?", "2026-01-31", ""),
        ("on January 31st, 2026, where was the parser?", "2026-01-31", ""),
        ("where was the parser at the end of Feb 2026?", "2026-02-28", ""),
        ("where was the parser as of 2026/01/31?", "2026-01-31", ""),
        ("where was the parser as of two weeks ago?", "2026-03-01", ""),
        ("what changed in the parser since yesterday?", "", "2026-03-14"),
        ("what changed since last week?", "", "2026-03-08"),
        ("what changed in the last 3 days?", "", "2026-03-12"),
        ("what changed in a.py over the past month?", "", "2026-02-13"),
        ("what changed in February 2026?", "2026-02-28", "2026-01-31"),
        ("what changed since Feb 2026?", "", "2026-01-31"),
        ("what changed between 1 March 2026 and 3 March 2026?", "2026-03-03", "2026-03-01"),
        # No day.
        ("what changed since 31 February 2026?", "", ""),
        ("where are the last 3 days kept?", "", ""),
        ("is it safe to use in May?", "", ""),
        ("what happens on the last day?", "", ""),
        ("what is read from yesterday's file?", "", ""),
    ],
)
def test_a_day_is_read_as_people_say_it(question: str, at: str, since: str) -> None:
    found = when(question, date(2026, 3, 15))
    assert (found.at, found.since) == (at, since)


def test_the_words_about_time_are_no_part_of_what_is_searched() -> None:
    planned = plan("on branch release/2.x, where is the parser?")
    assert (planned.intent, planned.subject) == ("where", "the parser")


@given(st.text(max_size=300))
def test_any_text_at_all_can_be_read(text: str) -> None:
    assert when(text).rest or not text
