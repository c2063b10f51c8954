"""`POST /api/v1/ask`: a question as JSON; the answer as JSON, or as events while it is made."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast, get_args

from clew.errors import (
    AccessError,
    ClewError,
    InputError,
    NotFoundError,
    TransientError,
    UserError,
)
from clew.redact import redact
from clew.surfaces import wire
from clew.types import DoneEvent, Mode, Question

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from starlette.requests import HTTPConnection, Request
    from starlette.responses import Response

    from clew.app import Clew
    from clew.types import Asker

MAX_BODY = 100_000  # bytes: more than any question may have
BODY_SECONDS = 30.0
_STATUS: tuple[tuple[type[ClewError], int], ...] = (
    (AccessError, 403),
    (NotFoundError, 404),
    (UserError, 400),
    (TransientError, 503),
)
_FIELDS: dict[str, type | tuple[type, ...]] = {
    "question": str,
    "tag": str,
    "at": str,
    "mode": str,
    "timeout_s": (int, float),
}


@dataclass(frozen=True, slots=True)
class AskEndpoint:
    """The endpoint. `repos` are what the person at this machine reads without a tag."""

    clew: Clew
    asker_of: Callable[[HTTPConnection], Asker]
    repos: tuple[str, ...]

    async def answer(self, request: Request) -> Response:
        """Answer one request."""
        try:
            question = _question(await _body(request), self.asker_of(request), self.repos)
        except ClewError as error:
            return _json(wire.error(error), _status(error))
        if "text/event-stream" in request.headers.get("accept", ""):
            return self._stream(question)
        try:
            async with aclosing(self.clew.ask(question)) as events:
                async for event in events:
                    if isinstance(event, DoneEvent):
                        return _json(wire.answer(event.answer))
        except ClewError as error:
            return _json(wire.error(type(error)(redact(error.message))), _status(error))
        return _json(wire.error(ClewError("The answer ended too early: ask again.")), 500)

    def _stream(self, question: Question) -> Response:
        from sse_starlette import EventSourceResponse

        async def happening() -> AsyncGenerator[dict[str, str]]:
            try:
                async with aclosing(self.clew.ask(question)) as events:
                    async for event in events:
                        row = wire.event(event)
                        yield {"event": row["event"], "data": wire.line(row)}
            except ClewError as error:
                said = wire.error(type(error)(redact(error.message)))
                yield {"event": "error", "data": wire.line(said)}

        return EventSourceResponse(happening())


async def _body(request: Request) -> dict[str, Any]:
    """The request's JSON object.

    Raises:
        InputError: It is none, too long or too slow.
    """
    from starlette.requests import ClientDisconnect

    text = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for part in request.stream():
                text += part
                if len(text) > MAX_BODY:
                    raise InputError(f"The request has more than {MAX_BODY:,} bytes.")
    except TimeoutError:
        raise InputError(f"The request did not come within {BODY_SECONDS:g} seconds.") from None
    except ClientDisconnect:
        raise InputError("The request broke off.") from None
    if not request.headers.get("content-type", "").lower().startswith("application/json"):
        raise InputError("Send the question as JSON: Content-Type: application/json.")
    try:
        value: Any = json.loads(bytes(text))
    except (ValueError, RecursionError):
        raise InputError('The request is not JSON: send {"question": "…"}.') from None
    if not isinstance(value, dict):
        raise InputError('The request is not an object: send {"question": "…"}.')
    return cast("dict[str, Any]", value)


def _question(body: dict[str, Any], asker: Asker, repos: tuple[str, ...]) -> Question:
    for name, value in body.items():
        if name not in _FIELDS:
            raise InputError(f"{name[:60]!a} is no field; there are {', '.join(_FIELDS)}.")
        if not isinstance(value, _FIELDS[name]) or isinstance(value, bool):
            raise InputError(f"{name} has the wrong type.")
    mode = body.get("mode")
    if mode is not None and mode not in get_args(Mode):
        raise InputError(f"mode is one of {', '.join(get_args(Mode))}.")
    seconds = body.get("timeout_s")
    if seconds is not None and not 1 <= seconds <= 3_600:
        raise InputError("timeout_s is a number from 1 to 3,600.")
    if "question" not in body:
        raise InputError('The question is missing: send {"question": "…"}.')
    tag = body.get("tag", "")
    return Question(
        text=body["question"],
        repos=() if tag or not asker.own else repos,
        asker=asker,
        mode=mode,
        at=body.get("at", ""),
        tag=tag,
        seconds=seconds,
    )


def _json(value: dict[str, Any], status: int = 200) -> Response:
    from starlette.responses import Response

    return Response(f"{wire.line(value)}\n", status, media_type="application/json")


def _status(error: ClewError) -> int:
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 502)
