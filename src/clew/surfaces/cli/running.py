"""Runs one command line: what it raises becomes one sentence and an exit code.

Exit codes are those of `errors.py`; 1 when an answer abstains or is partial; 128 and the signal's
number when a signal ended it. No traceback is shown for anything that the world does to us (a full
disk, a closed pipe, Ctrl-C); a bug of ours still shows one, since hiding it would help nobody.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from typer import Exit
from typer.exceptions import Abort, TyperException

from clew.errors import ClewError, InputError, PermanentError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence
    from typing import Any

    from clew.app import Clew

R = TypeVar("R")
_SIGNALLED = 128  # and the signal's number, as shells report it
_STOPPING = ("SIGINT", "SIGTERM", "SIGHUP")  # as far as the system knows them
_JSON_FLAGS = frozenset({"--json", "--events"})


class Stopped(BaseException):
    """A signal asked the command to stop, and what it was doing has been brought to a close."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def guarded(command: Callable[[], int], *, as_json: bool) -> int:
    """Run a command; returns its exit code, whatever it raises.

    Args:
        command: What to run; returns the exit code.
        as_json: Say errors as JSON on standard output, not as a sentence on standard error.
    """
    try:
        code = command()
        sys.stdout.flush()
    except Exit as raised:
        return raised.exit_code
    except ClewError as raised:
        return _complain(raised, as_json)
    except TyperException as raised:
        return _complain(InputError(_usage(raised)), as_json)
    except Stopped as raised:
        return _stopped(raised.number)
    except (KeyboardInterrupt, Abort):
        return _stopped(signal.SIGINT)
    except BrokenPipeError:
        return _unheard()
    except OSError as raised:
        return _complain(_of_the_system(raised), as_json)
    return code


def wants_json(arguments: Sequence[str]) -> bool:
    """Whether the command line asks for JSON, even when the rest of it is wrong."""
    options = list(arguments)
    if "--" in options:
        options = options[: options.index("--")]
    return not _JSON_FLAGS.isdisjoint(options)


def wait(clew: Clew, work: Coroutine[Any, Any, R]) -> R:
    """Run a command's asynchronous part to its end, then let the application go.

    Raises:
        Stopped: A signal came; the work was cancelled and has cleaned up after itself.
    """
    import asyncio

    received: list[int] = []

    async def main() -> R:
        task = asyncio.ensure_future(work)

        def stop(number: int) -> None:
            received.append(number)
            task.cancel()

        loop = asyncio.get_running_loop()
        for number in _signals():
            try:
                loop.add_signal_handler(number, stop, number)
            except (NotImplementedError, RuntimeError, ValueError):
                break  # Windows, or not the main thread: Python's own handling stays
        return await task

    try:
        return asyncio.run(main())
    except asyncio.CancelledError:
        raise Stopped(received[0] if received else signal.SIGINT) from None
    finally:
        clew.close()


def prepare_streams(*, as_json: bool) -> None:
    """Let no character of a repository stop the output: JSON is UTF-8 wherever it goes."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started us: nobody listens there
            nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - until the end
            setattr(sys, name, nowhere)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is None:
            continue  # replaced by an embedding program
        if as_json and stream is sys.stdout:
            reconfigure(encoding="utf-8", errors="replace", newline="\n")
        else:
            reconfigure(errors="replace")


def _signals() -> list[signal.Signals]:
    return [getattr(signal, name) for name in _STOPPING if hasattr(signal, name)]


def _complain(raised: ClewError, as_json: bool) -> int:
    """Say what went wrong in one sentence; returns the exit code."""
    from clew.redact import redact
    from clew.surfaces import wire
    from clew.surfaces.cli.terminal import visible

    message = redact(" ".join(raised.message.split()))
    try:
        if as_json:
            sys.stdout.write(wire.line(wire.error(type(raised)(message))) + "\n")
            sys.stdout.flush()
        else:
            sys.stderr.write(f"clew: {visible(message)}\n")
    except BrokenPipeError:
        _unheard()
    return raised.exit_code


def _usage(raised: TyperException) -> str:
    """A usage error as one sentence with what to do."""
    message = raised.format_message().strip().rstrip(".")
    if message.startswith("No such option"):
        return f"{message}; put -- before a text that begins with a dash."
    return f"{message}; clew --help lists the commands, clew COMMAND --help its options."


def _of_the_system(raised: OSError) -> ClewError:
    what = raised.strerror or type(raised).__name__
    where = f" ({raised.filename})" if raised.filename else ""
    return PermanentError(f"{what}{where}: check the disk and the permissions, then try again.")


def _stopped(number: int) -> int:
    with suppress(OSError):  # the terminal may be gone too
        sys.stderr.write("clew: stopped; what was indexed so far is kept.\n")
    return _SIGNALLED + number


def _unheard() -> int:
    """The reader of our output has gone: nothing more can be said to it, and nothing is wrong."""
    # What Python would flush at its end goes nowhere, so that it does not complain.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
    return 0
