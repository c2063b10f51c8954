"""Indexes or searches one folder with semble; run by the peer's own interpreter.

    PYTHON benchmarks/peer.py FOLDER TARGET [MODEL]
    PYTHON benchmarks/peer.py --search FOLDER [MODEL] < QUESTIONS.jsonl
    PYTHON benchmarks/peer.py --mcp

Indexing does what the peer's command line does: all kinds of text, files divided by as many workers
as `SEMBLE_INDEX_WORKERS` says, the index kept in TARGET. Searching indexes programs only, as the
peer's library and its own benchmark do, and answers each line `{"id", "query"}` with a line of its
ten results, and the results of three times as many, with the milliseconds of the first. The last
is its own MCP server on stdio, without a model.

Its vectors need a model, which is the name of one or a folder. Without one each chunk gets the
vector (1) and vectors count for nothing: what is measured is walking, dividing and counting words,
and searching by words with the peer's ranking. No Clew is imported.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

SEARCH, MCP = "--search", "--mcp"
RESULTS, MORE = 10, 30


class NoModel:
    """In the place of an embedding model: no work."""

    dim = 1

    def encode(self, texts: Sequence[str], **_: object) -> npt.NDArray[np.float32]:
        """One number a text."""
        import numpy as np

        return np.ones((len(texts), 1), dtype=np.float32)


def index(folder: Path, target: Path | None, name: str) -> tuple[Any, dict[str, Any]]:
    """Index, and save with a target; the index, and what came of it with the seconds it took."""
    from semble.index import SembleIndex
    from semble.index.create import create_index_from_path
    from semble.index.dense import load_model
    from semble.types import ContentType
    from semble.version import __version__

    begun = time.perf_counter()
    model, path = load_model(name) if name else (NoModel(), "")
    content = tuple(ContentType) if target else (ContentType.CODE,)
    words, vectors, chunks, files = create_index_from_path(
        folder, model=model, content=content, display_root=folder
    )
    made = SembleIndex(
        model, words, vectors, chunks, path, root=folder, content=content, manifest=files
    )
    if target:
        made.save(target)
    return made, {
        "version": __version__,
        "files": len(files),
        "chunks": len(chunks),
        "seconds": time.perf_counter() - begun,
    }


def search(folder: Path, name: str) -> None:
    """Answer the questions on standard input; a first line says what was indexed."""
    made, facts = index(folder, None, name)
    alpha = None if name else 0.0  # how much vectors count; None is its own choice

    def ask(query: str, top: int) -> list[dict[str, Any]]:
        found = made.search(query, top_k=top, alpha=alpha)
        return [
            {
                "path": each.chunk.file_path,
                "start_line": each.chunk.start_line,
                "end_line": each.chunk.end_line,
            }
            for each in found
        ]

    questions = [json.loads(line) for line in sys.stdin if line.strip()]
    print(json.dumps(facts))
    if questions:
        ask(questions[0]["query"], RESULTS)  # to warm up
    for each in questions:
        begun = time.perf_counter()
        results = ask(each["query"], RESULTS)
        ms = (time.perf_counter() - begun) * 1000
        files = ask(each["query"], MORE)
        print(json.dumps({"id": each["id"], "results": results, "files": files, "ms": ms}))


def serve() -> None:
    """Its MCP server, with what stands in for a model wherever it loads one."""
    import asyncio

    from semble.index import dense

    # The only place that would fetch one, and nothing public stands before it.
    dense._load_cached = lambda _: NoModel()  # noqa: SLF001
    from semble.mcp import serve as served

    asyncio.run(served())


def main(arguments: Sequence[str]) -> None:
    """Index, search or serve."""
    if arguments[0] == MCP:
        serve()
    elif arguments[0] == SEARCH:
        where, *of = arguments[1:]
        search(Path(where).resolve(), of[0] if of else "")
    else:
        where, to, *of = arguments
        print(json.dumps(index(Path(where).resolve(), Path(to), of[0] if of else "")[1]))


if __name__ == "__main__":  # its workers import this file once more
    # A script's own folder comes first, and what is called `mcp` here is none of the library.
    sys.path = [path for path in sys.path if path != str(Path(__file__).parent)]
    main(sys.argv[1:])
