"""Tells whether a run of characters in an answer's text is meant as a path, and which lines.

Rules of spelling only: a word counts as a path when it is spelled like one, or when it is spelled
like something that may be one and `known` says that the scope holds it. Nothing here reads a
source, and every pattern is linear in what it is given.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias
from urllib.parse import unquote

from clew.verify import words

Known: TypeAlias = Callable[[str], bool]
Range: TypeAlias = tuple[int, int]
# How lines are written: `:10-20` and `#L10-L20` keep or need their "L", "lines 10-20" its word.
LineForm: TypeAlias = Literal["", "L", "words"]

# A run that may be a path. A bracket belongs to it only where route files have one
# (`app/[id]/page.tsx`, `app/(group)/page.tsx`); a colon only after a drive letter.
TOKEN = re.compile(
    r"(?:(?<!\w)[A-Za-z]:(?=[\\/]))?"
    r"(?:[\w./\\@+~$%-]|(?<=/)\[[\w.-]{1,40}\](?=[/.])|(?<=/)\([\w-]{1,40}\)(?=/))+"
)
_SEPARATOR = re.compile(r"[\\/]")
_ENDING = re.compile(r"\.([A-Za-z][A-Za-z0-9_+-]{0,14})$")
_PLAUSIBLE_ENDING = re.compile(r"[a-z][a-z0-9]{0,5}$")
_WINDOWS = re.compile(r"(?:[A-Za-z]:[\\/])?(?:[^\\/$+]+[\\/])+[^\\/.$+][^\\/$+]*$")

_N = r"L?[0-9]{1,40}"
_DASH = r"(?:[-–—]|\.\.)"
_LINE_WORD = (
    r"(?:[Ll]ines?|[Ll]ns?\.?|[Zz]eilen?|[Ll]ignes?|[Ll][ií]neas?|[Ll]inhas?|[Rr]ig[ah]e?"
    r"|[Сс]трок\w{0,2}|第)"
)
# `:12`, `:12-40`, `:L10-L20`, `:12:5` (a column), `:1-3,7-9`; not `:12abc`, `:1.2`, `:8-jre`.
_COLON = re.compile(
    rf"[:：]({_N}(?:{_DASH}{_N})?(?:, ?{_N}{_DASH}{_N}|,{_N})*)(?::[0-9]{{1,6}}|ff?|\+)?"
    rf"(?![^\W_]|\.[0-9]|[-–—][^\W_])"
)
_HASH = re.compile(
    rf"#(L[0-9]{{1,40}}(?:C[0-9]{{1,6}})?(?:{_DASH}{_N}(?:C[0-9]{{1,6}})?)?)(?![^\W_])"
)
_CLOSERS = r"[`*_\"'”’)\]]{0,4}"
_OUTER_COLON = re.compile(_CLOSERS + _COLON.pattern)
_AFTER = re.compile(
    rf"{_CLOSERS}[,:]?\s{{0,2}}[(\[]?(?:(?:at|on|in|around|near)\s)?(?<![\w`])"
    rf"(?P<lines>(?:{_LINE_WORD}\s?|L(?=[0-9])){_N}"
    rf"(?:\s?(?:{_DASH}|to|through|and|,)\s?{_N}){{0,4}})(?![^\W行]|\.[0-9])[)\]]?"
)
# "line 12 of `x.py`", "lines 12-40 (x.py)", and the `12:40:x.py` that some editors write.
BEFORE = re.compile(
    rf"\b(?P<lines>(?:{_LINE_WORD}\s|L(?=[0-9])){_N}"
    rf"(?:\s?(?:{_DASH}|to|through|and)\s?{_N})?)"
    r"\s(?:(?:of|in|from)\s(?:the\s)?(?:file\s)?|(?=\())[`*_\"'“‘\[(]{0,4}(?=[\w./\\~@])"
    r"|(?<![\w:])(?P<span>[0-9]{1,9}:[0-9]{1,9}):(?=[\w./])"
)
_RANGE = re.compile(
    rf"L?([0-9]{{1,40}})(?:C[0-9]+)?(?:\s?(?:{_DASH}|to|through|:)\s?L?([0-9]{{1,40}})(?:C[0-9]+)?)?"
)


@dataclass(frozen=True, slots=True)
class LinesAt:
    """Line ranges as written at `start:end`; the whole mention ends at `stop`."""

    ranges: tuple[Range, ...]
    start: int
    end: int
    stop: int
    form: LineForm


def lines_after(text: str, at: int) -> LinesAt | None:
    """The lines that are written right after a path that ends at `at`."""
    for pattern, form in ((_COLON, ""), (_HASH, "L"), (_OUTER_COLON, "")):
        if found := pattern.match(text, at):
            written = found[1]
            shape: LineForm = "L" if form == "L" or written.startswith("L") else ""
            return LinesAt(_ranges(written), found.start(1), found.end(1), found.end(), shape)
    if found := _AFTER.match(text, at):
        start, end = found.span("lines")
        return LinesAt(_ranges(found["lines"]), start, end, _balanced(text, at, found), "words")
    return None


def lines_before(found: re.Match[str]) -> LinesAt:
    """The lines of a match of `BEFORE`."""
    group = "lines" if found["lines"] else "span"
    form: LineForm = "words" if group == "lines" else ""
    return LinesAt(_ranges(found[group]), *found.span(group), found.end(), form)


def write_lines(ranges: tuple[Range, ...], form: LineForm) -> str:
    """Line ranges in the form that the text used."""
    mark = "L" if form == "L" else ""
    parts = [f"{mark}{a}" if a == b else f"{mark}{a}-{mark}{b}" for a, b in ranges]
    if form != "words":
        return ",".join(parts)
    single = len(ranges) == 1 and ranges[0][0] == ranges[0][1]
    return f"{'line' if single else 'lines'} {', '.join(parts)}"


def _balanced(text: str, at: int, found: re.Match[str]) -> int:
    """The end of "(lines 1-2)" with its bracket, and of "x.py, line 2)" without somebody else's."""
    whole = text[at : found.end()]
    ours = whole[-1] not in ")]" or any(c in "([" for c in whole)
    return found.end() if ours else found.end() - 1


def _ranges(written: str) -> tuple[Range, ...]:
    pairs = [(int(m[1]), int(m[2] or m[1])) for m in _RANGE.finditer(written)]
    return tuple(dict.fromkeys(pairs))


# --- paths -----------------------------------------------------------------------------------


def normal(path: str) -> str:
    r"""A path as git spells it: `.\a\b.py`, `./a/b.py` and `a/x/../b.py` become `a/b.py`.

    A path that climbs out of its root keeps its `..`, so that it is found nowhere.
    """
    path = path.replace("\\_", "_") if "\\_" in path else path  # Markdown's own escape
    path = path.replace("\\", "/")
    folder = path.endswith("/")
    path = posixpath.normpath(path)
    return path + "/" if folder and path not in ("/", ".") else path


def from_link(target: str) -> str:
    """A Markdown link's target as a path: percent-decoded."""
    return unquote(target) if "%" in target else target


@dataclass(frozen=True, slots=True)
class Run:
    """A candidate as it stands in the text.

    Attributes:
        raw: The characters themselves, closing punctuation taken off.
        lined: Line numbers are attached.
        code: It stands in backticks, a code block or a link's target.
        called: An opening bracket follows, as in `response.json(`.
    """

    raw: str
    lined: bool
    code: bool
    called: bool


def is_path(run: Run, known: Known) -> bool:
    """Whether the run is meant as a path."""
    if not any(c.isalpha() for c in run.raw):
        return False
    path = normal(run.raw)
    if run.raw.startswith(("~", "$", "%", "@")):  # a home, a variable, a package
        return known(path)
    if run.called and not run.lined and "/" not in path:
        return False
    if "\\" in run.raw.replace("\\_", "_") and not _WINDOWS.match(run.raw):
        return False  # an escape or a regular expression
    if "/" not in path:
        return _is_file_name(path, run, known)
    if _is_elsewhere(path) or (path.startswith(words.SYSTEM_FOLDERS) and not run.lined):
        return known(path)
    return _is_below_folder(path, run, known)


# Beside these stands the rest of a template, an address or something left out.
_MORE_BEFORE = frozenset("{}?&…")
_MORE_AFTER = frozenset("{…")
_EMPHASIS_REACH = 300  # characters in which the other end of *emphasis* is looked for


def is_part(text: str, start: int, end: int, code: bool) -> bool:
    """Whether a run is a part of something bigger: `src/*.py`, `a/{b,c}.ts`, `x/<name>.go`."""
    raw, before, after = text[start:end], text[start - 1 : start], text[end : end + 1]
    if (before and before in _MORE_BEFORE) or (after and after in _MORE_AFTER):
        return True
    if (before == ">" and raw[0] in "/.-_") or (after == "<" and raw[-1] in "/.-_"):
        return True
    return (before == "*" or after == "*") and (code or _is_starred(text, start, end))


def _is_starred(text: str, start: int, end: int) -> bool:
    """Whether the stars beside a run are a glob's and not Markdown's."""
    left = text[max(start - 4, 0) : start]
    left = left[len(left.rstrip("*")) :]
    right = text[end : end + 4]
    right = right[: len(right) - len(right.lstrip("*"))]
    if left and right:
        return left != right
    if left:
        line = text[end : end + _EMPHASIS_REACH].split("\n", 1)[0]
        bare = text[start] == "/" or (
            text[start] == "." and text[start + 1 : start + 2] not in ("/", "\\", ".")
        )
        return (bare and left != "**") or left not in line
    line = text[max(start - _EMPHASIS_REACH, 0) : start].rsplit("\n", 1)[-1]
    return text[end - 1] in "./" or right not in line


_UNDERSCORED = re.compile(r"(_{1,3})([^_].*\.\w*[A-Za-z0-9])\1")
_TRAILING = ".-,%$~"


def core(raw: str) -> tuple[int, int]:
    """Where the path lies inside a run: without closing punctuation and Markdown's underscores."""
    start = len(raw) - len(raw.lstrip("-"))
    end = len(raw) if raw.endswith("...") else len(raw.rstrip(_TRAILING))
    if found := _UNDERSCORED.fullmatch(raw, start, end):
        return found.span(2)
    return start, max(end, start)


def _is_file_name(name: str, run: Run, known: Known) -> bool:
    """A name without a folder: `worker.py`, `Dockerfile`, `.env`; not `os.path`, `Node.js`."""
    lower = name.lower()
    if lower in words.PRODUCTS or lower in (".", ".."):
        return known(name)
    if lower in words.BARE_FILES:
        return run.code or run.lined or lower.startswith(".") or known(name)
    stem, dot, ending = lower.rpartition(".")
    if not dot:
        return run.lined and known(
            name
        )  # a plain word, unless it is a file that lines are given of
    if not _ENDING.search(lower):
        return known(name)
    if run.lined:
        return bool(stem) and (ending not in words.DOMAINS or ending == "rs" or known(name))
    if ending == "lock":
        return lower in words.LOCK_FILES or known(name)
    spelled = ending in words.EXTENSIONS and stem not in words.OBJECTS and _is_stem(stem, name)
    return spelled or known(name)


def may_end_path(raw: str) -> bool:
    """Whether a word ends as files do; else its neighbours are not tried as parts of a path."""
    return _ENDING.search(raw) is not None


def _is_stem(stem: str, name: str) -> bool:
    """Not a version (`3.x`), an abbreviation (`Ph.D`) or an attribute chain (`a.b.c`)."""
    if not any(c.isalpha() for c in stem.removeprefix("v")):
        return False
    if len(name) - len(stem) > 2:  # an ending of several letters
        return True
    return "." not in stem and len(stem) > 1 and not name.endswith("D")


def _is_elsewhere(path: str) -> bool:
    """Spelled like a path, but of another world: a host, a media type, a placeholder, `a/.../b`."""
    first = path.split("/", 1)[0].lower()
    host = "." in first[1:] and first.rpartition(".")[2] in words.DOMAINS
    dots = "..." in path
    media = first in words.MEDIA_TYPES and path.count("/") == 1 and not _code_ending(path)
    return host or dots or media or path.lower().startswith(words.PLACEHOLDERS)


def _code_ending(path: str) -> str:
    found = _ENDING.search(path.rsplit("/", 1)[-1])
    ending = found[1].lower() if found else ""
    return ending if ending in words.EXTENSIONS or ending in words.FOLDER_EXTENSIONS else ""


def _is_below_folder(path: str, run: Run, known: Known) -> bool:
    """A name with a folder: `a/b.py`, `bin/run:3`; not `and/or`, `/api/users`, `origin/main`."""
    last = path.rsplit("/", 1)[-1].lower()
    if run.lined:
        return bool(last)
    ending = _code_ending(path)
    if ending and path.startswith("/") and ending in words.SERVED:
        return known(path)
    if ending or last in words.BARE_FILES:
        return True
    found = _ENDING.search(last)
    if found and run.code and not path.startswith("/") and _PLAUSIBLE_ENDING.match(found[1]):
        return True
    return known(path)
