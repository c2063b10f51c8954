"""Makes a client for each provider: which class, which protocol, which settings of its own.

Nothing here sends a request. What a provider needs that the others don't stands here and nowhere
else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic_ai.exceptions import UserError
from pydantic_ai.settings import ModelSettings

from clew.errors import SettingsError
from clew.models.faults import translate
from clew.models.where import Where, quoted

if TYPE_CHECKING:
    from pydantic_ai.models import Model

FORMS = (
    "write openai:NAME (also for every server that speaks Chat Completions, by OPENAI_BASE_URL), "
    "anthropic:NAME, or another provider's short name, such as groq:NAME"
)
OPENAI_HOST = "api.openai.com"
# Providers whose streams always say why they end: one that doesn't has broken, and without this
# rule half an answer would pass for a whole one.
SAY_WHY = frozenset({"openai", "anthropic"})


def make(provider: str, name: str) -> tuple[Model[Any], Where]:
    """A client for a model, and the words for where it is.

    Raises:
        SettingsError: An unknown provider, a package that isn't there, or no key.
    """
    key, url = f"{provider.upper()}_API_KEY", f"{provider.upper()}_BASE_URL"
    unplaced = Where(f"{provider}:{name}", "", key, url)
    try:
        model = _make(provider, name)
    except ImportError as error:
        missing = (error.name or provider).partition(".")[0]
        raise SettingsError(
            f"Models of {provider} need the package {missing}: "
            f'install it, as in pip install "pydantic-ai-slim[{provider}]".'
        ) from None
    except UserError as error:
        if key in str(error):
            raise SettingsError(
                f"{provider}:{name} needs a key: set {key}, or choose another model."
            ) from None
        if "Unknown model" in str(error):
            raise SettingsError(f'"{quoted(unplaced.id)}" is no model: {FORMS}.') from None
        raise translate(error, unplaced) from None
    except ValueError:  # its words may hold an address with a password
        raise SettingsError(
            f"{provider}:{name} can't be set up: check {url} and the variables that name a proxy, "
            "such as HTTPS_PROXY."
        ) from None
    held = getattr(getattr(model, "client", None), "api_key", None)
    if isinstance(held, str) and not (held.isascii() and held.isprintable()):
        raise SettingsError(f"{key} holds characters that no key has: copy it again.")
    host = urlsplit(model.base_url or "").hostname or ""
    return model, Where(f"{provider}:{name}", host, key, url)


def settings_for(provider: str) -> ModelSettings:
    """What every request to a provider carries: its prompt caching, where it must be asked for."""
    if provider == "anthropic":
        from pydantic_ai.models.anthropic import AnthropicModelSettings

        return AnthropicModelSettings(
            anthropic_cache_instructions=True,
            anthropic_cache_tool_definitions=True,
            anthropic_cache_messages=True,
        )
    return ModelSettings()


def _make(provider: str, name: str) -> Model[Any]:
    if provider == "openai":
        return _openai(name)
    if provider == "anthropic":
        from pydantic_ai.models.anthropic import AnthropicModel

        return AnthropicModel(name)
    from pydantic_ai.models import infer_model

    return infer_model(f"{provider}:{name}")


def _openai(name: str) -> Model[Any]:
    """Chat Completions, at OpenAI or at any server that speaks it and knows only what all do."""
    from openai import OpenAIError
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    profile = OpenAIModelProfile(openai_chat_streaming_requires_finish_reason=True)
    try:
        provider = OpenAIProvider()
    except OpenAIError:  # the variable is there and empty
        raise SettingsError(
            f"openai:{name} needs a key: set OPENAI_API_KEY, to any text for a server that asks "
            "for none, or choose another model."
        ) from None
    if urlsplit(provider.base_url).hostname == OPENAI_HOST:
        return OpenAIChatModel(name, provider=provider, profile=profile)
    profile["openai_chat_supports_max_completion_tokens"] = False
    client = provider.client  # it has read the variables; it never connects
    other = OpenAICompatibleProvider(
        "openai-compatible", base_url=provider.base_url, api_key=client.api_key
    )
    return OpenAIChatModel(name, provider=other, profile=profile)
