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
from clew.types import Parsed
from training import bags, changes, mirrors, questions

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from clew.types import Chunk
    from training.bags import Bag

SENTENCE, WHOLE_DOC, NAME, HEADING, COMMENT, CHANGE = range(6)
KINDS = ("sentence", "doc", "name", "heading", "comment", "change")
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
    kinds: tuple[int, ...] = (4_000, 1_500, 2_200, 400, 1_200, 600)


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
    rng = random.Random(commit)
    found = Material()
    left = list(limits.kinds)
    held: dict[str, list[tuple[list[str], int]]] = {}
    for path, text in mirrors.sources(git_dir, commit, limits.text, rng):
        reader = _Reader(found, left, rng, path, text)
        if held_out:
            held[path] = [(reader.lines_of(chunk), reader.keep(chunk)) for chunk in reader.chunks]
        else:
            for chunk in reader.chunks:
                reader.learn(chunk)
        found.files += 1
        if held_out and len(found.bags) >= limits.chunks:
            break
    if held_out:
        _ask_changes(found, changes.changes(git_dir, commit, set(held), limits.kinds[CHANGE]), held)
        _keep_unique(found, rng)
    else:
        learn_changes(found, git_dir, commit, limits.kinds[CHANGE])
    return found


def learn_changes(found: Material, git_dir: Path, commit: str, limit: int) -> None:
    """Ask for what the newest commits changed, as it is now."""
    listed = {entry.path: entry for entry in mirrors.usable(git_dir, commit)}
    made = changes.changes(git_dir, commit, set(listed), limit)
    wanted = [listed[path] for path in sorted({path for one in made for path in one.added})]
    held: dict[str, list[tuple[list[str], int]]] = {}
    for path, text, _ in mirrors.texts(git_dir, wanted):
        reader = _Reader(found, [], random.Random(0), path, text)
        held[path] = [(reader.lines_of(chunk), reader.whole(chunk)) for chunk in reader.chunks]
        found.files += 1
    _ask_changes(found, made, held)


def _ask_changes(
    found: Material,
    made: Iterable[changes.Change],
    held: Mapping[str, Sequence[tuple[list[str], int]]],
) -> None:
    """Ask with a commit's subject for the chunk that it changed most in each file."""
    for change in made:
        terms = tokens.count(change.subject)
        for path, added in change.added.items():
            chunks = held.get(path, ())
            at = changes.answer(added, [lines for lines, _ in chunks])
            if at is not None and terms:
                found.questions.append((CHANGE, terms, chunks[at][1]))


class _Reader:
    """Reads the chunks of one file into `found`."""

    def __init__(
        self, found: Material, left: list[int], rng: random.Random, path: str, text: str
    ) -> None:
        try:
            parsed = parse(path, text)
        except PARSE_FAULTS:
            parsed = Parsed("", ())
        self._found = found
        self._left = left
        self._rng = rng
        self._path = bags.path_terms(path)
        self._lines = split_lines(text)
        self._heads = [(one.name, one.line) for one in parsed.symbols]
        self.chunks = parsed.chunks

    def lines_of(self, chunk: Chunk) -> list[str]:
        """The lines of a chunk."""
        return self._lines[chunk.start_line - 1 : chunk.end_line]

    def whole(self, chunk: Chunk) -> int:
        """Keep a chunk as the index has it; its position."""
        return self._add(bags.whole(chunk, self.lines_of(chunk), self._path))

    def keep(self, chunk: Chunk) -> int:
        """Keep a chunk without its doc comment, and ask for it by its first sentence."""
        at = self._add(self._bare(chunk))
        if asked := questions.question(chunk.doc, chunk.name):
            self._ask(SENTENCE, tokens.count(asked), at)
        return at

    def learn(self, chunk: Chunk) -> None:
        """Ask for a chunk in every way that it offers."""
        if chunk.kind == "section":
            self._learn_section(chunk)
            return
        if not chunk.name or chunk.end_line - chunk.start_line < 2:
            return
        lines, bare = self.lines_of(chunk), self._bare(chunk)
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
        full = bags.whole(chunk, self.lines_of(chunk), self._path)
        bag = [one for one in full if one[1] not in (bags.NAME, bags.QUALNAME)]
        self._ask(HEADING, tokens.count(chunk.name), self._add(bags.without_text(bag, chunk.name)))

    def _bare(self, chunk: Chunk) -> Bag:
        named = (line for name, line in self._heads if name == chunk.name)
        inside = (line for line in named if chunk.start_line <= line <= chunk.end_line)
        head = next(inside, chunk.start_line) - chunk.start_line
        return bags.without_doc(chunk, self.lines_of(chunk), head, self._path)

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
    """Keep questions that have one answer: no other asks the same, no other bag is the same.

    A commit may have changed several files, each of which is an answer.
    """
    asked = Counter(frozenset(terms.items()) for _, terms, _ in found.questions)
    same = Counter(frozenset(bag) for bag in found.bags)
    kept = [
        (kind, terms, at)
        for kind, terms, at in found.questions
        if kind == CHANGE
        or (asked[frozenset(terms.items())] == 1 and same[frozenset(found.bags[at])] == 1)
    ]
    rng.shuffle(kept)
    told = [one for one in kept if one[0] != CHANGE][:MAX_ASKED]
    found.questions = told + [one for one in kept if one[0] == CHANGE]
