"""What is measured on: a clone to edit, its size, and queries drawn from its own words.

Everything is drawn deterministically from the commit's files, without Clew, so that any version
and any peer can be measured on the same material.
"""

from __future__ import annotations

import random
import re
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

# Programs; markup, data and documents don't count as code.
CODE = (
    *(".c", ".cc", ".cpp", ".cs", ".cxx", ".go", ".h", ".hpp", ".java", ".js", ".jsx", ".kt"),
    *(".lua", ".mjs", ".php", ".pl", ".py", ".pyi", ".rb", ".rs", ".scala", ".sh", ".sql"),
    *(".swift", ".ts", ".tsx"),
)
DOCUMENTS = (".md", ".rst", ".txt")
DEFINITION = re.compile(
    r"^[ \t]*(?:(?:abstract|async|const|default|export|final|internal|override|private|protected"
    r"|pub(?:\([a-z]+\))?|public|sealed|static|unsafe)[ \t]+)*"
    r"(?:class|def|enum|fn|func|function|interface|module|struct|trait|type)[ \t]+"
    r"(?:\([^)\n]{1,80}\)[ \t]*)?([A-Za-z_][A-Za-z0-9_]{3,60})",
    re.MULTILINE,
)
COMMENT = re.compile(r"^\s*(?:#+|//+|\*|///)\s+(.{30,200})$", re.MULTILINE)
SENTENCE = re.compile(r"^([A-Z][^`|<>{}]{30,200})$", re.MULTILINE)
TESTS = re.compile(
    r"(^|[/_.-])(tests?|specs?|fixtures|examples?|bench(es|marks?)?)([/_.-]|$)", re.IGNORECASE
)
WORD = re.compile(r"[A-Za-z][A-Za-z'-]+")
QUESTIONS = (
    "where is {} defined?",
    "how does {} work?",
    "what does {} do?",
    "who calls {}?",
    "is there already a helper for {}?",
)


@dataclass(frozen=True)
class Facts:
    """A commit's size. `lines` are those of all text files, `code_lines` those of programs."""

    commit: str
    files: int
    lines: int
    code_lines: int


@dataclass(frozen=True)
class Material:
    """One repository, ready to be measured."""

    name: str
    clone: Path
    facts: Facts
    queries: tuple[str, ...]
    questions: tuple[str, ...]
    editable: Path  # a program of middling length, for the update after one edit


def prepare(name: str, source: Path, folder: Path, count: int) -> Material:
    """Clone a repository and draw `count` queries from it."""
    clone = folder / name
    _git(None, "clone", "--quiet", str(source), str(clone))
    commit = _git(clone, "rev-parse", "HEAD").strip()
    listed = _git(clone, "ls-files", "-z").split("\0")
    files = sorted(clone / path for path in listed if path)
    texts = {path: text for path in files if (text := read(path)) is not None}
    code = {path: text for path, text in texts.items() if path.suffix in CODE}
    facts = Facts(
        commit=commit,
        files=len(files),
        lines=sum(text.count("\n") for text in texts.values()),
        code_lines=sum(text.count("\n") for text in code.values()),
    )
    names = symbol_names(code.values())
    subjects = symbol_names(text for path, text in code.items() if not of_tests(path, clone))
    prose = [text for path, text in texts.items() if path.suffix in DOCUMENTS]
    phrases = doc_phrases([*code.values(), *prose])
    by_length = sorted(code, key=lambda path: (len(code[path]), path))
    return Material(
        name=name,
        clone=clone,
        facts=facts,
        queries=draw_queries(names, phrases, count, seed=commit),
        questions=draw_questions(subjects or names, seed=commit),
        editable=by_length[len(by_length) // 2],
    )


def read(path: Path) -> str | None:
    """A file's text, or None when it isn't a plain file or looks binary."""
    if path.is_symlink() or not path.is_file():
        return None
    data = path.read_bytes()
    return None if b"\0" in data[:8000] else data.decode("utf-8", "replace")


def of_tests(path: Path, clone: Path) -> bool:
    """Whether a file belongs to the tests: hardly anybody asks about what is defined there."""
    return bool(TESTS.search(str(path.relative_to(clone))))


def symbol_names(texts: Iterable[str]) -> list[str]:
    """The names that look defined in some programs, sorted."""
    return sorted({name for text in texts for name in DEFINITION.findall(text)})


def doc_phrases(texts: Iterable[str]) -> list[str]:
    """Phrases of four to eight words from comments and documents, sorted."""
    found: set[str] = set()
    for text in texts:
        for line in (*COMMENT.findall(text), *SENTENCE.findall(text)):
            words = WORD.findall(line)
            if len(words) >= 4:
                found.add(" ".join(words[:8]))
    return sorted(found)


def draw_queries(
    names: Sequence[str], phrases: Sequence[str], count: int, seed: str
) -> tuple[str, ...]:
    """Half names and half phrases, as far as there are enough of both; the same for one seed."""
    chance = random.Random(seed)
    half = min(len(names), max(count // 2, count - len(phrases)))
    drawn = chance.sample(names, half) + chance.sample(phrases, min(len(phrases), count - half))
    chance.shuffle(drawn)
    return tuple(drawn)


def draw_questions(names: Sequence[str], seed: str) -> tuple[str, ...]:
    """One question of each kind, about names of the repository."""
    chance = random.Random(f"questions {seed}")
    return tuple(form.format(chance.choice(names)) for form in QUESTIONS)


def edit(path: Path, number: int) -> None:
    """Append one line that no parser minds and no other edit has."""
    mark = "#" if path.suffix in {".py", ".pyi", ".rb", ".sh", ".pl"} else "//"
    with path.open("a", encoding="utf-8") as file:
        file.write(f"\n{mark} edited for the benchmark, time {number}\n")


def _git(folder: Path | None, *arguments: str) -> str:
    where = ["-C", str(folder)] if folder else []
    done = subprocess.run(["git", *where, *arguments], capture_output=True, check=True)
    return done.stdout.decode("utf-8", "surrogateescape")
