"""`clew search --explain`: why each result ranks where it does, on a screen or for a script.

The words come from `search.explain`, the numbers from the result; nothing is computed here.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from clew.search.explain import MEANINGS, reasons, words_found
from clew.surfaces.cli.terminal import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console

    from clew.types import HitSpan, SearchResult

_INDENT = 6  # below the place that is explained
_BAR = 12  # characters of the longest bar, where there is room
_NUMBER = 6  # characters of "-1.500"


def write(span: HitSpan, query: str) -> None:
    """Print a span's reasons for a script: a tab, the signal, what it adds, what it means."""
    for reason in reasons(span):
        cells = reason.signal, f"{reason.value:+.4f}", reason.meaning
        sys.stdout.write("\t" + "\t".join(cells) + "\n")
    sys.stdout.write("\t" + "\t".join(("words", _words(span, query))) + "\n")


def draw(out: Console, span: HitSpan, query: str) -> None:
    """Draw a span's reasons: what each signal adds, as a number and as a bar."""
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    listed = reasons(span)
    most = max((abs(reason.value) for reason in listed), default=1.0)
    longest = max((len(reason.signal) for reason in listed), default=0)
    room = max(min(_BAR, out.width - _INDENT - _NUMBER - longest - 3), 0)
    drawn = Table.grid(padding=(0, 1))
    drawn.add_column(justify="right", no_wrap=True, min_width=_NUMBER)
    drawn.add_column(no_wrap=True)
    drawn.add_column(no_wrap=True, width=room)
    for reason in listed:
        style = "green" if reason.value > 0 else "red"
        bar = "━" * max(round(room * abs(reason.value) / most), min(room, 1))
        drawn.add_row(f"{reason.value:+.3f}", reason.signal, Text(bar, style))
    drawn.add_row(Text(f"{span.score:.3f}", "bold"), Text("score", "bold"), "")
    out.print(Padding(drawn, (0, 0, 0, _INDENT)))
    out.print(
        Padding(
            Text(_words(span, query) or "none of its words", "bright_black"), (0, 0, 1, _INDENT)
        )
    )


def legend(out: Console, found: SearchResult) -> None:
    """Draw what the signals that were named mean, in the order of the code."""
    from rich.table import Table
    from rich.text import Text

    named = {signal for span in _spans(found) for signal in span.signals}
    if not named:
        return
    drawn = Table.grid(padding=(0, 2))
    drawn.add_column(no_wrap=True)
    drawn.add_column(overflow="fold", style="bright_black")
    for signal, meaning in MEANINGS.items():
        if signal in named:
            drawn.add_row(signal, Text(meaning))
    out.print(drawn)


def _spans(found: SearchResult) -> Iterable[HitSpan]:
    return (span for hit in found.hits for span in hit.spans)


def _words(span: HitSpan, query: str) -> str:
    """The question's words that occur, each with where: `retries (name, body)`."""
    found = words_found(span, query).items()
    said = (f"{word} ({', '.join(fields)})" for word, fields in found)
    return one_line(", ".join(said))
