"""Stands before everything that listens on HTTP: from where a request comes, and whose it is.

The person at this machine needs no token: that is a request over loopback, under a loopback name,
which no proxy has touched. Everybody else has a token, or is turned away with the same words
whatever they asked for. Pages in a browser are stopped by `Host` (a name that was made to lead
here) and by `Origin`.
"""

from __future__ import annotations

import ipaddress
import json
import logging
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from clew.types import Asker

if TYPE_CHECKING:
    from starlette.requests import HTTPConnection
    from starlette.types import ASGIApp, Receive, Scope, Send

    from clew.app import Clew
    from clew.settings import ServeSettings

_log = logging.getLogger("clew.http")
OPEN = frozenset({"/healthz", "/readyz"})  # asked by machines under any name; they tell nothing
LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})
OWN = Asker("http", own=True)
NOBODY = Asker("token")
_KEY = "clew.asker"
# What proxies add.
_PROXIED = frozenset(
    {"forwarded", "via", "x-real-ip", "x-client-ip", "true-client-ip", "cf-connecting-ip"}
)
_PROXIED_PREFIX = "x-forwarded-"


class Guard:
    """An ASGI layer; `asker()` tells whose a request is that has passed it."""

    def __init__(self, app: ASGIApp, clew: Clew, settings: ServeSettings) -> None:
        self._app = app
        self._clew = clew
        self._tokens = settings.tokens
        self._local = is_loopback(settings.host)
        self._names = {name.lower() for name in settings.hosts} | LOOPBACK_NAMES
        if settings.host not in ("0.0.0.0", "::"):  # noqa: S104 - told apart, not bound to
            self._names.add(settings.host.lower())
        self._origins = {origin.lower().rstrip("/") for origin in settings.origins}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or turn it away."""
        if scope["type"] != "http" or scope["path"] in OPEN:
            await self._app(scope, receive, send)
            return
        headers = _headers(scope)
        host, origin = headers.get("host", ""), headers.get("origin", "")
        if _name(host) not in self._names:
            await _refuse(send, 421, "This name is not one that Clew is reached by (serve.hosts).")
        elif origin and not self._is_ours(origin, host):
            await _refuse(send, 403, "This origin may not call Clew (serve.origins).")
        elif (asker := await self._asker(scope, headers)) is None:
            await _refuse(send, 401, "A token is needed: Authorization: Bearer …")
        else:
            scope[_KEY] = asker
            await self._app(_with_user(scope, asker), receive, send)

    def _is_ours(self, origin: str, host: str) -> bool:
        return origin.lower() in self._origins or urlsplit(origin).netloc.lower() == host.lower()

    async def _asker(self, scope: Scope, headers: dict[str, str]) -> Asker | None:
        given = headers.get("authorization", "")
        if given:
            kind, _, secret = given.partition(" ")
            found = kind.lower() == "bearer" and await self._clew.token_asker(secret.strip())
            return found or None
        peer = (scope.get("client") or ("", 0))[0]
        at_home = (
            self._local
            and self._tokens == "remote"
            and is_loopback(peer)
            and _name(headers.get("host", "")) in LOOPBACK_NAMES
            and not _is_proxied(scope, headers)
        )
        return OWN if at_home else None


def asker(request: HTTPConnection) -> Asker:
    """Whose a request is; nobody's when it has not passed the guard."""
    found = request.scope.get(_KEY)
    return found if isinstance(found, Asker) else NOBODY


def is_loopback(host: str) -> bool:
    """Whether an address leads to this machine only."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _is_proxied(scope: Scope, headers: dict[str, str]) -> bool:
    """Whether somebody passed a request on; nginx, left as it comes, shows it by HTTP/1.0 alone."""
    named = any(name in _PROXIED or name.startswith(_PROXIED_PREFIX) for name in headers)
    return named or scope.get("http_version") == "1.0"


def _with_user(scope: Scope, found: Asker) -> Scope:
    """The scope as the MCP library reads it: it binds a session to the token that began it."""
    if found.own:
        return scope
    from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
    from mcp.server.auth.provider import AccessToken

    known = AccessToken(token="", client_id=found.name, scopes=list(found.tags))
    return {**scope, "user": AuthenticatedUser(known)}


def _headers(scope: Scope) -> dict[str, str]:
    """The headers by lower-case name; of one that is given twice both, which then fits nothing."""
    found: dict[str, str] = {}
    for raw, value in scope["headers"]:
        name, text = raw.decode("latin-1").lower(), value.decode("latin-1")
        found[name] = f"{found[name]}, {text}" if name in found else text
    return found


def _name(host: str) -> str:
    """The name in a Host header, without its port."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.rpartition(":")[0].lower() if host.count(":") == 1 else host.lower()


async def _refuse(send: Send, status: int, words: str) -> None:
    _log.info("a request was turned away with %d", status)
    body = json.dumps({"error": {"type": "access", "message": words}}, ensure_ascii=False)
    headers = [(b"content-type", b"application/json")]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    start: dict[str, Any] = {"type": "http.response.start", "status": status, "headers": headers}
    await send(start)
    await send({"type": "http.response.body", "body": body.encode()})
