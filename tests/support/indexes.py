"""Helpers for index tests: build and open in one call, and everything that a view can say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clew.chunks.skip import SkipRules
from clew.index.build import BuildOptions, build
from clew.index.postings import FIELDS
from clew.index.tokens import terms
from clew.index.view import View, open_view

if TYPE_CHECKING:
    from pathlib import Path

    from clew.sources.base import Snapshot


def options(**changes: Any) -> BuildOptions:
    return BuildOptions(**{"rules": SkipRules(), **changes})


def view_of(snapshot: Snapshot, path: Path, **changes: Any) -> View:
    """Build the snapshot into the index and open it."""
    build(snapshot, path, options(**changes))
    return open_view(path, snapshot.source, snapshot.revision)


def vocabulary(view: View) -> set[str]:
    """Every term that the view's documents can hold."""
    found: set[str] = set()
    for document, text in view.texts():
        found.update(terms(text), terms(document.path.replace(".", " ")))
    for chunk in view.chunks(range(view.chunk_count)):
        for words in (chunk.name, chunk.qualname, chunk.signature, chunk.doc_comment):
            found.update(terms(words))
    return found


def names(view: View) -> set[str]:
    """Every name that may be defined or used."""
    return {word for _, text in view.texts() for word in text.replace("(", " ").split()} | {
        symbol.name for document in view.documents() for symbol in view.symbols_in(document.path)
    }


def describe(view: View) -> dict[str, Any]:
    """Everything a view can say, without anything that depends on when it was built."""
    postings = {term: view.postings(term) for term in sorted(vocabulary(view))}
    return {
        "documents": view.documents(),
        "texts": list(view.texts()),
        "chunks": view.chunks(range(view.chunk_count)),
        "docs": view.chunk_doc.tolist(),
        "lengths": view.field_lengths.tolist(),
        "postings": {
            term: list(zip(p.chunk.tolist(), p.field.tolist(), p.tf.tolist(), strict=True))
            for term, p in postings.items()
        },
        "df": {term: p.document_frequency() for term, p in postings.items()},
        "symbols": {doc.path: view.symbols_in(doc.path) for doc in view.documents()},
        "definitions": {name: view.definitions(name, fold=True) for name in sorted(names(view))},
        "references": {name: view.references(name) for name in sorted(names(view))},
        "skipped": view.skipped(),
    }


FIELD = {name: at for at, name in enumerate(FIELDS)}
