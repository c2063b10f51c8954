"""Turns what a provider's client raises into Clew's errors: one sentence that says what to check.

A message names the model, the host and the variable that holds the key, and never the key; what
the provider wrote is quoted only where it helps, clipped and redacted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import cast

from pydantic_ai import exceptions as ai

from clew.errors import (
    ClewError,
    ContextFullError,
    NoToolsError,
    ProviderDownError,
    ProviderRefusedError,
    SettingsError,
)
from clew.redact import redact

_QUOTED = 200  # characters of a provider's own words
_DOWN_STATUS = frozenset({408, 409, 425, 429})
_NO_TOOLS = re.compile(r"(?i)(?:\btools?\b|function.?call|tool.?choice)")
_REJECTS = re.compile(r"(?i)not support|unsupported|not (?:enabled|available|allowed)|requires")
_TOO_LONG = re.compile(r"(?i)context (?:length|window|size)|too many tokens|prompt is too long")


@dataclass(frozen=True, slots=True)
class Where:
    """Which model was asked, and where; `key` and `url` are the names of variables."""

    id: str
    host: str
    key: str
    url: str

    def __str__(self) -> str:
        return f"{self.id} at {self.host}" if self.host else self.id


def translate(error: Exception, where: Where, *, begun: bool = False) -> ClewError:
    """The error that the rest of Clew knows; `begun` when a part of the reply had come."""
    if isinstance(error, ai.UserError):
        return SettingsError(f"{where.id} can't be used: {quoted(str(error))}")
    if isinstance(error, ai.ModelHTTPError):
        return _status(error, where)
    if isinstance(error, ai.ModelTimeoutError | ai.ModelRequestTimeout | TimeoutError):
        did = "end its reply" if begun else "answer"
        return ProviderDownError(f"{where} did not {did} in time.")
    if isinstance(error, ai.ModelConnectionError) and not begun:
        return ProviderDownError(f"{where} can't be reached: check the network and {where.url}.")
    if isinstance(error, ai.ContentFilterError):
        return ProviderRefusedError(f"{where} refused to answer this question.")
    return ProviderDownError(f"{where} broke off its reply.")


def retry_after(error: Exception) -> float | None:
    """Seconds that the provider asks to wait, when it says so."""
    return error.retry_after if isinstance(error, ai.ModelAPIError) else None


def may_retry(error: Exception) -> bool:
    """Whether asking again soon can help: a quota that is used up stays used up."""
    return not isinstance(error, ai.ModelQuotaExceededError)


def _status(error: ai.ModelHTTPError, where: Where) -> ClewError:
    code = error.status_code
    if isinstance(error, ai.ModelQuotaExceededError):
        return ProviderDownError(f"{where}: the quota is used up ({code}); check the account.")
    if isinstance(error, ai.ModelRateLimitError) or code in _DOWN_STATUS:
        return ProviderDownError(f"{where} is over its rate limit ({code}): ask again later.")
    if code >= 500:
        return ProviderDownError(f"{where} failed ({code}): ask again later.")
    if code in (401, 403):
        return ProviderRefusedError(f"{where} refused the key ({code}): check {where.key}.")
    said = _message(error.body)
    if isinstance(error, ai.ModelContextWindowExceededError) or _TOO_LONG.search(said):
        return ContextFullError(f"{where}: the conversation is longer than the model can read.")
    if _NO_TOOLS.search(said) and _REJECTS.search(said):
        return NoToolsError(f"{where} can't call tools: set model.steps to json.")
    if isinstance(error, ai.ModelNotFoundError) or code == 404:
        return ProviderRefusedError(
            f"{where} was not found ({code}): check the model's name and {where.url}."
        )
    told = f": {quoted(said)}" if said else "."
    return ProviderRefusedError(f"{where} rejected the request ({code}){told}")


def _message(body: object) -> str:
    """The provider's own sentence, wherever it put it."""
    if isinstance(body, dict):
        fields = cast("dict[str, object]", body)
        inner = fields.get("error", fields.get("message", ""))
        return _message(inner)
    return body if isinstance(body, str) else ""


def quoted(text: str) -> str:
    """Somebody else's words as a message may hold them: redacted, short, on one line."""
    text = " ".join(redact(text[:10_000]).split())
    return text if len(text) <= _QUOTED else text[: _QUOTED - 1] + "…"
