"""Checks one sentence against the sources: its citations, and whatever else it says is there.

A citation is `verified` when its file exists, its lines are in range, and the names and quotations
of its sentence occur there; `repaired` when the text was wrong and what is right is certain;
`unsupported` when the lines exist but don't bear the sentence out; `missing` when they don't exist.
What is not verified gets a visible mark in the text. Nothing here streams or looks for secrets.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clew.types import Caveat, Citation
from clew.verify import words
from clew.verify.claims import Claims, NumberClaim, QuoteClaim, extract
from clew.verify.edits import Edit, apply_edits, mark, rewrite
from clew.verify.shown import Shown
from clew.verify.spans import Item, clip, definition_of, items_of
from clew.verify.spots import Locator, Spot, support

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from clew.types import Evidence
    from clew.verify.claims import PathClaim
    from clew.verify.library import Library


@dataclass(frozen=True, slots=True)
class Checked:
    """What became of one sentence.

    Attributes:
        text: The sentence with repairs and marks.
        citations: Its citations with lines, in its order.
        caveats: What the reader must know.
        flawed: Something in it stays unverified; strict answers leave it out.
        asserts: It says something about code.
        cited: It points to a file that exists.
    """

    text: str
    citations: tuple[Citation, ...] = ()
    caveats: tuple[Caveat, ...] = ()
    flawed: bool = False
    asserts: bool = False
    cited: bool = False


@dataclass(slots=True)
class _Sentence:
    """A sentence while it is being checked."""

    text: str
    claims: Claims
    items: list[Item]
    spots: list[Spot]
    edits: list[Edit] = field(default_factory=list[Edit])
    caveats: list[Caveat] = field(default_factory=list[Caveat])
    flawed: bool = False
    cited: bool = False

    def flaw(self, start: int, end: int, why: str, caveat: Caveat, *, marked: bool = True) -> None:
        """Something is not verified: mark it and tell."""
        self.flawed = True
        self.caveats.append(caveat)
        if marked:
            self.edits.append(mark(self.text, self.claims.layout, start, end, why))


class Checker:
    """Checks the sentences of one answer, one after another.

    Args:
        library: The sources in scope.
        evidence: What the answerer was shown; it may grow while the answer is written.
        question: Words of the question may be quoted without being in the code.
    """

    def __init__(
        self, library: Library, evidence: Collection[Evidence] = (), question: str = ""
    ) -> None:
        self.library = library
        self.locator = Locator(library, evidence)
        self.question = " ".join(question.split()).casefold()
        self.shown = Shown(library, evidence)

    def check(self, text: str, *, block: bool = False) -> Checked:
        """Check one sentence, table row or list item, or one line of a code block."""
        if self.shown.quotes(text, block=block):
            return Checked(text)
        library = self.library
        claims = extract(text, known=library.known, sources=library.names, block=block)
        items = [] if block else self._items(text, claims)
        spots = self.locator.spots(claims.paths, items)
        sentence = _Sentence(text, claims, items, spots)
        self._judge_items(sentence, support(spots, items))
        self._judge_spots(sentence)
        for claim in claims.paths:
            if not claim.lines:
                self._judge_mention(sentence, claim)
        for number in claims.numbers:
            self._judge_number(sentence, number)
        self.shown.add(spot.span.text for spot in spots if spot.span is not None)
        return Checked(
            text=apply_edits(text, sentence.edits),
            citations=tuple(spot.citation(library) for spot in spots),
            caveats=tuple(sentence.caveats),
            flawed=sentence.flawed,
            asserts=not block and self._asserts(text, claims, items),
            cited=sentence.cited,
        )

    def _items(self, text: str, claims: Claims) -> list[Item]:
        """What the sentence says is in the code; not what it says is absent, or was asked."""
        cited = any(claim.lines for claim in claims.paths)
        quotes = [q for q in claims.quotes if self._counts(q, cited=cited)]
        names = [n for n in claims.names if not _is_absent(text, n.start, n.end)]
        return items_of(names, [q for q in quotes if not _is_absent(text, q.start, q.end)])

    def _asserts(self, text: str, claims: Claims, items: Sequence[Item]) -> bool:
        """Whether a sentence says something about code, apart from words that it only repeats."""
        spans = [(item.claim.start, item.claim.end) for item in items]
        if any(not self.shown.told(text[start:end]) for start, end in spans):
            return True
        for quote in reversed(claims.quotes):
            text = text[: quote.start] + text[quote.end :]
        return words.CODE_VERBS.search(text) is not None

    def _counts(self, quote: QuoteClaim, *, cited: bool) -> bool:
        """Whether words in quotation marks are a quotation, and not a way of speaking."""
        if " ".join(quote.text.split()).casefold() in self.question:
            return False
        odd = re.search(r"[^\w\s,.'’-]|_|\d", quote.text) is not None
        return quote.code or cited or odd or len(quote.text.split()) > 2

    def _judge_items(self, sentence: _Sentence, lacking: Sequence[Item]) -> None:
        """Names and quotations that nothing in scope holds."""
        names = {item.key for item in lacking if item.is_name}
        quotes = {item.key for item in lacking if not item.is_name}
        missing = self.library.missing(names, quotes)
        for item in lacking:
            if self.shown.told(sentence.text[item.claim.start : item.claim.end]):
                continue
            if item.key in missing and item.is_name:
                why, kind = "no such name", "missing_symbol"
                message = f"{item.shown} was not found in the code that was searched."
            elif item.key in missing:
                why, kind = "no such words", "missing_quote"
                message = f"The words {item.shown} were not found in the code that was searched."
            else:
                continue
            sentence.flaw(item.claim.start, item.claim.end, why, Caveat(kind, message))

    def _judge_spots(self, sentence: _Sentence) -> None:
        marked = bool(sentence.edits)  # a name that is nowhere is marked where it stands
        for claim in sentence.claims.paths:
            spots = [spot for spot in sentence.spots if spot.claim is claim]
            bad = [spot for spot in spots if spot.problem]
            sentence.cited |= any(spot.verdict != "missing" for spot in spots)
            for spot in bad:
                told = spot.kind == "unsupported" and marked
                caveat = Caveat(spot.kind, _message(sentence.text, spot))
                first = spot is bad[0] and not told
                sentence.flaw(claim.start, claim.end, spot.problem, caveat, marked=first)
            if any(spot.verdict == "repaired" for spot in spots) and not bad:
                sentence.edits += _rewritten(sentence.claims, claim, spots)

    def _judge_mention(self, sentence: _Sentence, claim: PathClaim) -> None:
        """A path without lines: it must exist, or stand in the code that the sentence cites."""
        found = self.library.find(claim.path, claim.source)
        if found.places or self.library.is_folder(claim.path):
            sentence.cited |= bool(found.places)
            if found.way in ("case", "rooted") and len(found.places) == 1:
                path = found.places[0].path
                sentence.edits += rewrite(claim, sentence.claims.layout, path, "", ())
                message = f"`{clip(claim.path)}` was written for `{path}`."
                sentence.caveats.append(Caveat("repaired_path", message))
            return
        start, end = claim.path_at
        spelled = sentence.text[start:end]
        spans = [spot.span.text for spot in sentence.spots if spot.span is not None]
        if _is_absent(sentence.text, start, end) or any(spelled in span for span in spans):
            return
        if any(_defines(spot, spelled) for spot in sentence.spots):
            return  # `Client.patch` is what the sentence cites, and no file with a patch
        if self.shown.told(spelled):
            return
        message = f"`{clip(claim.path)}` does not exist at this revision."
        sentence.flaw(claim.start, claim.end, "no such file", Caveat("missing_path", message))

    def _judge_number(self, sentence: _Sentence, number: NumberClaim) -> None:
        said = sentence.text[number.start : number.end]
        message = f"The text cites {said}, which names no file."
        caveat = Caveat("numbered_citation", message)
        sentence.flaw(number.start, number.end, "it names no file", caveat)


def _defines(spot: Spot, name: str) -> bool:
    """Whether the file that is cited defines something of this qualified name."""
    found = definition_of(spot.place, name) if spot.place else None
    return found is not None and f".{found.qualname.rstrip('?!')}".endswith(f".{name}")


def _message(text: str, spot: Spot) -> str:
    said = clip(text[spot.claim.start : spot.claim.end].strip("`"))
    return f"`{said}` is not verified: {spot.problem}."


def _rewritten(claims: Claims, claim: PathClaim, spots: Sequence[Spot]) -> list[Edit]:
    place = spots[0].place
    if place is None:
        return []
    sources = {choice.corpus.source.name for choice in spots[0].choices}
    source = place.corpus.source.name if len(sources) > 1 else ""
    path = claim.path if spots[0].way == "exact" else place.path
    return rewrite(claim, claims.layout, path, source, [spot.lines for spot in spots])


def _is_absent(text: str, start: int, end: int) -> bool:
    """Whether the sentence says that the thing is not there, or that it was looked for."""
    before = text[max(start - words.ABSENCE_REACH, 0) : start]
    after = text[end : end + words.ABSENCE_REACH]
    return bool(words.ABSENT_AFTER.search(before) or words.ABSENT_BEFORE.match(after))
