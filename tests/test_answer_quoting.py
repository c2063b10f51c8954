"""What is taken from a comment, and which lines assign something."""

from __future__ import annotations

import pytest

from clew.answerers.assignments import assignments
from clew.answerers.quoting import doc_at, first_sentence
from clew.answerers.textual import definitions_in


@pytest.mark.parametrize(
    ("doc", "said"),
    [
        ("Tagged JSON\n~~~~~~~~~~~\n\nA compact form. More.", "A compact form."),
        ("# Title\n\nWhat it is about. And more.", "What it is about."),
        ("# Only a title", "Only a title"),
        ("Copyright 2020 Someone\n\nDoes the work.", "Does the work."),
        ("eslint-disable no-console\nDraws the map.", "Draws the map."),
        ("-*- coding: utf-8 -*-\nReads files, e.g. Large ones. Then stops.", None),
        ("Returns a value.\n@param x what it is", "Returns a value."),
        ("What follows:\n- one\n- two", "What follows:"),
        ("```\nuse std::sync::Arc;\n```\nShares a value.", "Shares a value."),
        (">>> code()\n\nProse comes after.", "Prose comes after."),
        ("https://example.org/about", ""),
        ("Word", ""),
        ("", ""),
        ("~~~~", ""),
    ],
)
def test_the_first_sentence_is_prose_of_the_source(doc: str, said: str | None):
    want = "Reads files, e.g. Large ones." if said is None else said
    assert first_sentence(doc) == want


def test_a_long_sentence_is_cut_between_words_and_says_so():
    said = first_sentence("word " * 100, 60)
    assert said.endswith(" …")
    assert len(said) <= 62


@pytest.mark.parametrize(
    ("lines", "start", "said"),
    [
        (["# Opens a door.", "def open():", "    pass"], 2, "Opens a door."),
        (["def open(", "    a,", "):", '    """Opens it."""'], 1, "Opens it."),
        (["/// Opens it.", "#[inline]", "fn open() {}"], 3, "Opens it."),
        (["/**", " * Opens it.", " */", "function open() {}"], 4, "Opens it."),
        (["x = 1", "def open():", "    return '''no'''"], 2, ""),
        (["", "def open():", "    run()", '    """late"""'], 2, ""),
    ],
)
def test_a_comment_is_found_above_or_inside(lines: list[str], start: int, said: str):
    assert doc_at(lines, start, len(lines)) == said


@pytest.mark.parametrize(
    ("path", "line", "found"),
    [
        ("a.py", "LIMIT = 5", ("LIMIT", "5")),
        ("a.py", "LIMIT: int = 5  # of all", ("LIMIT", "5  # of all")),
        ("a.py", "    self.limit = 5", ("limit", "5")),
        ("a.py", 'CONFIG["limit"] = 5', ("limit", "5")),
        ("a.py", '    "limit": 5,', ("limit", "5,")),
        ("a.js", "const limit = 5;", ("limit", "5;")),
        ("a.ts", "  limit: 5,", ("limit", "5,")),
        ("a.ts", "export const limit: number = 5;", ("limit", "5;")),
        ("A.java", "  private static final int LIMIT = 5;", ("LIMIT", "5;")),
        ("a.go", "	limit := 5", ("limit", "5")),
        ("a.rs", "pub const LIMIT: u32 = 5;", ("LIMIT", "5;")),
        ("a.rb", "  @limit = 5", ("limit", "5")),
        ("a.yaml", "  limit: 5", ("limit", "5")),
        ("a.toml", "limit = 5", ("limit", "5")),
        ("a.json", '  "limit": 5,', ("limit", "5,")),
        (".env", "LIMIT=5", ("LIMIT", "5")),
        ("Dockerfile", "ENV LIMIT 5", ("LIMIT", "5")),
        ("a.py", 'x = os.environ.get("LIMIT", "5")', ("LIMIT", '"5"')),
        ("a.py", 'p.add_argument("--limit", type=int, default=5)', ("limit", "5")),
        ("a.py", "def run(a, limit: int = 5) -> None:", ("limit", "5")),
        ("a.py", "def run(a, *, limit=5):", ("limit", "5")),
    ],
)
def test_an_assignment_is_read(path: str, line: str, found: tuple[str, str]):
    assert found in [(a.name, a.value) for a in assignments(path, line)]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.py", "if limit == 5:"),
        ("a.py", "if len(text) > LIMIT:"),
        ("a.py", "    limit=5,"),
        ("a.py", "limit: int"),
        ("a.py", "return limit"),
        ("a.py", "# limit = 5"),
        ("a.py", "while limit:"),
        ("a.py", 'print(f"limit: {x}")'),
        ("a.ts", "  limit: number;"),
        ("a.ts", "  limit: Limit;"),
        ("a.js", "limit => 5"),
        ("a.js", "// limit = 5"),
        ("a.go", "$limit=5"),
        ("a.py", "limit = " + "x" * 3_000),
    ],
)
def test_what_only_looks_like_an_assignment_is_none(path: str, line: str):
    assert [a for a in assignments(path, line) if a.name == "limit"] == []


def test_definitions_are_told_from_their_lines_where_no_grammar_is():
    lines = [
        "module Depot",
        "  class Shelf < Board",
        "    SIZE = 3",
        "    def self.open(name)",
        "      name",
        "    end",
        "",
        "    private",
        "      def dust!",
        "      end",
        "  end",
        "end",
    ]
    rows = [(d.qualname, d.kind, d.start_line, d.end_line) for d in definitions_in("a.rb", lines)]
    assert rows == [
        ("Depot", "mod", 1, 12),
        ("Depot.Shelf", "class", 2, 11),
        ("Depot.Shelf.SIZE", "constant", 3, 3),
        ("Depot.Shelf.open", "method", 4, 6),
        ("Depot.Shelf.dust!", "method", 9, 10),
    ]


@pytest.mark.parametrize(
    ("above", "said"),
    [
        ("/// Sleeps.\n#[a]\n// An old name.\n#[b]", "Sleeps."),
        ("/** Sleeps. */\n@A\n// An old name.\n@B", "Sleeps."),
        ("#[a]\n// A note.\n#[b]", "A note."),
        ("// Far away.\n\n#[a]\n// A note.\n#[b]", "A note."),
        ("/// Of another.\nfn g() {}\n#[a]", ""),
    ],
)
def test_documentation_goes_before_a_note_on_an_attribute(above: str, said: str):
    lines = [*above.split("\n"), "fn f() {}"]
    assert doc_at(lines, len(lines), len(lines)) == said


def test_prose_defines_nothing():
    assert list(definitions_in("a.md", ["class Depot holds parcels"])) == []
