"""Posts JSON to a server that takes what OpenAI's takes, and waits as long as that can help.

Embedders and rerankers stand on it. The client is OpenAI's own, for its connections, proxies and
variables; its retries are off, since ours are decided by the kind of the error and bounded by the
caller's time. A reply is handed on as bytes: whoever asked knows what must be in it.
"""

from __future__ import annotations

import json
import re
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Final

import httpx2
import openai

from clew.errors import ContextFullError, SettingsError, TransientError
from clew.models.where import (
    FIRST_WAIT,
    LONGEST_WAIT,
    Where,
    broken,
    of_status,
    too_slow,
    unreachable,
    used_up,
    words_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from clew.errors import ClewError
    from clew.settings.access import Access

OPENAI_HOST: Final = "api.openai.com"
_NO_KEY = "none"  # servers of one's own ask for none, and the client insists on one
_TOO_BIG = re.compile(
    r"(?i)too (?:long|large|many|big)|maximum|exceed|context|batch size|must have less than|longer"
)
_QUOTA = re.compile(r"(?i)insufficient.quota|quota exceeded|exceeded your current quota|billing")


@dataclass(frozen=True, slots=True)
class Patience:
    """How long and how often a server is asked.

    Attributes:
        timeout: Seconds for one whole reply.
        retries: How often a failed request is sent again, when that can help.
        sleep: Waits some seconds.
    """

    timeout: float = 60.0
    retries: int = 2
    sleep: Callable[[float], None] = time.sleep


class Endpoint:
    """One model at one server; may be used from several threads at once."""

    def __init__(self, name: str, access: Access, patience: Patience) -> None:
        """Connects to nothing yet.

        Args:
            name: Provider and model, such as `openai:text-embedding-3-small`.
            access: The address and the key; OpenAI's are read by its client when both are empty.
            patience: How long to wait.

        Raises:
            SettingsError: OpenAI's own server is meant and there is no key.
        """
        self.model = name.partition(":")[2]
        self._patience = patience
        self._client = _client(access)
        host = self._client.base_url.host
        self.where = Where(name, host, access.key_variable, access.url_variable)
        self.is_openai = host == OPENAI_HOST
        if self._client.api_key == _NO_KEY and (self.is_openai or access.needs_key):
            self._client.close()
            raise SettingsError(f"{name} needs a key: set {access.key_variable}.")

    def close(self) -> None:
        """Let the connections go."""
        self._client.close()

    def post(
        self,
        path: str,
        body: Mapping[str, object],
        seconds: float,
        told: Callable[[str], None] | None = None,
    ) -> bytes:
        """Send one request and return what came back, whole.

        Args:
            path: Below the server's address, such as `/embeddings`.
            body: What is sent, as JSON.
            seconds: For all attempts together.
            told: Is told in a sentence what is waited for.

        Raises:
            ContextFullError: It is more than the server takes at a time.
            ProviderDownError: Down, slow or over its rate; what could be retried was.
            ProviderRefusedError: It said no for good.
        """
        until = time.monotonic() + seconds
        attempt = 0
        while True:
            left = until - time.monotonic()
            if left <= 0:
                raise too_slow(self.where)
            try:
                return self._once(path, body, min(self._patience.timeout, left))
            except openai.APIError as error:
                fault, wait = _fault(error, self.where)
            wait = FIRST_WAIT * 2**attempt if wait is None else wait
            hopeless = attempt >= self._patience.retries or not isinstance(fault, TransientError)
            if hopeless or wait > min(LONGEST_WAIT, until - time.monotonic()):
                raise fault from None
            attempt += 1
            if told is not None:
                told(f"{fault.message.rstrip('.')} (again in {wait:.0f} s)")
            self._patience.sleep(wait)

    def _once(self, path: str, body: Mapping[str, object], seconds: float) -> bytes:
        reply = self._client.post(
            path, cast_to=httpx2.Response, body=dict(body), options={"timeout": seconds}
        )
        return reply.content


def _client(access: Access) -> openai.OpenAI:
    if access.provider == "openai":
        try:
            return openai.OpenAI(max_retries=0)
        except openai.OpenAIError:  # no key: a server of one's own may not want any
            return openai.OpenAI(max_retries=0, api_key=_NO_KEY)
    key = access.key or _NO_KEY
    client = openai.OpenAI(max_retries=0, base_url=access.url, api_key=key)
    client.organization = client.project = None  # OpenAI's, and nobody else's business
    return client


def _fault(error: openai.APIError, where: Where) -> tuple[ClewError, float | None]:
    """What went wrong, and how many seconds the server asks to wait, when it says so."""
    if isinstance(error, openai.APITimeoutError):
        return too_slow(where), None
    if isinstance(error, openai.APIConnectionError):
        cut = isinstance(error.__cause__, httpx2.RemoteProtocolError | httpx2.ReadError)
        return (broken(where) if cut else unreachable(where)), None
    if not isinstance(error, openai.APIStatusError):
        return broken(where), None
    code, said = error.status_code, words_of(_body(error))
    if code == 429 and _QUOTA.search(f"{error.code} {error.type} {said}"):
        return used_up(code, where), float("inf")
    if (code in (400, 413, 422) and (code == 413 or _TOO_BIG.search(said))) or (
        code == 500 and "too large to process" in said
    ):
        return ContextFullError(f"{where} takes less than this at a time ({code})."), None
    return of_status(code, said, where), _asked_wait(error.response.headers)


def _body(error: openai.APIStatusError) -> object:
    """The body as it came: the client hands on only what stands under "error"."""
    try:
        return json.loads(error.response.content)
    except ValueError:
        return error.response.text


def _asked_wait(headers: Mapping[str, Any]) -> float | None:
    """Seconds by `Retry-After`: a number, or a date."""
    said = str(headers.get("retry-after", "")).strip()
    if not said:
        return None
    try:
        return max(float(said), 0.0)
    except ValueError:
        pass
    try:
        return max((parsedate_to_datetime(said) - datetime.now(UTC)).total_seconds(), 0.0)
    except (TypeError, ValueError):  # a date without a zone, or none
        return None
