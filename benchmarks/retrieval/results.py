"""The result file of a run, and how it differs from another.

A result has figures and the ids of the questions, never a question's text.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from benchmarks.processes import BenchmarkError, machine
from benchmarks.retrieval.questions import digest
from benchmarks.retrieval.scores import summaries
from benchmarks.step1 import project_commit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from benchmarks.retrieval.questions import Question
    from benchmarks.retrieval.scores import Scores

ROUNDS, SEED, SURE = 10_000, 20_261_130, 0.95
COMPARED = ("ndcg", "grouped")
COLUMNS = (
    *("ndcg", "exact_ndcg", "fndcg", "r1", "r5", "r10", "mrr", "sndcg", "sr10", "grouped"),
    *("p50_ms", "p95_ms"),
)


def result(
    questions: Sequence[Question],
    systems: Mapping[str, Mapping[str, Scores]],
    settings: Mapping[str, Any],
) -> dict[str, Any]:
    """Everything that is kept of a run: each system's figures, and those of each question."""
    commit, dirty = project_commit()
    return {
        "commit": commit,
        "dirty": dirty,
        "date": datetime.now(UTC).date().isoformat(),
        "machine": machine(),
        "questions": {"count": len(questions), "digest": digest(questions)},
        "settings": settings,
        "systems": {
            name: {**summaries(questions, scores), "questions": _each(scores)}
            for name, scores in systems.items()
        },
    }


def _each(scores: Mapping[str, Scores]) -> dict[str, dict[str, float]]:
    return {
        name: {key: round(row[key], 4) for key in (*COMPARED, "ms") if key in row}
        for name, row in sorted(scores.items())
    }


def write(path: Path, made: Mapping[str, Any]) -> None:
    """Keep a result: one line a question, so that a change of one is a change of one line."""
    systems = made["systems"].items()
    figures = {name: _without(system, "questions") for name, system in systems}
    text = json.dumps({**made, "systems": figures}, indent=1)
    each = ",\n".join(
        f"{json.dumps(name)}: {_rows(system['questions'])}" for name, system in systems
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'{text[:-2]},\n "each": {{{each}}}\n}}\n', encoding="utf-8")


def _without(row: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != key}


def _rows(questions: Mapping[str, Any]) -> str:
    lines = (f"{json.dumps(name)}: {json.dumps(row)}" for name, row in questions.items())
    return "{\n" + ",\n".join(lines) + "\n}"


def read(path: Path) -> dict[str, Any]:
    """A result as it was kept."""
    try:
        made = json.loads(path.read_bytes())
    except ValueError as error:
        raise BenchmarkError(f"{path} is no result file: {error}.") from None
    if not isinstance(made, dict):
        raise BenchmarkError(f"{path} is no result file: it holds no JSON object.")
    return made


def interval(differences: Sequence[float]) -> tuple[float, float]:
    """Between what the mean of paired differences lies, by bootstrap; repeats exactly."""
    import numpy as np

    values = np.asarray(differences, np.float64)
    chance = np.random.default_rng(SEED)
    means = np.array(
        [values[chance.integers(0, len(values), len(values))].mean() for _ in range(ROUNDS)]
    )
    low, high = np.quantile(means, [(1 - SURE) / 2, (1 + SURE) / 2])
    return float(low), float(high)


def compare(
    ours: Mapping[str, Mapping[str, float]], theirs: Mapping[str, Mapping[str, float]], figure: str
) -> list[tuple[str, int, float, float, float, float]]:
    """By source: questions that both have, their figure, the difference and its interval.

    A source is what stands before the first "/" of a question's id.
    """
    by_source: dict[str, list[tuple[float, float]]] = {}
    for name, row in ours.items():
        if figure in row and figure in theirs.get(name, {}):
            pair = (row[figure], theirs[name][figure])
            by_source.setdefault(name.partition("/")[0], []).append(pair)
    rows: list[tuple[str, int, float, float, float, float]] = []
    for source, pairs in sorted(by_source.items()):
        theirs_mean = sum(b for _, b in pairs) / len(pairs)
        gained = [a - b for a, b in pairs]
        low, high = interval(gained)
        rows.append((source, len(pairs), theirs_mean, sum(gained) / len(gained), low, high))
    return rows


# --- as text -----------------------------------------------------------------------------------


def table(parts: Mapping[str, Mapping[str, float]]) -> str:
    """Figures by name, as Markdown."""
    rows = [["", "n", *COLUMNS], ["---"] * (len(COLUMNS) + 2)]
    for name, row in parts.items():
        shown = [_cell(column, row.get(column)) for column in COLUMNS]
        rows.append([name, f"{row['n']:.0f} [{row['lined']:.0f}]", *shown])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _cell(column: str, value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.1f}" if column.endswith("ms") else f"{value:.3f}"


def differences(
    title: str,
    ours: Mapping[str, Mapping[str, float]],
    theirs: Mapping[str, Mapping[str, float]],
) -> str:
    """Our figures less theirs, with 95 % intervals, as Markdown."""
    lines = [
        f"{title}:",
        "",
        "| | n | theirs | difference | 95 % interval |",
        "|---|---|---|---|---|",
    ]
    for figure in COMPARED:
        for source, count, was, gained, low, high in compare(ours, theirs, figure):
            said = f"{was:.3f} | {gained:+.4f} | {low:+.4f} to {high:+.4f}"
            lines.append(f"| {source} {figure} | {count} | {said} |")
    return "\n".join(lines)
