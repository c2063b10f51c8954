"""Trains the table and its weights: a question's vector has to lie nearest its own code's.

In-batch negatives: every other bag of the batch is a wrong answer. Batches are made of runs from
one repository, whose chunks speak of the same things, so that many of those are hard. Training
stops where the held-out repositories say so; the best state is returned.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch.nn import functional

from clew.index.fields import FIELDS
from training import evaluate, start
from training.arrays import gather
from training.collect import CHANGE, SENTENCE, WHOLE_DOC
from training.model import CARD_FIELDS, Model, rows_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from training.arrays import Arrays, Ints
    from training.evaluate import Bench, Scores
    from training.options import Options

_FIELDS = len(FIELDS)
_FIRST_FIELDS = (1.5, 1.0, 0.8, 1.0, 0.5, 1.0, 0.6)  # where their learning begins, by FIELDS


class _Net(torch.nn.Module):
    """The trained values; weights are kept as logarithms, so that they stay positive."""

    def __init__(self, table: torch.Tensor, idf: torch.Tensor) -> None:
        super().__init__()
        self.table = torch.nn.Parameter(table)
        self.query = torch.nn.Parameter(idf.clone())
        self.chunk = torch.nn.Parameter(idf.clone())
        self.fields = torch.nn.Parameter(torch.tensor(_FIRST_FIELDS).log())
        self.card = torch.nn.Parameter(torch.tensor(_FIRST_FIELDS).log())

    def sum(self, term: torch.Tensor, begin: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        added = functional.embedding_bag(
            term, self.table, begin, mode="sum", per_sample_weights=weight
        )
        return functional.normalize(added, dim=1)


@dataclass(frozen=True, slots=True)
class Trained:
    """The best model and what was seen on the way there."""

    model: Model
    scores: Scores
    steps: int
    cpu_seconds: float


class Trainer:
    """One training run over one vocabulary."""

    def __init__(
        self, arrays: Arrays, vocabulary: tuple[str, ...], held_out: list[Bench], options: Options
    ) -> None:
        torch.set_num_threads(1)  # the order of sums is part of the result
        torch.manual_seed(options.seed)
        self._rng = np.random.default_rng(options.seed)
        self._options = options
        self._vocabulary = vocabulary
        self._held_out = held_out
        self._held_ids = [
            rows_of(bench.arrays.terms, vocabulary, options.hashed) for bench in held_out
        ]
        ids = rows_of(arrays.terms, vocabulary, options.hashed)
        self._arrays = arrays
        self._term, self._asked = ids[arrays.bag_term], ids[arrays.asked_term]
        self._times = _times(arrays.bag_times)
        self._asked_times = _times(arrays.asked_times)
        self._bag_key = _keys(arrays.bag_start, arrays.bag_term)
        self._asked_key = _keys(arrays.asked_start, arrays.asked_term)
        rows = len(vocabulary) + options.hashed
        table = start.vectors(arrays, ids, rows, options.dims, options.seed)
        self._net = _Net(table, self._idf())
        weights = [self._net.query, self._net.chunk, self._net.fields, self._net.card]
        self._adam = torch.optim.Adam(
            [{"params": [self._net.table]}, {"params": weights}], lr=options.rate, betas=(0.9, 0.99)
        )

    def run(self) -> Trained:
        """Train until the held-out repositories gain nothing more, or the epochs are over."""
        options = self._options
        usable = self._usable()
        total = int(options.epochs * len(usable) / options.batch)
        best: tuple[Scores, Model, int] | None = None
        behind, started = 0, time.process_time()
        for step, chosen in enumerate(self._batches(usable)):
            done = step / total
            loss = self._step(chosen, min(1.0, step / 30 + 0.05) * max(1 - done, 0.0))
            if (step + 1) % options.every and step + 1 < total:
                continue
            model = self.model()
            scores = self.score(model)
            print(
                f"step {step + 1}/{total} loss {loss:.3f} {scores} "
                f"({time.process_time() - started:.0f} s)",
                file=sys.stderr,
                flush=True,
            )
            if best is None or scores.mean > best[0].mean:
                best, behind = (scores, model, step + 1), 0
            else:
                behind += 1
            if behind >= options.patience or step + 1 >= total:
                break
        if best is None:
            raise ValueError("there are too few questions for a single step")
        return Trained(best[1], best[0], best[2], time.process_time() - started)

    def model(self) -> Model:
        """The present state."""
        net = {name: value.detach().numpy().copy() for name, value in self._net.named_parameters()}
        card = np.zeros(_FIELDS, np.float32)
        card[list(CARD_FIELDS)] = np.exp(net["card"][list(CARD_FIELDS)])
        return Model(
            vocabulary=self._vocabulary,
            table=net["table"],
            query_weight=np.exp(net["query"]),
            chunk_weight=np.exp(net["chunk"]),
            field_weight=np.exp(net["fields"]),
            card_weight=card,
        )

    def score(self, model: Model) -> Scores:
        """The mean over the held-out repositories."""
        pairs = zip(self._held_out, self._held_ids, strict=True)
        return evaluate.mean(
            [
                evaluate.score(
                    bench, model.queries(bench.arrays, ids), model.chunks(bench.arrays, ids)
                )
                for bench, ids in pairs
            ]
        )

    # --- one step --------------------------------------------------------------------------

    def _step(self, chosen: Ints, rate: float) -> float:
        options = self._options
        for group, factor in zip(self._adam.param_groups, (1, 3), strict=True):
            group["lr"] = options.rate * rate * factor
        query = self._queries(chosen)
        bags = self._arrays.asked_bag[chosen]
        term, begin, field, times = self._bags(bags)
        weight = self._net.chunk[term].exp() * times
        chunk = self._net.sum(term, begin, weight * self._net.fields.exp()[field])
        same = self._same(chosen, bags)
        kind = torch.from_numpy(np.array(options.kinds, np.float32)[self._kinds(chosen)])
        loss = self._contrast(query, chunk, same, kind)
        if options.card:
            loss = loss + options.card * self._card_loss(
                chosen, query, same, (term, begin, field, weight)
            )
        self._adam.zero_grad()
        loss.backward()
        self._adam.step()
        return float(loss.item())

    def _card_loss(
        self,
        chosen: Ints,
        query: torch.Tensor,
        same: torch.Tensor,
        bags: tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor],
    ) -> torch.Tensor:
        """The same over cards, for the questions that a card may answer."""
        term, begin, field, weight = bags
        fields = torch.zeros(_FIELDS)
        fields[list(CARD_FIELDS)] = self._net.card.exp()[list(CARD_FIELDS)]
        kept = fields[field] > 0
        sizes = torch.segment_reduce(kept.float(), "sum", offsets=_ends(begin, len(term))).long()
        weight = weight[kept] * fields[field][kept]
        card = self._net.sum(term[kept], sizes.cumsum(0) - sizes, weight)
        told = np.flatnonzero(np.isin(self._kinds(chosen), (SENTENCE, WHOLE_DOC, CHANGE)))
        rows = torch.from_numpy(told)
        cosine = (query[rows] @ card.T / self._options.temperature).masked_fill(same[rows], -1e4)
        return functional.cross_entropy(cosine, rows)

    def _contrast(
        self, query: torch.Tensor, code: torch.Tensor, same: torch.Tensor, weight: torch.Tensor
    ) -> torch.Tensor:
        cosine = (query @ code.T / self._options.temperature).masked_fill(same, -1e4)
        right = torch.arange(len(query))
        asked = functional.cross_entropy(cosine, right, reduction="none")
        found = functional.cross_entropy(cosine.T, right, reduction="none")
        return ((asked + 0.5 * found) / 1.5 * weight).sum() / weight.sum().clamp_min(1)

    def _queries(self, chosen: Ints) -> torch.Tensor:
        at, begin = gather(self._arrays.asked_start, chosen)
        term = self._asked[at]
        times = self._asked_times[at] * self._kept(len(at), self._options.drop / 2)
        times[term < 0] = 0
        rows = torch.from_numpy(np.maximum(term, 0))
        weight = self._net.query[rows].exp() * torch.from_numpy(times)
        return self._net.sum(rows, torch.from_numpy(begin), weight)

    def _bags(self, bags: Ints) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
        at, begin = gather(self._arrays.bag_start, bags)
        size = np.diff(np.append(begin, len(at)))
        term, field = self._term[at], self._arrays.bag_field[at].astype(np.int64)
        times = self._times[at] * self._kept(len(at), self._options.drop)
        lost = self._rng.random((len(bags), _FIELDS)) < self._options.drop_field
        lost[:, [field for field in range(_FIELDS) if field not in CARD_FIELDS]] = False
        times[lost[np.repeat(np.arange(len(bags)), size), field] | (term < 0)] = 0
        return (
            torch.from_numpy(np.maximum(term, 0)),
            torch.from_numpy(begin),
            torch.from_numpy(field),
            torch.from_numpy(times),
        )

    def _same(self, chosen: Ints, bags: Ints) -> torch.Tensor:
        """Pairs in the batch that are no wrong answers: the same code, or the same question."""
        code, asked = self._bag_key[bags], self._asked_key[chosen]
        same = (code[:, None] == code[None]) | (asked[:, None] == asked[None])
        np.fill_diagonal(same, val=False)
        return torch.from_numpy(same)

    # --- material --------------------------------------------------------------------------

    def _batches(self, usable: Ints) -> Iterator[Ints]:
        repo = self._arrays.repo[usable]
        groups = [usable[repo == one] for one in np.unique(repo)]
        while True:
            runs = [
                mixed[at : at + self._options.streak]
                for group in groups
                for mixed in (self._rng.permutation(group),)
                for at in range(0, len(group), self._options.streak)
            ]
            order = self._rng.permutation(len(runs))
            flat = np.concatenate([runs[one] for one in order])
            for at in range(0, len(flat) - self._options.batch + 1, self._options.batch):
                yield flat[at : at + self._options.batch]

    def _usable(self) -> Ints:
        """Questions of which the vocabulary knows anything, on both sides."""
        known = np.add.reduceat(np.append(self._asked >= 0, False), self._arrays.asked_start[:-1])
        size = np.diff(self._arrays.bag_start)[self._arrays.asked_bag]
        weighed = np.array(self._options.kinds)[self._arrays.asked_kind] > 0
        return np.flatnonzero((known > 0) & (size > 3) & weighed)

    def _kinds(self, chosen: Ints) -> NDArray[np.int64]:
        return self._arrays.asked_kind[chosen].astype(np.int64)

    def _kept(self, size: int, drop: float) -> NDArray[np.float32]:
        return (self._rng.random(size) >= drop).astype(np.float32)

    def _idf(self) -> torch.Tensor:
        """Where term weights begin: the logarithm of the inverse document frequency."""
        rows = len(self._vocabulary) + self._options.hashed
        count = np.bincount(self._term[self._term >= 0], minlength=rows).astype(np.float64)
        idf = np.log(len(self._arrays.bag_start) / (count + 1))
        idf[len(self._vocabulary) :] = idf.max() / 2
        return torch.from_numpy(np.log(np.maximum(idf / idf.max(), 0.02)).astype(np.float32))


def _ends(begin: torch.Tensor, size: int) -> torch.Tensor:
    return torch.cat([begin, torch.tensor([size])])


def _keys(start: Ints, term: Ints) -> Ints:
    """A number for each bag that depends on its terms alone."""
    mixed = (term.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    sums = np.concatenate([[np.uint64(0)], np.cumsum(mixed, dtype=np.uint64)])
    return sums[start[1:]] - sums[start[:-1]]


def _times(times: Ints) -> NDArray[np.float32]:
    return 1 + np.log(times.astype(np.float32))
