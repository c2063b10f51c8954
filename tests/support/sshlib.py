"""An SSH server on loopback by asyncssh, for machines without `sshd`: the same keys and files.

It serves from a thread of its own and runs what a client asks for by the shell, as `sshd` would.
"""

from __future__ import annotations

import asyncio
import os
import threading
from contextlib import contextmanager
from subprocess import PIPE
from typing import TYPE_CHECKING

import asyncssh

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


async def _pass_on(reader: asyncio.StreamReader, writer: asyncssh.SSHWriter[bytes]) -> None:
    while data := await reader.read(1 << 16):
        writer.write(data)
        await writer.drain()


@contextmanager
def listening(folder: Path) -> Iterator[int]:
    """Serve on a free port while the block runs.

    `folder` holds the host's key in "host" and the public keys that may come in in "authorized".
    """

    class Server(asyncssh.SSHServer):
        def begin_auth(self, username: str) -> bool:
            return True

        def public_key_auth_supported(self) -> bool:
            return True

        def validate_public_key(self, username: str, key: asyncssh.SSHKey) -> bool:
            lines = (folder / "authorized").read_text().splitlines()
            return any(asyncssh.import_public_key(line) == key for line in lines)

    async def carry_out(process: asyncssh.SSHServerProcess[bytes]) -> None:
        environment = {**os.environ, "GIT_CONFIG_NOSYSTEM": "1"}
        done = await asyncio.create_subprocess_shell(
            process.command or "true", stdin=PIPE, stdout=PIPE, stderr=PIPE, env=environment
        )
        assert done.stdout
        assert done.stderr
        await process.redirect(stdin=done.stdin)
        # By hand and to the end: what is redirected can be lost when the process exits.
        await asyncio.gather(
            _pass_on(done.stdout, process.stdout), _pass_on(done.stderr, process.stderr)
        )
        process.exit(await done.wait())
        await process.wait_closed()

    ready, stops = threading.Event(), []

    async def serve() -> None:
        stop = asyncio.Event()
        async with asyncssh.listen(
            "127.0.0.1",
            0,
            server_factory=Server,
            server_host_keys=[str(folder / "host")],
            process_factory=carry_out,
            encoding=None,
        ) as server:
            stops.append((asyncio.get_running_loop(), stop, server.get_port()))
            ready.set()
            await stop.wait()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    try:
        assert ready.wait(30)
        yield stops[0][2]
    finally:
        loop, stop, _ = stops[0]
        loop.call_soon_threadsafe(stop.set)
        thread.join()
