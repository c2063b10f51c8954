r"""The frozen dataclasses that pass between stages.

Nothing here reads, writes or computes: a stage takes these and returns these. Lines are 1-based
and inclusive everywhere, and a line ends at "\n" only (as in git). Paths are POSIX, relative to
the source's root, as git spells them. This module imports nothing of Clew.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Outcome: TypeAlias = Literal["answered", "partial", "no_answer", "refused", "failed"]
Mode: TypeAlias = Literal["extract", "research"]
SourceKind: TypeAlias = Literal["remote", "worktree", "folder"]
ChunkKind: TypeAlias = Literal["function", "class", "module", "section", "window", "block"]
SymbolKind: TypeAlias = Literal[
    "function",
    "method",
    "class",
    "interface",
    "struct",
    "enum",
    "trait",
    "type",
    "constant",
    "variable",
    "field",
    "module",
    "macro",
]
ReferenceKind: TypeAlias = Literal["call", "import", "type", "use"]
CitationVerdict: TypeAlias = Literal["verified", "repaired", "unsupported", "missing"]
ChannelMode: TypeAlias = Literal["mention", "questions"]


# --- sources ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Source:
    """Something Clew reads.

    Attributes:
        id: Stable and safe as a file name: a slug and a hash of the location.
        name: What people and JSON call it; unique within one question's scope.
        kind: A remote git repository, a local work tree, or a plain folder.
        location: A URL without credentials, or an absolute path.
        prefix: A folder inside it that bounds the scope, "" or ending in "/".
    """

    id: str
    name: str
    kind: SourceKind
    location: str
    prefix: str = ""


@dataclass(frozen=True, slots=True)
class Revision:
    """The exact state of a source, pinned for one question.

    Attributes:
        id: `<sha>`, `<sha>+dirty.<first 12 of the tree>`, or a folder's tree hash.
        tree: The git tree whose files are read.
        commit: The commit, or None for a plain folder.
        committed_at: Unix seconds of the commit, or None.
        branch: The branch it was found on, or None.
        dirty: Whether uncommitted changes are part of it.
        stale: Why the source could not be refreshed, or None when it was.
        synced_at: Unix seconds of the last successful sync.
        notes: What a reader should know about how it was found, such as files that could not be
            read; each is a sentence.
        at: How it was found when it was asked for by name, such as `tag v1.0`; "" for the head.
    """

    id: str
    tree: str
    commit: str | None = None
    committed_at: int | None = None
    branch: str | None = None
    dirty: bool = False
    stale: str | None = None
    synced_at: float = 0.0
    notes: tuple[str, ...] = ()
    at: str = ""


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One path of a revision's tree: `kind` is the git mode's meaning; `size` is in bytes."""

    path: str
    oid: str
    size: int
    kind: Literal["file", "symlink", "submodule"]


# --- chunks ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Chunk:
    """What search returns: a whole function, class header, section or window.

    Attributes:
        qualname: Dotted name with its enclosing definitions, "" when unnamed.
        signature: The definition's own first lines without its body, one line, "" when none.
        doc: The leading comment or docstring as plain text, "" when none.
        parents: Signatures of the enclosing definitions, outermost first.
    """

    start_line: int
    end_line: int
    kind: ChunkKind
    name: str = ""
    qualname: str = ""
    signature: str = ""
    doc: str = ""
    parents: tuple[str, ...] = ()

    def __reduce__(self) -> tuple[type[Chunk], tuple[object, ...]]:
        """Its fields in order: workers send thousands, and by name they take twice as long."""
        named = (self.name, self.qualname, self.signature, self.doc, self.parents)
        return Chunk, (self.start_line, self.end_line, self.kind, *named)


@dataclass(frozen=True, slots=True)
class Symbol:
    """A named definition. `line` is where the name stands; the span is the whole definition."""

    name: str
    qualname: str
    kind: SymbolKind
    line: int
    start_line: int
    end_line: int
    signature: str = ""

    def __reduce__(self) -> tuple[type[Symbol], tuple[object, ...]]:
        """Its fields in order, as of a `Chunk`."""
        lines = (self.line, self.start_line, self.end_line)
        return Symbol, (self.name, self.qualname, self.kind, *lines, self.signature)


@dataclass(frozen=True, slots=True)
class Reference:
    """A use of a name that is not its definition."""

    name: str
    line: int
    kind: ReferenceKind


@dataclass(frozen=True, slots=True)
class Parsed:
    """What one parse of one file gives. `language` is "" when no grammar covers the file."""

    language: str
    chunks: tuple[Chunk, ...]
    symbols: tuple[Symbol, ...] = ()
    references: tuple[Reference, ...] = ()


# --- index and search ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What one build did. `skipped` counts paths by reason; `seconds` is wall time.

    Attributes:
        embedded: The share of the chunks, 0 to 1, that have a vector by the embedder that is set.
        problem: Why the others have none: until then search goes by words alone. "" for no reason
            but time, or without an embedder.
    """

    source: str
    revision: str
    files: int
    chunks: int
    symbols: int
    skipped: dict[str, int]
    seconds: float
    added: int = 0
    embedded: float = 0.0
    problem: str = ""


@dataclass(frozen=True, slots=True)
class HitSpan:
    """A span inside a file that matched, and why it ranks where it does.

    Attributes:
        signals: What each signal adds to the score, penalties below 0.
        terms: The question's terms (as the index splits words) that occur, each with the fields.
    """

    start_line: int
    end_line: int
    symbol: str
    kind: str
    score: float
    signals: dict[str, float] = field(default_factory=dict[str, float])
    terms: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])


@dataclass(frozen=True, slots=True)
class Hit:
    """One file found by search: its best spans, best first, at most three."""

    source: str
    revision: str
    path: str
    score: float
    spans: tuple[HitSpan, ...]


@dataclass(frozen=True, slots=True)
class SearchResult:
    """`relevant` is False when even the best hit lies below the relevance floor.

    Attributes:
        warnings: What took no part in it, such as an embedder that is down, and why.
    """

    hits: tuple[Hit, ...]
    relevant: bool
    coverage: float
    ms: float
    warnings: tuple[Caveat, ...] = ()


# --- answers ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Evidence:
    """A span that search or a tool showed to the answerer.

    Attributes:
        found_by: The tool's name and its main argument, such as `grep "retry"`.
        digest: The first 16 hex digits of SHA-256 over the span's redacted text.
    """

    source: str
    revision: str
    path: str
    start_line: int
    end_line: int
    found_by: str
    digest: str
    symbol: str = ""


@dataclass(frozen=True, slots=True)
class Citation:
    """A span that the text points to, and what the program found when it looked.

    Attributes:
        note: What was repaired, or what is wrong; "" when nothing is.
        url: Where the lines open: a page of the code host or a local file; "" when nowhere.
    """

    source: str
    revision: str
    path: str
    start_line: int
    end_line: int
    verdict: CitationVerdict
    note: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class Caveat:
    """Something the reader must know about the answer. `type` is stable, `message` a sentence."""

    type: str
    message: str


@dataclass(frozen=True, slots=True)
class Usage:
    """What an answer cost, and what it was made with.

    Attributes:
        input_tokens: All that was read, `cached_tokens` of them from the provider's cache.
        cost: US dollars, None when no price is known (a model of one's own) or none was asked.
        model: Provider and model, "" when none was asked.
        prompt: Name and version of the text that the model was given.
    """

    tool_calls: int = 0
    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost: float | None = None
    model: str = ""
    prompt: str = ""


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks, and what they may. Without a right of their own they may nothing.

    Attributes:
        surface: Where they ask, such as `cli`, `mcp`, `slack` or `token`.
        name: Who they are there: a user's id, a token's name.
        tags: The names of the tags they may use, in the order of the configuration.
        own: They sit at this machine and have its user's rights: any repository, any tag.
    """

    surface: str
    name: str = ""
    tags: tuple[str, ...] = ()
    own: bool = False


@dataclass(frozen=True, slots=True)
class Tag:
    """A named scope, as the configuration writes it.

    Attributes:
        sources: What it may read, as `--repo` takes them.
        about: One sentence for those who choose among tags.
        instructions: What a model is told besides; written by whoever configures Clew.
        no_answer: What an answer says that found nothing; "" for the setting's text.
        channels: The Slack channels that may use it, each with when it is answered there.
    """

    name: str
    sources: tuple[str, ...]
    about: str = ""
    instructions: str = ""
    no_answer: str = ""
    channels: tuple[tuple[str, ChannelMode], ...] = ()


@dataclass(frozen=True, slots=True)
class Exchange:
    """An earlier question of a conversation, its answer, and in which tag that was, "" for none."""

    question: str
    answer: str
    tag: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """What goes into `ask()`.

    Attributes:
        repos: As typed; empty means the current folder's work tree.
        mode: How to answer; None for research when a model is configured, else extract.
        at: The revision to read: a branch, tag, SHA or date; "" for the head, with what is not
            committed yet.
        tag: The tag to answer in; "" for none named: then what the asker may decides.
        seconds: How long the asker waits: what there is by then is the answer. None for as long
            as it takes.
        earlier: What was asked and answered before it in the same conversation, oldest first.
    """

    text: str
    repos: tuple[str, ...] = ()
    asker: Asker = Asker("python", own=True)
    mode: Mode | None = None
    at: str = ""
    tag: str = ""
    seconds: float | None = None
    earlier: tuple[Exchange, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What comes out of `ask()`. `timings` are seconds by stage; `revisions` by source name.

    Attributes:
        tag: The tag it was answered in, "" for none.
    """

    id: str
    question: str
    outcome: Outcome
    text: str
    citations: tuple[Citation, ...]
    warnings: tuple[Caveat, ...]
    revisions: dict[str, str]
    evidence: tuple[Evidence, ...]
    usage: Usage
    timings: dict[str, float]
    mode: Mode
    tag: str = ""


# --- events of ask() -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StatusEvent:
    """What is being done now, in words; `done` of `total` when it can be counted."""

    message: str
    done: int | None = None
    total: int | None = None


@dataclass(frozen=True, slots=True)
class ToolCallEvent:
    """A tool has run: its main argument and, in a few words, what came back.

    Attributes:
        turn: The model's turn that asked for it, from 1; 0 when no model did.
    """

    tool: str
    argument: str
    summary: str
    ok: bool
    turn: int = 0


@dataclass(frozen=True, slots=True)
class TextEvent:
    """Text that has passed the gate; the answer's text is these joined."""

    text: str


@dataclass(frozen=True, slots=True)
class CitationEvent:
    """A citation that has been checked."""

    citation: Citation


@dataclass(frozen=True, slots=True)
class DoneEvent:
    """The last event, always."""

    answer: Answer


Event: TypeAlias = StatusEvent | ToolCallEvent | TextEvent | CitationEvent | DoneEvent
