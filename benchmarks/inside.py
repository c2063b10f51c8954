"""Runs tools and questions inside one process over one repository, and prints what each took.

    PYTHON benchmarks/inside.py grep|blame|research REPO DATA WORK

WORK is a JSON file; what is printed is one JSON object. The repository must be indexed already:
what is timed is a tool's call, or a question after its model's time, and never the indexing.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import time
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clew.app import build
from clew.errors import ClewError
from clew.models import gateway
from clew.models.chat import Results
from clew.models.scripted import Scripted, call, say
from clew.redact import DEFAULT_DENY, DenyList
from clew.settings import ModelSettings, Settings
from clew.sources.history import GitHistory
from clew.tools.blame import blame
from clew.tools.grep import grep
from clew.tools.scope import Scope
from clew.types import Asker, DoneEvent, Question

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Sequence

    from clew.models.chat import Prompt, Reply
    from clew.models.scripted import Turn
    from clew.tools.result import ToolResult
    from clew.types import Answer, Event
    from clew.workspace import Workspace

SECONDS = 60.0  # that a tool may take here: a limit must not cut what is measured
PLACE = re.compile(r"([\w./+-]+\.\w+):(\d+)-(\d+)")
OFTEN = 11  # turns that look, of the twelve that a question has


def opened(repo: str, data: Path) -> Workspace:
    """The repository as indexed."""
    app = build(Settings(data=data), cwd=Path.cwd())
    return asyncio.run(app.open([repo], lambda _: None))


def scope_of(workspace: Workspace, data: Path) -> Scope:
    """What the tools take, as the application makes it but for the time limit."""
    return Scope(
        workspace.views,
        DenyList(DEFAULT_DENY),
        seconds=SECONDS,
        histories=lambda source, revision: GitHistory.of(source, revision, data),
    )


def greps(repo: str, data: Path, work: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Look for every pattern once."""
    with opened(repo, data) as workspace:
        scope = scope_of(workspace, data)
        indexed = [doc for doc in workspace.views[0].documents() if not doc.skip]
        rows = [_grep(scope, one) for one in work]
    return {"files": len(indexed), "bytes": sum(doc.size for doc in indexed), "rows": rows}


def _grep(scope: Scope, pattern: dict[str, Any]) -> dict[str, Any]:
    took, done = _timed(lambda: grep(scope, pattern["regex"], ignore_case=pattern["ignore_case"]))
    found = {"matches": done.data.total, "complete": done.data.complete}
    return {"kind": pattern["kind"], "ms": took, **found}


def blames(repo: str, data: Path, work: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Blame every range once."""
    with opened(repo, data) as workspace:
        scope = scope_of(workspace, data)
        return {"rows": [_blame(scope, one["path"], *one["range"]) for one in work]}


def _blame(scope: Scope, path: str, start: int, end: int) -> dict[str, Any]:
    row: dict[str, Any] = {"path": path, "lines": end - start + 1}
    try:
        took, done = _timed(lambda: blame(scope, path, start, end))
    except ClewError as error:
        return {**row, "failed": error.message}
    if done.data.generated:
        return {**row, "failed": "not blamed: a program wrote it"}
    commits = {run.commit.sha for run in done.data.runs}
    return {**row, "ms": took, "commits": len(commits)}


def _timed(work: Callable[[], ToolResult[Any]]) -> tuple[float, ToolResult[Any]]:
    begun = time.perf_counter()
    done = work()
    return (time.perf_counter() - begun) * 1000, done


# --- research --------------------------------------------------------------------------------


def short_script(question: str, name: str) -> list[Turn]:
    """Search, read the best place, look who uses it, answer: a good model's way."""

    def look(prompt: Prompt) -> Reply:
        path, start, end = best_place(prompt)
        return call(
            ("read_file", {"path": path, "start_line": start, "end_line": end}),
            ("grep", {"pattern": rf"\b{name}\b"}),
        )

    def uses(prompt: Prompt) -> Reply:
        path, _, _ = best_place(prompt)
        return call(("who_calls", {"name": name}), ("outline", {"path": path}))

    begin = call(("search_code", {"query": question}), ("find_symbol", {"name": name}))
    return [begin, look, uses, lambda prompt: answer(prompt, name)]


def long_script(name: str, queries: Sequence[str]) -> list[Turn]:
    """A search in every turn that there is, and an answer in the last one."""
    looks = [
        call(("search_code", {"query": query}), ("grep", {"pattern": re.escape(query)}))
        for query in queries[:OFTEN]
    ]
    return [*looks, lambda prompt: answer(prompt, name)]


def best_place(prompt: Prompt) -> tuple[str, int, int]:
    """The first lines that any tool's result names."""
    texts = [one.text for m in prompt.messages if isinstance(m, Results) for one in m.items]
    found = next((match for text in texts if (match := PLACE.search(text))), None)
    if found is None:
        raise ValueError(f"no tool named a place: {texts}")
    return found[1], int(found[2]), int(found[3])


def answer(prompt: Prompt, name: str) -> Reply:
    """An answer with two citations."""
    path, start, end = best_place(prompt)
    return say(
        f"## Answer\n\nSee `{path}:{start}-{end}` for `{name}`.\n\n"
        f"## Evidence\n\n- `{path}:{start}-{end}` was found first.\n"
    )


def research(repo: str, data: Path, work: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Ask every question by its script; the model is put in where the gateway opens one."""
    rows: list[dict[str, Any]] = []
    settings = Settings(data=data, model=ModelSettings(answer="openai:scripted"))
    for one in work:
        long = one["script"] == "long"
        script = (
            long_script(one["name"], one["queries"])
            if long
            else short_script(one["question"], one["name"])
        )
        model = Scripted(script)
        gateway.open_chat = lambda _, model=model: model.open()
        with build(settings, cwd=Path.cwd()) as app:
            done = asyncio.run(
                _ask(app.ask(Question(one["question"], (repo,), Asker("bench", own=True))))
            )
        rows.append({"script": one["script"], **figures(done)})
    return {"rows": rows}


async def _ask(events: AsyncGenerator[Event]) -> Answer:
    async with aclosing(events):
        async for event in events:
            if isinstance(event, DoneEvent):
                return event.answer
    raise ValueError("the question came to no end")


def figures(answer: Answer) -> dict[str, Any]:
    """What is kept of one answer."""
    return {
        "outcome": answer.outcome,
        "mode": answer.mode,
        "caveats": sorted({warning.type for warning in answer.warnings}),
        "turns": answer.usage.model_calls,
        "tool_calls": answer.usage.tool_calls,
        "input_tokens": answer.usage.input_tokens,
        "output_tokens": answer.usage.output_tokens,
        "open_ms": answer.timings["open"] * 1000,
        "answer_ms": answer.timings["answer"] * 1000,
        "total_ms": answer.timings["total"] * 1000,
    }


def main(arguments: Sequence[str]) -> None:
    """Do one kind of work and print its rows."""
    what, repo, data, work = arguments
    do = {"grep": greps, "blame": blames, "research": research}[what]
    print(json.dumps(do(repo, Path(data), json.loads(Path(work).read_text("utf-8")))))


if __name__ == "__main__":
    main(sys.argv[1:])
