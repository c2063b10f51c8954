"""What fits the weights: it sees what search sees, and finds what it was given to find."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np
import pytest
from benchmarks.retrieval import engine, run
from benchmarks.retrieval.questions import Gold, Question
from training.ranking import dump, fit
from training.ranking.__main__ import main
from training.ranking.material import Material

from clew.models.embedders import embedder_of
from clew.search import search
from clew.search.weights import Weights
from support.searchable import SHOP, searchable

STATIC = embedder_of("static")
SIGNALS = ("good", "noise", "lines")
START = np.array([0.1, 0.1, 0.1])


def made(questions: int = 60, files: int = 8, chunks: int = 4, seed: int = 3) -> Material:
    """One signal tells the right file, one the right lines in it, one tells nothing."""
    rng = np.random.default_rng(seed)
    total = questions * files
    target = np.full(total, -1, np.int32)
    target[::files] = 0
    values = rng.random((total * chunks, 3)).astype(np.float32)
    answers = np.zeros(total * chunks, np.bool_)
    answers[:: files * chunks] = True
    values[:, 0] *= 0.5
    values[np.repeat(target >= 0, chunks), 0] += 0.4
    values[:, 2] *= 0.5
    values[answers, 2] += 0.4
    return Material(
        signals=np.array(SIGNALS),
        values=values,
        in_file=np.repeat(np.arange(total), chunks).astype(np.int32),
        answers=answers,
        target=target,
        question=np.repeat(np.arange(questions), files).astype(np.int32),
        targets=np.ones(questions, np.int32),
        group=np.array([f"repository{at % 5}" for at in range(questions)]),
        source=np.array([f"set{at % 2}" for at in range(questions)]),
    )


def test_a_signal_that_tells_gets_weight_and_one_that_does_not_gets_none():
    material = made()
    everything = np.ones(len(material.targets), np.bool_)
    weights = fit.fit(material, START, everything, fit.Options(hold=0.001))
    good, noise, lines = weights
    assert good > 5 * noise
    assert lines > 5 * noise
    assert (weights >= 0).all()
    before = material.ndcg((material.values @ START).astype(np.float32)).mean()
    after = material.ndcg((material.values @ weights).astype(np.float32)).mean()
    assert after > before + 0.05
    assert (weights == fit.fit(material, START, everything, fit.Options(hold=0.001))).all()


def test_without_spans_only_the_order_of_files_counts():
    everything = np.ones(60, np.bool_)
    with_spans = fit.fit(made(), START, everything, fit.Options(hold=0.001))
    without = fit.fit(made(), START, everything, fit.Options(hold=0.001, spans=0.0))
    assert without[2] < with_spans[2]


def test_weights_are_held_to_those_that_are_there():
    everything = np.ones(60, np.bool_)
    held = fit.fit(made(), START, everything, fit.Options(hold=100.0))
    assert held == pytest.approx(START, abs=0.05)


def test_questions_that_are_held_out_do_not_teach():
    material = made()
    used = material.group != "repository0"
    changed = made()
    rows = ~used[changed.question[changed.in_file]]
    changed.values[rows] = changed.values[rows][:, ::-1]
    options = fit.Options()
    one, other = (fit.fit(each, START, used, options) for each in (material, changed))
    assert (one == other).all()
    held = fit.held_out(material, START, options)
    assert held.shape == material.targets.shape
    assert 0.5 < held.mean() <= 1


def test_ndcg_counts_each_right_file_once_at_its_place():
    material = Material(
        signals=np.array(["only"]),
        values=np.array([[3], [1], [2], [9]], np.float32),
        in_file=np.array([0, 0, 1, 2], np.int32),
        answers=np.zeros(4, np.bool_),
        target=np.array([0, -1, -1], np.int32),
        question=np.array([0, 0, 1], np.int32),
        targets=np.array([2, 1], np.int32),
        group=np.array(["a", "b"]),
        source=np.array(["s", "s"]),
    )
    ideal = 1 + 1 / np.log2(3)
    assert material.ndcg(material.values[:, 0]) == pytest.approx([1 / ideal, 0])
    assert material.ndcg(-material.values[:, 0]) == pytest.approx([1 / ideal, 0])


def test_joined_and_stored_material_is_the_same(tmp_path):
    one, other = made(seed=1), made(seed=2)
    joined = Material.join([one, other])
    joined.save(tmp_path / "m.npz")
    again = Material.load(tmp_path / "m.npz")
    scores = np.concatenate([one.values[:, 0], other.values[:, 0]])
    apart = np.concatenate([each.ndcg(each.values[:, 0]) for each in (one, other)])
    assert again.ndcg(scores).tolist() == apart.tolist()
    assert again.in_file.max() == 2 * 480 - 1


def question(text: str, *gold: Gold) -> Question:
    return Question("q", "set", "own/shop", "c" * 40, "", "python", text, "semantic", gold)


def test_the_material_of_a_question_orders_files_as_search_does(tmp_path):
    setup = engine.Setup(tmp_path)
    with searchable(SHOP, tmp_path, embedder=STATIC) as view:
        for text in ("where do we apply a discount?", "Router", "is the coupon tested?"):
            asked = question(text, Gold("shop/cart.py", 17, 18), Gold("no/such.py"))
            material = dump.one(asked, view, setup, STATIC)
            weights = [getattr(Weights(), name) for name in material.signals.tolist()]
            scores = material.values @ np.array(weights, np.float32)
            best = sorted(material.file_scores(scores).tolist(), reverse=True)
            hits = search(text, [view], embedder=STATIC).hits
            assert best[: len(hits)] == pytest.approx([hit.score for hit in hits], abs=1e-4)
            assert material.targets.tolist() == [2]
            assert sorted(set(material.target.tolist())) == [-1, 0]
            assert np.count_nonzero(material.answers) == 1


def test_questions_become_weights_on_the_command_line(tmp_path, monkeypatch, capsys):
    @contextmanager
    def opened(folder, setup):
        with searchable(SHOP, tmp_path, embedder=STATIC) as view:
            yield view

    monkeypatch.setattr(engine, "opened", opened)
    asked = (
        question("apply a discount", Gold("shop/cart.py", 17, 22)),
        question("forget a path pattern", Gold("web/router.ts")),
    )
    groups = [[run.Group(tmp_path, "", asked)]]
    dump.dump(groups, engine.Setup(tmp_path), 1).save(tmp_path / "m.npz")
    assert main(["fit", str(tmp_path / "m.npz")]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in ("held out", "set", "lexical", "test"))
