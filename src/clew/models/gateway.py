"""The one way to a chat model: a name such as `openai:gpt-5-mini` becomes a `Chat` to ask.

`openai:` speaks Chat Completions with any server that does; `anthropic:` speaks Messages. Both
clients read their own variables (`OPENAI_API_KEY`, `OPENAI_BASE_URL`, `ANTHROPIC_API_KEY`,
`ANTHROPIC_BASE_URL` and the rest of what they document), so no key ever passes through Clew's
settings, and none can land in a record or a log. The client libraries cost seconds to import and
are imported when the first question for a model comes.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clew.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable

    from clew.models.chat import Chat

EXAMPLES = "openai:gpt-5-mini or anthropic:claude-sonnet-4-5"


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """How a model is asked.

    Attributes:
        name: Provider and model, such as `openai:gpt-5-mini`.
        timeout: Seconds to wait for the first and for each next piece of a reply.
        retries: How often a failed request is sent again, when that can help.
        output_tokens: The longest reply.
        context: Tokens the model reads at most; 0 for what is known of the model.
        sleep: Waits some seconds.
    """

    name: str
    timeout: float = 60.0
    retries: int = 2
    output_tokens: int = 4_096
    context: int = 0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


def split_name(name: str) -> tuple[str, str]:
    """Provider and model of a name.

    Raises:
        SettingsError: It isn't `provider:model`.
    """
    provider, colon, model = name.strip().partition(":")
    if not colon or not provider.strip() or not model.strip():
        raise SettingsError(f'"{name[:80]}" is no model: write provider:name, such as {EXAMPLES}.')
    return provider.strip().lower(), model.strip()


@asynccontextmanager
async def open_chat(options: ModelOptions) -> AsyncGenerator[Chat]:
    """Make a model ready for one question; its connections are closed at the end.

    Raises:
        SettingsError: A wrong name, a missing package or a missing key.
    """
    provider, model = split_name(options.name)
    make = await asyncio.to_thread(_maker)  # the imports; the event loop has others to serve
    async with make(provider, model, options) as chat:
        yield chat


def _maker() -> Callable[[str, str, ModelOptions], Provided]:
    try:
        from clew.models.provided import Provided
    except ImportError as error:
        missing = (error.name or "pydantic_ai").partition(".")[0]
        raise SettingsError(
            f"Asking a model needs the package {missing}, which is not installed: "
            'install Clew with its models, as in pip install "clew[models]".'
        ) from None
    return Provided


if TYPE_CHECKING:
    from clew.models.provided import Provided
