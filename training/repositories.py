"""The list of repositories to learn from, and those that must never be among them.

`repositories.toml` is the list; this reads and checks it. A repository that retrieval is measured
on, here or by the public benchmarks, teaches nothing: a model that has seen it would flatter
itself.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

LIST = Path(__file__).with_name("repositories.toml")


@dataclass(frozen=True, slots=True)
class Repositories:
    """Names as `owner/name`.

    Attributes:
        train: By language, to learn from.
        held_out: By language, to decide when to stop and which of two choices is better.
        left_out: By reason, never to be read.
    """

    train: dict[str, tuple[str, ...]]
    held_out: dict[str, tuple[str, ...]]
    left_out: dict[str, tuple[str, ...]]

    def overlaps(self) -> list[str]:
        """List what stands in two places.

        A left-out repository is told by its name under any owner, so that no fork or mirror of
        it slips in.
        """
        train = [name for names in self.train.values() for name in names]
        held = [name for names in self.held_out.values() for name in names]
        barred = {_bare(name) for names in self.left_out.values() for name in names}
        twice = {name for name in train if name in held or train.count(name) > 1}
        return sorted(twice | {name for name in train + held if _bare(name) in barred})


def load(path: Path = LIST) -> Repositories:
    """Read the list; ValueError when a repository stands where it must not."""
    tables = tomllib.loads(path.read_text(encoding="utf-8"))
    names = {
        part: {key: tuple(value) for key, value in tables[part].items()}
        for part in ("train", "held_out", "left_out")
    }
    listed = Repositories(**names)
    if wrong := listed.overlaps():
        raise ValueError(f"{path.name} names these where they must not be: {', '.join(wrong)}")
    return listed


def _bare(name: str) -> str:
    return name.rpartition("/")[2].lower().removesuffix(".git")
