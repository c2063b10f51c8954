"""Keeps material as flat arrays: one file a repository in the cache, then all of them together.

Flat, because a training step gathers thousands of bags at once, and because Python objects for
tens of millions of postings would not fit.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from training.collect import Material

    Ints = NDArray[np.integer[Any]]


UNREADABLE = (BadZipFile, EOFError, KeyError, TypeError, ValueError)
"""What numpy raises for a file that holds other arrays, or none."""


@dataclass(frozen=True, slots=True)
class Arrays:
    """Questions and bags over a list of terms.

    Attributes:
        bag_start: int64[bags + 1], where each bag's postings begin.
        bag_term: int32, the position in `terms`.
        bag_field: uint8, the position in FIELDS.
        bag_times: uint8.
        file_of: int32[bags].
        asked_kind: uint8[questions], as in `collect.KINDS`.
        asked_bag: int32[questions], its answer.
        asked_start: int64[questions + 1].
        asked_term: int32.
        asked_times: uint8.
        repo: int32[questions].
    """

    terms: tuple[str, ...]
    bag_start: Ints
    bag_term: Ints
    bag_field: Ints
    bag_times: Ints
    file_of: Ints
    asked_kind: Ints
    asked_bag: Ints
    asked_start: Ints
    asked_term: Ints
    asked_times: Ints
    repo: Ints


def pack(found: Material) -> Arrays:
    """Flatten one repository's material; bags that nobody asks for stay, for held-out ones."""
    number: dict[str, int] = {}
    bag_rows = [
        (number.setdefault(term, len(number)), field, times)
        for bag in found.bags
        for term, field, times in bag
    ]
    asked_rows = [
        (number.setdefault(term, len(number)), min(times, 255))
        for _, terms, _ in found.questions
        for term, times in terms.items()
    ]
    bag = np.array(bag_rows, np.int32).reshape(-1, 3)
    asked = np.array(asked_rows, np.int32).reshape(-1, 2)
    return Arrays(
        terms=tuple(number),
        bag_start=_starts([len(one) for one in found.bags]),
        bag_term=bag[:, 0],
        bag_field=bag[:, 1].astype(np.uint8),
        bag_times=bag[:, 2].astype(np.uint8),
        file_of=np.array(found.file_of, np.int32),
        asked_kind=np.array([kind for kind, _, _ in found.questions], np.uint8),
        asked_bag=np.array([at for _, _, at in found.questions], np.int32),
        asked_start=_starts([len(terms) for _, terms, _ in found.questions]),
        asked_term=asked[:, 0],
        asked_times=asked[:, 1].astype(np.uint8),
        repo=np.zeros(len(found.questions), np.int32),
    )


def save(path: Path, arrays: Arrays) -> None:
    """Write one repository's arrays; a file half written is never seen under its name."""
    values = {one.name: getattr(arrays, one.name) for one in fields(Arrays)}
    values["terms"] = np.frombuffer("\n".join(arrays.terms).encode(), np.uint8)
    part = path.with_suffix(".part")
    with part.open("wb") as out:
        np.savez_compressed(out, **values)
    part.replace(path)


def load(path: Path) -> Arrays:
    """Read what `save` wrote."""
    with np.load(path) as stored:
        values = {name: stored[name] for name in stored.files}
    values["terms"] = tuple(values["terms"].tobytes().decode().split("\n"))
    return Arrays(**values)


def join(parts: Iterable[Arrays]) -> Arrays:
    """Put repositories together, in order; `repo` numbers them."""
    number: dict[str, int] = {}
    kept: list[Arrays] = []
    bags = files = 0
    for repo, part in enumerate(parts):
        ids = np.fromiter((number.setdefault(term, len(number)) for term in part.terms), np.int32)
        kept.append(
            Arrays(
                terms=(),
                bag_start=part.bag_start,
                bag_term=ids[part.bag_term],
                bag_field=part.bag_field,
                bag_times=part.bag_times,
                file_of=part.file_of + files,
                asked_kind=part.asked_kind,
                asked_bag=part.asked_bag + bags,
                asked_start=part.asked_start,
                asked_term=ids[part.asked_term],
                asked_times=part.asked_times,
                repo=np.full(len(part.asked_kind), repo, np.int32),
            )
        )
        bags += len(part.file_of)
        files += int(part.file_of[-1]) + 1 if len(part.file_of) else 0
    flat = {
        one.name: np.concatenate([getattr(part, one.name) for part in kept])
        for one in fields(Arrays)
        if one.name not in ("terms", "bag_start", "asked_start")
    }
    return Arrays(
        terms=tuple(number),
        bag_start=_starts(np.concatenate([np.diff(part.bag_start) for part in kept])),
        asked_start=_starts(np.concatenate([np.diff(part.asked_start) for part in kept])),
        **flat,
    )


def pick(whole: Arrays, bags: Ints, questions: Ints) -> Arrays:
    """Keep some bags, and some questions, all of whose answers are among those; both sorted."""
    number = np.full(len(whole.file_of), -1, np.int32)
    number[bags] = np.arange(len(bags))
    postings, questioned = gather(whole.bag_start, bags)[0], gather(whole.asked_start, questions)[0]
    return Arrays(
        terms=whole.terms,
        bag_start=_starts(np.diff(whole.bag_start)[bags]),
        bag_term=whole.bag_term[postings],
        bag_field=whole.bag_field[postings],
        bag_times=whole.bag_times[postings],
        file_of=whole.file_of[bags],
        asked_kind=whole.asked_kind[questions],
        asked_bag=number[whole.asked_bag[questions]],
        asked_start=_starts(np.diff(whole.asked_start)[questions]),
        asked_term=whole.asked_term[questioned],
        asked_times=whole.asked_times[questioned],
        repo=whole.repo[questions],
    )


def gather(start: Ints, chosen: Ints) -> tuple[Ints, Ints]:
    """Find the positions of all rows of the chosen groups, and where each group begins there."""
    size = start[chosen + 1] - start[chosen]
    begin = np.zeros(len(chosen), np.int64)
    np.cumsum(size[:-1], out=begin[1:])
    return np.arange(size.sum()) - np.repeat(begin - start[chosen], size), begin


def _starts(sizes: Sequence[int] | Ints) -> Ints:
    starts = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=starts[1:])
    return starts
