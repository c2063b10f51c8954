"""How somebody with a budget of tokens reads on: by Clew's tools, by grep, and a peer's chunks.

Clew: the text of `search_code` as its tool writes it, then `read_file` of the found spans in their
order. Grep: as the peer's public benchmark defines it (semble, `benchmarks/token_efficiency.py`,
method `grep-kw+read`): ripgrep looks for each keyword of the question, ignoring case; at most 500
matching lines a keyword count; the files with most of them are read whole, one after the other. The
peer's benchmark counts neither ripgrep's own output nor paths, and neither is counted here.
"""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING

from benchmarks.material import read
from benchmarks.processes import BenchmarkError
from benchmarks.retrieval.plain import PROGRAMS, STOP
from benchmarks.retrieval.shown import ENOUGH, Piece
from clew.tools.read_file import read_file
from clew.tools.search_code import MAX_QUERY, search_code

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path
    from typing import Any

    from clew.tools.result import ToolResult
    from clew.tools.scope import Scope
    from clew.types import Evidence

MATCHES = 500  # lines that count for one keyword
KEYWORD = re.compile(r"[a-zA-Z][a-zA-Z0-9]*")
SHORTEST = 3  # letters of a keyword
_MORE = """about after all also any before being between both but could did down during each few had
    into just may might more most neither nor only other over own same so some such than then they
    through too under up very yet"""
STOPPED = STOP | frozenset(_MORE.split())
PLACE = re.compile(r":\d+-\d+(?: .*)?$")  # what follows a path that is named with its lines
NUMBERED = re.compile(r"\s*(\d+)(?::| ) ")  # a line of a file as the tools write it


def by_clew(scope: Scope, query: str) -> Iterator[Piece]:
    """What an agent reads who searches and then reads what was found, in order.

    Of a question that is longer than a query may be, its beginning is asked.
    """
    paths = frozenset(row.path for view in scope.views for row in view.documents())
    found = search_code(scope, query[:MAX_QUERY])
    yield from pieces(found, paths)
    for hit in found.data.hits:
        for span in hit.spans:
            yield from pieces(read_file(scope, hit.path, span.start_line, span.end_line), paths)


def pieces(result: ToolResult[Any], paths: Collection[str]) -> Iterator[Piece]:
    """A tool's text line by line: which file each begins with, or which of its lines it shows.

    A numbered line counts as shown when the result's evidence has it.
    """
    lines = {(each.path, n) for each in result.evidence for n in _numbers(each)}
    path = ""
    for text in result.text.split("\n"):
        chars = len(text) + 1
        number = NUMBERED.match(text)
        if number and (path, int(number[1])) in lines:
            yield Piece(chars, path, int(number[1]), int(number[1]))
        else:
            begun = (text.strip(), text.strip().partition(" in ")[0], PLACE.sub("", text.strip()))
            said = next((each for each in begun if each in paths), "")
            path = said or path
            yield Piece(chars, said)


def _numbers(row: Evidence) -> range:
    return range(row.start_line, row.end_line + 1)


def by_files(folder: Path, root: str, paths: Iterable[str], *, whole: bool) -> Iterator[Piece]:
    """What somebody reads who goes through files, each from its beginning.

    With `whole` a file counts when all of it was read, as the peer's benchmark has it; without,
    its lines count as they are read.
    """
    for path in paths:
        text = read(folder / path) or ""
        name = f"{root}/{path}" if root else path
        if whole:
            yield Piece(len(text), name, 1, text.count("\n") + 1)
        else:
            for number, line in enumerate(text.split("\n"), 1):
                yield Piece(len(line) + 1, name, number, number)


def grepped(program: str, folder: Path, query: str) -> list[str]:
    """The files that have the question's keywords, those with most matching lines first."""
    counted: Counter[str] = Counter()
    for word in keywords(query) or [query]:
        counted.update(matching(program, folder, word))
    return [path for path, _ in sorted(counted.items(), key=lambda each: (-each[1], each[0]))]


def keywords(query: str) -> list[str]:
    """The words of a question that tell something, once each."""
    words = dict.fromkeys(word.lower() for word in KEYWORD.findall(query))
    return [word for word in words if len(word) >= SHORTEST and word not in STOPPED]


def matching(program: str, folder: Path, word: str) -> list[str]:
    """The file of each of the first matching lines."""
    command = [program, "--fixed-strings", "--ignore-case", "--count", "--null", "--sort=path"]
    command += [f"--glob=*{suffix}" for suffix in PROGRAMS]
    done = subprocess.run(
        [*command, f"--regexp={word}", "."], cwd=folder, capture_output=True, check=False
    )
    if done.returncode not in (0, 1):
        raise BenchmarkError(f"ripgrep: {done.stderr.decode(errors='replace').strip()[-500:]}")
    rows = (row.split("\0") for row in done.stdout.decode(errors="replace").split("\n") if row)
    lines = (path.removeprefix("./") for path, count in rows for _ in range(int(count)))
    return list(islice(lines, MATCHES))


def by_chunks(checkout: Path, chunks: Iterable[dict[str, Any]]) -> Iterator[Piece]:
    """A peer's chunks in their order, the text alone; each counts when all of it was read."""
    spent = 0
    for each in chunks:
        lines = (read(checkout / each["path"]) or "").split("\n")
        part = lines[each["start_line"] - 1 : each["end_line"]]
        chars = sum(len(line) + 1 for line in part)
        yield Piece(chars, each["path"], each["start_line"], each["end_line"])
        spent += chars
        if spent > ENOUGH:
            return
