"""Decides which repository addresses may be used, and gives each one a single spelling.

Allowed are `https://` and SSH (`ssh://` or `git@host:path`); plain `http://` only to this machine
and only when private addresses are allowed. Refused are transport helpers (`ext::…`), anything
that git or ssh could take for an option, control characters, credentials inside the address, and
hosts that are literally private, loopback, link-local or otherwise not on the public internet, in
every spelling a resolver takes. A host *name* is not looked up here but before each contact, by
`clew.sources.resolve`.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import unquote, urlsplit

from clew.errors import ForbiddenError, InputError

_Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

_HELPER = re.compile(r"[A-Za-z0-9+.-]*::")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_SCP = re.compile(r"(?:([^@/:\s]+)@)?(\[[^\]/]+\]|[^:/@\s\[\]]{2,}):(?!:)(.+)")
_CONTROL = re.compile(r"[\x00-\x20\x7f-\xa0\u2028\u2029]|%(0[0-9a-f]|1[0-9a-f]|7f)", re.IGNORECASE)
_HOST = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?\.?")
_USER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*")
_TOKEN = re.compile(
    r"(gh[a-z]|github_pat|glpat|gl[a-z]{2,4}t|x-oauth|x-token|oauth2|ATBB)[-_]?.*|.{32,}"
)
_LOCAL_NAMES = re.compile(
    r"(.*\.)?(localhost|localdomain|internal|ip6-localhost|ip6-loopback|home\.arpa)"
)
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_LEAVE_OUT = "Leave the password or token out of the address; let git's credential helper hold it."
_PORTS = {"https": 443, "http": 80, "ssh": 22}


@dataclass(frozen=True, slots=True)
class RepoUrl:
    """An address that may be used.

    Attributes:
        user: An SSH account's name, never a secret.
        from_home: An SSH path without a leading slash: relative to the account's home.
    """

    scheme: str
    host: str
    port: int | None
    user: str
    path: str
    from_home: bool = False

    @property
    def location(self) -> str:
        """The one spelling: no credentials, no default port, no final slash or `.git`."""
        if not self.from_home:
            return self.key
        user = f"{self.user}@" if self.user else ""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{user}{host}:{self.path}"

    @property
    def key(self) -> str:
        """What two addresses of one repository share: `host:path` is as `ssh://host/path`."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        user = f"{self.user}@" if self.user else ""
        port = f":{self.port}" if self.port else ""
        return f"{self.scheme}://{user}{host}{port}/{self.path}"

    @property
    def name(self) -> str:
        """What people call it, such as `github.com/acme/billing`."""
        port = f":{self.port}" if self.port else ""
        return f"{self.host}{port}/{self.path.lstrip('~')}"


def is_url(spec: str) -> bool:
    """Tell whether text is meant as an address rather than as a path."""
    return bool(_SCHEME.match(spec) or _HELPER.match(spec) or _SCP.fullmatch(spec))


def parse(spec: str, *, allow_private: bool = False) -> RepoUrl:
    """Check an address as typed.

    Raises:
        ForbiddenError: It is refused for safety; the message names the rule, never the address.
        InputError: It names no repository.
    """
    if _CONTROL.search(spec):
        raise ForbiddenError("A repository address can't hold spaces or control characters.")
    if spec.startswith("-"):
        raise ForbiddenError("A repository address can't begin with a dash.")
    if _HELPER.match(spec):
        raise ForbiddenError("Transport helpers (`name::address`) are refused; use https or ssh.")
    scheme, host, port, user, path = _split(spec)
    _check_scheme(scheme, host, allow_private=allow_private)
    _check_host(host, allow_private=allow_private)
    from_home = "://" not in spec and not path.startswith("/")
    port = None if port == _PORTS[scheme] else port
    return RepoUrl(scheme, host, port, user, _check_path(path), from_home)


def _split(spec: str) -> tuple[str, str, int | None, str, str]:
    """Split an address into scheme, host, port, user and path; refuses secrets in it."""
    found = _SCHEME.match(spec)
    if not found:
        scp = _SCP.fullmatch(spec)
        if not scp:
            raise InputError("This is not a repository address; use https://host/path.")
        if "@" in scp[3].split("/")[0]:  # user:password@host:path
            raise ForbiddenError(_LEAVE_OUT)
        return "ssh", _host(scp[2].strip("[]")), None, _user(scp[1] or ""), scp[3]
    try:
        parts = urlsplit(spec)
        host, port = _host(parts.hostname or ""), parts.port
    except ValueError as error:
        raise InputError("This repository address is malformed; use https://host/path.") from error
    if parts.query or parts.fragment or spec.endswith(("?", "#")):
        raise ForbiddenError("A repository address can't have a `?` or `#` part; leave it out.")
    if parts.password is not None:
        raise ForbiddenError(_LEAVE_OUT)
    scheme = parts.scheme.lower()
    user = _user(parts.username or "")
    if scheme != "ssh":
        if _TOKEN.fullmatch(user):
            raise ForbiddenError(_LEAVE_OUT)
        user = ""
    return scheme, host, port, user, parts.path


def _host(host: str) -> str:
    host = host.lower()
    if ":" in host:
        return host
    if not host or not _HOST.fullmatch(host) or ".." in host:
        raise ForbiddenError(
            "The host of this address is not a plain host name; write letters, digits, dots and "
            "dashes."
        )
    return host.rstrip(".")


def _user(user: str) -> str:
    if user and not _USER.fullmatch(user):
        raise ForbiddenError("The user name in this address is not a plain name.")
    return user


def _check_scheme(scheme: str, host: str, *, allow_private: bool) -> None:
    if scheme in ("https", "ssh"):
        return
    if scheme == "http":
        if allow_private and _is_loopback(host):
            return
        raise ForbiddenError("Plain http can be read and changed on its way; use https.")
    raise ForbiddenError(f"Addresses of the kind {scheme}:// are refused; use https or ssh.")


def _check_host(host: str, *, allow_private: bool) -> None:
    if allow_private:
        return
    addresses = literal_addresses(host)
    if _LOCAL_NAMES.fullmatch(host) or not all(_is_public(address) for address in addresses):
        raise ForbiddenError(
            "This host is on this machine or a private network, which is refused unless "
            "private addresses are allowed."
        )


def literal_addresses(host: str) -> list[_Address]:
    """Return the addresses a host literally spells, with those hidden inside them."""
    if ":" not in host:
        try:  # takes 127.1, 0x7f000001, 2130706433 and octal, as resolvers do
            return [ipaddress.ip_address(socket.inet_aton(host))]
        except OSError:
            return []
    try:
        address = ipaddress.IPv6Address(host)
    except ValueError as error:
        raise InputError("This repository address is malformed; use https://host/path.") from error
    inner = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if address in _NAT64 or int(address) < 1 << 32:
        inner.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return [address, *(one for one in inner if one is not None)]


def _is_public(address: _Address) -> bool:
    mapped = isinstance(address, ipaddress.IPv6Address) and (
        address.ipv4_mapped is not None or address in _NAT64
    )
    return (address.is_global or mapped) and not address.is_multicast


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    addresses = literal_addresses(host)
    return bool(addresses) and any(address.is_loopback for address in addresses)


def _check_path(path: str) -> str:
    """Return the path without the marks that don't change which repository it names."""
    path = re.sub(r"/{2,}", "/", path).strip("/").removesuffix(".git").rstrip("/")
    parts = unquote(path).split("/")
    if any(part in (".", "..") for part in parts):
        raise ForbiddenError("The path of this address can't hold `.` or `..` parts.")
    if path.startswith("-") or "\\" in path:
        raise ForbiddenError("The path of this address can't begin with a dash or hold `\\`.")
    if not path:
        raise InputError("This address names a host but no repository; add its path.")
    return path
