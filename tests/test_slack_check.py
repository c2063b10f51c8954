"""`clew slack check` says what is missing, each in a sentence with what to do about it."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from clew.errors import SettingsError
from clew.settings import SlackSettings
from clew.surfaces.slack.check import check
from clew.surfaces.slack.running import Connection
from clew.tags import Tags
from support import cli
from support.slack.running import CHANNEL, WATCHED, a_shop, connection
from support.slack.server import FakeSlack
from support.slack.workspace import APP_TOKEN, BOT_TOKEN

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from clew.doctor import Finding


def findings(
    folder: Path, prepare: Callable[[FakeSlack], None] = lambda fake: None, **changes: Any
) -> dict[str, Finding]:
    """What is found, by check and how it ended; the last one of each."""

    async def look() -> list[Finding]:
        fake = FakeSlack()
        async with fake.running():
            for name in (CHANNEL, WATCHED):
                fake.workspace.channel(name)
            prepare(fake)
            with a_shop(folder) as clew:
                return [f async for f in check(connection(fake, **changes), clew.tags)]

    return {f"{found.check}: {found.level}": found for found in asyncio.run(look())}


def failed(found: dict[str, Finding]) -> list[Finding]:
    return [finding for finding in found.values() if finding.level == "fail"]


def test_where_all_is_well_nothing_fails(tmp_path: Path) -> None:
    found = findings(tmp_path)
    assert failed(found) == []
    assert set(found) == {
        f"{name}: ok"
        for name in ("bot token", "app token", "signing secret", "scopes", "channel", "socket")
    }


@pytest.mark.parametrize(
    ("changes", "name", "said"),
    [
        ({"bot_token": ""}, "bot token", "not set"),
        ({"bot_token": "xoxp" + "-wrong"}, "bot token", "does not begin with xoxb-"),
        ({"bot_token": "xoxb" + "-wrong"}, "bot token", "invalid_auth"),
        ({"app_token": BOT_TOKEN}, "app token", "does not begin with xapp-"),
        ({"app_token": "xapp" + "-wrong"}, "socket", "invalid_auth"),
    ],
)
def test_a_wrong_token_is_named_with_where_to_get_it(
    tmp_path: Path, changes: dict[str, str], name: str, said: str
) -> None:
    found = findings(tmp_path, **changes)[f"{name}: fail"]
    assert said in found.message
    assert "api.slack.com/apps" in found.advice
    for value in changes.values():
        assert not value or value not in found.message + found.advice


def test_missing_permissions_are_listed(tmp_path: Path) -> None:
    def less(fake: FakeSlack) -> None:
        fake.workspace.scopes -= {"reactions:write", "chat:write"}

    found = findings(tmp_path, less)["scopes: fail"]
    assert "chat:write, reactions:write" in found.message
    assert "install anew" in found.advice


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"member": False}, "the app is not in it"),
        ({"archived": True}, "is archived"),
        (None, "is not there, or it is private"),
    ],
)
def test_a_listed_channel_that_can_t_be_answered_is_named(
    tmp_path: Path, change: dict[str, bool] | None, said: str
) -> None:
    def spoil(fake: FakeSlack) -> None:
        if change is None:
            del fake.workspace.channels[CHANNEL]
        else:
            fake.workspace.channel(CHANNEL, **change)

    found = findings(tmp_path, spoil)["channel: fail"]
    assert CHANNEL in found.message
    assert said in found.message


def test_tags_that_list_no_channel_are_said(tmp_path: Path) -> None:
    async def look() -> list[Finding]:
        async with FakeSlack().running() as fake:
            return [f async for f in check(connection(fake), Tags())]

    found = {f.check: f for f in asyncio.run(look()) if f.level == "fail"}
    assert "No tag lists a Slack channel." in found["tags"].message


def test_a_slack_that_can_t_be_reached_is_said_quickly(tmp_path: Path) -> None:
    async def look() -> list[Finding]:
        fake = FakeSlack()
        async with fake.running():
            gone = connection(fake)
        with a_shop(tmp_path) as clew:
            return [f async for f in check(gone, clew.tags)]

    (found,) = (f for f in asyncio.run(look()) if f.level == "fail")
    assert "can't be reached" in found.message


# --- the command line ------------------------------------------------------------------------


def test_the_manifest_is_printed() -> None:
    ran = cli.clew("slack", "manifest")
    assert ran.code == 0
    assert "socket_mode_enabled: true" in ran.out
    assert cli.clew("slack", "manifest", "--url", "http://x").code == 2


def test_the_command_prints_findings_and_exits_with_3(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "SLACK_SIGNING_SECRET"):
        monkeypatch.delenv(name, raising=False)
    ran = cli.clew("slack", "check", "--data", tmp_path, "--json")
    assert ran.code == 3
    rows = [json.loads(line) for line in ran.out.splitlines()]
    assert [(row["check"], row["level"]) for row in rows][:2] == [
        ("bot token", "fail"),
        ("app token", "fail"),
    ]


def test_without_tokens_the_command_says_what_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    ran = cli.clew("slack", "--data", tmp_path)
    assert ran.code == 2
    assert "SLACK_BOT_TOKEN and SLACK_APP_TOKEN" in ran.err


def test_tokens_go_nowhere_in_the_clear() -> None:
    with pytest.raises(SettingsError, match="https://"):
        Connection.of(SlackSettings(api="http://slack.example/api/"))
    made = Connection.of(SlackSettings(api="http://127.0.0.1:9/api", app_token=APP_TOKEN))
    assert made.api == "http://127.0.0.1:9/api/"
    assert made.app_token == APP_TOKEN
