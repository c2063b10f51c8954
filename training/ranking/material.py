"""What there is to fit: for every question the chunks of its best files, signal by signal."""

from __future__ import annotations

from dataclasses import dataclass, fields
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

Floats: TypeAlias = NDArray[np.float32]
Ints: TypeAlias = NDArray[np.int32]
Mask: TypeAlias = NDArray[np.bool_]

DEPTH = 10
"""Files that count, as in NDCG@10."""


@dataclass(frozen=True, slots=True)
class Material:
    """One row a chunk; a question's rows stand together, and in them a file's.

    Attributes:
        signals: Their names.
        values: `[row, signal]`: what it says with a weight of 1; a penalty's are at most 0.
        in_file: The file of each row, counted over all questions.
        answers: Whether the row is one of the lines that answer; no row is where no lines are
            known.
        target: Of each file the number of the right file that it is, -1 for a wrong one.
        question: Of each file the question.
        targets: Right files of each question, found or not.
        group, source: Of each question what is held out together, and its set.
    """

    signals: NDArray[np.str_]
    values: Floats
    in_file: Ints
    answers: Mask
    target: Ints
    question: Ints
    targets: Ints
    group: NDArray[np.str_]
    source: NDArray[np.str_]

    def save(self, path: Path) -> None:
        """Keep it as arrays."""
        np.savez_compressed(path, **{each.name: getattr(self, each.name) for each in fields(self)})

    @classmethod
    def load(cls, path: Path) -> Material:
        """Read what `save` wrote."""
        with np.load(path) as arrays:
            return cls(**{each.name: arrays[each.name] for each in fields(cls)})

    @classmethod
    def join(cls, parts: Sequence[Material]) -> Material:
        """All of them, one after the other; they have the same signals."""
        shift = {
            "in_file": np.cumsum([0, *(len(part.target) for part in parts)]),
            "question": np.cumsum([0, *(len(part.targets) for part in parts)]),
        }
        joined = {
            name: np.concatenate(
                [
                    getattr(part, name) + np.int32(shift[name][at])
                    if name in shift
                    else getattr(part, name)
                    for at, part in enumerate(parts)
                ]
            )
            for name in (each.name for each in fields(cls) if each.name != "signals")
        }
        return cls(signals=parts[0].signals, **joined)

    def file_scores(self, scores: Floats) -> Floats:
        """Of each file the score of its best row."""
        return np.maximum.reduceat(scores, starts(self.in_file))

    def ndcg(self, scores: Floats) -> NDArray[np.float64]:
        """NDCG@10 of each question when rows have these scores; one target a right file."""
        files = self.file_scores(scores)
        gains = 1 / np.log2(np.arange(2, DEPTH + 2))
        found = np.zeros(len(self.targets))
        bounds = np.searchsorted(self.question, np.arange(len(self.targets) + 1))
        for number, (first, last) in enumerate(pairwise(bounds.tolist())):
            best = self.target[first:last][np.argsort(-files[first:last], kind="stable")]
            places = {int(target): at for at, target in reversed(list(enumerate(best[:DEPTH])))}
            places.pop(-1, None)
            ideal = gains[: min(DEPTH, self.targets[number])].sum()
            found[number] = sum(gains[at] for at in set(places.values())) / ideal
        return found


def starts(numbers: Ints) -> NDArray[np.intp]:
    """Where each run of equal numbers begins."""
    return np.flatnonzero(np.concatenate(([True], numbers[1:] != numbers[:-1])))
