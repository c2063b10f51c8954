"""Chunks of code, prose and configuration partition the lines of any text, however broken."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from clew.chunks.parse import parse
from clew.chunks.text import split_lines
from support.snippets import BY_FILE

PIECES = [
    "\n", "\r\n", "\r", "\n\n\n", "{", "}", "(", ")", "[", '"', "'", "`", '"""', "/*", "*/", "//",
    "#", "# ", "\\", ";", ",", ":", "    ", "\t", "\f", "\u2028", "\0", "=", "=>", "@", "<", ">",
    "def ", "class ", "function f() {\n", "impl X {\n", "fn ", "```\n", "---\n", "<!--", "end",
    "====\n", "- ", "a: ", "a: |\n", "[a]\n", "a = 1\n", "CREATE TABLE a (\n", "message A {\n",
    "$$",
    "\U0001f600", "\u00e9",
]  # fmt: skip

edits = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 60), st.sampled_from(PIECES)), max_size=12
)


def edited(text: str, changes: list[tuple[float, int, str]]) -> str:
    for where, removed, piece in changes:
        at = int(where * len(text))
        text = text[:at] + piece + text[at + removed :]
    return text


def check(path: str, text: str) -> None:
    parsed = parse(path, text)
    lines = split_lines(text)
    if parsed.language == "notebook":
        starts = [0, *(c.end_line for c in parsed.chunks)]
        assert all(c.start_line > end for c, end in zip(parsed.chunks, starts, strict=False))
        assert all(c.start_line <= c.end_line <= len(lines) for c in parsed.chunks)
    elif parsed.language:
        joined = [line for c in parsed.chunks for line in lines[c.start_line - 1 : c.end_line]]
        assert joined == lines
        assert all(c.start_line <= c.end_line for c in parsed.chunks)
    for symbol in parsed.symbols:
        assert 1 <= symbol.start_line <= symbol.line <= symbol.end_line <= len(lines)
        assert symbol.name
        assert symbol.qualname.endswith(symbol.name)
    for reference in parsed.references:
        assert 1 <= reference.line <= len(lines)
        assert reference.name in lines[reference.line - 1]


@settings(max_examples=150, deadline=None)
@given(path=st.sampled_from(sorted(BY_FILE)), changes=edits, crlf=st.booleans())
def test_mutated_code_is_partitioned(path, changes, crlf):
    text = edited(BY_FILE[path], changes)
    check(path, text.replace("\n", "\r\n") if crlf else text)


@settings(max_examples=60, deadline=None)
@given(path=st.sampled_from(sorted(BY_FILE)), text=st.text(max_size=300))
def test_any_text_is_partitioned(path, text):
    check(path, text)


@settings(max_examples=40, deadline=None)
@given(
    path=st.sampled_from(sorted(BY_FILE)),
    parts=st.lists(st.sampled_from(sorted(BY_FILE)), min_size=2, max_size=12),
    changes=edits,
)
@example(path="a.ex", parts=["a.md", "a.txt"], changes=[])  # an alias over three lines
def test_long_mixtures_of_languages_are_partitioned(path, parts, changes):
    check(path, edited("\n".join(BY_FILE[part] for part in parts), changes))
