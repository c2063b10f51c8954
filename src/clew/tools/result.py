"""What a tool returns: text within its cap, the evidence it showed, and the same as typed rows.

The text is what a model reads, the rows are what the extract answerer reads; both hold exactly
what was shown, and `cut` says what was left out and how to see it. Nothing here reads a source.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, Literal, TypeAlias, TypeVar

from clew.redact import redact
from clew.types import Caveat, Evidence, Hit, ReferenceKind, SymbolKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clew.index.view import View

MAX_CHARS = 16_000  # about 4,000 tokens
MIN_CHARS = 1_500  # below this the notes alone would not fit
LINE_WIDTH = 240  # characters of one source line in a listing
HEADER_WIDTH = 400  # characters of a header line that may hold many names
_NOTE_ROOM = 600  # characters kept free for the note that says what was cut

Grade: TypeAlias = Literal["resolved", "heuristic", "textual"]
DataT_co = TypeVar("DataT_co", covariant=True)


# --- typed rows ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Preview:
    """The first lines of a span that search found; `lines[0]` is `start_line`."""

    source: str
    path: str
    start_line: int
    end_line: int
    symbol: str
    kind: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SearchData:
    """`relevant` is False when even the best hit lies below the floor; then nothing was shown.

    Attributes:
        warnings: What took no part in the search, and why.
    """

    hits: tuple[Hit, ...]
    previews: tuple[Preview, ...]
    relevant: bool
    coverage: float
    warnings: tuple[Caveat, ...] = ()


@dataclass(frozen=True, slots=True)
class LineMatch:
    """One matching line, clipped around its match."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class FileMatches:
    """The matching lines of one file that were shown, and how many there are."""

    source: str
    path: str
    count: int
    matches: tuple[LineMatch, ...]


@dataclass(frozen=True, slots=True)
class GrepData:
    """`complete` is False when counting stopped early: `total` and `matched` are at-least figures.

    Attributes:
        total: Matching lines counted, shown or not.
        matched: Files with a matching line, shown or not.
        searched: Files whose text was scanned.
        skipped: Files in reach that hold no searchable text, by reason.
    """

    files: tuple[FileMatches, ...]
    total: int
    matched: int
    searched: int
    skipped: dict[str, int] = field(default_factory=dict[str, int])
    complete: bool = True


@dataclass(frozen=True, slots=True)
class FileData:
    """Lines of a file; `total_lines` is the whole file's, `redactions` its replaced secrets."""

    source: str
    path: str
    start_line: int
    end_line: int
    total_lines: int
    lines: tuple[str, ...]
    redactions: int = 0


@dataclass(frozen=True, slots=True)
class Definition:
    """Where a name is defined. `line` is where the name stands; the span is the definition."""

    source: str
    path: str
    name: str
    qualname: str
    kind: SymbolKind | str
    line: int
    start_line: int
    end_line: int
    signature: str


@dataclass(frozen=True, slots=True)
class Use:
    """A line that uses a name; `grade` says how sure it is that the definition is meant.

    `origin` is the dependency that the name is imported from when that isn't indexed, else "".
    """

    source: str
    path: str
    line: int
    kind: ReferenceKind | str
    grade: Grade
    text: str
    origin: str = ""


@dataclass(frozen=True, slots=True)
class SymbolData:
    """A name's definitions and uses that were shown, and how many there are.

    Attributes:
        name: The name as found, which may differ in case from the one asked for.
        external: The name is imported here and defined nowhere in the scope.
        qualified: The qualifier that was asked for fits the definitions shown.
    """

    name: str
    definitions: tuple[Definition, ...]
    uses: tuple[Use, ...]
    total_definitions: int
    total_uses: int
    external: bool = False
    qualified: bool = True


@dataclass(frozen=True, slots=True)
class Caller:
    """A definition that calls, with its calls; name "" and lines 0 for calls at file level."""

    source: str
    path: str
    name: str
    kind: SymbolKind | str
    start_line: int
    end_line: int
    calls: tuple[Use, ...]


@dataclass(frozen=True, slots=True)
class CallersData:
    """The callers that were shown, and how many calls there are in reach."""

    name: str
    callers: tuple[Caller, ...]
    total: int
    external: bool = False


@dataclass(frozen=True, slots=True)
class Callee:
    """A name that a body calls in `lines`, and where it is defined ("" and 0 when nowhere)."""

    name: str
    lines: tuple[int, ...]
    grade: Grade
    source: str
    path: str
    qualname: str
    start_line: int
    end_line: int
    origin: str = ""


@dataclass(frozen=True, slots=True)
class CalleesData:
    """What a body calls, and how many names there are."""

    name: str
    callees: tuple[Callee, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Outlined:
    """One entry of an outline; `line` is where its name stands, `depth` counts what is around."""

    name: str
    kind: str
    line: int
    start_line: int
    end_line: int
    signature: str
    depth: int = 0


@dataclass(frozen=True, slots=True)
class OutlineData:
    """A file's outline as shown, and how many entries there are."""

    source: str
    path: str
    rows: tuple[Outlined, ...]
    total: int


@dataclass(frozen=True, slots=True)
class CommitRow:
    """A commit as shown, redacted; `date` is the author's day (UTC), all "" when uncommitted."""

    sha: str
    author: str
    date: str
    subject: str
    body: str = ""
    uncommitted: bool = False


@dataclass(frozen=True, slots=True)
class BlameRun:
    """Adjacent lines that one commit changed last."""

    start_line: int
    end_line: int
    commit: CommitRow


@dataclass(frozen=True, slots=True)
class BlameData:
    """Lines by commit; `generated` when a program wrote the file, `shallow` when history ends."""

    source: str
    path: str
    runs: tuple[BlameRun, ...]
    generated: bool = False
    shallow: bool = False


@dataclass(frozen=True, slots=True)
class ChangedLine:
    """A line that differs; `line` is its number in the newer file when added, else in the older."""

    line: int
    text: str
    added: bool


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file that differs between two commits, with those of its lines that were shown."""

    source: str
    path: str
    old_path: str
    status: str
    added: int | None
    deleted: int | None
    lines: tuple[ChangedLine, ...] = ()
    said: str = ""  # how much of it differs, in words


@dataclass(frozen=True, slots=True)
class HistoryData:
    """The commits that were shown, newest first.

    Attributes:
        lines: The lines that were followed, or None for whole files.
        symbol: The qualified name whose lines they are, "" for a path.
        total: Commits that were read, shown or not.
        first: The commit that it all began with, None when the history was not read to its end.
        since: The SHA that differences start from, "" without differences; so `until`, "" for
            the revision that is read.
    """

    source: str
    path: str
    commits: tuple[CommitRow, ...]
    lines: tuple[int, int] | None = None
    symbol: str = ""
    total: int = 0
    first: CommitRow | None = None
    shallow: bool = False
    generated: bool = False
    since: str = ""
    until: str = ""
    files: tuple[ChangedFile, ...] = ()


@dataclass(frozen=True, slots=True)
class ListedFile:
    """One path of a source. `size` is in bytes; `skip` says why it was not read, "" when it was."""

    source: str
    path: str
    size: int
    lines: int
    skip: str


@dataclass(frozen=True, slots=True)
class ListData:
    """The files that were listed, and how many match."""

    files: tuple[ListedFile, ...]
    total: int


# --- the result ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ToolResult(Generic[DataT_co]):
    """What a tool found.

    Attributes:
        argument: The main argument, redacted and clipped, for logs and events.
        text: What a model reads; never longer than the scope's cap.
        evidence: One row per span that `text` really shows.
        cut: What was left out and how to see it, "" when nothing was; `text` ends with it.
        ok: False when the tool failed; `text` then says why and how to call it.
        summary: What came back in a few words, such as `42 matches in 7 files`.
    """

    tool: str
    argument: str
    text: str
    evidence: tuple[Evidence, ...]
    data: DataT_co
    cut: str = ""
    ok: bool = True
    summary: str = ""


class Page:
    """Text that grows line by line and never past its limit, whatever is added."""

    def __init__(self, limit: int) -> None:
        self._room = max(limit, MIN_CHARS) - _NOTE_ROOM
        self._lines: list[str] = []

    def add(self, *lines: str) -> bool:
        """Add the lines together when all of them fit; say whether they did."""
        size = sum(len(line) + 1 for line in lines)
        if size > self._room:
            return False
        self._room -= size
        self._lines.extend(lines)
        return True

    def finish(self, cut: str) -> str:
        """The whole text, with the note about what was cut as its last line."""
        note = [f"[cut: {clip(cut, _NOTE_ROOM - 20)}]"] if cut else []
        return "\n".join(self._lines + note)


def clip(text: str, width: int, at: int = 0) -> str:
    """At most `width` characters around offset `at`, on one line; … marks what was left out."""
    text = text.replace("\r", " ").replace("\n", " ")
    if len(text) <= width:
        return text
    start = min(max(at - width // 3, 0), len(text) - width + 1)
    if not start:
        return text[: width - 1] + "…"
    end = start + width - 1
    return "…" + (text[start:] if end >= len(text) else text[start : end - 1] + "…")


def shown(argument: str, width: int = 80) -> str:
    """An argument as it may be echoed: without secrets, short, on one line."""
    return clip(redact(argument[:10_000]), width)


def span_digest(lines: Sequence[str]) -> str:
    r"""The first 16 hex digits of SHA-256 over redacted lines joined by "\n", without "\r"."""
    text = "\n".join(line.removesuffix("\r") for line in lines)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def evidence(
    view: View, path: str, start_line: int, lines: Sequence[str], found_by: str, symbol: str = ""
) -> Evidence:
    """The evidence row of lines that were shown, from `start_line` on."""
    return Evidence(
        source=view.source.name,
        revision=view.revision.id,
        path=path,
        start_line=start_line,
        end_line=start_line + len(lines) - 1,
        found_by=found_by,
        digest=span_digest(lines),
        symbol=symbol,
    )


def plural(count: int, word: str, many: str = "") -> str:
    """A count with its word, such as `1 match` or `310 matches`."""
    return f"{count:,} {word if count == 1 else many or word + 's'}"
