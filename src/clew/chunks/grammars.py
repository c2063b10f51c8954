"""Loads tree-sitter grammars and compiles their queries, once a process.

The pack of grammars is one wheel that unpacks shared libraries into a folder at first use; this
is the only module that knows it, so that the pack can change. It never downloads anything and
never chooses the folder: the application says where with `use_cache`, before the first parse.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tarfile
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import metadata, resources
from pathlib import Path
from typing import TYPE_CHECKING, Final

from clew.errors import IndexFailedError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tree_sitter import Language as TreeSitterLanguage
    from tree_sitter import Query, QueryCursor

    from clew.chunks.languages import Language

VERSION: Final = metadata.version("semble-grammars")

# The pack reads this variable. Worker processes inherit it, however they are started.
_CACHE_VARIABLE: Final = "SEMBLE_GRAMMARS_CACHE_DIR"

# A sum of 200 terms has one of 200, an `else if` of 100 one of 300.
_MAX_DEPTH: Final = 500

_SECTION = re.compile(r"^; --- (definitions|attached lines|references) ---$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Grammar:
    """A grammar with its two queries, safe to share between threads.

    Attributes:
        definitions: Run by match: a definition, its name and its body belong together.
        uses: Run by capture: single nodes (references, comments), ten times as many.
    """

    language: TreeSitterLanguage
    definitions: Query
    uses: Query


def cursor(query: Query) -> QueryCursor:
    """A cursor for one run of a query.

    It looks at nodes down to a depth that no code has: the time of a query grows with the number of
    nodes times their depth.
    """
    from tree_sitter import QueryCursor

    limited = QueryCursor(query)
    limited.set_max_start_depth(_MAX_DEPTH)
    return limited


def use_cache(folder: Path) -> None:
    """Unpacks grammars below `folder` from now on, in a subfolder of the pack's own version.

    Call it before the first parse; grammars that are already loaded stay where they are.
    """
    os.environ[_CACHE_VARIABLE] = str(folder / VERSION)


def unpack(languages: Iterable[Language]) -> None:
    """Unpacks what is missing of these grammars in one pass over the pack.

    `load` would do it too, but by reading the whole pack for each (80 ms). So what goes wrong here
    is left for `load` to say.
    """
    from semble_grammars.cache import cache_dir  # pyright: ignore[reportMissingTypeStubs]

    pack = Path(str(resources.files("semble_grammars"))) / "grammars"
    for listing in pack.glob("*/manifest.json"):  # a wheel holds one platform
        manifest = json.loads(listing.read_text("utf-8"))
        folder = cache_dir() / manifest["platform"]
        entries = (manifest["languages"].get(each.grammar) for each in languages)
        missing = {
            entry["file"]: entry["sha256"]
            for entry in entries
            if entry and not (folder / entry["file"]).exists()
        }
        if missing:
            with suppress(OSError, tarfile.TarError):
                folder.mkdir(parents=True, exist_ok=True)
                _unpack(listing.with_name(manifest["archive"]), missing, folder)


def _unpack(archive: Path, missing: dict[str, str], folder: Path) -> None:
    """Write these members, by name with their digests, each complete or not at all."""
    with tarfile.open(archive, "r|gz") as members:
        for member in members:
            wanted = missing.pop(member.name, None)
            source = members.extractfile(member) if wanted else None
            data = source.read() if source else b""
            if source and hashlib.sha256(data).hexdigest() == wanted:
                _place(folder / member.name, data)
            if not missing:
                return


def _place(path: Path, data: bytes) -> None:
    file = tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", delete=False)  # noqa: SIM115 - closed below
    try:
        with file:
            file.write(data)
        Path(file.name).chmod(0o755)
        Path(file.name).replace(path)
    finally:
        Path(file.name).unlink(missing_ok=True)


@cache
def load(language: Language) -> Grammar:
    """Loads a language's grammar and compiles its queries (10-80 ms, then cached).

    Raises:
        IndexFailedError: The grammar can't be unpacked or loaded on this machine.
    """
    from tree_sitter import Query

    loaded = _load_language(language.grammar)
    definitions, uses = query_sources(language)
    return Grammar(loaded, Query(loaded, definitions), Query(loaded, uses))


def query_sources(language: Language) -> tuple[str, str]:
    """The texts of a language's two queries: its definitions, and all single nodes.

    A query file is divided by lines such as `; --- definitions ---`.
    """
    folder = resources.files("clew.chunks") / "queries"
    definitions: list[str] = []
    uses: list[str] = []
    for name in language.queries:
        _, *parts = _SECTION.split((folder / f"{name}.scm").read_text("utf-8"))
        for title, text in zip(parts[::2], parts[1::2], strict=True):
            (definitions if title == "definitions" else uses).append(text)
    return "\n".join(definitions), "\n".join(uses)


def _load_language(name: str) -> TreeSitterLanguage:
    # The wheel carries no type information; the cast-free boundary is this one call.
    import semble_grammars as pack  # pyright: ignore[reportMissingTypeStubs]

    try:
        return pack.get_language(name)
    except (
        pack.GrammarLoadError,
        pack.LanguageNotFoundError,
        pack.UnsupportedPlatformError,
        OSError,
    ) as error:
        raise IndexFailedError(
            f"The {name} grammar can't be loaded ({error}): check that the data folder is "
            "writable and that the platform is Linux, macOS or Windows on x86-64 or ARM64."
        ) from error
