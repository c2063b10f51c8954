"""Makes tiny models in folders, as their libraries save them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

WORDS = ("retry", "refund", "payment", "cart", "user", "login", "def", "class")


def static_model(folder: Path, words: Sequence[str] = WORDS, dims: int = 8) -> Path:
    """A model2vec model that knows a few words, each a direction of its own."""
    from model2vec import StaticModel
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    vocabulary = {"[UNK]": 0, **{word: at for at, word in enumerate(words, 1)}}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    vectors = np.zeros((len(vocabulary), dims), np.float32)
    vectors[1:] = np.eye(len(words), dims)
    StaticModel(vectors, tokenizer).save_pretrained(folder)
    return folder
