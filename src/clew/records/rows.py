"""Between the dataclasses that stages pass and the rows that are stored.

Every text on its way in goes through a `Cleaner`, what was redacted before included: a second
look costs 0.1 ms per kilobyte, and a secret on disk stays there. Exempt are only ids, hashes,
numbers and words of Clew's own (modes, verdicts, kinds). Nothing here touches a database.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from clew.types import (
    Answer,
    Asker,
    Caveat,
    Citation,
    Event,
    Evidence,
    Mode,
    Outcome,
    Revision,
    Source,
    StatusEvent,
    ToolCallEvent,
    Usage,
)

StoredEvent = StatusEvent | ToolCallEvent
Row = Mapping[Any, Any]  # by column name

MAX_SHORT = 2_000  # characters of one text inside an event, a note or an error
MAX_EVENTS = 1_000  # an answer has dozens; more is a loop, and its start tells enough


@dataclass(frozen=True, slots=True)
class AnswerSummary:
    """One line of the history. `outcome` is None while the answer is being worked on.

    Attributes:
        revisions: Revision id by source name, in the order the sources were named.
    """

    id: str
    created_at: float
    completed_at: float | None
    question: str
    outcome: Outcome | None
    mode: Mode
    asker: Asker
    revisions: dict[str, str]


@dataclass(frozen=True, slots=True)
class StoredError:
    """Why there is no answer, or not all of it."""

    type: str
    message: str


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """All that is known of one answer. `answer` is None while it is being worked on."""

    summary: AnswerSummary
    answer: Answer | None
    pinned: tuple[tuple[Source, Revision], ...]
    events: tuple[StoredEvent, ...]
    error: StoredError | None
    version: str


@dataclass(slots=True)
class Cleaner:
    """Makes text storable: redacted, without what databases refuse, and bounded.

    One is made per write; the same text (a path in a hundred rows) is scanned once.
    """

    redact: Callable[[str], str]
    _seen: dict[str, str] = field(default_factory=dict[str, str])

    def __call__(self, text: str, limit: int | None = None) -> str:
        """Clean one text; a limit (characters) cuts after redaction, so no secret is halved."""
        clean = self._seen.get(text)
        if clean is None:
            # A lone surrogate stands for a byte of a file name that isn't UTF-8: it is written
            # as an escape. PostgreSQL has no NUL.
            storable = text.encode("utf-8", "backslashreplace").decode("utf-8")
            clean = self._seen[text] = self.redact(
                storable.replace("\0", "\N{REPLACEMENT CHARACTER}")
            )
        return clean if limit is None or len(clean) <= limit else clean[: limit - 1] + "…"

    def optional(self, text: str | None) -> str | None:
        """Clean a text that may be absent."""
        return None if text is None else self(text)


# --- in --------------------------------------------------------------------------------------


def revision_rows(
    answer_id: str, pinned: Iterable[tuple[Source, Revision]], clean: Cleaner
) -> list[dict[str, Any]]:
    """The rows of `answer_revision`."""
    return [
        {
            "answer_id": answer_id,
            "seq": seq,
            "source_id": source.id,
            "source_name": clean(source.name),
            "source_kind": source.kind,
            "location": clean(source.location),
            "prefix": clean(source.prefix),
            "revision": revision.id,
            "tree": revision.tree,
            "commit_sha": revision.commit,
            "committed_at": revision.committed_at,
            "branch": clean.optional(revision.branch),
            "dirty": revision.dirty,
            "stale": clean.optional(revision.stale),
            "synced_at": revision.synced_at,
            "notes": [clean(note, MAX_SHORT) for note in revision.notes],
            "asked_at": clean(revision.at, MAX_SHORT),
        }
        for seq, (source, revision) in enumerate(pinned)
    ]


def citation_rows(answer: Answer, clean: Cleaner) -> list[dict[str, Any]]:
    """The rows of `citation`."""
    return [
        {
            **_span_row(answer.id, seq, cited, clean),
            "verdict": cited.verdict,
            "note": clean(cited.note, MAX_SHORT),
            "url": clean(cited.url),
        }
        for seq, cited in enumerate(answer.citations)
    ]


def evidence_rows(answer: Answer, clean: Cleaner) -> list[dict[str, Any]]:
    """The rows of `evidence`."""
    return [
        {
            **_span_row(answer.id, seq, shown, clean),
            "found_by": clean(shown.found_by, MAX_SHORT),
            "digest": shown.digest,
            "symbol": clean(shown.symbol),
        }
        for seq, shown in enumerate(answer.evidence)
    ]


def event_rows(answer_id: str, events: Sequence[Event], clean: Cleaner) -> list[dict[str, Any]]:
    """The rows of `event`: status and tool calls; text and citations have places of their own.

    Counting up is one event, so of neighbouring statuses with the same message the last stays.
    """
    kept: list[StoredEvent] = []
    for event in events:
        if not isinstance(event, StoredEvent):
            continue
        if isinstance(event, StatusEvent) and kept and _same_status(kept[-1], event):
            kept.pop()
        kept.append(event)
    if len(kept) > MAX_EVENTS:
        left_out = len(kept) - MAX_EVENTS + 1
        kept[MAX_EVENTS - 1 :] = [StatusEvent(f"{left_out:,} more events were not kept")]
    return [
        {
            "answer_id": answer_id,
            "seq": seq,
            "kind": "status" if isinstance(event, StatusEvent) else "tool_call",
            "payload": {
                key: clean(value, MAX_SHORT) if isinstance(value, str) else value
                for key, value in asdict(event).items()
            },
        }
        for seq, event in enumerate(kept)
    ]


def warnings_json(answer: Answer, clean: Cleaner) -> list[dict[str, str]]:
    """The `warnings` column."""
    return [{"type": w.type, "message": clean(w.message, MAX_SHORT)} for w in answer.warnings]


def _span_row(
    answer_id: str, seq: int, span: Citation | Evidence, clean: Cleaner
) -> dict[str, Any]:
    return {
        "answer_id": answer_id,
        "seq": seq,
        "source": clean(span.source),
        "revision": span.revision,
        "path": clean(span.path),
        "start_line": span.start_line,
        "end_line": span.end_line,
    }


def _same_status(before: StoredEvent, event: StatusEvent) -> bool:
    return isinstance(before, StatusEvent) and before.message == event.message


# --- out -------------------------------------------------------------------------------------


def summary_of(row: Row, revisions: dict[str, str]) -> AnswerSummary:
    """One line of the history from its `answer` row."""
    return AnswerSummary(
        id=row["id"],
        created_at=row["created_at"],
        completed_at=row["completed_at"],
        question=row["question"],
        outcome=row["outcome"],
        mode=row["mode"],
        asker=Asker(row["asker_surface"], row["asker_name"]),
        revisions=revisions,
    )


def answer_of(
    row: Row, revisions: dict[str, str], citations: Iterable[Row], evidence: Iterable[Row]
) -> Answer | None:
    """The answer as `ask()` gave it, or None while it is open."""
    if row["outcome"] is None:
        return None
    usage = {f.name: row["usage"][f.name] for f in fields(Usage) if f.name in row["usage"]}
    return Answer(
        id=row["id"],
        question=row["question"],
        outcome=row["outcome"],
        text=row["text"],
        citations=tuple(Citation(**_without_key(cited)) for cited in citations),
        warnings=tuple(Caveat(w["type"], w["message"]) for w in row["warnings"]),
        revisions=revisions,
        evidence=tuple(Evidence(**_without_key(shown)) for shown in evidence),
        usage=Usage(**usage),
        timings=row["timings"],
        mode=row["mode"],
        tag=row["tag"] or "",
    )


def pinned_of(row: Row) -> tuple[Source, Revision]:
    """The source and revision of one `answer_revision` row."""
    source = Source(
        id=row["source_id"],
        name=row["source_name"],
        kind=row["source_kind"],
        location=row["location"],
        prefix=row["prefix"],
    )
    revision = Revision(
        id=row["revision"],
        tree=row["tree"],
        commit=row["commit_sha"],
        committed_at=row["committed_at"],
        branch=row["branch"],
        dirty=row["dirty"],
        stale=row["stale"],
        synced_at=row["synced_at"],
        notes=tuple(row["notes"]),
        at=row["asked_at"],
    )
    return source, revision


def event_of(row: Row) -> StoredEvent:
    """The event of one `event` row."""
    kind = StatusEvent if row["kind"] == "status" else ToolCallEvent
    return kind(**row["payload"])


def _without_key(row: Row) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key not in ("answer_id", "seq")}
