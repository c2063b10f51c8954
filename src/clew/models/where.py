"""What is said about a model's server when it says no: where it is, and what its answer means.

One table from HTTP's numbers to Clew's errors, for every client. A message names the model, the
host and the variable that holds the key, and never the key; what the provider wrote is quoted only
where it helps, clipped and redacted. Nothing here sends anything or imports a client library.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from clew.errors import ProviderDownError, ProviderRefusedError
from clew.redact import redact

if TYPE_CHECKING:
    from clew.errors import ClewError

FIRST_WAIT = 0.5  # seconds before the first retry; doubled for each next one
LONGEST_WAIT = 30.0  # seconds; who asks to wait longer is down for this question
_QUOTED = 200  # characters of a provider's own words
_DOWN_STATUS = frozenset({408, 409, 425, 429})


@dataclass(frozen=True, slots=True)
class Where:
    """Which model was asked, and where; `key` and `url` are the names of variables."""

    id: str
    host: str
    key: str
    url: str

    def __str__(self) -> str:
        return f"{self.id} at {self.host}" if self.host else self.id


def too_slow(where: Where, *, begun: bool = False) -> ClewError:
    """It took too long; `begun` when a part of the answer had come."""
    did = "end its reply" if begun else "answer"
    return ProviderDownError(f"{where} did not {did} in time.")


def unreachable(where: Where) -> ClewError:
    """Nobody answered."""
    return ProviderDownError(f"{where} can't be reached: check the network and {where.url}.")


def broken(where: Where) -> ClewError:
    """The answer ended before its end."""
    return ProviderDownError(f"{where} broke off its reply.")


def of_status(code: int, said: str, where: Where) -> ClewError:
    """The error that an HTTP status means, when the client knows nothing finer."""
    if code in _DOWN_STATUS:
        return ProviderDownError(f"{where} is over its rate limit ({code}): ask again later.")
    if code >= 500:
        return ProviderDownError(f"{where} failed ({code}): ask again later.")
    if code in (401, 403):
        return ProviderRefusedError(f"{where} refused the key ({code}): check {where.key}.")
    if code == 404:
        return ProviderRefusedError(
            f"{where} was not found ({code}): check the model's name and {where.url}."
        )
    told = f": {quoted(said)}" if said else "."
    return ProviderRefusedError(f"{where} rejected the request ({code}){told}")


def used_up(code: int, where: Where) -> ClewError:
    """The quota is gone, and asking again soon can't help."""
    return ProviderDownError(f"{where}: the quota is used up ({code}); check the account.")


def words_of(body: object) -> str:
    """The provider's own sentence, wherever it put it."""
    if isinstance(body, dict):
        fields = cast("dict[str, object]", body)
        inner = next((fields[k] for k in ("error", "message", "detail") if k in fields), "")
        return words_of(inner)
    return body if isinstance(body, str) else ""


def quoted(text: str) -> str:
    """A provider's words on one line, clipped and redacted."""
    text = " ".join(redact(text[:10_000]).split())
    return text if len(text) <= _QUOTED else text[: _QUOTED - 1] + "…"
