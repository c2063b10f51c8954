"""Where a citation opens: the file on this machine, or the code host's page at the commit.

It builds addresses from checked parts and never opens one.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from clew.sources.paths import raw

if TYPE_CHECKING:
    from clew.types import Revision, Source

# How the well-known code hosts spell a file at a commit, and lines in it.
_HOSTS = {
    "github.com": ("/blob/{commit}/{path}", "#L{start}-L{end}"),
    "gitlab.com": ("/-/blob/{commit}/{path}", "#L{start}-{end}"),
    "codeberg.org": ("/src/commit/{commit}/{path}", "#L{start}-L{end}"),
    "bitbucket.org": ("/src/{commit}/{path}", "#lines-{start}:{end}"),
}


def link(source: Source, revision: Revision, path: str, start: int, end: int) -> str | None:
    """The address of lines in a file, or None when nothing can open it."""
    if source.kind != "remote":
        if revision.at:
            return None  # the file on disk is not that revision's
        file = Path(source.location) / os.fsdecode(raw(path))
        return file.as_uri() + f"#L{start}" if file.is_absolute() else None
    host, repository = _web_address(source.location)
    if host not in _HOSTS or revision.commit is None:
        return None
    page, lines = _HOSTS[host]
    filled = page.format(commit=revision.commit, path=quote(raw(path)))
    return f"https://{host}/{repository}{filled}{lines.format(start=start, end=end)}"


def _web_address(location: str) -> tuple[str, str]:
    """Split a clone URL, `https://host/a/b.git` or `git@host:a/b`, into host and repository."""
    if "://" not in location and ":" in location:
        host, _, path = location.rpartition("@")[2].partition(":")
    else:
        parts = urlsplit(location)
        host, path = parts.hostname or "", parts.path
    return host, path.strip("/").removesuffix(".git")
