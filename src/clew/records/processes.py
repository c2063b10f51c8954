"""Tells whether the process that began an answer still lives.

A process is named by its host (with its process namespace, so two containers are two hosts), its
id and the moment it started, because ids are used again. It only looks; it never signals.
"""

from __future__ import annotations

import os
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

_PROC = Path("/proc")
_STAT_STATE = 0  # /proc/<pid>/stat, counted after the command's closing parenthesis
_STAT_START = 19


@dataclass(frozen=True, slots=True)
class Process:
    """One process on one host. `started` is opaque; "" when the system doesn't tell."""

    host: str
    pid: int
    started: str


def this_process() -> Process:
    """The process that is running now."""
    pid = os.getpid()
    return Process(_host(), pid, _started(pid) or "")


def state(process: Process) -> Literal["alive", "gone", "unknown"]:
    """What has become of it; "unknown" on another host or where the system doesn't tell."""
    if process.host != _host() or not process.started:
        return "unknown"
    started = _started(process.pid)
    if started is None:
        return "unknown"
    return "alive" if started == process.started else "gone"


def _host() -> str:
    try:
        namespace = str((_PROC / "self/ns/pid").readlink())
    except OSError:
        namespace = ""
    return f"{socket.gethostname()} {namespace}".strip()


def _started(pid: int) -> str | None:
    """When `pid` started: "" when there is no such process, None when that can't be told."""
    return _started_by_proc(pid) if (_PROC / "self/stat").exists() else _started_by_ps(pid)


def _started_by_proc(pid: int) -> str | None:
    try:
        stat = (_PROC / str(pid) / "stat").read_text(errors="replace")
        boot = (_PROC / "sys/kernel/random/boot_id").read_text().strip()
    except (FileNotFoundError, ProcessLookupError):
        return ""
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()
    # A zombie has ended: only its parent has not asked yet.
    return "" if fields[_STAT_STATE] in "ZX" else f"{boot} {fields[_STAT_START]}"


def _started_by_ps(pid: int) -> str | None:
    environment = {"LC_ALL": "C", "TZ": "UTC", "PATH": os.defpath}
    command = ["ps", "-o", "state=", "-o", "lstart=", "-p", str(pid)]
    try:
        found = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=5, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    status, _, started = found.stdout.strip().partition(" ")
    return "" if status.startswith("Z") else started.strip()
