"""A reranker behind an endpoint: `/rerank` as Cohere, Jina, vLLM and TEI speak it.

The question is redacted before it leaves; the texts come redacted from the index. A reply that does
not score each text once is refused.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np
from pydantic import AliasChoices, BaseModel, Field, TypeAdapter, ValidationError

from clew.errors import ProviderRefusedError
from clew.redact import redact

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from clew.models.endpoint import Endpoint


class _Score(BaseModel):
    index: int
    score: float = Field(validation_alias=AliasChoices("relevance_score", "score"))


class _Reply(BaseModel):
    results: list[_Score]


_REPLY: TypeAdapter[_Reply | list[_Score]] = TypeAdapter(_Reply | list[_Score])


class RemoteReranker:
    """Scores by an endpoint; see `Reranker`."""

    def __init__(
        self, endpoint: Endpoint, seconds: float, *, texts: Literal["documents", "texts"]
    ) -> None:
        """`texts` is the name by which the server takes them; `seconds` bound one question."""
        self._endpoint = endpoint
        self._seconds = seconds
        self._texts = texts

    @property
    def id(self) -> str:
        """Provider and name."""
        return self._endpoint.where.id

    def scores(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """See `Reranker`."""
        if not texts:
            return np.zeros(0, np.float32)
        body: dict[str, object] = {
            "model": self._endpoint.model,
            "query": _clean(redact(query)),
            self._texts: [_clean(text) for text in texts],
        }
        reply = self._endpoint.post("/rerank", body, self._seconds)
        try:
            found = _REPLY.validate_json(reply)
        except ValidationError:
            raise self._unusable("did not answer with scores") from None
        scored = found if isinstance(found, list) else found.results
        by_index = {each.index: each.score for each in scored if math.isfinite(each.score)}
        if sorted(by_index) != list(range(len(texts))):
            raise self._unusable(f"scored {len(by_index)} of {len(texts)} texts")
        return np.array([by_index[at] for at in range(len(texts))], np.float32)

    def close(self) -> None:
        """Let the connections go."""
        self._endpoint.close()

    def _unusable(self, why: str) -> ProviderRefusedError:
        where = self._endpoint.where
        return ProviderRefusedError(f"{where} {why}: check {where.url} and the model's name.")


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
