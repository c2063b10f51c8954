"""A Markdown table as lines of text: in columns where it is narrow, else one row after another.

Slack has no tables in rich text, and its code blocks wrap: a wide table in columns can't be read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDTH = 76  # columns that a code block shows without wrapping, on a laptop


def table_lines(rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table whose first row is its header; every row has as many cells."""
    if not rows:
        return []
    flat = [[" ".join(cell.split()) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*flat, strict=True)]
    if sum(widths) + 3 * (len(widths) - 1) <= WIDTH:
        return _columns(flat, widths)
    header, *body = flat
    lines: list[str] = []
    for row in body:
        lines += [f"{name}: {cell}" for name, cell in zip(header, row, strict=True) if cell]
        lines.append("")
    return lines[:-1] if body else [", ".join(header)]


def _columns(rows: Sequence[Sequence[str]], widths: Sequence[int]) -> list[str]:
    lines = [
        " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    lines.insert(1, "-+-".join("-" * width for width in widths))
    return lines
