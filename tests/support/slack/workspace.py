"""What is in a Slack workspace, and what its Web API does with it.

Every call is written down. A method may be told to fail in Slack's ways: limited, refused, broken,
or carried out without an answer.
"""

from __future__ import annotations

import asyncio
import itertools
from collections import defaultdict, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from support.slack import rules

if TYPE_CHECKING:
    from collections.abc import Callable

Json = dict[str, Any]
# Put together here, so that no scanner trips over this file.
BOT_TOKEN = "xoxb" + "-1-2-clewtests"
APP_TOKEN = "xapp" + "-1-A1-2-clewtests"
SECRET = "0123456789abcdef" * 2
TEAM, ME, APP = "T0SHOP", "U0CLEW", "A0CLEW"
SCOPES = (
    "app_mentions:read",
    "channels:history",
    "channels:read",
    "chat:write",
    "groups:history",
    "groups:read",
    "im:history",
    "reactions:write",
)
FAILS_WITHIN = 60.0  # seconds: nothing here takes long, so what doesn't come never will


@dataclass
class Channel:
    id: str
    member: bool = True
    archived: bool = False
    direct: bool = False
    people: set[str] = field(default_factory=set)


@dataclass
class Posted:
    """A message in a channel, as it is now; `history` is how its text was."""

    channel: str
    ts: str
    user: str
    text: str
    thread: str = ""
    blocks: list[Json] = field(default_factory=list)
    metadata: Json = field(default_factory=dict)
    reactions: list[str] = field(default_factory=list)
    history: list[str] = field(default_factory=list)

    @property
    def words(self) -> str:
        """What stands in it for a reader."""
        return rules.words(self.blocks) if self.blocks else self.text

    @property
    def buttons(self) -> list[Json]:
        return [e for b in self.blocks if b["type"] == "actions" for e in b["elements"]]


@dataclass
class Failure:
    """How a call fails.

    Attributes:
        status: Of HTTP, instead of carrying it out.
        error: Of Slack's, instead of carrying it out.
        dropped: It is carried out, and the connection is lost before the answer.
        held: It is carried out, and its answer waits until this is set.
        withheld: It waits until this is set, and is carried out then.
    """

    status: int = 200
    error: str = ""
    retry_after: str = ""
    dropped: bool = False
    held: asyncio.Event | None = None
    withheld: asyncio.Event | None = None


class RefusedError(Exception):
    """Slack's `{"ok": false, "error": …}`."""

    def __init__(self, error: str, **more: Any) -> None:
        super().__init__(error)
        self.error, self.more = error, more


class Workspace:
    """One workspace with one app in it."""

    def __init__(self) -> None:
        self.channels: dict[str, Channel] = {}
        self.messages: list[Posted] = []
        self.whispers: list[Json] = []
        self.calls: list[tuple[str, Json]] = []
        self.failures: dict[str, deque[Failure]] = defaultdict(deque)
        self.scopes = set(SCOPES)
        self.pings: list[str] = []
        self.no_blocks = ""  # why it takes no blocks at all, when it takes none
        self._times = itertools.count(1_700_000_000_000_100, 100)
        self._changed = asyncio.Condition()

    # --- for tests -----------------------------------------------------------------------

    def channel(self, name: str, *people: str, **how: Any) -> str:
        """Make a channel and return its id."""
        self.channels[name] = Channel(name, people={*people, "U0ADA", "U0BOB"}, **how)
        return name

    def say(self, channel: str, text: str, user: str = "U0ADA", thread: str = "") -> Posted:
        """A person writes a message."""
        said = Posted(channel, self._ts(), user, text, thread)
        self.messages.append(said)
        return said

    def fail(self, method: str, times: int = 1, **how: Any) -> None:
        """Let the next calls of a method fail."""
        self.failures[method].extend(Failure(**how) for _ in range(times))

    def thread(self, of: Posted) -> list[Posted]:
        """What the app wrote below a message, in order."""
        root = of.thread or of.ts
        return [m for m in self.messages if m.thread == root and m.user == ME]

    def made(self, method: str) -> list[Json]:
        """The arguments of the calls of a method, in order."""
        return [args for name, args in self.calls if name == method]

    async def until(self, true: Callable[[], Any], what: str = "") -> None:
        """Wait until something is so; every change of the workspace is looked at."""
        try:
            async with asyncio.timeout(FAILS_WITHIN), self._changed:
                await self._changed.wait_for(true)
        except TimeoutError:
            said = [(m.user, m.words[:200], m.reactions) for m in self.messages]
            raise AssertionError(f"{what or 'it'} never came; there is {said}") from None

    async def changed(self) -> None:
        """Let those who wait look again."""
        async with self._changed:
            self._changed.notify_all()

    # --- the Web API ---------------------------------------------------------------------

    def answer(self, method: str, args: Json) -> Json:
        """Carry a call out.

        Raises:
            RefusedError: Slack refuses it.
        """
        do = getattr(self, "_" + method.replace(".", "_"), None)
        if do is None:
            raise RefusedError("unknown_method")
        return {"ok": True, **do(args)}

    def _auth_test(self, args: Json) -> Json:
        return {"team_id": TEAM, "user_id": ME, "user": "clew", "bot_id": "B0CLEW"}

    def _chat_postMessage(self, args: Json) -> Json:  # noqa: N802 - Slack's name
        if args.get("channel", "").startswith("U"):  # a person's id opens their direct messages
            self.channels.setdefault(f"D{args['channel'][1:]}", Channel("", direct=True))
            args = {**args, "channel": f"D{args['channel'][1:]}"}
        channel = self._writable(args)
        thread = args.get("thread_ts", "")
        if thread and not self._find(channel, thread):
            raise RefusedError("thread_not_found")
        said = Posted(channel, self._ts(), ME, "", thread)
        self._write(said, args)
        self.messages.append(said)
        return {"channel": channel, "ts": said.ts, "message": {"text": said.text}}

    def _chat_update(self, args: Json) -> Json:
        channel = self._writable(args)
        said = self._find(channel, args.get("ts", ""))
        if said is None:
            raise RefusedError("message_not_found")
        if said.user != ME:
            raise RefusedError("cant_update_message")
        said.history.append(said.words)
        self._write(said, args)
        return {"channel": channel, "ts": said.ts, "text": said.text}

    def _chat_postEphemeral(self, args: Json) -> Json:  # noqa: N802 - Slack's name
        channel = self._writable(args)
        if args.get("user") not in self.channels[channel].people:
            raise RefusedError("user_not_in_channel")
        self._checked(args)
        self.whispers.append({**args, "words": rules.words(args.get("blocks") or [])})
        return {"message_ts": self._ts()}

    def _reactions_add(self, args: Json) -> Json:
        said = self._message_of(args)
        if args["name"] in said.reactions:
            raise RefusedError("already_reacted")
        said.reactions.append(args["name"])
        return {}

    def _reactions_remove(self, args: Json) -> Json:
        said = self._message_of(args)
        if args["name"] not in said.reactions:
            raise RefusedError("no_reaction")
        said.reactions.remove(args["name"])
        return {}

    def _conversations_replies(self, args: Json) -> Json:
        channel, root = self._known(args), args.get("ts", "")
        found = [m for m in self.messages if m.channel == channel and root in (m.ts, m.thread)]
        if not found:
            raise RefusedError("thread_not_found")
        oldest = float(args.get("oldest") or 0)
        found = [m for m in found if m.ts == root or float(m.ts) > oldest]
        start, limit = int(args.get("cursor") or 0), int(args.get("limit") or 1000)
        page = [_shown(m, args) for m in found[start : start + limit]]
        more = start + limit < len(found)
        cursor = str(start + limit) if more else ""
        return {"messages": page, "has_more": more, "response_metadata": {"next_cursor": cursor}}

    def _conversations_info(self, args: Json) -> Json:
        channel = self.channels[self._known(args)]
        about = {"is_member": channel.member, "is_archived": channel.archived}
        return {"channel": {"id": args["channel"], "name": "general", **about}}

    # --- inside --------------------------------------------------------------------------

    def _ts(self) -> str:
        micro = next(self._times)
        return f"{micro // 1_000_000}.{micro % 1_000_000:06d}"

    def _find(self, channel: str, ts: str) -> Posted | None:
        return next((m for m in self.messages if (m.channel, m.ts) == (channel, ts)), None)

    def _message_of(self, args: Json) -> Posted:
        found = self._find(self._known(args), args.get("timestamp", ""))
        if found is None:
            raise RefusedError("message_not_found")
        return found

    def _known(self, args: Json) -> str:
        if args.get("channel") not in self.channels:
            raise RefusedError("channel_not_found")
        return args["channel"]

    def _writable(self, args: Json) -> str:
        channel = self.channels[self._known(args)]
        if channel.archived:
            raise RefusedError("is_archived")
        if not channel.member and not channel.direct:
            raise RefusedError("not_in_channel")
        return args["channel"]

    def _checked(self, args: Json) -> None:
        blocks = args.get("blocks") or []
        error = rules.refuse_text(args.get("text"), blocks) or (self.no_blocks if blocks else "")
        if error:
            raise RefusedError(error, response_metadata={"messages": [f"[ERROR] {error}"]})
        metadata = args.get("metadata")
        if metadata and not (metadata.get("event_type") and "event_payload" in metadata):
            raise RefusedError("invalid_metadata_format")
        self.pings += rules.pings(args)

    def _write(self, said: Posted, args: Json) -> None:
        self._checked(args)
        said.text = args.get("text") or ""
        said.blocks = args.get("blocks") or []
        said.metadata = args.get("metadata") or said.metadata


def _shown(message: Posted, args: Json) -> Json:
    shown: Json = {"type": "message", "user": message.user, "text": message.text, "ts": message.ts}
    if message.thread:
        shown["thread_ts"] = message.thread
    if str(args.get("include_all_metadata")).lower() in ("1", "true") and message.metadata:
        shown["metadata"] = message.metadata
    return shown
