"""What a person's screen shows: what is plain, what is drawn, and nothing that could harm it.

On a terminal there are colours, links and tables; in a pipe, on a dumb terminal and with NO_COLOR
set there is plain text that a script can split. rich is imported only when something is drawn.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import Console
    from rich.text import Text

# What can move a cursor, change a terminal's state or turn the reading direction around. "\n" and
# "\t" stay; "\r" goes, since it lets a line overwrite itself.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_CELL = 200  # characters of one cell of a table: a whole pasted question is in `clew answer`


def visible(text: str) -> str:
    r"""The text with its control characters spelled out, such as `\x1b`."""
    return _UNSAFE.sub(_spelled, text)


def one_line(text: str) -> str:
    """The text on one line, as a cell of a table or a line of progress takes it."""
    return visible(" ".join(text.split()))


def _spelled(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def console(stream: TextIO | None = None) -> Console:
    """A console on standard output, or on the given stream."""
    from rich.console import Console

    return Console(file=stream or sys.stdout, highlight=False, markup=False, emoji=False)


def is_screen(stream: TextIO | None = None) -> bool:
    """Whether colours and links may be drawn there: a terminal that is neither dumb nor told."""
    if not (stream or sys.stdout).isatty():
        return False
    drawn = console(stream)
    return drawn.is_terminal and not drawn.is_dumb_terminal and not drawn.no_color


def may_animate() -> bool:
    """Whether a line of progress can be drawn on standard error and taken away again."""
    return sys.stderr.isatty() and not console(sys.stderr).is_dumb_terminal


def linked(text: str, url: str, style: str = "") -> Text:
    """A piece of text that opens an address, where the terminal can."""
    from rich.style import Style
    from rich.text import Text

    return Text(visible(text), Style.parse(style) + Style(link=url or None))


def table(title: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table: drawn on a screen, tab-separated without its title in a pipe."""
    if not is_screen():
        for row in rows:
            sys.stdout.write("\t".join(map(one_line, row)) + "\n")
        return
    from rich import box
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold", show_edge=False)
    for name in title:
        drawn.add_column(name, overflow="fold")
    for row in rows:
        cells = [one_line(cell) for cell in row]
        short = [cell if len(cell) <= _CELL else cell[: _CELL - 1] + "…" for cell in cells]
        drawn.add_row(*map(Text, short))
    console().print(drawn)


def facts(rows: Iterable[tuple[str, str]]) -> None:
    """Print names with their values, one a line."""
    listed = list(rows)
    if not is_screen():
        for name, value in listed:
            sys.stdout.write(f"{name}\t{one_line(value)}\n")
        return
    from rich.table import Table
    from rich.text import Text

    drawn = Table.grid(padding=(0, 2))
    drawn.add_column(style="dim", no_wrap=True)
    drawn.add_column(overflow="fold")
    for name, value in listed:
        drawn.add_row(name, Text(one_line(value)))
    console().print(drawn)
