"""What a reader has been shown after so many tokens, and how much of what is right is in it.

A reading is a row of pieces in the order they are read: a line that a tool wrote, a chunk, a whole
file. A piece counts once all of it lies within the budget. For each budget:

    files   The share of the right files that were named, or had a line shown.
    seen    The share of the right files that had a line shown.
    lines   Where line ranges are known, the share of them that had a line shown.

A token is four characters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.retrieval.scores import by_path, hits, mean, same_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from benchmarks.retrieval.questions import Gold, Question

BUDGETS = (500, 1_000, 2_000, 4_000, 8_000)  # tokens
CHARS_PER_TOKEN = 4
ENOUGH = BUDGETS[-1] * CHARS_PER_TOKEN  # characters after which nothing counts any more
FIGURES = ("files", "seen", "lines")


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of text and what it shows.

    Attributes:
        chars: Its length with its line end.
        path: The file that it names or shows, "" for neither.
        start: The first of the file's lines that it shows, 0 when it only names the file.
        end: The last of them.
    """

    chars: int
    path: str = ""
    start: int = 0
    end: int = 0


def figures(question: Question, reading: Iterable[Piece]) -> dict[str, float]:
    """Every figure of one question by name and budget, such as `files@500`."""
    spent, within = 0, list[tuple[int, Piece]]()
    for piece in reading:
        spent += piece.chars
        if spent > ENOUGH:
            break
        within.append((spent, piece))
    files = by_path(question.gold)
    spans = [each for each in question.gold if each.has_span]
    found: dict[str, float] = {}
    for budget in BUDGETS:
        read = [p for at, p in within if p.path and at <= budget * CHARS_PER_TOKEN]
        shown = [piece for piece in read if piece.start]
        found[f"files@{budget}"] = _share(files, read)
        found[f"seen@{budget}"] = _share(files, shown)
        if spans:
            found[f"lines@{budget}"] = _share(spans, shown)
    return found


def _share(gold: Sequence[Gold], pieces: Sequence[Piece]) -> float:
    rows = [
        {"path": path, "start_line": start, "end_line": end}
        for path, start, end in dict.fromkeys((p.path, p.start, p.end) for p in pieces)
    ]
    return sum(any(hits(row, each, same_path, lines=True) for row in rows) for each in gold) / len(
        gold
    )


def summary(rows: Sequence[Mapping[str, float]]) -> dict[str, Any]:
    """The means by figure and budget, and of how many questions."""
    made: dict[str, Any] = {"n": len(rows), "lined": sum("lines@500" in row for row in rows)}
    for name in FIGURES:
        if name != "lines" or made["lined"]:
            made[name] = {
                str(b): round(mean([dict(r) for r in rows], f"{name}@{b}"), 4) for b in BUDGETS
            }
    return made
