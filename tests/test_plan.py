"""Reading a question's form: its kind, its subject and the names in it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.answerers.plan import plan


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
        ("who owns the parser?", "history", "the parser"),
        ("why do we retry?", "history", "we retry"),
        ("which commit broke the build?", "history", "broke the build"),
        ("what happens when a task fails?", "how", "a task fails"),
        ("when does the cache expire?", "how", "the cache expire"),
        ("when is deliver called?", "callers", "deliver"),
        ("is deliver used anywhere?", "callers", "deliver"),
        ("what does deliver return?", "what", "deliver"),
        ("how many retries do we do?", "value", "retries do we do"),
        ("how many commands are there?", "list", "commands"),
        ("which port does it listen on?", "value", "port does it listen on"),
        ("what is the sync timeout?", "value", "sync timeout"),
        ("does the client retry?", "check", "the client retry"),
        ("can I configure the timeout?", "check", "configure the timeout"),
        ("subclasses of Parcel", "list", "subclasses of Parcel"),
        ("what implements Weighed?", "list", "implements Weighed"),
        ("what methods does Parcel have?", "list", "methods of Parcel"),
        ("which environment variables does it read?", "list", "environment variables"),
        ("can you tell me where deliver is?", "where", "deliver"),
        ("rate limiter", "where", "rate limiter"),
        ("where is Rack.Request.patch? defined?", "where", "Rack.Request.patch?"),
        ("who calls save!", "callers", "save!"),
        ("what does deliver call?", "callees", "deliver"),
        ("which functions does Parcel.send call directly?", "callees", "Parcel.send"),
        ("what is called by deliver?", "callees", "deliver"),
        ("callees of deliver", "callees", "deliver"),
        ("which endpoint does the client call?", "list", "endpoint"),
        ("since when does deliver retry?", "history", "deliver retry"),
        ("is valid? used anywhere?", "callers", "valid?"),
        ("what does empty?? do", "what", "empty??"),
        ("why was save! added?", "history", "save! added"),
    ],
)
def test_a_question_is_read_by_its_form(question: str, intent: str, subject: str):
    planned = plan(question)
    assert (planned.intent, planned.subject) == (intent, subject)


def test_a_capitalised_subject_is_taken_for_a_name():
    assert plan("what is a Blueprint?").names == ("Blueprint",)
    assert plan("what is a parser?").names == ()


def test_names_that_are_told_apart_by_their_marks_are_two():
    assert plan("what is the difference between save! and save").names == ("save!", "save")
    assert plan("who calls Order.save!").names == ("Order.save!",)


@settings(deadline=None)
@given(st.text(max_size=600))
def test_any_text_at_all_gets_a_plan(text: str):
    assert plan(text).intent
