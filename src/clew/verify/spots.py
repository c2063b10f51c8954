"""Where a citation leads: which file in which source, and whether its lines are there.

A spelling that fits several files is decided by what the answerer was shown, then by what the
sentence says, and else left open and said to be so. Nothing here changes text.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clew.types import Citation
from clew.verify.spans import definition_of, read_span

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from clew.types import CitationVerdict, Evidence
    from clew.verify.claims import PathClaim
    from clew.verify.library import Library, Place, Way
    from clew.verify.pathlike import Range
    from clew.verify.spans import Item, Span

_NAMED_CHOICES = 3  # files named when a spelling fits several


@dataclass(slots=True)
class Spot:
    """One range of lines that a text cites, while it is being checked.

    Attributes:
        choices: The files that the spelling fits, `place` the one that is meant.
        span: What stands there; None when the file, its text or the lines are missing.
        problem: What the mark in the text will say, "" while nothing is wrong.
        kind: The problem's stable name, as a caveat's type.
    """

    claim: PathClaim
    start: int
    end: int
    place: Place | None = None
    way: Way = "exact"
    choices: tuple[Place, ...] = ()
    span: Span | None = None
    verdict: CitationVerdict = "verified"
    problem: str = ""
    kind: str = ""
    notes: list[str] = field(default_factory=list[str])

    @property
    def lines(self) -> Range:
        """The range as it stands now."""
        return self.start, self.end

    @property
    def outside(self) -> bool:
        """The file is readable and the lines are not in it."""
        return self.place is not None and self.span is None and not self.problem

    def fail(self, verdict: CitationVerdict, kind: str, problem: str) -> None:
        """Say that it is not verified."""
        self.verdict, self.kind, self.problem = verdict, kind, problem
        self.notes.append(problem)

    def repair(self, note: str) -> None:
        """Record a correction."""
        self.verdict = "repaired"
        self.notes.append(note)

    def read(self, place: Place, start: int, end: int) -> None:
        """Take these lines of the file."""
        self.start, self.end = start, end
        self.span = read_span(place, start, end)

    def citation(self, library: Library) -> Citation:
        """What the reader gets."""
        named = self.claim.source or (library.names[0] if len(library.names) == 1 else "")
        corpus = self.place.corpus if self.place else library.corpus(named)
        return Citation(
            source=corpus.source.name if corpus else named,
            revision=corpus.revision.id if corpus else "",
            path=self.place.path if self.place else self.claim.path,
            start_line=self.start,
            end_line=self.end,
            verdict=self.verdict,
            note="; ".join(self.notes),
        )


def written(lines: Range) -> str:
    """A range as a citation spells it."""
    return str(lines[0]) if lines[0] == lines[1] else f"{lines[0]}-{lines[1]}"


class Locator:
    """Finds the file and the lines of each spot."""

    def __init__(self, library: Library, evidence: Collection[Evidence]) -> None:
        self.library = library
        self.evidence = evidence

    def spots(self, claims: Sequence[PathClaim], items: Sequence[Item]) -> list[Spot]:
        """A spot for each range of each claim, located as far as can be."""
        spots = [Spot(claim, *lines) for claim in claims for lines in claim.lines]
        for spot in spots:
            self._find(spot)
            if spot.choices:
                self._choose(spot, items)
            if spot.place is not None:
                _measure(spot, spot.place)
        return spots

    def _find(self, spot: Spot) -> None:
        claim = spot.claim
        if claim.source and claim.source not in self.library.names:
            spot.fail("missing", "unknown_source", f'no source is named "{claim.source}"')
            return
        found = self.library.find(claim.path, claim.source)
        spot.choices, spot.way = found.places, found.way
        if not found.places:
            folder = self.library.is_folder(claim.path)
            spot.fail("missing", "missing_path", "it is a folder" if folder else "no such file")

    def _choose(self, spot: Spot, items: Sequence[Item]) -> None:
        """Decide between the files that the spelling fits."""
        choices = list(spot.choices)
        if len(choices) > 1:
            fitting = (
                [c for c in choices if self._was_shown(c, spot.lines)],
                [c for c in choices if self._was_shown(c, None)],
                [c for c in choices if _bears(c, spot, items)],
            )
            choices = next((fits for fits in fitting if len(fits) == 1), choices)
        if len(choices) > 1:
            named = _named(choices)
            spot.fail("unsupported", "ambiguous_path", f"it may be {named}")
            return
        spot.place = choices[0]
        if len(spot.choices) > 1 or spot.way != "exact":
            spot.repair(f"{spot.claim.path} is {_label(spot.place, spot.choices)}")

    def _was_shown(self, place: Place, lines: Range | None) -> bool:
        """Whether the answerer was shown these lines of the file, or any when None."""
        return any(
            e.path == place.path
            and e.source == place.corpus.source.name
            and (lines is None or (e.start_line <= lines[1] and lines[0] <= e.end_line))
            for e in self.evidence
        )


def _measure(spot: Spot, place: Place) -> None:
    """Check the lines, and read them."""
    document = place.document
    if document.skip:
        why = f"not indexed ({document.skip}), so its lines can't be checked"
        spot.fail("unsupported", "not_indexed", why)
        return
    start, end = min(spot.lines), max(spot.lines)
    if not 1 <= start <= document.lines:
        return
    end = min(end, document.lines)
    if spot.lines != (start, end):
        spot.repair(f"was {written(spot.lines)}; {_length(document.lines)}")
    spot.read(place, start, end)


def _bears(place: Place, spot: Spot, items: Sequence[Item]) -> bool:
    document = place.document
    if document.skip or not items or not 1 <= spot.start <= spot.end <= document.lines:
        return False
    span = read_span(place, spot.start, spot.end)
    return all(span.bears(item) for item in items)


def _label(place: Place, choices: Sequence[Place]) -> str:
    """A file as a note names it: with its source when that is what tells it apart."""
    sources = {choice.corpus.source.name for choice in choices}
    return f"{place.corpus.source.name}:{place.path}" if len(sources) > 1 else place.path


def _named(choices: Sequence[Place]) -> str:
    labels = [_label(choice, choices) for choice in choices[:_NAMED_CHOICES]]
    more = len(choices) - len(labels)
    return " or ".join(labels) + (f" or one of {more} more" if more else "")


# --- support ---------------------------------------------------------------------------------


def support(spots: Sequence[Spot], items: Sequence[Item]) -> list[Item]:
    """Compare a sentence's claims with the lines it cites; repair lines where that is certain.

    A claim must be borne out by one of the sentence's spans, and each span must bear out one of
    the claims. What no span bears out counts against the citation that follows it, else the last.

    Returns:
        The items that no span bears out.
    """
    usable = [spot for spot in spots if spot.span is not None or spot.outside]
    owners = {id(item): _owner(item, usable) for item in items}
    for spot in usable:
        own = [item for item in items if owners[id(item)] is spot]
        if spot.place and (spot.outside or _unsupported(spot, own, usable, items)):
            _repair(spot, spot.place, own, items)
    lacking = _lacking(usable, items)
    for spot in usable:
        own = [item for item in lacking if owners[id(item)] is spot]
        if spot.outside and spot.place is not None:
            spot.fail("missing", "out_of_range", _length(spot.place.document.lines))
        elif _unsupported(spot, own, usable, items):
            shown = (own or list(items))[0].shown
            spot.fail("unsupported", "unsupported", f"{shown} is not in these lines")
    return lacking


def _length(lines: int) -> str:
    return f"the file has {lines:,} line{'' if lines == 1 else 's'}"


def _owner(item: Item, spots: Sequence[Spot]) -> Spot | None:
    after = (spot for spot in spots if spot.claim.start >= item.claim.start)
    return next(after, spots[-1] if spots else None)


def _lacking(spots: Sequence[Spot], items: Sequence[Item]) -> list[Item]:
    spans = [spot.span for spot in spots if spot.span is not None]
    return [item for item in items if not any(span.bears(item) for span in spans)]


def _unsupported(
    spot: Spot, own: Sequence[Item], spots: Sequence[Spot], items: Sequence[Item]
) -> bool:
    """Whether something it should hold is nowhere, or it holds nothing of the sentence at all."""
    if not items:
        return False
    if any(item in own for item in _lacking(spots, items)):
        return True
    same = [s.span for s in spots if s.claim is spot.claim and s.span is not None]
    return not any(span.bears(item) for span in same for item in items)


def _repair(spot: Spot, place: Place, own: Sequence[Item], items: Sequence[Item]) -> None:
    """Take the span of the definition that the sentence names, if it bears out all it should."""
    for item in own or items:
        found = definition_of(place, item.key) if item.is_name else None
        if found is None:
            continue
        span = read_span(place, found.start_line, found.end_line)
        if all(span.bears(other) for other in own or [item]):
            before = written(spot.lines)
            spot.read(place, found.start_line, found.end_line)
            spot.repair(f"was {before}; {item.shown} is defined at {written(spot.lines)}")
            return
