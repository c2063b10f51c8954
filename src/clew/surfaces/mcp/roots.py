"""Which repositories a client on this machine means: the folders that it says it has open.

Only on stdio: over HTTP a client's own idea of folders says nothing about this machine and is
never asked for. A folder that is nobody's project (a home, the root of a disk) is refused, since
everything in it would be indexed.
"""

from __future__ import annotations

import math
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from clew.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mcp.server import ServerRequestContext
    from mcp_types import CallToolRequestParams, InputRequiredResult, ListRootsResult

_KEY = "roots"
_SECONDS = 5.0  # that a client may take to name its folders
FRESH = 30.0  # seconds for which they are known, of a client that doesn't tell of a change
CHANGED = "notifications/roots/list_changed"


class Roots:
    """The folders of one client, until it says that they are others.

    Args:
        cwd: The working folder, which is read when the client names none.
        clock: Seconds that only grow.
    """

    def __init__(self, cwd: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._cwd = cwd
        self._clock = clock
        self._named = False
        self._found: tuple[str, ...] = ()
        self._until = 0.0

    async def ask(
        self, ctx: ServerRequestContext, params: CallToolRequestParams
    ) -> InputRequiredResult | None:
        """Learn the client's folders; what is returned has to be asked of the client first."""
        from mcp_types import InputRequiredResult, ListRootsRequest, ListRootsResult

        if self._clock() < self._until:
            return None
        answers = params.input_responses or {}
        given = answers.get(_KEY)
        capabilities = ctx.session.client_capabilities
        able = capabilities.roots if capabilities else None
        if isinstance(given, ListRootsResult):
            self._learn(given)
        elif able is None or given is not None:
            self._learn(None)
        elif ctx.session.can_send_request:
            self._learn(await _listed(ctx), for_good=bool(able.list_changed))
        else:  # since 2026-07-28 a server asks by answering so
            return InputRequiredResult(input_requests={_KEY: ListRootsRequest()})
        return None

    async def forget(self, *_: object) -> None:
        """Ask again before the next call: the client says that its folders are others by now."""
        self._until = 0.0

    def _learn(self, listed: ListRootsResult | None, *, for_good: bool = False) -> None:
        uris = [root.uri for root in listed.roots] if listed else []
        self._named, self._found = bool(uris), folders(uris)
        self._until = math.inf if listed and for_good else self._clock() + FRESH

    def repos(self) -> tuple[str, ...]:
        """The folders to read; the working folder when the client named none.

        Raises:
            InputError: It is a home or the root of a disk, or the client has none of this machine.
        """
        if self._named and not self._found:
            raise InputError(
                "None of the folders that the client has open is on this machine: name "
                "repositories by clew mcp --repo."
            )
        found = self._found or (str(self._cwd),)
        for each in found:
            if Path(each) in (Path.home(), Path(each).anchor and Path(Path(each).anchor)):
                raise InputError(
                    f"{each} is no project: open a project's folder in the editor, or name "
                    "repositories by clew mcp --repo."
                )
        return found


async def _listed(ctx: ServerRequestContext) -> ListRootsResult | None:
    """The client's answer; None when it has none after all."""
    from mcp.shared.exceptions import MCPDeprecationWarning, MCPError
    from mcp_types import ListRootsRequest, ListRootsResult

    with warnings.catch_warnings():
        # Deprecated for new versions of the protocol; the clients of older ones know nothing else.
        warnings.simplefilter("ignore", MCPDeprecationWarning)
        try:
            return await ctx.session.send_request(
                ListRootsRequest(), ListRootsResult, request_read_timeout_seconds=_SECONDS
            )
        except MCPError:
            return None


def folders(uris: Iterable[object]) -> tuple[str, ...]:
    """The folders of this machine among some file addresses, in their order."""
    found: list[str] = []
    for uri in uris:
        parts = urlsplit(str(uri))
        path = unquote(parts.path)
        if parts.scheme == "file" and path and "\0" not in path:
            if len(path) > 2 and path[0] == "/" and path[2] == ":":
                path = path[1:]  # file:///C:/code
            if Path(path).is_dir():
                found.append(str(Path(path)))
    return tuple(dict.fromkeys(found))
