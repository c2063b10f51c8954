"""Scopes over real git repositories, with their history, for tests of tools that read it."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from clew.chunks.skip import SkipRules
from clew.index.build import BuildOptions, build
from clew.index.view import open_view
from clew.redact import DEFAULT_DENY, DenyList
from clew.sources.history import GitHistory
from clew.sources.locate import locate, name_apart
from clew.sources.sync import sync
from clew.tools.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def past_scope(data: Path, *repos: Path | str, at: str = "") -> Iterator[Scope]:
    """A scope over repositories (or folders), each synced and indexed below `data`."""
    sources = name_apart([locate(str(repo), cwd=data.parent) for repo in repos])
    with ExitStack() as opened:
        views = []
        for source in sources:
            snapshot = sync(source, data, at=at) if at else sync(source, data)
            path = data / "index" / f"{source.id}.db"
            build(snapshot, path, BuildOptions(rules=SkipRules()))
            views.append(opened.enter_context(open_view(path, source, snapshot.revision)))
        yield Scope(
            tuple(views),
            deny=DenyList(DEFAULT_DENY),
            histories=lambda source, revision: GitHistory.of(source, revision, data),
        )
