"""What decides the contents of an index: when any of it changes, the index is built anew."""

from __future__ import annotations

from clew import redact
from clew.chunks.parse import CHUNKER
from clew.index.tokens import TOKENISER

FORMAT = "1"
"""Changes with the schema or a byte format."""


def code_fingerprint() -> dict[str, str]:
    """What this program's own code must share with a file to read it."""
    return {
        "format": FORMAT,
        "tokeniser": TOKENISER,
        "chunker": CHUNKER,
        "scanner": redact.SCANNER,
    }


def fingerprint(rules: str, embedder: str) -> dict[str, str]:
    """Everything but the revision; `rules` is a digest of the skip rules."""
    return {**code_fingerprint(), "embedder": embedder, "rules": rules}
