"""grep: exact, linear, capped, and honest about what it did not search."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.errors import ForbiddenError, InputError, NotFoundError
from clew.tools.grep import MAX_COUNT, MAX_LINES, grep
from clew.tools.result import LINE_WIDTH, span_digest
from support.fakeview import fake_scope, two_sources

SHOP = {
    "src/cart.py": "import retry\n\ndef add(item):\n    retry(item)\n    return item\n",
    "src/pay/card.py": "def pay():\n    # Retry later\n    retry(pay)\n",
    "docs/guide.md": "We retry twice.\n",
}


def lines(text: str, pattern: str, **options: bool) -> list[int]:
    """The numbers of the lines that match in a file of this text."""
    result = grep(fake_scope({"a.txt": text}), pattern, **options)
    return [match.line for file in result.data.files for match in file.matches]


def test_every_matching_line_comes_with_file_number_source_and_revision() -> None:
    result = grep(fake_scope(SHOP), "retry")
    assert result.text.split("\n")[:4] == [
        'grep "retry": 4 matches in 3 files',
        "in shop @ aaaaaaaaaaaa",
        "docs/guide.md (1)",
        "  1: We retry twice.",
    ]
    assert "  4:     retry(item)" in result.text
    assert (result.summary, result.cut, result.ok) == ("4 matches in 3 files", "", True)


def test_what_is_shown_is_evidence_and_adjacent_lines_are_one_span() -> None:
    result = grep(fake_scope({"a.py": "x = 1\nx = 2\ny = 3\nx = 4\r\n"}), "x =")
    spans = [(e.path, e.start_line, e.end_line) for e in result.evidence]
    assert spans == [("a.py", 1, 2), ("a.py", 4, 4)]
    assert result.evidence[0].digest == span_digest(["x = 1", "x = 2"])
    assert result.evidence[1].digest == span_digest(["x = 4"])
    assert result.evidence[0].found_by == 'grep "x ="'
    assert result.evidence[0].revision == "a" * 40


def test_a_glob_narrows_and_case_may_be_ignored() -> None:
    scope = fake_scope(SHOP)
    found = grep(scope, "retry", glob="src/**/*.py", ignore_case=True).data
    assert [(f.path, f.count) for f in found.files] == [("src/cart.py", 2), ("src/pay/card.py", 2)]
    assert [f.path for f in grep(scope, "Retry").data.files] == ["src/pay/card.py"]


def test_a_match_never_crosses_a_line_end() -> None:
    text = "alpha\nbeta\n\ngamma\n"
    assert lines(text, r"a\sb") == []
    assert lines(text, r"alpha[^x]beta") == []
    assert lines(text, r"(?s)alpha.beta") == []
    assert lines(text, "^beta$") == [2]
    assert lines(text, "^$") == [3]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("end\nend", [1, 2]),
        ("end\n", [1]),
        ("end\r\nno end here\r\nend\r\n", [1, 3]),
        ("a\x0cend\n\u2028end\n", [1, 2]),
        ("", []),
        ("\n\n", []),
    ],
)
def test_lines_end_at_newline_only_and_dollar_stands_before_a_carriage_return(
    text: str, expected: list[int]
) -> None:
    assert lines(text, "end$") == expected


def test_a_pattern_that_matches_nothing_at_all_matches_every_line_once() -> None:
    assert lines("a\n\nb\n", "x*") == [1, 2, 3]
    assert lines("a\nb", "x*") == [1, 2]
    assert lines("\n", "x*") == [1]
    assert lines("", "x*") == []


@given(
    st.text(alphabet="ab\n\r é\U0001f600", max_size=60),
    st.sampled_from(["a", "a+b?", "é", "^b", "[^a]$", "x*", "(?i)B", "a|é"]),
)
@settings(max_examples=150, deadline=None)
def test_it_finds_the_lines_that_a_line_by_line_search_finds(text: str, pattern: str) -> None:
    rows = text.replace("\r\n", "\n").split("\n")
    if rows[-1] == "":
        rows.pop()
    expected = [n for n, row in enumerate(rows, 1) if re.search(pattern, row)]
    assert lines(text, pattern) == expected


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("retry(?=x)", "look-around"),
        ("(?<!x)retry", "look-around"),
        (r"(a)\1", "back-reference"),
        ("foo(", r"foo\("),
        ("[a", "not a valid regular expression"),
        ("a**", "not a valid regular expression"),
        ("(a{1000}){1000}", "repeats too much"),
        ("a\nb", "one line"),
        (r"a\nb", "one line"),
        ("", "empty"),
        ("x" * 1_001, "1,001 characters"),
    ],
)
def test_a_refused_pattern_says_how_to_write_it(pattern: str, said: str) -> None:
    with pytest.raises(InputError) as error:
        grep(fake_scope(SHOP), pattern)
    assert said in error.value.message
    assert len(error.value.message) < 500


def test_an_escaped_backslash_before_n_is_not_a_line_break() -> None:
    assert lines("a\\nb\n", r"\\nb") == [1]


def test_a_pattern_that_explodes_elsewhere_is_linear_here() -> None:
    text = ("a" * 5_000 + "!\n") * 20
    started = time.process_time()
    assert lines(text, "(a+)+$") == []
    assert lines(text, "(a|aa)*b") == []
    assert time.process_time() - started < 2


def test_a_scan_that_takes_too_long_stops_and_says_how_far_it_came() -> None:
    result = grep(fake_scope(SHOP, seconds=-1.0), "retry")
    assert result.data.complete is False
    assert "time limit" in result.cut
    assert "0 of 3 files" in result.cut


class Clock:
    """Stands still and jumps past any limit once it was asked `asks` times."""

    def __init__(self, asks: int) -> None:
        self._left = asks

    def monotonic(self) -> float:
        self._left -= 1
        return 0.0 if self._left >= 0 else 1e9


def test_what_a_stopped_scan_found_is_kept_and_the_next_goes_on_where_it_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scope = two_sources(SHOP, SHOP)
    found: list[str] = []
    after = None
    for _ in range(3):
        monkeypatch.setattr("clew.tools.grep.time", Clock(3))
        result = grep(scope, "retry", after=after)
        assert result.data.searched == 2
        found += [f"{file.source}:{file.path}" for file in result.data.files]
        if not result.data.complete:
            assert "the time limit of 10 s was reached after 2 of" in result.cut
            after = result.cut.partition('go on with after="')[2].partition('"')[0]
    assert result.data.complete
    assert found == [f"{source}:{path}" for source in ("shop", "bank") for path in sorted(SHOP)]


def test_going_on_after_the_last_file_is_an_error_and_not_no_match() -> None:
    with pytest.raises(NotFoundError, match="comes after"):
        grep(fake_scope(SHOP), "retry", after="src/pay/card.py")
    with pytest.raises(InputError, match="names no source"):
        grep(two_sources(SHOP, SHOP), "retry", after="src/cart.py")


def test_nothing_found_says_what_was_not_searched() -> None:
    scope = fake_scope(SHOP, {"logo.png": "binary", "big.json": "too large", "b.png": "binary"})
    text = grep(scope, "zebra").text
    assert 'grep "zebra": no match in 3 files' in text
    assert "not searched: 3 files (2 binary, 1 too large)" in text


def test_a_glob_without_files_is_an_error_and_not_no_match() -> None:
    with pytest.raises(NotFoundError, match="No file matches the glob"):
        grep(fake_scope(SHOP), "retry", glob="*.rb")


@pytest.mark.parametrize("glob", ["../*", "src/../../x", "~/*"])
def test_a_glob_out_of_the_source_is_refused(glob: str) -> None:
    with pytest.raises(ForbiddenError):
        grep(fake_scope(SHOP), "retry", glob=glob)


@pytest.mark.parametrize("glob", ["", "[a", "{a,b", "a}", "!x", "[z-a]", "x" * 501])
def test_a_glob_that_is_none_says_what_one_looks_like(glob: str) -> None:
    with pytest.raises(InputError, match="examples"):
        grep(fake_scope(SHOP), "retry", glob=glob)


def test_more_matches_than_fit_are_counted_and_the_note_says_how_to_narrow() -> None:
    scope = fake_scope({f"f{n:02}.py": "hit\n" * 40 for n in range(20)})
    result = grep(scope, "hit")
    shown = sum(len(file.matches) for file in result.data.files)
    assert shown == MAX_LINES
    assert len(result.data.files) > 5
    assert f"{shown} of 800 matches shown" in result.cut
    assert "narrow with glob=" in result.text.split("\n")[-1]


def test_counting_stops_somewhere_and_says_so() -> None:
    scope = fake_scope({f"f{n}.py": "hit\n" * 4_000 for n in range(4)})
    result = grep(scope, "hit")
    assert result.data.total == MAX_COUNT
    assert not result.data.complete
    assert f"more than {MAX_COUNT:,} matches" in result.summary
    assert "of 4 files" in result.cut


def test_a_long_line_is_clipped_around_its_match() -> None:
    line = "é" * 5_000 + "needle" + "é" * 100_000
    result = grep(fake_scope({"a.js": line + "\n"}), "needle")
    text = result.data.files[0].matches[0].text
    assert "needle" in text
    assert text.startswith("…")
    assert text.endswith("…")
    assert len(text) <= LINE_WIDTH
    assert result.evidence[0].digest == span_digest([line])


def test_two_sources_are_told_apart_and_one_can_be_named() -> None:
    scope = two_sources({"app.py": "retry()\n"}, {"app.py": "retry()\n"})
    both = grep(scope, "retry")
    assert [(f.source, f.path) for f in both.data.files] == [("shop", "app.py"), ("bank", "app.py")]
    assert "shop @ aaaaaaaaaaaa" in both.text
    assert "bank @ aaaaaaaaaaaa\nbank:app.py (1)" in both.text
    assert [e.source for e in both.evidence] == ["shop", "bank"]
    assert [f.source for f in grep(scope, "retry", source="bank").data.files] == ["bank"]


def test_a_source_out_of_scope_is_refused_like_one_that_does_not_exist() -> None:
    with pytest.raises(NotFoundError) as error:
        grep(fake_scope(SHOP), "retry", source="bank")
    assert error.value.message == 'No source is named "bank" here; this scope has: shop.'


class DenyGuide:
    def match(self, path: str) -> str | None:
        return "guide.*" if "guide" in path else None


def test_a_deny_list_that_grew_after_indexing_still_hides() -> None:
    result = grep(fake_scope(SHOP, deny=DenyGuide()), "retry")
    assert [f.path for f in result.data.files] == ["src/cart.py", "src/pay/card.py"]
    assert result.data.skipped == {"denied": 1}


def test_a_secret_in_the_pattern_is_not_echoed() -> None:
    key = "AKIA" + "Z7QWERTY5ZXCVB3N"
    result = grep(fake_scope(SHOP), key)
    assert key not in result.text
    assert key not in result.argument
