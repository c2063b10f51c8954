"""MCP: from the start of the process to the first list of tools, the first search, round trips.

    python -m benchmarks.mcp --repo NAME=PATH --out benchmarks/results/mcp.json
    python -m benchmarks.mcp --show benchmarks/results/mcp.json

`clew mcp` runs as a process of its own, called by the official client on stdio and over HTTP on
loopback, in turns with a server that does nothing (the floor) and, given `--semble-python`, with
the peer's own server. PATH is a clone or a bare repository; it is cloned. A result names no path
and no host.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
import statistics
import sys
import tempfile
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import material, servers
from benchmarks.processes import (
    BenchmarkError,
    environment,
    keep,
    machine,
    percentile,
    rounded,
    run,
    spread,
)
from benchmarks.report import span
from benchmarks.step1 import ROOT, named, project_commit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mcp_types import CallToolResult

    from benchmarks.material import Material
    from benchmarks.servers import Contender, Session

Json = dict[str, Any]
CHARS_PER_TOKEN = 4
READ = 60  # lines of one read_file


@dataclass(frozen=True, slots=True)
class Bench:
    """One run: what is called, on what, how often."""

    clew: Path
    folder: Path
    on: Material
    runs: int
    semble: str

    @property
    def env(self) -> dict[str, str]:
        """What the servers see of the outside; the peer keeps its indexes in this home."""
        return environment(self.folder / "home")

    @property
    def data(self) -> Path:
        """Clew's data folder with the index."""
        return self.folder / "data"

    def contenders(self, data: Path) -> list[Contender]:
        """The servers on stdio that take turns."""
        made = [servers.clew(self.clew, self.on.clone, data, self.env), servers.floor(self.env)]
        if self.semble:
            made.append(servers.semble(self.semble, self.on.clone, self.env))
        return made

    def http(self) -> list[Contender]:
        """The servers over HTTP that take turns."""
        ours = servers.clew_http(self.clew, self.on.clone, self.data, self.env)
        return [ours, servers.floor(self.env, http=True)]

    def fresh(self) -> Path:
        """A data folder that isn't there yet; and the peer's indexes are gone."""
        data = self.folder / "fresh"
        shutil.rmtree(data, ignore_errors=True)
        shutil.rmtree(self.folder / "home", ignore_errors=True)
        (self.folder / "home").mkdir()
        return data


async def measure(bench: Bench) -> Json:
    """Every figure."""
    found: Json = {"first": await first_searches(bench)}
    run([bench.clew, "index", "--repo", bench.on.clone, "--data", bench.data], bench.env)
    stdio = bench.contenders(bench.data)
    found["start"] = {"stdio": await starts(stdio, bench.runs)}
    found["start"]["http"] = await starts(bench.http(), bench.runs)
    found["calls"] = {"stdio": await round_trips(stdio, bench.on.queries)}
    found["calls"]["http"] = await round_trips(bench.http(), bench.on.queries)
    return found


async def starts(contenders: Sequence[Contender], runs: int) -> Json:
    """Start to the list of tools, in turns; with several, first one that doesn't count.

    It brings the files into memory.
    """
    took: dict[str, list[float]] = {each.name: [] for each in contenders}
    listed: dict[str, int] = {}
    unseen = int(runs > 1)
    for number in range(runs + unseen):
        for each in contenders:
            async with servers.session(each) as made:
                listed[each.name] = len(made.tools)
                if number >= unseen:
                    took[each.name].append(made.listed_s)
    rows: Json = {
        name: {"s": spread(values), "list_tokens": listed[name] // CHARS_PER_TOKEN}
        for name, values in took.items()
    }
    return with_ratios(rows, lambda row: row["s"]["median"])


async def first_searches(bench: Bench) -> Json:
    """Start, list and first search where no index is, in turns, each time from nothing."""
    runs: dict[str, list[Json]] = {}
    for _ in range(bench.runs):
        for each in bench.contenders(bench.fresh()):
            if each.name != "floor":
                async with servers.session(each) as made:
                    one = await _first(made, each, bench.on.queries)
                runs.setdefault(each.name, []).append(one)
    rows: Json = {
        name: {
            "listed_s": spread([one["listed_s"] for one in some]),
            "s": spread([one["s"] for one in some]),
            "calls": max(one["calls"] for one in some),
            "notes": spread([one["notes"] for one in some]),
            "first_note_s": spread([one["first_note_s"] or 0.0 for one in some]),
        }
        for name, some in runs.items()
    }
    return with_ratios(rows, lambda row: row["s"]["median"])


async def _first(made: Session, of: Contender, queries: Sequence[str]) -> Json:
    """The first search; a server that asks for patience is called until it has an answer."""
    took, notes, begun, calls = 0.0, 0, None, 0
    while True:
        found, seconds = await made.call(of.tool, of.given(queries[0]))
        if made.notes and begun is None:
            begun = took + made.notes[0]
        took, notes, calls = took + seconds, notes + len(made.notes), calls + 1
        if not found.is_error:
            break
        if took > servers.SECONDS:
            raise BenchmarkError(f"{of.name} has no index after {took:.0f} s: {text_of(found)}")
    return {
        "listed_s": made.listed_s,
        "s": took,
        "calls": calls,
        "notes": notes,
        "first_note_s": begun,
    }


async def round_trips(contenders: Sequence[Contender], queries: Sequence[str]) -> Json:
    """Searches one after the other, the servers in turns; what Clew found is read as well."""
    names = [query for query in queries if " " not in query]
    took: dict[str, dict[str, list[float]]] = {}
    sizes: list[int] = []
    async with AsyncExitStack() as stack:
        opened = [
            (each, await stack.enter_async_context(servers.session(each))) for each in contenders
        ]
        for each, made in opened:
            await _first(made, each, queries)  # what is made once is not a round trip's
        for query in queries:
            for each, made in opened:
                found, seconds = await _ok(made, each.tool, each.given(query))
                took.setdefault(each.name, {}).setdefault(each.tool, []).append(seconds)
                if each.name == "clew":
                    sizes.append(len(text_of(found)))
                    await _read(made, found, took["clew"])
        for name in names:
            found, seconds = await opened[0][1].call("find_symbol", {"name": name})
            if not found.is_error:  # some drawn names only look defined
                took["clew"].setdefault("find_symbol", []).append(seconds)
    rows: Json = {}
    for name, tools in took.items():
        rows[name] = {tool: _quick(values) for tool, values in tools.items()}
    rows["clew"]["search_code"]["tokens"] = round(statistics.median(sizes) / CHARS_PER_TOKEN)
    ours = rows["clew"]["search_code"]["p50_ms"]
    for each in contenders[1:]:
        row = rows[each.name][each.tool]
        row["ratio"] = rounded(ours / row["p50_ms"])
    return rows


async def _read(made: Session, found: CallToolResult, took: dict[str, list[float]]) -> None:
    places = (found.structured_content or {}).get("places", [])
    if places:
        start = places[0]["start_line"]
        given = {"path": places[0]["path"], "start_line": start, "end_line": start + READ - 1}
        _, seconds = await _ok(made, "read_file", given)
        took.setdefault("read_file", []).append(seconds)


async def _ok(made: Session, tool: str, given: Json) -> tuple[CallToolResult, float]:
    found, seconds = await made.call(tool, given)
    if found.is_error or text_of(found).startswith(servers.BROKEN):
        raise BenchmarkError(f"{tool} failed: {text_of(found)}")
    return found, seconds


def text_of(result: CallToolResult) -> str:
    """The text of a call's result."""
    return "".join(block.text for block in result.content if block.type == "text")


def _quick(seconds: Sequence[float]) -> Json:
    ms = [each * 1_000 for each in seconds]
    return {
        "n": len(ms),
        "p50_ms": rounded(percentile(ms, 0.5)),
        "p95_ms": rounded(percentile(ms, 0.95)),
    }


def with_ratios(rows: Json, figure: Callable[[Json], float]) -> Json:
    """Each other server's row with Clew's time in its own as `ratio`."""
    for name, row in rows.items():
        if name != "clew":
            row["ratio"] = rounded(figure(rows["clew"]) / figure(row))
    return rows


# --- as text -----------------------------------------------------------------------------------


def markdown(result: Json) -> str:
    """The result as tables."""
    on, repo = result["machine"], result["repository"]
    dirty = " with uncommitted changes" if result["dirty"] else ""
    versions = ", ".join(f"{name} {value}" for name, value in result["versions"].items())
    said = (
        f"Clew {result['commit'][:10]}{dirty}, {result['date']}; {on['cpu']}, {on['cores']} cores, "
        f"Python {on['python']}, {versions}; load before the start {on['load_before']}. "
        f"{repo['name']} `{repo['commit'][:10]}`, {repo['code_lines']:,} code lines. Ratio: Clew's "
        "time in the other's."
    )
    rows = [
        f"`{result['command']}`",
        "",
        said,
        "",
        "| start to list of tools | over | s | ratio | list, tokens |",
        "| --- | --- | --- | --- | --- |",
    ]
    for over, servers_ in result["start"].items():
        for name, row in servers_.items():
            cells = [name, over, span(row["s"]), _ratio(row), f"{row['list_tokens']:,}"]
            rows.append(_row(*cells))
    rows += [
        "",
        "| first search, no index yet | list, s | search, s | calls | notes | first, s | ratio |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, row in result["first"].items():
        first = span(row["first_note_s"]) if row["notes"]["max"] else ""
        cells = [name, span(row["listed_s"]), span(row["s"]), str(row["calls"])]
        cells += [span(row["notes"]), first, _ratio(row)]
        rows.append(_row(*cells))
    rows += [
        "",
        "| round trip | over | calls | p50, ms | p95, ms | ratio |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for over, servers_ in result["calls"].items():
        for name, tools in servers_.items():
            for tool, row in tools.items():
                cells = [f"{name} {tool}", over, str(row["n"]), f"{row['p50_ms']:.3g}"]
                rows.append(_row(*cells, f"{row['p95_ms']:.3g}", _ratio(row)))
    tokens = result["calls"]["stdio"]["clew"]["search_code"]["tokens"]
    return "\n".join([*rows, "", f"The text of a search has {tokens:,} tokens in the median."])


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _ratio(row: Json) -> str:
    return f"{row['ratio']:.2f}" if "ratio" in row else ""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(prog="benchmarks.mcp", description=__doc__)
    made.formatter_class = argparse.RawDescriptionHelpFormatter
    made.add_argument("--repo", metavar="NAME=PATH", help="what is searched")
    made.add_argument("--out", type=Path, help="the result file (JSON)")
    made.add_argument("--runs", type=int, default=5, help="starts, and first searches, of each")
    made.add_argument("--queries", type=int, default=60, help="drawn searches")
    made.add_argument("--semble-python", default="", metavar="PYTHON", help="has semble[mcp]")
    made.add_argument("--clew", type=Path, default=ROOT / ".venv" / "bin" / "clew")
    made.add_argument("--show", type=Path, help="print a result file as Markdown")
    return made


def versions(semble: str) -> dict[str, str]:
    """Of what is measured besides Clew: the library that servers are made with, and the peer."""
    found = {"mcp": version("mcp")}
    if semble:
        asked = "from importlib.metadata import version as v; print(v('semble'), v('mcp'))"
        said = run([semble, "-c", asked], dict(environment(Path.home()))).out.split()
        found |= {"semble": f"{said[0]} (mcp {said[1]})"}
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and write, or show what was written."""
    reading = parser()
    options = reading.parse_args(arguments)
    if options.show:
        print(markdown(json.loads(options.show.read_text("utf-8"))))
        return 0
    if not options.repo:
        reading.error("name a repository: --repo NAME=PATH")
    name, path = named(options.repo)
    commit, dirty = project_commit()
    peer = " --semble-python PYTHON" if options.semble_python else ""
    result: Json = {
        "command": f"python -m benchmarks.mcp --repo {name}=PATH --runs {options.runs} "
        f"--queries {options.queries}{peer}",
        "commit": commit,
        "dirty": dirty,
        "date": datetime.now(UTC).date().isoformat(),
        "machine": machine(),
    }
    try:
        result["versions"] = versions(options.semble_python)
        with tempfile.TemporaryDirectory(prefix="clew-bench-") as folder:
            on = material.prepare(name, path, Path(folder), options.queries)
            result["repository"] = {"name": name, **asdict(on.facts)}
            bench = Bench(options.clew, Path(folder), on, options.runs, options.semble_python)
            (bench.folder / "home").mkdir()
            result |= asyncio.run(measure(bench))
    except BenchmarkError as error:
        print(error, file=sys.stderr)
        return 1
    if options.out:
        keep(options.out, result)
    print(markdown(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
