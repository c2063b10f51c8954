"""Where a model's server is and which key it takes, from the environment and never from a file.

The variables are those that the providers' own clients read, so that one key serves them all. A key
is in no setting: `clew config` can't show it, and no record or log can hold it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Access:
    """How a provider is reached; the names of the variables are for messages.

    Attributes:
        url: The address, "" when the client knows it or when none is set.
        needs_key: Whether the server at `url` is a hosted one that refuses to work without.
    """

    provider: str
    url: str
    key: str = field(repr=False)
    key_variable: str
    url_variable: str
    needs_key: bool


def access(provider: str, hosted: str = "", environ: Mapping[str, str] | None = None) -> Access:
    """What the environment says about a provider, such as `COHERE_API_KEY`, `COHERE_BASE_URL`.

    Args:
        provider: Its short name.
        hosted: The provider's own address, which holds when no other is set.
        environ: The environment; the process's own when None.
    """
    environ = os.environ if environ is None else environ
    key_variable, url_variable = f"{provider.upper()}_API_KEY", f"{provider.upper()}_BASE_URL"
    url = environ.get(url_variable, "").strip()
    return Access(
        provider=provider,
        url=url or hosted,
        key=environ.get(key_variable, "").strip(),
        key_variable=key_variable,
        url_variable=url_variable,
        needs_key=bool(hosted) and not url,
    )
