"""Runs the real surface against the fake Slack, in the test's own loop."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clew.surfaces.slack.running import Connection, Http, run
from support.asking import a_clew
from support.slack import payloads
from support.slack.server import FakeSlack
from support.slack.workspace import APP_TOKEN, BOT_TOKEN, ME, SECRET, Posted, Workspace

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
    from pathlib import Path

    from clew.answerers.base import Answerer
    from clew.app import Clew

CHANNEL, WATCHED, UNLISTED = "C0SHOP", "C0WATCH", "C0OTHER"
DONE, WARNED, THINKING = "white_check_mark", "warning", "thinking_face"


def connection(fake: FakeSlack, **changes: Any) -> Connection:
    return Connection(
        **{
            "bot_token": BOT_TOKEN,
            "app_token": APP_TOKEN,
            "signing_secret": SECRET,
            "api": fake.api,
            **changes,
        }
    )


def a_shop(folder: Path, answerer: Answerer | None = None, **settings: Any) -> Clew:
    """Clew with one tag on a small repository, open to two channels."""
    source = folder / "shop"
    write(source)
    channels = [
        {"channel": CHANNEL, "mode": "mention"},
        {"channel": WATCHED, "mode": "questions"},
    ]
    tags = {"shop": {"sources": [str(source)], "slack": channels}}
    model = {"embed": "none"}  # a model is loaded in each process, and no test here needs it
    return a_clew(folder, **{"answerer": answerer, "tags": tags, "model": model, **settings})


def write(folder: Path, files: Mapping[str, str] | None = None) -> Path:
    from support.asking import SHOP

    for name, text in (files or SHOP).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


@dataclass
class Scene:
    """A running surface and the Slack that it is in."""

    fake: FakeSlack
    clew: Clew
    words: str

    @property
    def slack(self) -> Workspace:
        return self.fake.workspace

    async def ask(self, text: str, channel: str = CHANNEL, thread: str = "") -> Posted:
        """Mention the app in a channel; returns the message once the app knows of it."""
        said = self.slack.say(channel, f"<@{ME}> {text}", thread=thread)
        await self.fake.told(payloads.mention(said))
        return said

    async def marked(self, said: Posted, *names: str) -> list[Posted]:
        """Wait until a message is marked as ended; returns what the app wrote below it."""
        ends = names or (DONE, WARNED)
        await self.slack.until(lambda: set(said.reactions) & set(ends), f"{ends}")
        return self.slack.thread(said)


@asynccontextmanager
async def a_scene(
    clew: Clew, *, http: bool = False, fake: FakeSlack | None = None, **changes: Any
) -> AsyncIterator[Scene]:
    """The surface, connected; it is stopped in good order at the end."""
    fake = fake or FakeSlack()
    async with fake.running():
        for name in (CHANNEL, WATCHED, UNLISTED):
            fake.workspace.channel(name)
        async with surface(fake, clew, http=http, **changes) as scene:
            yield scene


@asynccontextmanager
async def surface(
    fake: FakeSlack, clew: Clew, *, http: bool = False, **changes: Any
) -> AsyncIterator[Scene]:
    """The surface alone, at a Slack that is there already."""
    words: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    where = Http(port=0) if http else None
    running = asyncio.ensure_future(run(clew, connection(fake, **changes), words.set_result, where))
    try:
        await asyncio.wait([running, words], return_when=asyncio.FIRST_COMPLETED)
        if running.done():
            running.result()
        yield Scene(fake, clew, words.result())
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running


def play(scene: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run a scenario to its end."""
    asyncio.run(scene())
