"""Every chunk has the vector that its own postings give, whatever became of the index."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clew.index import build as build_module
from clew.index.compact import compact
from clew.index.dense import Dense, Matrix
from clew.index.postings import FIELDS, POSTING
from clew.index.view import open_view
from support.embedders import static_model
from support.indexes import view_of, vocabulary
from support.snapshots import MemorySnapshot
from test_index_equal import CONTENTS, HISTORIES, PATHS


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return static_model(tmp_path_factory.mktemp("model"))


def snapshot(**files):
    return MemorySnapshot({f"{name}.py": text.encode() for name, text in files.items()})


TREE = MemorySnapshot(dict(zip(PATHS, CONTENTS, strict=True)))


def expected(view, model):
    """Each chunk's vector by the definition, one posting after the other."""
    sums = np.zeros((view.chunk_count, model.dims))
    for term in vocabulary(view):
        [row] = model.rows([term])
        found = view.postings(term)
        for chunk, field, tf in zip(found.chunk, found.field, found.tf, strict=True):
            weight = model.chunk_weight[row] * model.field_weight[field] * (1 + np.log(tf))
            sums[chunk] += weight * model.table[row].astype(float)
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    return sums / np.where(lengths > 0, lengths, 1)


def all_rows(view):
    return np.arange(view.chunk_count, dtype=np.int32)


def test_a_chunks_vector_is_the_sum_over_its_postings(tmp_path, model):
    with view_of(TREE, tmp_path / "i.db", embedder=model) as view:
        dense = view.vectors(model.id)
        assert dense.dims == model.dims
        rows = dense.rows(all_rows(view))
        wanted = expected(view, model)
        np.testing.assert_allclose(rows, wanted, atol=0.005)
        query = model.query("", ["alpha", "gamma"])
        np.testing.assert_allclose(dense.scores(query), wanted @ query, atol=0.01)


def test_a_centroids_cosine_comes_from_the_scores_and_the_norm(tmp_path, model):
    with view_of(TREE, tmp_path / "i.db", embedder=model) as view:
        dense = view.vectors(model.id)
        query = model.query("", ["beta", "class"])
        scores = dense.scores(query)
        for document in view.documents():
            mine = np.flatnonzero(view.chunk_doc == document.id)
            if not len(mine):
                assert dense.norms[document.id] == 0
                continue
            centroid = dense.rows(mine.astype(np.int32)).sum(axis=0)
            cosine = centroid @ query / np.linalg.norm(centroid)
            assert scores[mine].sum() / dense.norms[document.id] == pytest.approx(cosine, abs=0.01)


def test_without_an_embedder_and_for_another_one_there_are_no_vectors(tmp_path, model):
    with view_of(TREE, tmp_path / "i.db") as view:
        assert view.vectors(model.id) is None
        assert view.embedded(model.id) == 0
    with view_of(TREE, tmp_path / "j.db", embedder=model) as view:
        assert view.embedded(model.id) == 1
        assert view.vectors("another") is None


def told(view, model):
    """Everything that the vectors of a view can say, to the last bit."""
    dense = view.vectors(model.id)
    query = model.query("", ["alpha", "beta", "unheard"])
    return (
        dense.rows(all_rows(view)).tolist(),
        dense.scores(query).tolist(),
        dense.norms.tolist(),
    )


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    history=HISTORIES, max_chunks=st.integers(1, 6), small=st.integers(1, 30), keep=st.booleans()
)
def test_edits_joins_and_compactions_leave_the_vectors_of_a_fresh_build(
    tmp_path_factory, model, history, max_chunks, small, keep
):
    folder = tmp_path_factory.mktemp("grown")
    path = folder / "grown.db"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(build_module, "MAX_SMALL", small)
        for files in [*history, history[0]]:
            view_of(MemorySnapshot(files), path, max_chunks=max_chunks, embedder=model).close()
    if keep:
        wanted = MemorySnapshot(history[0]).revision.id
        compact(path, lambda row: row.id == wanted, lambda: None)
    for at, files in enumerate(history[: 1 if keep else None]):
        one = MemorySnapshot(files)
        with (
            open_view(path, one.source, one.revision) as view,
            view_of(one, folder / f"{at}.db", embedder=model) as fresh,
        ):
            assert told(view, model) == told(fresh, model)


def test_vectors_without_a_length_score_nothing(tmp_path):
    model = static_model(tmp_path, hashed=0)
    tree = snapshot(zzz="zzz = yyy\n", alpha="alpha = 1\n")
    with view_of(tree, tmp_path / "i.db", embedder=model) as view:
        dense = view.vectors(model.id)
        query = model.query("", ["alpha"])
        assert dense.scores(query).tolist() == pytest.approx([dense.scores(query)[0], 0])
        assert dense.norms.tolist() == pytest.approx([1, 0], abs=0.02)
        assert not dense.scores(model.query("", ["zzz"])).any()


@pytest.mark.parametrize("count", [0, 1, 2, 300, 1_000])
def test_scores_are_those_of_the_rows_to_the_rounding_of_the_question(count):
    rng = np.random.default_rng(count)
    matrix = Matrix(count, 32)
    matrix.rows[:] = rng.integers(-127, 128, (count, 32))
    matrix.scales[:] = rng.random(count) / 500
    dense = Dense(matrix, np.zeros(count, np.int32), 1)
    query = rng.standard_normal(32).astype(np.float32)
    query /= np.linalg.norm(query)
    exact = dense.rows(np.arange(count, dtype=np.int32)) @ query
    found = dense.scores(query)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, exact, atol=0.003)


def test_the_fields_of_a_posting_are_those_that_a_model_weighs():
    assert len(FIELDS) == 7
    assert POSTING.itemsize == 4
