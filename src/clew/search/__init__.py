"""Search: which files and spans answer a question. `steps.py` reads from top to bottom."""

from __future__ import annotations

from clew.search.steps import search

__all__ = ["search"]
