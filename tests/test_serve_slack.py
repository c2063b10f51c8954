"""One process that serves Slack, MCP and the API at once: official clients, and a fake Slack."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from clew.errors import SettingsError
from clew.surfaces.serve.running import Service, run
from clew.surfaces.slack.answering import STOPPED
from support.agents import text_of
from support.asking import Paused, saying
from support.slack import payloads
from support.slack.running import CHANNEL, DONE, Scene, a_shop, connection, play, write
from support.slack.server import FakeSlack
from support.slack.workspace import APP_TOKEN, BOT_TOKEN

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from pathlib import Path

    from clew.app import Clew

QUESTION = "where are refunds retried?"


@asynccontextmanager
async def both(clew: Clew, fake: FakeSlack, **changes: Any) -> AsyncGenerator[tuple[Scene, str]]:
    """The process's own work, in the test's loop: Slack's side of it, and the address of MCP."""
    said: asyncio.Queue[str] = asyncio.Queue()
    service = Service(slack=connection(fake, **changes))
    serving = asyncio.ensure_future(run(clew, clew._settings, service, said.put_nowait))
    try:
        words: list[str] = []
        while len(words) < 2:
            heard = asyncio.ensure_future(said.get())
            await asyncio.wait([serving, heard], return_when=asyncio.FIRST_COMPLETED)
            if serving.done():
                heard.cancel()
                serving.result()
            words.append(heard.result())
        yield Scene(fake, clew, words[1]), words[0].partition("at ")[2].partition(": ")[0]
    finally:
        serving.cancel()
        await asyncio.wait([serving])


@asynccontextmanager
async def an_agent(url: str, secret: str) -> AsyncGenerator[Client]:
    headers = {"Authorization": f"Bearer {secret}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        yield client


@asynccontextmanager
async def a_slack() -> AsyncGenerator[FakeSlack]:
    fake = FakeSlack()
    async with fake.running():
        fake.workspace.channel(CHANNEL)
        yield fake


def test_one_process_answers_in_slack_and_over_mcp_from_the_same_records(tmp_path: Path) -> None:
    async def scene() -> None:
        with a_shop(tmp_path, serve={"port": 0}) as clew:
            _, secret = clew.tokens().create("ci", ["shop"])
            async with a_slack() as fake, both(clew, fake) as (on, url):
                assert on.words == "Answering in Slack as @clew, by Socket Mode."
                async with an_agent(url, secret) as client:
                    asked = await on.ask(QUESTION)
                    found = await client.call_tool("ask", {"question": QUESTION})
                    (answer,) = await on.marked(asked, DONE)
                assert "retry_refund" in answer.words
                assert "retry_refund" in text_of(found)
                rows = await clew.history(5)
                assert {row.asker.surface for row in rows} == {"slack", "token"}

    play(scene)


def test_when_it_stops_the_thread_is_told_and_the_next_one_goes_on(tmp_path: Path) -> None:
    paused = Paused(saying("It is."))

    async def scene() -> None:
        with a_shop(tmp_path, paused, serve={"port": 0}) as clew:
            async with a_slack() as fake:
                async with both(clew, fake) as (on, _):
                    asked = await on.ask(QUESTION)
                    assert await asyncio.to_thread(paused.begun.wait, 60)
                (said,) = fake.workspace.thread(asked)
                assert STOPPED in said.words
                assert not fake.sockets
                paused.go_on.set()
                left_behind(clew)
                async with both(clew, fake) as (on, _):
                    (answer,) = await on.marked(asked, DONE)
                    assert "It is." in answer.words

    play(scene)


def left_behind(clew: Clew) -> None:
    """Make what is open that of a process that has gone."""
    from clew.records.tables import receipt

    values = {"host": "elsewhere", "pid": 1, "process": "x", "seen_at": 0.0}
    with clew._records().writing() as connection:
        connection.execute(receipt.update().where(receipt.c.closed_at.is_(None)).values(values))


def test_a_slack_that_refuses_the_token_ends_it_in_one_sentence(tmp_path: Path) -> None:
    async def scene() -> None:
        with a_shop(tmp_path, serve={"port": 0}) as clew:
            async with a_slack() as fake:
                fake.workspace.fail("auth.test", error="token_revoked")
                with pytest.raises(SettingsError, match="refuses SLACK_BOT_TOKEN"):
                    async with both(clew, fake):
                        pass

    play(scene)


def test_the_rest_is_served_while_slack_can_not_be_reached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("clew.surfaces.slack.client._FIRST_WAIT", 0.001)
    monkeypatch.setattr("clew.surfaces.serve.running.AGAIN_SECONDS", 0.001)

    async def scene() -> None:
        with a_shop(tmp_path, saying("It is."), serve={"port": 0}) as clew:
            async with a_slack() as fake:
                fake.workspace.fail("auth.test", 9, status=503)
                async with both(clew, fake) as (on, _):
                    await on.marked(await on.ask(QUESTION), DONE)

    play(scene)
    assert "not answering in Slack yet: Slack can't be reached" in caplog.text


def test_the_command_serves_both_and_ends_when_it_is_told_to(tmp_path: Path) -> None:
    write(tmp_path / "shop")
    config = tmp_path / "config.toml"

    async def scene() -> None:
        async with a_slack() as fake:
            config.write_text(
                f"""
model.embed = "none"
serve.port = 0
slack.api = "{fake.api}"
[tags.shop]
sources = ["shop"]
slack = [{{channel = "{CHANNEL}"}}]
"""
            )
            command = [sys.executable, "-m", "clew", "serve", "--config", str(config)]
            process = await asyncio.create_subprocess_exec(
                *command,
                "--data",
                str(tmp_path / "data"),
                env={**os.environ, "SLACK_BOT_TOKEN": BOT_TOKEN, "SLACK_APP_TOKEN": APP_TOKEN},
                stderr=subprocess.PIPE,
            )
            try:
                assert process.stderr is not None
                said = [(await process.stderr.readline()).decode() for _ in range(2)]
                assert said[0].startswith("Serving MCP and the API at http://127.0.0.1:"), said
                assert said[1].startswith("Answering in Slack as @clew, by Socket Mode."), said
                asked = fake.workspace.say(CHANNEL, f"<@U0CLEW> {QUESTION}")
                await fake.told(payloads.mention(asked))
                await fake.workspace.until(lambda: asked.reactions == [DONE], "an answer")
                process.send_signal(signal.SIGTERM)
                rest = (await process.stderr.read()).decode()
                assert await process.wait() == 128 + signal.SIGTERM
                assert rest == "clew: stopped; what was indexed so far is kept.\n"
            finally:
                if process.returncode is None:
                    process.kill()
                    await process.wait()

    play(scene)
