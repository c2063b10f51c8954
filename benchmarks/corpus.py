"""A large body of source made of real checkouts, and what is looked for in it.

The same files are written again and again into folders of their own, each time with a line more at
another place, so that no two are the same to git or to an index. Patterns are drawn by the seed.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.material import CODE, QUESTIONS, read

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

HASHES = (".pl", ".py", ".pyi", ".rb", ".sh")  # where "#" begins a comment
DASHES = (".lua", ".sql")
STEP = 7_919  # a prime: the added line stands at another place in each copy
BLAMED = 400  # lines that are blamed at once, at most
FEW = 40  # lines of a function
WORDS = 4  # of a phrase that is looked for


@dataclass(frozen=True)
class Pattern:
    """One grep; `kind` is what its figures are shown under."""

    kind: str
    regex: str
    ignore_case: bool = False


def sources(clones: Sequence[Path]) -> list[tuple[str, str]]:
    """The programs of some checkouts: path below a folder of the checkout's name, and text."""
    found: list[tuple[str, str]] = []
    for clone in clones:
        for path in sorted(clone.rglob("*")):
            inside = path.relative_to(clone)
            if inside.parts[0] != ".git" and path.suffix in CODE and (text := read(path)):
                found.append((f"{clone.name}/{inside.as_posix()}", text))
    return found


def copies(files: Sequence[tuple[str, str]], size: int) -> Iterator[tuple[str, str]]:
    """The files over and over, each under its copy's folder, until there are `size` bytes."""
    written, copy = 0, 0
    while written < size and files:
        for path, text in files:
            changed = edited(path, text, copy)
            yield f"copy{copy:03}/{path}", changed
            written += len(changed.encode())
            if written >= size:
                return
        copy += 1


def edited(path: str, text: str, copy: int) -> str:
    """The text with a comment of its copy at a line that the copy's number decides."""
    suffix = "." + path.rpartition(".")[2]
    mark = "#" if suffix in HASHES else "--" if suffix in DASHES else "//"
    lines = text.split("\n")
    lines.insert(copy * STEP % len(lines), f"{mark} copy {copy}")
    return "\n".join(lines)


def write(folder: Path, files: Iterator[tuple[str, str]]) -> tuple[int, int]:
    """Write files below a folder; how many, and their bytes."""
    count = size = 0
    for name, text in files:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = text.encode()
        path.write_bytes(data)
        count, size = count + 1, size + len(data)
    return count, size


def draw_patterns(
    names: Sequence[str], phrases: Sequence[str], each: int, seed: str
) -> list[Pattern]:
    """Patterns of each kind, mixed; the same for one seed. `names` must not be empty."""
    chance = random.Random(f"patterns {seed}")

    def some(of: Sequence[str]) -> list[str]:
        return chance.sample(of, min(each, len(of)))

    drawn = [Pattern("name", rf"\b{name}\b") for name in some(names)]
    drawn += [Pattern("call", rf"\b{name}\s*\(") for name in some(names)]
    drawn += [Pattern("any case", name.lower(), ignore_case=True) for name in some(names)]
    drawn += [Pattern("words", in_a_row(phrase)) for phrase in some(phrases)]
    forms = (rf"(?:class|def|fn|func|function)\s+{name[:4]}\w*" for name in some(names))
    drawn += [Pattern("expression", form) for form in forms]
    drawn += [Pattern("absent", f"Qx{chance.randrange(10**9)}Zv") for _ in range(each)]
    chance.shuffle(drawn)
    return drawn


def in_a_row(phrase: str) -> str:
    """A pattern for the phrase's first words, whatever signs stood between them."""
    return r"\W+".join(re.escape(word) for word in phrase.split()[:WORDS])


def big_files(clone: Path, count: int) -> list[tuple[str, int]]:
    """The programs with the most lines: path and lines, the longest first."""
    sized = [
        (path.relative_to(clone).as_posix(), text.count("\n"))
        for path in clone.rglob("*")
        if path.suffix in CODE and ".git" not in path.parts and (text := read(path))
    ]
    return sorted(sized, key=lambda item: (-item[1], item[0]))[:count]


def ranges(lines: int) -> list[tuple[int, int]]:
    """Where a file is blamed: at its beginning, middle and end, much and little."""
    found: set[tuple[int, int]] = set()
    for length in (BLAMED, FEW):
        size = min(length, lines)
        for start in (1, (lines - size) // 2 + 1, lines - size + 1):
            found.add((start, start + size - 1))
    return sorted(found)


def subject_of(question: str) -> str:
    """The name that a drawn question is about."""
    for form in QUESTIONS:
        before, after = form.split("{}")
        if question.startswith(before) and question.endswith(after):
            return question[len(before) : len(question) - len(after)]
    raise ValueError(f"no drawn question: {question}")
