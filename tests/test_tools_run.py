"""run(): what a model may send, and the cap that no result exceeds."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.tools.result import MIN_CHARS, clip
from clew.tools.run import TOOLS, parameters, run, usage
from clew.tools.scope import Scope
from support.fakeview import FakeView, fake_scope

if TYPE_CHECKING:
    from clew.index.view import View

FILES = {
    "src/app.py": "class App:\n    def run(self):\n        retry()\n" * 300,
    "src/" + "long/" * 300 + "name.py": "App()\nretry()\n",
    "wide.js": "retry" * 40_000 + "\n",
    "é/\U0001f600.py": "def é():\n    App()\n",
}
SCOPE = fake_scope(
    FILES | {f"many/f{n}.py": "retry()\n" * 3 for n in range(400)}, {".env": "denied"}
)


def test_a_right_call_is_the_tool_itself() -> None:
    result = run(SCOPE, "read_file", {"path": "src/app.py", "start_line": 1, "end_line": 2.0})
    assert result.ok
    assert result.data.lines == ("class App:", "    def run(self):")


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("bash", {}, 'There is no tool "bash"; the tools are: search_code, grep'),
        ("grep", None, "not an object"),
        ("grep", "retry", "not an object"),
        ("grep", ["retry"], "not an object"),
        ("grep", {}, "The argument pattern is missing."),
        ("grep", {"regex": "x"}, "There is no argument regex."),
        ("grep", {"pattern": 3}, "The argument pattern must be text."),
        ("grep", {"pattern": None}, "The argument pattern must be text."),
        ("grep", {"pattern": "x", "ignore_case": "yes"}, "must be true or false"),
        ("read_file", {"path": "a", "start_line": "3"}, "start_line must be a whole number"),
        ("read_file", {"path": "a", "start_line": True}, "start_line must be a whole number"),
        ("read_file", {"path": "a", "start_line": 1.5}, "start_line must be a whole number"),
        ("read_file", {"path": "a", 3: 4}, "There is no argument 3."),
        ("read_file", {"path": "a", "scope": "x"}, "There is no argument scope."),
    ],
)
def test_a_wrong_call_says_how_to_call(name: str, arguments: object, said: str) -> None:
    result = run(SCOPE, name, arguments)
    assert not result.ok
    assert said in result.text
    assert name == "bash" or usage(name) in result.text
    assert (result.data, result.evidence) == (None, ())


def test_a_tool_that_failed_says_so_and_never_no_matches() -> None:
    result = run(SCOPE, "grep", {"pattern": "retry", "glob": "*.rb"})
    assert not result.ok
    assert result.text.startswith("grep failed: No file matches")
    assert "no match in" not in result.text


def test_an_error_does_not_repeat_a_secret() -> None:
    key = "AKIA" + "Z7QWERTY5ZXCVB3N"
    for name, arguments in [
        ("read_file", {"path": f"src/{key}"}),
        ("read_file", {"path": "a", key: 1}),
        ("find_symbol", {"name": f"x {key}"}),
        (key, {}),
    ]:
        result = run(SCOPE, name, arguments)
        assert not result.ok
        assert key not in result.text
        assert key not in result.argument
        assert key not in result.tool


def test_null_stands_for_an_optional_argument_left_out() -> None:
    assert run(SCOPE, "list_files", {"glob": "/*", "source": None}).ok


def test_every_tool_tells_a_model_when_to_use_it_and_what_it_takes() -> None:
    for name, tool in TOOLS.items():
        doc = inspect.getdoc(tool) or ""
        assert "Use it" in doc
        assert "Args:" in doc
        for key in parameters(tool):
            assert f"    {key}: " in doc, (name, key)


WORDS = st.one_of(
    st.text(max_size=30),
    st.sampled_from(
        [
            "retry",
            ".",
            "x*",
            "App",
            "App.run",
            "src/app.py",
            "**",
            "many/**",
            "src",
            "*.py",
            "wide.js",
        ]
    ),
    st.sampled_from(["a" * 3_000, "é" * 50_000, "(" * 400, "../x", "\x00", "zz\n" * 500]),
)
CALLS = st.one_of(
    st.tuples(
        st.just("grep"),
        st.fixed_dictionaries(
            {"pattern": WORDS}, optional={"glob": WORDS, "ignore_case": st.booleans()}
        ),
    ),
    st.tuples(
        st.just("read_file"),
        st.fixed_dictionaries(
            {"path": WORDS},
            optional={
                "start_line": st.integers(-5, 1_000),
                "end_line": st.integers(-5, 1_000) | st.just(10**30),
                "source": WORDS,
            },
        ),
    ),
    st.tuples(st.just("list_files"), st.fixed_dictionaries({"glob": WORDS})),
    st.tuples(WORDS, st.dictionaries(WORDS, WORDS, max_size=3)),
)


LARGE = [
    ("grep", {"pattern": "retry"}),
    ("grep", {"pattern": "x*"}),
    ("grep", {"pattern": "retry", "glob": "wide.js"}),
    ("read_file", {"path": "src/app.py"}),
    ("read_file", {"path": "wide.js"}),
    ("find_symbol", {"name": "run"}),
    ("find_symbol", {"name": "retry"}),
    ("list_files", {"glob": "**"}),
]


@pytest.mark.parametrize("cap", [MIN_CHARS, 4_000, 16_000])
@pytest.mark.parametrize(("name", "arguments"), LARGE)
def test_a_large_result_keeps_to_its_cap_and_shows_what_it_counts(
    name: str, arguments: dict[str, Any], cap: int
) -> None:
    result = run(replace(SCOPE, max_chars=cap), name, arguments)
    assert result.ok
    assert len(result.text) <= cap
    assert result.cut or cap > MIN_CHARS or "wide.js" in arguments.values()
    assert not result.cut or result.text.endswith(f"[cut: {result.cut}]")
    for span in result.evidence:
        assert f"{span.start_line}" in result.text


def test_very_many_sources_do_not_burst_a_result() -> None:
    files = {"a.py": "def run():\n    retry(x)\n"}
    views = tuple(FakeView(files, name=f"source-{n}-" + "y" * 80) for n in range(60))
    scope = Scope(cast("tuple[View, ...]", views), max_chars=MIN_CHARS)
    for name, arguments in [*LARGE, ("read_file", {"path": "a.py"}), ("grep", {"pattern": "x"})]:
        assert len(run(scope, name, arguments).text) <= MIN_CHARS


@given(CALLS, st.sampled_from([MIN_CHARS, 4_000, 16_000]))
@settings(max_examples=120, deadline=None)
def test_no_result_exceeds_its_cap_whatever_is_asked(
    call: tuple[str, dict[str, Any]], cap: int
) -> None:
    result = run(replace(SCOPE, max_chars=cap), *call)
    assert len(result.text) <= cap
    assert len(result.argument) <= 240
    assert len(result.summary) <= 200
    assert not result.cut or result.cut[:100] in result.text
    for span in result.evidence:
        assert span.path in FILES or span.path.startswith("many/")
        assert 1 <= span.start_line <= span.end_line


@given(st.text(max_size=80), st.integers(2, 40), st.integers(0, 90))
def test_clipping_keeps_to_its_width_and_keeps_the_place(text: str, width: int, at: int) -> None:
    clipped = clip(text, width, at)
    assert len(clipped) <= width
    assert "\n" not in clipped
    if len(text) > width and at < len(text) and width > 4:
        assert text[at].replace("\n", " ").replace("\r", " ") in clipped
