"""Makes the embedder that the settings name. Nothing is loaded before it is used."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from clew.models.text_embedder import make_text_embedder

if TYPE_CHECKING:
    from clew.models.embedder import TermEmbedder, TextEmbedder

STATIC: Final = Path(__file__).parent / "static" / "code.npz"
"""The model that comes with the package."""


def embedder_of(
    model: str, *, timeout: float = 60.0, retries: int = 2
) -> TermEmbedder | TextEmbedder | None:
    """The embedder of this name.

    Args:
        model: `static` for the model that comes with Clew, `none` for search by words alone,
            otherwise as `make_text_embedder` takes it.
        timeout: Seconds that one reply of an endpoint may take.
        retries: How often a request to it that failed is sent again.

    Raises:
        SettingsError: No embedder has that name, or what it needs isn't there.
    """
    if model == "none":
        return None
    if model == "static":
        from clew.models.static_table import StaticTable

        return StaticTable(STATIC)
    return make_text_embedder(model, timeout, retries)
