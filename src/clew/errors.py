"""Every error Clew raises on purpose, in one tree.

    ClewError
    ├── UserError              the request is at fault; asking again the same way cannot help
    │   ├── InputError         empty question, bad lines, unknown option value          (exit 2)
    │   ├── SettingsError      configuration file, environment or flag                  (exit 2)
    │   ├── ForbiddenError     a URL, path or pattern that is refused for safety        (exit 2)
    │   ├── NotFoundError      an answer, path or revision that is not there            (exit 2)
    │   └── AccessError        the asker may not                                       (exit 4)
    ├── PermanentError         the world is at fault and a retry will not help
    │   ├── SourceError        missing, no commits, no access, corrupt                  (exit 3)
    │   ├── IndexFailedError   the index can't be built or read                         (exit 3)
    │   └── ProviderRefusedError  a model provider said no for good                     (exit 5)
    │       ├── ContextFullError  the conversation is longer than the model reads       (exit 5)
    │       └── NoToolsError      the model can't call tools                            (exit 5)
    └── TransientError         a retry may help
        ├── SourceUnreachableError  time-out, network, remote down                      (exit 3)
        ├── BusyError          a lock or a database is held by another process          (exit 3)
        └── ProviderDownError  429, 5xx, time-out of a model provider                   (exit 5)

A message is one sentence that says what is wrong and what to do; it never holds a secret.
Whether to retry is decided by the branch and by nothing else. This module imports nothing.
"""

from __future__ import annotations

from typing import ClassVar


class ClewError(Exception):
    """The root of the tree.

    Attributes:
        exit_code: What a command line exits with.
        type: The stable name that scripts read in `{"error": {"type": ..., "message": ...}}`.
    """

    exit_code: ClassVar[int] = 3
    type: ClassVar[str] = "error"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class UserError(ClewError):
    """The request is at fault."""

    exit_code = 2
    type = "user"


class InputError(UserError):
    """Bad usage or input."""

    type = "input"


class SettingsError(UserError):
    """The configuration is at fault."""

    type = "settings"


class ForbiddenError(UserError):
    """Refused for safety, before anything was read."""

    type = "forbidden"


class NotFoundError(UserError):
    """What was named is not there."""

    type = "not_found"


class AccessError(UserError):
    """The asker may not; the message says nothing about what exists."""

    exit_code = 4
    type = "access"


class PermanentError(ClewError):
    """The world is at fault, for good."""

    type = "permanent"


class SourceError(PermanentError):
    """A source is missing, empty, unreadable or corrupt."""

    type = "source"


class IndexFailedError(PermanentError):
    """An index can't be built or read."""

    type = "index"


class ProviderRefusedError(PermanentError):
    """A model provider said no for good."""

    exit_code = 5
    type = "provider_refused"


class ContextFullError(ProviderRefusedError):
    """The conversation is longer than the model can read: a shorter one may do."""


class NoToolsError(ProviderRefusedError):
    """The model or its server can't call tools: steps in JSON may do."""


class TransientError(ClewError):
    """A retry may help."""

    type = "transient"


class SourceUnreachableError(TransientError):
    """A source could not be reached in time."""

    type = "source_unreachable"


class BusyError(TransientError):
    """Another process holds what is needed."""

    type = "busy"


class ProviderDownError(TransientError):
    """A model provider is down, slow or over its quota."""

    exit_code = 5
    type = "provider_down"
