"""Finds weights of at least 0 that put right files before wrong ones, and right spans likewise.

A listwise loss: the right files of a question share one softmax with its best wrong ones, and so
do the right chunks of a right file with its others. It is convex but for a file's best chunk, which
is chosen anew between rounds. Climbing NDCG itself finds more on the questions it sees and less on
others. Every set of questions counts the same, however many it has.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from training.ranking.material import starts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from training.ranking.material import Floats, Mask, Material


@dataclass(frozen=True, slots=True)
class Options:
    """How to fit.

    Attributes:
        temperature: Scores are divided by it: about how far right and wrong are apart.
        hold: How strongly weights are held to those that are there: the optimum is flat, and
            what little a set of questions asks for is mostly its own.
        spans: What spans count against files.
        hard: Best files of a question that take part, beside the right ones.
        rounds, steps: How often a file's best chunk is chosen, and steps of Adam between.
        rate: Adam's.
    """

    temperature: float = 0.2
    hold: float = 0.05
    spans: float = 0.3
    hard: int = 40
    rounds: int = 5
    steps: int = 40
    rate: float = 0.05


@dataclass(frozen=True, slots=True)
class Lists:
    """Rows in lists, one after the other.

    Attributes:
        first: Where each list begins.
        share: What each row should get of its list, times what the list counts.
        weight: What the row's list counts.
    """

    values: Floats
    first: NDArray[np.intp]
    share: NDArray[np.float64]
    weight: NDArray[np.float64]

    def slope(self, weights: NDArray[np.float64], temperature: float) -> NDArray[np.float64]:
        """The gradient of the lists' cross entropy."""
        if not len(self.first):
            return np.zeros_like(weights)
        scores = self.values @ weights / temperature
        sizes = np.diff(self.first, append=len(scores))
        scores = np.exp(scores - np.repeat(np.maximum.reduceat(scores, self.first), sizes))
        given = scores / np.repeat(np.add.reduceat(scores, self.first), sizes)
        return (given * self.weight - self.share) @ self.values / temperature


def fit(
    material: Material, start: NDArray[np.float64], used: Mask, options: Options
) -> NDArray[np.float64]:
    """The weights, in the order of the signals, from the questions that are used."""
    weights = start.copy()
    counts = _counts(material, used)
    spans = _spans(material, counts)
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    total = options.rounds * options.steps
    files = _files(material, counts, weights, options.hard)
    for step in range(total):
        if step and step % options.steps == 0:
            files = _files(material, counts, weights, options.hard)
        slope = files.slope(weights, options.temperature) + options.hold * (weights - start)
        slope += options.spans * spans.slope(weights, options.temperature)
        mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope**2
        pace = np.sqrt(square / (1 - 0.99 ** (step + 1))) + 1e-8
        weights -= options.rate * (1 - 0.9 * step / total) * mean / (1 - 0.9 ** (step + 1)) / pace
        np.maximum(weights, 0, out=weights)
    return weights


def _counts(material: Material, used: Mask) -> NDArray[np.float64]:
    """What each question counts: every source the same in all, those without an answer nothing."""
    right = np.bincount(material.question, material.target >= 0, len(material.targets)) > 0
    counts = np.zeros(len(used))
    for source in np.unique(material.source):
        these = used & right & (material.source == source)
        counts[these] = 1 / max(np.count_nonzero(these), 1)
    return counts / max(counts.sum(), 1e-9)


def _files(
    material: Material, counts: NDArray[np.float64], weights: NDArray[np.float64], hard: int
) -> Lists:
    """Of each question the best row of its right files and of its best wrong ones."""
    scores = (material.values @ weights).astype(np.float32)
    best = material.file_scores(scores)
    order = np.lexsort((-best, material.question))
    place = np.empty(len(best), np.intp)
    place[order] = np.arange(len(best)) - np.searchsorted(
        material.question[order], material.question[order]
    )
    kept = (counts[material.question] > 0) & ((place < hard) | (material.target >= 0))
    rows = np.flatnonzero(scores >= best[material.in_file])
    rows = rows[starts(material.in_file[rows])][kept]
    question, right = material.question[kept], material.target[kept] >= 0
    return _lists(material.values[rows], question, right, counts[question])


def _spans(material: Material, counts: NDArray[np.float64]) -> Lists:
    """The rows of the files in which lines that answer are known."""
    known = np.zeros(len(material.target), np.bool_)
    known[material.in_file[material.answers]] = True
    known &= counts[material.question] > 0
    rows = np.flatnonzero(known[material.in_file])
    file = material.in_file[rows]
    weight = counts[material.question[file]]
    each = weight[starts(file)].sum() if len(rows) else 1.0
    return _lists(material.values[rows], file, material.answers[rows], weight / max(each, 1e-9))


def _lists(
    values: Floats, numbers: NDArray[np.int32], right: Mask, weight: NDArray[np.float64]
) -> Lists:
    """Rows with the same number are a list; its right rows share alike."""
    if not len(numbers):
        return Lists(values, np.zeros(0, np.intp), weight, weight)
    first = starts(numbers)
    sizes = np.diff(first, append=len(numbers))
    among = np.maximum(np.repeat(np.add.reduceat(right.astype(np.int64), first), sizes), 1)
    return Lists(values, first, right * weight / among, weight)


def held_out(
    material: Material, start: NDArray[np.float64], options: Options, folds: int = 4
) -> NDArray[np.float64]:
    """NDCG@10 of each question by weights that saw no question of its repository.

    A source with one repository alone is divided by question.
    """
    fold = np.unique(material.group, return_inverse=True)[1] % folds
    for source in np.unique(material.source):
        these = np.flatnonzero(material.source == source)
        if len(np.unique(material.group[these])) == 1:
            fold[these] = np.arange(len(these)) % folds
    found = np.zeros(len(material.targets))
    for number in range(folds):
        weights = fit(material, start, fold != number, options)
        scored = material.ndcg((material.values @ weights).astype(np.float32))
        found[fold == number] = scored[fold == number]
    return found
