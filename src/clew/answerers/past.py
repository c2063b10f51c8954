"""Answers when, why and by whom from the commits that touched the lines, and what changed.

A commit's own words stand in a block, line by line as the history tool showed them; what is said
around them is dates and places. What was removed is quoted and not cited: it is no longer there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clew.answerers.abstain import without_history
from clew.answerers.base import Found
from clew.answerers.files import documents_at, missing
from clew.answerers.find import find_subject
from clew.answerers.plan import Plan, plan
from clew.answerers.reply import Reply
from clew.answerers.writing import cite, cite_place, longest_run, more, named
from clew.errors import ClewError
from clew.tools.commits import title
from clew.tools.history import history
from clew.tools.result import clip, plural
from clew.types import Caveat, ToolCallEvent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clew.answerers.look import Looker, Place
    from clew.answerers.when import When
    from clew.tools.result import ChangedFile, CommitRow, HistoryData, ToolResult

COMMITS = 6  # told of one place
CHANGES = 20  # told of a range
BODY_LINES = 4  # of a commit's message
FILES = 4  # whose lines are shown
LINES = 24  # changed lines shown of one file
SPANS = 6  # of them cited
_VERB = (
    r"(?:introduced?|added?|created?|written|wrote|changed?|modified|touched|removed?|made|built"
    r"|implemented|put\s+(?:in|there|here))"
)
_FRAME = re.compile(
    rf"^(?:{_VERB}\s+)|\s+(?:first\s+|last\s+|originally\s+)?{_VERB}"
    r"(?:\s+(?:here|there|like\s+this|this\s+way|by|and\s+why|and\s+by\s+whom))*$",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"^.*?\b(?:chang\w*|differen\w*|differs?|new|commits?|happened|added|removed)\b"
    r"(?:\s+(?:in|to|with|for|inside|of|is|are|were|was|made))*\s*",
    re.IGNORECASE,
)
_THING = re.compile(r"\s+(?:module|package|folder|directory|file|code)s?$", re.IGNORECASE)
_NEWS = re.compile(
    r"what(?:'s|\s+is|\s+has|\s+was)?\s+(?:changed|new|different|added|removed)(?:\s+in)?[\s?.!]*",
    re.IGNORECASE,
)
_WHY = re.compile(r"\bwhy\b", re.IGNORECASE)
_FIRST = re.compile(
    r"\b(?:introduc\w*|added|creat\w*|first|originally|since\s+when|wrote|written)\b", re.IGNORECASE
)


def told(looker: Looker, asked: Plan, unknown_text: str) -> Reply | None:
    """When, why and by whom; None when nothing is found that the question is about."""
    wanted = plan(f"where is {_FRAME.sub('', asked.subject)} defined")  # a name may end in "?"
    place = _place(looker, wanted, asked)
    if place is None and (path := _lone_path(wanted)):
        return _which(looker, path) or missing(looker, wanted, path)
    if place is None:
        return None
    lines = (place.start_line, place.end_line) if place.named else (None, None)
    try:
        result = history(looker.scope, place.path, *lines, source=place.source)
    except ClewError as error:
        looker.emit(ToolCallEvent("history", place.path, error.message, ok=False))
        return without_history(looker, asked, unknown_text, error.message)
    data = _noted(looker, result)
    where = f"{named(place)} at {cite_place(looker.scope, place)}"
    if data.generated:
        said = f"{where} is in a generated file: who changed its lines last says nothing.\n"
        return Reply(said, (place,), outcome="partial", caveats=_caveats(data))
    if not data.commits:
        return None
    first = data.first
    if not place.named:
        where = f"The file at {cite_place(looker.scope, place)}"
    said = _beginning(where, first) if _FIRST.search(asked.text) and first else ""
    rows = [row for row in data.commits if not (said and first and row.sha == first.sha)]
    if rows:
        since = plural(max(data.total - bool(said), len(rows)), "commit")
        verb = "It was changed since" if said else f"{where} was last changed on {_day(rows[0])}"
        block = _block(rows[:COMMITS], words=_WHY.search(asked.text) is not None)
        said += f"\n{verb}, in {since}, the newest first:\n\n{block}"
    return Reply(said, (place,) if place.named else (), caveats=_caveats(data))


def since_when(asked: Plan, span: When) -> Reply | None:
    """What is new in a version can't be told without the one before it, which nothing names."""
    if not span.at or not _NEWS.fullmatch(asked.text):
        return None
    said = f"What is new in {span.at} is told from two states: ask what changed between the version"
    return Reply(f"{said} before it and {span.at}.\n", outcome="no_answer")


def changed(looker: Looker, asked: Plan, span: When) -> Reply | None:
    """What differs between an older revision and the one that is read."""
    since = span.since
    words = f"since {since}" + (f" up to {span.at}" if span.at else "")
    subject = _CHANGED.sub("", asked.text).strip(" ?.!`'\"")
    found: list[str] = []
    caveats: list[Caveat] = []
    for view in looker.scope.views:
        source = view.source.name
        path = _changed_path(looker, subject, source) if subject else "."
        if path is None:
            continue
        try:
            result = history(looker.scope, path, since=since, source=source)
        except ClewError as error:
            looker.emit(ToolCallEvent("history", path, error.message, ok=False))
            caveats.append(Caveat("no_history", error.message))
            continue
        data = _noted(looker, result)
        found.append(_differences(looker, data, words))
        caveats += _caveats(data)
    if found:
        return Reply("\n".join(found), caveats=tuple(caveats))
    if not caveats:
        return None
    said = f"What changed can't be told: {caveats[0].message}\n"
    return Reply(said, outcome="no_answer", caveats=tuple(caveats))


def _place(looker: Looker, wanted: Plan, asked: Plan) -> Place | None:
    for each in (wanted, asked):
        for path in each.query.paths:
            found = documents_at(looker, path.removeprefix("./").strip("/"))
            found = [(view, d) for view, d in found if not looker.scope.denied(d.path)]
            if len(found) == 1 or (found and found[0][1].path == path):
                view, document = found[0]
                end = max(document.lines, 1)
                return looker.place(view.source.name, document.path, 1, end, "", "module")
    subject = None if _lone_path(wanted) else find_subject(looker, wanted)
    return subject.first if subject else None


def _lone_path(wanted: Plan) -> str:
    """The file that is all a question is about; nothing else may be told about in its place."""
    name = wanted.bare.removeprefix("./")
    lone = wanted.bare in wanted.query.paths and "." in name.rpartition("/")[2]
    return name if lone else ""


def _which(looker: Looker, path: str) -> Reply | None:
    """Several files end in the path: whose history is meant isn't guessed."""
    found = [d.path for _, d in documents_at(looker, path) if not looker.scope.denied(d.path)]
    if len(found) < 2:
        return None
    rows = "".join(f"- `{one}`\n" for one in found[:FILES])
    said = f"{plural(len(found), 'file')} are called so; ask about one by its whole path:\n\n"
    return Reply(said + rows + more(len(found) - FILES), outcome="partial")


def _changed_path(looker: Looker, subject: str, source: str) -> str | None:
    """The file or folder that the words name, in one source; None when it has none."""
    view = looker.view(source)
    bare = _THING.sub("", subject.removeprefix("the ")).strip("/ `")
    if view.document(bare):
        return bare
    folders = {d.path[: at + len(bare)] for d in view.documents() if (at := _at(d.path, bare)) >= 0}
    if folders and bare:  # the one nearest to the root that is called so
        return min(folders, key=lambda folder: (folder.count("/"), folder))
    wanted = plan(f"where is {subject}")
    for path in wanted.query.paths:
        if view.document(path):
            return path
    found = find_subject(looker, wanted)
    return found.first.path if found and found.first.source == source else None


def _at(path: str, folder: str) -> int:
    """Where a folder of that name stands in a path, -1 when nowhere."""
    return f"/{path}".find(f"/{folder}/")


def _noted(looker: Looker, result: ToolResult[HistoryData]) -> HistoryData:
    """Report the call; what it showed may be repeated."""
    looker.searched.append(f"history “{result.argument}”")
    looker.emit(ToolCallEvent(result.tool, result.argument, result.summary, result.ok))
    looker.emit(Found(result.evidence, (result.text,)))
    return result.data


# --- words -----------------------------------------------------------------------------------


def _beginning(where: str, first: CommitRow) -> str:
    if first.uncommitted:
        return f"{where} is not committed yet.\n"
    return f"{where} goes back to {first.date}:\n\n{_block([first])}"


def _day(row: CommitRow) -> str:
    return row.date or "the day it is: that is not committed yet"


def _block(rows: Sequence[CommitRow], *, words: bool = True) -> str:
    """Commits as the tool shows them: title and, with `words`, how the message goes on."""
    lines: list[str] = []
    for row in rows:
        body = [line.strip() for line in row.body.split("\n") if line.strip()]
        shown = body[:BODY_LINES] if words else ()
        lines += [title(row), *(f"    {clip(line, 240)}" for line in shown)]
    return _fenced(lines)


def _fenced(lines: Sequence[str]) -> str:
    fence = "`" * max(3, longest_run(lines) + 1)
    return "\n".join([f"{fence}text", *lines, fence]) + "\n"


def _differences(looker: Looker, data: HistoryData, span: str) -> str:
    where = f"In {data.source}, " if looker.scope.several else ""
    if not data.commits and not data.files:
        return f"{where or 'Here '}nothing changed {span}.\n"
    known = data.path and looker.view(data.source).document(data.path)
    touched = f" touched `{data.path}`" if known else ""
    count = plural(max(data.total, len(data.commits)), "commit")
    verb = "differs" if len(data.files) == 1 else "differ"
    said = f"{where}{count} {span}{touched}; {plural(len(data.files), 'file')} {verb}:\n\n"
    said += _fenced([f"{file.path} {file.said}" for file in data.files])
    for file in [f for f in data.files if f.lines][:FILES]:
        spans = list(_spans(looker, file))[:SPANS]
        said += f"\n{', '.join(spans)}\n\n{_lines(file)}"
    if data.commits:
        rows = [title(row) for row in data.commits[:CHANGES]]
        said += f"\nThe commits, the newest first:\n\n{_fenced(rows)}"
    return said


def _spans(looker: Looker, file: ChangedFile) -> Iterator[str]:
    """The citations of a file's added lines, or its name when lines were only removed."""
    added = [line.line for line in file.lines[:LINES] if line.added]
    start = 0
    for at, line in enumerate(added):
        if at + 1 == len(added) or added[at + 1] != line + 1:
            yield cite(looker.scope, file.source, file.path, added[start], line)
            start = at + 1
    if not added:
        yield f"`{file.path}`"


def _lines(file: ChangedFile) -> str:
    rows = [f"{'+' if x.added else '-'}{x.line}: {clip(x.text, 200)}" for x in file.lines[:LINES]]
    left = len(file.lines) - LINES
    return _fenced([*rows, *([f"… {left} more"] if left > 0 else [])])


def _caveats(data: HistoryData) -> tuple[Caveat, ...]:
    if data.shallow:
        said = f"The history of {data.source} is shallow: older commits are not known here."
        return (Caveat("shallow_history", said),)
    return ()
