"""What a command reads, as it was typed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Where:
    """The repositories of `--repo`, or the tag of `--tag`; at a revision, "" for the heads."""

    repos: tuple[str, ...]
    at: str = ""
    tag: str = ""
