"""Questions out of a repository's own history: what a commit says, and what it changed.

Only commits after the pinned one count, so that nothing of their answer is in what is searched.
"""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

from benchmarks.material import CODE, TESTS
from benchmarks.processes import BenchmarkError
from benchmarks.retrieval.questions import Gold, Question

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MOST_FILES = 3  # a commit that changed more has no one place
FEWEST_WORDS = 3
LONGEST = 500  # characters of a message
GRADE = 2
HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@", re.MULTILINE)
FILE = re.compile(r"^--- (?:a/(.+?)|/dev/null)\t?$", re.MULTILINE)
TAGS = re.compile(r"^(?:\w+(?:\([\w./ -]+\))?!?:\s+)|\s*\(?#\d+\)?|\[[\w ]+\]\s*")
TRAILER = re.compile(
    r"^(?:[A-Z][\w-]+-by|Change-Id|PiperOrigin-RevId|Closes|Fixes)\b.*$", re.MULTILINE
)
NOISE = re.compile(r"^(?:merge|revert|bump|release|update changelog|version)\b", re.IGNORECASE)


def messages(text: str) -> str:
    """A message as a question: one line without tags and trailers; "" when it says little."""
    subject, _, body = text.strip().partition("\n")
    if NOISE.match(subject):
        return ""
    said = " ".join(f"{TAGS.sub('', subject)}\n{TRAILER.sub('', body)}".split())
    return said[:LONGEST] if len(said.split()) >= FEWEST_WORDS else ""


def changed(patch: str) -> tuple[Gold, ...]:
    """What a patch changes, by the lines before it; a file that it adds is left out."""
    found: list[Gold] = []
    begins = [each.start() for each in FILE.finditer(patch)]
    for start, end in zip(begins, [*begins[1:], len(patch)], strict=True):
        part = patch[start:end]
        named = FILE.match(part)
        if named and named[1]:
            found += [
                Gold(named[1], *_lines(hunk, part), grade=GRADE) for hunk in HUNK.finditer(part)
            ]
    return tuple(found)


def _lines(hunk: re.Match[str], part: str) -> tuple[int, int]:
    """First and last old line that a hunk takes away or adds beside."""
    at = int(hunk[1])
    touched: list[int] = []
    for line in part[hunk.end() :].split("\n")[1:]:
        if line[:1] not in {" ", "+", "-", "\\"}:
            break
        if line.startswith("-"):
            touched.append(at)
        elif line.startswith("+"):
            touched.append(max(at - 1, 1))
        at += line[:1] in {" ", "-"}
    return (touched[0], touched[-1]) if touched else (int(hunk[1]), int(hunk[1]))


def after(mirror: Path, repo: str, pin: str, most: int) -> Iterator[Question]:
    """The first commits after the pin that change one to three programs which were there then.

    A file that is at the commit's parent as at the pin has its changed lines for an answer, any
    other one the whole of itself.
    """
    log = ["log", "--no-merges", "--reverse", "--format=%H", f"{pin}..HEAD"]
    given = 0
    for commit in _git(mirror, *log).split():
        asked = messages(_git(mirror, "show", "--no-patch", "--format=%B", commit))
        gold = _gold(mirror, pin, commit) if asked else ()
        if gold and given < most:
            given += 1
            yield Question(
                id=f"commit-loc/{repo}/{commit[:10]}",
                source="commit-loc",
                repo=repo,
                commit=pin,
                root="",
                language=gold[0].path.rpartition(".")[2],
                query=asked,
                kind="commit",
                gold=gold,
            )


def _gold(mirror: Path, pin: str, commit: str) -> tuple[Gold, ...]:
    listed = _git(mirror, "diff-tree", "-r", "--no-commit-id", "--name-status", commit)
    rows = [line.split("\t") for line in listed.split("\n") if line]
    programs = [row for row in rows if row[1].endswith(CODE) and not TESTS.search(row[1])]
    if not 1 <= len(programs) <= MOST_FILES or any(row[0] != "M" for row in programs):
        return ()
    found: list[Gold] = []
    for _, path in programs:
        then, before = (_blob(mirror, f"{at}:{path}") for at in (pin, f"{commit}^"))
        if not then:
            return ()
        patch = _git(mirror, "diff", f"{commit}^", commit, "--", path)
        found += changed(patch) if then == before else [Gold(path, grade=GRADE)]
    return tuple(found)


def _blob(mirror: Path, name: str) -> str:
    git = ["git", "--git-dir", str(mirror), "rev-parse", "--verify", "--quiet", name]
    return subprocess.run(git, capture_output=True, text=True, check=False).stdout.strip()


def _git(mirror: Path, *arguments: str) -> str:
    git = ["git", "--git-dir", str(mirror), "-c", "core.quotePath=false", *arguments]
    done = subprocess.run(git, capture_output=True, check=False)
    if done.returncode:
        said = " ".join(done.stderr.decode(errors="replace").split())
        raise BenchmarkError(f"git {arguments[0]} ended with {done.returncode} in {mirror}: {said}")
    return done.stdout.decode("utf-8", "replace")
