"""`clew doctor` and `clew config`: whether Clew can work here, and with which settings."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, cast

from clew.errors import SettingsError
from clew.redact import redact
from clew.surfaces import wire
from clew.surfaces.cli.terminal import console, is_screen, one_line, table

if TYPE_CHECKING:
    from pathlib import Path

    from clew.doctor import Finding

_SECRET = re.compile(r"(?:^|[._])(?:key|token|secret|password)$")
_IN_URL = re.compile(r"(://[^/@\s:]*):[^/@\s]+@")
_STYLES = {"ok": "green", "warn": "yellow", "fail": "bold red"}


def doctor(config: Path | None, data: Path | None, *, as_json: bool) -> int:
    """Print every finding; returns 3 when something fails, else 0."""
    from clew.doctor import examine
    from clew.settings import Settings, load

    problem = None
    try:
        settings = load(config, {"data": data})
    except SettingsError as error:
        problem = error
        settings = Settings(data=data) if data else Settings()
    found = examine(settings, problem)
    for finding in found:
        print_finding(finding, as_json=as_json)
    return 3 if any(finding.level == "fail" for finding in found) else 0


def print_finding(finding: Finding, *, as_json: bool) -> None:
    """Print what a check found: on a screen, in a pipe, or as one line of JSON."""
    if as_json:
        sys.stdout.write(wire.line(wire.plain(finding)) + "\n")
        sys.stdout.flush()
        return
    message = redact(one_line(finding.message))
    if is_screen():
        from rich.text import Text

        level = (f"{finding.level:<5}", _STYLES[finding.level])
        console().print(Text.assemble(level, f"{finding.check}: {message}"), soft_wrap=True)
    else:
        sys.stdout.write(f"{finding.level}\t{finding.check}\t{message}\n")
    if finding.advice:
        indent = "      " if is_screen() else "\t\t"
        sys.stdout.write(f"{indent}{redact(one_line(finding.advice))}\n")


def settings(config: Path | None, data: Path | None, *, as_json: bool) -> None:
    """Print every setting with its value and where that comes from."""
    from clew.settings import effective

    rows = effective(config, {"data": data})
    if as_json:
        for key, (value, origin) in rows.items():
            row = {"key": key, "value": _masked(key, value), "origin": origin}
            sys.stdout.write(wire.line(row) + "\n")
        return
    told = ((key, _said(_masked(key, value)), origin) for key, (value, origin) in rows.items())
    table(("setting", "value", "from"), told)


def _masked(key: str, value: object) -> object:
    """A value that may be shown: JSON's own types, without secrets."""
    if _SECRET.search(key) and value:
        return "[hidden]"
    if isinstance(value, tuple | list):
        return [_masked("", item) for item in cast("list[object]", value)]
    if isinstance(value, bool | int | float) or value is None:
        return value
    return _IN_URL.sub(r"\1:***@", redact(str(value)))


def _said(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return ", ".join(map(str, cast("list[object]", value))) or "none"
    return f"{value:g}" if isinstance(value, float) else str(value)
