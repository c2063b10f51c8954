"""Embedders in folders of this machine; nothing is fetched for them."""

from __future__ import annotations

import importlib
import math
import socket
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from clew.errors import ProviderRefusedError, SettingsError
from clew.models import extras, local
from clew.models.embedders import embedder_of
from clew.models.local import MAX_CHARS, Model2VecEmbedder
from clew.models.reranker import RerankOptions, make_reranker
from support.localmodels import static_model

if TYPE_CHECKING:
    from pathlib import Path

    from clew.models.reranker import Reranker


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a local model asked the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)


def refused(name: str) -> str:
    with pytest.raises(SettingsError) as raised:
        embedder_of(name)
    return raised.value.message


def test_a_model2vec_folder_embeds_texts_and_questions_into_one_space(tmp_path: Path) -> None:
    made = embedder_of(f"model2vec:{static_model(tmp_path / 'tiny')}")
    assert isinstance(made, Model2VecEmbedder)
    rows = made.embed(["retry refund", "login user", "retry"])
    assert (rows.dtype, rows.shape, made.dims) == (np.float32, (3, 8), 8)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)
    near = rows @ made.query("retry", ["retri"])
    assert near.argmax() == 2
    assert near[0] > near[1]


def test_a_text_of_which_a_model_knows_nothing_points_nowhere(tmp_path: Path) -> None:
    made = Model2VecEmbedder(str(static_model(tmp_path / "tiny")))
    rows = made.embed(["zebra", "", "\ud800", "retry"])
    assert np.isfinite(rows).all()
    assert rows.any(axis=1).tolist() == [False, False, False, True]
    assert made.embed([]).shape == (0, 8)


def test_the_id_is_that_of_the_model_and_not_of_its_place(tmp_path: Path) -> None:
    one = Model2VecEmbedder(str(static_model(tmp_path / "a" / "tiny")))
    same = Model2VecEmbedder(str(static_model(tmp_path / "b" / "tiny")))
    other = Model2VecEmbedder(str(static_model(tmp_path / "c" / "tiny", ("retry", "x"))))
    assert one.id == same.id
    assert one.id != other.id
    assert one.id.startswith("model2vec:tiny@")
    assert one.id.endswith("/8")


def test_a_long_text_is_cut_before_it_is_split_into_words(tmp_path: Path) -> None:
    made = Model2VecEmbedder(str(static_model(tmp_path / "tiny")))
    long = "retry " * MAX_CHARS + "login"
    assert np.allclose(made.embed([long])[0], made.embed(["retry"])[0])


@pytest.mark.parametrize("provider", ["model2vec", "sentence-transformers"])
@pytest.mark.parametrize("path", ["minishlab/potion-base-2M", "/nowhere/at/all", "~nobody/model"])
def test_a_name_of_a_hub_is_not_looked_up(provider: str, path: str) -> None:
    said = refused(f"{provider}:{path}")
    assert "is not a folder on this machine" in said
    assert "Clew downloads none" in said


def test_a_folder_without_a_model_is_told(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"nothing of use")
    said = refused(f"model2vec:{tmp_path}")
    assert said.startswith(f"model2vec:{tmp_path} can't be loaded: ")


def test_a_damaged_model_is_told(tmp_path: Path) -> None:
    folder = static_model(tmp_path / "tiny")
    for name in ("tokenizer.json", "model.safetensors", "config.json"):
        whole = (folder / name).read_bytes()
        (folder / name).write_bytes(whole[: len(whole) // 2])
        assert "can't be loaded: " in refused(f"model2vec:{folder}")
        (folder / name).write_bytes(whole)
    assert embedder_of(f"model2vec:{folder}") is not None


@pytest.mark.parametrize("provider", ["model2vec", "sentence-transformers"])
def test_a_missing_package_says_how_to_install_it(
    provider: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing(name: str) -> Any:
        raise ImportError(f"No module named {name!r}", name=name)

    monkeypatch.setattr(extras, "import_module", nothing)
    said = refused(f"{provider}:{tmp_path}")
    assert said == (
        f"A model in a local folder needs the package {provider}, which is not installed: install "
        'it with pip install "clew[local]".'
    )


def _has(*modules: str) -> bool:
    try:
        for module in modules:
            importlib.import_module(module)
    except ImportError:
        return False
    return True


torch_only = pytest.mark.skipif(
    not _has("torch", "sentence_transformers"),
    reason='needs sentence-transformers and torch: pip install "clew[local]"',
)


@torch_only
def test_a_sentence_transformers_folder_embeds(tmp_path: Path) -> None:
    from support.localtransformers import sentence_model

    made = embedder_of(f"sentence-transformers:{sentence_model(tmp_path / 'tiny')}")
    assert made is not None
    rows = made.embed(["retry refund", "login"])  # type: ignore[union-attr] # it reads texts
    assert rows.shape == (2, made.dims)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)
    assert np.allclose(made.query("retry refund", []), rows[0], atol=1e-5)
    assert made.id.startswith("sentence-transformers:tiny@")


@torch_only
def test_a_cross_encoder_folder_scores(tmp_path: Path) -> None:
    from clew.errors import ProviderDownError
    from support.localtransformers import cross_encoder

    folder = cross_encoder(tmp_path / "tiny")
    name = f"sentence-transformers:{folder}"
    texts = [f"text {at} retry" for at in range(19)]
    scores = make_reranker(RerankOptions(name)).scores("retry", texts)
    assert (scores.dtype, scores.shape) == (np.float32, (19,))
    with pytest.raises(ProviderDownError, match="did not finish in time"):
        make_reranker(RerankOptions(name, seconds=-1.0)).scores("retry", texts)


@torch_only
def test_a_folder_is_loaded_without_bars(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    from support.localtransformers import cross_encoder, sentence_model

    folders = sentence_model(tmp_path / "one"), cross_encoder(tmp_path / "two")
    capfd.readouterr()
    assert embedder_of(f"sentence-transformers:{folders[0]}")
    assert make_reranker(RerankOptions(f"sentence-transformers:{folders[1]}"))
    assert capfd.readouterr() == ("", "")


class _Scores:
    """In the place of sentence-transformers: a cross-encoder that gives what it is told to."""

    def __init__(self, given: object) -> None:
        self._given = given
        self.made = 0

    def CrossEncoder(self, *_: object, **__: object) -> _Scores:  # noqa: N802 - the library's name
        self.made += 1
        return self

    def predict(self, *_: object, **__: object) -> object:
        return self._given


def _local_reranker(folder: Path, library: _Scores, monkeypatch: pytest.MonkeyPatch) -> Reranker:
    monkeypatch.setattr(local, "local_library", lambda *_: library)
    monkeypatch.setattr(local, "_without_bars", nullcontext)
    return make_reranker(RerankOptions(f"sentence-transformers:{folder}"))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([0.5, math.nan], "gave a score that is no number"),
        ([0.5, math.inf], "gave a score that is no number"),
        ([0.5], "gave 1 scores for 2 texts"),
        ([[0.5, 0.1], [0.2, 0.3]], "gave 4 scores for 2 texts"),
    ],
)
def test_scores_of_a_folder_that_order_nothing_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: object, said: str
) -> None:
    made = _local_reranker(tmp_path, _Scores(given), monkeypatch)
    with pytest.raises(ProviderRefusedError, match=said):
        made.scores("retry", ["one", "two"])
    made = _local_reranker(tmp_path, _Scores([[0.5], [0.1]]), monkeypatch)
    assert made.scores("retry", ["one", "two"]).tolist() == pytest.approx([0.5, 0.1])


@pytest.mark.parametrize(
    ("config", "kind", "may"),
    [
        ('{"architectures": ["BertModel"]}', "", False),
        ('{"architectures": ["RobertaForMaskedLM"]}', "SentenceTransformer", False),
        ('{"architectures": ["BertForSequenceClassification"]}', "", True),
        ('{"architectures": ["Qwen3ForCausalLM"]}', "", True),
        ('{"architectures": ["BertModel"]}', "CrossEncoder", True),
        ("{}", "", True),
        ("[1]", "", True),
        ("no json", "", True),
    ],
)
def test_a_model_that_scores_nothing_is_no_reranker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, config: str, kind: str, may: bool
) -> None:
    (tmp_path / "config.json").write_text(config)
    (tmp_path / "config_sentence_transformers.json").write_text(f'{{"model_type": "{kind}"}}')
    library = _Scores([])
    if may:
        assert _local_reranker(tmp_path, library, monkeypatch)
    else:
        with pytest.raises(SettingsError, match="holds no cross-encoder"):
            _local_reranker(tmp_path, library, monkeypatch)
    assert library.made == may
