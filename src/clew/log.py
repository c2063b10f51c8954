"""Log lines, on standard error only, with every secret replaced before a line is written.

Importing this changes nothing: a surface calls `prepare` (or `configure`) once, before its first
line. Questions, answers and repository text are never logged; redaction is the net under that rule.
"""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast

from clew.redact import redact

if TYPE_CHECKING:
    from collections.abc import Mapping, MutableMapping

    import structlog

Level: TypeAlias = Literal["debug", "info", "warning", "error"]
Format: TypeAlias = Literal["text", "json"]

_SHORT: Final = 12  # characters; no secret that can be told from a word is shorter
_DEPTH: Final = 4  # levels of lists and mappings that are looked into; deeper ones go as text


def prepare(level: Level = "warning", style: Format = "text") -> None:
    """Have `configure` done when the first line of any library comes.

    Setting it up costs 0.1 s, mostly nothing is logged, and without it Python would write what a
    library says as it stands.
    """
    root = logging.getLogger()
    root.handlers = [_Late(level, style)]
    _set_levels(level)


class _Late(logging.Handler):
    """Sets the logging up and hands its record on."""

    def __init__(self, level: Level, style: Format) -> None:
        super().__init__()
        self._asked: tuple[Level, Format] = level, style

    def emit(self, record: logging.LogRecord) -> None:
        root = logging.getLogger()
        if self in root.handlers:
            configure(*self._asked)
        for handler in root.handlers:
            handler.handle(record)


def _set_levels(level: Level) -> None:
    """Let lines through as the level says.

    A library's own news are of no use here. Ours are, but for `debug`: libraries that are given a
    logger of ours say on it what was asked and answered.
    """
    number = logging.getLevelNamesMapping()[level.upper()]
    logging.getLogger().setLevel(max(number, logging.WARNING))
    logging.getLogger("clew").setLevel(max(number, logging.INFO))


def configure(level: Level = "warning", style: Format = "text") -> None:
    """Set up structlog and the standard library's logging (for libraries that use it).

    Args:
        level: The least serious line that is written.
        style: One readable line, or one JSON object, per event.
    """
    import structlog

    number = logging.getLevelNamesMapping()[level.upper()]
    renderer = (
        structlog.processors.JSONRenderer(default=str)
        if style == "json"
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        redact_event,
    ]
    structlog.configure(
        processors=[*shared, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    _set_levels(level)


def redact_event(
    _logger: object, _method: str, event: MutableMapping[str, Any]
) -> Mapping[str, Any]:
    """A structlog processor: every text in the event without its secrets."""
    return {
        key: value if key.startswith("_") else _clean(value, _DEPTH)  # structlog's own objects
        for key, value in event.items()
    }


def _clean(value: object, depth: int) -> object:
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if depth > 0 and isinstance(value, dict):
        items = cast("dict[object, object]", value).items()
        return {_clean(key, depth - 1): _clean(item, depth - 1) for key, item in items}
    if depth > 0 and isinstance(value, (list, tuple, set, frozenset)):
        return [_clean(item, depth - 1) for item in cast("list[object]", value)]
    text = value if isinstance(value, str) else str(value)
    return text if len(text) < _SHORT else redact(text)
