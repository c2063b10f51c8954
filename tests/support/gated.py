"""Passes a whole text through the gate at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clew.types import TextEvent
from clew.verify.gate import Gate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clew.types import Caveat, Citation
    from clew.verify.corpus import Corpus


@dataclass(frozen=True)
class Gated:
    """A whole text that has passed the gate."""

    text: str
    citations: tuple[Citation, ...]
    warnings: tuple[Caveat, ...]


def check_text(text: str, corpora: Sequence[Corpus], **options: Any) -> Gated:
    """Pass the text; the options are the gate's."""
    gate = Gate(corpora, **options)
    events = [*gate.feed(text), *gate.finish()]
    shown = "".join(event.text for event in events if isinstance(event, TextEvent))
    return Gated(shown, gate.citations, gate.warnings)
