"""The manifest that a Slack app for Clew is made from, and what it asks for."""

from __future__ import annotations

import re
from pathlib import Path

from clew.errors import InputError

_FILE = Path(__file__).with_name("manifest.yaml")
_SCOPE = re.compile(r"^ {6}- (\w+:\w+)", re.MULTILINE)


def manifest(url: str = "") -> str:
    """The manifest's text, for Socket Mode or, with a URL, for events that are sent there.

    Args:
        url: Where Slack reaches `clew slack --http`, such as `https://clew.example/slack/events`.

    Raises:
        InputError: Slack sends events to no such URL.
    """
    text = _FILE.read_text(encoding="utf-8")
    if not url:
        return text
    if not re.fullmatch(r"https://[\w.-]+(?::\d+)?/[\w./~-]*", url):
        raise InputError("--url must be a https:// address with a path, as Slack will call it.")
    return (
        text.replace("event_subscriptions:\n", f"event_subscriptions:\n    request_url: {url}\n")
        .replace("is_enabled: true\n", f"is_enabled: true\n    request_url: {url}\n")
        .replace("socket_mode_enabled: true", "socket_mode_enabled: false")
    )


def scopes() -> frozenset[str]:
    """The permissions that a bot made from it has."""
    return frozenset(_SCOPE.findall(_FILE.read_text(encoding="utf-8")))
