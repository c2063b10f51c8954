"""Two plain ways to search, to know what any cleverness is worth.

BM25 over windows of fifty lines, identifiers split into their words; and ripgrep, as somebody
would use it who has only that: the files with most of the question's words, then with most hits.
Both look at programs only, and leave out the words that every question has.
"""

from __future__ import annotations

import math
import re
import subprocess
from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.material import CODE, read

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

WINDOW = 50  # lines
K1, B = 1.2, 0.75
TOP = 10
LARGEST = 1_000_000  # bytes of a file: what is larger isn't written by people
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
MORE = (".bash", ".ex", ".exs", ".groovy", ".hs", ".m", ".mm", ".mts", ".vue", ".zig")
PROGRAMS = (*CODE, *MORE)
_STOP = """a an and are as at be but by can do does for from has have how i if in into is it its not
    of on or should that the their then there these this to was we what when where which who why
    will with would you"""
STOP = frozenset(_STOP.split())


def terms(text: str) -> list[str]:
    """Telling words in lower case; a compound name as it is and its parts."""
    found: list[str] = []
    for name in NAME.findall(text):
        parts = [part.lower() for part in PART.findall(name)]
        found += parts if len(parts) < 2 else [name.lower(), *parts]
    return [word for word in found if word not in STOP]


def files(folder: Path) -> list[str]:
    """The programs that git tracks in a folder, relative to it, without what is too large."""
    git = ["git", "-C", str(folder), "ls-files", "-z"]
    listed = subprocess.run(git, capture_output=True, check=True).stdout
    paths = listed.decode("utf-8", "surrogateescape").split("\0")
    programs = (path for path in paths if path.lower().endswith(PROGRAMS))
    there = (path for path in programs if (folder / path).is_file())
    return [path for path in there if (folder / path).stat().st_size <= LARGEST]


class Windows:
    """BM25 over windows of all text files in a folder."""

    def __init__(self, folder: Path) -> None:
        self.spans: list[tuple[str, int, int]] = []
        lengths: list[int] = []
        postings: dict[str, list[tuple[int, int]]] = {}
        for path in files(folder):
            lines = (read(folder / path) or "").split("\n")
            for start in range(0, len(lines), WINDOW):
                window = lines[start : start + WINDOW]
                counts = Counter(terms("\n".join(window)))
                for term, count in counts.items():
                    postings.setdefault(term, []).append((len(self.spans), count))
                self.spans.append((path, start + 1, start + len(window)))
                lengths.append(counts.total())
        self._lengths: NDArray[np.float64] = np.array(lengths, np.float64)
        self._postings = {term: np.array(found) for term, found in postings.items()}

    def search(self, query: str) -> list[dict[str, Any]]:
        """The ten best windows."""
        total = len(self.spans)
        scores = np.zeros(total)
        norm = K1 * (1 - B + B * self._lengths / max(self._lengths.mean(), 1.0))
        for term in set(terms(query)):
            if (found := self._postings.get(term)) is not None:
                at, count = found[:, 0], found[:, 1]
                idf = math.log(1 + (total - len(at) + 0.5) / (len(at) + 0.5))
                scores[at] += idf * count * (K1 + 1) / (count + norm[at])
        best = np.argsort(-scores, kind="stable")[:TOP]
        return [
            dict(zip(("path", "start_line", "end_line"), self.spans[at], strict=True))
            for at in best.tolist()
            if scores[at] > 0
        ]


def keywords(query: str) -> list[str]:
    """The distinct telling words of a question; two letters would be found everywhere."""
    return [word for word in dict.fromkeys(terms(query)) if len(word) > 2]


def ripgrep(program: str, folder: Path, query: str) -> list[dict[str, Any]]:
    """The ten files with most distinct keywords, of those with most hits, of those by path."""
    words = keywords(query)
    if not words:
        return []
    command = [program, "--only-matching", "--ignore-case", "--no-line-number", "--with-filename"]
    command += ["--fixed-strings", "--null", *(f"--glob=*{suffix}" for suffix in PROGRAMS)]
    command += [f"--regexp={word}" for word in words]
    done = subprocess.run([*command, "."], cwd=folder, capture_output=True, check=False)
    lines = (line.split("\0", 1) for line in done.stdout.decode(errors="replace").split("\n"))
    pairs = [(line[0].removeprefix("./"), line[1].lower()) for line in lines if len(line) == 2]
    ranked: list[tuple[int, int, str]] = []
    for path, hits in groupby(sorted(pairs), lambda pair: pair[0]):
        counted = Counter(word for _, word in hits)
        ranked.append((-len(counted), -counted.total(), path))
    return [{"path": path} for _, _, path in sorted(ranked)[:TOP]]
