"""Every number that ranking uses, each with its reason. Nothing here computes.

A signal's feature lies between 0 and 1 (or is a flag), so its weight is the most that it can add.
The weights were fitted by `training/ranking` on questions over 31 repositories, rounded, and kept
to what their reasons allow. The optimum is flat: most can be halved for less than half a point.
"""

from __future__ import annotations

from dataclasses import dataclass

from clew.index.postings import FIELDS


@dataclass(frozen=True, slots=True)
class FieldWeights:
    """BM25F: how much one occurrence in a field counts against one in the body."""

    name: float = 7.0  # whoever named it said what it is
    stem: float = 7.0  # a file is named after what it is about
    qualname: float = 3.0  # the class around a method tells methods of one name apart
    doc: float = 0.5  # counted with the body already; a little more for speaking plainly
    folder: float = 2.0  # weaker than the file's own name, shared by all its files
    body: float = 1.0  # the unit
    signature: float = 0.0  # counted with the body already

    k1: float = 1.2  # repeats count little in code: a loop variable is not a topic
    b_body: float = 0.6  # long functions repeat words without being about them

    def in_order(self) -> tuple[float, ...]:
        """The seven weights in the order of `FIELDS`."""
        return tuple(getattr(self, field) for field in FIELDS)


@dataclass(frozen=True, slots=True)
class Weights:
    """What each signal may add to a chunk's score (penalties: take away)."""

    lexical: float = 0.9  # the words of the question, in this chunk
    related: float = 0.15  # words that mean nearly the same, in this chunk
    coherence: float = 0.15  # the words of the question, in the file's best chunks
    stem_words: float = 0.65  # the file's name is made of the question's words
    stem_name: float = 0.15  # the file is named like an identifier in the question
    defines: float = 0.3  # asked for a name: here is its definition
    names_defined: float = 0.05  # a name inside a sentence is defined in this file
    qualified: float = 0.1  # `Class.method`: this is that class's method
    path: float = 0.3  # the question names this file; pasted logs name many
    centroid: float = 0.3  # the file as a whole says the same, perhaps in other words
    file_dense: float = 0.15  # so does its nearest chunk
    dense: float = 0.15  # so does this chunk
    share: float = 0.05  # holds many of the question's words, if only once each
    name_words: float = 0.2  # its own and its class's name are made of the question's words
    file_chunks: float = 0.35  # the main file of a subject holds many definitions
    language: float = 0.45  # the answer is in the language that the code is written in

    test: float = 1.2  # repeats the words of what it tests, seldom is the answer
    document: float = 1.4  # the answer is code; a document only tells of it
    docs_folder: float = 0.5  # code inside documentation is for show
    config: float = 1.0  # names everything, explains nothing
    example: float = 0.75  # uses what the asker looks for
    vendored: float = 0.75  # other people's code
    legacy: float = 0.85  # an older version beside the current one
    package_init: float = 0.1  # re-exports names that are defined elsewhere
    generated: float = 0.25  # written by a program from something better


@dataclass(frozen=True, slots=True)
class RankOptions:
    """How much search looks at and returns.

    Attributes:
        wide: Chunks that take part in file coherence (best by BM25F).
        candidates: Files whose best chunks get every signal, the best by BM25F …
        nearest: … and the nearest by vectors.
        max_terms: Terms that are scored: the rarest ones.
        path_rows: Chunks of a file that the question names by path that become candidates.
        spans: Spans of one file in the result.
        coherence_chunks: Best chunks of a file that count, each `coherence_decay` of the last.
        rerank: What a reranker's best span gets: it read the code, and may overrule any one sign.
        floor: Least coverage × √terms to be `relevant`; lower invents, higher abstains.
    """

    fields: FieldWeights = FieldWeights()
    weights: Weights = Weights()
    wide: int = 2000
    candidates: int = 120
    nearest: int = 60
    max_terms: int = 64
    path_rows: int = 40
    spans: int = 3
    coherence_chunks: int = 6
    coherence_decay: float = 0.6
    rerank: float = 1.5
    floor: float = 1.1
