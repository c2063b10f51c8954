"""Asks every question and keeps what each signal says of the chunks of its best files."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
from benchmarks.retrieval import engine, run
from benchmarks.retrieval.scores import same_path

from clew.search.corpus import Corpus
from clew.search.givens import without_givens
from clew.search.priors import priors
from clew.search.query import analyse
from clew.search.ranking import rank
from clew.search.steps import gather
from clew.search.weights import Weights
from training.ranking.material import Material

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.retrieval.engine import Setup
    from benchmarks.retrieval.questions import Question

    from clew.index.view import View
    from clew.models.embedder import Embedder

FILES = 40
"""Best files of a question that are kept whole, and right ones further down."""
ONES = Weights(**{each.name: 1.0 for each in fields(Weights)})


def dump(groups: Sequence[Sequence[run.Group]], setup: Setup, jobs: int) -> Material:
    """The material of all questions, which must not be empty."""
    with TemporaryDirectory() as folder:
        tasks = run.over_groups(groups, measure, (setup, folder), jobs)
        parts = [Material.load(Path(each["file"])) for each in sorted(tasks, key=_file)]
    return Material.join(parts)


def _file(line: dict[str, Any]) -> str:
    return line["file"]


def measure(task: run.Task[tuple[Setup, str]]) -> list[dict[str, Any]]:
    """Keeps the material of one group in a file of its own, which it names."""
    setup, folder = task.how
    vectors = engine.embedder(setup.embedder)
    with engine.opened(task.group.folder, setup) as view:
        parts = [one(each, view, setup, vectors) for each in task.group.questions]
    path = Path(folder) / f"{task.group.questions[0].id.replace('/', '+')}.npz"
    Material.join(parts).save(path)
    return [{"file": str(path)}]


def one(question: Question, view: View, setup: Setup, vectors: Embedder | None) -> Material:
    """The material of one question."""
    corpus = Corpus.of([view])
    asked = without_givens(analyse(question.query), corpus)
    pool, prior, _ = gather(asked, corpus, None, setup.options, vectors)
    paths = [corpus.document(doc).path for doc in range(corpus.docs[-1])]
    gold = list(dict.fromkeys(each.path for each in question.gold))
    found = list(dict.fromkeys(rank(pool, prior, setup.options.weights).docs.tolist()))
    target = {doc: _target(paths[doc], gold) for doc in found}
    kept = sorted(doc for at, doc in enumerate(found) if at < FILES or target[doc] >= 0)
    if kept:
        pool = pool.whole(kept)
    said = rank(pool, priors(corpus, asked, ONES), ONES)
    said = said.in_order(np.lexsort((said.rows, said.docs)))
    rows = view.chunks(said.rows.tolist())
    lined = [each for each in question.gold if each.has_span]
    answers = [
        any(
            same_path(row.path, each.path)
            and row.start_line <= each.end_line
            and row.end_line >= each.start_line
            for each in lined
        )
        for row in rows
    ]
    docs, file = np.unique(said.docs, return_inverse=True)
    return Material(
        signals=np.array(said.names),
        values=said.parts.T.astype(np.float32),
        in_file=file.astype(np.int32),
        answers=np.array(answers, np.bool_),
        target=np.array([target[doc] for doc in docs.tolist()], np.int32),
        question=np.zeros(len(docs), np.int32),
        targets=np.array([len(gold)], np.int32),
        group=np.array([question.repo]),
        source=np.array([question.source]),
    )


def _target(path: str, gold: Sequence[str]) -> int:
    return next((at for at, each in enumerate(gold) if same_path(path, each)), -1)
