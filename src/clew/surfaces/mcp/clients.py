"""Editors' lists of MCP servers: puts Clew into one, or takes it out again.

The file belongs to the editor and its user: everything else in it stays, a copy is kept beside it,
and what isn't plain JSON (a comment, a key given twice) is refused and left as it is.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tempfile
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, cast

import platformdirs

from clew.errors import InputError, PermanentError

BACKUP = ".clew-backup"
NAME = "clew"
_INDENT = re.compile(r"^([ \t]+)\S", re.MULTILINE)


class Editor(StrEnum):
    """The clients whose configuration is known."""

    CLAUDE_CODE = "claude-code"
    CURSOR = "cursor"
    VSCODE = "vscode"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a client keeps its servers: a file, and the key of the object that lists them."""

    file: Path
    key: str


@dataclass(frozen=True, slots=True)
class Change:
    """A file as it is and as it would be; `before` is "" where there is none yet."""

    file: Path
    before: str
    after: str


def installing(name: str, project: Path | None, data: Path | None, config: Path | None) -> Change:
    """What putting Clew into a client's configuration changes.

    Args:
        name: The client's name.
        project: The folder whose own file is meant; None for the user's.
        data: What `--data` names, for the Clew that the client starts.
        config: What `--config` names.

    Raises:
        InputError: No such client is known, or its file is none that can be changed.
    """
    client = _client(name)
    place = where(client, project)
    before = _read(place.file)
    return Change(place.file, before, added(before, place, server(client, data, config)))


def uninstalling(name: str, project: Path | None) -> Change:
    """What taking Clew out of a client's configuration changes; raises as `installing`."""
    place = where(_client(name), project)
    before = _read(place.file)
    return Change(place.file, before, removed(before, place))


def write(change: Change) -> None:
    """Replace the file in one step, keeping a copy of what was there.

    Raises:
        PermanentError: It can't be written.
    """
    try:
        _write(change.file, change.before, change.after)
    except OSError as error:
        raise PermanentError(f"{change.file} can't be written: {error.strerror}.") from None


def _client(name: str) -> Editor:
    known = ", ".join(Editor)
    if name not in set(Editor):
        raise InputError(f"{name[:40]!a} is no client that is known: it can be {known}.")
    return Editor(name)


def where(client: Editor, project: Path | None) -> Place:
    """The file of a client: a project's, or the user's own."""
    home = Path.home()
    if client is Editor.CLAUDE_CODE:
        return Place(project / ".mcp.json" if project else home / ".claude.json", "mcpServers")
    if client is Editor.CURSOR:
        return Place((project or home) / ".cursor" / "mcp.json", "mcpServers")
    if project:
        return Place(project / ".vscode" / "mcp.json", "servers")
    user = platformdirs.user_config_path("Code", appauthor=False, roaming=True)
    return Place(user / "User" / "mcp.json", "servers")


def server(client: Editor, data: Path | None, config: Path | None) -> dict[str, Any]:
    """How the client starts Clew."""
    command, arguments = _command()
    arguments = [*arguments, "mcp"]
    for name, value in (("--data", data), ("--config", config)):
        if value is not None:
            arguments += [name, str(value.resolve())]
    entry: dict[str, Any] = {"command": command, "args": arguments}
    return entry if client is Editor.CURSOR else {"type": "stdio", **entry}


def added(text: str, place: Place, entry: dict[str, Any]) -> str:
    """The file's text with the entry.

    Raises:
        InputError: It isn't an object of plain JSON; the message says what to add by hand.
    """
    try:
        whole = _parsed(text, place)
    except InputError as error:
        by_hand = json.dumps({NAME: entry})
        raise InputError(f"{error.message} Add it by hand to {place.key!r}: {by_hand}") from None
    servers = whole.setdefault(place.key, {})
    if not isinstance(servers, dict):
        raise InputError(f"{place.key!r} in {place.file} is no object: it was left as it is.")
    cast("dict[str, Any]", servers)[NAME] = entry
    return _written(whole, text)


def removed(text: str, place: Place) -> str:
    """The file's text without the entry; the text as it is when there is none.

    Raises:
        InputError: It isn't an object of plain JSON.
    """
    whole = _parsed(text, place)
    servers = whole.get(place.key)
    if not isinstance(servers, dict) or NAME not in servers:
        return text
    rest = cast("dict[str, Any]", servers)
    del rest[NAME]
    return _written(whole, text)


def _command() -> tuple[str, list[str]]:
    """What starts this Clew, wherever the client runs."""
    started = Path(sys.argv[0])
    if started.stem == "clew" and started.is_absolute() and started.exists():
        return str(started), []
    found = shutil.which("clew")
    beside = Path(sys.executable).with_name("clew")
    if beside.exists():
        return str(beside), []
    return (found, []) if found else (sys.executable, ["-m", "clew"])


def _parsed(text: str, place: Place) -> dict[str, Any]:
    if not text.strip():
        return {}

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            raise ValueError("a key is given twice")
        return found

    try:
        whole: Any = json.loads(text.removeprefix("\ufeff"), object_pairs_hook=once)
    except (ValueError, RecursionError):
        raise InputError(
            f"{place.file} is not plain JSON (it may hold comments), and was left as it is."
        ) from None
    if not isinstance(whole, dict):
        raise InputError(f"{place.file} holds no object, and was left as it is.")
    return cast("dict[str, Any]", whole)


def _written(whole: dict[str, Any], before: str) -> str:
    """As JSON, indented as the file was."""
    found = _INDENT.search(before)
    indent = found[1] if found else "  "
    return json.dumps(whole, indent=indent, ensure_ascii=False) + "\n"


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        raise InputError(f"{file} can't be read: {reason}.") from None


def _write(file: Path, before: str, after: str) -> None:
    real = file.resolve()  # a link stays a link
    real.parent.mkdir(parents=True, exist_ok=True)
    if real.exists():
        backup = real.with_name(real.name + BACKUP)
        shutil.copy2(real, backup)
    descriptor, name = tempfile.mkstemp(dir=real.parent, prefix=f".{real.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as out:
            out.write(after)
        if before:
            shutil.copymode(real, temporary)
        temporary.replace(real)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
