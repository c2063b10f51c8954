"""A server on loopback that embeds and reranks, well or badly: the real client runs against it.

Its vectors are made of the letters of a text, so that they repeat and like texts are near. The last
reply of its script is repeated for ever.
"""

from __future__ import annotations

import base64
import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

DIMS = 8
Json = dict[str, Any]


@dataclass(frozen=True)
class Say:
    """What the server answers to one request.

    Attributes:
        status: An HTTP status; other than 200 with `message` as the server's words.
        change: Makes another reply of the right one.
        raw: These bytes instead of a reply.
        cut: Drop the connection in the middle of the reply.
        hang: Never answer (until the server is closed).
        longest: Refuse texts of more characters than this, and more texts than `most`.
    """

    status: int = 200
    message: str = "it went wrong"
    headers: dict[str, str] = field(default_factory=dict)
    change: Callable[[Json], object] | None = None
    raw: bytes | None = None
    cut: bool = False
    hang: bool = False
    dims: int = DIMS
    form: Literal["float", "base64", ""] = ""
    longest: int = 1_000_000
    most: int = 1_000_000


GOOD = Say()


def vector(text: str, dims: int = DIMS) -> np.ndarray:
    """How often letters of each class stand in a text, as a vector of length 1."""
    counts = np.bincount([ord(c) % dims for c in text] or [0], minlength=dims)
    made = counts.astype(np.float32) + np.float32(0.01)
    return made / np.linalg.norm(made)


class FakeVectors:
    """One server; use it as a context manager.

    Attributes:
        requests: The bodies of what it was asked, in order; paths, headers and keys beside them.
    """

    def __init__(self, *script: Say) -> None:
        self.requests: list[Json] = []
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.keys: list[str] = []
        self.closing = threading.Event()
        self._script = script or (GOOD,)
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(
            ("127.0.0.1", 0), type("Handler", (_Handler,), {"server_of": self})
        )
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def point(
        self, patch: pytest.MonkeyPatch, provider: str = "openai", key: str | None = "test-key"
    ) -> None:
        """Set a provider's variables so that they come here; without a key when that is None."""
        patch.setenv(f"{provider.upper()}_BASE_URL", self.url)
        patch.setenv("NO_PROXY", "127.0.0.1")
        if key is None:
            patch.delenv(f"{provider.upper()}_API_KEY", raising=False)
        else:
            patch.setenv(f"{provider.upper()}_API_KEY", key)

    def say(self, *script: Say) -> None:
        """From now on, answer by another script."""
        with self._lock:
            self._script = (*([GOOD] * len(self.requests)), *script)

    @property
    def texts(self) -> list[str]:
        """Every text that was sent to be embedded, in order."""
        return [text for body in self.requests for text in body.get("input", [])]

    @property
    def sent(self) -> str:
        return json.dumps(self.requests, ensure_ascii=False)

    def take(self, path: str, body: Json, headers: dict[str, str]) -> Say:
        with self._lock:
            say = self._script[min(len(self.requests), len(self._script) - 1)]
            self.requests.append(body)
            self.paths.append(path)
            self.headers.append(headers)
            self.keys.append(headers.get("authorization", "").removeprefix("Bearer "))
            return say


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_of: FakeVectors

    def log_message(self, *_: object) -> None:
        """Say nothing on the terminal."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        say = self.server_of.take(self.path, body, {k.lower(): v for k, v in self.headers.items()})
        if say.hang:
            self.server_of.closing.wait(30)
            self.close_connection = True
        elif say.status != 200:
            self._reply(say.status, json.dumps(_error(say.message)).encode(), say)
        elif refused := _too_much(body, say):
            self._reply(400, json.dumps(_error(refused)).encode(), say)
        else:
            made = _made(self.path, body, say)
            changed = say.change(made) if say.change else made
            payload = json.dumps(changed).encode() if say.raw is None else say.raw
            self._reply(200, payload, say)

    def _reply(self, status: int, payload: bytes, say: Say) -> None:
        self.send_response(status)
        for name, text in {"Content-Type": "application/json", **say.headers}.items():
            self.send_header(name, text)
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload[: len(payload) // 2] if say.cut else payload)
        self.close_connection = say.cut


def _error(message: str) -> Json:
    return {"error": {"message": message, "type": "an_error", "param": None, "code": None}}


def _too_much(body: Json, say: Say) -> str:
    texts = body.get("input", [])
    if len(texts) > say.most:
        return f"batch size {len(texts)} > maximum allowed batch size {say.most}"
    if any(len(text) > say.longest for text in texts):
        return "This model's maximum context length is exceeded by the input."
    return ""


def _made(path: str, body: Json, say: Say) -> Json:
    if path.endswith("/rerank"):
        texts = body.get("documents") or body.get("texts") or []
        words = set(body["query"].lower().split())
        scores = [len(words & set(text.lower().split())) / 10 for text in texts]
        order = sorted(range(len(texts)), key=lambda at: -scores[at])
        return {"results": [{"index": at, "relevance_score": scores[at]} for at in order]}
    form = say.form or body.get("encoding_format", "float")
    rows = [_row(at, text, say.dims, form) for at, text in enumerate(body["input"])]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    return {"object": "list", "data": rows, "model": body["model"], "usage": usage}


def _row(at: int, text: str, dims: int, form: str) -> Json:
    made = vector(text, dims)
    value = base64.b64encode(made.astype("<f4").tobytes()).decode()
    embedding = value if form == "base64" else made.tolist()
    return {"object": "embedding", "index": at, "embedding": embedding}
