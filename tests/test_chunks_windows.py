"""Windows over text that nothing divides."""

from __future__ import annotations

from itertools import pairwise

from clew.chunks.parse import parse
from clew.chunks.windows import MAX_LINES, MAX_TOKENS, chunk_windows, count_tokens


def test_windows_cover_every_line_and_overlap():
    lines = [f"key_{i}: value {i}" for i in range(500)]
    found = chunk_windows(lines)
    assert (found[0].start_line, found[-1].end_line) == (1, 500)
    for before, after in pairwise(found):
        assert before.start_line < after.start_line <= before.end_line < after.end_line


def test_a_window_stays_below_its_limits():
    lines = ["some words in a row of text, and more of them"] * 300
    for one in chunk_windows(lines):
        rows = lines[one.start_line - 1 : one.end_line]
        assert len(rows) <= MAX_LINES
        assert sum(map(count_tokens, rows)) <= MAX_TOKENS


def test_a_line_over_the_limit_is_a_window_of_its_own():
    lines = ["short", "word " * 5_000, "short"]
    assert any((c.start_line, c.end_line) == (2, 2) for c in chunk_windows(lines))


def test_a_window_prefers_to_end_at_a_blank_line():
    lines = ([f"line {i}" for i in range(54)] + [""]) * 3
    assert chunk_windows(lines)[0].end_line == 55


def test_a_file_without_a_grammar_gets_windows_and_no_language():
    parsed = parse("config/app.unknown", "a: 1\nb: 2\n")
    assert parsed.language == ""
    assert [(c.start_line, c.end_line, c.kind) for c in parsed.chunks] == [(1, 2, "window")]
    assert (parsed.symbols, parsed.references) == ((), ())


def test_no_lines_no_windows():
    assert chunk_windows([]) == ()
