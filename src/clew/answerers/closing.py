"""The closing lines of every answer: caveats, then each source's revision and its age.

They are facts of the run and not of the answerer, so they are written once, here, for all of
them. Nothing here reads a source.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clew.types import Caveat, IndexReport, Revision, Source

if TYPE_CHECKING:
    from collections.abc import Sequence

# Past this share of skipped files, "not found" may mean "not read": the reader must know.
MOSTLY_SKIPPED = 0.5
# Why a file is left out that nobody misses in an answer about code.
EXPECTED_SKIPS = frozenset(
    {"media", "font", "archive", "binary", "lock file", "empty", "symlink", "submodule", "data"}
)
_HEADING = re.compile(r"(?m)^#{1,6}[ \t]+(.*?)[ \t]*$")
_UNITS = ((86_400 * 365, "year"), (86_400 * 30, "month"), (86_400, "day"), (3_600, "hour"))


def age(seconds: float) -> str:
    """Say a length of time in one unit, such as "3 days"."""
    for size, unit in _UNITS:
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {unit}{'s' if count != 1 else ''}"
    minutes = max(int(seconds // 60), 0)
    return "less than a minute" if minutes == 0 else f"{minutes} min"


def short(revision: Revision) -> str:
    """A revision as people write it: the first 10 digits, and whether changes are on top."""
    head = (revision.commit or revision.tree)[:10]
    return f"{head}+dirty" if revision.dirty else head


def as_of(source: Source, revision: Revision, now: float) -> str:
    """One line: which state of the source the answer was read from, and how old it is."""
    where = f"`{source.name}` at `{short(revision)}`"
    facts: list[str] = []
    if revision.at:
        facts.append(revision.at)
    elif revision.branch:
        facts.append(f"branch {revision.branch}")
    if revision.committed_at is not None:
        facts.append(f"committed {age(now - revision.committed_at)} ago")
    if revision.commit is None:
        facts.append("a plain folder, by its contents")
    if revision.dirty:
        facts.append("with uncommitted changes")
    if revision.stale:
        facts.append(f"last refreshed {age(now - revision.synced_at)} ago: {revision.stale}")
    return f"As of {where}" + (f" ({', '.join(facts)})" if facts else "") + "."


def index_caveats(name: str, report: IndexReport) -> tuple[Caveat, ...]:
    """What the reader must know about how much of a source was read at all, and how."""
    missing = {why: n for why, n in report.skipped.items() if why not in EXPECTED_SKIPS}
    total = report.files + sum(missing.values())
    listed = ", ".join(f"{n} {why}" for why, n in sorted(missing.items(), key=lambda x: -x[1]))
    if report.chunks == 0:
        why = listed or "it holds no text files"
        return (Caveat("nothing_indexed", f"Nothing in {name} could be indexed ({why})."),)
    if total and sum(missing.values()) / total > MOSTLY_SKIPPED:
        text = f"Most files of {name} were not read ({listed}); `clew status --skipped` lists them."
        return (Caveat("mostly_skipped", text), *_by_words(name, report))
    return _by_words(name, report)


def _by_words(name: str, report: IndexReport) -> tuple[Caveat, ...]:
    """Why a source was searched without vectors; nothing when it was searched with them."""
    if report.problem:
        said = report.problem.rstrip(".")
        said += f"; until that is put right, {name} is searched by words alone."
    elif 0 < report.embedded < 1:
        said = (
            f"{int(report.embedded * 100)} % of {name} is embedded so far; until it is done, it is "
            "searched by words alone."
        )
    else:
        return ()
    return (Caveat("words_only", said),)


def closing(
    pinned: Sequence[tuple[Source, Revision]], caveats: Sequence[Caveat], now: float, text: str = ""
) -> str:
    """The last lines of an answer's Markdown; `text` is what stands before them."""
    lines: list[str] = [""] if text and not text.endswith("\n") else []  # it was broken off
    if caveats:
        # An answer may end with caveats of its own: then these join them.
        own = _HEADING.findall(text)[-1:] == ["Caveats"]
        lines += [""] if own else ["", "## Caveats", ""]
        lines += [f"- {message}" for message in dict.fromkeys(c.message for c in caveats)]
    lines.append("")
    lines += [as_of(source, revision, now) for source, revision in pinned]
    return "\n".join(lines) + "\n"
