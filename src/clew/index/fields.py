"""The numbers that those who write postings and references share with those who read them.

Apart from `postings`, because a worker process packs rows without numpy, whose import would take
half of the worker's start.
"""

from __future__ import annotations

from typing import get_args

from clew.types import ReferenceKind

FIELDS = ("name", "stem", "qualname", "doc", "folder", "body", "signature")
"""The fields of BM25F; a posting's `field` is the position here."""

MAX_ROWS = 1 << 16
"""Chunks in one segment: an ordinal is 16 bits."""

MAX_TF = 255
MAX_LENGTH = 65_535

REFERENCE_KINDS: tuple[ReferenceKind, ...] = get_args(ReferenceKind)
KIND_CODES = {kind: code for code, kind in enumerate(REFERENCE_KINDS)}
