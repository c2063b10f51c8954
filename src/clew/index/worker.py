"""A process that prepares blobs for the one that started it: jobs in, prepared rows out.

It is started by `pool` with the parent's import path and talks over its own pipes: a frame is four
bytes of length and a pickle. It imports what preparing needs and no numpy, no database and nothing
of the program that asks. When the other end of its input closes, for whatever reason, it ends.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import struct
import sys
import threading
from queue import SimpleQueue
from typing import IO, TYPE_CHECKING

from clew.errors import ClewError
from clew.index.fingerprint import code_fingerprint
from clew.index.prepare import prepare

if TYPE_CHECKING:
    from clew.chunks.skip import SkipRules
    from clew.index.prepare import Job

_HEAD = struct.Struct(">I")


def write_frame(stream: IO[bytes], value: object) -> None:
    """Send one object.

    Raises:
        OSError: The other end is gone.
    """
    data = pickle.dumps(value, 5)
    stream.write(_HEAD.pack(len(data)))
    stream.write(data)
    stream.flush()


def read_frame(stream: IO[bytes]) -> object:
    """Receive one object; both ends are this program, so a pickle is no door.

    Raises:
        EOFError: The other end is gone.
    """
    head = stream.read(_HEAD.size)
    size = _HEAD.unpack(head)[0] if len(head) == _HEAD.size else -1
    data = stream.read(size) if size >= 0 else b""
    if len(data) != size:
        raise EOFError
    return pickle.loads(data)  # noqa: S301 - of our own process


def main() -> None:
    """Serve until the input ends. A keyboard's interrupt is the parent's to handle."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(50_000)  # Python's 700 cost 5 % of the time; there are few cycles to find
    stdin = sys.stdin.buffer
    stdout = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not stand between two frames
    write_frame(stdout, code_fingerprint())
    waiting: SimpleQueue[tuple[list[Job], SkipRules]] = SimpleQueue()
    threading.Thread(target=_receive, args=(stdin, waiting), daemon=True).start()
    while True:
        jobs, rules = waiting.get()
        try:
            answer: object = [prepare(job, rules) for job in jobs]
        except ClewError as error:
            answer = error
        try:
            write_frame(stdout, answer)
        except OSError:
            _end()


def _receive(stdin: IO[bytes], waiting: SimpleQueue[tuple[list[Job], SkipRules]]) -> None:
    """Read ahead; and end the process, whatever it is doing, as soon as the parent is gone."""
    try:
        while True:
            waiting.put(read_frame(stdin))  # pyright: ignore[reportArgumentType] - pool sends these
    except EOFError:
        _end()


def _end() -> None:
    os._exit(0)  # nothing to flush, nobody to tell; other threads may hold any lock
