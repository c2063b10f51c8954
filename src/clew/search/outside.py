"""The dense step, when what embeds may be out of reach: search goes on by words, and says so.

An embedder over the network is down now and then, and one that was just set has not embedded
everything yet. Neither is a reason to find nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.errors import ProviderDownError, ProviderRefusedError
from clew.search.dense import nearness
from clew.types import Caveat

if TYPE_CHECKING:
    from clew.models.embedder import Embedder
    from clew.search.corpus import Corpus
    from clew.search.dense import Near
    from clew.search.query import Query


def near_or_words(
    corpus: Corpus, asked: Query, embedder: Embedder | None
) -> tuple[Near | None, tuple[Caveat, ...]]:
    """As `nearness`, but what keeps it from being done becomes a caveat and not an error."""
    if embedder is None or not corpus.size:
        return None, ()
    try:
        near = nearness(corpus, asked, embedder)
        if near is not None:
            return near, ()
        done = min(view.embedded(embedder.id) for view in corpus.views)
    except (ProviderDownError, ProviderRefusedError) as error:
        said = f"{error.message.rstrip('.')}; until that is put right, search goes by words alone."
        return None, (Caveat("words_only", said),)
    said = (
        f"{int(done * 100)} % of the code is embedded so far; until it is done, search goes by "
        "words alone: clew index does it in one go."
    )
    return None, (Caveat("words_only", said),)
