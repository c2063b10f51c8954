"""Makes ask.svg, the picture in the README, from a real answer about this project's own code.

Run it from a clone, with the environment that `make setup` makes:

    .venv/bin/python docs/images/make.py

It holds no address of this machine and loads nothing from another host.
"""
# ruff: noqa: INP001 - a script beside what it makes

from __future__ import annotations

import asyncio
import io
import re
import tempfile
from contextlib import aclosing
from pathlib import Path

from rich.console import CONSOLE_SVG_FORMAT, Console
from rich.text import Text

from clew.app import build
from clew.settings import load
from clew.surfaces.cli.screen import AnswerScreen
from clew.types import Asker, DoneEvent, Question

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
QUESTION = "how are citations verified?"
COLUMNS = 96
# rich's own template fetches its font; every browser has a monospaced one.
TEMPLATE = re.sub(
    r"@font-face \{\{.*?\}\}\s*|<!--.*?-->\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL
).replace("Fira Code, monospace", "Menlo, Consolas, 'DejaVu Sans Mono', monospace")


async def draw(console: Console, data: Path) -> None:
    """Ask, and draw the answer as the command line does."""
    clew = build(load(overrides={"data": data, "answer.evidence_max": 1}), cwd=ROOT)
    screen = AnswerScreen(console)
    question = Question(QUESTION, (str(ROOT),), Asker("picture", own=True))
    console.print(Text.assemble(("$ ", "bright_black"), ("clew ask", "bold"), f' "{QUESTION}"\n'))
    async with aclosing(clew.ask(question)) as events:
        async for event in events:
            screen.feed(event)
            if isinstance(event, DoneEvent):
                screen.finish()
    clew.close()


def main() -> None:
    """Write the picture."""
    console = Console(
        file=io.StringIO(), record=True, width=COLUMNS, force_terminal=True, highlight=False
    )
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(draw(console, Path(folder)))
    picture = console.export_svg(title="clew", code_format=TEMPLATE, unique_id="clew")
    lines = (line.rstrip() for line in picture.split("\n"))
    (HERE / "ask.svg").write_text("\n".join(lines).rstrip() + "\n", "utf-8")


if __name__ == "__main__":
    main()
