"""A real git server on loopback: `git http-backend` behind Python's HTTP server.

A test can make it misbehave: ask for a password, redirect, fail, or never answer. It can speak
TLS, with a certificate of `support.certificates`, and ask for an `Authorization` header.
"""

from __future__ import annotations

import os
import subprocess
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from support.gitrepo import git_env

if TYPE_CHECKING:
    import socket
    import ssl
    from collections.abc import Iterator
    from pathlib import Path


class GitServer(ThreadingHTTPServer):
    """Serves the bare repositories under a folder.

    Attributes:
        mood: "well", "hang", "redirect", or a status code to answer everything with.
        seen: The path and query of every request, in order.
        wanted: The `Authorization` header without which it answers 401, or "" for none.
    """

    daemon_threads = True

    def __init__(self, root: Path, tls: ssl.SSLContext | None = None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.root = root
        self.tls = tls
        self.wanted = ""
        self.mood: str | int = "well"
        self.seen: list[str] = []
        self.released = threading.Event()

    @property
    def url(self) -> str:
        return f"{'https' if self.tls else 'http'}://127.0.0.1:{self.server_address[1]}"

    def get_request(self) -> tuple[socket.socket, Any]:
        """Accept a connection; the handshake is left to the thread that serves it."""
        connection, address = super().get_request()
        if self.tls is not None:
            connection = self.tls.wrap_socket(
                connection, server_side=True, do_handshake_on_connect=False
            )
        return connection, address

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up, such as one that distrusts the certificate, is no news."""


class _Handler(BaseHTTPRequestHandler):
    server: GitServer

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        pass

    def _answer(self) -> None:
        self.server.seen.append(self.path)
        mood = self.server.mood
        if self.server.wanted and self.headers.get("Authorization") != self.server.wanted:
            mood = 401
        if mood == "hang":
            self.server.released.wait(30)
        elif mood == "redirect":
            self.send_response(301)
            self.send_header("Location", f"{self.server.url}/elsewhere{self.path}")
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif isinstance(mood, int):
            self.send_response(mood)
            if mood == 401:
                self.send_header("WWW-Authenticate", 'Basic realm="git"')
            self.send_header("Content-Length", "0")
            self.end_headers()
        else:
            self._serve()

    def _serve(self) -> None:
        parts = urlsplit(self.path)
        size = int(self.headers.get("Content-Length") or 0)
        env = git_env(self.server.root) | {
            "GIT_PROJECT_ROOT": str(self.server.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "PATH_INFO": parts.path,
            "QUERY_STRING": parts.query,
            "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(size),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "PATH": os.environ["PATH"],
        }
        done = subprocess.run(
            ["git", "http-backend"],
            env=env,
            input=self.rfile.read(size),
            capture_output=True,
            check=True,
        )
        head, _, body = done.stdout.partition(b"\r\n\r\n")
        fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        self.send_response(int(fields.pop("Status", "200").split()[0]))
        for key, value in fields.items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(body)))  # with TLS, a bare close is an error
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def git_server(root: Path, tls: ssl.SSLContext | None = None) -> Iterator[GitServer]:
    """Serve while the block runs."""
    with GitServer(root, tls) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield server
        finally:
            server.released.set()
            server.shutdown()
            thread.join()
