"""An embedder behind an endpoint: `/embeddings` of OpenAI or of any server that speaks it.

Texts come redacted from the index; a question is redacted here before it leaves. Order is kept,
a reply that is not exactly what was asked for is refused, and a text that is longer than the model
reads is halved until it fits, so the same text always gives the same vector. How many numbers a
vector has is learned from the first reply and is part of the id; when a later reply has another
number, the model behind the name was changed, and from then on the id is another one.
"""

from __future__ import annotations

import base64
import math
import threading
import time
from typing import TYPE_CHECKING

import numpy as np
from pydantic import BaseModel, ValidationError

from clew.errors import ContextFullError, ProviderDownError, ProviderRefusedError
from clew.models.embedder import TextEmbedder
from clew.models.vectors import unit_rows
from clew.redact import redact

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy.typing as npt

    from clew.errors import ClewError
    from clew.models.endpoint import Endpoint

BATCH = 96  # texts of one request: within what the hosted servers take
BATCH_CHARS = 100_000  # of one request: about 30,000 tokens of code
MAX_CHARS = 24_000  # of one text: about the 8,000 tokens that the longest models read
LEAST_CHARS = 64  # a server that refuses as few refuses for another reason
QUERY_SECONDS = 5.0  # somebody waits for the search
DOWN_SECONDS = 30.0  # a server that failed a question is not asked again as soon: many may wait


class _Row(BaseModel):
    index: int | None = None
    embedding: list[float] | str


class _Reply(BaseModel):
    data: list[_Row]


class _ChangedError(ProviderDownError):
    """Another model answers than before; the server itself is well."""


class _Told(threading.local):
    """The dimensions of the id that a thread was told last: what it goes on to ask is of that."""

    dims = 0


class RemoteEmbedder(TextEmbedder):
    """Vectors by an endpoint; may be called from several threads at once."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._dims = 0
        self._told = _Told()
        self._down: tuple[float, ClewError] | None = None  # until when, and why
        self._lock = threading.Lock()

    @property
    def id(self) -> str:
        """Provider, model and dimensions; asks the server once when these aren't known."""
        self._told.dims = dims = self.dims
        return f"{self._endpoint.where.id}/{dims}"

    @property
    def dims(self) -> int:
        """Numbers in one vector; asks the server once when it isn't known."""
        if not self._dims:
            self._ask_soon("dimensions")
        return self._dims

    @property
    def max_chars(self) -> int:
        """Characters of one text that are sent."""
        return MAX_CHARS

    @property
    def batch(self) -> int:
        """Texts of one request."""
        return BATCH

    def query(self, text: str, terms: Sequence[str]) -> npt.NDArray[np.float32]:  # noqa: ARG002 - the port's
        """See `Embedder`; waits at most some seconds."""
        return self._ask_soon(redact(text))

    def embed(
        self,
        texts: Sequence[str],
        seconds: float = math.inf,
        told: Callable[[str], None] | None = None,
    ) -> npt.NDArray[np.float32]:
        """See `TextEmbedder`; any number of texts, in as many requests as they take."""
        until = time.monotonic() + seconds
        parts = [self._ask(part, until, told) for part in _batches(texts)]
        return np.concatenate(parts) if parts else np.zeros((0, self.dims), np.float32)

    def close(self) -> None:
        """Let the connections go."""
        self._endpoint.close()

    def _ask_soon(self, text: str) -> npt.NDArray[np.float32]:
        """The vector of one text, or its error at once when the server has just failed one."""
        if self._down and time.monotonic() < self._down[0]:
            raise self._down[1]
        try:
            return self._ask([text], time.monotonic() + QUERY_SECONDS)[0]
        except _ChangedError:
            raise
        except (ProviderDownError, ProviderRefusedError) as error:
            self._down = time.monotonic() + DOWN_SECONDS, error
            raise

    def _ask(
        self, texts: Sequence[str], until: float, told: Callable[[str], None] | None = None
    ) -> npt.NDArray[np.float32]:
        """One request, or several smaller ones when the server takes less at a time."""
        body: dict[str, object] = {"model": self._endpoint.model, "input": [*map(_clean, texts)]}
        body["encoding_format"] = "base64" if self._endpoint.is_openai else "float"
        try:
            reply = self._endpoint.post("/embeddings", body, until - time.monotonic(), told)
        except ContextFullError:
            if len(texts) > 1:
                half = len(texts) // 2
                halves = texts[:half], texts[half:]
                return np.concatenate([self._ask(part, until, told) for part in halves])
            if len(texts[0]) < 2 * LEAST_CHARS:
                raise
            return self._ask([texts[0][: len(texts[0]) // 2]], until, told)
        return self._read(reply, len(texts))

    def _read(self, reply: bytes, count: int) -> npt.NDArray[np.float32]:
        who = str(self._endpoint.where)
        try:
            rows = _in_order(_Reply.model_validate_json(reply).data, count)
        except (ValidationError, ValueError):
            raise ProviderRefusedError(
                f"{who} did not answer with embeddings: check {self._endpoint.where.url}."
            ) from None
        made = unit_rows(rows, count, None, who)
        dims = made.shape[1]
        with self._lock:
            before, self._dims = self._dims, dims
        if other := next((n for n in (self._told.dims, before) if n not in {0, dims}), 0):
            raise _ChangedError(
                f"{who} gave vectors of {dims} numbers where its others have {other}: its model "
                "was changed, so ask again or run clew index to embed the code anew."
            )
        return made


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    part: list[str] = []
    chars = 0
    for text in (text[:MAX_CHARS] for text in texts):
        if part and (len(part) == BATCH or chars + len(text) > BATCH_CHARS):
            yield part
            part, chars = [], 0
        part.append(text)
        chars += len(text)
    if part:
        yield part


def _clean(text: str) -> str:
    """The text as a server takes it: UTF-8, and not empty."""
    return text.encode("utf-8", "replace").decode() if text.strip() else "."


def _in_order(rows: list[_Row], count: int) -> list[npt.NDArray[np.float32]]:
    """The vectors in the order of the texts.

    Raises:
        ValueError: The numbers of the rows are not those of the texts, or no base64.
    """
    if any(row.index is not None for row in rows):
        rows = sorted(rows, key=lambda row: -1 if row.index is None else row.index)
        if len(rows) == count and [row.index for row in rows] != list(range(count)):
            raise ValueError
    return [_vector(row.embedding) for row in rows]


def _vector(given: list[float] | str) -> npt.NDArray[np.float32]:
    if isinstance(given, str):
        return np.frombuffer(base64.b64decode(given, validate=True), "<f4")
    return np.array(given, np.float32)
