"""Files of questions: read, written, and made out of made-up data sets in the sets' own formats."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from benchmarks.processes import BenchmarkError
from benchmarks.retrieval import commits, questions, sets
from benchmarks.retrieval.checkouts import POOL_FILE, POOL_REPO, Checkouts, missing_files
from benchmarks.retrieval.rebuild import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.gitrepo import GitRepo

PATCH = """\
diff --git a/shop/cart.py b/shop/cart.py
--- a/shop/cart.py
+++ b/shop/cart.py
@@ -10,4 +10,4 @@ class Cart:
     def total(self):
-        return 0
+        return sum(self.items)

     def empty(self):
@@ -30,2 +30,3 @@ class Cart:
     def add(self):
+        self.check()
         self.items.append(1)
diff --git a/shop/new.py b/shop/new.py
--- /dev/null
+++ b/shop/new.py
@@ -0,0 +1 @@
+x = 1
"""


def head_of(repo: GitRepo) -> str:
    return repo.git("rev-parse", "HEAD").strip()


def spans(gold: tuple[questions.Gold, ...]) -> list[tuple[str, int, int]]:
    return [(each.path, each.start_line, each.end_line) for each in gold]


# --- the file --------------------------------------------------------------------------------


def test_questions_are_read_as_they_were_written(tmp_path: Path) -> None:
    gold = (questions.Gold("a.py", 3, 9, "pay", 2), questions.Gold("b.py"))
    asked = questions.Question("s/1", "s", "o/n", "c0", "src", "python", "wie → how", "k", gold)
    other = questions.Question("t/1", "t", "o/n", "c0", "", "go", "q", "k", gold[1:])
    assert questions.write(tmp_path / "q.jsonl", [asked, other]) == 2
    assert questions.read(tmp_path / "q.jsonl") == [asked, other]
    assert questions.read(tmp_path / "q.jsonl", {"t"}) == [other]
    assert questions.digest([asked, other]) == questions.digest([other, asked])
    assert questions.digest([asked]) != questions.digest([other])


GOOD = {"id": "s/1", "source": "s", "repo": "o/n", "commit": "c0", "query": "q"}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"id": "a", ', "line 2 of {path} is no JSON: "),
        ("[1]", "line 2 of {path} is no JSON object."),
        ("{}", "no question: it has no id, no source, no repo, no commit, no query, no gold."),
        (json.dumps(GOOD), "line 2 of {path} is no question: it has no gold."),
        (json.dumps({**GOOD, "gold": ["a.py"]}), '"gold" is no list of paths.'),
        (json.dumps({**GOOD, "gold": [{}]}), '"gold" is no list of paths.'),
        (json.dumps({**GOOD, "gold": 3}), '"gold" is no list of paths.'),
        ("\udcff", "line 2 of {path} is no JSON: "),
    ],
)
def test_a_line_that_is_no_question_is_named(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "q.jsonl"
    good = json.dumps({**GOOD, "gold": [{"path": "a.py"}]})
    path.write_bytes(f"{good}\n{line}\n".encode("utf-8", "surrogateescape"))
    with pytest.raises(BenchmarkError) as raised:
        questions.read(path)
    assert said.format(path=path) in str(raised.value)
    path.write_text(f"{good}\n\n")
    assert len(questions.read(path)) == 1
    with pytest.raises(BenchmarkError, match="no questions of t: it has those of s"):
        questions.read(path, {"s", "t"})
    path.write_text("\n")
    with pytest.raises(BenchmarkError, match="has no questions"):
        questions.read(path)


# --- what a patch and an answer say ------------------------------------------------------------


def test_a_patch_answers_with_the_old_lines_that_it_changes() -> None:
    assert spans(commits.changed(PATCH)) == [("shop/cart.py", 11, 11), ("shop/cart.py", 30, 30)]


@pytest.mark.parametrize(
    ("message", "asked"),
    [
        ("fix(cart): add up all items (#12)\n\nSigned-off-by: A", "add up all items"),
        ("Add up all items\n\nThe total was wrong.", "Add up all items The total was wrong."),
        ("Merge branch 'main'", ""),
        ("Bump version to 2.0.1", ""),
        ("oops", ""),
    ],
)
def test_a_message_becomes_a_question_when_it_says_something(message: str, asked: str) -> None:
    assert commits.messages(message) == asked


PATHS = ["shop/cart.py", "shop/pay.py", "docs/pay.py", "tests/test_cart.py", "README.md"]


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("See `shop/cart.py:3-9`.", [("shop/cart.py", 3, 9)]),
        ("In cart.py (lines 3 to 9) and in shop/cart.py.", [("shop/cart.py", 3, 9)]),
        ("`cart.py` line 4", [("shop/cart.py", 4, 4)]),
        ("pay.py is in two places", []),
        ("shop/pay.py, proved by tests/test_cart.py:1-2", [("shop/pay.py", 0, 0)]),
        ("only tests/test_cart.py:1-2", [("tests/test_cart.py", 1, 2)]),
        ("gone.py:1-2", []),
    ],
)
def test_an_answer_is_right_where_it_names_one_tracked_file(answer: str, found: list[Any]) -> None:
    assert spans(sets.cited(answer, PATHS)) == found


# --- the sets ----------------------------------------------------------------------------------


def test_the_sets_are_collected_from_copies_of_their_repositories(
    git_repo: Callable[..., GitRepo], tmp_path: Path
) -> None:
    shop = git_repo({"shop/cart.py": "a\nb\nc\n", "shop/pay.py": "p\n"}, name="made+shop")
    pin = head_of(shop)
    shop.write("shop/cart.py", "a\nB\nc\n")
    shop.commit("cart: spell the second line in capitals")
    shop.write("README.md", "x\n")
    shop.commit("Say what the whole thing is")
    spec = {"name": "shop", "language": "python", "url": "https://github.com/made/shop.git"}
    git_repo(
        {
            "benchmarks/repos.json": json.dumps(
                [{**spec, "revision": pin, "benchmark_root": "shop"}]
            ),
            "benchmarks/annotations/shop.json": json.dumps(
                [
                    {
                        "query": "how is it paid",
                        "relevant": ["pay.py"],
                        "secondary": [{"path": "shop/cart.py", "start_line": "1", "end_line": 2}],
                    },
                    {"query": "Cart", "relevant": ["cart.py"], "category": "mine"},
                    {"query": "elsewhere", "relevant": ["x.py"], "repo": "unknown"},
                ]
            ),
        },
        name="MinishLab+semble",
    )
    git_repo(
        {
            "repos.txt": f"https://github.com/made/shop {pin}\n",
            "Benchmark/shop.jsonl": "".join(
                json.dumps(row) + "\n"
                for row in (
                    {"question": "Why is it paid?", "answer": "See shop/pay.py line 1."},
                    {"question": "Where?", "answer": "Nowhere."},
                )
            ),
        },
        name="peng-weihan+SWE-QA-Bench",
    )
    code = "def add(a, b):\n    return a + b"
    rows = [{"idx": "web-1", "doc": "python add", "code": code}, {"idx": "web-2", "code": "?"}]
    git_repo(
        {
            POOL_FILE: json.dumps({code: 7}),
            "data/search/cosqa-retrieval-dev-500.json": json.dumps(rows),
            "data/search/cosqa-retrieval-test-500.json": "[]",
        },
        name=POOL_REPO.replace("/", "+"),
    )
    table = tmp_path / "lite.jsonl"
    row = {"instance_id": "made__shop-1", "repo": "made/shop", "base_commit": pin, "patch": PATCH}
    table.write_text(json.dumps({**row, "problem_statement": "The total is 0\nalways"}) + "\n")

    out = tmp_path / "q.jsonl"
    mirrors = str(tmp_path / "repos" / "{owner}+{name}" / ".git")
    options = ["--work", str(tmp_path / "w"), "--out", str(out), "--mirrors", mirrors]
    options += ["--swe-bench", str(table), "--commits", f"made/shop@{pin}"]
    assert main(["build", *options]) == 0

    found = {each.id: each for each in questions.read(out)}
    paid = found["semble/shop/000"]
    assert (paid.repo, paid.commit, paid.root) == ("made/shop", pin, "shop")
    assert (paid.kind, found["semble/shop/001"].kind) == ("architecture", "mine")
    assert spans(paid.gold) == [("shop/pay.py", 0, 0), ("shop/cart.py", 1, 2)]
    assert spans(found["swe-qa/shop/000"].gold) == [("shop/pay.py", 1, 1)]
    assert found["swe-qa/shop/000"].kind == "why"
    assert len(found["swe-bench-lite/made__shop-1"].gold) == 2
    assert spans(found["cosqa/web-1"].gold) == [("code/f00007.py", 1, 2)]
    (commit,) = (each for each in found.values() if each.source == "commit-loc")
    assert (commit.query, commit.commit) == ("spell the second line in capitals", pin)
    assert spans(commit.gold) == [("shop/cart.py", 2, 2)]
    assert len(found) == 6


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--sets", "semble"], "there is no mirror of MinishLab/semble: "),
        (["--sets", "semble", "--mirrors", "/nowhere/{id}"], "--mirrors /nowhere/{id} is no path"),
        (["--sets", "swe-qa", "--mirrors", "{"], "--mirrors { is no path"),
        (["--sets", "commit-loc", "--commits", "made/shop"], "made/shop is not OWNER/NAME@SHA"),
        (["--sets", "commit-loc", "--commits", f"made/shop@{'0' * 40}"], "git log ended with 128"),
        (["--sets", "swe-bench-lite", "--swe-bench", "/nowhere/x"], "/nowhere/x: No such file"),
        (["--sets", "swe-bench-lite", "--swe-bench", "{table}"], "KeyError: 'patch'"),
    ],
)
def test_what_can_not_be_collected_is_one_sentence(
    git_repo: Callable[..., GitRepo],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    said: str,
) -> None:
    git_repo({"a.py": "a\n"}, name="made+shop")
    table = tmp_path / "table.jsonl"
    table.write_text('{"instance_id": "x"}\n')
    mirrors = str(tmp_path / "repos" / "{owner}+{name}" / ".git")
    paths = ["--work", str(tmp_path / "w"), "--out", str(tmp_path / "new" / "q.jsonl")]
    given = [str(table) if each == "{table}" else each for each in options]
    assert main(["build", *paths, "--mirrors", mirrors, *given]) == 1
    out, err = capsys.readouterr()
    assert said in err
    assert (out, err.count("\n")) == ("", 1)


def test_sets_that_need_more_to_be_had_are_said_to_be_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "new" / "q.jsonl"
    sets = ["--sets", "swe-bench-lite", "commit-loc"]
    assert main(["build", "--work", str(tmp_path / "w"), "--out", str(out), *sets]) == 0
    assert capsys.readouterr().out == (
        "swe-bench-lite: left out, since --swe-bench was not given\n"
        "commit-loc: left out, since --commits was not given\n"
    )


# --- checkouts -----------------------------------------------------------------------------------


def test_the_pool_is_one_file_a_function(git_repo: Callable[..., GitRepo], tmp_path: Path) -> None:
    texts = {"def a():\n    return 1": 0, "def b(): pass": 12}
    pool = git_repo({POOL_FILE: json.dumps(texts)}, name=POOL_REPO.replace("/", "+"))
    trees = Checkouts(tmp_path / "co", str(tmp_path / "repos" / "{owner}+{name}" / ".git"))
    made = trees.make(POOL_REPO, head_of(pool))
    files = {path.name: path.read_text() for path in (made / "code").iterdir()}
    assert files == {"f00000.py": "def a():\n    return 1\n", "f00012.py": "def b(): pass\n"}


def test_a_checkout_has_what_an_archive_leaves_out_and_lives_without_lost_files(
    git_repo: Callable[..., GitRepo], tmp_path: Path
) -> None:
    files = {"a.py": "a\n", "kept.py": "k\n", "lost.py": "l\n"}
    files[".gitattributes"] = "kept.py export-ignore\n"
    shop = git_repo(files, name="made+shop")
    oid = shop.git("rev-parse", "HEAD:lost.py").strip()
    (shop.path / ".git" / "objects" / oid[:2] / oid[2:]).unlink()
    trees = Checkouts(tmp_path / "co", str(tmp_path / "repos" / "{owner}+{name}" / ".git"))
    made = trees.make("made/shop", head_of(shop))
    assert sorted(path.name for path in made.glob("*.py")) == ["a.py", "kept.py"]
    assert missing_files(shop.path / ".git", head_of(shop)) == ["lost.py"]


def test_a_checkout_that_was_broken_off_is_made_anew_and_a_missing_one_is_told(
    git_repo: Callable[..., GitRepo], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shop = git_repo({"a.py": "a\n"}, name="made+shop")
    trees = Checkouts(tmp_path / "co", str(tmp_path / "repos" / "{owner}+{name}" / ".git"))
    half = trees.path("made/shop", head_of(shop))
    half.mkdir(parents=True)
    (trees.folder / "newest" / "made+shop").mkdir(parents=True)
    assert (trees.newest("made/shop") / "a.py").is_file()
    (half / "rubbish.py").write_text("x\n")
    wanted = [("made/shop", head_of(shop)), ("made/gone", "0" * 40), ("made/shop", "1" * 40)]
    missing = trees.make_all(wanted)
    assert [path.name for path in half.glob("*.py")] == ["a.py"]
    assert [each.split(":")[0] for each in missing] == [
        "made/gone@000000000000",
        "made/shop@111111111111",
    ]
    assert "made/gone" in capsys.readouterr().err
