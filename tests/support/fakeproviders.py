"""Model providers on loopback that speak OpenAI's Chat Completions and Anthropic's Messages.

A `FakeProvider` answers each request with the next turn of its script, streamed as server-sent
events or whole, in its provider's own protocol, and keeps every request it was sent. The real
client libraries run against it. The last turn is repeated for ever.
"""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Literal, Self

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pytest

Kind = Literal["openai", "anthropic"]
KINDS: tuple[Kind, ...] = ("openai", "anthropic")
MODEL = "test-model"
PATHS = {"openai": "/v1/chat/completions", "anthropic": "/v1/messages"}
_ERRORS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}


@dataclass(frozen=True)
class Turn:
    """What the provider answers to one request.

    Attributes:
        calls: Tools by name with their arguments; arguments that are a text are sent as they are.
        stop: The finish in OpenAI's words: stop, tool_calls, length, content_filter.
        cut: "close" drops the connection in the middle, "end" ends the stream before its finish,
            "error" sends an error event instead of what would follow the first event.
        status: An HTTP error instead of a reply, with `message` as the provider's words.
        hang: Never answers (until the server is closed).
        tokens: Input, output and cached tokens that are reported.
    """

    text: str = ""
    calls: Sequence[tuple[str, Any]] = ()
    stop: str = ""
    cut: Literal["", "close", "end", "error"] = ""
    status: int = 200
    message: str = "it went wrong"
    headers: dict[str, str] = field(default_factory=dict)
    hang: bool = False
    tokens: tuple[int, int, int] = (100, 20, 40)

    @property
    def finish(self) -> str:
        return self.stop or ("tool_calls" if self.calls else "stop")


def say(text: str, **more: Any) -> Turn:
    return Turn(text, **more)


def call(*calls: tuple[str, Any], **more: Any) -> Turn:
    return Turn(calls=calls, **more)


def failing(status: int, **more: Any) -> Turn:
    return Turn(status=status, **more)


class FakeProvider:
    """One provider; use it as a context manager.

    Attributes:
        requests: The bodies of what it was asked, in order.
        keys: The keys that came with them.
    """

    def __init__(self, kind: Kind, *script: Turn) -> None:
        self.kind = kind
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.asked = threading.Event()  # set by the first request
        self.closing = threading.Event()
        self._script = script
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
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
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def model(self) -> str:
        return f"{self.kind}:{MODEL}"

    def point(self, patch: pytest.MonkeyPatch, key: str = "test-key") -> None:
        """Set the client libraries' own variables so that they come here."""
        name = self.kind.upper()
        patch.setenv(f"{name}_BASE_URL", self.url + ("/v1" if self.kind == "openai" else ""))
        patch.setenv(f"{name}_API_KEY", key)
        patch.setenv("NO_PROXY", "127.0.0.1")

    @property
    def sent(self) -> str:
        """Everything it was sent, as one text."""
        return json.dumps(self.requests, ensure_ascii=False)

    def messages(self, request: int = -1) -> str:
        """The conversation of one request, as one text."""
        return json.dumps(self.requests[request]["messages"], ensure_ascii=False)

    def tools(self, request: int = -1) -> list[str]:
        """The names of the tools that a request offered."""
        found = self.requests[request].get("tools") or []
        return [tool["function"]["name"] if "function" in tool else tool["name"] for tool in found]

    def take(self, body: dict[str, Any], key: str) -> Turn:
        with self._lock:
            turn = self._script[min(len(self.requests), len(self._script) - 1)]
            self.requests.append(body)
            self.keys.append(key)
            self.asked.set()
            return turn


def _handler(provider: FakeProvider) -> type[_Handler]:
    return type("Handler", (_Handler,), {"provider": provider})


def _error_event(kind: Kind) -> str:
    head = "event: error\n" if kind == "anthropic" else ""
    return f"{head}data: {json.dumps(_error(kind, 529, 'Overloaded'))}\n\n"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    provider: FakeProvider

    def log_message(self, *_: object) -> None:
        """Say nothing on the terminal."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        provider = self.provider
        if self.path.partition("?")[0] != PATHS[provider.kind]:
            self._json(404, _error(provider.kind, 404, f"no such path: {self.path}"), {})
            return
        key = self.headers.get("x-api-key") or self.headers.get("Authorization", "")
        turn = provider.take(body, key)
        if turn.hang:
            provider.closing.wait(30)
            self.close_connection = True
        elif turn.status != 200:
            self._json(turn.status, _error(provider.kind, turn.status, turn.message), turn.headers)
        elif body.get("stream"):
            self._stream(turn)
        else:
            self._json(200, _whole(provider.kind, turn), {})

    def _json(self, status: int, value: object, headers: dict[str, str]) -> None:
        payload = json.dumps(value).encode()
        self.send_response(status)
        for name, text in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name, text)
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def _stream(self, turn: Turn) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        events = list(_events(self.provider.kind, turn))
        if turn.cut:
            events = events[: len(events) * 2 // 3 - 2]
        if turn.cut == "error":
            events = [next(_events(self.provider.kind, turn)), _error_event(self.provider.kind)]
        for event in events:
            data = event.encode()
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            self.wfile.flush()
        if turn.cut == "close":
            self.close_connection = True
            self.connection.close()
        else:
            self.wfile.write(b"0\r\n\r\n")


def _error(kind: Kind, status: int, message: str) -> dict[str, Any]:
    name = _ERRORS.get(status, "api_error")
    if kind == "anthropic":
        return {"type": "error", "error": {"type": name, "message": message}}
    return {"error": {"message": message, "type": name, "param": None, "code": None}}


def _pieces(text: str) -> Iterator[str]:
    for start in range(0, len(text), 20):
        yield text[start : start + 20]


def _raw(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def _events(kind: Kind, turn: Turn) -> Iterator[str]:
    if kind == "openai":
        for value in _openai_chunks(turn):
            yield f"data: {json.dumps(value)}\n\n"
        yield "data: [DONE]\n\n"
    else:
        for value in _anthropic_events(turn):
            yield f"event: {value['type']}\ndata: {json.dumps(value)}\n\n"


def _whole(kind: Kind, turn: Turn) -> dict[str, Any]:
    read, wrote, cached = turn.tokens
    if kind == "openai":
        calls = [_openai_call(at, name, _raw(given)) for at, (name, given) in enumerate(turn.calls)]
        message = {"role": "assistant", "content": turn.text or None, "tool_calls": calls or None}
        choice = {"index": 0, "message": message, "finish_reason": turn.finish}
        head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": MODEL}
        return {**head, "choices": [choice], "usage": _openai_usage(turn)}
    content: list[dict[str, Any]] = [{"type": "text", "text": turn.text}] if turn.text else []
    for at, (name, given) in enumerate(turn.calls):
        content.append({"type": "tool_use", "id": f"toolu_{at}", "name": name, "input": given})
    usage = {
        "input_tokens": read - cached,
        "output_tokens": wrote,
        "cache_read_input_tokens": cached,
        "cache_creation_input_tokens": 0,
    }
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": content,
        "stop_reason": _anthropic_stop(turn),
        "stop_sequence": None,
        "usage": usage,
    }


# --- OpenAI ----------------------------------------------------------------------------------


def _openai_call(at: int, name: str, arguments: str) -> dict[str, Any]:
    return {
        "id": f"call_{at}",
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }


def _openai_usage(turn: Turn) -> dict[str, Any]:
    read, wrote, cached = turn.tokens
    return {
        "prompt_tokens": read,
        "completion_tokens": wrote,
        "total_tokens": read + wrote,
        "prompt_tokens_details": {"cached_tokens": cached},
    }


def _openai_chunks(turn: Turn) -> Iterator[dict[str, Any]]:
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": MODEL}

    def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        return {**head, "choices": [choice], "usage": None}

    yield chunk({"role": "assistant", "content": "", "refusal": None})
    if turn.finish == "content_filter":
        yield chunk({"refusal": "I can't help with that."})
    for piece in _pieces(turn.text):
        yield chunk({"content": piece})
    for at, (name, given) in enumerate(turn.calls):
        yield chunk({"tool_calls": [{"index": at, **_openai_call(at, name, "")}]})
        for piece in _pieces(_raw(given)):
            yield chunk({"tool_calls": [{"index": at, "function": {"arguments": piece}}]})
    yield chunk({}, turn.finish)
    yield {**head, "choices": [], "usage": _openai_usage(turn)}


# --- Anthropic -------------------------------------------------------------------------------


def _anthropic_stop(turn: Turn) -> str:
    words = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens"}
    return words.get(turn.finish, "refusal")


def _anthropic_events(turn: Turn) -> Iterator[dict[str, Any]]:
    message = _whole("anthropic", Turn(tokens=(turn.tokens[0], 1, turn.tokens[2])))
    yield {"type": "message_start", "message": {**message, "stop_reason": None}}
    yield {"type": "ping"}
    blocks: list[tuple[dict[str, Any], str, str, str]] = []
    if turn.text:
        blocks.append(({"type": "text", "text": ""}, "text_delta", "text", turn.text))
    for at, (name, given) in enumerate(turn.calls):
        block = {"type": "tool_use", "id": f"toolu_{at}", "name": name, "input": {}}
        blocks.append((block, "input_json_delta", "partial_json", _raw(given)))
    for index, (block, kind, field_name, text) in enumerate(blocks):
        yield {"type": "content_block_start", "index": index, "content_block": block}
        for piece in _pieces(text):
            delta = {"type": kind, field_name: piece}
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    delta = {"stop_reason": _anthropic_stop(turn), "stop_sequence": None}
    yield {"type": "message_delta", "delta": delta, "usage": {"output_tokens": turn.tokens[1]}}
    yield {"type": "message_stop"}
