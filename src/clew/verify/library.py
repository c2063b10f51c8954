"""Answers what exists in a scope: which file a spelling means, which names and words there are.

It holds tables that are built on first use and kept for one answer; so it belongs to one answer
and one thread at a time. It judges no sentence.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from clew.verify.corpus import Corpus, Document

# How a spelling led to a file: as written, by its end (`worker.py`), without a root in front
# (`/src/x.py`, `myrepo/src/x.py`), or in another case.
Way: TypeAlias = Literal["exact", "suffix", "rooted", "case"]

# Characters of repository text that one answer's checks may scan for words the symbol tables
# don't hold: about a second of one core. What comes after is reported as unchecked.
SCAN_LIMIT = 400_000_000

_JOINT = re.compile(r"\.|::|->|#")
# What says where a name is looked up and is no name of the code.
_RECEIVERS = frozenset(["self", "this", "cls", "super", "that", "crate", "std", "window", "global"])


@dataclass(frozen=True, slots=True)
class Place:
    """A file in one source of the scope."""

    corpus: Corpus
    document: Document

    @property
    def path(self) -> str:
        """The file's path as git spells it."""
        return self.document.path


@dataclass(frozen=True, slots=True)
class Found:
    """The files that a spelling may mean, best way only."""

    places: tuple[Place, ...]
    way: Way = "exact"


@dataclass(frozen=True, slots=True)
class Needle:
    """Words to look for: `probe` is part of every match of `pattern`, and quick to rule out."""

    probe: str
    pattern: re.Pattern[str]

    def within(self, text: str) -> bool:
        """Whether the text holds it."""
        return self.probe in text and self.pattern.search(text) is not None


def name_needle(name: str) -> Needle:
    """A name as a whole word, whatever mark stands before it; the last part of a qualified one."""
    last = parts_of(name)[-1]
    return Needle(last, re.compile(rf"(?<![\w$])[$@]{{0,2}}{re.escape(last)}(?![\w$])"))


_LEFT_OUT = r"\[(?:\.\.\.|…)\]|\.\.\.|…"
_GAP = r"[\s#*/;\"'\\+]{1,60}"  # between words: a line break and the next comment line's mark, too
_ANYTHING = r"[^\0]{0,400}?"


def quote_needle(quote: str) -> Needle | None:
    """A quotation, its spaces as they come, and anything where it says "…".

    None when nothing is left to look for.
    """
    pieces = re.split(rf"\s*({_LEFT_OUT})\s*|\s+", quote.strip())
    words: list[str] = []
    pattern = ""
    for at, piece in enumerate(pieces):
        if at % 2 == 0 and piece:
            pattern += re.escape(piece)
            words.append(piece)
        elif at % 2 and words:
            pattern += _ANYTHING if piece else _GAP
    return Needle(max(words, key=len), re.compile(pattern)) if words else None


def parts_of(name: str) -> list[str]:
    """The parts of a qualified name without receivers and marks: `self.a?` is `a`."""
    parts = [part.strip("?!$@") for part in _JOINT.split(name)]
    kept = [part for part in parts if part and part not in _RECEIVERS]
    return kept or [part for part in parts if part] or [name]


class Library:
    """The sources of one answer's scope."""

    def __init__(self, corpora: Sequence[Corpus]) -> None:
        self.corpora = tuple(corpora)
        self.names = tuple(corpus.source.name for corpus in corpora)
        self.exhausted = False
        self._tables: dict[int, _Paths] = {}
        self._verdicts: dict[str, bool] = {}
        self._scanned = 0

    def corpus(self, name: str) -> Corpus | None:
        """The source of this name."""
        return next((c for c in self.corpora if c.source.name == name), None)

    # --- paths ---

    def find(self, path: str, source: str = "") -> Found:
        """The files that a path may mean, in the source named or in all of them."""
        corpora = [c for c in self.corpora if not source or c.source.name == source]
        exact = [Place(c, d) for c in corpora if (d := c.document(path)) is not None]
        if exact or not path.strip("./"):
            return Found(tuple(exact))
        ways: tuple[tuple[Way, Callable[[_Paths], Iterable[Document]]], ...] = (
            ("suffix", lambda table: table.ending(path)),
            ("rooted", lambda table: table.without_root(path)),
            ("case", lambda table: table.in_any_case(path)),
        )
        for way, look in ways:
            places = [Place(c, d) for c in corpora for d in look(self._table(c))]
            if places:
                return Found(tuple(places), way)
        return Found(())

    def is_folder(self, path: str) -> bool:
        """Whether a folder is spelled so, whole or by its end."""
        return any(self._table(c).is_folder(path.strip("/")) for c in self.corpora)

    def known(self, path: str) -> bool:
        """Whether a file or folder may be meant; a case or a root that is wrong is no proof."""
        if not path.strip("./"):
            return False
        found = self.find(path)
        return (bool(found.places) and found.way in ("exact", "suffix")) or self.is_folder(path)

    def _table(self, corpus: Corpus) -> _Paths:
        table = self._tables.get(id(corpus))
        if table is None:
            table = self._tables[id(corpus)] = _Paths(corpus)
        return table

    # --- names and quotations ---

    def missing(self, names: Collection[str], quotes: Collection[str]) -> set[str]:
        """Those that nothing in scope is called or says. One pass over the texts at most."""
        wanted: dict[str, list[str]] = {name: self._unheard(name) for name in names}
        needles: dict[str, Needle] = {}
        for parts in wanted.values():
            needles.update({part: name_needle(part) for part in parts})
        for quote in quotes:
            key = f'"{quote}"'  # a name may be spelled like a quotation
            wanted.setdefault(quote, []).append(key)
            if needle := quote_needle(quote):
                needles[key] = needle
        self._scan({key: n for key, n in needles.items() if key not in self._verdicts})
        return {
            claim
            for claim, parts in wanted.items()
            if any(self._verdicts.get(part) is False for part in parts)
        }

    def _unheard(self, name: str) -> list[str]:
        """The parts of a name that neither a symbol table nor a file's name knows."""
        return [
            part
            for part in parts_of(name)
            if not any(
                corpus.has_name(part) or self._table(corpus).is_stem(part)
                for corpus in self.corpora
            )
        ]

    def _scan(self, needles: dict[str, Needle]) -> None:
        """Look for needles in every text; what the limit leaves unread stays undecided."""
        left = dict(needles)
        for text in self._texts() if left else ():
            for key in [key for key, needle in left.items() if needle.within(text)]:
                self._verdicts[key] = True
                del left[key]
            if not left:
                return
        if not self.exhausted:
            self._verdicts.update(dict.fromkeys(left, False))

    def _texts(self) -> Iterator[str]:
        for corpus in self.corpora:
            for _, text in corpus.texts():
                if self._scanned > SCAN_LIMIT:
                    self.exhausted = True
                    return
                self._scanned += len(text)
                yield text


class _Paths:
    """One source's paths by their last part, in lower case."""

    def __init__(self, corpus: Corpus) -> None:
        self._source = corpus.source.name
        self._files: defaultdict[str, list[Document]] = defaultdict(list)
        self._stems: set[str] = set()
        folders: set[str] = set()
        for document in corpus.documents():
            folder, name = posixpath.split(document.path)
            self._files[name.lower()].append(document)
            self._stems.add(name.split(".", 1)[0])
            while folder and folder not in folders:
                folders.add(folder)
                folder = posixpath.dirname(folder)
        self._folders: defaultdict[str, list[str]] = defaultdict(list)
        for folder in folders:
            self._folders[posixpath.basename(folder)].append(folder)

    def ending(self, path: str) -> list[Document]:
        """Files whose path ends in this one."""
        named = self._files.get(posixpath.basename(path).lower(), ())
        return [d for d in named if d.path == path or d.path.endswith("/" + path)]

    def in_any_case(self, path: str) -> list[Document]:
        """Files whose path ends in this one but for capitals."""
        named = self._files.get(posixpath.basename(path).lower(), ())
        end = "/" + path.lower()
        return [d for d in named if ("/" + d.path.lower()).endswith(end)]

    def without_root(self, path: str) -> list[Document]:
        """The longest end of an absolute path, or of one that starts with the source's name.

        Any other folder in front would make an invented path look real.
        """
        parts = path.split("/")
        owner = self._source.rsplit("/", 1)[-1]
        absolute = parts[0] in ("", "a", "b", "~") or parts[0].endswith(":")
        starts = list(range(1, len(parts))) if absolute else []
        if owner in parts[:-1]:
            starts.append(parts.index(owner) + 1)
        for start in starts:
            whole = "/".join(parts[start:])
            named = self._files.get(parts[-1].lower(), ())
            if exact := [d for d in named if d.path == whole and (start < 2 or "/" in whole)]:
                return exact
        return []

    def is_folder(self, path: str) -> bool:
        """Whether a folder's path ends so."""
        named = self._folders.get(posixpath.basename(path), ())
        return any(folder == path or folder.endswith("/" + path) for folder in named)

    def is_stem(self, name: str) -> bool:
        """Whether a file (without its ending) or a folder is called so."""
        return name in self._stems or name in self._folders
