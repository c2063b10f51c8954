"""What a chat model is to the rest of Clew: messages in, pieces of text and one reply out.

The port and its words; the gateway and the scripted model stand behind it. Nothing here knows a
provider, sends anything or imports a client library.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable
    from contextlib import AbstractAsyncContextManager

Json: TypeAlias = dict[str, Any]
Stop: TypeAlias = Literal["end", "tools", "length", "refused"]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a model is told of it; `parameters` is a JSON schema of type object."""

    name: str
    description: str
    parameters: Json


@dataclass(frozen=True, slots=True)
class Spent:
    """What one or more calls of a model took. `cost` is US dollars, None when no price is known."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost: float | None = None

    @property
    def tokens(self) -> int:
        """All tokens, in and out."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: Spent) -> Spent:
        cost = self.cost if other.cost is None else (self.cost or 0.0) + other.cost
        return Spent(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_tokens + other.cached_tokens,
            cost,
        )


# --- messages --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Call:
    """A tool that the model wants to be run.

    Attributes:
        arguments: By name; empty when there is a `flaw`.
        flaw: Why the arguments can't be read, "" when they can.
    """

    id: str
    tool: str
    arguments: Json = field(default_factory=dict[str, Any])
    flaw: str = ""


@dataclass(frozen=True, slots=True)
class Told:
    """What Clew says to the model."""

    text: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model said in one turn.

    Attributes:
        native: The provider's own form, sent back as it came; None when it must be rebuilt.
    """

    text: str
    calls: tuple[Call, ...] = ()
    stop: Stop = "end"
    spent: Spent = Spent()
    native: object = None


@dataclass(frozen=True, slots=True)
class Result:
    """What a call gave. `brief` says the same in a few lines: paths and what was found."""

    call: str
    tool: str
    text: str
    brief: str


@dataclass(frozen=True, slots=True)
class Results:
    """The results of all calls of one reply, in their order."""

    items: tuple[Result, ...]


Message: TypeAlias = Told | Reply | Results


@dataclass(frozen=True, slots=True)
class Prompt:
    """One turn's question to a model.

    Attributes:
        tools: What it may call. `may_call` False keeps them known (the conversation mentions
            them, and the cached prefix stays the same) and forbids calling.
        schema: The JSON schema of the whole reply, None for free text.
        seconds: Wall time that is left for this turn, with its retries.
    """

    system: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    may_call: bool = True
    schema: Json | None = None
    seconds: float = 600.0


class Chat(Protocol):
    """A model that is ready to be asked; made for one question and one event loop."""

    @property
    def id(self) -> str:
        """Provider and name, such as `openai:gpt-5-mini`."""
        ...

    @property
    def context(self) -> int | None:
        """Tokens that fit in one turn, in and out; None when it isn't known."""
        ...

    def turn(self, prompt: Prompt) -> AsyncGenerator[str | Reply]:
        """Yield the text as it comes, then the whole reply, last.

        Raises:
            ProviderDownError: Down, slow or over its rate; what could be retried was.
            ProviderRefusedError: It said no for good.
        """
        ...


if TYPE_CHECKING:
    OpenChat: TypeAlias = Callable[[], AbstractAsyncContextManager[Chat]]
