"""What the answerer was shown, so that the source's own words are recognised when repeated."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clew.verify.library import quote_needle

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from clew.types import Evidence
    from clew.verify.library import Library

_SHOWN_LIMIT = 4_000_000  # characters of shown text that are kept to recognise quotations

_SHA = re.compile(r"[0-9a-f]{7,40}")


class Shown:
    """The text that the answerer was shown or has cited, so that a quotation of it is known.

    What stands in a code block or a block quotation and is the source's own text claims nothing
    of itself: a comment may name a file that is long gone.
    """

    def __init__(self, library: Library, evidence: Collection[Evidence]) -> None:
        self._library = library
        self._evidence = evidence
        self._read: set[Evidence] = set()
        self._texts: list[str] = []
        self._told: list[str] = []
        self._size = 0

    def add(self, texts: Iterable[str]) -> None:
        """Remember cited spans."""
        for text in texts:
            if self._size < _SHOWN_LIMIT:
                self._texts.append(text)
                self._size += len(text)

    def tell(self, texts: Iterable[str]) -> None:
        """Remember what a tool has shown that stands in no file, such as a commit's words."""
        texts = list(texts)
        self.add(texts)
        self._told += [" ".join(text.split()) for text in texts]

    def told(self, words: str) -> bool:
        """Whether a tool's own words hold these: a name, a path, a quotation, a SHA's start."""
        said = " ".join(words.split()).strip("`'\"“”")
        end = "" if _SHA.fullmatch(said) else r"(?!\w)"
        pattern = re.compile(rf"(?<!\w){re.escape(said)}{end}")
        return bool(said) and any(pattern.search(text) for text in self._told)

    def quotes(self, text: str, *, block: bool) -> bool:
        """Whether a line of a code block, or a block quotation, is the source's own text."""
        if not block and not text.lstrip().startswith(">"):
            return False
        said = text.strip() if block else re.sub(r"(?m)^[ \t]*>", "", text).strip()
        needle = None if block else quote_needle(said)
        if not said or not (block or needle):
            return False
        self._load()
        return any(said in shown or (needle and needle.within(shown)) for shown in self._texts)

    def _load(self) -> None:
        """Read the evidence that is new."""
        for evidence in [e for e in self._evidence if e not in self._read]:
            self._read.add(evidence)
            corpus = self._library.corpus(evidence.source)
            document = corpus.document(evidence.path) if corpus else None
            if corpus is None or document is None or document.skip:
                continue
            last = min(evidence.end_line, document.lines)
            if 1 <= evidence.start_line <= last:
                span = corpus.lines(evidence.path, evidence.start_line, last)
                self.add(["\n".join(span)])
