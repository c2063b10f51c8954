"""Reading a question's form: its kind, its subject and the names in it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.answerers.plan import other_revision, plan


@pytest.mark.parametrize(
    ("question", "intent", "subject"),
    [
        ("where do we validate webhook signatures?", "where", "validate webhook signatures"),
        ("Where is Flask.run defined?", "where", "Flask.run"),
        ("which file contains the parser", "where", "the parser"),
        ("how does retry work in the billing worker?", "how", "retry work in the billing worker"),
        ("how are citations verified?", "how", "citations verified"),
        ("What does parse_config do?", "what", "parse_config"),
        ("please explain the request context", "what", "request context"),
        ("who calls the notification API?", "callers", "the notification API"),
        ("where is url_for used?", "callers", "url_for"),
        ("where do we call send_mail?", "callers", "send_mail"),
        ("callers of Client.retry", "callers", "Client.retry"),
        ("what is the value of MAX_RETRIES?", "value", "MAX_RETRIES"),
        ("what is MAX_RETRIES?", "value", "MAX_RETRIES"),
        ("what's the default timeout for sync?", "value", "default timeout for sync"),
        ("list all error classes", "list", "error classes"),
        ("which languages are supported?", "list", "languages"),
        ("is there already a helper for slugifying titles?", "helper", "slugifying titles"),
        ("do we have rate limiting?", "helper", "rate limiting"),
        ("why was the cache removed?", "history", "the cache removed"),
        ("who wrote the parser?", "history", "the parser"),
        ("rate limiter", "where", "rate limiter"),
    ],
)
def test_a_question_is_read_by_its_form(question: str, intent: str, subject: str):
    planned = plan(question)
    assert (planned.intent, planned.subject) == (intent, subject)


def test_a_capitalised_subject_is_taken_for_a_name():
    assert plan("what is a Blueprint?").names == ("Blueprint",)
    assert plan("what is a parser?").names == ()


@given(st.text(max_size=600))
def test_any_text_at_all_gets_a_plan(text: str):
    assert plan(text).intent


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("on branch release/2.x, where is the parser?", "release/2.x"),
        ("where is the parser on the develop branch?", "develop"),
        ("what did it do at tag v1.2?", "v1.2"),
        ("where is the parser at 1a2b3c4d?", "1a2b3c4d"),
        ("how do we parse the commit message?", None),
        ("what happens in the else branch?", None),
        ("where is the tag name validated?", None),
    ],
)
def test_a_question_about_another_revision_is_noticed(question: str, name: str | None):
    assert other_revision(question) == name
