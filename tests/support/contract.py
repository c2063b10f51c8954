"""The fields of the command line's JSON, and their types, for its tests and its documentation."""

from __future__ import annotations

from typing import Any

LINES = {"start_line": int, "end_line": int}
PLACE = {"source": str, "revision": str, "path": str} | LINES
SPAN = LINES | {"symbol": str, "kind": str, "score": float}
WHY = SPAN | {"signals": dict, "terms": dict}
FOUND = {"results": list, "warnings": list, "ms": float}
RESULT = PLACE | SPAN | {"spans": list}
CITATION = PLACE | {"verdict": str, "note": str, "url": str}
EVIDENCE = PLACE | {"found_by": str, "digest": str, "symbol": str}
USAGE = (
    dict.fromkeys(
        ("tool_calls", "model_calls", "input_tokens", "output_tokens", "cached_tokens"), int
    )
    | dict.fromkeys(("model", "prompt"), str)
    | {"cost": float | None}
)
ANSWER = (
    dict.fromkeys(("id", "question", "outcome", "text", "mode", "tag"), str)
    | dict.fromkeys(("citations", "warnings", "evidence"), list)
    | dict.fromkeys(("revisions", "usage", "timings"), dict)
)
INDEXED = (
    dict.fromkeys(("source", "revision", "problem"), str)
    | dict.fromkeys(("files", "chunks", "symbols", "added"), int)
    | {"skipped": dict, "seconds": float, "embedded": float}
)


def has_shape(value: Any, shape: dict[str, Any]) -> None:
    """Assert that an object has exactly these fields, of these types."""
    assert set(value) == set(shape)
    for name, kind in shape.items():
        found = value[name]
        assert isinstance(found, kind), f"{name} is {found!r}"
        assert not isinstance(found, bool) or kind is bool
