"""Finds secrets in text and replaces them, so that nothing after this package can show one.

A text is scanned once and whole, because a key cut in the middle looks like nothing. Line numbers
never move: every line end inside a secret stays. Nothing here keeps a secret or logs anything.

The engine starts a Go runtime inside the process on its first use: a program that forks without
exec must fork before that. It may be called from any number of threads at once.
"""

from __future__ import annotations

from clew.redact.deny import DEFAULT_DENY, DenyList
from clew.redact.scan import SCANNER, apply, find_secrets, redact, secret_names
from clew.redact.spans import SecretSpan

__all__ = [
    "DEFAULT_DENY",
    "SCANNER",
    "DenyList",
    "SecretSpan",
    "apply",
    "find_secrets",
    "redact",
    "secret_names",
]
