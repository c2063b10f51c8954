"""Turns what a chat client raises into Clew's errors: one sentence that says what to check.

What an HTTP status means stands in `where`; here is what only a conversation can run into.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pydantic_ai import exceptions as ai

from clew.errors import ContextFullError, NoToolsError, ProviderRefusedError, SettingsError
from clew.models.where import broken, of_status, quoted, too_slow, unreachable, used_up, words_of

if TYPE_CHECKING:
    from clew.errors import ClewError
    from clew.models.where import Where

_NO_TOOLS = re.compile(r"(?i)(?:\btools?\b|function.?call|tool.?choice)")
_REJECTS = re.compile(r"(?i)not support|unsupported|not (?:enabled|available|allowed)|requires")
_TOO_LONG = re.compile(r"(?i)context (?:length|window|size)|too many tokens|prompt is too long")


def translate(error: Exception, where: Where, *, begun: bool = False) -> ClewError:
    """The error that the rest of Clew knows; `begun` when a part of the reply had come."""
    if isinstance(error, ai.UserError):
        return SettingsError(f"{where.id} can't be used: {quoted(str(error))}")
    if isinstance(error, ai.ModelHTTPError):
        return _status(error, where)
    if isinstance(error, ai.ModelTimeoutError | ai.ModelRequestTimeout | TimeoutError):
        return too_slow(where, begun=begun)
    if isinstance(error, ai.ModelConnectionError) and not begun:
        return unreachable(where)
    if isinstance(error, ai.ContentFilterError):
        return ProviderRefusedError(f"{where} refused to answer this question.")
    return broken(where)


def retry_after(error: Exception) -> float | None:
    """Seconds that the provider asks to wait, when it says so."""
    return error.retry_after if isinstance(error, ai.ModelAPIError) else None


def may_retry(error: Exception) -> bool:
    """Whether asking again soon can help: a quota that is used up stays used up."""
    return not isinstance(error, ai.ModelQuotaExceededError)


def _status(error: ai.ModelHTTPError, where: Where) -> ClewError:
    code = error.status_code
    if isinstance(error, ai.ModelQuotaExceededError):
        return used_up(code, where)
    if isinstance(error, ai.ModelRateLimitError):
        return of_status(429, "", where)
    said = words_of(error.body)
    if code in (401, 403, 408, 409, 425, 429) or code >= 500:
        return of_status(code, said, where)
    if isinstance(error, ai.ModelContextWindowExceededError) or _TOO_LONG.search(said):
        return ContextFullError(f"{where}: the conversation is longer than the model can read.")
    if _NO_TOOLS.search(said) and _REJECTS.search(said):
        return NoToolsError(f"{where} can't call tools: set model.steps to json.")
    return of_status(404 if isinstance(error, ai.ModelNotFoundError) else code, said, where)
