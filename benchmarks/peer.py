"""Indexes one folder with semble and says what came of it; run by the peer's own interpreter.

    PYTHON benchmarks/peer.py FOLDER TARGET [MODEL]

It does what the peer's command line does: all kinds of text, files divided by as many workers as
`SEMBLE_INDEX_WORKERS` says, the index kept in TARGET. Its vectors need a model, which is the name
of one or a folder; without one each chunk gets the vector (1), so that only walking, dividing and
counting words is measured, which is also all that Clew does without a model. No Clew is imported.
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


class NoModel:
    """In the place of an embedding model: no work."""

    dim = 1

    def encode(self, texts: Sequence[str], **_: object) -> npt.NDArray[np.float32]:
        """One number a text."""
        import numpy as np

        return np.ones((len(texts), 1), dtype=np.float32)


def index(folder: Path, target: Path, name: str) -> dict[str, Any]:
    """Index and save; what came of it, with the seconds that both took."""
    from semble.index import SembleIndex
    from semble.index.create import create_index_from_path
    from semble.index.dense import load_model
    from semble.types import ContentType
    from semble.version import __version__

    begun = time.perf_counter()
    model, path = load_model(name) if name else (NoModel(), "")
    content = tuple(ContentType)
    words, vectors, chunks, files = create_index_from_path(
        folder, model=model, content=content, display_root=folder
    )
    made = SembleIndex(
        model, words, vectors, chunks, path, root=folder, content=content, manifest=files
    )
    made.save(target)
    return {
        "version": __version__,
        "files": len(files),
        "chunks": len(chunks),
        "seconds": time.perf_counter() - begun,
    }


if __name__ == "__main__":  # its workers import this file once more
    where, to, *of = sys.argv[1:]
    print(json.dumps(index(Path(where).resolve(), Path(to), of[0] if of else "")))
