"""Draws an answer as it arrives: blocks of Markdown on a screen, the text itself in a pipe.

Checked citations become links to their lines, excerpts carry the numbers of their lines, and
caveats stand out. It changes no word of the answer.
"""

from __future__ import annotations

import sys
from functools import cached_property
from typing import TYPE_CHECKING

from clew.surfaces.cli.blocks import Block, Divider
from clew.surfaces.cli.terminal import console, is_screen, visible
from clew.types import Answer, Citation, CitationEvent, Event, TextEvent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from markdown_it.token import Token
    from rich.console import Console
    from rich.segment import Segment
    from rich.syntax import ANSISyntaxTheme
    from rich.text import Text
    from rich.theme import Theme

PROSE_COLUMNS = 100  # longer lines are hard to read; code is as wide as it is
_OUTCOMES = {"answered": "green", "partial": "yellow", "no_answer": "yellow"}  # else red


class AnswerScreen:
    """Writes one answer."""

    def __init__(self, out: Console | None = None) -> None:
        self._plain = out is None and not is_screen()
        self._given = out
        self._divider = Divider()
        self._complete: list[Block] = []
        self._citations: list[Citation] = []
        self._section = ""
        self._gap = False

    @cached_property
    def _out(self) -> Console:
        out = self._given or console()
        out.push_theme(_theme())
        return out

    def feed(self, event: Event) -> None:
        """Take a text or citation event; other events are not for this part of the screen."""
        if isinstance(event, CitationEvent):
            self._citations.append(event.citation)
        elif isinstance(event, TextEvent) and self._plain:
            sys.stdout.write(visible(event.text))
            sys.stdout.flush()
        elif isinstance(event, TextEvent):
            self._draw_complete()  # its citations have come by now
            self._complete += self._divider.feed(event.text)

    def finish(self) -> None:
        """Write what is left."""
        self._complete += self._divider.finish()
        self._draw_complete()

    def footer(self, answer: Answer) -> None:
        """Say, on standard error beside a screen, how it went and how to find it again."""
        if self._plain or not is_screen(sys.stderr):
            return
        from rich.text import Text

        took = f" in {answer.timings.get('total', 0.0):.1f} s"
        outcome = answer.outcome.replace("_", " ")
        words = Text.assemble(
            (outcome, f"bold {_OUTCOMES.get(answer.outcome, 'red')}"),
            (f"{took} · clew answer {answer.id}", "dim"),
        )
        console(sys.stderr).print("", words, sep="\n")

    def _draw_complete(self) -> None:
        for block in self._complete:
            if self._gap:
                self._out.print()
            self._gap = True
            if block.kind == "heading":
                self._section = block.text
                self._out.print(visible(block.text), style="bold cyan")
            elif block.kind == "code":
                draw_code(self._out, block.text, block.language, block.first_line)
            else:
                self._draw_prose(block.text)
        self._complete.clear()

    def _draw_prose(self, markdown: str) -> None:
        from rich.markdown import Markdown

        style = "yellow" if self._section == "Caveats" else "none"
        if markdown.startswith("As of `"):
            style = "dim"
        drawn = Markdown(visible(markdown), hyperlinks=True, style=style)
        urls = {
            spelled: url for c in self._citations if (url := c.url) for spelled in _spellings(c)
        }
        for token in drawn.parsed:
            if token.children:
                token.children = list(_linked(token.children, urls))
        width = min(self._out.width, PROSE_COLUMNS)
        rows = self._out.render_lines(drawn, self._out.options.update(width=width), pad=False)
        for row in _trimmed(rows):
            self._out.print(row, soft_wrap=True)


def _spellings(citation: Citation) -> tuple[str, str]:
    """How the text spells a citation: without its source, and with it when there are several."""
    lines = f"{citation.start_line}-{citation.end_line}"
    if citation.start_line == citation.end_line:
        lines = str(citation.start_line)
    return f"{citation.path}:{lines}", f"{citation.source}:{citation.path}:{lines}"


def _linked(tokens: Iterable[Token], urls: Mapping[str, str]) -> Iterator[Token]:
    """The tokens with a link around each citation.

    Not by rewriting the Markdown: a parser refuses `file:` addresses in it, and rightly so.
    """
    from markdown_it.token import Token

    for token in tokens:
        url = urls.get(token.content, "") if token.type == "code_inline" else ""
        if url:
            yield Token("link_open", "a", 1, attrs={"href": url})
        yield token
        if url:
            yield Token("link_close", "a", -1)


def _trimmed(rows: Sequence[Sequence[Segment]]) -> list[Text]:
    """Rendered rows without the blank ones around them and the spaces that only fill a row."""
    from rich.text import Text

    texts = [Text.assemble(*((s.text, s.style or "") for s in row)) for row in rows]
    for text in texts:
        text.rstrip()
    while texts and not texts[0]:
        del texts[0]
    while texts and not texts[-1]:
        del texts[-1]
    return texts


def draw_code(out: Console, code: str, language: str, first_line: int | None) -> None:
    """Draw code with its line numbers; a long line is left to the terminal, never cut."""
    from rich.syntax import Syntax
    from rich.text import Text

    rows = code.split("\n")
    lexer = Syntax("", language or "text", theme=_code_theme())
    highlighted = lexer.highlight(visible(code)).split("\n", allow_blank=True)[: len(rows)]
    width = len(str((first_line or 1) + len(rows) - 1))
    for number, row in enumerate(highlighted, first_line or 1):
        gutter = f"{number:>{width}} │ " if first_line else "│ "
        out.print(Text.assemble((gutter, "bright_black"), row), soft_wrap=True)


def _theme() -> Theme:
    """The terminal's own sixteen colours only, so that it fits a dark and a light one."""
    from rich.theme import Theme

    return Theme(
        {
            "markdown.code": "cyan",
            "markdown.link": "cyan",
            "markdown.link_url": "cyan",
            "markdown.block_quote": "italic",
            "markdown.item.bullet": "bright_black",
            "markdown.item.number": "bright_black",
        }
    )


def _code_theme() -> ANSISyntaxTheme:
    from pygments.token import Comment, Keyword, Name, Number, Operator, String
    from rich.style import Style
    from rich.syntax import ANSISyntaxTheme

    styles = {
        Comment: "bright_black",
        Keyword: "magenta",
        Operator.Word: "magenta",
        Name.Function: "bold blue",
        Name.Class: "bold blue",
        Name.Decorator: "blue",
        Number: "yellow",
        String: "green",
    }
    return ANSISyntaxTheme({token: Style.parse(style) for token, style in styles.items()})
