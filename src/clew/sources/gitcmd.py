"""Runs the `git` program so that nothing a repository says can start a program or ask a person.

There is no shell, no hook, no file-system monitor, no redirect, no prompt and no pager; what the
surrounding environment says about another repository (`GIT_DIR` and the like) is dropped, and the
user's own global configuration stays (credentials, proxies, address rewriting). A command that
outlives its bound is ended with every process it started. This module knows git's manners and
nothing about sources.
"""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import threading
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clew.sources.giterror import GitError, failure, mask

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

VERSION_WANTED = (2, 31)  # the first that takes its configuration from variables

_CONFIG = (
    ("core.hooksPath", os.devnull),
    ("core.fsmonitor", "false"),
    ("core.untrackedCache", "false"),
    ("core.quotePath", "false"),
    ("core.pager", "cat"),
    ("credential.interactive", "false"),
    ("http.followRedirects", "false"),
    ("http.lowSpeedLimit", "1"),  # bytes a second; a transfer that stands still for
    ("http.lowSpeedTime", "60"),  # so many seconds is given up
    ("protocol.ext.allow", "never"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("fetch.recurseSubmodules", "false"),
    ("submodule.recurse", "false"),
)

# What a user sets on purpose for every repository; every other GIT_* speaks of one repository.
_KEPT = re.compile(
    r"GIT_(CONFIG_(GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+)|SSH|SSH_COMMAND|SSH_VARIANT"
    r"|SSL_\w+|PROXY_SSL_\w+|HTTP_\w+|EXEC_PATH)"
)
_GRACE_SECONDS = 1.0  # git removes its lock files on SIGTERM; after this long it is killed
_PROGRESS_SECONDS = 0.5
_SILENT = "waiting for an answer"
_NULL = subprocess.DEVNULL


@dataclass(frozen=True, slots=True)
class Deadline:
    """A bound in seconds that several commands share."""

    seconds: float
    started: float = field(default_factory=time.monotonic)

    def left(self) -> float:
        """Return the seconds left; raises `GitError` when there are none."""
        left = self.started + self.seconds - time.monotonic()
        if left <= 0:
            raise self.passed()
        return left

    def passed(self) -> GitError:
        """Return the error that says the bound has passed."""
        return GitError(f"timed out after {self.seconds:g} s", transient=True)


@dataclass(frozen=True, slots=True)
class Done:
    """How a command ended. `err` is text without credentials."""

    code: int
    out: bytes
    err: str

    def text(self) -> str:
        """Return the output as text without its last newline."""
        return self.out.decode("utf-8", "surrogateescape").removesuffix("\n")


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment that every git command gets."""
    kept = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith("GIT_") or _KEPT.fullmatch(key)
    }
    kept.update(
        GCM_INTERACTIVE="never",
        GIT_ALLOW_PROTOCOL="file:http:https:ssh",
        GIT_ASKPASS="",
        GIT_NO_LAZY_FETCH="1",
        GIT_NO_REPLACE_OBJECTS="1",
        GIT_OPTIONAL_LOCKS="0",
        GIT_TERMINAL_PROMPT="0",
        LC_ALL="C",
        SSH_ASKPASS_REQUIRE="never",
    )
    kept.update(extra or {})
    return kept


def command(args: Sequence[str], git_dir: Path | None = None) -> list[str]:
    """Return the argument list of a git command."""
    head = ["git", "--no-pager"]
    for key, value in _CONFIG:
        head += ["-c", f"{key}={value}"]
    if git_dir is not None:
        head.append(f"--git-dir={git_dir}")
    return [*head, *args]


def run(
    args: Sequence[str],
    deadline: Deadline,
    *,
    git_dir: Path | None = None,
    cwd: Path | None = None,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
    ok: Sequence[int] = (0,),
    tick: Callable[[], None] | None = None,
) -> Done:
    """Run git to its end and return its output.

    Args:
        args: The command and its arguments; user-supplied ones stand after `--`.
        deadline: When the command and all it started are ended.
        git_dir: The repository, when it is not to be looked for.
        cwd: Where to run.
        stdin: What to feed.
        env: Variables added to the scrubbed environment.
        ok: The exit codes that are not failures; empty means any.
        tick: Is called twice a second while git runs; what it raises ends git.

    Raises:
        GitError: It failed, could not be started or took too long.
    """
    process = _start(command(args, git_dir), cwd=cwd, env=env, stdin=subprocess.PIPE)
    try:
        while True:
            left = deadline.left()
            try:
                wait = min(left, _PROGRESS_SECONDS) if tick else left
                out, err = process.communicate(stdin, timeout=wait)
                break
            except subprocess.TimeoutExpired:
                if tick:
                    tick()
    finally:
        stop_batch(process)
    done = Done(process.returncode, out, mask(err.decode("utf-8", "replace")))
    if ok and done.code not in ok:
        raise failure(done.err)
    return done


def run_with_progress(
    args: Sequence[str],
    deadline: Deadline,
    progress: Callable[[str], None],
    *,
    git_dir: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> None:
    """Run a long command, such as a fetch, and tell twice a second how far it is.

    `progress` is called in this thread, also when there is nothing new: what it raises ends git.

    Raises:
        GitError: It failed, could not be started or took too long.
    """
    process = _start(command(args, git_dir), cwd=None, env=env, stdin=_NULL, stdout=_NULL)
    said: deque[str] = deque(maxlen=40)
    reader = threading.Thread(target=_follow, args=(process, said), daemon=True)
    reader.start()
    try:
        progress(_SILENT)
        while not _ended(process, min(deadline.left(), _PROGRESS_SECONDS)):
            progress(next((line for line in reversed(said.copy()) if "%" in line), _SILENT))
    finally:
        _end(process)
        reader.join(_GRACE_SECONDS)
    if process.returncode:
        raise failure(mask("\n".join(said)))


def check_version(deadline: Deadline) -> str:
    """Return what git calls its version.

    Raises:
        GitError: It is older than `VERSION_WANTED`, or is not there.
    """
    said = run(("version",), deadline).text()
    numbers = re.search(r"(\d+)\.(\d+)", said)
    if numbers is None or (int(numbers[1]), int(numbers[2])) < VERSION_WANTED:
        wanted = ".".join(map(str, VERSION_WANTED))
        raise GitError(f"{said} is too old; update git to {wanted} or newer")
    return said


def start_batch(git_dir: Path, args: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start a command that answers over its pipes, such as `cat-file --batch`."""
    argv = command(args, git_dir)
    return _start(argv, cwd=None, env=None, stdin=subprocess.PIPE, stderr=_NULL)


def stop_batch(process: subprocess.Popen[bytes]) -> None:
    """End a command started by `start_batch`, whatever it is doing."""
    _end(process)
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with suppress(BrokenPipeError):
                pipe.close()


def _start(
    argv: list[str],
    *,
    cwd: Path | None,
    env: Mapping[str, str] | None,
    stdin: int,
    stdout: int = subprocess.PIPE,
    stderr: int = subprocess.PIPE,
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            argv,
            cwd=cwd,
            env=environment(env),
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,  # its own group to end, and no terminal to ask on
        )
    except FileNotFoundError as error:
        if cwd is not None and not cwd.is_dir():
            raise GitError(f"there is no folder {cwd}") from error
        raise GitError("the git program is not installed") from error
    except (OSError, ValueError) as error:
        raise GitError(f"git could not be started: {error}") from error


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process, and whatever it started, if it still runs."""
    if process.poll() is not None:
        return
    _signal(process, signal.SIGTERM)
    limit = time.monotonic() + _GRACE_SECONDS
    while time.monotonic() < limit and not _exited(process):
        time.sleep(0.001)
    _signal(process, signal.SIGKILL)  # before it is reaped, while its group's number is its own
    process.wait()


def _exited(process: subprocess.Popen[bytes]) -> bool:
    """Tell whether the process has ended, without reaping it."""
    flags = os.WEXITED | os.WNOWAIT | os.WNOHANG
    return os.waitid(os.P_PID, process.pid, flags) is not None


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def _ended(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Wait so long for the process; whether it has ended."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    return process.returncode is not None


def _follow(process: subprocess.Popen[bytes], said: deque[str]) -> None:
    """Read what a command says on stderr; a progress line ends in a carriage return."""
    if process.stderr is not None:
        with io.TextIOWrapper(process.stderr, encoding="utf-8", errors="replace") as lines:
            said.extend(line.strip() for line in lines)
