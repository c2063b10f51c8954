"""What a question's text alone tells: kind, terms without the frame, names, paths and wishes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.search.query import MAX_TERMS, Query, analyse, last_name, qualifier, spellings


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Router", "symbol"),
        ("router", "symbol"),
        ("Flask.run", "symbol"),
        ("absl::Hash", "symbol"),
        ("`get_user`", "symbol"),
        ("where is Router defined?", "symbol"),
        ("who calls get_user()?", "symbol"),
        ("what does `Foo::bar` do", "symbol"),
        ('"HttpCookies"', "symbol"),
        ("src/app/main.py", "path"),
        ("./Dockerfile", "path"),
        ("what is in src/app/main.py?", "prose"),
        ('"connection refused by peer"', "quoted"),
        ("how does routing work", "prose"),
        ("where do we validate the session token?", "prose"),
        ("Node.js server. Next sentence", "prose"),
        ("", "prose"),
        ("???", "prose"),
        ("🎉", "prose"),
        ("日本語の検索はどこ", "prose"),
    ],
)
def test_the_kind_is_that_of_the_whole_question(text, kind):
    assert analyse(text).kind == kind


@pytest.mark.parametrize(
    "frame",
    [
        "{}",
        "where do we {}?",
        "where is the code that does {}?",
        "How does {} work?",
        "how is {} implemented?",
        "Please tell me how {} works",
        "Hi, can you explain what happens when {} happens?",
        "which function handles {}",
        "what calls {}?",
        "which file is responsible for {}?",
        "I want to know where {} is done in this repository",
    ],
)
def test_the_question_s_frame_is_not_part_of_its_subject(frame):
    subject = analyse("connection pooling").terms
    assert set(analyse(frame.format("connection pooling")).terms) - {"code"} == set(subject)


def test_a_word_of_the_frame_counts_where_it_is_the_subject():
    assert "call" in analyse("how are calls recorded").terms
    assert "work" in analyse("where do we start work queues").terms
    assert analyse("where").terms == analyse("where is it").terms == ()


def test_names_are_found_in_prose_by_their_shape_and_in_backticks():
    asked = analyse("Why does `retry` call HttpClient.send and save_all(), e.g. after a crash?")
    assert asked.identifiers == ("retry", "HttpClient.send", "save_all")
    assert asked.kind == "prose"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("where is Rack.Request.patch? defined?", ("Rack.Request.patch?",)),
        ("where is Shop::Order#save! defined", ("Shop::Order#save!",)),
        ("is valid? used anywhere?", ("valid?",)),
        ("what does `empty?` do?", ("empty?",)),
        ("who calls save!", ("save!",)),
        ("who calls save_all??", ("save_all?",)),
        ("save!", ("save!",)),
        ("does create! or save!, call valid? first", ("create!", "save!", "valid?")),
        # The question's own marks.
        ("where is get_user?", ("get_user",)),
        ("where is get_user? Thanks!", ("get_user",)),
        ("Help! where is it? I am lost!", ()),
        ("does it work? Then why not", ()),
    ],
)
def test_a_name_keeps_its_own_mark_and_none_of_the_question(text, names):
    assert analyse(text).identifiers == names


def test_a_definition_is_looked_for_with_and_without_a_mark():
    assert spellings("a.B#save!") == ("save!", "save")
    assert spellings("patch") == ("patch", "patch?", "patch!")


def test_words_with_marks_in_a_paste_are_no_names():
    assert analyse("no luck! it fails, " * 20).identifiers == ()


def test_a_capital_inside_a_sentence_is_remembered_and_one_at_its_start_is_not():
    asked = analyse("Where does the Scheduler wait? Maybe in the Worker")
    assert asked.capitalised == ("Scheduler", "Worker")


def test_paths_and_file_names_are_found_and_addresses_are_not():
    asked = analyse("Is src/app/main.go like tests/ or go.mod, see https://example.org/a/b.py?")
    assert asked.paths[:2] == ("src/app/main.go", "tests/")
    assert not any("example" in path or path == "b.py" for path in asked.paths)
    assert analyse("what is in main.py.").paths == ("main.py",)


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("where is the cache tested?", "tests"),
        ("the fixtures for users", "tests"),
        ("what does the README say about install", "docs"),
        ("an example of a custom field", "examples"),
        ("which dependencies are in pyproject.toml", "config"),
        ("how is the protocol code generated", "generated"),
        ("the deprecated parser", "legacy"),
    ],
)
def test_what_is_asked_for_is_not_held_back(text, want):
    assert want in analyse(text).wants


@pytest.mark.parametrize(
    "text", ["how does the test client send a request", "the test server's port", "test helpers"]
)
def test_what_is_made_for_tests_is_no_test(text):
    assert "tests" not in analyse(text).wants


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("router: drop a trailing slash", "router"),
        ("fix(router): drop a trailing slash", "router"),
        ("[router]: drop a trailing slash", "router"),
        ("drop a trailing slash", None),
        ("RouterError: drop a trailing slash", None),
        ("drop what a::b adds", None),
    ],
)
def test_the_part_that_is_named_before_a_colon_counts_once_more(text, topic):
    asked = analyse(text)
    twice = {term for term, times in zip(asked.terms, asked.times, strict=True) if times > 1}
    assert twice == ({topic} if topic else set())


def test_a_plain_question_wants_plain_code():
    assert analyse("how does the latest contest protest get attested").wants == frozenset()


def test_a_qualified_name_splits_into_name_and_qualifier():
    assert (last_name("a.B.run"), qualifier("a.B.run")) == ("run", "B")
    assert (last_name("Vec::push"), qualifier("Vec::push")) == ("push", "Vec")
    assert (last_name("run"), qualifier("run")) == ("run", "")
    assert (last_name("Order#save!"), qualifier("Order#save!")) == ("save", "Order")


def test_a_question_of_ten_thousand_words_has_bounded_parts():
    asked = analyse(" ".join(f"word{n} some_name{n} path{n}/x.py" for n in range(10_000)))
    assert len(asked.terms) <= MAX_TERMS
    assert max(len(asked.identifiers), len(asked.paths), len(asked.quoted)) <= 16


@pytest.mark.parametrize("piece", ["a/", "a.", "`", '"', "a::", "please ", "where is ", "_", "A"])
def test_repeated_pieces_do_not_make_it_slow(piece):
    assert isinstance(analyse(piece * 20_000), Query)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=400))
def test_any_text_is_analysed_and_always_alike(text):
    assert analyse(text) == analyse(text)
