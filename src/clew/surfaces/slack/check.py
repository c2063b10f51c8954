"""`clew slack check`: what keeps the app from answering in Slack, and what to do about each thing.

It asks Slack and changes nothing there. Every check stands alone, as far as the tokens allow.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from clew.doctor import Finding
from clew.errors import TransientError
from clew.surfaces.slack.client import Slack
from clew.surfaces.slack.manifest import scopes
from clew.surfaces.slack.running import CALL_SECONDS, open_web

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator

    from clew.surfaces.slack.client import Identity, Json
    from clew.surfaces.slack.running import Connection
    from clew.tags import Tags

PAGE = "https://api.slack.com/apps"
_BOT, _APP = "xoxb-", "xapp-"
_BASIC = "Basic Information, App-Level Tokens (with connections:write)"
HELLO_SECONDS = 15.0  # for Slack's first word on a socket
_TRIES = 2  # of each call: somebody is waiting


async def check(connection: Connection, tags: Tags) -> AsyncIterator[Finding]:
    """Every finding, as it is found."""
    for finding in _settings(connection, tags):
        yield finding
    if not connection.bot_token.startswith(_BOT):
        return  # there is nothing to ask with
    async with _slack(connection) as slack:
        try:
            reply, me = await slack.identity()
            yield _identity(reply.error, me)
            if me is not None:
                yield _scopes(me)
                async for finding in _channels(slack, tags):
                    yield finding
            if connection.app_token.startswith(_APP):
                yield await _socket(slack, connection.app_token)
        except TransientError as error:
            advice = "Look at the network, the proxy (HTTPS_PROXY) and status.slack.com."
            yield Finding("slack", "fail", error.message, advice)


@asynccontextmanager
async def _slack(connection: Connection) -> AsyncGenerator[Slack]:
    async with open_web(connection) as web:
        yield Slack(web, tries=_TRIES)


def _settings(connection: Connection, tags: Tags) -> list[Finding]:
    """What is configured, before Slack is asked."""
    found = [
        _token("bot token", connection.bot_token, _BOT, "SLACK_BOT_TOKEN", "OAuth & Permissions")
    ]
    if connection.app_token or not connection.signing_secret:
        found.append(_token("app token", connection.app_token, _APP, "SLACK_APP_TOKEN", _BASIC))
    if connection.signing_secret:
        found.append(Finding("signing secret", "ok", "set: events over HTTP can be checked."))
    if not any(tag.channels for tag in tags.by_name.values()):
        advice = 'Add slack = [{channel = "C…"}] to a tag in the configuration: see docs/tags.md.'
        found.append(Finding("tags", "fail", "No tag lists a Slack channel.", advice))
    return found


def _token(name: str, value: str, begins: str, variable: str, where: str) -> Finding:
    if value.startswith(begins):
        return Finding(name, "ok", "set.")
    said = f"It does not begin with {begins}." if value else "It is not set."
    return Finding(name, "fail", said, f"Set {variable} to the one under {where} at {PAGE}.")


def _identity(error: str, me: Identity | None) -> Finding:
    if me is not None:
        return Finding("bot token", "ok", f"Slack knows it: @{me.name} in workspace {me.team}.")
    advice = f"Install the app into the workspace at {PAGE} and set SLACK_BOT_TOKEN anew."
    return Finding("bot token", "fail", f"Slack refuses it ({error}).", advice)


def _scopes(me: Identity) -> Finding:
    missing = sorted(scopes() - me.scopes)
    if not missing:
        return Finding("scopes", "ok", "Every permission is there.")
    advice = "Add them under OAuth & Permissions (or paste `clew slack manifest`) and install anew."
    return Finding("scopes", "fail", f"Permissions are missing: {', '.join(missing)}.", advice)


async def _channels(slack: Slack, tags: Tags) -> AsyncIterator[Finding]:
    listed = {name: mode for tag in tags.by_name.values() for name, mode in tag.channels}
    for channel, mode in listed.items():
        yield await _channel(slack, channel, mode)


async def _channel(slack: Slack, channel: str, mode: str) -> Finding:
    reply = await slack.call("conversations.info", {"channel": channel})
    about: Json = reply.data.get("channel") or {}
    name = f"#{about.get('name')} ({channel})"
    if reply.error == "channel_not_found":
        advice = "Take the id from the channel's details, and invite the app if it is private."
        return Finding("channel", "fail", f"{channel} is not there, or it is private.", advice)
    if reply.error:
        advice = "See the permissions above."
        return Finding("channel", "fail", f"{channel} can't be read ({reply.error}).", advice)
    if about.get("is_archived"):
        return Finding("channel", "fail", f"{name} is archived.", "Take it out of its tags.")
    if not about.get("is_member"):
        return Finding("channel", "fail", f"{name}: the app is not in it.", "Invite it there.")
    return Finding("channel", "ok", f"{name} is answered ({mode}).")


async def _socket(slack: Slack, app_token: str) -> Finding:
    """Whether a socket opens and Slack says hello on it."""
    reply = await slack.call("apps.connections.open", {"app_token": app_token})
    if reply.error:
        advice = f"Make an app-level token with connections:write at {PAGE}; turn Socket Mode on."
        return Finding("socket", "fail", f"Slack opens none ({reply.error}).", advice)
    problem = await _hello(slack, str(reply.data["url"]))
    if problem:
        advice = "Let WebSockets to *.slack.com through the network or the proxy."
        return Finding("socket", "fail", f"It does not open ({problem}).", advice)
    return Finding("socket", "ok", "Slack says hello on it.")


async def _hello(slack: Slack, url: str) -> str:
    """Why Slack doesn't say hello there, "" when it does."""
    from aiohttp import ClientError, ClientSession, ClientTimeout

    async with ClientSession(timeout=ClientTimeout(total=CALL_SECONDS)) as session:
        try:
            async with (
                asyncio.timeout(HELLO_SECONDS),
                session.ws_connect(url, proxy=slack.web.proxy) as socket,
            ):
                said = await socket.receive_json()
        except (ClientError, TimeoutError, OSError, TypeError, ValueError) as error:
            return type(error).__name__
    return "" if said.get("type") == "hello" else "no hello"
