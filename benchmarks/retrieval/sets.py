"""Reads the questions of public data sets out of copies of their repositories.

The formats are those that the sets' own programs read; what doesn't fit is left out, and counted
by nobody: a set grows and shrinks between two versions.
"""

from __future__ import annotations

import json
import re
import subprocess
from typing import TYPE_CHECKING, Any

from benchmarks.material import TESTS
from benchmarks.retrieval.checkouts import POOL_FILE
from benchmarks.retrieval.commits import changed
from benchmarks.retrieval.questions import Gold, Question, json_lines

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from benchmarks.retrieval.checkouts import Checkouts

PRIMARY, SECONDARY = 2, 1
KINDS = ("what", "why", "where", "how")
CITATION = re.compile(  # `shop/cart.py:3-9`, `shop/cart.py` (lines 3 to 9), …
    r"(?P<path>[\w.+-]+(?:/[\w.+-]+)*\.[A-Za-z]\w{0,5})`?"
    r"(?:\s*[(,:]?\s*(?:#?L|lines?\s+)?(?P<start>\d{1,6})(?:\s*(?:-|–|to|,)\s*L?(?P<end>\d{1,6}))?)?",
    re.IGNORECASE,
)


def semble(folder: Path) -> Iterator[Question]:
    """The questions of semble's own benchmark."""
    bench = folder / "benchmarks"
    specs = {spec["name"]: spec for spec in _json(bench / "repos.json")}
    for path in sorted((bench / "annotations").glob("*.json")):
        for number, item in enumerate(_json(path)):
            spec = specs.get(item.get("repo", path.stem))
            if not spec:
                continue
            root = spec.get("benchmark_root") or ""
            gold = [_target(each, root, PRIMARY) for each in item.get("relevant", [])]
            gold += [_target(each, root, SECONDARY) for each in item.get("secondary", [])]
            yield Question(
                id=f"semble/{spec['name']}/{number:03d}",
                source="semble",
                repo="/".join(spec["url"].removesuffix(".git").split("/")[-2:]),
                commit=spec["revision"],
                root=root,
                language=spec["language"],
                query=item["query"],
                kind=item.get("category") or _category(item["query"]),
                gold=tuple(gold),
            )


def _category(query: str) -> str:
    if " " not in query.strip():
        return "symbol"
    return "architecture" if query.lower().startswith("how ") else "semantic"


def _target(raw: str | dict[str, Any], root: str, grade: int) -> Gold:
    """A target, whose path becomes relative to the checkout."""
    of = {"path": raw} if isinstance(raw, str) else raw
    path = str(of["path"])
    if root and not path.startswith(f"{root}/"):
        path = f"{root}/{path}"
    start, end = int(of.get("start_line") or 0), int(of.get("end_line") or 0)
    return Gold(path, start, end, grade=grade)


def swe_qa(folder: Path, trees: Checkouts) -> Iterator[Question]:
    """Questions whose answer cites files that are there."""
    for where in (folder / "repos.txt").read_text(encoding="utf-8").split("\n"):
        words = where.replace(",", " ").split()
        if len(words) < 2 or "/" not in words[0]:
            continue
        repo, commit = "/".join(words[0].removesuffix(".git").split("/")[-2:]), words[1]
        name = repo.rpartition("/")[2]
        asked = folder / "Benchmark" / f"{name}.jsonl"
        if not asked.exists():
            continue
        tree = trees.make(repo, commit)
        paths = _tracked(tree)
        for number, row in enumerate(_lines(asked)):
            if gold := cited(row["answer"], paths):
                first = row["question"].split(maxsplit=1)[0].lower()
                yield Question(
                    id=f"swe-qa/{name}/{number:03d}",
                    source="swe-qa",
                    repo=repo,
                    commit=commit,
                    root="",
                    language="python",
                    query=row["question"],
                    kind=first if first in KINDS else "other",
                    gold=gold,
                )


def cited(answer: str, paths: list[str]) -> tuple[Gold, ...]:
    """The files, and their lines if said, that an answer names and that are one tracked file each.

    Tests count only when nothing else is named: they are cited as proof, not as the answer.
    """
    found: dict[Gold, None] = {}
    for each in CITATION.finditer(answer):
        path = each["path"]
        same = [p for p in paths if p == path or p.endswith(f"/{path}")]
        if len(same) == 1:
            start = int(each["start"] or 0)
            end = max(int(each["end"] or 0), start)
            found.setdefault(Gold(same[0], start, end, grade=PRIMARY))
    with_lines = {gold.path for gold in found if gold.has_span}
    gold = [each for each in found if each.has_span or each.path not in with_lines]
    code = [each for each in gold if not TESTS.search(each.path)]
    return tuple(code or gold)


def swe_bench(table: Path) -> Iterator[Question]:
    """Issues, whose answer is what the fix changed."""
    for row in _lines(table):
        gold = changed(row["patch"])
        if gold:
            yield Question(
                id=f"swe-bench-lite/{row['instance_id']}",
                source="swe-bench-lite",
                repo=row["repo"],
                commit=row["base_commit"],
                root="",
                language="python",
                query=row["problem_statement"],
                kind="issue",
                gold=gold,
            )


def cosqa(folder: Path, commit: str) -> Iterator[Question]:
    """Web searches, each answered by one function of the pool."""
    numbers: dict[str, int] = _json(folder / POOL_FILE)
    for part in ("dev", "test"):
        for row in _json((folder / POOL_FILE).with_name(f"cosqa-retrieval-{part}-500.json")):
            number = numbers.get(row["code"])
            if number is None:
                continue
            lines = f"{row['code']}\n".count("\n")
            yield Question(
                id=f"cosqa/{row['idx']}",
                source="cosqa",
                repo="Jun-jie-Huang/CoCLR",
                commit=commit,
                root="",
                language="python",
                query=row["doc"],
                kind="web-query",
                gold=(Gold(f"code/f{number:05d}.py", 1, lines, grade=PRIMARY),),
            )


def _json(path: Path) -> Any:  # noqa: ANN401 - somebody else's format
    return json.loads(path.read_text(encoding="utf-8"))


def _lines(path: Path) -> list[dict[str, Any]]:
    return [row for _, row in json_lines(path)]


def _tracked(tree: Path) -> list[str]:
    git = ["git", "-C", str(tree), "ls-files", "-z"]
    listed = subprocess.run(git, capture_output=True, check=True).stdout
    return [path for path in listed.decode("utf-8", "surrogateescape").split("\0") if path]
