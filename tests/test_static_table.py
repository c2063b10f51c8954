"""A static model is a file of numbers: read lazily, by numpy, and known by what it holds."""

from __future__ import annotations

import json
from contextlib import suppress
from zlib import crc32

import numpy as np
import pytest

from clew.errors import IndexFailedError
from clew.models.static_table import StaticTable
from support.embedders import VOCABULARY, static_model, write_model


def test_a_questions_vector_is_the_weighted_sum_of_its_terms_rows(tmp_path):
    path = write_model(tmp_path / "m.npz")
    model = StaticTable(path)
    file = np.load(path)
    total = np.zeros(16)
    for term, times in (("alpha", 2), ("gamma", 1), ("unheard", 1)):
        row = VOCABULARY.index(term) if term in VOCABULARY else 10 + crc32(b"unhe") % 8
        weight = file["query_weight"][row] * file["scale"][row] * (1 + np.log(times))
        total += weight * file["table"][row].astype(float)
    found = model.query("?", ["alpha", "gamma", "alpha", "unheard"])
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, total / np.linalg.norm(total), rtol=1e-5)


def test_terms_that_begin_alike_share_a_row_and_without_such_rows_have_none(tmp_path):
    model = static_model(tmp_path)
    assert model.rows(["beta"]).tolist() == [1]
    shared = model.rows(["unheard", "unhelpful", "ünder", "x", "\ud800"])
    assert shared[0] == shared[1]
    assert (shared >= len(VOCABULARY)).all()
    bare = static_model(tmp_path, hashed=0)
    assert bare.rows(["unheard", "beta"]).tolist() == [-1, 1]
    assert not bare.query("", ["unheard"]).any()
    assert not bare.query("", []).any()


def test_the_id_tells_one_training_from_another(tmp_path):
    one, same, other = (
        static_model(tmp_path, seed=1),
        StaticTable(write_model(tmp_path / "copy.npz", seed=1)),
        static_model(tmp_path, seed=2),
    )
    assert one.id.startswith("toy-")
    assert one.id == same.id != other.id
    assert one.dims == 16


def test_near_words_come_with_their_cosines(tmp_path):
    model = static_model(tmp_path)
    near = model.near("alpha")
    assert len(near) == 8
    assert all(word in VOCABULARY and 0 <= cosine <= 1 for word, cosine in near)
    assert model.near("unheard") == []


def test_a_word_with_few_near_ones_names_no_others(tmp_path):
    path = write_model(tmp_path / "m.npz")
    arrays = dict(np.load(path))
    arrays["near"][0, 3:] = -1
    np.savez(path, **arrays)
    assert len(StaticTable(path).near(VOCABULARY[0])) == 3


@pytest.mark.parametrize("damage", ["missing", "rubbish", "cut", "other", "empty", "one array"])
def test_a_model_file_that_is_not_one_is_one_clear_error(tmp_path, damage):
    path = write_model(tmp_path / "m.npz")
    if damage == "missing":
        path.unlink()
    elif damage == "other":
        np.savez(path, meta=np.frombuffer(json.dumps({"id": "x"}).encode(), np.uint8))
    elif damage == "empty":
        path.write_bytes(b"")
    elif damage == "one array":
        with path.open("wb") as file:
            np.save(file, np.zeros(3))
    else:
        path.write_bytes(b"no" * 99 if damage == "rubbish" else path.read_bytes()[:300])
    with pytest.raises(IndexFailedError, match="install Clew again"):
        StaticTable(path).rows(["alpha"])


def test_no_changed_byte_of_a_model_file_is_another_error(tmp_path):
    whole = write_model(tmp_path / "m.npz").read_bytes()
    path = tmp_path / "changed.npz"
    for at in range(0, len(whole), 5):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1 :])
        model = StaticTable(path)
        with suppress(IndexFailedError):  # some bytes mean nothing
            assert model.id
            model.query("", ["alpha"])
            model.near("alpha")
