"""The text that a citation points to, and whether a claim is borne out by it.

A span's text is the redacted text of its lines, with the comment or decorators that stand right
above it; a name counts too when it is the file's, a folder's, or an enclosing definition's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from clew.verify.claims import NameClaim, QuoteClaim
from clew.verify.library import Needle, Place, name_needle, parts_of, quote_needle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clew.verify.corpus import Definition

_LEAD = 20  # lines of comment above a span that are read as its own
_LEADING = ("#", "//", "/*", "*", "--", ";", "@", "%", '"""', "'''", "<!--", "=begin", "///")


@dataclass(frozen=True, slots=True)
class Item:
    """A name or quotation that a sentence says is in the code."""

    claim: NameClaim | QuoteClaim
    needle: Needle

    @property
    def shown(self) -> str:
        """As a note spells it."""
        claim = self.claim
        return f"`{claim.name}`" if isinstance(claim, NameClaim) else f'"{clip(claim.text)}"'

    @property
    def is_name(self) -> bool:
        """Whether it is a name and no quotation."""
        return isinstance(self.claim, NameClaim)

    @property
    def key(self) -> str:
        """What identifies it in a library's answer."""
        return self.claim.name if isinstance(self.claim, NameClaim) else self.claim.text


def clip(text: str, length: int = 80) -> str:
    """A text on one line and not too long for a note."""
    flat = " ".join(text.split())
    return flat if len(flat) <= length else flat[: length - 1] + "…"


def items_of(names: Sequence[NameClaim], quotes: Sequence[QuoteClaim]) -> list[Item]:
    """Claims with what to look for, in the order of the text."""
    items = [Item(name, name_needle(name.name)) for name in names]
    items += [Item(q, needle) for q in quotes if (needle := quote_needle(q.text)) is not None]
    return sorted(items, key=lambda item: item.claim.start)


@dataclass(frozen=True, slots=True)
class Span:
    """Lines of a file, read once for all claims about them."""

    text: str
    around: frozenset[str]

    def bears(self, item: Item) -> bool:
        """Whether the claim is borne out here."""
        if isinstance(item.claim, NameClaim) and parts_of(item.claim.name)[-1] in self.around:
            return True
        return item.needle.within(self.text)


def read_span(place: Place, start: int, end: int) -> Span:
    """The span `start`-`end`, which must lie inside an indexed file."""
    first = max(start - _LEAD, 1)
    lines = list(place.corpus.lines(place.path, first, end))
    lead, own = lines[: start - first], lines[start - first :]
    while lead and not all(line.lstrip().startswith(_LEADING) for line in lead):
        lead.pop(0)
    around = {name.split(".", 1)[0] for name in place.path.split("/")}
    around.update(place.path.split("/"), (place.corpus.source.name,))
    for symbol in place.corpus.symbols_in(place.path):
        if symbol.start_line <= start and end <= symbol.end_line:
            around.update((symbol.name, *parts_of(symbol.qualname)))
    return Span("\n".join([*lead, *own]), frozenset(around))


def definition_of(place: Place, name: str) -> Definition | None:
    """The one definition in a file that a name means, None when there is none or a choice."""
    parts = parts_of(name)
    symbols = place.corpus.symbols_in(place.path)
    written = name.rpartition(".")[2]
    named = [s for s in symbols if s.name in (written, parts[-1])]
    named = named or [s for s in symbols if parts_of(s.name)[-1] == parts[-1]]
    if len(parts) > 1:
        qualified = [s for s in named if parts_of(s.qualname)[-len(parts) :] == parts]
        named = qualified or named
    return named[0] if len(named) == 1 else None
