"""The machine-readable contract: how answers, events, hits and errors read as JSON.

`docs/cli.md` describes it and tests hold it. Fields may be added and never change their meaning.
It maps dataclasses to plain values and nothing more.
"""

from __future__ import annotations

import dataclasses
import json
import re
from typing import TYPE_CHECKING, Any

from clew.types import (
    Answer,
    CitationEvent,
    DoneEvent,
    Event,
    Hit,
    HitSpan,
    IndexReport,
    SearchResult,
    StatusEvent,
    TextEvent,
    ToolCallEvent,
)

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from clew.errors import ClewError
    from clew.reads import SourceStatus
    from clew.records.rows import AnswerSummary, StoredAnswer

Json = dict[str, Any]
# Controls that JSON allows as they are, other line ends, turned reading direction, surrogates.
_AWKWARD = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_EVENT_NAMES: dict[type[Event], str] = {
    StatusEvent: "status",
    ToolCallEvent: "tool_call",
    TextEvent: "text",
    CitationEvent: "citation",
    DoneEvent: "done",
}


def line(value: Json) -> str:
    """One JSON object on one line, in UTF-8.

    Letters of any script stay readable. What could end a line for some reader, steer a terminal or
    not be encoded is escaped.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(", ", ": "))
    return _AWKWARD.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def plain(value: DataclassInstance) -> Json:
    """Any of our dataclasses, field by field."""
    return dataclasses.asdict(value)


def past(value: AnswerSummary | StoredAnswer) -> Json:
    """What is kept of an answer; of who asked, where and as whom, not what they might."""
    row = dataclasses.asdict(value)
    asker = row.get("summary", row)["asker"]
    del asker["tags"], asker["own"]
    return row


def error(raised: ClewError) -> Json:
    """`{"error": {"type", "message"}}`."""
    return {"error": {"type": raised.type, "message": raised.message}}


def answer(value: Answer) -> Json:
    """The whole answer, as `clew ask --json` prints it."""
    return dataclasses.asdict(value)


def event(value: Event) -> Json:
    """One event of `ask()`, as `clew ask --events` prints it: `{"event": NAME, ...}`."""
    name = _EVENT_NAMES[type(value)]
    if isinstance(value, DoneEvent):
        return {"event": name, "answer": answer(value.answer)}
    return {"event": name, **dataclasses.asdict(value)}


def hit(value: Hit, *, explain: bool = False) -> Json:
    """One result of a search: one file, its best span at the top level.

    `explain` adds to each span why it ranks where it does.
    """
    best = value.spans[0]
    return {
        "source": value.source,
        "revision": value.revision,
        "path": value.path,
        "start_line": best.start_line,
        "end_line": best.end_line,
        "symbol": best.symbol,
        "kind": best.kind,
        "score": round(value.score, 6),
        "spans": [
            {
                "start_line": span.start_line,
                "end_line": span.end_line,
                "symbol": span.symbol,
                "kind": span.kind,
                "score": round(span.score, 6),
                **(_why(span) if explain else {}),
            }
            for span in value.spans
        ],
    }


def _why(span: HitSpan) -> Json:
    return {
        "signals": dict(sorted(span.signals.items(), key=lambda item: -abs(item[1]))),
        "terms": {term: list(fields) for term, fields in span.terms.items()},
    }


def search(revisions: dict[str, str], found: SearchResult, *, explain: bool = False) -> Json:
    """`clew search --json`."""
    return {
        "revisions": revisions,
        "results": [hit(h, explain=explain) for h in found.hits],
        "relevant": found.relevant,
        "warnings": [plain(warning) for warning in found.warnings],
        "ms": round(found.ms, 3),
    }


def batch_row(key: object, found: SearchResult, *, explain: bool = False) -> Json:
    """One line of `clew search --batch`: `key` is the query's id, as it was given."""
    return {
        "id": key,
        "results": [hit(h, explain=explain) for h in found.hits],
        "warnings": [plain(warning) for warning in found.warnings],
        "ms": round(found.ms, 3),
    }


def status(value: SourceStatus, *, skipped: bool) -> Json:
    """One line of `clew status --json`; `skipped` lists every path that was left out."""
    row = dataclasses.asdict(value)
    listed = row.pop("skipped_files")
    if skipped:
        names = ("path", "reason", "why")
        row["skipped_files"] = [dict(zip(names, entry, strict=True)) for entry in listed]
    return row


def index_report(report: IndexReport) -> Json:
    """One line of `clew index --json`."""
    return {
        "source": report.source,
        "revision": report.revision,
        "files": report.files,
        "chunks": report.chunks,
        "symbols": report.symbols,
        "skipped": report.skipped,
        "seconds": round(report.seconds, 3),
        "added": report.added,
        "embedded": round(report.embedded, 4),
        "problem": report.problem,
    }
