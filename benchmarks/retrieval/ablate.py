"""What each part of the search is worth: every question once more without it.

A switch sets one number of the ranking to nothing, or takes away the vectors; all switches of a
question are asked one after the other of one open index, so that times compare. Numbers are found
in the ranking's own dataclasses: a new signal has its switch by being there. Another chunker or
embedder is another index, and is measured as a run of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

from benchmarks.retrieval import engine
from benchmarks.retrieval.engine import NO_VECTORS, Setup
from benchmarks.retrieval.results import compare
from benchmarks.retrieval.run import Run, Task, as_run, over_groups
from benchmarks.retrieval.scores import mean, score_all

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from benchmarks.retrieval.questions import Question
    from benchmarks.retrieval.run import Group
    from benchmarks.retrieval.scores import Scores
    from clew.search.weights import RankOptions

ALL = ""  # the switch that takes nothing away
NOTHING = 1e-6  # a divisor can't be 0: where only fields without weight hold a term, it is alone
VECTORS = "vectors"


@dataclass(frozen=True, slots=True)
class Switches:
    """The setup and what to take from it: the ranking by switch, and whether vectors go, too."""

    setup: Setup
    rankings: tuple[tuple[str, RankOptions], ...]
    vectors: bool


def switches(options: RankOptions) -> Iterator[tuple[str, RankOptions]]:
    """Every number of the weights that isn't nothing already, by `group.name`, set to nothing."""
    for group in fields(options):
        weights = getattr(options, group.name)
        if not is_dataclass(weights):
            continue
        for each in fields(weights):
            value = getattr(weights, each.name)
            if isinstance(value, float) and value:
                nothing = NOTHING if each.name == "k1" else 0.0
                without = replace(weights, **{each.name: nothing})  # type: ignore[type-var]
                yield f"{group.name}.{each.name}", replace(options, **{group.name: without})


def ask_switched(task: Task[Switches]) -> list[dict[str, Any]]:
    """A line for every question of a group and every switch, which it names."""
    setup = task.how.setup
    vectors = engine.embedder(setup.embedder)
    ways = [(ALL, setup.options, vectors)]
    ways += [(name, ranking, vectors) for name, ranking in task.how.rankings]
    if vectors and task.how.vectors:
        ways.append((VECTORS, setup.options, None))
    lines: list[dict[str, Any]] = []
    with engine.opened(task.group.folder, setup) as view:
        engine.ask(view, task.group.questions[0].query, setup.options, vectors)
        for each in task.group.questions:
            for name, ranking, by in ways:
                result = engine.ask(view, each.query, ranking, by)
                lines.append({**engine.line(each.id, result), "switch": name})
    return lines


def ablate(
    grouped: Sequence[Sequence[Group]], setup: Setup, only: Sequence[str], jobs: int
) -> dict[str, Run]:
    """The runs by switch; with `only`, those of the switches that begin like one of them."""
    wanted = tuple(only) or ("",)
    rankings = [each for each in switches(setup.options) if each[0].startswith(wanted)]
    how = Switches(setup, tuple(rankings), VECTORS.startswith(wanted))
    lines = over_groups(grouped, ask_switched, how, jobs)
    names = dict.fromkeys(each["switch"] for each in lines)
    return {name: as_run(each for each in lines if each["switch"] == name) for name in names}


def variants(setup: Setup, embedders: Sequence[str]) -> Iterator[tuple[str, Setup]]:
    """The setups that need an index of their own, by name."""
    yield "windows only", replace(setup, windows=True)
    for name in embedders:
        if name not in {setup.embedder, NO_VECTORS}:
            yield f"embedder {name}", replace(setup, embedder=name)


def worth(questions: Sequence[Question], runs: Mapping[str, Run]) -> list[dict[str, Any]]:
    """What each switch costs: points of NDCG and of grouped recall by source, and milliseconds.

    A point is a hundredth; `sure` says that the interval of an NDCG's difference leaves out zero.
    Differences are of the questions that both have. The switch that is worth most comes first.
    """
    scored = {name: score_all(questions, run) for name, run in runs.items()}
    whole = scored.pop(ALL)
    rows = [{"switch": name, **_worth(whole, without)} for name, without in scored.items()]
    return sorted(rows, key=lambda row: -sum(row["ndcg"].values()))


def _worth(whole: Mapping[str, Scores], without: Mapping[str, Scores]) -> dict[str, Any]:
    lost = {
        figure: {
            source: (round(0.0 - gained * 100, 2), not low <= 0 <= high)
            for source, _, _, gained, low, high in compare(without, whole, figure)
        }
        for figure in ("ndcg", "grouped")
    }
    return {
        **{figure: {s: points for s, (points, _) in row.items()} for figure, row in lost.items()},
        "sure": [source for source, (_, sure) in lost["ndcg"].items() if sure],
        "saved_ms": round(mean(whole.values(), "ms") - mean(without.values(), "ms"), 3),
    }


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Points lost by source (NDCG, and grouped recall in brackets), as Markdown."""
    sources = list(dict.fromkeys(source for row in rows for source in row["ndcg"]))
    lines = [["without", *sources, "ms saved"], ["---"] * (len(sources) + 2)]
    for row in rows:
        cells = [_cell(row, source) for source in sources]
        lines.append([row["switch"], *cells, f"{row['saved_ms']:.2f}"])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(row: Mapping[str, Any], source: str) -> str:
    mark = "*" if source in row["sure"] else ""
    lines = f" [{row['grouped'][source]:.1f}]" if source in row["grouped"] else ""
    return f"{row['ndcg'].get(source, 0.0):.1f}{mark}{lines}"
