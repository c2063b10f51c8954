"""Clew answers questions about code, with citations that a program has checked.

    import asyncio, clew

    async def main() -> None:
        with clew.open() as app:
            question = clew.Question("who calls open_view?", repos=(".",))
            async for event in app.ask(question):
                if isinstance(event, clew.DoneEvent):
                    print(event.answer.text)

    asyncio.run(main())

Importing this loads nothing heavy: what is named here is loaded when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from clew.app import Clew
    from clew.errors import ClewError
    from clew.types import (
        Answer,
        Asker,
        Citation,
        CitationEvent,
        DoneEvent,
        Event,
        Question,
        StatusEvent,
        TextEvent,
        ToolCallEvent,
    )

__version__ = "0.1.0"
__all__ = [
    "Answer",
    "Asker",
    "Citation",
    "CitationEvent",
    "Clew",
    "ClewError",
    "DoneEvent",
    "Event",
    "Question",
    "StatusEvent",
    "TextEvent",
    "ToolCallEvent",
    "open",
]
_ELSEWHERE = {"Clew": "clew.app", "ClewError": "clew.errors"}


def open(  # noqa: A001 -- read as clew.open, like gzip.open
    *, data: Path | None = None, config: Path | None = None, cwd: Path | None = None
) -> Clew:
    """Make the application from its settings; use it as a context manager.

    Args:
        data: The folder that holds everything that is written; else as the settings say.
        config: A configuration file; else as the settings say.
        cwd: Where relative repositories are looked for; else the current folder.

    Raises:
        SettingsError: A setting is wrong.
    """
    from pathlib import Path

    from clew.app import build
    from clew.settings import load

    settings = load(config, {} if data is None else {"data": data})
    return build(settings, cwd=cwd or Path.cwd())


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'clew' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_ELSEWHERE.get(name, "clew.types")), name)
