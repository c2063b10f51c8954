"""What a failed git command means: a few words for a reader, and whether a retry may help.

It reads what git, curl and ssh wrote on stderr; it never shows a credential.
"""

from __future__ import annotations

import re

from clew.errors import SourceError, SourceUnreachableError

_REASON_CHARACTERS = 200
_CREDENTIALS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://)[^/@\s]*@")

_FOREIGN = re.compile(r"dubious ownership", re.IGNORECASE)
_ACCESS = re.compile(
    r"could not read (username|password)|authentication failed|terminal prompts disabled"
    r"|returned error: 40[137]|permission denied \(|access denied",
    re.IGNORECASE,
)
_HOST_KEY = re.compile(r"host key verification failed", re.IGNORECASE)
_CERTIFICATE = re.compile(r"certificate", re.IGNORECASE)
_REDIRECT = re.compile(r"returned error: 30\d|redirect", re.IGNORECASE)
_DISK = re.compile(r"no space left on device|disk quota", re.IGNORECASE)
_MISSING = re.compile(
    r"repository\b.*\bnot found|does not appear to be a git repository|returned error: 404"
    r"|repository\b.*\bdoes not exist",
    re.IGNORECASE,
)
_INCOMPLETE = re.compile(
    r"lazy fetching disabled|promisor remote|not a tree object|unable to read tree"
    r"|possible repository corruption",
    re.IGNORECASE,
)
_NAME = re.compile(r"could not resolve host", re.IGNORECASE)
_CONNECT = re.compile(r"connection refused|failed to connect|couldn't connect", re.IGNORECASE)
_BROKEN = re.compile(
    r"returned error: (429|5\d\d)|timed out|connection reset|network is unreachable|empty reply"
    r"|no route to host|early eof|hung up|unexpected disconnect|gnutls|\bssl\b|rpc failed",
    re.IGNORECASE,
)

# In order: the first that matches speaks.
_PERMANENT = (
    (
        _FOREIGN,
        "it belongs to another user; if you trust it, add it to git's safe.directory",
    ),
    (
        _ACCESS,
        "it asks for a password or refuses access; give git a credential helper or an SSH key",
    ),
    (_HOST_KEY, "the SSH key of its host is not known or has changed"),
    (_CERTIFICATE, "the certificate of its host can't be verified"),
    (_REDIRECT, "it redirects elsewhere, which is not followed; use its present address"),
    (_DISK, "the disk is full"),
    (
        _INCOMPLETE,
        "objects of it are missing; it is damaged, or a partial clone that never fetched them",
    ),
    (_MISSING, "there is no such repository, or it may not be read with your credentials"),
)
_TRANSIENT = (
    (_NAME, "the name of its host could not be resolved"),
    (_CONNECT, "its host refuses connections"),
    (_BROKEN, "the connection failed"),
)


class GitError(Exception):
    """A git command failed; the package's own signal, turned into `clew.errors` at its door.

    Attributes:
        reason: A few words without secrets, such as "timed out after 5 s".
        transient: Whether trying again may help.
    """

    def __init__(self, reason: str, *, transient: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.transient = transient

    def about(self, name: str) -> SourceError | SourceUnreachableError:
        """Return the error that a caller of this package gets about the source `name`."""
        if self.transient:
            return SourceUnreachableError(f"{name} could not be reached: {self.reason}.")
        return SourceError(f"{name} could not be read: {self.reason}.")


def mask(text: str) -> str:
    """Return text with the credentials inside its URLs taken out."""
    return _CREDENTIALS.sub(r"\1***@", text)


def failure(stderr: str) -> GitError:
    """Return the error that a failed command's words stand for."""
    for pattern, reason in _PERMANENT:
        if pattern.search(stderr):
            return GitError(reason)
    for pattern, reason in _TRANSIENT:
        if pattern.search(stderr):
            return GitError(reason, transient=True)
    lines = [line.strip() for line in stderr.replace("\r", "\n").split("\n") if line.strip()]
    told = [line for line in lines if line.startswith(("fatal:", "error:"))]
    line = (told or lines or ["git failed without saying why"])[-1]
    line = line.removeprefix("fatal: ").removeprefix("error: ").rstrip(".")
    return GitError(mask(line)[:_REASON_CHARACTERS])
