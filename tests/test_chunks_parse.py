"""parse() on odd, huge and hostile files; and how a language is told."""

from __future__ import annotations

import hashlib
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from clew.chunks import document, grammars
from clew.chunks.languages import BY_NAME, LANGUAGES, language_of
from clew.chunks.parse import CHUNKER, MAX_PARSE_CHARS, parse
from clew.errors import IndexFailedError
from support.snippets import BY_FILE


@pytest.mark.parametrize(
    ("path", "text", "language"),
    [
        ("src/a.py", "", "python"),
        ("types.pyi", "", "python"),
        ("SConstruct", "", "python"),
        ("bin/tool", "#!/usr/bin/env python3\n", "python"),
        ("bin/tool", "#!/usr/bin/env -S uv run --script\n", "python"),
        ("bin/tool", "#!/opt/py/bin/python3.12 -u\n", "python"),
        ("bin/tool", "#!/usr/bin/env node", "javascript"),
        ("bin/tool", "#!/usr/bin/env bash\n", "bash"),
        ("bin/tool", "#!/usr/bin/env perl\n", ""),
        ("bin/tool.cgi", "#!/usr/bin/python\n", "python"),
        ("bin/tool", "# !python\n", ""),
        ("a.JS", "", "javascript"),
        ("a.jsx", "", "javascript"),
        ("a.mjs", "", "javascript"),
        ("a.d.ts", "", "typescript"),
        ("a.mts", "", "typescript"),
        ("a.tsx", "", "tsx"),
        ("de.ts", '<?xml version="1.0"?>\n<!DOCTYPE TS>', ""),
        ("main.go", "", "go"),
        ("A.java", "", "java"),
        ("lib.rs", "", "rust"),
        ("a.c", "", "c"),
        ("a.cc", "", "cpp"),
        ("a.h", "", "c"),
        ("a.h", "namespace a {\n", "cpp"),
        ("A.cs", "", "csharp"),
        ("a.rb", "", "ruby"),
        ("Rakefile", "", "ruby"),
        ("bin/tool", "#!/usr/bin/env ruby\n", "ruby"),
        ("a.php", "", "php"),
        ("bin/tool", "#!/usr/bin/env php\n<?php\n", "php"),
        ("A.kt", "", "kotlin"),
        ("build.gradle.kts", "", "kotlin"),
        ("Package.swift", "", "swift"),
        ("README.md", "", "markdown"),
        ("README", "# hi", "text"),
        (".py", "", ""),
        ("a.yaml", "", "yaml"),
        ("Dockerfile.dev", "", "dockerfile"),
        ("README.first", "", "text"),
        ("CMakeLists.txt", "", ""),
        ("Makefile", "", "makefile"),
        ("x.py/data", "", ""),
    ],
)
def test_a_language_is_told_by_name_and_first_line(path, text, language):
    assert language_of(path, text) == language


RECORDED = ("8", "bd67d5aa9f2fd2aa")

# --- lines (C2) ----------------------------------------------------------------------------------


def test_only_a_newline_ends_a_line():
    text = "a = '\u2028'\f\nb = '''\x0b\x85\r'''\r\ndef f():\r\n    return 1\r\n"
    parsed = parse("a.py", text)
    assert [(s.name, s.line) for s in parsed.symbols] == [("a", 1), ("b", 2), ("f", 3)]
    assert [(c.start_line, c.end_line) for c in parsed.chunks] == [(1, 2), (3, 4)]


def test_a_string_over_lines_with_crlf_counts_each_line_once():
    text = 'x = """one\r\ntwo\r\n"""\r\n\r\ndef f(): pass'
    parsed = parse("a.py", text)
    assert [(s.name, s.start_line, s.end_line) for s in parsed.symbols] == [
        ("x", 1, 3),
        ("f", 5, 5),
    ]


def test_characters_outside_ascii_do_not_shift_lines_or_names():
    parsed = parse(
        "a.py", "# \U0001f600\u00e9\u4e2d\ndef gr\u00fc\u00dfe(\u00e4):\n    h\u00f6re(\u00e4)\n"
    )
    assert [(s.name, s.line) for s in parsed.symbols] == [("gr\u00fc\u00dfe", 2)]
    assert ("h\u00f6re", 3, "call") in {(r.name, r.line, r.kind) for r in parsed.references}


@pytest.mark.parametrize("size", [4, 7, 65_536])  # a character has up to four bytes
def test_a_file_is_the_same_in_whatever_pieces_it_is_read(monkeypatch, size):
    texts = [(p, t) for p, text in BY_FILE.items() for t in (text, text.replace("a", "ä"))]
    found = [parse(path, text) for path, text in texts]
    monkeypatch.setattr(document, "_PIECE", size)
    assert [parse(path, text) for path, text in texts] == found


# --- monsters (C11) ------------------------------------------------------------------------------

DEEP = {
    "open brackets": ("a.py", "[" * 100_000),
    "closed brackets": ("a.py", "x = " + "[" * 100_000 + "]" * 100_000),
    "open braces": ("a.go", "{" * 100_000),
    "open parentheses": ("a.rs", "(" * 100_000),
    "objects": ("a.js", "({" * 50_000),
    "generics": ("a.ts", "let x: A" + "<A" * 30_000),
    "blocks on lines": ("a.js", "{\n" * 20_000 + "}\n" * 20_000),
    "functions on lines": ("a.js", "function f() {\n" * 2_000 + "}\n" * 2_000),
    "modules": ("a.rs", "mod m {\n" * 20_000 + "}\n" * 20_000),
    "macros": ("a.rs", "cfg! {\nfn f() {}\n" * 20_000 + "}\n" * 20_000),
    "classes": ("A.java", "class A {\n" * 2_000),
    "lists in Markdown": ("a.md", "> " * 50_000 + "- " * 50_000),
    "open braces in C": ("a.c", "{" * 100_000),
    "conditions": ("a.c", "#if A\nint x;\n#else\n" * 5_000 + "#endif\n" * 5_000),
    "namespaces": ("a.cc", "namespace a {\n" * 2_000),
    "pointers": ("a.c", "int " + "*" * 50_000 + "a;"),
    "modules of Ruby": ("a.rb", "module A\n" * 2_000),
    "open brackets in PHP": ("a.php", "<?php " + "[" * 100_000),
    "closures of Swift": ("a.swift", "f {" * 5_000),
    "lambdas of Kotlin": ("a.kt", "f {" * 5_000),
    "classes of C#": ("A.cs", "class A {\n" * 2_000),
    "a chain": ("a.py", "x = a" + ".b" * 50_000),
    "a sum": ("a.js", "x = a" + " + b" * 50_000),
}


@pytest.mark.parametrize("name", DEEP)
def test_nesting_of_any_depth_is_divided_in_bounded_time(name):
    path, text = DEEP[name]
    before = time.thread_time()
    parsed = parse(path, text)
    assert time.thread_time() - before < 6.0
    assert parsed.chunks[-1].end_line == len(text.split("\n")) - text.endswith("\n")


def test_a_line_of_five_megabytes_is_one_window():
    parsed = parse("a.js", "var a = [" + "1234567," * 640_000 + "];")
    assert [(c.start_line, c.end_line, c.kind) for c in parsed.chunks] == [(1, 1, "window")]


def test_a_long_line_among_code_does_not_hide_the_code():
    text = "const data = [" + "1, " * 100_000 + "];\n\nfunction find() {\n  return data;\n}\n"
    assert "find" in {c.name for c in parse("a.js", text).chunks}


def test_a_text_beyond_the_limit_gets_windows_without_a_parse():
    text = "x = 1\n" * (MAX_PARSE_CHARS // 6 + 1)
    assert parse("a.py", text).language == ""


def test_seven_hundred_kilobytes_of_code_are_parsed():
    one = "def name_{0}(a, b):\n    total = a + b\n    return other_{0}(total)\n\n\n"
    text = "".join(one.format(i) for i in range(10_100))
    parsed = parse("a.py", text)
    assert len(text) > 700_000
    assert sum(c.kind == "function" for c in parsed.chunks) == 10_100


@pytest.mark.parametrize("path", BY_FILE)
@pytest.mark.parametrize(
    "text", ["\n", " \n\t\n", "\0" * 1_000, "\x00\n" * 50, "\ud800 = 1\n", "\r\r\r", "\f", "}"]
)
def test_text_without_code_still_has_its_lines(path, text):
    parsed = parse(path, text)
    assert parsed.chunks[0].start_line == 1
    assert parsed.chunks[-1].end_line == text.count("\n") + (not text.endswith("\n"))
    assert parsed.symbols in ((), tuple(parsed.symbols))


@pytest.mark.parametrize("path", BY_FILE)
def test_an_empty_file_has_nothing_but_its_language(path):
    parsed = parse(path, "")
    assert parsed.chunks == ()
    assert parsed.language == language_of(path)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "# one\n\n# two\n"),
        ("a.go", "// one\n\n/* two\n*/\n"),
        ("a.rs", "//! one\n\n/// two\n"),
        ("A.java", "/** one */\n\n// two"),
        ("a.ts", "// one\n\n/* two */\n"),
    ],
)
def test_a_file_of_comments_is_one_chunk(path, text):
    parsed = parse(path, text)
    assert [(c.start_line, c.kind) for c in parsed.chunks] == [(1, "module")]
    assert parsed.references == ()


def test_a_file_that_takes_too_long_gets_windows(monkeypatch):
    monkeypatch.setattr(document, "_BASE_SECONDS", -1_000.0)
    parsed = parse("a.py", BY_FILE["a.py"] * 200)
    assert parsed.language == ""
    assert {c.kind for c in parsed.chunks} == {"window"}
    assert parsed.chunks[-1].end_line == 200 * BY_FILE["a.py"].count("\n")


def test_a_token_missing_at_the_end_opens_no_further_line():
    parsed = parse("a.go", "package a\n\nfunc f() {\n\tg(\n")
    assert parsed.chunks[-1].end_line == 4
    assert all(s.end_line <= 4 for s in parsed.symbols)


def test_code_with_a_syntax_error_keeps_its_other_definitions():
    text = "def good():\n    pass\n\ndef bad():\n    x = = 1)\n\ndef fine():\n    return 2\n"
    names = {s.name for s in parse("a.py", text).symbols}
    assert {"good", "bad", "fine"} <= names


# --- the same again ------------------------------------------------------------------------------


@pytest.mark.parametrize("path", BY_FILE)
def test_the_same_text_gives_the_same_result(path):
    assert parse(path, BY_FILE[path]) == parse(path, BY_FILE[path])


def test_other_results_need_another_version():
    """Indexes are keyed by `CHUNKER`: a result that changes under the same key would go stale.

    When this fails on purpose, raise the number in `CHUNKER` and record both here.
    """
    digest = hashlib.sha256()
    for path, text in BY_FILE.items():
        digest.update(repr(parse(path, text)).encode())
    assert (CHUNKER.split("/")[0], digest.hexdigest()[:16]) == RECORDED


def test_many_threads_give_what_one_gives():
    wanted = {path: parse(path, text) for path, text in BY_FILE.items()}
    with ThreadPoolExecutor(8) as pool:
        for _ in range(5):
            found = dict(zip(BY_FILE, pool.map(parse, BY_FILE, BY_FILE.values()), strict=True))
            assert found == wanted


def test_a_grammar_that_cannot_be_loaded_is_named(monkeypatch, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("SEMBLE_GRAMMARS_CACHE_DIR", "unset below")
    grammars.use_cache(blocked)
    import semble_grammars

    semble_grammars.get_language.cache_clear()
    grammars.load.cache_clear()
    with pytest.raises(IndexFailedError, match="The go grammar can't be loaded"):
        parse("a.go", "package a\n")


def test_grammars_are_unpacked_below_the_folder_that_is_given(monkeypatch, tmp_path):
    monkeypatch.setenv("SEMBLE_GRAMMARS_CACHE_DIR", "unset below")
    grammars.use_cache(tmp_path)
    import semble_grammars

    semble_grammars.get_language.cache_clear()
    grammars.load.cache_clear()
    parse("a.go", "package a\n")
    assert [Path(p).name for p in tmp_path.glob("*/*/*")] == ["libtree_sitter_go.so"]


def test_several_grammars_are_unpacked_at_once_whole_and_as_the_pack_does(monkeypatch, tmp_path):
    import semble_grammars

    monkeypatch.setenv("SEMBLE_GRAMMARS_CACHE_DIR", "unset below")
    several = [BY_NAME[name] for name in ("go", "python", "rust")]
    grammars.use_cache(tmp_path / "ours")
    grammars.unpack(several[:1])
    grammars.unpack(several)
    ours = {path.name: path.read_bytes() for path in (tmp_path / "ours").glob("*/*/*")}
    grammars.use_cache(tmp_path / "theirs")
    semble_grammars.get_language.cache_clear()
    grammars.load.cache_clear()
    for each in several:
        grammars.load(each)
    assert ours == {path.name: path.read_bytes() for path in (tmp_path / "theirs").glob("*/*/*")}
    assert len(ours) == 3


def test_what_cannot_be_unpacked_is_left_for_the_load_to_say(monkeypatch, tmp_path):
    monkeypatch.setenv("SEMBLE_GRAMMARS_CACHE_DIR", "unset below")
    (tmp_path / "file").write_text("not a folder")
    grammars.use_cache(tmp_path / "file")
    grammars.unpack([BY_NAME["go"]])
    assert (tmp_path / "file").read_text() == "not a folder"


# --- the registry --------------------------------------------------------------------------------

KNOWN_CAPTURES = {
    *(f"def.{kind}" for kind in (
        "function", "method", "class", "interface", "struct", "enum", "trait", "type", "constant",
        "variable", "field", "module", "macro", "scope", "attribute",
    )),
    "name", "body", "owner", "doc", "documented", "wrapper", "wrapped",
    "case", "comment", "inner", "attached", "imports", "ignore", "declarator", "words",
    "ref.call", "ref.type", "ref.use", "ref.module",
}  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda one: one.name)
def test_every_language_has_a_query_that_compiles_with_known_captures(language):
    grammar = grammars.load(language)
    for query in (grammar.definitions, grammar.uses):
        assert query.pattern_count
        names = {query.capture_name(i) for i in range(query.capture_count)}
        # Names that begin with "_" or are used in a predicate only are a query's own.
        assert {n for n in names if not n.startswith("_")} - {"self"} <= KNOWN_CAPTURES


def test_every_query_file_belongs_to_a_language():
    folder = Path(grammars.__file__).parent / "queries"
    used = {name for language in LANGUAGES for name in language.queries}
    assert {path.stem for path in folder.glob("*.scm")} == used


def test_no_two_languages_claim_one_extension():
    ends = [end for language in LANGUAGES for end in language.extensions]
    assert len(ends) == len(set(ends))
