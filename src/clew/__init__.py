"""Clew answers questions about code, with citations that a program has checked."""

from __future__ import annotations

__version__ = "0.1.0"
