"""Slack on loopback: time to 🤔, to the first word of what is done, and to the end.

    python -m benchmarks.slack --repo NAME=PATH --out benchmarks/results/slack.json
    python -m benchmarks.slack --show benchmarks/results/slack.json

`clew slack` runs as a process of its own, against the fake Slack of the tests: the real client
libraries over real sockets, without the way to Slack's servers and without a model (answers are
made by rule). PATH is a clone; it is indexed before anything is timed. A time begins when the event
is sent and ends when the call that shows something to the asker has come in.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import sys
import tempfile
import time
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.processes import environment, keep, machine, percentile, rounded
from benchmarks.step1 import ROOT, named, project_commit

sys.path.insert(0, str(ROOT / "tests"))  # the fake Slack is theirs

from support.slack import payloads
from support.slack.server import FakeSlack
from support.slack.workspace import APP_TOKEN, BOT_TOKEN, ME, Json, Posted, Workspace

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

CHANNEL = "C0BENCH"
AT_ONCE = (1, 20)
STAGES = ("thinking", "status", "end")
QUESTIONS = (
    "where is the timeout set?",
    "how are errors handled?",
    "what does the configuration hold?",
    "where are requests sent?",
    "how is a response read?",
)


class Timed(Workspace):
    """A workspace that knows when each question was shown what."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: dict[str, float] = {}
        self.seen: dict[str, dict[str, float]] = {}

    def ask(self, text: str) -> Posted:
        """Write a question; its time begins."""
        said = self.say(CHANNEL, f"<@{ME}> {text}")
        self.asked[said.ts] = time.perf_counter()
        self.seen[said.ts] = {}
        return said

    def answer(self, method: str, args: Json) -> Json:
        """Carry a call out, and note what it showed to whom."""
        done = super().answer(method, args)
        if method == "reactions.add" and args["name"] == "thinking_face":
            self._note(args["timestamp"], "thinking")
        elif method == "chat.postMessage":
            self._note(args["thread_ts"], "status")
        elif method == "reactions.add":  # ✅ or ⚠️, once the answer stands there
            self._note(args["timestamp"], "end")
        return done

    def _note(self, ts: str, stage: str) -> None:
        self.seen[ts].setdefault(stage, time.perf_counter() - self.asked[ts])


async def measure(options: argparse.Namespace, folder: Path) -> list[Json]:
    """One row for each number of questions at once."""
    name, path = named(options.repo)
    config = folder / "config.toml"
    fake = FakeSlack()
    fake.workspace = workspace = Timed()
    rows: list[Json] = []
    async with fake.running():
        workspace.channel(CHANNEL)
        config.write_text(
            f"data = {json.dumps(str(folder / 'data'))}\n"
            f"[tags.{name}]\nsources = [{json.dumps(str(path))}]\n"
            f'slack = [{{channel = "{CHANNEL}"}}]\n'
            f"[slack]\nat_once = {options.slots}\n",
            encoding="utf-8",
        )
        env = {
            **environment(folder / "home"),
            "SLACK_BOT_TOKEN": BOT_TOKEN,
            "SLACK_APP_TOKEN": APP_TOKEN,
            "CLEW_SLACK_API": fake.api,
        }
        clew = [str(options.clew)]
        index = [*clew, "index", "--tag", name, "--config", str(config)]
        indexing = await asyncio.create_subprocess_exec(*index, env=env)
        if await indexing.wait():
            raise SystemExit("The repository can't be indexed.")
        async with a_process([*clew, "slack", "--config", str(config)], env):
            texts = itertools.cycle(QUESTIONS)
            await round_of(fake, workspace, [next(texts)])  # imports are not Slack's
            for at_once in AT_ONCE:
                print(f"{at_once} at once ...", file=sys.stderr)
                rounds = [
                    await round_of(fake, workspace, [next(texts) for _ in range(at_once)])
                    for _ in range(options.runs if at_once > 1 else options.runs * 5)
                ]
                rows.append(row(at_once, [seen for found in rounds for seen in found]))
    return rows


async def round_of(fake: FakeSlack, workspace: Timed, texts: list[str]) -> list[dict[str, float]]:
    """Ask these at once; returns when each was shown what, seconds."""
    asked = [workspace.ask(text) for text in texts]
    await asyncio.gather(*(fake.tell(payloads.mention(said)) for said in asked))
    for said in asked:
        await workspace.until(lambda ts=said.ts: "end" in workspace.seen[ts], "an answer")
    return [workspace.seen[said.ts] for said in asked]


def row(at_once: int, found: list[dict[str, float]]) -> Json:
    """Percentiles of each stage, in milliseconds."""
    stages: Json = {}
    for stage in STAGES:
        values = [seen[stage] * 1_000 for seen in found]
        shares = {"p50": 0.5, "p95": 0.95, "max": 1.0}
        stages[stage] = {name: rounded(percentile(values, s)) for name, s in shares.items()}
    return {"at_once": at_once, "questions": len(found), **stages}


@asynccontextmanager
async def a_process(command: list[str], env: dict[str, str]) -> AsyncIterator[None]:
    """`clew slack`, once it listens; it is stopped at the end."""
    running = await asyncio.create_subprocess_exec(
        *command, env=env, stderr=asyncio.subprocess.PIPE
    )
    try:
        assert running.stderr
        while b"Answering in Slack" not in (line := await running.stderr.readline()):
            if not line:
                raise SystemExit("clew slack ended before it listened.")
        yield
    finally:
        running.terminate()
        await running.wait()


def markdown(result: Json) -> str:
    """The result as a table."""
    on = result["machine"]
    rows = [
        "| questions at once | asked | 🤔, ms | first word, ms | end, ms |",
        "| --- | --- | --- | --- | --- |",
    ]
    for one in result["rows"]:
        stages = [f"{one[s]['p50']:,} / {one[s]['p95']:,} / {one[s]['max']:,}" for s in STAGES]
        rows.append(f"| {one['at_once']} | {one['questions']} | {' | '.join(stages)} |")
    said = (
        f"Clew {result['commit'][:10]}{' with uncommitted changes' if result['dirty'] else ''}, "
        f"{result['date']}; {on['cpu']}, {on['cores']} cores; load before the start "
        f"{on['load_before']}; {result['repository']}, {result['slots']} questions at a time. "
        "p50 / p95 / largest."
    )
    return "\n".join([f"`{result['command']}`", "", said, "", *rows])


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(prog="benchmarks.slack", description=__doc__)
    made.add_argument("--repo", metavar="NAME=PATH", help="what is asked about")
    made.add_argument("--out", type=Path, help="the result file (JSON)")
    made.add_argument("--runs", type=int, default=5, help="rounds of 20; five times as many of one")
    made.add_argument("--slots", type=int, default=4, help="questions that are answered at a time")
    made.add_argument("--clew", type=Path, default=ROOT / ".venv" / "bin" / "clew")
    made.add_argument("--show", type=Path, help="print a result file as Markdown")
    return made


def main() -> int:
    """Measure and write, or show what was written."""
    reading = parser()
    options = reading.parse_args()
    if options.show:
        print(markdown(json.loads(options.show.read_text("utf-8"))))
        return 0
    if not options.repo:
        reading.error("name a repository: --repo NAME=PATH")
    commit, dirty = project_commit()
    result: dict[str, Any] = {
        "command": f"python -m benchmarks.slack --repo {named(options.repo)[0]}=PATH "
        f"--runs {options.runs} --slots {options.slots}",
        "commit": commit,
        "dirty": dirty,
        "date": datetime.now(UTC).date().isoformat(),
        "machine": machine(),
        "repository": named(options.repo)[0],
        "slots": options.slots,
    }
    with tempfile.TemporaryDirectory(prefix="clew-bench-") as folder:
        (Path(folder) / "home").mkdir()
        result["rows"] = asyncio.run(measure(options, Path(folder)))
    if options.out:
        keep(options.out, result)
    print(markdown(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
