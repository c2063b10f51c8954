"""What can't be collected, trained, scored or fitted is one sentence, and no traceback."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest
from training import commands, repositories
from training.__main__ import SHIPPED
from training.__main__ import main as train
from training.ranking.__main__ import main as fit

from clew.search.weights import Weights

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["collect", "--mirrors", "/nowhere/{id}"], "--mirrors /nowhere/{id} is no path"),
        (["score", "/nowhere/m.npz"], "/nowhere/m.npz: No such file or directory"),
        (["score", "{work}/other"], "other is no model: "),
        (["score", "{work}/arrays.npz"], "arrays.npz is no model: "),
        (["score"], "nothing is collected in {work}: python -m training collect"),
        (["train", "mine", "--dims", "many"], "an option of train is no number: "),
        (["train", "mine", "--kinds", "a,b"], "an option of train is no number: "),
        (["train", "mine"], "nothing is collected in {work}: python -m training collect"),
        (["export", "mine"], "{work} has no run mine: python -m training train mine"),
    ],
)
def test_what_can_not_be_trained_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    (tmp_path / "other").write_text("other")
    np.savez(tmp_path / "arrays.npz", some=np.zeros(3))
    given = [each.replace("{work}", str(tmp_path)) for each in options]
    assert train(["--cache", str(tmp_path), *given]) == 1
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert said.replace("{work}", str(tmp_path)) in err


def test_without_torch_training_says_how_to_install_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "_names", lambda *_, **__: ["o/n"])
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "training.train", raising=False)
    assert train(["--cache", str(tmp_path), "train", "mine"]) == 1
    assert capsys.readouterr().err == (
        "training needs the package torch, which is not installed: "
        "pip install -r training/requirements.txt\n"
    )


def test_a_repository_that_can_not_be_read_does_not_stop_the_others(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = repositories.Repositories({"go": ("o/broken", "o/none")}, {}, {})
    monkeypatch.setattr(repositories, "load", lambda: listed)
    (tmp_path / "o+broken" / "objects").mkdir(parents=True)
    pattern = str(tmp_path / "{owner}+{name}")
    assert train(["--cache", str(tmp_path / "c"), "collect", "--mirrors", pattern]) == 1
    first, second = capfd.readouterr().out.splitlines()
    assert first.startswith("o/broken: ")
    assert second == "o/none: there is no mirror"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["fit", "/nowhere/m.npz"], "/nowhere/m.npz: No such file or directory"),
        (["fit", "{work}/q.jsonl"], "q.jsonl is not what dump writes: "),
        (["fit", str(SHIPPED)], "code.npz is not what dump writes: "),
        (["fit", "{work}/old.npz"], "there is no weight of nonsense: dump the questions again"),
        (["dump", "--questions", "/nowhere/q"], "/nowhere/q: No such file or directory"),
        (["dump", "--questions", "{work}/bad.jsonl"], "bad.jsonl is no question: it has no id"),
        (
            ["dump", "--questions", "{work}/q.jsonl", "--mirrors", "/nowhere/{owner}"],
            "no question is left: none of the repositories could be had",
        ),
    ],
)
def test_what_can_not_be_fitted_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    asked = '"id": "s/1", "source": "s", "repo": "o/n", "commit": "c0", "query": "q"'
    (tmp_path / "q.jsonl").write_text(f'{{{asked}, "gold": [{{"path": "a.py"}}]}}\n')
    (tmp_path / "bad.jsonl").write_text("{}\n")
    fields = ("values", "in_file", "answers", "target", "question", "targets", "group", "source")
    signals = np.array(["nonsense", "lexical"])
    np.savez(tmp_path / "old.npz", signals=signals, **dict.fromkeys(fields, np.zeros(1)))
    assert hasattr(Weights(), "lexical")
    given = [each.replace("{work}", str(tmp_path)) for each in options]
    if given[0] == "dump":
        given += ["--work", str(tmp_path / "w"), "--out", str(tmp_path / "m.npz")]
    assert fit(given) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err.rstrip("\n").split("\n")[-1]
