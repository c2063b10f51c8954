"""The retrieval benchmark from end to end, on a small repository with a file of questions."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import astuple, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from benchmarks import peer
from benchmarks.retrieval import ablate, peers, plain, questions, results, run, speed, warm
from benchmarks.retrieval.__main__ import main
from benchmarks.retrieval.checkouts import Checkouts
from benchmarks.retrieval.engine import Setup, describe

from clew.search.weights import RankOptions
from support.searchable import SHOP

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.gitrepo import GitRepo

ASKED = (
    ("lower the total by a coupon", "shop", "shop/cart.py"),
    ("talks to the payment provider", "shop", "shop/payment.py"),
    ("where is anything about kangaroos?", "", "shop/cart.py"),
)
STUB = """#!{python}
import json, sys
assert sys.argv[2] == "--search"
print(json.dumps({{"version": "0"}}))
for line in sys.stdin:
    asked = json.loads(line)
    spans = [{{"path": "cart.py", "start_line": 1, "end_line": 2}}]
    print(json.dumps({{"id": asked["id"], "results": spans, "files": spans * 2, "ms": 1.5}}))
"""


@pytest.fixture
def bench(git_repo: Callable[..., GitRepo], tmp_path: Path) -> Path:
    """A working folder with a file of three questions; mirrors are in `repos`."""
    shop = git_repo(SHOP, name="made+shop")
    commit = shop.git("rev-parse", "HEAD")
    asked = [
        questions.parse(
            {
                "id": f"semble/{number}",
                "source": "semble",
                "repo": "made/shop",
                "commit": commit,
                "root": root,
                "language": "python",
                "kind": "semantic",
                "query": query,
                "gold": [{"path": path}],
            }
        )
        for number, (query, root, path) in enumerate(ASKED)
    ]
    questions.write(tmp_path / "q.jsonl", asked)
    return tmp_path


def measured(bench: Path, *more: str) -> int:
    mirrors = str(bench / "repos" / "{owner}+{name}" / ".git")
    options = ["--questions", str(bench / "q.jsonl"), "--work", str(bench / "w")]
    return main([*options, "--mirrors", mirrors, "--out", str(bench / "out"), *more])


def grouped(bench: Path, setting: run.Setting = "folder") -> list[list[run.Group]]:
    some = questions.read(bench / "q.jsonl")
    return run.groups(some, Checkouts(bench / "w" / "checkouts"), setting)


def test_a_run_is_scored_kept_and_compared_with_the_last_one(
    bench: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert measured(bench, "--peers", "bm25") == 0
    lines = run.read(bench / "w" / "runs" / "clew-folder.jsonl")
    first = lines["semble/0"]
    assert first["results"][0]["path"] == first["files"][0]["path"] == "shop/cart.py"
    assert first["results"][0]["start_line"] > 1  # the method, not the file's head

    target = bench / "out" / "retrieval-folder.json"
    kept = results.read(target)
    assert set(kept["systems"]) == set(kept["each"]) == {"clew", "bm25"}
    assert kept["systems"]["clew"]["sources"]["semble"]["n"] == 3
    assert kept["each"]["clew"]["semble/0"]["ndcg"] == 1.0
    assert kept["settings"]["digest"]
    assert kept["questions"]["count"] == 3
    for query, _, _ in ASKED:
        assert query not in target.read_text()
    assert "Clew less bm25" in capsys.readouterr().out

    assert measured(bench) == 0
    said = capsys.readouterr()
    assert "This less that of" in said.out
    assert "chunks" not in said.err  # nothing was indexed again


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--questions", "/nowhere/q"], "/nowhere/q: No such file or directory"),
        (["--sources", "semble,other"], "has no questions of other: it has those of semble"),
        (["--mirrors", "/nowhere/{owner}"], "no question is left: none of the repositories"),
        (["--mirrors", "/nowhere/{id}"], "no question is left: none of the repositories"),
        (["--embedder", "nonsense"], 'model.embed "nonsense" is no embedder'),
        (["--ablate", "variants", "--embedders", "x:y"], 'model.embed "x:y" is no embedder'),
        (["--ablate", "weights.nonsense"], "no switch begins like weights.nonsense"),
        (["--against", "/nowhere/r.json"], "/nowhere/r.json: No such file or directory"),
        (["--against", "{work}/q.jsonl"], "q.jsonl is no result file"),
        (["--against", "{work}/list"], "list is no result file: it holds no JSON object"),
        (["--against", "{work}/object"], "object is no result of a run of Clew"),
        (["--score", "/nowhere/run"], "/nowhere/run: No such file or directory"),
        (["--score", "{work}/q.jsonl"], "q.jsonl is no line of a run"),
        (["--peers", "semble"], "semble needs its interpreter"),
        (["--peers", "semble", "--semble-python", "/nowhere/py"], "no Python that has semble"),
        (["--peers", "semble", "--semble-python", sys.executable], "no Python that has semble"),
        (["--peers", "ripgrep", "--ripgrep", "/nowhere/rg"], "/nowhere/rg is no program"),
    ],
)
def test_what_can_not_be_measured_is_said_before_anything_is(
    bench: Path, capsys: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    (bench / "list").write_text("[]")
    (bench / "object").write_text('{"each": {"bm25": {}}}')
    assert measured(bench, *(each.replace("{work}", str(bench)) for each in options)) == 1
    assert said in capsys.readouterr().err.rstrip("\n").split("\n")[-1]
    assert not (bench / "w" / "data").exists()


@pytest.mark.parametrize("jobs", ["0", "-1", "many"])
def test_a_number_of_processes_is_one_at_least(
    bench: Path, capsys: pytest.CaptureFixture[str], jobs: str
) -> None:
    with pytest.raises(SystemExit):
        measured(bench, "--jobs", jobs)
    assert "is not 1 or more" in capsys.readouterr().err


def test_folders_of_a_checkout_are_measured_apart_and_the_whole_as_one(bench: Path) -> None:
    assert [[g.root for g in some] for some in grouped(bench)] == [["", "shop"]]
    (some,) = grouped(bench, "whole")
    assert [(g.root, len(g.questions)) for g in some] == [("", 3)]


def test_only_the_folder_is_searched_in_the_setting_folder(bench: Path) -> None:
    assert measured(bench) == 0
    assert measured(bench, "--setting", "whole") == 0
    paths: dict[str, set[str]] = {}
    for setting in ("folder", "whole"):
        line = run.read(bench / "w" / "runs" / f"clew-{setting}.jsonl")["semble/0"]
        paths[setting] = {each["path"].partition("/")[0] for each in line["results"]}
    assert paths["folder"] == {"shop"}
    assert len(paths["whole"]) > 1


def test_a_run_is_scored_alone(bench: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = {"semble/0": {"id": "semble/0", "results": [{"path": "shop/cart.py"}], "ms": 1.0}}
    run.write(bench / "run.jsonl", lines)
    asked = ["--questions", str(bench / "q.jsonl"), "--score", str(bench / "run.jsonl")]
    assert main(asked) == 0
    assert "| semble | 3 [0] | 0.333 |" in capsys.readouterr().out


# --- peers ---------------------------------------------------------------------------------------


def made(bench: Path) -> list[list[run.Group]]:
    mirrors = str(bench / "repos" / "{owner}+{name}" / ".git")
    trees = Checkouts(bench / "w" / "checkouts", mirrors)
    assert not trees.make_all(each.checkout for each in questions.read(bench / "q.jsonl"))
    return grouped(bench)


def program(path: Path, text: str) -> str:
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


@pytest.mark.skipif(os.name == "nt", reason="the stand-in is started by its first line")
def test_a_peer_of_its_own_interpreter_answers_with_paths_of_the_checkout(bench: Path) -> None:
    stub = program(bench / "stub", STUB.format(python=sys.executable))
    found = peers.run("semble", made(bench), peers.Programs(python=stub), 1)
    assert {name: line["results"][0]["path"] for name, line in found.items()} == {
        "semble/0": "shop/cart.py",
        "semble/1": "shop/cart.py",
        "semble/2": "cart.py",
    }
    assert [each["path"] for each in found["semble/0"]["files"]] == ["shop/cart.py"] * 2


PEER = {
    "semble/__init__.py": "",
    "semble/version.py": "__version__ = '0'\n",
    "semble/types.py": "import enum\n\n\nclass ContentType(enum.Enum):\n    CODE = 'code'\n",
    "semble/index/__init__.py": """
from types import SimpleNamespace


class SembleIndex:
    def __init__(self, *parts, **named):
        pass

    def search(self, query, top_k, alpha):
        line = SimpleNamespace(file_path=f"{query} {alpha}", start_line=1, end_line=2)
        return [SimpleNamespace(chunk=line)] * top_k
""",
    "semble/index/create.py": """
def create_index_from_path(folder, *, model, content, display_root):
    return None, None, ["chunk"], {"a.py": 1}
""",
    "semble/index/dense.py": "def load_model(name):\n    return object(), name\n",
}


@pytest.mark.parametrize(("model", "alpha"), [([], "0.0"), (["model"], "None")])
def test_the_peer_ranks_by_words_alone_unless_it_has_a_model(
    model: list[str], alpha: str, tmp_path: Path
) -> None:
    for path, text in PEER.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    done = subprocess.run(
        [sys.executable, peer.__file__, peer.SEARCH, str(tmp_path), *model],
        input='{"id": 7, "query": "pay"}\n',
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    facts, line = (json.loads(each) for each in done.stdout.splitlines())
    assert (facts["version"], facts["files"], facts["chunks"]) == ("0", 1, 1)
    assert (line["id"], len(line["results"]), len(line["files"])) == (7, peer.RESULTS, peer.MORE)
    assert line["results"][0]["path"] == f"pay {alpha}"


def test_plain_search_finds_windows_by_words_and_parts_of_names(tmp_path: Path, git_repo: Any):
    lines = ["x = 1"] * 60 + ["def retryRefund(): pass"] + ["y = 2"] * 10
    shop = git_repo({"a.py": "\n".join(lines), "b.py": "z = 3\n", "c.md": "retry refund\n"})
    found = plain.Windows(shop.path).search("how do we retry a refund?")
    assert found == [{"path": "a.py", "start_line": 51, "end_line": 71}]
    assert plain.Windows(shop.path).search("the kangaroo") == []


def test_ripgrep_ranks_files_by_how_many_different_words_they_have(tmp_path: Path) -> None:
    said = "./many.py\0refund\n./many.py\0refund\n./both.py\0Refund\n./both.py\0retry\n"
    stub = program(tmp_path / "rg", f"#!{sys.executable}\nprint({said!r}, end='')\n")
    found = plain.ripgrep(stub, tmp_path, "how do we retry a refund?")
    assert [each["path"] for each in found] == ["both.py", "many.py"]
    assert plain.ripgrep(stub, tmp_path, "is it?") == []


# --- what each part is worth ----------------------------------------------------------------------


def test_every_weight_has_a_switch_that_takes_it_away_and_nothing_else() -> None:
    options = RankOptions()
    found = dict(ablate.switches(options))
    assert found["weights.lexical"].weights.lexical == 0
    assert found["weights.lexical"].fields == options.fields
    assert 0 < found["fields.k1"].fields.k1 < 1e-3
    assert replace(found["fields.name"].fields, name=options.fields.name) == options.fields
    assert len(found) == sum(
        bool(value) for group in (options.weights, options.fields) for value in astuple(group)
    )
    assert dict(ablate.switches(found["weights.lexical"])).keys() == found.keys() - {
        "weights.lexical"
    }


def test_what_a_switch_is_worth_is_counted_by_source(
    bench: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert measured(bench, "--ablate", "weights.lexical", "vec", "variants") == 0
    kept = json.loads((bench / "out" / "retrieval-ablations-folder.json").read_text())
    rows = {row["switch"]: row for row in kept["ablations"]}
    assert set(rows) == {"weights.lexical", "vectors", "windows only"}
    assert all(set(row["ndcg"]) == {"semble"} for row in rows.values())
    assert "| weights.lexical |" in capsys.readouterr().out


def test_points_lost_are_hundredths_of_what_the_whole_had() -> None:
    asked = [
        questions.parse({"id": f"s/{n}", "source": "s", "query": "q", "gold": [{"path": "a.py"}]})
        for n in (1, 2)
    ]
    hit, miss = {"results": [{"path": "a.py"}], "ms": 3.0}, {"results": [], "ms": 1.0}
    runs = {
        ablate.ALL: {"s/1": hit, "s/2": hit},
        "one": {"s/1": hit, "s/2": miss},
        "both": {"s/1": miss, "s/2": miss},
    }
    rows = ablate.worth(asked, runs)
    assert [(row["switch"], row["ndcg"], row["saved_ms"]) for row in rows] == [
        ("both", {"s": 100.0}, 2.0),
        ("one", {"s": 50.0}, 1.0),
    ]
    assert (rows[0]["sure"], rows[1]["sure"]) == (["s"], [])
    assert ablate.table(rows).split("\n")[2] == "| both | 100.0* | 2.00 |"


def test_weights_have_a_digest_that_follows_them() -> None:
    setups = [Setup(Path(), RankOptions(wide=wide)) for wide in (10, 10, 20)]
    told = [describe(setup)["digest"] for setup in setups]
    assert told[0] == told[1] != told[2]
    json.dumps(describe(setups[0]))


# --- speed ---------------------------------------------------------------------------------------


def test_a_tree_holds_the_files_of_several_repositories_in_one(
    git_repo: Callable[..., GitRepo], tmp_path: Path
) -> None:
    shop = git_repo({"a.py": "a\n"}, name="shop").path
    bank = git_repo({"src/b.py": "b\n"}, name="bank").path
    tree = tmp_path / "tree"
    speed.gather([("shop", shop), ("bank", bank / ".git")], tree)
    git = ["git", "-C", str(tree), "ls-files"]
    listed = subprocess.run(git, capture_output=True, text=True, check=True).stdout.split()
    assert listed == ["bank/src/b.py", "shop/a.py"]
    (tree / "more.py").touch()
    speed.gather([("shop", shop)], tree)
    assert (tree / "more.py").exists()  # made once


def test_warm_searches_say_what_each_took_and_what_the_process_holds(bench: Path) -> None:
    folder = made(bench)[0][0].checkout
    found = warm.measure(Setup(bench / "data"), folder, ["coupon", "retry", "cart"])
    assert len(found["ms"]) == 2, "of the queries that were not asked to warm up"
    assert found["chunks"] > 0
    assert 0 < found["memory_mb"]["resident"] <= found["memory_mb"]["peak"] + 1


def test_a_speed_result_is_told_in_a_few_lines() -> None:
    some = {"median": 2.0}
    side = {"chunks": 1234, "p50_ms": some, "p95_ms": some}
    held = {"resident": 60.4, "peak": 80.0}
    costs = {"wall_s": some, "cpu_s": some}
    found = {
        "search": {"clew": {**side, "memory_mb": held}, "peer": side},
        "index": {"clew": costs, "words": costs},
        "update": costs,
    }
    assert speed.told(found).split("\n") == [
        "search, clew: 1,234 chunks, 2.0 / 2.0 ms",
        "search, peer: 1,234 chunks, 2.0 / 2.0 ms",
        "memory of the searching process, MiB: resident 60, peak 80",
        "index, clew: 2.0 s, 2.0 s of CPU",
        "index, words: 2.0 s, 2.0 s of CPU",
        "one edit: 2.0 s",
    ]
