"""Says in one sentence how to install what an optional part of Clew stands on."""

from __future__ import annotations

from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING

from clew.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Generator
    from types import ModuleType


@contextmanager
def needs_models(what: str) -> Generator[None]:
    """Turn a missing package into a sentence, for imports of what the extra `models` holds.

    Raises:
        SettingsError: It isn't installed.
    """
    try:
        yield
    except ImportError as error:
        missing = (error.name or "openai").partition(".")[0]
        raise SettingsError(
            f"{what} needs the package {missing}, which is not installed: "
            'install Clew with its models, as in pip install "clew[models]".'
        ) from None


def local_library(module: str, package: str) -> ModuleType:
    """A library of the extra `local`, which has no types that could be checked without it.

    Raises:
        SettingsError: It isn't installed.
    """
    try:
        return import_module(module)
    except ImportError as error:
        missing = (error.name or package).partition(".")[0].replace("_", "-")
        raise SettingsError(
            f"A model in a local folder needs the package {missing}, which is not installed: "
            'install it with pip install "clew[local]".'
        ) from None
