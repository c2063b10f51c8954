"""Keeps a test session away from its user, and finds out what it left behind all the same.

For the whole session the home folder and the XDG folders are empty ones of the session's own, and
no setting of Clew's or git's comes from outside. At the end these folders must still be empty, and
the repository's root must hold what it held before: a test writes below its `tmp_path` only.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FOREIGN = ("CLEW_", "GIT_", "XDG_")
# What the development tools keep in the root themselves; git ignores all of it.
TOOLS = {".git", ".venv", ".hypothesis", ".pytest_cache", ".ruff_cache", "build", "dist"}


@contextmanager
def nothing_left_behind(root: Path, home: Path, grammars: Path) -> Iterator[None]:
    """Run a session in an empty home.

    Args:
        root: The repository's root.
        home: An empty folder to be the home folder.
        grammars: Where the grammar pack may unpack its libraries; it is shared by workers, since
            unpacking costs seconds.

    Raises:
        AssertionError: Something was left in either; the message names it.
    """
    before = _top_level(root)
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(FOREIGN)]:
            patch.delenv(name)
        patch.setenv("HOME", str(home))
        patch.setenv("USERPROFILE", str(home))
        for name, folder in (("DATA", "share"), ("CONFIG", "config"), ("CACHE", "cache")):
            patch.setenv(f"XDG_{name}_HOME", str(home / folder))
        patch.setenv("SEMBLE_GRAMMARS_CACHE_DIR", str(grammars))
        yield
    left = [*sorted(_top_level(root) - before), *(str(path) for path in sorted(home.rglob("*")))]
    if left:
        raise AssertionError(
            f"The tests left behind, in the repository or the user's home: {', '.join(left)}. "
            "Give what wrote it a folder below tmp_path."
        )


def _top_level(root: Path) -> set[str]:
    return {path.name for path in root.iterdir()} - TOOLS
