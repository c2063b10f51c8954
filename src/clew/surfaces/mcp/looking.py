"""The tools that look: the research tools, whole chunks, and what tags there are.

Each gives the text that `app.Clew` found, within the client's cap, and the places of it as data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clew.errors import AccessError, InputError
from clew.redact import redact
from clew.surfaces.mcp.asking import Result
from clew.surfaces.mcp.offers import MAX_CHUNKS
from clew.surfaces.mcp.pages import fitting, page
from clew.tags import REFUSED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clew.app import Clew
    from clew.surfaces.mcp.calls import Caller
    from clew.surfaces.mcp.pages import Budget
    from clew.surfaces.mcp.progress import Progress
    from clew.types import Asker, Hit, HitSpan, Tag
    from clew.workspace import Workspace

_CHUNKS = 5
_PLACE = ("source", "path", "start_line", "end_line", "symbol")


async def tool(
    clew: Clew,
    workspace: Workspace,
    name: str,
    given: dict[str, Any],
    cursor: str,
    budget: Budget,
) -> Result:
    """Run one of the research tools."""
    done = await clew.tool(workspace, name, given, budget.whole)
    cut = page(_with_notices(workspace, done.text), cursor, budget)
    places = [{key: getattr(row, key) for key in _PLACE} for row in done.evidence]
    data = {
        **_where(workspace),
        "summary": done.summary,
        "text": cut.text,
        "places": fitting(places, budget.places),
        "cut": done.cut,
        "cursor": cut.cursor,
    }
    return Result(cut.text, data, failed=not done.ok)


async def chunks(
    clew: Clew, workspace: Workspace, given: dict[str, Any], cursor: str, budget: Budget
) -> Result:
    """The chunks that fit a query best, whole."""
    top = int(given.get("top_k", _CHUNKS))
    if not 1 <= top <= MAX_CHUNKS:
        raise InputError(f"top_k is a whole number from 1 to {MAX_CHUNKS}.")
    found = await clew.search(workspace, given["query"], top, None)
    best = _best(found.hits, top) if found.relevant else []
    parts: list[str] = []
    places: list[dict[str, Any]] = []
    several = len(workspace.views) > 1
    for hit, span in best:
        shown = await clew.show(workspace, hit.path, span.start_line, span.end_line, hit.source)
        name = f"{hit.source}:{hit.path}" if several else hit.path
        head = f"{name}:{span.start_line}-{span.end_line} {span.kind} {span.symbol}".rstrip()
        width = len(str(span.end_line))
        lines = (f"{n:>{width}}  {line}" for n, line in enumerate(shown.lines, span.start_line))
        parts.append("\n".join([head, *lines]))
        places.append(
            {
                "source": hit.source,
                "path": hit.path,
                "start_line": span.start_line,
                "end_line": span.end_line,
                "symbol": span.symbol,
            }
        )
    text = "\n\n".join(parts) or "Nothing relevant: try the words that the code itself would use."
    cut = page(_with_notices(workspace, text), cursor, budget)
    data = {
        **_where(workspace),
        "text": cut.text,
        "places": fitting(places, budget.places),
        "cursor": cut.cursor,
    }
    return Result(cut.text, data)


def _best(hits: Iterable[Hit], top: int) -> list[tuple[Hit, HitSpan]]:
    """The best span of each file first, then the second ones."""
    rows = list(hits)
    ranked = [(hit, hit.spans[n]) for n in range(3) for hit in rows if n < len(hit.spans)]
    return ranked[:top]


def tags(clew: Clew, caller: Caller) -> Result:
    """The tags that the caller may use."""
    allowed = clew.tags.allowed(caller.asker)
    if not allowed and not caller.asker.own:
        raise AccessError(REFUSED)
    rows = [{"tag": t.name, "about": t.about, "sources": _names(t)} for t in allowed]
    lines = [
        f"{row['tag']}: {row['about'] or 'no description'} ({', '.join(row['sources'])})"
        for row in rows
    ]
    if caller.asker.own:
        here = ", ".join(caller.repos) or "the current folder"
        lines.insert(0, f"Without a tag, what is read is {here}.")
    data: dict[str, Any] = {"tags": rows, "repos": list(caller.repos)}
    return Result("\n".join(lines), data)


async def inferred(clew: Clew, question: str, asker: Asker, progress: Progress) -> Result:
    """Which tag a question fits."""
    if asker.own and not clew.tags.by_name:
        return Result("There are no tags here, and none is needed.", {"tag": "", "fits": []})
    fits = await clew.infer_tag(question, progress, asker)
    best = fits[0]
    said = f"{best.tag}" if best.relevant else f"None fits well; the nearest is {best.tag}."
    rows = [
        {"tag": fit.tag, "relevant": fit.relevant, "coverage": max(fit.coverage, 0.0)}
        for fit in fits
    ]
    lines = [f"{row['tag']}: {row['coverage']:.0%} of the question" for row in rows]
    return Result("\n".join([said, *lines]), {"tag": best.tag, "fits": rows})


def _names(tag: Tag) -> list[str]:
    """What a tag reads by short names, never where it lies."""
    return [
        s.rstrip("/").replace(":", "/").split("/")[-1].removesuffix(".git") for s in tag.sources
    ]


def _with_notices(workspace: Workspace, text: str) -> str:
    """The text, below what is missing or out of date in what was looked at."""
    notices = (redact(" ".join(notice.split())) for notice in workspace.notices)
    return "".join(f"[note: {notice}]\n" for notice in notices) + text


def _where(workspace: Workspace) -> dict[str, Any]:
    return {"tag": workspace.tag, "revisions": workspace.revisions}
