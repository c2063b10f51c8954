"""Turns text into index terms: identifiers split and joined, stemmed, without stop words.

The same function serves the chunks and the questions, so that both speak of the same terms. It
never looks at a language's grammar: a word is a run of letters, digits and underscores, in code as
in prose, and scripts that write no spaces become overlapping pairs of characters.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from functools import lru_cache
from itertools import pairwise
from typing import Protocol, cast

TOKENISER = "1"
"""Part of the index's fingerprint: change it whenever the same text would give other terms."""

MAX_TERM = 64
"""Characters; a longer term is cut, in the index and in the question alike."""

MAX_PARTS = 12
"""An identifier of more parts is base64, a hash or a sentence: only its joined form is kept."""

STOP_WORDS = frozenset(
    """
    a an and any are as at be been being but by can could did do does doing done each for from
    had has have having he her his how i if in into is it its just me my no nor not of on or our
    out over own she should so some such than that the their them then there these they this
    those to too us very was we were what when where which while who whom whose why will with
    would you your
    """.split()  # noqa: SIM905 - eighty lines of quotes would read worse
)

# Letters, digits, "_", and the marks that Python's \w leaves out although words need them: accents
# that did not compose, Hebrew and Arabic points, the vowel signs of India and South-East Asia.
_WORD = re.compile(
    r"[\w\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670"
    r"\u0900-\u0963\u0966-\u0dff\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]+"
)

# The same where there is only ASCII, in half the time: what is in no word becomes a space.
_ASCII_WORDS = bytes(
    at if at < 128 and (chr(at).isalnum() or chr(at) == "_") else ord(" ") for at in range(256)
)

# Camel humps, runs of capitals (HTTPServer -> HTTP, Server), digits.
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

# Scripts written without spaces: Thai, Lao, Burmese, Khmer, Hangul, kana, Han.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u3130-\u318f"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f]+"
)


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802 - PyStemmer's own spelling


@lru_cache(maxsize=1)
def _english() -> _Stemmer:
    import Stemmer  # untyped C module: this function is its typed boundary

    return cast("_Stemmer", getattr(Stemmer, "Stemmer")("english"))  # noqa: B009 - no stubs


_stemming = threading.Lock()  # a PyStemmer object may serve one thread at a time


@lru_cache(maxsize=1 << 16)
def _stem(part: str) -> str:
    if not part.isalpha() or len(part) < 3:
        return part
    with _stemming:
        return _english().stemWord(part)


@lru_cache(maxsize=1 << 17)
def split(word: str) -> tuple[str, ...]:
    """Split one word as written into its terms; the joined identifier comes last.

    Cached, because code repeats its identifiers: a word costs its splitting once, then a look-up.
    """
    if len(word) > MAX_TERM * 4:
        return (word[:MAX_TERM].casefold(),)
    if not word.isascii() and _UNSPACED.search(word):
        return _pairs(word)
    parts = [part.casefold() for part in (_PART.findall(word) if word.isascii() else _humps(word))]
    if len(parts) == 1 and "_" not in word:
        return () if parts[0] in STOP_WORDS else (_stem(parts[0])[:MAX_TERM],)
    joined = word.replace("_", "").casefold()[:MAX_TERM]
    if not joined:
        return ()
    if len(parts) > MAX_PARTS:
        return (joined,)
    terms = [_stem(part)[:MAX_TERM] for part in parts if part not in STOP_WORDS]
    if len(parts) > 1 or not terms:
        terms.append(joined)
    return tuple(terms)


def _humps(word: str) -> list[str]:
    """Split a word outside ASCII where a capital follows a small letter, at digits and at "_"."""
    cut = [
        "\0" + here
        if (here.isupper() and last.islower()) or here.isdigit() != last.isdigit()
        else here
        for last, here in pairwise(word)
    ]
    return [part for part in (word[0] + "".join(cut)).replace("_", "\0").split("\0") if part]


def _pairs(word: str) -> tuple[str, ...]:
    """Overlapping pairs for unspaced scripts; what stands between them is split as usual."""
    terms: list[str] = []
    end = 0
    for run in _UNSPACED.finditer(word):
        if run.start() > end:
            terms.extend(split(word[end : run.start()]))
        text = run.group()
        terms.extend([text] if len(text) == 1 else map(str.__add__, text, text[1:]))
        end = run.end()
    if end < len(word):
        terms.extend(split(word[end:]))
    return tuple(terms)


def words(text: str) -> list[str]:
    """List the words of a text as they are written, NFKC-normalised, in order."""
    if text.isascii():
        return text.encode("ascii").translate(_ASCII_WORDS).decode("ascii").split()
    return _WORD.findall(unicodedata.normalize("NFKC", text))


def terms(text: str) -> list[str]:
    """List the terms of a text in order, repeats included."""
    return [term for word in words(text) for term in split(word)]


def count(text: str) -> dict[str, int]:
    """Count the terms of a text: the same terms as `terms`."""
    counts: dict[str, int] = {}
    for word in words(text) if text else ():
        for term in split(word):
            counts[term] = counts.get(term, 0) + 1
    return counts
