"""The connection to Slack fails in every way that it can, and is there again afterwards (C14)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from support.asking import saying
from support.slack.running import DONE, Scene, a_scene, a_shop, play
from support.slack.server import FakeSlack

if TYPE_CHECKING:
    from pathlib import Path

QUESTION = "where are refunds retried?"


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.surfaces.slack.socket.PING_SECONDS", 0.1)


async def answered(on: Scene) -> None:
    (answer,) = await on.marked(await on.ask(QUESTION), DONE)
    assert "It is." in answer.words


def brief(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What was logged: no tracebacks, and no ticket with which others could listen."""
    assert not [record for record in caplog.records if record.exc_info]
    assert not re.search(r"ticket=\w", caplog.text)
    return [record.getMessage() for record in caplog.records]


def test_a_dead_socket_that_looks_alive_is_replaced(tmp_path: Path) -> None:
    async def scene() -> None:
        with a_shop(tmp_path, saying("It is.")) as clew:
            fake = FakeSlack()
            fake.answers_pings = False
            async with a_scene(clew, fake=fake) as on:
                await on.slack.until(lambda: fake.opened > 1, "another socket")
                fake.answers_pings = True
                await answered(on)

    play(scene)


def test_an_address_that_opens_no_socket_is_tried_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def scene() -> None:
        with a_shop(tmp_path, saying("It is.")) as clew:
            fake = FakeSlack()
            fake.refused = 2
            async with a_scene(clew, fake=fake) as on:
                assert len(on.slack.made("apps.connections.open")) == 3
                await answered(on)

    play(scene)
    assert any("Failed to connect" in said for said in brief(caplog))
    assert "ticket=…" in caplog.text


@pytest.mark.parametrize("how", [{"status": 503}, {"dropped": True}, {"error": "internal_error"}])
def test_a_slack_that_is_away_for_a_while_is_waited_for(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, how: dict[str, object]
) -> None:
    async def scene() -> None:
        with a_shop(tmp_path, saying("It is.")) as clew:
            async with a_scene(clew) as on:
                await answered(on)
                on.slack.fail("apps.connections.open", 5, **how)
                on.fake.refused = 1
                (socket,) = on.fake.sockets
                await socket.close()
                left = on.slack.failures["apps.connections.open"]
                await on.slack.until(lambda: not left and on.fake.sockets, "another socket")
                await answered(on)

    play(scene)
    assert brief(caplog)
