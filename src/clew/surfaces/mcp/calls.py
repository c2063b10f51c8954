"""Carries out one call of a tool: arguments in, text and data out, everything through `app.Clew`.

Whatever goes wrong on purpose becomes a result that is marked as failed and says what to do; it is
never an empty one. Nothing here knows the transport.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clew.errors import ClewError, InputError
from clew.redact import redact
from clew.surfaces import wire
from clew.surfaces.mcp import looking
from clew.surfaces.mcp.asking import Asking, Result, answer
from clew.surfaces.mcp.doors import Wanted
from clew.surfaces.mcp.offers import MAX_TIMEOUT, MIN_TIMEOUT, names, schemas
from clew.types import Question

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clew.app import Clew
    from clew.surfaces.mcp.doors import Doors
    from clew.surfaces.mcp.offers import Schema, Toolset
    from clew.surfaces.mcp.pages import Budget
    from clew.surfaces.mcp.progress import Progress
    from clew.types import Asker

MAX_TEXT = 8_000  # characters of an argument, as of a question; most tools take less
_KINDS: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
}
_WORDS = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
}


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls, and what they have open; `repos` are empty when their tags say what is read."""

    asker: Asker
    repos: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Calls:
    """The tools at work.

    Attributes:
        toolset: Which of them may be called.
        seconds: How long an answer may take when the caller doesn't say.
    """

    clew: Clew
    doors: Doors
    toolset: Toolset
    seconds: float

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        caller: Caller,
        progress: Progress,
        budget: Budget,
    ) -> Result:
        """Carry out one call; what the caller did wrong is told in the result."""
        try:
            given = self._checked(name, arguments)
            return await self._run(name, given, caller, progress, budget)
        except ClewError as error:
            said = redact(" ".join(error.message.split()))
            return Result(said, wire.error(type(error)(said)), failed=True)

    async def _run(
        self,
        name: str,
        given: dict[str, Any],
        caller: Caller,
        progress: Progress,
        budget: Budget,
    ) -> Result:
        asker = caller.asker
        if name in ("ask", "research_codebase"):
            asking = self._asking(name, given, caller)
            return await answer(self.clew, self.doors, asking, progress, budget)
        if name == "get_tags":
            return looking.tags(self.clew, caller)
        if name == "infer_tag":
            return await looking.inferred(self.clew, given["question"], asker, progress)
        tag, cursor = given.pop("tag", ""), given.pop("cursor", "")
        text = given["query"] if name in ("search_code", "get_chunks") else ""
        repos = () if tag else caller.repos
        wanted = Wanted(asker, repos, tag, "", "" if asker.own else text)
        with await self.doors.open(wanted, progress) as workspace:
            if name == "get_chunks":
                return await looking.chunks(self.clew, workspace, given, cursor, budget)
            return await looking.tool(self.clew, workspace, name, given, cursor, budget)

    def _asking(self, name: str, given: dict[str, Any], caller: Caller) -> Asking:
        text = given["question" if name == "ask" else "query"]
        tag = given.get("tag", "")
        repos = () if tag else caller.repos
        question = Question(text, repos, caller.asker, at=given.get("at", ""), tag=tag)
        seconds = float(given.get("timeout_s", self.seconds))
        if not MIN_TIMEOUT <= seconds <= MAX_TIMEOUT:
            raise InputError(f"timeout_s is a number from {MIN_TIMEOUT} to {MAX_TIMEOUT:,}.")
        looked_at = name == "research_codebase"
        return Asking(question, seconds, looked_at, given.get("cursor", ""))

    def _checked(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments, without those left empty.

        Raises:
            InputError: No such tool is offered, or an argument is unknown, missing or of a wrong
                kind.
        """
        offered = names(self.toolset)
        if name not in offered:
            raise InputError(
                f'There is no tool "{name[:60]}" here; there are {", ".join(offered)}.'
            )
        _, _, schema = schemas(tags=True)[name]
        known: Schema = schema["properties"]
        given = {key: value for key, value in arguments.items() if value is not None}
        for key, value in given.items():
            if key not in known:
                raise InputError(f"{name} has no argument {key[:60]!a}; it has {', '.join(known)}.")
            kind = known[key]["type"]
            fits = isinstance(value, _KINDS[kind]) and isinstance(value, bool) == (
                kind == "boolean"
            )
            if not fits and not (kind == "integer" and _whole(value)):
                raise InputError(f"{name}: {key} must be {_WORDS[kind]}.")
            if isinstance(value, str) and len(value) > MAX_TEXT:
                raise InputError(
                    f"{name}: {key} has {len(value):,} characters; at most {MAX_TEXT:,} are read."
                )
        missing = [key for key in schema["required"] if key not in given]
        if missing:
            raise InputError(f"{name} needs {', '.join(missing)}.")
        return given


def _whole(value: object) -> bool:
    return isinstance(value, float) and value.is_integer()  # JSON does not tell 10 from 10.0
