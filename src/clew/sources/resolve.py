"""Looks up where a host's name leads before git goes there, and refuses this machine's own places.

A name that leads to this machine, to a link-local address or to a cloud's metadata service is
refused: nothing there is a company's git host. Addresses of private networks pass, since company
hosts are there; `clew.sources.urls` refuses those only where they are typed as numbers. What was
looked up is handed to git, so that a second answer of the name server changes nothing; ssh looks
up by itself.
"""

from __future__ import annotations

import ipaddress
import socket
import threading
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from clew.errors import ForbiddenError
from clew.sources.giterror import GitError
from clew.sources.urls import literal_addresses

if TYPE_CHECKING:
    from clew.sources.gitcmd import Deadline

_PORTS = {"https": 443, "http": 80, "ssh": 22}
_METADATA = tuple(
    ipaddress.ip_network(each)
    for each in ("100.100.100.200/32", "192.0.0.192/32", "fd00:ec2::/32", "fd20:ce::254/128")
)


def resolved(location: str, deadline: Deadline) -> tuple[str, ...]:
    """Check where a remote's host leads; return the arguments that hold git to it.

    A host typed as a number was checked when it was typed. A name that can't be looked up here
    passes: a proxy or ssh's own settings may know it, and git says so when they don't.

    Raises:
        ForbiddenError: It leads to this machine or to a place that is no git host.
        GitError: The name server did not answer in time.
    """
    scheme, host, port = _parts(location)
    if not host or literal_addresses(host):
        return ()
    found = _look_up(host, port, deadline)
    if any(_is_refused(address) for address in found):
        raise ForbiddenError(
            "The name of this host leads to this machine or to a link-local address, which is "
            "refused unless private addresses are allowed (sync.allow_private)."
        )
    if scheme != "https" or not found:
        return ()
    shown = ",".join(f"[{each}]" if ":" in each else each for each in found)
    return ("-c", f"http.curloptResolve={host}:{port}:{shown}")


def _parts(location: str) -> tuple[str, str, int]:
    """The scheme, host and port of a location as `clew.sources.urls` spells it, "" for a path."""
    if "://" in location:
        parts = urlsplit(location)
        return parts.scheme, parts.hostname or "", parts.port or _PORTS.get(parts.scheme, 0)
    if location.startswith("/"):
        return "", "", 0
    host = location.rpartition("@")[2].partition("]:" if "[" in location else ":")[0]
    return "ssh", host.strip("[]"), _PORTS["ssh"]


def _look_up(host: str, port: int, deadline: Deadline) -> tuple[str, ...]:
    """The host's addresses, in the resolver's order; the resolver itself knows no bound."""
    answer: list[str] = []

    def ask() -> None:
        try:
            rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            return
        answer.extend(str(row[4][0]) for row in rows)

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(deadline.left())
    if thread.is_alive():
        raise GitError("the name of its host could not be resolved in time", transient=True)
    return tuple(dict.fromkeys(answer))


def _is_refused(text: str) -> bool:
    every = literal_addresses(text.partition("%")[0])
    return any(
        each.is_loopback
        or each.is_link_local
        or each.is_unspecified
        or each.is_multicast
        or any(each in network for network in _METADATA)
        for each in every
    )
