"""Makes a file of questions out of public data sets, each taken from its own place.

    python -m benchmarks.retrieval.questions build --work WORK --out questions.jsonl

Of `--sets`, which is all of them without it:

    semble          github.com/MinishLab/semble, benchmarks/: questions by a language model, checked
                    by its authors; MIT. Each is asked of one folder of a pinned repository.
    swe-qa          github.com/peng-weihan/SWE-QA-Bench: long questions about repositories, with
                    answers; code MIT, data Apache-2.0. The answer's citations are what is right.
    swe-bench-lite  SWE-bench/SWE-bench_Lite on huggingface.co: issues of Python projects, and how
                    they were solved; MIT. It comes as a table: save it as JSON lines, --swe-bench.
    cosqa           github.com/Jun-jie-Huang/CoCLR: what people typed into a search engine, and a
                    pool of functions; code MIT, data under the Computational Use of Data Agreement.
    commit-loc      messages of commits made after a pinned one, --commits OWNER/NAME@SHA …; what
                    they changed is what is right. Under the repository's own licence.

What is copied belongs to those who wrote it: keep it out of this repository. Rules for what is
right in `swe-qa` and `commit-loc` are our own (see `cited` and `messages`), so that another
harness may count these differently.
"""

from __future__ import annotations

import argparse
import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.processes import BenchmarkError, told
from benchmarks.retrieval import commits, questions, sets
from benchmarks.retrieval.checkouts import POOL_REPO, Checkouts

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from benchmarks.retrieval.questions import Question

SEMBLE, SWE_QA = "MinishLab/semble", "peng-weihan/SWE-QA-Bench"
SETS = ("semble", "swe-qa", "swe-bench-lite", "cosqa", "commit-loc")
WITHOUT = {"swe-bench-lite": "--swe-bench", "commit-loc": "--commits"}  # can't be had otherwise


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="benchmarks.retrieval.questions",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    build = made.add_subparsers(required=True, metavar="build").add_parser("build")
    build.add_argument("--work", type=Path, required=True, help="folder for the copies")
    build.add_argument("--out", type=Path, required=True, help="the file of questions")
    build.add_argument("--sets", nargs="+", choices=SETS, default=SETS, metavar="SET")
    build.add_argument("--mirrors", default="", help="pattern with {owner} and {name}; else GitHub")
    build.add_argument("--swe-bench", type=Path, metavar="FILE", help="the table as JSON lines")
    build.add_argument("--commits", nargs="+", default=[], metavar="OWNER/NAME@SHA")
    build.add_argument("--each", type=int, default=10, metavar="N", help="commits of a repository")
    return made


def collect(asked: argparse.Namespace) -> Iterator[Question]:
    """Every question of the sets that are asked for."""
    trees = Checkouts(asked.work / "checkouts", asked.mirrors)
    if "semble" in asked.sets:
        with reading(SEMBLE):
            yield from sets.semble(trees.newest(SEMBLE))
    if "swe-qa" in asked.sets:
        with reading(SWE_QA):
            yield from sets.swe_qa(trees.newest(SWE_QA), trees)
    if "swe-bench-lite" in asked.sets and asked.swe_bench:
        with reading(asked.swe_bench):
            yield from sets.swe_bench(asked.swe_bench)
    if "cosqa" in asked.sets:
        with reading(POOL_REPO):
            yield from sets.cosqa(trees.newest(POOL_REPO), trees.head(POOL_REPO))
    if "commit-loc" in asked.sets:
        for pin in asked.commits:
            repo, _, commit = pin.partition("@")
            yield from commits.after(trees.history(repo), repo, commit, asked.each)


@contextmanager
def reading(what: object) -> Generator[None]:
    """Say what was read when it is not as the set's own programs read it."""
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        said = f"{type(error).__name__}: {error}"
        raise BenchmarkError(f"{what} is not in the form that is known ({said})") from None


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the file; says how many questions each set gave, and which were not asked."""
    asked = parser().parse_args(arguments)
    return told(lambda: build(asked))


def build(asked: argparse.Namespace) -> int:
    """Write the file.

    Raises:
        BenchmarkError: A set can't be had or is not as its own programs read it.
    """
    for pin in asked.commits:
        if not re.fullmatch(r"[^/@]+/[^/@]+@[0-9a-f]{7,40}", pin):
            raise BenchmarkError(f"--commits {pin} is not OWNER/NAME@SHA")
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    found = list(collect(asked))
    questions.write(asked.out, found)
    for name in asked.sets:
        needed = WITHOUT.get(name)
        if needed and not getattr(asked, needed.strip("-").replace("-", "_")):
            print(f"{name}: left out, since {needed} was not given")
        else:
            print(f"{name}: {sum(each.source == name for each in found)}")
    return 0
