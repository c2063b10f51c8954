"""Names of definitions that are most likely meant by one that is not there."""

from __future__ import annotations

import difflib
import string
from typing import TYPE_CHECKING

from clew.search import search
from clew.tools.result import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clew.index.view import View
    from clew.tools.scope import Scope

_NEAR = 3  # names offered
_LETTERS = string.ascii_lowercase + string.digits + "_"
_MAX_LENGTH = 40  # a longer name has too many neighbours to try
_MAX_LOOKUPS = 4_000  # each takes about 15 microseconds


def nearest_names(scope: Scope, views: tuple[View, ...], name: str) -> list[str]:
    """Up to three qualified names, the likeliest first.

    Search knows names made of the same words (`makeResponse` and `make_response`); a slip of
    the keyboard leaves no word to search for, so names one slip away are looked up too.
    """
    found = search(name, views, k=10, options=scope.ranking)
    symbols = {
        _plain(span.symbol.rpartition(".")[2]): span.symbol
        for hit in found.hits
        if not scope.denied(hit.path)
        for span in hit.spans
        if span.symbol
    }
    close = difflib.get_close_matches(_plain(name), symbols, n=_NEAR, cutoff=0.75)
    near = [symbols[symbol] for symbol in close]
    if not near and 2 < len(name) <= _MAX_LENGTH:
        near = difflib.get_close_matches(
            name, _by_slip(scope, views, name.casefold()), n=_NEAR, cutoff=0.0
        )
    return [shown(symbol) for symbol in near]


def _by_slip(scope: Scope, views: tuple[View, ...], name: str) -> list[str]:
    near: dict[str, None] = {}
    for number, (view, other) in enumerate((v, n) for n in _slips(name) for v in views):
        if len(near) >= _NEAR or number >= _MAX_LOOKUPS:
            break
        for symbol in view.definitions(other, fold=True):
            if not scope.denied(symbol.path):
                near[symbol.name] = None
    return list(near)


def _slips(name: str) -> Iterator[str]:
    """Every name one letter left out, swapped, added or changed away; likelier slips first."""
    splits = [(name[:at], name[at:]) for at in range(len(name) + 1)]
    tried = {name}
    for other in (
        *(a + b[1] + b[0] + b[2:] for a, b in splits if len(b) > 1),
        *(a + b[1:] for a, b in splits if b),
        *(a + letter + b for a, b in splits for letter in _LETTERS),
        *(a + letter + b[1:] for a, b in splits if b for letter in _LETTERS),
    ):
        if other not in tried:
            tried.add(other)
            yield other


def _plain(name: str) -> str:
    return name.casefold().replace("_", "")
