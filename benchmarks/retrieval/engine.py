"""Clew as it is measured: a checkout is opened as a user's work tree, and searched.

An index stays in the data folder, so that a run after a change of the ranking costs queries only;
Clew itself builds anew what another format, chunker or embedder asks for.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import asdict
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from clew.chunks.skip import SkipRules
from clew.index.build import BuildOptions
from clew.search import search
from clew.workspace import WorkspaceOptions, locate_all, open_workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from clew.index.view import View
    from clew.search.weights import RankOptions
    from clew.types import HitSpan, SearchResult

PATIENCE = 600.0  # seconds for a checkout's copy


@contextmanager
def opened(folder: Path, data: Path, workers: int = 1) -> Iterator[View]:
    """The folder, synced and indexed as `clew index` would, with what that took said."""
    options = WorkspaceOptions(
        data=data,
        sync_timeout=PATIENCE,
        first_timeout=PATIENCE,
        allow_private=False,
        build=BuildOptions(rules=SkipRules(), workers=workers),
        fall_back=False,
    )
    located = locate_all([str(folder.resolve())], folder, allow_private=False)
    with open_workspace(located, options, lambda _: None) as workspace:
        report = workspace.opened[0].report
        if report.added:
            print(
                f"  {folder.name}: {report.chunks:,} chunks, {report.seconds:.1f} s",
                file=sys.stderr,
            )
        yield workspace.views[0]


def ask(view: View, query: str, options: RankOptions) -> SearchResult:
    """One search, as every surface makes it."""
    return search(query, [view], options=options)


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
    }


def _row(path: str, span: HitSpan) -> dict[str, Any]:
    return {"path": path, "start_line": span.start_line, "end_line": span.end_line}


def describe(options: RankOptions) -> dict[str, Any]:
    """What a result depends on besides the code: the weights, whole and as a digest."""
    values = asdict(options)
    return {"digest": sha256(repr(sorted(values.items())).encode()).hexdigest()[:12], **values}
