"""list_files: what is there, what was skipped, and globs."""

from __future__ import annotations

import pytest

from clew.tools.globs import compile_glob
from clew.tools.list_files import MAX_FILES, list_files
from support.fakeview import fake_scope, two_sources

FILES = {"README.md": "a\nb\n", "src/app.py": "x\n", "src/web/view.ts": "y\n"}


def test_files_come_by_folder_with_lines_and_skipped_ones_with_the_reason() -> None:
    result = list_files(fake_scope(FILES, {"src/logo.png": "binary", ".env": "denied"}))
    assert result.text.split("\n") == [
        'list_files "**": 5 files',
        "in shop @ aaaaaaaaaaaa: 3 read, 2 skipped (1 denied, 1 binary)",
        "./",
        "  .env  skipped: denied",
        "  README.md  2 lines",
        "src/",
        "  app.py  1 line",
        "  logo.png  skipped: binary",
        "src/web/",
        "  view.ts  1 line",
    ]
    assert [row.path for row in result.data.files][-1] == "src/web/view.ts"


@pytest.mark.parametrize(
    ("glob", "paths"),
    [
        ("**", ["README.md", "src/app.py", "src/web/view.ts"]),
        ("*", ["README.md", "src/app.py", "src/web/view.ts"]),
        ("/*", ["README.md"]),
        ("*.py", ["src/app.py"]),
        ("src/*", ["src/app.py"]),
        ("src/**", ["src/app.py", "src/web/view.ts"]),
        ("src/", ["src/app.py", "src/web/view.ts"]),
        ("./src/**", ["src/app.py", "src/web/view.ts"]),
        ("src\\**", ["src/app.py", "src/web/view.ts"]),
        ("**/*.{py,ts}", ["src/app.py", "src/web/view.ts"]),
        ("src/**/view.?s", ["src/web/view.ts"]),
        ("**/app.py", ["src/app.py"]),
        ("[A-Z]*.md", ["README.md"]),
        ("[!R]*", ["src/app.py", "src/web/view.ts"]),
        ("web/*", []),
        ("/", ["README.md", "src/app.py", "src/web/view.ts"]),
    ],
)
def test_a_glob_means_what_a_shell_user_expects(glob: str, paths: list[str]) -> None:
    assert sorted(row.path for row in list_files(fake_scope(FILES), glob).data.files) == paths


def test_signs_of_regular_expressions_are_literal_in_a_glob() -> None:
    glob = compile_glob("a+(b).é^$|.txt")
    assert glob.match("x/a+(b).é^$|.txt")
    assert not glob.match("x/aa(b).é^$|.txt")
    assert not compile_glob("a[/b]c").match("a/c")
    assert compile_glob("*" * 60 + "b").match("a" * 5_000) is False


def test_very_many_files_are_counted_by_folder_first() -> None:
    files = {f"src/pkg{n % 4}/deep/f{n}.py": "x\n" for n in range(1_000)}
    result = list_files(fake_scope(files))
    assert result.data.total == 1_000
    assert len(result.data.files) == MAX_FILES
    assert "  src/pkg0/  250 files" in result.text
    assert f"{MAX_FILES} of 1,000 files listed" in result.cut


def test_no_match_is_an_answer_here() -> None:
    result = list_files(fake_scope(FILES), "*.rb")
    assert result.ok
    assert 'list_files "*.rb": 0 files' in result.text


def test_two_sources_are_told_apart() -> None:
    result = list_files(two_sources({"a.py": "x\n"}, {"a.py": "x\n"}))
    assert [(row.source, row.path) for row in result.data.files] == [
        ("shop", "a.py"),
        ("bank", "a.py"),
    ]
    assert "in bank @ aaaaaaaaaaaa" in result.text
