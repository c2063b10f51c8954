"""Clew as it is measured: a checkout is opened as a user's work tree, and searched.

An index stays in the data folder, so that a run after a change of the ranking costs queries only;
Clew itself builds anew what another format, chunker or embedder asks for.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import lru_cache
from hashlib import sha256
from importlib import import_module
from typing import TYPE_CHECKING, Any

from benchmarks.stages import replaced
from clew.chunks.skip import SkipRules
from clew.chunks.text import split_lines
from clew.chunks.windows import chunk_windows
from clew.index.build import BuildOptions
from clew.search import search
from clew.search.weights import RankOptions
from clew.settings import ModelSettings
from clew.types import Parsed
from clew.workspace import WorkspaceOptions, locate_all, open_workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from clew.index.view import View
    from clew.models.embedder import Embedder, TermEmbedder, TextEmbedder
    from clew.types import HitSpan, SearchResult

PATIENCE = 600.0  # seconds for a checkout's copy
NO_VECTORS = "none"
DEFAULTS = RankOptions()
EMBEDDER = ModelSettings().embed  # what people have who set nothing


@dataclass(frozen=True, slots=True)
class Setup:
    """How Clew is run.

    Attributes:
        data: Where indexes are kept, each way to make them in a folder of its own.
        options: Weights and limits of the ranking.
        embedder: The name of what makes vectors, as in the settings; `none` for none.
        windows: Divide every file into windows, as if there were no grammars.
    """

    data: Path
    options: RankOptions = DEFAULTS
    embedder: str = EMBEDDER
    windows: bool = False

    @property
    def folder(self) -> Path:
        """Where the indexes of this very setup are."""
        name = "".join(c if c.isalnum() else "-" for c in self.embedder)
        return self.data.resolve() / (f"{name}-windows" if self.windows else name)


@contextmanager
def opened(folder: Path, setup: Setup, workers: int = 1) -> Iterator[View]:
    """The folder, synced and indexed as `clew index` would, with what that took said."""
    options = WorkspaceOptions(
        data=setup.folder,
        sync_timeout=PATIENCE,
        first_timeout=PATIENCE,
        allow_private=False,
        build=BuildOptions(rules=SkipRules(), embedder=embedder(setup.embedder), workers=workers),
        fall_back=False,
    )
    located = locate_all([str(folder.resolve())], folder, allow_private=False)
    with dividing(windows=setup.windows):
        workspace = open_workspace(located, options, lambda _: None)
    with workspace:
        report = workspace.opened[0].report
        if report.added:
            said = f"{report.chunks:,} chunks, {report.seconds:.1f} s"
            print(
                f"  {folder.name}: {said}{report.problem and f', {report.problem}'}",
                file=sys.stderr,
            )
        yield workspace.views[0]


@lru_cache
def embedder(name: str) -> TermEmbedder | TextEmbedder | None:
    """What makes vectors, loaded once a process."""
    from clew.models.embedders import embedder_of

    return embedder_of(name)


@contextmanager
def dividing(*, windows: bool) -> Iterator[None]:
    """In this process and this block, files are divided as the setup says."""
    prepare = import_module("clew.index.prepare")
    whole = prepare.parse
    if windows:
        replaced(prepare, "parse", _windows)
    try:
        yield
    finally:
        replaced(prepare, "parse", whole)


def _windows(path: str, text: str) -> Parsed:
    del path
    return Parsed(language="", chunks=chunk_windows(split_lines(text)) if text else ())


def ask(
    view: View, query: str, options: RankOptions, vectors: Embedder | None = None
) -> SearchResult:
    """One search, as every surface makes it."""
    return search(query, [view], options=options, embedder=vectors)


def line(question: str, result: SearchResult) -> dict[str, Any]:
    """A result as a line of a run.

    `files` has the spans as they are shown, by file. `results` is the same as a flat list for
    scoring: first the best span of each file, best file first, then the other spans by score.
    """
    first = [_row(hit.path, hit.spans[0]) for hit in result.hits]
    more = [(hit.path, span) for hit in result.hits for span in hit.spans[1:]]
    more.sort(key=lambda item: -item[1].score)
    return {
        "id": question,
        "results": first + [_row(*each) for each in more],
        "files": [_row(hit.path, span) for hit in result.hits for span in hit.spans],
        "ms": result.ms,
        "relevant": result.relevant,
        "coverage": result.coverage,
        "warnings": [each.message for each in result.warnings],
    }


def _row(path: str, span: HitSpan) -> dict[str, Any]:
    return {"path": path, "start_line": span.start_line, "end_line": span.end_line}


def describe(setup: Setup) -> dict[str, Any]:
    """What a result depends on besides the code: weights with their digest, and the embedder."""
    values = asdict(setup.options)
    made = embedder(setup.embedder)
    return {
        "embedder": made.id if made else NO_VECTORS,
        "windows": setup.windows,
        "digest": sha256(repr(sorted(values.items())).encode()).hexdigest()[:12],
        "ranking": values,
    }
