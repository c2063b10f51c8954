"""Runs the surface: opens the connection to Slack, answers until stopped, and ends in good order.

Two ways in, one behind them: Socket Mode (Slack needs no address of ours), or the Events API over
HTTP, where every request's signature is checked by Slack's own library.
"""

from __future__ import annotations

import asyncio
import logging
import re
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from clew.errors import SettingsError
from clew.surfaces.slack.answering import Answering
from clew.surfaces.slack.client import Slack
from clew.surfaces.slack.intake import Intake
from clew.surfaces.slack.socket import Listening, by_socket
from clew.surfaces.slack.worker import Worker

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping

    from slack_bolt.async_app import AsyncApp
    from slack_sdk.web.async_client import AsyncWebClient

    from clew.app import Clew
    from clew.settings import SlackSettings
    from clew.surfaces.slack.client import Identity

_log = logging.getLogger("clew.slack")
API = "https://slack.com/api/"
PATH = "/slack/events"
CALL_SECONDS = 30  # one call of Slack's API
NOT_INSTALLED = "Slack needs the extra: install clew[slack]."


@dataclass(frozen=True, slots=True)
class Connection:
    """How Slack is reached.

    Attributes:
        bot_token: Begins with `xoxb-`.
        app_token: Begins with `xapp-`; for Socket Mode.
        signing_secret: For events over HTTP.
        api: Where Slack's API is, ending in "/".
        at_once: How many questions are answered at the same time.
    """

    bot_token: str = field(repr=False)
    app_token: str = field(default="", repr=False)
    signing_secret: str = field(default="", repr=False)
    api: str = API
    at_once: int = 4

    @classmethod
    def of(cls, settings: SlackSettings) -> Connection:
        """What the settings say.

        Raises:
            SettingsError: The tokens would be sent somewhere in the clear.
        """
        if not re.match(r"https://|http://(?:127\.0\.0\.1|localhost)[:/]", settings.api):
            raise SettingsError("slack.api must be an https:// address: tokens are sent there.")
        return cls(
            bot_token=settings.bot_token.get_secret_value(),
            app_token=settings.app_token.get_secret_value(),
            signing_secret=settings.signing_secret.get_secret_value(),
            api=settings.api.rstrip("/") + "/",
            at_once=settings.at_once,
        )


@dataclass(frozen=True, slots=True)
class Surface:
    """Everything that answers, before it is connected."""

    slack: Slack
    me: Identity
    intake: Intake
    worker: Worker


@dataclass(frozen=True, slots=True)
class Http:
    """Where events over HTTP are taken; port 0 for any free one."""

    host: str = "127.0.0.1"
    port: int = 3000


async def run(
    clew: Clew,
    connection: Connection,
    ready: Callable[[str], None],
    http: Http | None = None,
) -> None:
    """Answer questions until cancelled.

    Args:
        clew: The application.
        connection: How Slack is reached.
        ready: Is told who we are and how we listen, once we do.
        http: Take events over HTTP there; Socket Mode when None.

    Raises:
        SettingsError: A token is missing or Slack refuses it.
        TransientError: Slack can't be reached.
    """
    needed = connection.signing_secret if http else connection.app_token
    if not connection.bot_token or not needed:
        name = "SLACK_SIGNING_SECRET" if http else "SLACK_APP_TOKEN"
        raise SettingsError(f"Slack needs SLACK_BOT_TOKEN and {name}: see docs/slack.md.")
    async with surface(clew, connection) as made, answering(made) as looking:
        app = bolt(made, connection)
        token = connection.app_token
        way = _over_http(app, http) if http else by_socket(app, made.slack, token)
        async with way as listening:
            ready(f"Answering in Slack as @{made.me.name}, {listening.words}.")
            await _until_one_ends(listening.forever, looking)


@asynccontextmanager
async def open_web(connection: Connection) -> AsyncGenerator[AsyncWebClient]:
    """Slack's own client, with one session for all calls: a new one each shakes hands anew.

    Raises:
        SettingsError: The extra is not installed.
    """
    try:
        import aiohttp
        from slack_sdk.web.async_client import AsyncWebClient
    except ModuleNotFoundError:
        raise SettingsError(NOT_INSTALLED) from None
    timeout = aiohttp.ClientTimeout(total=CALL_SECONDS)
    async with aiohttp.ClientSession(timeout=timeout) as session:
        yield AsyncWebClient(
            token=connection.bot_token,
            base_url=connection.api,
            timeout=CALL_SECONDS,
            session=session,
            retry_handlers=[],  # `Slack` decides what is tried again
        )


@asynccontextmanager
async def surface(clew: Clew, connection: Connection) -> AsyncGenerator[Surface]:
    """Make the surface; nothing is answered yet.

    Raises:
        SettingsError: The extra is not installed, or Slack refuses the token.
    """
    async with open_web(connection) as web:
        slack = Slack(web)
        reply, me = await slack.identity()
        if me is None:
            raise SettingsError(
                f"Slack refuses SLACK_BOT_TOKEN ({reply.error}): see docs/slack.md."
            )
        receipts = await asyncio.to_thread(lambda: clew.receipts)
        answers = Answering(clew, receipts, slack, asyncio.Semaphore(connection.at_once))
        worker = Worker(answers, receipts)
        intake = Intake(clew.tags, receipts, slack, worker, answers.door, me.user)
        yield Surface(slack, me, intake, worker)


@asynccontextmanager
async def answering(made: Surface) -> AsyncGenerator[Awaitable[None]]:
    """Work on what is owed as long as this is open; what is open then stays owed.

    What it gives never ends, unless by a bug.
    """
    looking = asyncio.ensure_future(made.worker.run())
    try:
        yield looking
    finally:
        looking.cancel()
        await asyncio.wait([looking])
        await made.worker.stop()


async def _until_one_ends(*work: Awaitable[object]) -> None:
    tasks = [asyncio.ensure_future(each) for each in work]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()


def bolt(made: Surface, connection: Connection) -> AsyncApp:
    """Slack's own framework in front of the intake.

    A listener has run before Slack gets its acknowledgement: without a receipt there is none, and
    Slack tells the event again.
    """
    from slack_bolt.async_app import AsyncApp

    app = AsyncApp(
        name="clew",
        logger=_log,
        token=connection.bot_token,
        signing_secret=connection.signing_secret,
        process_before_response=True,
    )
    # Given a client instead of a token, it would warn whenever SLACK_BOT_TOKEN is set.
    web = made.slack.web
    app.client.base_url, app.client.session = web.base_url, web.session
    app.client.timeout, app.client.retry_handlers = web.timeout, web.retry_handlers

    async def on_event(body: Mapping[str, Any]) -> None:
        await made.intake.event(body)

    async def on_button(ack: Callable[[], Awaitable[object]], body: Mapping[str, Any]) -> None:
        await made.intake.button(body)
        await ack()

    listen = cast("Any", app)
    listen.event("app_mention")(on_event)
    listen.event("message")(on_event)
    listen.action(re.compile("^clew_feedback_"))(on_button)
    return app


@asynccontextmanager
async def _over_http(app: AsyncApp, http: Http) -> AsyncGenerator[Listening]:
    from aiohttp import web

    runner = web.AppRunner(app.web_app(path=PATH), access_log=None)
    await runner.setup()
    try:
        site = web.TCPSite(runner, http.host, http.port)
        await site.start()
        port = runner.addresses[0][1]
        yield Listening(f"listening on http://{http.host}:{port}{PATH}", asyncio.Event().wait())
    finally:
        await runner.cleanup()
