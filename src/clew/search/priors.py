"""What a file loses for the part that it plays: the names, the roles and when they are waived.

Tests, documents, examples and the like repeat the words of the code that answers. They are held
back, and no more: a question that asks for them gets them without a penalty. A long text that only
mentions them is as much about what they test or tell of, and waives half.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from clew.search.roles import Role

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clew.search.corpus import Corpus, Floats
    from clew.search.query import Query, Want
    from clew.search.weights import Weights

PENALTIES: Final[tuple[tuple[str, Role, Want | None], ...]] = (
    ("test", Role.TEST, "tests"),
    ("document", Role.DOCUMENT, "docs"),
    ("docs_folder", Role.DOCS_FOLDER, "docs"),
    ("config", Role.CONFIG, "config"),
    ("example", Role.EXAMPLE, "examples"),
    ("vendored", Role.VENDORED, "vendored"),
    ("legacy", Role.LEGACY, "legacy"),
    ("package_init", Role.PACKAGE_INIT, None),
    ("generated", Role.GENERATED, "generated"),
)
"""Name, the role that is held back, and the wish that waives it."""

MENTIONED: Final = 0.5
"""What is left of a penalty when a long question mentions what it holds back."""

_ALL: Final = 1 << len(Role)


@dataclass(frozen=True, slots=True)
class Priors:
    """What the documents of a scope lose.

    Attributes:
        parts: Name, role and how much is lost, 0 for what is waived.
        lost: By document, all its penalties together: at most 0.
    """

    parts: tuple[tuple[str, Role, float], ...]
    lost: Floats

    def of(self, roles: NDArray[np.uint16]) -> dict[str, NDArray[np.float64]]:
        """The penalties of documents that play these roles, by name."""
        return {name: np.where(roles & role, -loss, 0.0) for name, role, loss in self.parts}


def priors(corpus: Corpus, asked: Query, weights: Weights) -> Priors:
    """What each document loses in this question; nothing for what it asks for."""
    left = 0.0 if asked.surely else MENTIONED
    parts = tuple(
        (name, role, getattr(weights, name) * (left if want in asked.wants else 1.0))
        for name, role, want in PENALTIES
    )
    flags = np.arange(_ALL)
    table = np.zeros(_ALL, np.float32)  # roles are few bits: one look-up a document
    for _, role, loss in parts:
        table[(flags & role) > 0] -= loss
    return Priors(parts, table[corpus.roles])
