"""Prints a result file as Markdown: what is committed is what is read."""

from __future__ import annotations

from typing import Any

Result = dict[str, Any]

COLUMNS = (
    ("repository", lambda r: f"{r['name']} `{r['commit'][:10]}`"),
    ("code lines", lambda r: f"{r['code_lines']:,}"),
    ("files", lambda r: f"{r['files']:,}"),
    ("chunks", lambda r: f"{r['index']['chunks']:,}"),
    ("symbols", lambda r: f"{r['index']['symbols']:,}"),
    ("index cold, s", lambda r: span(r["index"]["wall_s"])),
    ("again, s", lambda r: span(r["again"]["wall_s"])),
    ("one edit, s", lambda r: span(r["edit"]["wall_s"])),
    ("index peak, MiB", lambda r: f"{r['index']['peak_mb']['median']:.0f}"),
    ("on disk, MB", lambda r: parts(r["disk_mb"])),
    ("search p50 / p95, ms", lambda r: percentiles(r["search"])),
    ("search peak, MiB", lambda r: f"{r['search']['peak_mb']['median']:.0f}"),
    ("ask cold, s", lambda r: span(r["ask_cold"]["wall_s"])),
    ("ask warm, s", lambda r: span(r["ask_warm"]["wall_s"])),
)


def markdown(result: Result) -> str:
    """The whole result as Markdown."""
    machine, start = result["machine"], result["startup"]
    dirty = " with uncommitted changes" if result["dirty"] else ""
    measured = (
        f"Clew {result['commit'][:10]}{dirty}, {result['date']}; {machine['cpu']}, "
        f"{machine['cores']} cores, {machine['memory_gb']} GB, Python {machine['python']}, "
        f"git {machine['git']}; load before the start {machine['load_before']}. Median "
        f"(smallest to largest) of {result['settings']['runs']} runs, whole processes."
    )
    started = (
        f"Start-up: `clew --help` {span(start['help_s'])} s, a bare interpreter "
        f"{span(start['bare_s'])} s: {start['ratio']:.1f} times; peak memory "
        f"{start['help_peak_mb']:.0f} MiB, {start['peak_ratio']:.1f} times."
    )
    rows = table(result["repositories"])
    return "\n".join([f"`{result['command']}`", "", measured, "", *rows, "", started])


def table(repositories: list[Result]) -> list[str]:
    """One row a repository."""
    rows = [
        [name for name, _ in COLUMNS],
        ["---"] * len(COLUMNS),
        *([show(one) for _, show in COLUMNS] for one in repositories),
    ]
    return [f"| {' | '.join(row)} |" for row in rows]


def span(figure: dict[str, float]) -> str:
    """A median and, where they differ, its smallest and largest."""
    low, middle, high = (f"{figure[key]:.3g}" for key in ("min", "median", "max"))
    return middle if low == high else f"{middle} ({low}-{high})"


def parts(sizes: dict[str, float]) -> str:
    """The parts of a data folder, largest first, without what rounds to nothing."""
    ordered = sorted(sizes.items(), key=lambda part: (-part[1], part[0]))
    return ", ".join(f"{name} {size:.1f}" for name, size in ordered if size >= 0.05)


def percentiles(search: Result) -> str:
    """The middle and the slow end of the searches of one process."""
    return f"{search['p50_ms']['median']:.3g} / {search['p95_ms']['median']:.3g}"
