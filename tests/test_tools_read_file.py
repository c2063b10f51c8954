"""read_file: the lines of one file, and every path that must not be read."""

from __future__ import annotations

import pytest

from clew.errors import ClewError, ForbiddenError, InputError, NotFoundError
from clew.tools.read_file import MAX_LINES, MAX_WIDTH, read_file
from clew.tools.result import span_digest
from support.fakeview import fake_scope, two_sources

FILES = {
    "src/app.py": "import os\r\n\r\ndef run():\r\n    pass\r\n",
    "src/deep/er/utils.py": "x = 1\n",
    "tests/test_app.py": "y = 2\n",
    "README": "Hello\n",
    "odd\\name.txt": "odd\n",
    "empty.py": "",
}
SKIPPED = {
    ".env": "denied",
    "link": "symlink",
    "vendor/lib": "submodule",
    "logo.png": "binary",
    "dump.json": "too large",
}


def test_lines_come_numbered_with_source_and_revision_and_without_carriage_returns() -> None:
    result = read_file(fake_scope(FILES), "src/app.py")
    assert result.text.split("\n") == [
        "src/app.py in shop @ aaaaaaaaaaaa, 4 lines",
        "1  import os",
        "2  ",
        "3  def run():",
        "4      pass",
    ]
    (span,) = result.evidence
    assert (span.path, span.start_line, span.end_line) == ("src/app.py", 1, 4)
    assert span.digest == span_digest(["import os", "", "def run():", "    pass"])
    assert result.cut == ""


def test_a_range_is_read_and_an_end_past_the_file_is_the_file_end() -> None:
    result = read_file(fake_scope(FILES), "src/app.py", 3, 3)
    assert result.data.lines == ("def run():",)
    assert (result.data.start_line, result.data.end_line, result.data.total_lines) == (3, 3, 4)
    late = read_file(fake_scope(FILES), "src/app.py", 4, 90)
    assert late.data.lines == ("    pass",)
    assert "(the file ends at line 4)" in late.text


@pytest.mark.parametrize(("start", "end"), [(5, None), (0, None), (-3, 2), (3, 2), (9, 12)])
def test_lines_out_of_range_are_refused_with_the_real_line_count(
    start: int, end: int | None
) -> None:
    with pytest.raises(InputError, match="4 lines"):
        read_file(fake_scope(FILES), "src/app.py", start, end)


def test_a_long_file_comes_in_parts_and_each_says_where_the_next_begins() -> None:
    scope = fake_scope({"a.py": "".join(f"line {n}\n" for n in range(1, 1_001))})
    seen: list[str] = []
    start: int | None = 1
    while start is not None:
        part = read_file(scope, "a.py", start)
        assert len(part.data.lines) <= MAX_LINES
        seen += part.data.lines
        start = part.data.end_line + 1 if part.cut else None
        assert not part.cut or f"start_line={start}" in part.text
    assert seen == [f"line {n}" for n in range(1, 1_001)]


def test_a_very_long_line_is_cut_and_says_by_how_much() -> None:
    result = read_file(fake_scope({"a.py": "x" * 100_000 + "\n"}), "a.py")
    assert "[+99,000 characters]" in result.text
    assert len(result.data.lines[0]) == MAX_WIDTH


def test_an_empty_file_is_said_to_be_empty() -> None:
    result = read_file(fake_scope(FILES), "empty.py")
    assert "is empty" in result.text
    assert result.evidence == ()


def test_the_place_of_a_redaction_is_visible() -> None:
    result = read_file(fake_scope({"a.py": "key = [REDACTED:aws]\n"}), "a.py")
    assert "1 secret in this file" in result.text
    assert result.data.redactions == 1


@pytest.mark.parametrize("path", ["./src/app.py", "src\\app.py", " src/./app.py ", "src//app.py"])
def test_a_path_in_another_spelling_is_the_same_path(path: str) -> None:
    assert read_file(fake_scope(FILES), path).data.path == "src/app.py"


def test_a_backslash_that_belongs_to_the_name_is_kept() -> None:
    assert read_file(fake_scope(FILES), "odd\\name.txt").data.lines == ("odd",)


@pytest.mark.parametrize(
    ("path", "kind", "said"),
    [
        ("../../etc/passwd", ForbiddenError, ".."),
        ("src/../../x", ForbiddenError, ".."),
        ("src\\..\\..\\x", ForbiddenError, ".."),
        ("/etc/passwd", ForbiddenError, "absolute"),
        ("C:\\Windows\\x", ForbiddenError, "absolute"),
        ("\\\\host\\share", ForbiddenError, "absolute"),
        ("file:///etc/passwd", ForbiddenError, "absolute"),
        ("~/.ssh/id_rsa", ForbiddenError, "absolute"),
        ("~root/x", ForbiddenError, "absolute"),
        ("src/a\x00.py", ForbiddenError, "control character"),
        ("src/a\nb.py", ForbiddenError, "control character"),
        ("--output=/tmp/x", ForbiddenError, "option"),
        ("-x", ForbiddenError, "option"),
        (".env", ForbiddenError, "deny-list"),
        ("./.env", ForbiddenError, "deny-list"),
        ("link", ForbiddenError, "symbolic link"),
        ("vendor/lib", NotFoundError, "submodule"),
        ("logo.png", NotFoundError, "binary"),
        ("dump.json", NotFoundError, "too large"),
        ("", InputError, "characters"),
        ("   ", InputError, "characters"),
        ("x/" * 3_000, InputError, "4,096"),
        (".", NotFoundError, "no file"),
        ("src", NotFoundError, 'list_files(glob="src/**")'),
        ("src/", NotFoundError, 'list_files(glob="src/**")'),
    ],
)
def test_what_is_out_of_bounds_is_refused_with_its_reason(
    path: str, kind: type[ClewError], said: str
) -> None:
    with pytest.raises(kind) as error:
        read_file(fake_scope(FILES, SKIPPED), path)
    assert said in error.value.message
    assert type(error.value) is kind
    assert len(error.value.message) < 1_000


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("app.py", "did you mean src/app.py?"),
        ("shop/src/app.py", "did you mean src/app.py?"),
        ("lib/utils.py", "did you mean src/deep/er/utils.py?"),
        ("SRC/App.py", "did you mean src/app.py?"),
        ("src/apps.py", "did you mean src/app.py?"),
        ("readme", "did you mean README?"),
        ("src/app.py:3-4", 'use path="src/app.py", start_line=3, end_line=4'),
        ("src/app.py#L3", 'use path="src/app.py", start_line=3, end_line=3'),
        ("zzz/qqq.xyz", "list_files shows what there is"),
    ],
)
def test_a_wrong_path_is_answered_with_the_right_one(path: str, said: str) -> None:
    with pytest.raises(NotFoundError) as error:
        read_file(fake_scope(FILES), path)
    assert said in error.value.message


def test_a_path_in_two_sources_asks_which() -> None:
    scope = two_sources({"app.py": "a\n", "only.py": "o\n"}, {"app.py": "b\n"})
    with pytest.raises(InputError, match='source="shop" or "bank"'):
        read_file(scope, "app.py")
    assert read_file(scope, "app.py", source="bank").data.lines == ("b",)
    assert read_file(scope, "only.py").data.source == "shop"


def test_a_path_as_results_of_several_sources_write_it_is_read_back() -> None:
    scope = two_sources({"app.py": "a\n"}, {"app.py": "b\n"})
    result = read_file(scope, "bank:app.py")
    assert result.data.lines == ("b",)
    assert result.text.startswith("bank:app.py in bank @ ")
    with pytest.raises(ForbiddenError):
        read_file(scope, "bank:/etc/passwd")


class DenyAll:
    def match(self, path: str) -> str | None:
        return "*"


def test_a_deny_list_that_grew_after_indexing_still_hides() -> None:
    with pytest.raises(ForbiddenError, match="deny-list"):
        read_file(fake_scope(FILES, deny=DenyAll()), "src/app.py")
