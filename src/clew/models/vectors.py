"""Checks what a model gave as vectors, and brings each to length 1. It knows no model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clew.errors import ProviderRefusedError

if TYPE_CHECKING:
    import numpy.typing as npt

_LEAST = 1e-12  # a shorter vector points nowhere


def unit_rows(
    given: object, count: int, dims: int | None, who: str, *, zeros: bool = False
) -> npt.NDArray[np.float32]:
    """The vectors as rows of length 1: shape (count, dims).

    Args:
        given: Anything that numpy makes an array of.
        count: How many there must be.
        dims: How many numbers each must have; None for as many as there are.
        who: The model, for the message.
        zeros: Let a row of zeros be: the model knows nothing of that text.

    Raises:
        ProviderRefusedError: Too few or too many, of another size, or not numbers.
    """
    try:
        rows = np.asarray(given, np.float32)
    except (TypeError, ValueError, OverflowError):
        raise ProviderRefusedError(f"{who} gave vectors of different sizes.") from None
    if len(rows.shape) != 2 or rows.shape[0] != count or not rows.shape[1]:
        got = rows.shape[0] if rows.ndim else 0
        raise ProviderRefusedError(f"{who} gave {got} vectors for {count} texts.")
    if dims is not None and rows.shape[1] != dims:
        raise ProviderRefusedError(
            f"{who} gave vectors of {rows.shape[1]} numbers where its others have {dims}: its "
            "model was changed, so start Clew again."
        )
    lengths = np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
    short = lengths < _LEAST
    if not np.isfinite(lengths).all() or (short.any() and not zeros):
        raise ProviderRefusedError(f"{who} gave a vector that is no direction: check the model.")
    return np.where(short, 0, rows / np.where(short, 1, lengths)).astype(np.float32)
