"""The way from a setting such as `openai:text-embedding-3-small` to what embeds texts.

Nothing heavy is imported before a model is made, and nothing is sent before it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from clew.errors import SettingsError

if TYPE_CHECKING:
    from clew.models.embedder import TextEmbedder

ENDPOINT: Final = "openai"
MODEL2VEC: Final = "model2vec"
TRANSFORMERS: Final = "sentence-transformers"
FORMS: Final = (
    "write static for the model that comes with Clew, none for words alone, openai:NAME for an "
    "endpoint, or model2vec:/path or sentence-transformers:/path for a model in a folder"
)


def make_text_embedder(name: str, timeout: float = 60.0, retries: int = 2) -> TextEmbedder:
    """Make an embedder ready. Loads a local model; sends nothing.

    Args:
        name: Provider and model, as `model.embed` takes them.
        timeout: Seconds that one reply of an endpoint may take.
        retries: How often a request that failed is sent again.

    Raises:
        SettingsError: A wrong name, a missing package, key or folder.
    """
    provider, colon, model = name.strip().partition(":")
    provider, model = provider.strip().lower(), model.strip()
    if not colon or not model or provider not in (ENDPOINT, MODEL2VEC, TRANSFORMERS):
        raise SettingsError(f'model.embed "{name[:80]}" is no embedder: {FORMS}.')
    if provider == ENDPOINT:
        return _remote(f"{provider}:{model}", timeout, retries)
    from clew.models import local

    made = local.Model2VecEmbedder if provider == MODEL2VEC else local.SentenceTransformersEmbedder
    return made(model)


def _remote(name: str, timeout: float, retries: int) -> TextEmbedder:
    from clew.models.extras import needs_models
    from clew.settings.access import access

    with needs_models("Embedding by an endpoint"):
        from clew.models.endpoint import Endpoint, Patience
        from clew.models.remote_embedder import RemoteEmbedder
    return RemoteEmbedder(Endpoint(name, access(ENDPOINT), Patience(timeout, retries)))
