"""The gate that every answer's text passes: checked and without secrets, one sentence at a time.

`Gate` takes the text in pieces cut anywhere, and gives events: a sentence (or a heading, list
item, table or code block as a whole) is emitted once it has been looked through for secrets and
its claims have been checked, and a citation right after the text that holds it. What comes out
depends on the text alone, never on how it was cut. Text without a flaw comes out as it went in,
except that control characters, which could steer a terminal, are replaced by visible ones.

A secret is seen whole: a unit is read together with what came right before it, is never cut inside
a secret, and does not end inside a private key. The gate holds at most `sentences.LIMIT` +
`sentences.AHEAD` characters back (about 17 KB), and the last piece it was given.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clew.redact import SecretSpan, apply, find_secrets
from clew.types import Caveat, CitationEvent, TextEvent
from clew.verify.citations import Checker
from clew.verify.library import Library
from clew.verify.sentences import OPEN_KEY, Splitter, split_sentences
from clew.verify.spans import clip

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from clew.types import Citation, Event, Evidence
    from clew.verify.citations import Checked
    from clew.verify.corpus import Corpus
    from clew.verify.sentences import Unit

# Characters before a unit that are read with it: a key's name may stand in the sentence before.
_CONTEXT = 512

# What could steer a terminal or turn text around: shown as a picture, or as the mark for
# "no such character". Tabs and line ends stay.
_VISIBLE = {
    **{code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\n\t"},
    0x7F: "\u2421",
    **dict.fromkeys(range(0x80, 0xA0), "\ufffd"),
    **dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)], "\ufffd"),
}
_BULLET = re.compile(r"[ \t>]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_BOLD_LINE = re.compile(r"\s*(?:\*\*[^*\n]{1,80}\*\*:?|(?:Answer|Evidence|Caveats):)\s*")
_FENCE_LINE = re.compile(r"[ \t>]*(?:`{3,}|~{3,})")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_TABLE_RULE = re.compile(r"[\s|:-]+")


class Gate:
    """Lets one answer's text through.

    Args:
        corpora: The sources in scope, at their pinned revisions.
        strict: Leave a sentence out that stays unverified, instead of marking it.
        evidence: What the answerer was shown; the caller may add to it while the text comes.
        question: Words of the question may be quoted without being in the code.
        exempt: Texts that claim nothing, such as the abstention: only secrets are looked for.
        secrets: Finds the secrets of a text.
    """

    def __init__(
        self,
        corpora: Sequence[Corpus],
        *,
        strict: bool = False,
        evidence: Collection[Evidence] = (),
        question: str = "",
        exempt: Sequence[str] = (),
        secrets: Callable[[str], Iterable[SecretSpan]] = find_secrets,
    ) -> None:
        self._library = Library(corpora)
        self._checker = Checker(self._library, evidence, question)
        self._splitter = Splitter(self._outside_secrets)
        self._strict = strict
        self._exempt = {sentence.strip() for text in exempt for sentence in split_sentences(text)}
        self._secrets = secrets
        self._held = ""  # a carriage return whose line feed may be in the next piece
        self._before = ""
        self._citations: dict[Citation, None] = {}
        self._caveats: dict[Caveat, None] = {}
        self._removed = 0
        self._told_uncited = False  # in this section
        self._in_caveats = False

    @property
    def citations(self) -> tuple[Citation, ...]:
        """The citations emitted so far."""
        return tuple(self._citations)

    @property
    def warnings(self) -> tuple[Caveat, ...]:
        """What the reader must know, so far."""
        caveats = list(self._caveats)
        if self._removed:
            count = "1 sentence was" if self._removed == 1 else f"{self._removed} sentences were"
            caveats.append(Caveat("removed", f"{count} left out as not verified."))
        if self._library.exhausted:
            message = "The sources are too large to look for every name; some were not checked."
            caveats.append(Caveat("unchecked", message))
        return tuple(caveats)

    def show(self, texts: Iterable[str]) -> None:
        """Know a tool's words that stand in no file: they and what they name may be repeated."""
        self._checker.shown.tell(texts)

    def feed(self, text: str) -> Iterator[Event]:
        """Take one more piece; the events that have become certain."""
        return iter(self._pass(self._splitter.push(self._tamed(text, last=False))))

    def finish(self) -> Iterator[Event]:
        """The events of what is left; nothing may be fed afterwards."""
        units = [*self._splitter.push(self._tamed("", last=True)), *self._splitter.close()]
        return iter(self._pass(units))

    def _tamed(self, piece: str, *, last: bool) -> str:
        text = self._held + piece
        self._held = "\r" if text.endswith("\r") and not last else ""
        text = text[: len(text) - len(self._held)]
        return text.replace("\r\n", "\n").translate(_VISIBLE)

    def _pass(self, units: Iterable[Unit]) -> list[Event]:
        events: list[Event] = []
        for unit in units:
            text = self._redacted(unit.text)
            shown, citations = self._checked(unit, text)
            if shown:
                events.append(TextEvent(shown))
            for citation in citations:
                if citation not in self._citations:
                    self._citations[citation] = None
                    events.append(CitationEvent(citation))
        return events

    # --- secrets ---

    def _redacted(self, text: str) -> str:
        if not text.strip():
            self._before = (self._before + text)[-_CONTEXT:]
            return text
        start = len(self._before)
        spans = [
            SecretSpan(max(span.start - start, 0), span.end - start, span.rule)
            for span in self._secrets(self._before + text)
            if span.end > start
        ]
        key = OPEN_KEY.search(text)
        if key is not None and "\n" in key[0].strip():
            # Its end never came, so no rule knows it.
            spans.append(SecretSpan(key.start(), len(text.rstrip()), "private-key"))
        self._before = (self._before + text)[-_CONTEXT:]
        return apply(text, spans)

    def _outside_secrets(self, text: str, cut: int) -> int:
        """A forced cut, moved in front of the secret it would halve, or behind it."""
        for span in self._secrets(text):
            if span.start < cut < span.end:
                return span.start or span.end
        return cut

    # --- claims ---

    def _checked(self, unit: Unit, text: str) -> tuple[str, list[Citation]]:
        """A unit's text as it is shown, and its citations."""
        if unit.kind == "blank" or text.strip() in self._exempt:
            return text, []
        if unit.kind == "heading" or _BOLD_LINE.fullmatch(text):
            self._begin_section(text)
        whole = unit.kind in ("block", "table")
        parts = _LINE.findall(text) if whole else split_sentences(text)
        checked = [self._checker.check(part, block=unit.kind == "block") for part in parts]
        if unit.kind in ("item", "text"):
            self._note_uncited(checked, text)
        shown: list[str] = []
        citations: list[Citation] = []
        removed = self._removed
        for at, part in enumerate(checked):
            self._caveats.update(dict.fromkeys(part.caveats))
            if self._strict and part.flawed and _may_go(unit, parts, at):
                self._removed += 1
                shown.append(_remains(unit, parts[at], first=at == 0))
            else:
                shown.append(part.text)
                citations += part.citations
        text = "".join(shown)
        if unit.kind == "item" and self._removed > removed and _BULLET.fullmatch(text.strip("\n")):
            text = ""  # of this item only the bullet is left
        return text, citations

    def _begin_section(self, heading: str) -> None:
        self._told_uncited = False
        self._in_caveats = heading.strip(" \t\n#*_:").casefold() in ("caveats", "caveat")

    def _note_uncited(self, parts: Sequence[Checked], text: str) -> None:
        """Once per section, say that a statement about code has no citation."""
        if self._told_uncited or self._in_caveats or _BOLD_LINE.fullmatch(text):
            return
        if any(part.cited for part in parts):
            return
        for part in parts:
            said = part.text.strip()
            if part.asserts and not said.endswith((":", "?", ":**", "?**")):
                self._told_uncited = True
                message = f'No citation stands with "{clip(said, 100)}".'
                self._caveats[Caveat("uncited", message)] = None
                return


def _may_go(unit: Unit, parts: Sequence[str], at: int) -> bool:
    """Whether a part can be left out without breaking what is around it."""
    if unit.kind == "block":
        return _FENCE_LINE.match(parts[at]) is None
    if unit.kind == "table":
        return at > 1 and _TABLE_RULE.fullmatch(parts[at]) is None
    return True


def _remains(unit: Unit, part: str, *, first: bool) -> str:
    """What stays of a part that is left out: a list's bullet, a paragraph's line end."""
    if unit.kind == "item" and first:
        bullet = _BULLET.match(part)
        return bullet[0] if bullet else ""
    return "\n" if unit.kind in ("text", "item") and part.endswith("\n") else ""
