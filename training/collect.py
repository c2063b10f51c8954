"""Reads one repository into the questions and bags that a model can learn from.

What it returns holds terms and numbers, no text; `cache` keeps it. The same commit, limits and
seed always give the same material.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clew.chunks.parse import parse
from clew.chunks.text import split_lines
from clew.index import tokens
from clew.index.prepare import PARSE_FAULTS
from training import bags, mirrors, questions

if TYPE_CHECKING:
    from pathlib import Path

    from clew.types import Chunk, Parsed
    from training.bags import Bag

SENTENCE, WHOLE_DOC, NAME, HEADING, COMMENT = range(5)
KINDS = ("sentence", "doc", "name", "heading", "comment")
"""Where a question comes from."""

MAX_ASKED = 240  # of one held-out repository

_COMMENT_LINE = re.compile(r"^\s+(?://+|#+|--+)\s+(.+)$")


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of one repository is used, so that none outweighs the others.

    Attributes:
        text: Bytes of source files.
        chunks: Of a held-out repository, all of which are searched.
        kinds: Most questions of each kind.
    """

    text: int = 4_000_000
    chunks: int = 6_000
    kinds: tuple[int, ...] = (4_000, 1_500, 2_200, 400, 1_200)


@dataclass(slots=True)
class Material:
    """What one repository gives.

    Attributes:
        bags: The code sides.
        questions: Kind, the question's terms with their counts, and the position of its bag.
        file_of: By bag, the number of its file; held-out material has a bag for every chunk.
    """

    bags: list[Bag] = field(default_factory=list["Bag"])
    questions: list[tuple[int, dict[str, int], int]] = field(
        default_factory=list["tuple[int, dict[str, int], int]"]
    )
    file_of: list[int] = field(default_factory=list[int])
    files: int = 0


def collect(git_dir: Path, commit: str, limits: Limits, *, held_out: bool) -> Material:
    """Read a repository at a commit."""
    rng = random.Random(f"{commit}")
    found = Material()
    left = list(limits.kinds)
    for path, text in mirrors.sources(git_dir, commit, limits.text, rng):
        try:
            parsed = parse(path, text)
        except PARSE_FAULTS:
            continue
        reader = _Reader(found, left, rng, path, parsed, split_lines(text))
        for chunk in parsed.chunks:
            if held_out:
                reader.keep(chunk)
            else:
                reader.learn(chunk)
        found.files += 1
        if held_out and len(found.bags) >= limits.chunks:
            break
    if held_out:
        _keep_unique(found, rng)
    return found


class _Reader:
    """Reads the chunks of one file into `found`."""

    def __init__(
        self,
        found: Material,
        left: list[int],
        rng: random.Random,
        path: str,
        parsed: Parsed,
        lines: list[str],
    ) -> None:
        self._found = found
        self._left = left
        self._rng = rng
        self._path = bags.path_terms(path)
        self._lines = lines
        self._heads = [(one.name, one.line) for one in parsed.symbols]

    def keep(self, chunk: Chunk) -> None:
        """Keep every chunk without its doc comment, and ask for it by its first sentence."""
        _, bare = self._bare(chunk)
        self._found.bags.append(bare)
        self._found.file_of.append(self._found.files)
        if asked := questions.question(chunk.doc, chunk.name):
            self._ask(SENTENCE, tokens.count(asked), len(self._found.bags) - 1)

    def learn(self, chunk: Chunk) -> None:
        """Ask for a chunk in every way that it offers."""
        if chunk.kind == "section":
            self._learn_section(chunk)
            return
        if not chunk.name or chunk.end_line - chunk.start_line < 2:
            return
        lines, bare = self._bare(chunk)
        if asked := questions.question(chunk.doc, chunk.name):
            at = self._add(bare)
            self._ask(SENTENCE, tokens.count(asked), at)
            if len(chunk.doc) > len(asked) + 60 and self._rng.random() < 0.35:
                self._ask(WHOLE_DOC, tokens.count(chunk.doc), at)
        full = bags.whole(chunk, lines, self._path)
        if len(tokens.split(chunk.name)) > 2 and self._rng.random() < 0.6:
            source = full if chunk.doc else bare
            self._ask(
                NAME, tokens.count(chunk.name), self._add(bags.without_name(source, chunk.name))
            )
        if comment := self._comment(lines):
            self._ask(COMMENT, tokens.count(comment), self._add(bags.without_text(full, comment)))

    def _learn_section(self, chunk: Chunk) -> None:
        if len(tokens.terms(chunk.name)) < 2 or chunk.end_line - chunk.start_line < 4:
            return
        lines = self._lines[chunk.start_line - 1 : chunk.end_line]
        full = bags.whole(chunk, lines, self._path)
        bag = [one for one in full if one[1] not in (bags.NAME, bags.QUALNAME)]
        self._ask(HEADING, tokens.count(chunk.name), self._add(bags.without_text(bag, chunk.name)))

    def _bare(self, chunk: Chunk) -> tuple[list[str], Bag]:
        lines = self._lines[chunk.start_line - 1 : chunk.end_line]
        named = (line for name, line in self._heads if name == chunk.name)
        inside = (line for line in named if chunk.start_line <= line <= chunk.end_line)
        head = next(inside, chunk.start_line) - chunk.start_line
        return lines, bags.without_doc(chunk, lines, head, self._path)

    def _comment(self, lines: list[str]) -> str:
        """Pick a comment of prose from inside a chunk, on lines of its own."""
        prose = [found[1] for line in lines[2:] if (found := _COMMENT_LINE.match(line))]
        prose = [text for text in prose if questions.is_prose(text)]
        return self._rng.choice(prose) if prose else ""

    def _add(self, bag: Bag) -> int:
        self._found.bags.append(bag)
        self._found.file_of.append(self._found.files)
        return len(self._found.bags) - 1

    def _ask(self, kind: int, terms: dict[str, int], at: int) -> None:
        if terms and self._left[kind] > 0:
            self._left[kind] -= 1
            self._found.questions.append((kind, terms, at))


def _keep_unique(found: Material, rng: random.Random) -> None:
    """Keep questions that have one answer: no other asks the same, no other bag is the same."""
    asked = Counter(frozenset(terms.items()) for _, terms, _ in found.questions)
    same = Counter(frozenset(bag) for bag in found.bags)
    kept = [
        (kind, terms, at)
        for kind, terms, at in found.questions
        if asked[frozenset(terms.items())] == 1 and same[frozenset(found.bags[at])] == 1
    ]
    rng.shuffle(kept)
    found.questions = kept[:MAX_ASKED]
