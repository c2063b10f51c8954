"""The questions with known answers, as a file of JSON lines.

    {"id": "set/repo/7", "source": "set", "repo": "owner/name", "commit": "<sha>", "root": "src",
     "language": "python", "query": "how are orders paid", "kind": "semantic",
     "gold": [{"path": "src/pay.py", "start_line": 3, "end_line": 9, "symbol": "pay", "grade": 2}]}

`root` is the folder that the set's own harness indexes, "" for everything; paths are relative to
the checkout. `python -m benchmarks.retrieval.questions build --help` makes such a file.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.processes import BenchmarkError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path


NEEDED = ("id", "source", "repo", "commit", "query", "gold")  # the rest may be empty


@dataclass(frozen=True, slots=True)
class Gold:
    """A file that answers, or the lines of it that do (0 and 0 for the whole file)."""

    path: str
    start_line: int = 0
    end_line: int = 0
    symbol: str = ""
    grade: int = 1

    @property
    def has_span(self) -> bool:
        """Whether lines are named."""
        return bool(self.start_line and self.end_line)


@dataclass(frozen=True, slots=True)
class Question:
    """One question about one repository at one commit."""

    id: str
    source: str
    repo: str
    commit: str
    root: str
    language: str
    query: str
    kind: str
    gold: tuple[Gold, ...]

    @property
    def checkout(self) -> tuple[str, str]:
        """What has to be there to ask it."""
        return self.repo, self.commit


def parse(row: dict[str, Any]) -> Question:
    """A question from its line; what is missing besides the answer is empty."""
    names = ("id", "source", "repo", "commit", "root", "language", "query", "kind")
    gold = (
        Gold(
            path=each["path"],
            start_line=each.get("start_line") or 0,
            end_line=each.get("end_line") or 0,
            symbol=each.get("symbol") or "",
            grade=each.get("grade") or 1,
        )
        for each in row["gold"]
    )
    return Question(**{name: row.get(name) or "" for name in names}, gold=tuple(gold))


def line(question: Question) -> str:
    """A question as its line, without what is empty."""
    row = asdict(question)
    row["gold"] = [{k: v for k, v in gold.items() if v} for gold in row["gold"]]
    return json.dumps(row, ensure_ascii=False)


def read(path: Path, sources: Collection[str] = ()) -> list[Question]:
    """The questions of a file, of these sources only when any is named.

    Raises:
        BenchmarkError: A line is no question, or there are none, of one of the sources or at all.
    """
    found = [_question(row, where) for where, row in json_lines(path)]
    there = {question.source for question in found}
    if not found:
        raise BenchmarkError(f"{path} has no questions.")
    if unknown := sorted(set(sources) - there):
        raise BenchmarkError(
            f"{path} has no questions of {', '.join(unknown)}: it has those of "
            f"{', '.join(sorted(there))}."
        )
    return [question for question in found if not sources or question.source in sources]


def json_lines(path: Path) -> list[tuple[str, dict[str, Any]]]:
    """The objects of a file of JSON lines, each with the words that say where it stands.

    Raises:
        BenchmarkError: It isn't one.
    """
    rows: list[tuple[str, dict[str, Any]]] = []
    for number, data in enumerate(path.read_bytes().split(b"\n"), 1):
        if not data.strip():
            continue
        where = f"line {number} of {path}"
        try:
            row = json.loads(data)
        except ValueError as error:  # which no UTF-8 is, too
            raise BenchmarkError(f"{where} is no JSON: {error}.") from None
        if not isinstance(row, dict):
            raise BenchmarkError(f"{where} is no JSON object.")
        rows.append((where, row))
    return rows


def _question(row: dict[str, Any], where: str) -> Question:
    missing = [name for name in NEEDED if not row.get(name)]
    if missing:
        raise BenchmarkError(f"{where} is no question: it has no {', no '.join(missing)}.")
    try:
        return parse(row)
    except (TypeError, KeyError, AttributeError):
        raise BenchmarkError(f'{where} is no question: "gold" is no list of paths.') from None


def write(path: Path, questions: Iterable[Question]) -> int:
    """Write a file of questions; says how many there are."""
    lines = [line(question) for question in questions]
    path.write_text("".join(f"{each}\n" for each in lines), encoding="utf-8")
    return len(lines)


def digest(questions: Iterable[Question]) -> str:
    """What tells one set of questions from another, whatever their order."""
    lines = sorted(map(line, questions))
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:12]


if __name__ == "__main__":
    import sys

    from benchmarks.retrieval.rebuild import main

    sys.exit(main())
