"""What a person sees: progress on standard error, answers and tables on standard output.

On a terminal, Markdown is rendered with colours and links; in a pipe it stays the plain text it
is. Nothing here decides anything about an answer. rich is imported when something is drawn.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Self, TextIO

from clew.types import Answer, Citation, CitationEvent, Event, StatusEvent, TextEvent

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import Console
    from rich.progress import Progress, TaskID


def console(stream: TextIO | None = None) -> Console:
    """A console on standard output, or on the given stream; plain when it is a pipe."""
    from rich.console import Console

    return Console(file=stream or sys.stdout, highlight=False, soft_wrap=not _is_screen(stream))


def table(title: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table: drawn on a terminal, tab-separated in a pipe."""
    if not _is_screen(None):
        for row in rows:
            sys.stdout.write("\t".join(cell.replace("\n", " ") for cell in row) + "\n")
        return
    from rich import box
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in title:
        drawn.add_column(name, overflow="fold")
    for row in rows:
        drawn.add_row(*(Text(cell) for cell in row))
    console().print(drawn)


def _is_screen(stream: TextIO | None) -> bool:
    return (stream or sys.stdout).isatty()


class Ticker:
    """Progress on standard error while something long runs; silent when it is not a terminal."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet or not _is_screen(sys.stderr)
        self._progress: Progress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Clear the line, so that what follows stands alone."""
        if self._progress is not None:
            self._progress.stop()
            self._progress = None

    def show(self, event: StatusEvent) -> None:
        """Say what is being done, with a bar, a count and a rate when it can be counted."""
        if self._quiet:
            return
        if self._progress is None or self._task is None:
            self._progress = self._draw()
            self._task = self._progress.add_task("", total=None, rate="")
            self._progress.start()
        speed = self._progress.tasks[0].speed
        self._progress.update(
            self._task,
            description=event.message,
            total=event.total,
            completed=event.done or 0,
            rate=f"{speed:,.0f}/s" if event.total and speed else "",
        )

    @staticmethod
    def _draw() -> Progress:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn

        return Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            console=Console(stderr=True),
            transient=True,
        )


class AnswerScreen:
    """Writes an answer as it arrives, block by block, with links on its checked citations."""

    def __init__(self) -> None:
        self._plain = not _is_screen(None)
        self._buffer = ""
        self._citations: list[Citation] = []

    def feed(self, event: Event) -> None:
        """Take a text or citation event; other events are not for this part of the screen."""
        if isinstance(event, CitationEvent):
            self._citations.append(event.citation)
        elif isinstance(event, TextEvent):
            if self._plain:
                sys.stdout.write(event.text)
                sys.stdout.flush()
                return
            self._buffer += event.text
            cut = _last_block_end(self._buffer)
            self._draw(self._buffer[:cut])
            self._buffer = self._buffer[cut:]

    def finish(self) -> None:
        """Write what is left."""
        self._draw(self._buffer)
        self._buffer = ""

    def footer(self, answer: Answer) -> None:
        """Say, on standard error of a terminal, how to find the answer again."""
        if not self._plain and _is_screen(sys.stderr):
            seconds = answer.timings.get("total", 0.0)
            sys.stderr.write(f"{answer.outcome} in {seconds:.1f} s · clew answer {answer.id}\n")

    def _draw(self, markdown: str) -> None:
        if not markdown.strip():
            return
        from rich.markdown import Markdown

        for citation in self._citations:
            markdown = _linked(markdown, citation)
        console().print(Markdown(markdown, hyperlinks=True))


def _linked(markdown: str, citation: Citation) -> str:
    lines = f"{citation.start_line}-{citation.end_line}"
    if citation.start_line == citation.end_line:
        lines = str(citation.start_line)
    for spelled in (f"`{citation.path}:{lines}`", f"`{citation.source}:{citation.path}:{lines}`"):
        if citation.url and f"[{spelled}]" not in markdown:
            markdown = markdown.replace(spelled, f"[{spelled}]({citation.url})")
    return markdown


def _last_block_end(text: str) -> int:
    """Where the last complete Markdown block ends: a blank line outside a fence, or 0."""
    end, position, fenced = 0, 0, False
    for row in text.split("\n")[:-1]:
        position += len(row) + 1
        if row.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif not row.strip() and not fenced:
            end = position
    return end
