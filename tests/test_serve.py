"""HTTP for real: a server on loopback, who may call it, and what official clients get from it."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from clew.app import Lazy
from clew.errors import PermanentError
from clew.settings import Settings
from clew.surfaces.serve.guard import asker
from clew.surfaces.serve.leaving import CUT_OFF
from clew.surfaces.serve.running import Service, run
from clew.types import Asker
from support.agents import GREETING, text_of
from support.asking import SHOP, Paused

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable
    from pathlib import Path

    from clew.app import Clew
    from support.gitrepo import GitRepo

BANK = {"bank/ledger.py": 'def settle_account():\n    """Settles an account."""\n'}
QUESTION = {"question": "where are refunds retried?"}
TAKES = {"Accept": "application/json, text/event-stream"}


class Site:
    """A running server: its address, and tokens for it."""

    def __init__(self, clew: Clew, url: str, server: asyncio.Future[None]) -> None:
        self.clew = clew
        self.url = url
        self.server = server

    def token(self, *tags: str) -> dict[str, str]:
        _, secret = self.clew.tokens().create("-".join(("t", *tags)), tags)
        return {"Authorization": f"Bearer {secret}"}

    @asynccontextmanager
    async def agent(self, headers: dict[str, str] | None = None) -> AsyncGenerator[Client]:
        async with (
            httpx2.AsyncClient(headers=headers or {}, timeout=60) as http,
            Client(streamable_http_client(f"{self.url}/mcp", http_client=http)) as client,
        ):
            yield client

    async def get(self, path: str, **headers: str) -> httpx2.Response:
        async with httpx2.AsyncClient(timeout=60) as http:
            return await http.get(self.url + path, headers=headers)

    async def ask(self, body: Any = None, **headers: str) -> httpx2.Response:
        async with httpx2.AsyncClient(timeout=60) as http:
            return await http.post(f"{self.url}/api/v1/ask", json=body or QUESTION, headers=headers)


@pytest.fixture
def served(
    make_clew: Callable[..., Clew], git_repo: Callable[..., GitRepo], tmp_path: Path
) -> Callable[..., Any]:
    """Run something against a server over two tags; `shop` is also what it was started on."""
    shop, bank = git_repo(SHOP, name="shop"), git_repo(BANK, name="bank")
    tags = {"shop": {"sources": [str(shop.path)]}, "bank": {"sources": [str(bank.path)]}}

    def during(work: Callable[[Site], Any], **serve: Any) -> Any:
        given = {"port": 0, **serve}
        clew = make_clew(tags=tags, serve=given)
        settings = Settings(data=tmp_path / "data", tags=tags, serve=given)

        async def both() -> Any:
            told: asyncio.Queue[str] = asyncio.Queue()
            service = Service((str(shop.path),))
            server = asyncio.ensure_future(run(clew, settings, service, told.put_nowait))
            words = asyncio.ensure_future(told.get())
            await asyncio.wait([server, words], return_when=asyncio.FIRST_COMPLETED)
            if server.done():
                words.cancel()
                server.result()
            url = words.result().partition("at ")[2].partition("/mcp")[0]
            try:
                return await work(Site(clew, url, server))
            finally:
                server.cancel()
                await asyncio.wait([server])

        return asyncio.run(both())

    return during


# --- MCP -------------------------------------------------------------------------------------


def test_the_person_at_the_machine_needs_no_token(served: Callable[..., Any]) -> None:
    async def work(site: Site) -> None:
        async with site.agent() as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            found = await client.call_tool("search_code", {"query": "retry refund"})
        assert "ask" in names
        assert "shop/refunds.py" in text_of(found)

    served(work)


def test_a_token_reads_what_its_tags_name(served: Callable[..., Any]) -> None:
    async def work(site: Site) -> None:
        async with site.agent(site.token("bank")) as client:
            inside = await client.call_tool("search_code", {"query": "settle account"})
            outside = await client.call_tool("search_code", {"query": "retry refund"})
            named = await client.call_tool("search_code", {"query": "refund", "tag": "shop"})
            tags = await client.call_tool("get_tags", {})
        assert "bank/ledger.py" in text_of(inside)
        for result in (outside, named, tags):
            assert "refunds.py" not in text_of(result)
        assert named.is_error
        assert text_of(tags).startswith("bank:")

    served(work)


def test_a_revoked_token_stops_at_once(served: Callable[..., Any]) -> None:
    async def work(site: Site) -> None:
        headers = site.token("bank")
        async with site.agent(headers) as client:
            assert not (await client.call_tool("get_tags", {})).is_error
            site.clew.tokens().revoke("t-bank")
            with pytest.raises((MCPError, httpx2.HTTPError)):
                await client.call_tool("get_tags", {})

    served(work)


def test_a_session_belongs_to_who_began_it(served: Callable[..., Any]) -> None:
    async def work(site: Site) -> None:
        shop, bank = site.token("shop"), site.token("bank")
        called = {"jsonrpc": "2.0", "id": 2, "method": "tools/call"}
        called["params"] = {"name": "get_tags", "arguments": {}}
        async with httpx2.AsyncClient(timeout=60, headers=TAKES) as http:
            for who in (shop, {}):
                begun = await http.post(f"{site.url}/mcp", json=GREETING, headers=who)
                session = {"Mcp-Session-Id": begun.headers["mcp-session-id"]}
                for other in (shop, bank, {}):
                    reply = await http.post(
                        f"{site.url}/mcp", json=called, headers={**session, **other}
                    )
                    assert (reply.status_code == 200) == (other == who)

    served(work)


def test_roots_are_ignored_over_http(served: Callable[..., Any], tmp_path: Path) -> None:
    from mcp_types import ListRootsResult, Root

    asked: list[object] = []

    async def listed(context: object) -> ListRootsResult:
        asked.append(context)
        return ListRootsResult(roots=[Root(uri=tmp_path.as_uri())])

    async def work(site: Site) -> None:
        client = Client(f"{site.url}/mcp", list_roots_callback=listed, mode="legacy")
        async with client:
            found = await client.call_tool("search_code", {"query": "retry refund"})
        assert "shop/refunds.py" in text_of(found)

    served(work)
    assert not asked


# --- who may call ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example.org"}, 421),
        ({"Host": "evil.example.org:8765"}, 421),
        ({"Origin": "https://evil.example.org"}, 403),
        ({"Origin": "http://localhost:3000"}, 403),
        ({"Origin": "null"}, 403),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": "Basic Og=="}, 401),
        ({"Authorization": "Bearer"}, 401),
        ({"X-Forwarded-For": "203.0.113.7"}, 401),
        ({"Forwarded": "for=203.0.113.7"}, 401),
        ({"X-Forwarded-Proto": "https"}, 401),
        ({"Via": "1.1 proxy"}, 401),
        ({"Host": "clew.example.org"}, 401),
    ],
    ids=str,
)
def test_who_may_not_call_is_turned_away_whatever_they_ask(
    served: Callable[..., Any], headers: dict[str, str], status: int
) -> None:
    async def work(site: Site) -> None:
        for path in ("/mcp", "/api/v1/ask", "/nothing/here"):
            reply = await site.get(path, **headers)
            assert reply.status_code == status
            assert reply.json()["error"]["type"] == "access"
        assert (await site.ask(**headers)).status_code == status

    served(work, hosts=["clew.example.org"])


def test_a_proxy_that_says_nothing_of_itself_is_known_by_how_it_speaks(
    served: Callable[..., Any],
) -> None:
    async def work(site: Site) -> None:
        port = int(site.url.rpartition(":")[2])
        for version, status in (("1.0", b"401"), ("1.1", b"404")):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            head = f"GET /x HTTP/{version}\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"
            writer.write(head.encode())
            assert (await reader.read()).split(b" ")[1] == status
            writer.close()

    served(work)


def test_names_origins_and_tokens_that_are_allowed_pass(served: Callable[..., Any]) -> None:
    async def work(site: Site) -> None:
        token = site.token("shop")
        for headers in (
            {"Host": "clew.example.org", **token},
            {"X-Forwarded-For": "203.0.113.7", **token},
            {"Origin": "https://page.example.org"},
            {"Origin": site.url},
        ):
            assert (await site.ask(**headers)).status_code == 200

    served(work, hosts=["clew.example.org"], origins=["https://page.example.org"])


def test_tokens_can_be_asked_of_everybody(served: Callable[..., Any]) -> None:
    async def work(site: Site) -> None:
        assert (await site.ask()).status_code == 401
        assert (await site.ask(**site.token("shop"))).status_code == 200

    served(work, tokens="always")


def test_beyond_loopback_everybody_needs_a_token(served: Callable[..., Any]) -> None:
    async def work(site: Site) -> None:
        port = site.url.rpartition(":")[2]
        site.url = f"http://127.0.0.1:{port}"
        assert (await site.ask()).status_code == 401
        assert (await site.ask(**site.token("shop"))).status_code == 200
        assert (await site.get("/healthz")).text == "ok\n"

    served(work, host="0.0.0.0")


def test_nobody_is_taken_for_somebody_without_the_guard() -> None:
    from starlette.requests import HTTPConnection

    assert asker(HTTPConnection({"type": "http", "headers": []})) == Asker("token")


# --- the API ---------------------------------------------------------------------------------


def test_a_question_is_answered_as_json(served: Callable[..., Any]) -> None:
    async def work(site: Site) -> None:
        answer = (await site.ask()).json()
        assert answer["outcome"] == "answered"
        assert answer["citations"][0]["path"] == "shop/refunds.py"
        stored = await site.clew.answer(answer["id"])
        assert stored.summary.asker == Asker("http")
        theirs = (await site.ask({**QUESTION, "timeout_s": 30}, **site.token("shop"))).json()
        assert theirs["tag"] == "shop"
        assert (await site.clew.answer(theirs["id"])).summary.asker == Asker("token", "t-shop")

    served(work)


def test_a_question_is_answered_as_events(served: Callable[..., Any]) -> None:
    async def work(site: Site) -> None:
        reply = await site.ask(Accept="text/event-stream")
        assert reply.headers["content-type"].startswith("text/event-stream")
        rows = [line[6:] for line in reply.text.splitlines() if line.startswith("data: ")]
        events = [json.loads(row) for row in rows]
        assert [event["event"] for event in events][-1] == "done"
        text = "".join(event["text"] for event in events if event["event"] == "text")
        assert text == events[-1]["answer"]["text"]
        refused = await site.ask({**QUESTION, "tag": "none"}, Accept="text/event-stream")
        assert "event: error" in refused.text

    served(work)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"q": "why?"}, "'q' is no field"),
        ({"question": 3}, "question has the wrong type"),
        ({"question": "why?", "mode": "guess"}, "mode is one of"),
        ({"question": "why?", "timeout_s": 0}, "from 1 to 3,600"),
        ({"question": "why?", "timeout_s": True}, "wrong type"),
        ({"tag": "shop"}, "The question is missing"),
        ({"question": " "}, "The question is empty"),
        (["why?"], "is not an object"),
        ({"question": "x" * 200_000}, "more than 100,000 bytes"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_wrong_request_is_refused_in_one_sentence(
    served: Callable[..., Any], body: Any, said: str
) -> None:
    async def work(site: Site) -> None:
        reply = await site.ask(body)
        assert reply.status_code == 400
        assert said in reply.json()["error"]["message"]

    served(work)


def test_letters_that_are_none_are_answered_like_any_other(served: Callable[..., Any]) -> None:
    """JSON can spell half of a surrogate pair, and a NUL: no encoding takes the one."""

    async def work(site: Site) -> None:
        async with httpx2.AsyncClient(timeout=60) as http:
            for spelled in ("\\ud800", "\\u0000", "\\udfff\\u2028"):
                for kind in ("application/json", "text/event-stream"):
                    body = f'{{"question": "where are {spelled} refunds retried?"}}'
                    headers = {"Content-Type": "application/json", "Accept": kind}
                    reply = await http.post(
                        f"{site.url}/api/v1/ask", content=body.encode(), headers=headers
                    )
                    assert reply.status_code == 200
                    assert "shop/refunds.py" in reply.text
            refused = f'{{"question": "why?", "tag": "{spelled}"}}'
            reply = await http.post(
                f"{site.url}/api/v1/ask", content=refused.encode(), headers=headers
            )
            assert "event: error" in reply.text

    served(work)


def test_what_is_not_json_is_refused(served: Callable[..., Any]) -> None:
    async def work(site: Site) -> None:
        async with httpx2.AsyncClient(timeout=60) as http:
            form = await http.post(f"{site.url}/api/v1/ask", data={"question": "why?"})
            broken = await http.post(
                f"{site.url}/api/v1/ask",
                content=b"{",
                headers={"Content-Type": "application/json"},
            )
        assert (form.status_code, broken.status_code) == (400, 400)

    served(work)


@pytest.mark.parametrize("ends", [True, False])
def test_a_request_that_does_not_come_is_not_waited_for(
    served: Callable[..., Any],
    ends: bool,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr("clew.surfaces.serve.api.BODY_SECONDS", 60.0 if ends else 0.01)

    async def work(site: Site) -> None:
        port = int(site.url.rpartition(":")[2])
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        head = "POST /api/v1/ask HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        kind = "Content-Type: application/json\r\nContent-Length: 99\r\n\r\n"
        writer.write(f'{head}{kind}{{"q'.encode())
        if ends:
            writer.write_eof()
        reply = (await reader.read()).decode()
        writer.close()
        assert ends or "did not come within" in reply
        assert (await site.ask()).status_code == 200

    served(work)
    assert not [record for record in caplog.records if record.exc_info]


# --- health and the end ----------------------------------------------------------------------


def test_health_and_readiness_are_open_to_any_name(served: Callable[..., Any]) -> None:
    async def work(site: Site) -> None:
        for path, text in (("/healthz", "ok\n"), ("/readyz", "ready\n")):
            reply = await site.get(path, Host="10.1.2.3:8765", **{"X-Forwarded-For": "10.0.0.1"})
            assert (reply.status_code, reply.text) == (200, text)

    served(work)


def test_an_address_that_is_taken_is_told_in_one_sentence(served: Callable[..., Any]) -> None:
    async def work(site: Site) -> None:
        port = int(site.url.rpartition(":")[2])
        settings = Settings(data=site.clew._settings.data, serve={"port": port})
        with pytest.raises(PermanentError, match="can't be listened on"):
            await run(site.clew, settings, Service(), lambda _: None)

    served(work)


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
def test_what_is_being_answered_when_it_stops_comes_to_its_end(
    served: Callable[..., Any], kind: str
) -> None:
    async def work(site: Site) -> None:
        slow = held(site)
        pending = asyncio.ensure_future(site.ask(Accept=kind))
        try:
            assert await asyncio.to_thread(slow.begun.wait, 60)
            site.server.cancel()
        finally:
            slow.go_on.set()
        assert '"outcome": "answered"' in (await pending).text
        await asyncio.wait([site.server])
        with pytest.raises(httpx2.TransportError):
            await site.ask()

    served(work)


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
def test_what_is_cut_off_when_it_stops_says_so(
    served: Callable[..., Any],
    kind: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr("clew.surfaces.serve.running.GRACE_SECONDS", 0)

    async def work(site: Site) -> None:
        slow = held(site)
        pending = asyncio.ensure_future(site.ask(Accept=kind))
        try:
            assert await asyncio.to_thread(slow.begun.wait, 60)
            site.server.cancel()
            reply = await pending
        finally:
            slow.go_on.set()
        if kind == "application/json":
            assert (reply.status_code, reply.json()["error"]["message"]) == (503, CUT_OFF)
        else:
            assert "event: done" not in reply.text
            assert reply.text.count("event: error") == 1
            assert CUT_OFF in reply.text
        await asyncio.wait([site.server])
        (row,) = await site.clew.history(5)
        assert row.outcome == "failed"

    served(work)
    assert not [record for record in caplog.records if record.exc_info]


def test_a_client_that_only_listens_does_not_hold_up_the_end(
    served: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr("clew.surfaces.serve.running.GRACE_SECONDS", 3_600)

    async def work(site: Site) -> None:
        async with httpx2.AsyncClient(timeout=60, headers=TAKES) as http:
            begun = await http.post(f"{site.url}/mcp", json=GREETING)
            session = {"Mcp-Session-Id": begun.headers["mcp-session-id"]}
            async with http.stream("GET", f"{site.url}/mcp", headers=session) as stream:
                assert stream.status_code == 200
                site.server.cancel()
                assert [line async for line in stream.aiter_lines() if line] == []
        async with asyncio.timeout(60):
            await asyncio.wait([site.server])

    served(work)
    assert not [record for record in caplog.records if record.exc_info]


def held(site: Site) -> Paused:
    """Let questions be answered only once they may."""
    slow = Paused(site.clew._parts().answerers["extract"])
    parts = replace(site.clew._parts(), answerers={"extract": slow})
    site.clew._parts = Lazy(lambda: parts)
    return slow
