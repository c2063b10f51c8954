"""The file that holds the embedding model: what is in it, and that its reader agrees with it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

import numpy as np
import pytest
from hatchling.builders.wheel import WheelBuilder
from training import arrays, collect, evaluate, model, near, options, repositories
from training.__main__ import SHIPPED

from clew.index import tokens
from clew.index.fields import FIELDS
from clew.models.static_table import StaticTable

if TYPE_CHECKING:
    from pathlib import Path

ROOT = repositories.LIST.parents[1]
CARD = ROOT / "docs/model-card.md"


@pytest.fixture(scope="module")
def stored() -> dict[str, Any]:
    with np.load(SHIPPED) as file:
        return {name: file[name] for name in file.files}


def made(topics: int = 12, each: int = 8, seed: int = 1) -> arrays.Arrays:
    """Material of one repository: every topic has words for questions and others for code."""
    rng = np.random.default_rng(seed)
    found = collect.Material(files=topics)
    for topic in range(topics):
        for _ in range(each):
            code = rng.choice(6, 4, replace=False)
            bag = [(f"code{topic}x{word}", 5, 1 + word % 2) for word in code.tolist()]
            found.bags.append([*bag, ("common", 5, 3), (f"name{topic}", 0, 1)])
            found.file_of.append(topic)
            asked = {f"word{topic}x{word}": 1 for word in rng.choice(5, 3, replace=False).tolist()}
            kind = (collect.SENTENCE, collect.CHANGE)[len(found.bags) % 2]
            found.questions.append((kind, asked, len(found.bags) - 1))
    return arrays.pack(found)


# --- the shipped file ------------------------------------------------------------------------


def test_the_file_holds_what_its_reader_expects(stored: dict[str, Any]) -> None:
    meta = json.loads(stored["meta"].tobytes())
    words = stored["vocab"].tobytes().decode("utf-8").split("\n")
    rows, dims = stored["table"].shape
    shapes = {
        "table": (np.int8, (rows, meta["dims"])),
        "scale": (np.float32, (rows,)),
        "query_weight": (np.float32, (rows,)),
        "chunk_weight": (np.float32, (rows,)),
        "field_weight": (np.float32, (len(FIELDS),)),
        "card_weight": (np.float32, (len(FIELDS),)),
        "vocab": (np.uint8, stored["vocab"].shape),
        "near": (np.int32, (len(words), near.COUNT)),
        "near_similarity": (np.float16, (len(words), near.COUNT)),
        "meta": (np.uint8, stored["meta"].shape),
    }
    assert {name: (one.dtype.type, one.shape) for name, one in stored.items()} == shapes
    assert rows == len(words) + meta["hashed"]
    assert dims in (128, 192, 256)
    assert len(set(words)) == len(words) > 10_000
    assert meta["tokeniser"] == tokens.TOKENISER
    assert meta["id"] == model.MODEL_ID


def test_the_file_is_small_and_every_number_in_it_is_one(stored: dict[str, Any]) -> None:
    assert SHIPPED.stat().st_size < 10_000_000
    for name, values in stored.items():
        assert np.isfinite(values).all(), name
    for name in ("scale", "query_weight", "chunk_weight", "field_weight"):
        assert (stored[name] > 0).all(), name
    off_card = [FIELDS.index(field) for field in ("doc", "body")]
    assert not stored["card_weight"][off_card].any()


def test_its_words_are_terms_of_the_index(stored: dict[str, Any]) -> None:
    words = stored["vocab"].tobytes().decode("utf-8").split("\n")
    parts = [word for word in words if word.isalpha() and word.isascii()]
    again = [word for word in parts[:3000] if tokens.terms(word)]
    assert len(again) >= 0.98 * 3000


def test_near_terms_are_others_and_no_forms_of_the_same_word(stored: dict[str, Any]) -> None:
    words = stored["vocab"].tobytes().decode("utf-8").split("\n")
    assert ((stored["near"] >= -1) & (stored["near"] < len(words))).all()
    assert (stored["near_similarity"][stored["near"] < 0] == 0).all()
    assert (stored["near_similarity"][stored["near"] >= 0] >= near.LEAST - 1e-3).all()
    for row in range(0, len(words), 97):
        kept = [words[one] for one in stored["near"][row].tolist() if one >= 0]
        assert not any(near.alike(words[row], word) for word in kept)


def test_its_reader_and_the_plain_statement_of_it_agree() -> None:
    reader, plain = StaticTable(SHIPPED), model.load(SHIPPED)
    terms = tokens.terms("retry the request when the server closes the connection zzyzx")
    counts = {term: terms.count(term) for term in terms}
    found = collect.Material(
        bags=[[(term, field, 2) for term in counts for field in (0, 5)]],
        questions=[(collect.SENTENCE, counts, 0)],
        file_of=[0],
    )
    packed = arrays.pack(found)
    ids = model.rows_of(packed.terms, plain.vocabulary, plain.hashed)
    assert reader.rows(packed.terms).tolist() == ids.tolist()
    query = plain.queries(packed, ids)[0]
    np.testing.assert_allclose(reader.query("", terms), query, atol=1e-5)
    assert np.linalg.norm(plain.chunks(packed, ids), axis=1) == pytest.approx(1)
    assert np.linalg.norm(plain.chunks(packed, ids, card=True), axis=1) == pytest.approx(1)


def test_the_wheel_carries_the_model(tmp_path: Path) -> None:
    (built,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    with ZipFile(built) as wheel:
        names = wheel.namelist()
    assert "clew/models/static/code.npz" in names
    assert not any(name.startswith("training") for name in names)


def test_the_card_names_every_repository_with_its_licence() -> None:
    used = json.loads((ROOT / "training/used.json").read_text())
    card = CARD.read_text(encoding="utf-8")
    for name, facts in used.items():
        assert f"| {name} | {facts['licence']} |" in card


# --- how it is made --------------------------------------------------------------------------


def test_a_term_of_one_repository_is_no_word_of_the_vocabulary() -> None:
    one = collect.Material(
        bags=[[("shared", 5, 1), ("ours", 5, 1)]],
        questions=[(collect.SENTENCE, {"asked": 1}, 0)],
        file_of=[0],
    )
    other = collect.Material(
        bags=[[("shared", 5, 1)]], questions=[(collect.SENTENCE, {"asked": 1}, 0)], file_of=[0]
    )
    both = arrays.join([arrays.pack(one), arrays.pack(other)])
    assert set(model.choose_vocabulary(both, 10, 2)) == {"shared", "asked"}
    assert model.choose_vocabulary(both, 1, 1) == ("asked",)


def test_unknown_terms_share_rows_or_have_none() -> None:
    assert model.rows_of(["a", "c"], ["a", "b"], 0).tolist() == [0, -1]
    rows = model.rows_of(["calculator", "calculus", "b"], ["a", "b"], 16)
    assert rows[0] == rows[1] >= 2
    assert rows[2] == 1


def test_rounding_to_eight_bits_keeps_the_direction() -> None:
    table = np.random.default_rng(3).normal(size=(50, 128)).astype(np.float32)
    whole, scale = model.quantise(table)
    again = whole.astype(np.float32) * scale[:, None]
    cosine = (table * again).sum(1) / np.linalg.norm(table, axis=1) / np.linalg.norm(again, axis=1)
    assert cosine.min() > 0.999


def test_cutting_dimensions_that_tell_nothing_changes_no_cosine() -> None:
    packed = made()
    rng = np.random.default_rng(5)
    words = model.choose_vocabulary(packed, 500, 1)
    flat = rng.normal(size=(len(words), 6)) @ rng.normal(size=(6, 32))
    ones = np.ones(len(words), np.float32)
    fields = np.ones(len(FIELDS), np.float32)
    whole = model.Model(words, flat.astype(np.float32), ones, ones, fields, fields)
    ids = model.rows_of(packed.terms, words, 0)
    kept = model.cut(whole, packed, 6)
    assert kept.table.shape == (len(words), 6)
    cosines = [one.queries(packed, ids) @ one.chunks(packed, ids).T for one in (whole, kept)]
    np.testing.assert_allclose(*cosines, atol=1e-4)
    assert model.cut(kept, packed, 6) is kept


def test_scores_tell_a_perfect_ranking_from_none() -> None:
    packed = made()
    bench = evaluate.prepare("made/up", packed, 20, 1_000)
    assert evaluate.lexical_only(bench).chunk < 0.1  # no question has a word of its code
    asked = len(bench.arrays.asked_bag)
    eye = np.eye(len(bench.arrays.file_of), dtype=np.float32)
    perfect = evaluate.score(bench, eye[bench.arrays.asked_bag], eye)
    assert asked == 40
    assert (perfect.chunk, perfect.file, perfect.change) == (1, 1, 1)
    assert perfect.mean > 0.9


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("parser", "parsererror", True),
        ("serializ", "serialis", True),
        ("fetch", "load", False),
        ("request", "respons", False),
    ],
)
def test_forms_of_one_word_are_told(one: str, other: str, *, same: bool) -> None:
    assert near.alike(one, other) is same


def test_training_twice_with_one_seed_gives_one_model_that_has_learned() -> None:
    pytest.importorskip("torch", reason="training needs torch, which Clew itself does not")
    from training.train import Trainer

    packed = made(each=24)
    vocabulary = model.choose_vocabulary(packed, 500, 1)
    bench = evaluate.prepare("made/up", made(seed=2), 20, 1_000)
    chosen = options.Options(dims=16, batch=64, streak=16, epochs=12, every=20, patience=9)
    one, other = (Trainer(packed, vocabulary, [bench], chosen).run() for _ in range(2))
    np.testing.assert_array_equal(one.model.table, other.model.table)
    assert one.scores == other.scores
    assert one.scores.file > 0.8
