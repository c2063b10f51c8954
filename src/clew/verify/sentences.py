"""Cuts Markdown that arrives in pieces into units that can be checked and shown one by one.

A unit is a blank line, a heading, a whole table, list item or code block, or one sentence of a
paragraph. Where a unit ends depends on the text alone and never on how it was cut into pieces: an
end is decided only when no later character could change it. The units joined are the text.

Limits: a unit is at most LIMIT characters and AHEAD more are kept to decide its end, so a splitter
holds at most LIMIT + AHEAD characters and the last piece it was given. A longer unit is cut at a
line's end (in a block or a table) or at a space, and within a word only if it fills half the limit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from clew.verify import words
from clew.verify.claims import extract

Kind: TypeAlias = Literal["blank", "heading", "block", "item", "table", "text"]
# Moves a forced cut so that it does not fall inside a secret: (text, cut) -> cut > 0.
Shift: TypeAlias = Callable[[str, int], int]

LIMIT = 16_384
AHEAD = 1_024


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of Markdown; a code block longer than the limit comes as several units."""

    kind: Kind
    text: str


# --- lines -----------------------------------------------------------------------------------

_BLANK = re.compile(r"[ \t]*(?:\n|\Z)")
_INDENT = re.compile(r"[ \t>]*")
_FIRST_RUN = re.compile(r"\S{1,40}")
_FENCE = re.compile(r"[ \t>]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)?(`{3,}|~{3,})([^\n]*)(?:\n|\Z)")
_HEADING = re.compile(r"#{1,6}$")
_BULLET = re.compile(r"(?:[-*+]|[0-9]{1,9}[.)])$")


def _kind_of_line(text: str, at: int, final: bool) -> Kind | None:
    """What the line at `at` begins, or None while that can't be said."""
    blank = _BLANK.match(text, at)
    if blank is not None:
        return "blank" if final or (blank.end() > at and text[blank.end() - 1] == "\n") else None
    indent = _INDENT.match(text, at)
    run = _FIRST_RUN.match(text, indent.end()) if indent else None
    if run is None:  # nothing yet, or a quotation's empty line
        return "text" if final or "\n" in text[at:] else None
    word = run[0]
    if run.end() == len(text) and len(word) < 40 and not final:
        return None
    if fence := _FENCE.match(text, at):
        if not final and not fence[0].endswith("\n"):
            return None
        return "text" if fence[1][0] == "`" and "`" in fence[2] else "block"
    bullet = _BULLET.match(word) is not None
    if bullet and not final and len(text) - run.end() < 5 and "\n" not in text[run.end() :]:
        return None  # it may yet be a code block inside an item
    if _HEADING.match(word):
        return "heading"
    if word.startswith("|"):
        return "table"
    return "item" if bullet else "text"


def _line_end(text: str, at: int, final: bool) -> int | None:
    end = text.find("\n", at)
    return end + 1 if end >= 0 else (len(text) if final else None)


def _lines_end(text: str, goes_on: Kind, final: bool) -> int | None:
    """Where lines end that go on as long as the next line is of one kind."""
    end = _line_end(text, 0, final)
    while end is not None and end < len(text):
        kind = _kind_of_line(text, end, final)
        if kind is None:
            return None
        if kind != goes_on:
            return end
        end = _line_end(text, end, final)
    return end if final else None


def _block_end(text: str, marker: str, at: int, final: bool) -> int | None:
    """The end of the line that closes a code block; the end of the text when nothing does."""
    tail = r"(?:\n|\Z)" if final else r"\n"
    close = re.compile(
        rf"^[ \t>]*{re.escape(marker)}{re.escape(marker[0])}*[ \t]*{tail}", re.MULTILINE
    )
    found = close.search(text, at)
    return found.end() if found else (len(text) if final else None)


# --- sentences -------------------------------------------------------------------------------

_CLOSERS = r"[\"')\]*_`»”’]*"
_STOP = re.compile(rf"\n|[.!?…]+{_CLOSERS}(?=\s)|[。！？]+[」』）”]*(?=.)", re.DOTALL)
_LAST_WORD = re.compile(r"[^\s(\[\"'`*_“‘]+$")
_MAY_CITE = re.compile(r"\S*?[/\\:#`(\[.]\S")
_CLUSTER_REACH = 400  # characters after a full stop in which its citations are looked for
_BETWEEN = re.compile(r"(?:[\s()\[\]`*_,;&\"']|\band\b|\bsee\b|\b[Ss]ources?:)*")
_AFTER_CLUSTER = re.compile(r"[)\]`*_\"']*[.;]?(?=\s|$)")


def _sentence_end(text: str, *, final: bool) -> int | None:
    """Where the first sentence of a paragraph ends, its citations after the full stop included."""
    done = ticks = quotes = depth = 0
    for stop in _STOP.finditer(text):
        if stop[0] == "\n":
            kind = _kind_of_line(text, stop.end(), final)
            if kind is None:
                return None
            if kind != "text":
                return stop.end()
            continue
        ticks += text.count("`", done, stop.end())
        quotes += text.count('"', done, stop.end())
        depth += text.count("“", done, stop.end()) - text.count("”", done, stop.end())
        done = stop.end()
        if ticks % 2 or quotes % 2 or depth > 0:
            continue  # code or a quotation is still to end
        end = _full_stop(text, stop, final)
        if end is None or end > 0:
            return end
    return len(text) if final else None


def _full_stop(text: str, stop: re.Match[str], final: bool) -> int | None:
    """The sentence's end if it ends at this stop, 0 if it goes on, None while that is open."""
    if stop[0][0] == "." and _abbreviates(text, stop):
        return 0
    next_at = _next_word(text, stop.end(), final)
    if next_at is None or next_at <= 0 or next_at == len(text):
        return next_at
    if stop[0][0] == "." and text[next_at].islower():
        return 0
    if stop[0][1:2] == "`" and not text[next_at].isupper():
        return 0  # the sign is a part of the code: `patch?`
    cited = _cluster_end(text, next_at, final)
    return cited if cited is None or cited > 0 else stop.end()


def _next_word(text: str, at: int, final: bool) -> int | None:
    """Where the paragraph goes on; 0 when it ends with its line, None while that is open."""
    while at < len(text) and text[at] in " \t":
        at += 1
    if at == len(text):
        return at if final else None
    if text[at] != "\n":
        return at
    kind = _kind_of_line(text, at + 1, final)
    if kind != "text":
        return None if kind is None else 0
    return at + 1 + len(text[at + 1 :]) - len(text[at + 1 :].lstrip(" \t>"))


def _abbreviates(text: str, stop: re.Match[str]) -> bool:
    word = _LAST_WORD.search(text, max(stop.start() - 40, 0), stop.start())
    if stop[0].startswith("..") or word is None:
        return False
    short = word[0].lower()
    return short in words.ABBREVIATIONS or (len(short) == 1 and short.isalpha())


def _cluster_end(text: str, at: int, final: bool) -> int | None:
    """The end of citations that follow a full stop and belong to it, 0 when none do.

    "It retries. `a.py:3-9`" and "It retries. (a.py:3-9) Then …" do; in "It retries. `a.py:3-9`
    holds …" they begin the next sentence.
    """
    if not final and not re.search(r"\s", text[at : at + _CLUSTER_REACH]):
        return 0 if len(text) - at >= _CLUSTER_REACH else None
    if not _MAY_CITE.match(text, at, at + _CLUSTER_REACH):
        return 0
    line = text[at : at + _CLUSTER_REACH].split("\n", 1)[0]
    if not final and len(line) == len(text) - at < _CLUSTER_REACH:
        return None
    done = 0
    for claim in extract(line).paths:
        if _BETWEEN.fullmatch(line, done, claim.start) is None or not claim.lines:
            break
        done = claim.end
    after = _AFTER_CLUSTER.match(line, done) if done else None
    if after is None or line[after.end() :].lstrip()[:1].islower():
        return 0
    end = at + after.end()
    if text[end : end + 1] != "\n":
        return end
    kind = _kind_of_line(text, end + 1, final)  # a paragraph's last sentence has its line end
    return None if kind is None else end + (kind != "text")


def split_sentences(text: str) -> list[str]:
    """The sentences of a whole paragraph or list item; joined they are the text."""
    sentences: list[str] = []
    while text:
        end = _sentence_end(text, final=True) or len(text)
        sentences.append(text[:end])
        text = text[end:]
    return sentences


# --- units -----------------------------------------------------------------------------------

# A private key whose end has not come: what follows it belongs to it, whatever it looks like.
OPEN_KEY = re.compile(
    r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:[\s>|]+[A-Za-z0-9+/=]{16,})*(?:[\s>|]+[A-Za-z0-9+/=]{1,15})?\s*\Z"
)
_MAY_END = re.compile(r"[\s。！？]")


class Splitter:
    """Takes pieces of a text and gives its units as soon as they are certain."""

    def __init__(self, shift: Shift) -> None:
        self._shift = shift
        self._buffer = ""
        self._marker = ""  # of the code block that a forced cut left open
        self._fresh = True  # at the start of a line

    def push(self, piece: str) -> Iterator[Unit]:
        """The units that are certain after one more piece."""
        self._buffer += piece
        if _MAY_END.search(piece) or len(self._buffer) >= LIMIT + AHEAD:
            yield from self._units(final=False)

    def close(self) -> Iterator[Unit]:
        """The units of what is left; nothing more will come."""
        yield from self._units(final=True)

    def _units(self, *, final: bool) -> Iterator[Unit]:
        at = 0
        while at < len(self._buffer):
            window = self._buffer[at : at + LIMIT + AHEAD]
            whole = final and at + len(window) == len(self._buffer)
            kind, end = self._measure(window, whole)
            if end is None:
                if len(window) < LIMIT + AHEAD:
                    break
                end = self._forced(window, kind)
            self._fresh = window[end - 1] == "\n"
            at += end
            yield Unit(kind, window[:end])
        self._buffer = self._buffer[at:]

    def _measure(self, text: str, final: bool) -> tuple[Kind, int | None]:
        kind, end = self._first(text, final, self._fresh, self._marker)
        while end is not None and OPEN_KEY.search(text, 0, end):
            if end == len(text):
                end = end if final else None
                break
            _, more = self._first(text[end:], final, text[end - 1] == "\n", "")
            end = None if more is None else end + more
        if end is not None:
            self._marker = ""
        return kind, end

    def _first(self, text: str, final: bool, fresh: bool, marker: str) -> tuple[Kind, int | None]:
        """The kind of the unit that a text starts with, and its end once it is certain."""
        if marker:
            return "block", _block_end(text, marker, 0, final)
        kind = _kind_of_line(text, 0, final) if fresh else "text"
        if kind is None:
            return "text", None
        if kind == "block":
            fence = _FENCE.match(text)
            return kind, _block_end(text, fence[1], fence.end(), final) if fence else len(text)
        if kind in ("blank", "heading"):
            return kind, _line_end(text, 0, final)
        if kind in ("table", "item"):
            return kind, _lines_end(text, "table" if kind == "table" else "text", final)
        return kind, _sentence_end(text, final=final)

    def _forced(self, text: str, kind: Kind) -> int:
        """Where a unit is cut that is longer than the limit."""
        if kind == "block" and not self._marker:
            fence = _FENCE.match(text)
            self._marker = fence[1] if fence else ""
        cut = text.rfind("\n", 0, LIMIT) + 1 if kind != "text" else 0
        if cut <= 0:
            spaces = [text.rfind(c, LIMIT // 2, LIMIT) for c in " \n\t"]
            cut = max(spaces) + 1 or LIMIT
        return self._shift(text, cut)
