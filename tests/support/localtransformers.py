"""Makes tiny transformers with weights by chance; only where torch is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from support.localmodels import WORDS

if TYPE_CHECKING:
    from pathlib import Path

SIZES: dict[str, Any] = {
    "hidden_size": 16,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 16,
    "max_position_embeddings": 64,
}


def sentence_model(folder: Path) -> Path:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from transformers import BertConfig, BertModel

    vocabulary = _tokenizer(folder / "plain")
    BertModel(BertConfig(vocab_size=vocabulary, **SIZES)).save_pretrained(folder / "plain")
    read = Transformer(str(folder / "plain"))
    made = SentenceTransformer(modules=[read, Pooling(read.get_embedding_dimension())])
    made.save(str(folder / "tiny"))
    return folder / "tiny"


def cross_encoder(folder: Path) -> Path:
    from transformers import BertConfig, BertForSequenceClassification

    config = BertConfig(vocab_size=_tokenizer(folder), num_labels=1, **SIZES)
    BertForSequenceClassification(config).save_pretrained(folder)
    return folder


def _tokenizer(folder: Path) -> int:
    """Save a tokenizer of whole words; returns how many it knows."""
    from transformers import BertTokenizerFast

    folder.mkdir(parents=True)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS, "text"]
    (folder / "vocab.txt").write_text("\n".join(words))
    BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    return len(words)
