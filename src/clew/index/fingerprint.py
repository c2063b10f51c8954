"""What decides the contents of an index: when any of it changes, the index is built anew."""

from __future__ import annotations

from clew import redact
from clew.chunks.parse import CHUNKER
from clew.index.tokens import TOKENISER

FORMAT = "2"
"""Changes with the schema or a byte format."""


def code_fingerprint() -> dict[str, str]:
    """What this program's own code must share with a file to read it."""
    return {
        "format": FORMAT,
        "tokeniser": TOKENISER,
        "chunker": CHUNKER,
        "scanner": redact.SCANNER,
    }


def fingerprint(rules: str) -> dict[str, str]:
    """Everything but the revision; `rules` is a digest of the skip rules.

    The embedder is not in it: another one needs other vectors, which are made from what the index
    holds, and nothing else.
    """
    return {**code_fingerprint(), "rules": rules}
