"""A chat model behind a provider's client library: translates prompts out and replies in.

Retries are ours, by the kind of the error and only while no text has been passed on: the client's
own are off, so that every wait is bounded by the question's time. Prices are those that the
library's table knows for the model and the host; a model of one's own has none.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any, Self, cast

import httpx2
from pydantic_ai import messages as ai
from pydantic_ai.direct import model_request_stream
from pydantic_ai.exceptions import AgentRunError, ModelAPIError, UserError
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from clew.errors import TransientError
from clew.models.chat import Call, Reply, Result, Spent, Told
from clew.models.faults import may_retry, retry_after, translate
from clew.models.providers import SAY_WHY, make, settings_for
from clew.models.where import FIRST_WAIT, LONGEST_WAIT, too_slow

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from types import TracebackType

    from pydantic_ai.models import Model

    from clew.models.chat import Prompt, Stop
    from clew.models.gateway import ModelOptions

_FAULTS = (AgentRunError, UserError, httpx2.HTTPError, TimeoutError, OSError)
_STOPS: dict[str, Stop] = {"length": "length", "content_filter": "refused", "tool_call": "tools"}


class Provided:
    """One model of one provider, for one question; see `Chat`."""

    def __init__(self, provider: str, name: str, options: ModelOptions) -> None:
        self._options = options
        self._provider = provider
        self._name = name
        self._open = AsyncExitStack()
        self._begun = False  # a part of the reply to this attempt has come
        self._model: Model[Any]

    async def __aenter__(self) -> Self:
        self._model, self._where = await asyncio.to_thread(make, self._provider, self._name)
        await self._open.enter_async_context(self._model)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._open.aclose()

    @property
    def id(self) -> str:
        """Provider and name."""
        return self._where.id

    @property
    def context(self) -> int | None:
        """Tokens that fit in one turn."""
        return self._options.context or self._model.context_window

    async def turn(self, prompt: Prompt) -> AsyncGenerator[str | Reply]:
        """See `Chat`."""
        loop = asyncio.get_running_loop()
        until = loop.time() + prompt.seconds
        attempt = 0
        while True:
            said = False
            try:
                async for piece in self._once(prompt, until - loop.time()):
                    said = True
                    yield piece
            except _FAULTS as error:
                fault = translate(error, self._where, begun=self._begun)
                wait = retry_after(error)
                wait = FIRST_WAIT * 2**attempt if wait is None else wait
                hopeless = said or attempt >= self._options.retries or not may_retry(error)
                late = wait > min(LONGEST_WAIT, until - loop.time())
                if hopeless or late or not isinstance(fault, TransientError):
                    raise fault from None
                attempt += 1
            else:
                return
            await self._options.sleep(wait)

    async def _once(self, prompt: Prompt, seconds: float) -> AsyncGenerator[str | Reply]:
        if seconds <= 0:
            raise too_slow(self._where)
        self._begun = False
        structured = bool(self._model.profile.get("supports_json_schema_output"))
        async with model_request_stream(
            self._model,
            _requests(prompt),
            model_settings=self._settings(prompt, seconds),
            model_request_parameters=_parameters(prompt, structured=structured),
        ) as stream:
            async for event in stream:
                self._begun = True
                if text := _text(event):
                    yield text
            response = stream.get()
        if response.finish_reason is None and self._provider in SAY_WHY:
            raise ModelAPIError(self._name, "The stream ended before its end.")
        yield _reply(response)

    def _settings(self, prompt: Prompt, seconds: float) -> ModelSettings:
        settings = ModelSettings(
            max_tokens=self._options.output_tokens,
            max_retries=0,
            timeout=min(self._options.timeout, seconds),
            first_event_timeout=min(self._options.timeout, seconds),
            request_timeout=seconds,
        )
        if prompt.tools and not prompt.may_call:
            settings["tool_choice"] = "none"
        return settings | settings_for(self._provider)


# --- out -------------------------------------------------------------------------------------


def _parameters(prompt: Prompt, *, structured: bool) -> ModelRequestParameters:
    tools = [
        ToolDefinition(
            name=tool.name,
            description=tool.description,
            parameters_json_schema=tool.parameters,
            strict=False,  # strict mode would make every optional argument a required one
        )
        for tool in prompt.tools
    ]
    if prompt.schema is None or not structured:
        return ModelRequestParameters(function_tools=tools)
    form = OutputObjectDefinition(prompt.schema, name="step", strict=False)
    return ModelRequestParameters(
        function_tools=tools, output_mode="native", output_object=form, allow_text_output=True
    )


def _requests(prompt: Prompt) -> list[ai.ModelMessage]:
    """Our messages as the library's; those of ours that follow each other become one request."""
    made: list[ai.ModelMessage] = []
    parts: list[ai.ModelRequestPart] = []
    for message in prompt.messages:
        if isinstance(message, Reply):
            made += [ai.ModelRequest(parts, instructions=prompt.system), _response(message)]
            parts = []
        elif isinstance(message, Told):
            parts.append(ai.UserPromptPart(message.text))
        else:
            parts += [_returned(item) for item in message.items]
    return [*made, ai.ModelRequest(parts, instructions=prompt.system)]


def _returned(item: Result) -> ai.ToolReturnPart:
    return ai.ToolReturnPart(item.tool, item.text, item.call)


def _response(reply: Reply) -> ai.ModelResponse:
    """A reply as it came, or rebuilt when something in it could not be sent back."""
    if isinstance(reply.native, ai.ModelResponse) and not any(c.flaw for c in reply.calls):
        return reply.native
    parts: list[ai.ModelResponsePart] = [ai.TextPart(reply.text)] if reply.text.strip() else []
    parts += [ai.ToolCallPart(call.tool, call.arguments, call.id) for call in reply.calls]
    return ai.ModelResponse(parts or [ai.TextPart("(nothing)")])


# --- in --------------------------------------------------------------------------------------


def _text(event: ai.ModelResponseStreamEvent) -> str:
    if isinstance(event, ai.PartStartEvent) and isinstance(event.part, ai.TextPart):
        return event.part.content
    if isinstance(event, ai.PartDeltaEvent) and isinstance(event.delta, ai.TextPartDelta):
        return event.delta.content_delta
    return ""


def _reply(response: ai.ModelResponse) -> Reply:
    text = "".join(part.content for part in response.parts if isinstance(part, ai.TextPart))
    calls = tuple(_call(part) for part in response.parts if isinstance(part, ai.ToolCallPart))
    stop = _STOPS.get(response.finish_reason or "", "tools" if calls else "end")
    return Reply(text, calls, stop, _spent(response), response)


def _call(part: ai.ToolCallPart) -> Call:
    arguments: object = part.args or {}
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments) if arguments.strip() else {}
        except (ValueError, RecursionError) as error:
            flaw = f"The arguments are not valid JSON: {error}."
            return Call(part.tool_call_id, part.tool_name, flaw=flaw)
    if not isinstance(arguments, dict):
        flaw = "The arguments are not a JSON object."
        return Call(part.tool_call_id, part.tool_name, flaw=flaw)
    return Call(part.tool_call_id, part.tool_name, cast("dict[str, Any]", arguments))


def _spent(response: ai.ModelResponse) -> Spent:
    usage = response.usage
    return Spent(
        1, usage.input_tokens, usage.output_tokens, usage.cache_read_tokens, _cost(response)
    )


def _cost(response: ai.ModelResponse) -> float | None:
    """US dollars by the library's table of prices, None when it doesn't know this model there."""
    if not response.model_name or not response.usage.has_values():
        return None
    try:
        return float(response.cost().total_price)
    except (LookupError, ValueError):
        return None
