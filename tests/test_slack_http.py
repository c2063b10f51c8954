"""Events over HTTP: taken with Slack's signature only, and as exactly once as by socket."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clew.errors import SettingsError
from support.slack import payloads
from support.slack.running import (
    CHANNEL,
    DONE,
    FakeSlack,
    Scene,
    a_scene,
    a_shop,
    connection,
    play,
    surface,
)
from support.slack.workspace import ME, SECRET

if TYPE_CHECKING:
    from pathlib import Path

    from support.slack.workspace import Posted

QUESTION = f"<@{ME}> where are refunds retried?"
OTHER_SECRET = SECRET[::-1]


def url(on: Scene) -> str:
    return on.words.partition("listening on ")[2].rstrip(".")


def asked(on: Scene) -> Posted:
    return on.slack.say(CHANNEL, QUESTION)


def test_a_signed_event_is_answered(tmp_path: Path) -> None:
    async def scene() -> None:
        with a_shop(tmp_path) as clew:
            async with a_scene(clew, http=True) as on:
                said = asked(on)
                status, _ = await on.fake.send(url(on), payloads.mention(said))
                assert status == 200
                (answer,) = await on.marked(said, DONE)
                assert "retry_refund" in answer.words

    play(scene)


def test_what_is_not_slacks_is_refused(tmp_path: Path) -> None:
    async def scene() -> None:
        with a_shop(tmp_path) as clew:
            async with a_scene(clew, http=True) as on:
                body = payloads.mention(asked(on))
                for how in ({"secret": OTHER_SECRET}, {"age": 600.0}, {"age": -600.0}):
                    status, _ = await on.fake.send(url(on), body, **how)
                    assert status == 401
                assert on.slack.made("reactions.add") == []

    play(scene)


def test_a_retry_of_slack_is_answered_once(tmp_path: Path) -> None:
    async def scene() -> None:
        with a_shop(tmp_path) as clew:
            async with a_scene(clew, http=True) as on:
                said = asked(on)
                body = payloads.mention(said)
                for retry in range(4):
                    status, _ = await on.fake.send(url(on), body, retry=retry)
                    assert status == 200
                await on.marked(said)
                again = asked(on)
                await on.fake.send(url(on), payloads.mention(again))
                await on.marked(again)
                assert len(on.slack.thread(said)) == 1

    play(scene)


def test_slacks_question_whether_the_address_is_ours_is_answered(tmp_path: Path) -> None:
    async def scene() -> None:
        with a_shop(tmp_path) as clew:
            async with a_scene(clew, http=True) as on:
                body = {"type": "url_verification", "token": "", "challenge": "abc"}
                status, said = await on.fake.send(url(on), body)
                assert (status, "abc" in said) == (200, True)

    play(scene)


@pytest.mark.parametrize(
    ("changes", "http", "said"),
    [
        ({"bot_token": ""}, False, "SLACK_BOT_TOKEN and SLACK_APP_TOKEN"),
        ({"app_token": ""}, False, "SLACK_BOT_TOKEN and SLACK_APP_TOKEN"),
        ({"signing_secret": ""}, True, "SLACK_BOT_TOKEN and SLACK_SIGNING_SECRET"),
        ({"bot_token": "xoxb-wrong"}, False, r"refuses SLACK_BOT_TOKEN \(invalid_auth\)"),
        ({"app_token": "xapp-wrong"}, False, r"refuses SLACK_APP_TOKEN \(invalid_auth\)"),
    ],
)
def test_a_token_that_is_missing_or_refused_is_named(
    tmp_path: Path, changes: dict[str, str], http: bool, said: str
) -> None:
    async def scene() -> None:
        with a_shop(tmp_path) as clew:
            async with FakeSlack().running() as fake:
                with pytest.raises(SettingsError, match=said):
                    async with surface(fake, clew, http=http, **changes):
                        pass

    play(scene)


def test_no_token_is_in_what_a_connection_looks_like(tmp_path: Path) -> None:
    fake = FakeSlack()
    shown = repr(connection(fake))
    assert "xoxb" not in shown
    assert "xapp" not in shown
    assert SECRET not in shown
