"""What reads a question and a text together and says how well they fit, and the way to one.

A reranker is slower and better than what ranks thousands of chunks, so it sees only the best few.
It is an extra: what it fails at is told, and the order without it stands. Nothing heavy is imported
before one is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from clew.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    from clew.settings.access import Access

LOCAL: Final = "sentence-transformers"
_HOSTED: Final = {"cohere": "https://api.cohere.com/v2", "jina": "https://api.jina.ai/v1"}
_OWN: Final = ("openai", "tei")  # a server of one's own, at an address that has to be set
FORMS: Final = (
    "write cohere:NAME, jina:NAME, openai:NAME or tei:NAME for a server of your own, or "
    "sentence-transformers:/path/to/folder"
)


class Reranker(Protocol):
    """A question and texts to scores; may be called from several threads at once."""

    @property
    def id(self) -> str:
        """Provider and name, such as `jina:jina-reranker-v3`."""
        ...

    def scores(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """How well each text answers, greater is better: float32[len(texts)], of any scale.

        Raises:
            ProviderDownError: Down, or not done within its time.
            ProviderRefusedError: It said no for good, or its reply can't be used.
        """
        ...


@dataclass(frozen=True, slots=True)
class RerankOptions:
    """Which reranker.

    Attributes:
        name: As `model.rerank` takes it.
        seconds: Wall time for one question.
    """

    name: str
    seconds: float = 5.0


def make_reranker(options: RerankOptions) -> Reranker:
    """Make a reranker ready. Loads a local model; sends nothing.

    Raises:
        SettingsError: A wrong name, a missing package, key, address or folder.
    """
    provider, colon, name = options.name.strip().partition(":")
    provider, name = provider.strip().lower(), name.strip()
    if not colon or not name or provider not in (LOCAL, *_HOSTED, *_OWN):
        raise SettingsError(f'model.rerank "{options.name[:80]}" is no reranker: {FORMS}.')
    if provider == LOCAL:
        from clew.models.local import CrossEncoderReranker

        return CrossEncoderReranker(name, options.seconds)
    return _remote(provider, name, options)


def _remote(provider: str, name: str, options: RerankOptions) -> Reranker:
    from clew.models.extras import needs_models
    from clew.settings.access import access

    found: Access = access(provider, _HOSTED.get(provider, ""))
    if not found.url:
        raise SettingsError(
            f"{provider}:{name} needs an address: set {found.url_variable} to that of the server."
        )
    with needs_models("Reranking by an endpoint"):
        from clew.models.endpoint import Endpoint, Patience
        from clew.models.remote_reranker import RemoteReranker
    endpoint = Endpoint(f"{provider}:{name}", found, Patience(timeout=options.seconds, retries=1))
    return RemoteReranker(
        endpoint, options.seconds, texts="texts" if provider == "tei" else "documents"
    )
