"""What Slack tells us, translated: which message asks something, of whom, and in what words.

It reads payloads of the Events API and of buttons, and decides nothing about who may ask.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from clew.surfaces.slack.plain import question_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clew.records.receipts import Receipt

Kind: TypeAlias = Literal["mention", "message", "direct"]
SURFACE = "slack"
_ID = re.compile(r"[A-Z0-9]{2,32}")
_TIMESTAMP = re.compile(r"\d{1,12}\.\d{1,9}")
# A message with another subtype is an edit, a deletion or somebody who joins.
_SUBTYPES = frozenset({"", "thread_broadcast", "file_share"})
_MIN_WORDS = 3  # "why?" alone asks somebody who is there
_ASKING = re.compile(
    r"(?:(?:hi|hey|hello)(?:\s+\w+){0,2}|so|ok|and|but|question)?[\s,:]*"
    r"(?:who|what|when|where|which|why|how|does|do|did|is|are|was|can|could|should|has|have|"
    r"anyone know|anybody know|any idea)\b",
    re.IGNORECASE,
)
_CODE = re.compile(r"```.*?(?:```|$)|`[^`\n]*`", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a message stands. `thread` is the timestamp of the message that began its thread."""

    team: str
    channel: str
    ts: str
    thread: str
    user: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A message that may be a question.

    Attributes:
        event: Slack's id of the event that told it.
        text: What was asked, in plain text.
        replies: It stands inside a thread that another message began.
        to_somebody: It speaks to somebody else by name.
    """

    kind: Kind
    event: str
    place: Place
    text: str
    replies: bool
    to_somebody: bool


@dataclass(frozen=True, slots=True)
class Pressed:
    """A button of ours that somebody pressed."""

    action: str
    value: str
    place: Place


def asked(body: Mapping[str, Any], me: str) -> Asked | None:
    """What an event asks, or None when it is nothing that a person wrote to be read.

    Args:
        body: The payload of an `event_callback`.
        me: My user id.
    """
    event = _table(body, "event")
    if event.get("bot_id") or event.get("user") in (None, me):
        return None  # bots that answer each other never end
    if (event.get("subtype") or "") not in _SUBTYPES:
        return None
    written = str(event.get("text") or "")
    kind = _kind(event, written, me)
    thread = str(event.get("thread_ts") or event.get("ts"))
    place = _place(body.get("team_id") or event.get("team"), event, thread)
    if kind is None or place is None:
        return None
    others = {who for who in re.findall(r"<@([A-Z0-9]+)", written) if who != me}
    return Asked(
        kind=kind,
        event=str(body.get("event_id") or "")[:64],
        place=place,
        text=question_of(written, me),
        replies=thread != place.ts,
        to_somebody=bool(others) or "<!" in written,
    )


def pressed(body: Mapping[str, Any]) -> Pressed | None:
    """The button of a `block_actions` payload, or None when it stands in no message."""
    actions: list[Mapping[str, Any]] = body.get("actions") or [{}]
    container, user, team = (_table(body, key) for key in ("container", "user", "team"))
    event = {
        "channel": container.get("channel_id"),
        "ts": container.get("message_ts"),
        "user": user.get("id"),
    }
    thread = str(container.get("thread_ts") or container.get("message_ts"))
    place = _place(team.get("id"), event, thread)
    if place is None:
        return None
    return Pressed(str(actions[0].get("action_id")), str(actions[0].get("value")), place)


def is_question(text: str) -> bool:
    """Whether a message that mentions nobody is a question, by a cheap rule.

    It has a few words, and ends a sentence with a question mark or begins one like a question.
    Code in it doesn't count: `a ? b : c` asks nothing.
    """
    words = _CODE.sub(" code ", text)
    if len(words.split()) < _MIN_WORDS:
        return False
    return bool(re.search(r"\?(?:[\s)\"'*_~]|$)", words)) or bool(_ASKING.match(words.strip()))


def place_key(place: Place) -> str:
    """The message that asks, as a receipt names it."""
    return f"{place.team}/{place.channel}/{place.ts}"


def thread_key(place: Place) -> str:
    """The thread it belongs to, as a receipt names it."""
    return f"{place.team}/{place.channel}/{place.thread}"


def place_of(receipt: Receipt) -> Place:
    """Where the question of a receipt stands."""
    team, channel, ts = receipt.place.split("/")
    return Place(team, channel, ts, receipt.thread.rpartition("/")[2], receipt.asker)


def _table(body: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    return body.get(key) or {}


def _kind(event: Mapping[str, Any], written: str, me: str) -> Kind | None:
    if event.get("channel_type") in ("im", "mpim"):
        return "direct"
    if event.get("type") == "app_mention" or f"<@{me}" in written:
        return "mention"  # Slack tells a mention in a watched channel as a message, too
    return "message" if event.get("type") == "message" else None


def _place(team: object, event: Mapping[str, Any], thread: str) -> Place | None:
    """The place, each part of it checked: it becomes a key, and part of what is sent back."""
    channel, ts, user = (str(event.get(key)) for key in ("channel", "ts", "user"))
    ids = all(_ID.fullmatch(one) for one in (str(team), channel, user))
    times = all(_TIMESTAMP.fullmatch(one) for one in (ts, thread))
    return Place(str(team), channel, ts, thread, user) if ids and times else None
