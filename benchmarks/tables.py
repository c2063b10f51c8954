"""Prints a result file of step 2 as Markdown."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from benchmarks.comparing import OURS

if TYPE_CHECKING:
    from collections.abc import Iterable

Result = dict[str, Any]


def markdown(result: Result) -> str:
    """The parts that were measured, each with a table."""
    parts = [f"`{result['command']}`", measured(result)]
    for key, show in (("index", index), ("grep", grep), ("blame", blame), ("research", research)):
        if key in result:
            parts += [f"### {key.capitalize()}", *show(result[key])]
    return "\n\n".join(parts)


def measured(result: Result) -> str:
    """What was measured, when and on what."""
    machine = result["machine"]
    dirty = " with uncommitted changes" if result["dirty"] else ""
    return (
        f"Clew {result['commit'][:10]}{dirty}, {result['date']}; {machine['cpu']}, "
        f"{machine['cores']} cores, {machine['memory_gb']} GB, Python {machine['python']}, "
        f"git {machine['git']}; load before the start {machine['load_before']}. Median "
        f"(smallest to largest) of {result['settings']['runs']} runs."
    )


def index(part: Result) -> list[str]:
    """Clew and the peer side by side, then the stages."""
    rows = part["repositories"]
    shown = [table(["repository", "code lines", "files", "chunks", *_sides(rows)], map(_row, rows))]
    names = by_share([row["stages_s"] for row in rows])
    stages = (
        [row["name"], number(sum(row["stages_s"].values())), *_shares(row["stages_s"], names)]
        for row in rows
    )
    told = "One process, timed: its seconds, and the share of each stage."
    heads = ["repository", "all, s", *names]
    return [_peer(part["peer"]), *shown, told, table(heads, stages)]


def _peer(peer: Result | None) -> str:
    if not peer:
        return "No peer was measured."
    vectors = f"with the model {peer['model']}" if peer["model"] else "without vectors"
    return (
        f"Whole processes, in turns. Peer: semble {peer['version']}, {vectors}, "
        f"{peer['workers']} workers. Copied: Clew with its copy of the history there already. "
        "Lean: the same without looking for secrets and keeping symbols and references. Ratios are "
        "the medians of Clew / copied / lean in the peer's. Memory is the largest process / all "
        "processes together."
    )


def _sides(rows: list[Result]) -> list[str]:
    heads = ["Clew, s", "copied, s", "lean, s", "Clew, MiB"]
    if any("peer" in row for row in rows):
        heads += ["peer chunks", "peer, s", "peer, MiB", "time ratios", "memory ratios"]
    return heads


def _row(row: Result) -> list[str]:
    clew = row["clew"]
    name = f"{row['name']} `{row['commit'][:10]}`"
    cells = [name, f"{row['code_lines']:,}", f"{clew['files']:,}", f"{clew['chunks']:,}"]
    cells += [*(span(row[side]["wall_s"]) for side in OURS), memory(clew)]
    if "peer" in row:
        peer, ratios = row["peer"], row["ratios"]
        cells += [f"{peer['chunks']:,}", span(peer["wall_s"]), memory(peer)]
        cells.append(" / ".join(_ratio(ratios[side], "wall_s") for side in OURS))
        cells.append(" / ".join(_ratio(ratios["clew"], key) for key in ("peak_mb", "total_mb")))
    return cells


def _ratio(ratios: dict[str, float], key: str) -> str:
    return f"{ratios[key]:.2f}" if key in ratios else "-"


def memory(costs: Result) -> str:
    """The largest process and all together."""
    return " / ".join(f"{costs[key]['median']:.0f}" for key in ("peak_mb", "total_mb"))


def by_share(stages: list[dict[str, float]]) -> list[str]:
    """The stages of all repositories, the longest first."""
    total: Counter[str] = Counter()
    for one in stages:
        total.update({name: round(seconds * 1e6) for name, seconds in one.items()})
    return [name for name, _ in total.most_common()]


def _shares(stages: dict[str, float], names: list[str]) -> list[str]:
    total = sum(stages.values())
    return [f"{stages.get(name, 0.0) / total:.1%}" for name in names]


def grep(parts: list[Result]) -> list[str]:
    """One row a size, then one a kind of pattern."""
    heads = ["source, MB", "files", "p50 / p95, ms", "first, ms", "peak, MiB", "cut short"]
    rows = [
        [
            *(f"{part['bytes'] / 1e6:,.0f}", f"{part['files']:,}", both(part)),
            *(span(part["first_ms"]), f"{part['peak_mb']['median']:.0f}"),
            f"{part['incomplete']} of {part['patterns']}",
        ]
        for part in parts
    ]
    kinds = list(parts[0]["kinds"])
    by_kind = (
        [f"{part['bytes'] / 1e6:,.0f}", *(both(part["kinds"][kind]) for kind in kinds)]
        for part in parts
    )
    told = "By kind of pattern, p50 / p95 in ms:"
    return [table(heads, rows), told, table(["source, MB", *kinds], by_kind)]


def blame(parts: list[Result]) -> list[str]:
    """One row a repository."""
    heads = ["repository", "commits", "longest file", "400 lines, ms", "40 lines, ms", "failed"]
    rows = [
        [
            *(part["name"], f"{part['commits']:,}"),
            f"{max(part['big_files'].values(), default=0):,}",
            *(both(part["many"]), both(part["few"]), str(len(part["failed"]))),
        ]
        for part in parts
    ]
    return ["p50 / p95 of one call.", table(heads, rows)]


def research(part: Result) -> list[str]:
    """One row a script."""
    heads = ["script", "turns", "tool calls", "tokens in", "out", "answer, ms", "whole, ms", "came"]
    keys = ("turns", "tool_calls", "input_tokens", "output_tokens", "answer_ms", "total_ms")
    rows = [
        [name, *(span(one[key]) for key in keys), outcomes(one)]
        for name, one in part["scripts"].items()
    ]
    told = f"{part['name']}, {part['code_lines']:,} code lines; the model answers at once."
    return [told, table(heads, rows)]


def outcomes(script: Result) -> str:
    """What came of the questions."""
    return ", ".join(f"{count} {name}" for name, count in script["outcomes"].items())


def number(value: float) -> str:
    """Three digits, and all of those before the point."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def span(figure: dict[str, float]) -> str:
    """A median and, where they differ, its smallest and largest."""
    low, middle, high = (number(figure[key]) for key in ("min", "median", "max"))
    return middle if low == high else f"{middle} ({low}-{high})"


def both(part: Result) -> str:
    """The middle and the slow end."""
    if "p50_ms" not in part:
        return "-"
    return " / ".join(number(part[key]["median"]) for key in ("p50_ms", "p95_ms"))


def table(heads: list[str], rows: Iterable[list[str]]) -> str:
    """A Markdown table."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
