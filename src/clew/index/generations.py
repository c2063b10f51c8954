"""Which file holds an index: `<source>.db`, and `<source>.<n>.db` once it had to be rebuilt.

A rebuild never writes into, renames over or empties a file that others may have open: it goes into
the next generation's own file, which readers take as soon as it holds their revision. The older
ones are unlinked after that; who has one open keeps it until closing it. Nothing here reads inside
a file.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def generations(path: Path) -> list[Path]:
    """The files there are for the index that is called `path`, the newest first."""
    pattern = re.compile(re.escape(path.stem) + r"\.([0-9]{1,9})" + re.escape(path.suffix))
    numbered: list[tuple[int, Path]] = [(0, path)] if path.is_file() else []
    files = path.parent.iterdir() if path.parent.is_dir() else iter(())
    numbered.extend(
        (int(found[1]), file) for file in files if (found := pattern.fullmatch(file.name))
    )
    return [file for _, file in sorted(numbered, reverse=True)]


def following(path: Path) -> Path:
    """The file that the next generation is to be built in; it does not exist."""
    files = generations(path)
    if not files:
        return path
    last = files[0]
    number = 0 if last == path else int(last.name.removesuffix(path.suffix).rpartition(".")[2])
    return path.with_name(f"{path.stem}.{number + 1}{path.suffix}")


def draft_of(path: Path) -> Path:
    """Where the next generation is written that is to appear complete; no generation itself."""
    return path.with_name(f".{path.name}.draft")


def sweep(path: Path) -> None:
    """Take away what a killed process left of `path`: a draft, and SQLite's files of no index.

    The caller holds the lock.
    """
    discard(draft_of(path))
    pattern = re.compile(
        rf"({re.escape(path.stem)}(?:\.[0-9]{{1,9}})?{re.escape(path.suffix)})-(?:wal|shm|journal)"
    )
    for file in path.parent.iterdir():
        found = pattern.fullmatch(file.name)
        if found and not file.with_name(found[1]).exists():
            file.unlink(missing_ok=True)


def discard(file: Path) -> None:
    """Unlink a generation with SQLite's files beside it; a missing one is no error."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        file.with_name(file.name + suffix).unlink(missing_ok=True)
