"""Finds what an answer's text claims to exist: paths with lines, names, quotations, numbers.

It reads the text only; whether a claim is true is `citations.py`'s business. A word that may be a
path or not is decided by `known`, so that "and/or" is no path and `bin/run` is one where it exists.
Every pass is linear in the text.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clew.verify import layout as marks
from clew.verify import words
from clew.verify.layout import Layout, layout
from clew.verify.pathlike import (
    BEFORE,
    TOKEN,
    Known,
    LineForm,
    Range,
    Run,
    core,
    from_link,
    is_part,
    is_path,
    lines_after,
    lines_before,
    may_end_path,
    normal,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator


@dataclass(frozen=True, slots=True)
class PathClaim:
    """A path that the text mentions.

    Attributes:
        start: Where the mention starts, source prefix and lines included.
        end: Where it ends.
        path: As git would spell it.
        source: The source's name in front of it, "" when none stands there.
        lines: The ranges as written, not yet checked; empty without line numbers.
        path_at: Where the path itself stands.
        lines_at: Where the ranges stand, None without.
        form: How the ranges are written.
    """

    start: int
    end: int
    path: str
    source: str
    lines: tuple[Range, ...]
    path_at: tuple[int, int]
    lines_at: tuple[int, int] | None
    form: LineForm


@dataclass(frozen=True, slots=True)
class NameClaim:
    """A name that the text says is in the code, such as `Worker.retry`, without brackets."""

    start: int
    end: int
    name: str


@dataclass(frozen=True, slots=True)
class QuoteClaim:
    """Words that the text says stand in the code; `code` when they are in backticks too."""

    start: int
    end: int
    text: str
    code: bool


@dataclass(frozen=True, slots=True)
class NumberClaim:
    """A citation by number ("[7]", "source 7"): Clew numbers nothing, so it leads nowhere."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Claims:
    """Everything a text claims, each kind in the order of the text."""

    paths: tuple[PathClaim, ...]
    names: tuple[NameClaim, ...]
    quotes: tuple[QuoteClaim, ...]
    numbers: tuple[NumberClaim, ...]
    layout: Layout


def unknown(_path: str) -> bool:
    """The `known` of a scope that holds nothing."""
    return False


def extract(
    text: str, *, known: Known = unknown, sources: Collection[str] = (), block: bool = False
) -> Claims:
    """What a text claims.

    Args:
        text: Markdown, whole or a part of it.
        known: Whether the scope holds a file or folder that a spelling may mean.
        sources: The names that may stand before a path, as in `billing:src/x.py:3`.
        block: All of the text is a piece of a code block.
    """
    where = layout(text, block=block)
    paths = tuple(_Paths(text, where, known, sources).find())
    rest = _blanked(text, paths)
    quotes = tuple(_quotes(rest, where))
    names = tuple(_names(_blanked(rest, [q for q in quotes if not q.code]), where))
    return Claims(paths, names, quotes, tuple(_numbers(text, where)), where)


def _blanked(text: str, claims: Collection[PathClaim | QuoteClaim]) -> str:
    """The text with claims replaced by spaces, so that nothing is found twice."""
    pieces: list[str] = []
    done = 0
    for claim in sorted(claims, key=lambda c: c.start):
        start = max(claim.start, done)
        end = max(claim.end, start)
        pieces += (text[done:start], " " * (end - start))
        done = end
    return "".join([*pieces, text[done:]])


# --- paths -----------------------------------------------------------------------------------

_SPACED_WORDS = 6  # how many words may stand before the last one of a path with spaces
_LONGEST = 1_000  # characters of a path with spaces that is looked up whole
_WORD_BEFORE = re.compile(r"[^\s`\"'“”‘’<>|,;()\[\]]{1,200} $")
_WITH_LINES = re.compile(r"[:#][L0-9,–-]+$")
_SOURCE_NAME = re.compile(r"[A-Za-z][\w./-]{1,100}")
# Words before a colon that announce a path and name no source.
_ANNOUNCING = frozenset(
    ["at", "file", "files", "from", "in", "module", "note", "path", "see", "source"]
)


class _Paths:
    """One pass over a text for paths."""

    def __init__(self, text: str, where: Layout, known: Known, sources: Collection[str]) -> None:
        self.text = text
        self.where = where
        self.known = known
        self.sources = sorted(sources, key=len, reverse=True)
        self.led = {m.end(): m for m in BEFORE.finditer(text)}
        self.asked = -1  # the start of the last code span that was looked up whole

    def find(self) -> Iterator[PathClaim]:
        done = 0
        for found in TOKEN.finditer(self.text):
            kind = self.where.kinds[found.start()]
            if found.start() < done:
                continue
            claim = self._odd(found.start())
            if claim is None and kind != marks.ADDRESS:
                claim = self._target(found) if kind == marks.TARGET else self._run(found)
            if claim is not None:
                yield claim
                done = claim.end

    def _target(self, found: re.Match[str]) -> PathClaim | None:
        """A link's target: all of it is one candidate, with its spaces and percent signs."""
        place = bisect_right(self.where.targets, (found.start(), len(self.text) + 1)) - 1
        start, end = self.where.targets[place]
        if found.start() != start:
            return None
        written = self.text[start:end]
        stop = re.search(r"[#?]|:L?[0-9][L0-9,-]*$", written)
        end = start + stop.start() if stop else end
        return self._claim(start, end, from_link(self.text[start:end]), code=True)

    def _run(self, found: re.Match[str]) -> PathClaim | None:
        code = self.where.kinds[found.start()] in (marks.CODE, marks.BLOCK)
        if not code and found[0].isalnum() and self._is_plain(found):
            return None
        if is_part(self.text, *found.span(), code) or self._is_prefix(found):
            return None
        left, right = core(found[0])
        start, end = found.start() + left, found.start() + right
        if left == right:
            return None
        if not code:
            start += self._emphasis(start, end)
            start = self._widened(start, end) if may_end_path(self.text[start:end]) else start
        return self._claim(start, end, self.text[start:end], code=code)

    def _is_plain(self, found: re.Match[str]) -> bool:
        """Whether it is a word like most others: asked first, because most are."""
        lined = self.text[found.end() : found.end() + 1] in (":", "#")
        return not lined and found[0].lower() not in words.BARE_FILES

    def _is_prefix(self, found: re.Match[str]) -> bool:
        """Whether the run is a source's name in front of a path."""
        after = self.text[found.end() : found.end() + 2]
        return found[0] in self.sources and re.match(r":[^\s0-9]", after) is not None

    def _odd(self, at: int) -> PathClaim | None:
        """A path that fills the code span at `at` and has signs that no usual one has.

        What stands in backticks is looked up as it is, so that spaces, quotes, brackets or a
        leading "-" in a file's name don't make it another's or nobody's.
        """
        span = self.where.code_at(at)
        if span is None or span[0] == self.asked:
            return None
        self.asked = span[0]
        start = self._behind_source(span[0])
        written = self.text[start : span[1]].rstrip(" ")
        lines = _WITH_LINES.search(written)
        for content in (written, written[: lines.start()] if lines else ""):
            usual = TOKEN.fullmatch(content) is not None and core(content) == (0, len(content))
            if (
                not content
                or len(content) > _LONGEST
                or (usual and not re.search(r"[\\@]", content))
            ):
                continue
            if path := next(filter(self.known, (content, normal(content))), None):
                return self._made(start, start + len(content), path)
        return None

    def _behind_source(self, start: int) -> int:
        """Where a span's path begins when a source's name may stand before it."""
        start += self.text.startswith(" ", start)  # one space is no part of a span's content
        for name in self.sources:
            if self.text.startswith(name + ":", start):
                return start + len(name) + 1
        return start

    def _emphasis(self, start: int, end: int) -> int:
        """How many underscores open an emphasis that is closed after the lines: `__x.py:12__`."""
        opened = re.compile("_{0,3}").match(self.text, start, end)
        if opened is None or not opened[0]:
            return 0
        lines = lines_after(self.text, end)
        closed = lines is not None and self.text.startswith(opened[0], lines.stop)
        return len(opened[0]) if closed else 0

    def _widened(self, start: int, end: int) -> int:
        """The start of the longest known path with spaces that ends here, else `start`."""
        best = at = start
        for _ in range(_SPACED_WORDS):
            word = _WORD_BEFORE.search(self.text, max(at - 201, 0), at)
            if word is None:
                break
            at = word.start()
            if self.known(normal(self.text[at:end])):
                best = at
        return best

    def _claim(self, start: int, end: int, raw: str, *, code: bool) -> PathClaim | None:
        """The claim that `raw`, at `start:end`, makes if it is a path."""
        first, _ = self._source(start)
        led = self.led.get(first)
        lines = lines_after(self.text, end) or (lines_before(led) if led else None)
        # "client/server, line 5" binds its number to words; `bin/run:5` means a file.
        named = code or raw.lower() in words.BARE_FILES
        lined = lines is not None and (lines.form != "words" or named)
        run = Run(raw, lined, code, self.text[end : end + 1] == "(")
        if not (self.known(normal(raw)) if " " in raw else is_path(run, self.known)):
            return None
        return self._made(start, end, normal(raw))

    def _made(self, start: int, end: int, path: str) -> PathClaim:
        """The claim of a path, with its source and its lines."""
        first, source = self._source(start)
        led = self.led.get(first)
        lines = lines_after(self.text, end) or (lines_before(led) if led else None)
        if not source and lines is not None:
            first, source = self._stranger(start)
        return PathClaim(
            start=min(first, led.start()) if led else first,
            end=max(end, lines.stop) if lines else end,
            path=path,
            source=source,
            lines=lines.ranges if lines else (),
            path_at=(start, end),
            lines_at=(lines.start, lines.end) if lines else None,
            form=lines.form if lines else "",
        )

    def _source(self, start: int) -> tuple[int, str]:
        """The source's name in front of a path, and where it starts."""
        if self.text[start - 1 : start] == ":":
            for name in self.sources:
                first = start - len(name) - 1
                if (
                    first >= 0
                    and self.text.startswith(name, first)
                    and not (first and re.match(r"[\w./@-]", self.text[first - 1]))
                ):
                    return first, name
        return start, ""

    def _stranger(self, start: int) -> tuple[int, str]:
        """A prefix in backticks that is spelled like a source's name and is none."""
        span = self.where.code_at(start)
        if span is None or self.text[start - 1] != ":":
            return start, ""
        name = self.text[span[0] : start - 1]
        named = _SOURCE_NAME.fullmatch(name) and name.lower() not in _ANNOUNCING
        return (span[0], name) if named else (start, "")


# --- names -----------------------------------------------------------------------------------

_JOINT = r"(?:\.|::|->|#)"
_IDENTIFIER = re.compile(rf"[$@]?[^\W\d]\w*[?!]?(?:{_JOINT}[^\W\d]\w*[?!]?)*")
# What may follow a name in backticks that is nothing but that name: a call, type arguments.
_TAIL = re.compile(r"(?:<[^<>]{0,80}>|\[[^\[\]]{0,80}\])?(?:\([^()]{0,200}\))?;?")
_CALL = re.compile(r"\(\)")


def _names(text: str, where: Layout) -> Iterator[NameClaim]:
    """Names in backticks, and in prose those that no ordinary word is spelled like."""
    for found in _IDENTIFIER.finditer(text):
        start, end = found.span()
        kind = where.kinds[start]
        if kind not in (marks.PROSE, marks.CODE) or _inside(text, start, end):
            continue
        name = found[0]
        lower = name.lower()
        if name in words.PROPER_NAMES or lower in words.PLAIN_WORDS or lower in words.TOOLS:
            continue
        span = where.code_at(start) if kind == marks.CODE else None
        alone = span is not None and span[0] == start and _TAIL.fullmatch(text, end, span[1])
        called = _CALL.match(text, end) is not None
        if alone or called or _looks_coded(name, kind == marks.CODE):
            yield NameClaim(start, end, name.rstrip("?!") if kind == marks.PROSE else name)


def _inside(text: str, start: int, end: int) -> bool:
    """Whether it is a piece of a longer word, route, option or number."""
    before, after = text[start - 1 : start], text[end : end + 1]
    return bool(before and before in "-/\\.:$@%&") or bool(after and after in "-/\\@")


def _looks_coded(name: str, code: bool) -> bool:
    """snake_case, CamelCase, camelCase, `Foo::bar`; `os.path` only in backticks."""
    if "::" in name or "->" in name:
        return True
    parts = re.split(r"[.#]", name)
    if any(part in words.PROPER_NAMES for part in parts):
        return False
    return any(map(_is_coded, parts)) or (code and len(parts) > 1)


def _is_coded(part: str) -> bool:
    inner = part.strip("_?!$@")
    if "_" in inner:
        return True
    humps = any(a.islower() and b.isupper() for a, b in itertools.pairwise(inner))
    return humps and len(inner) > 3


# --- quotations and numbers ------------------------------------------------------------------

_QUOTE = re.compile(r"\"([^\"\n`]{2,400})\"|“([^“”\n`]{2,400})”")
_CODE_QUOTE = re.compile(r"\"([^\"\n]{2,400})\"|'([^'\n]{2,400})'")
# Not "defaults to [1]": a list's value is no citation.
_NUMBER = re.compile(
    r"(?<![\w\])`=])(?<!\bto )(?<!\bis )(?<!\bof )(?<!\bas )(?<!\breturns )(?<!\bby )(?<!\bat )"
    r"\[\^?[1-9][0-9]{0,2}(?:, ?[1-9][0-9]{0,2}){0,9}\](?![\[(:])|【[^【】\n]{1,40}】"
    r"|\b[Ss]ources?:? (?:no\. |number |#)?[0-9]{1,3}\b(?!\.[0-9])"
)


def _quotes(text: str, where: Layout) -> Iterator[QuoteClaim]:
    for start, end in where.code:
        if start < end and where.kinds[start] == marks.CODE:
            for found in _CODE_QUOTE.finditer(text, start, end):
                if words_in := (found[1] or found[2]).strip():
                    yield QuoteClaim(*found.span(), words_in, code=True)
    for found in _QUOTE.finditer(text):
        prose = where.kinds[found.start()] == marks.PROSE == where.kinds[found.end() - 1]
        if prose and (words_in := (found[1] or found[2]).strip(" ,.;")):
            yield QuoteClaim(*found.span(), words_in, code=False)


def _numbers(text: str, where: Layout) -> Iterator[NumberClaim]:
    for found in _NUMBER.finditer(text):
        if where.kinds[found.start()] == marks.PROSE:
            yield NumberClaim(*found.span())
