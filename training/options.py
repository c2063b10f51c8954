"""How to train: every number with its meaning. Apart from `train`, which needs torch."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from training.collect import KINDS

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Options:
    """How to train.

    Attributes:
        vocabulary: The most terms that have a vector of their own.
        least: Repositories that a term has to occur in.
        dims: Of a vector while it learns.
        kept: Dimensions that are left afterwards, see `model.cut`.
        hashed: Rows that unknown terms share; 0 for none.
        batch: Questions in a step.
        streak: Questions in a row from one repository.
        epochs: The most passes over all questions.
        rate: Adam's, for the table; the weights learn three times as fast.
        temperature: Cosines are divided by it; the lower, the more the nearest wrong ones count.
        drop: Share of the terms that a bag loses at random; a question loses half as many.
        drop_field: Chance of a bag to lose a field other than body and doc, so that the model
            does not lean on names alone.
        card: Weight of the same loss over cards.
        kinds: Weight of each kind of question, as in `collect.KINDS`.
        every: Steps between two looks at the held-out repositories.
        patience: Looks without anything better after which it stops.
        seed: Of everything random.
    """

    vocabulary: int = 24_000
    least: int = 3
    dims: int = 256
    kept: int = 128
    hashed: int = 0
    batch: int = 1024
    streak: int = 64
    epochs: float = 1.2
    rate: float = 3e-3
    temperature: float = 0.07
    drop: float = 0.15
    drop_field: float = 0.2
    card: float = 0.2
    kinds: tuple[float, ...] = (1.0,) * len(KINDS)
    every: int = 100
    patience: int = 3
    seed: int = 1


def read(given: Mapping[str, str]) -> Options:
    """Make options of text, as from a command line; `kinds` are separated by commas."""
    known = {one.name: one.default for one in fields(Options)}
    values: dict[str, Any] = {}
    for name, text in given.items():
        default = known[name]
        if isinstance(default, tuple):
            values[name] = tuple(map(float, text.split(",")))
        else:
            values[name] = type(default)(text)
    return Options(**values)
