"""A revision read out of a mirror: the list of its tree, and its objects in batches.

It starts `git ls-tree` and `git cat-file` and nothing else, and holds no state between calls, so
threads share it freely. One damaged object never costs another one: it is None and the rest follow.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import IO, TYPE_CHECKING

from clew.errors import SourceError
from clew.sources.gitcmd import start_batch, stop_batch
from clew.sources.giterror import GitError
from clew.sources.mirror import OBJECT_ID, Mirror
from clew.sources.paths import raw, show
from clew.types import TreeEntry

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterable, Iterator

    from clew.types import Revision, Source

_WINDOW = 256  # requests in flight: 41 to 65 bytes each, well below a pipe's 64 KiB
_KINDS = {b"120000": "symlink", b"160000": "submodule"}


@dataclass(frozen=True, slots=True)
class GitSnapshot:
    """One source at one revision, in a mirror; see `clew.sources.base.Snapshot`."""

    source: Source
    revision: Revision
    mirror: Mirror

    def entries(self) -> Iterator[TreeEntry]:
        """Yield every path under the source's prefix, sorted by path.

        A symbolic link and a submodule are named, never followed. A size git can't tell, because
        the object is missing, is 0, and reading it gives None.

        Raises:
            SourceError: The tree itself is missing or corrupt.
        """
        arguments = ["ls-tree", "-r", "-z", "-l", "--full-tree", self.revision.tree]
        if self.source.prefix:
            arguments += ["--", raw(self.source.prefix).decode("utf-8", "surrogateescape")]
        try:
            out = self.mirror.git(*arguments, env={"GIT_LITERAL_PATHSPECS": "1"}).out
        except GitError as error:
            raise SourceError(
                f"The tree of {self.source.name} at {self.revision.id[:12]} can't be read: "
                f"{error.reason}."
            ) from error
        found = [_entry(line) for line in out.split(b"\0") if line]
        found.sort(key=lambda entry: entry.path)
        yield from found

    def read(self, oids: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        """Yield each object with its bytes, in order; None when it is missing or corrupt."""
        waiting = iter(oids)
        process: subprocess.Popen[bytes] | None = None
        try:
            while window := list(islice(waiting, _WINDOW)):
                while window:
                    process = process or start_batch(self.mirror.path, ["cat-file", "--batch"])
                    answered = 0
                    for oid, data in _ask(process, window):
                        answered += 1
                        yield oid, data
                    if answered < len(window):  # git died of the next object: go on after it
                        yield window[answered], None
                        answered += 1
                        stop_batch(process)
                        process = None
                    window = window[answered:]
        finally:
            if process is not None:
                stop_batch(process)


def _entry(line: bytes) -> TreeEntry:
    facts, _, name = line.partition(b"\t")
    mode, _, oid, size = facts.split()
    kind = _KINDS.get(mode, "file")
    return TreeEntry(
        path=show(name),
        oid=oid.decode("ascii"),
        size=int(size) if size.isdigit() else 0,
        kind="symlink" if kind == "symlink" else "submodule" if kind == "submodule" else "file",
    )


def _ask(process: subprocess.Popen[bytes], window: list[str]) -> Iterator[tuple[str, bytes | None]]:
    """Yield the answers to some requests; stops early when the process dies."""
    stdin, stdout = process.stdin, process.stdout
    if stdin is None or stdout is None:
        return
    asked = [oid if OBJECT_ID.fullmatch(oid) else "0" * 40 for oid in window]
    try:
        stdin.write("".join(f"{oid}\n" for oid in asked).encode("ascii"))
        stdin.flush()
    except BrokenPipeError:
        return
    for oid in window:
        header = stdout.readline().split()
        if len(header) == 2 and header[1] == b"missing":
            yield oid, None
        elif len(header) == 3:
            data = _content(stdout, int(header[2]))
            if data is None:
                return
            yield oid, data if header[1] == b"blob" else None
        else:
            return


def _content(stdout: IO[bytes], size: int) -> bytes | None:
    data = stdout.read(size + 1)
    return data[:size] if len(data) == size + 1 else None
