"""The line that Clew names is the line that git and an editor show (C2).

`git blame` is the judge: it numbers lines as git does, and so do editors.
"""

from __future__ import annotations

import asyncio

import pytest

from clew.errors import InputError
from support.asking import ask

BODY = [
    "# first line",
    "",
    "LIMIT = 5",
    "",
    "",
    "def moor_zeppelin(mast):",
    '    """Moors a zeppelin to its mast."""',
    "    return mast.tie(LIMIT)",
    "",
    "",
    "def last_one(mast):",
    "    return mast",
]
LONG = "LONG = '" + "ab " * 33_333 + "'"


def joined(end: str = "\n", final: bool = True, body: list[str] | None = None) -> str:
    return end.join(body or BODY) + (end if final else "")


FILES = {
    "plain": joined().encode(),
    "crlf": joined("\r\n").encode(),
    "mixed ends": ("\r\n".join(BODY[:4]) + "\n" + "\n".join(BODY[4:]) + "\n").encode(),
    "no final newline": joined(final=False).encode(),
    "crlf without a final one": joined("\r\n", final=False).encode(),
    "byte-order mark": b"\xef\xbb\xbf" + joined().encode(),
    "byte-order mark and crlf": b"\xef\xbb\xbf" + joined("\r\n").encode(),
    "form feeds": joined().replace("# first line", "# first\f line\f").encode(),
    "vertical tabs": joined().replace("# first line", "# first\v line\v").encode(),
    "line separators": joined().replace("# first line", "# a\u2028b\u2029c\x85d").encode(),
    "separators in a string": joined().replace("LIMIT = 5", "LIMIT = 5  # \x1c\x1d\x1e").encode(),
    "a lone carriage return": joined().replace("# first line", "# first\rline").encode(),
    "tabs": joined().replace("    ", "\t").encode(),
    "latin-1": joined().replace("first", "première").encode("latin-1"),
    "emoji": joined().replace("first", "🎈🎈").encode(),
    "empty lines first": b"\n\n\n" + joined().encode(),
    "a very long line": joined(body=[LONG, *BODY[1:]]).encode(),
    "a very long line with crlf": joined("\r\n", body=[LONG, *BODY[1:]]).encode(),
    "empty lines last": joined().encode() + b"\n\n\n",
}


def shown_lines(clew, repo, path, start=None, end=None):
    async def main():
        with await clew.open([str(repo.path)], lambda _: None) as workspace:
            return await clew.show(workspace, path, start, end)

    return asyncio.run(main())


@pytest.mark.parametrize("kind", FILES)
def test_an_answer_names_the_line_that_git_blame_shows(git_repo, make_clew, kind):
    repo = git_repo({"ship/mast.py": FILES[kind]})
    clew = make_clew()
    answer = ask(clew, "where is moor_zeppelin defined?", repo.path)
    assert answer.outcome == "answered"
    (citation, *_) = [c for c in answer.citations if c.path == "ship/mast.py"]
    blamed = repo.git("blame", "-s", "--", "ship/mast.py").split("\n")
    assert "def moor_zeppelin(mast):" in blamed[citation.start_line - 1]
    shown = shown_lines(clew, repo, "ship/mast.py")
    assert shown.lines[citation.start_line - 1] == "def moor_zeppelin(mast):"
    assert shown.end_line == len(shown.lines) == len(blamed)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_utf16_file_is_numbered_as_an_editor_numbers_it(git_repo, make_clew, encoding, end):
    """To git its lines are no text; the editor that wrote it counts them decoded."""
    mark = b"\xff\xfe" if encoding == "utf-16-le" else b"\xfe\xff"
    repo = git_repo({"ship/mast.py": mark + joined(end).encode(encoding)})
    clew = make_clew()
    answer = ask(clew, "where is moor_zeppelin defined?", repo.path)
    (citation, *_) = answer.citations
    assert citation.start_line == BODY.index("def moor_zeppelin(mast):") + 1
    shown = shown_lines(clew, repo, "ship/mast.py", citation.start_line, citation.start_line)
    assert shown.lines == ("def moor_zeppelin(mast):",)


@pytest.mark.parametrize(("start", "end"), [(0, 1), (1, 13), (13, 13), (-1, 2)])
def test_lines_that_are_not_there_are_refused_with_how_many_there_are(
    git_repo, make_clew, start, end
):
    repo = git_repo({"ship/mast.py": FILES["plain"]})
    with pytest.raises(InputError, match="12"):
        shown_lines(make_clew(), repo, "ship/mast.py", start, end)
