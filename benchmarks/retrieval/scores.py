"""How good a list of results is, as the semble benchmark's harness counts it.

A result hits a target when their paths match and, where the target names lines, they share one (a
result without lines stands for the whole file). Paths match when they are equal or one ends with
"/" and the other. This flatters `__init__.py` and `index.ts`, so `exact_…` figures count equal
paths only. For every question:

    ndcg      Binary NDCG@10: gain 1 at each rank of a result that is the first to hit a target,
              ideal min(10, targets) ones. On the semble questions the targets are those annotated,
              elsewhere the files. Results are not made distinct.
    fndcg     The same with one target a file, over the distinct files of the results.
    r1, r5, r10  The share of the right files among the first k distinct files.
    mrr       1 / the first right file's rank among distinct files.
    sndcg, sr10  By lines, where lines are known: each target is one; `sr10` is the share of them
              among the first ten results. Results without any line score 0.
    grouped   The same share among up to three spans of each of the first ten files.
"""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from typing import TYPE_CHECKING, Any, TypeAlias

from benchmarks.processes import percentile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from benchmarks.retrieval.questions import Gold, Question

Result: TypeAlias = "dict[str, Any]"  # path and, if known, start_line and end_line
Line: TypeAlias = "dict[str, Any]"  # id, results, files, ms: what a run has for a question
Scores: TypeAlias = "dict[str, float]"

DEPTH = 10
SPANS = 3
LINED = ("sndcg", "sr10", "grouped")  # figures of the questions that have lines
OFFICIAL = "semble"  # the set whose own targets count


def same_path(one: str, other: str) -> bool:
    """Equal, or one is the end of the other."""
    one, other = one.replace("\\", "/"), other.replace("\\", "/")
    return one == other or one.endswith(f"/{other}") or other.endswith(f"/{one}")


def equal_path(one: str, other: str) -> bool:
    """Equal and nothing less."""
    return one == other


Matches: TypeAlias = "Callable[[str, str], bool]"


def hits(result: Result, gold: Gold, match: Matches, *, lines: bool) -> bool:
    """Whether a result shows what is looked for; without `lines` any part of the file will do."""
    if not match(result["path"], gold.path):
        return False
    start, end = result.get("start_line"), result.get("end_line")
    if not lines or not gold.has_span or start is None or end is None:
        return True
    return bool(end >= gold.start_line and start <= gold.end_line)


def rank(results: Sequence[Result], gold: Gold, match: Matches, *, lines: bool = True) -> int:
    """The place, from 1, of the first result that hits; 0 when none does."""
    found = (at for at, each in enumerate(results, 1) if hits(each, gold, match, lines=lines))
    return next(found, 0)


def ndcg(ranks: Iterable[int], targets: int) -> float:
    """Two targets first hit by one result count once."""
    gains = {at for at in ranks if 0 < at <= DEPTH}
    ideal = sum(1 / math.log2(at + 1) for at in range(1, min(DEPTH, targets) + 1))
    return sum(1 / math.log2(at + 1) for at in gains) / ideal


def distinct(results: Iterable[Result]) -> list[Result]:
    """The first result of each file."""
    first: dict[str, Result] = {}
    for each in results:
        first.setdefault(each["path"], each)
    return list(first.values())


def share(ranks: Sequence[int], depth: int) -> float:
    """How many of the ranks lie within `depth`."""
    return sum(0 < at <= depth for at in ranks) / len(ranks)


def by_path(gold: Iterable[Gold]) -> list[Gold]:
    """One target a file, the whole of it."""
    return list({each.path: type(each)(each.path) for each in gold}.values())


def score(question: Question, line: Line | None) -> Scores:
    """Every figure of one question; all zero when the run doesn't have it."""
    results: list[Result] = line["results"] if line else []
    found = _of_files(question, results, same_path)
    exact = _of_files(question, results, equal_path)
    found |= {f"exact_{name}": exact[name] for name in ("ndcg", "r10", "mrr")}
    lined = [each for each in question.gold if each.has_span]
    if lined:
        with_lines = any(each.get("start_line") for each in results)
        ranks = [rank(results, each, same_path) for each in lined] if with_lines else [0]
        found["sndcg"] = ndcg(ranks, len(lined))
        found["sr10"] = share(ranks, DEPTH)
        spans = grouped(line) if line else []
        inside = [any(hits(r, each, same_path, lines=True) for r in spans) for each in lined]
        found["grouped"] = sum(inside) / len(lined)
    if line and line.get("ms") is not None:
        found["ms"] = line["ms"]
    return found


def _of_files(question: Question, results: list[Result], match: Matches) -> Scores:
    files, firsts = by_path(question.gold), distinct(results)
    targets = question.gold if question.source.startswith(OFFICIAL) else files
    ranks = [rank(firsts, each, match) for each in files]
    found = {
        "ndcg": ndcg((rank(results, each, match) for each in targets), len(targets)),
        "fndcg": ndcg(ranks, len(files)),
    }
    found |= {f"r{depth}": share(ranks, depth) for depth in (1, 5, 10)}
    found["mrr"] = max((1 / at for at in ranks if at), default=0.0)
    return found


def grouped(line: Line) -> list[Result]:
    """Up to three spans, those with lines, of each of the first ten files.

    A run whose system doesn't group has no `files`: its results are grouped in their order.
    """
    files: dict[str, list[Result]] = defaultdict(list)
    for each in line.get("files") or line["results"]:
        files[each["path"]].append(each)
    some = [each for spans in list(files.values())[:DEPTH] for each in spans[:SPANS]]
    return [each for each in some if each.get("start_line")]


# --- many questions ----------------------------------------------------------------------------


def mean(rows: Iterable[Scores], name: str) -> float:
    """The mean of a figure over the questions that have it; 0 of none."""
    values = [row[name] for row in rows if name in row]
    return statistics.fmean(values) if values else 0.0


def summary(rows: Sequence[Scores]) -> dict[str, float]:
    """Means to four digits, how many questions, and how long they took."""
    names = dict.fromkeys(name for row in rows for name in row if name != "ms")
    found: dict[str, float] = {"n": len(rows), "lined": sum("sr10" in row for row in rows)}
    found |= {name: round(mean(rows, name), 4) for name in names}
    if took := [row["ms"] for row in rows if "ms" in row]:
        found["p50_ms"] = round(statistics.median(took), 2)
        found["p95_ms"] = round(percentile(took, 0.95), 2)
    return found


def score_all(questions: Iterable[Question], run: Mapping[str, Line]) -> dict[str, Scores]:
    """Every question's figures by its id."""
    return {each.id: score(each, run.get(each.id)) for each in questions}


def summaries(
    questions: Sequence[Question], scores: Mapping[str, Scores]
) -> dict[str, dict[str, dict[str, float]]]:
    """The figures by source, by the source's kinds and by its languages."""
    parts: dict[str, Callable[[Question], str]] = {
        "sources": lambda q: q.source,
        "kinds": lambda q: f"{q.source}/{q.kind}",
        "languages": lambda q: f"{q.source}/{q.language}",
    }
    found: dict[str, dict[str, dict[str, float]]] = {}
    for part, name_of in parts.items():
        rows: dict[str, list[Scores]] = defaultdict(list)
        for each in questions:
            rows[name_of(each)].append(scores[each.id])
        found[part] = {name: summary(rows[name]) for name in sorted(rows)}
    return found
