"""What Slack tells an app, as its documents show it: events, and buttons that were pressed."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from support.slack.workspace import APP, ME, TEAM, Json

if TYPE_CHECKING:
    from support.slack.workspace import Posted

_events = itertools.count(1)


def event(inner: Json, event_id: str = "") -> Json:
    """The outer payload of an event."""
    return {
        "token": "",
        "team_id": TEAM,
        "api_app_id": APP,
        "event": inner,
        "type": "event_callback",
        "event_id": event_id or f"Ev{next(_events):08d}",
        "event_time": 1_700_000_000,
        "authorizations": [{"team_id": TEAM, "user_id": ME, "is_bot": True}],
        "is_ext_shared_channel": False,
    }


def mention(said: Posted, event_id: str = "") -> Json:
    """`app_mention`: somebody wrote the app's name."""
    return event(_message(said, "app_mention"), event_id)


def message(said: Posted, event_id: str = "", **more: Any) -> Json:
    """`message.channels`, or `message.im` in direct messages."""
    kind = "im" if said.channel.startswith("D") else "channel"
    return event({**_message(said, "message"), "channel_type": kind, **more}, event_id)


def _message(said: Posted, kind: str) -> Json:
    inner = {
        "type": kind,
        "user": said.user,
        "text": said.text,
        "ts": said.ts,
        "channel": said.channel,
        "event_ts": said.ts,
        "team": TEAM,
    }
    return {**inner, "thread_ts": said.thread} if said.thread else inner


def press(said: Posted, action: str, user: str = "U0ADA", **more: Any) -> Json:
    """`block_actions`: somebody pressed a button of a message."""
    button = next(b for b in said.buttons if b["action_id"] == action)
    return {
        "type": "block_actions",
        "user": {"id": user, "username": "ada", "team_id": TEAM},
        "api_app_id": APP,
        "team": {"id": TEAM, "domain": "shop"},
        "container": {
            "type": "message",
            "message_ts": said.ts,
            "channel_id": said.channel,
            "is_ephemeral": False,
            "thread_ts": said.thread,
        },
        "channel": {"id": said.channel, "name": "general"},
        "message": {"ts": said.ts, "thread_ts": said.thread, "text": said.text},
        "trigger_id": "1.2.3",
        "response_url": "",
        "actions": [{"type": "button", "block_id": "b1", "action_ts": "1.2", **button}],
        **more,
    }
