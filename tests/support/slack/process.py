"""A surface as a process of its own, for tests that kill it: `python -m support.slack.process`.

Its arguments are a folder, the API's address and what it answers: `extract`, or `hold` for an
answerer that says `begun` on standard output and waits for a line on standard input.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clew.answerers.base import Conclude, Say

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator

    from clew.answerers.base import Step
    from clew.tools.scope import Scope
    from clew.types import Question

SAID = "It is retried."


class Held:
    """An answerer that waits for a line, and then says a text that has `parts` long parts."""

    def __init__(self, text: str) -> None:
        self._text = text

    async def answer(self, question: Question, scope: Scope) -> AsyncGenerator[Step]:
        _say("begun")
        await asyncio.to_thread(sys.stdin.readline)
        yield Say(self._text)
        yield Conclude("answered")


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    from clew.surfaces.slack.running import Connection, run
    from support.slack.running import a_shop

    folder, connection, text = Path(sys.argv[1]), json.loads(sys.argv[2]), sys.argv[3]
    with a_shop(folder, Held(text) if text else None) as clew:
        asyncio.run(run(clew, Connection(**connection), _say))


class Child:
    """The process, seen from a test."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    async def says(self, word: str) -> None:
        """Wait for a line that begins like this."""
        assert self._process.stdout
        while line := await asyncio.to_thread(self._process.stdout.readline):
            if line.startswith(word):
                return
        raise AssertionError(f"the process ended before it said {word}")

    def go_on(self) -> None:
        assert self._process.stdin
        self._process.stdin.write("\n")
        self._process.stdin.flush()

    async def kill(self) -> None:
        self._process.kill()
        await asyncio.to_thread(self._process.wait)


@contextmanager
def a_process(folder: Path, connection: dict[str, Any], text: str = "") -> Iterator[Child]:
    """Start it; it is killed at the end if it still runs."""
    arguments = [str(folder), json.dumps(connection), text]
    command = [sys.executable, "-m", "support.slack.process", *arguments]
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    with process:
        try:
            yield Child(process)
        finally:
            process.kill()


if __name__ == "__main__":
    main()
