"""The remote is down, slow, asks for a password, was force-pushed, or dies half-way (C5, C7)."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from clew.errors import SourceError, SourceUnreachableError
from support.asking import REFUNDS, SHOP, ask, events_of
from support.githttp import git_server

WHERE = "where are refunds retried?"
BOUND = {"allow_private": True, "timeout": 1.0, "first_timeout": 20.0}


@pytest.fixture
def served(git_repo, tmp_path):
    """A server, the address of a bare repository on it, and a work tree that pushes to it."""
    work = git_repo(SHOP, name="work")
    bare = git_repo(name="served/shop.git", bare=True)
    bare.git("config", "receive.denyDeleteCurrent", "ignore")
    work.git("remote", "add", "origin", str(bare.path))
    work.git("push", "-q", "origin", "main")
    with git_server(bare.path.parent) as server:
        yield server, f"{server.url}/shop.git", work


def down(server):
    server.mood = 503


def wants_a_password(server):
    server.mood = 401


def forbids(server):
    server.mood = 403


def gone(server):
    server.mood = 404


def redirects(server):
    server.mood = "redirect"


def says_nothing(server):
    server.mood = "hang"


FAULTS = (down, wants_a_password, forbids, gone, redirects, says_nothing)


@pytest.mark.parametrize("fault", FAULTS)
def test_the_last_revision_answers_in_time_and_says_that_it_is_not_refreshed(
    served, make_clew, fault
):
    server, url, work = served
    clew = make_clew(sync=BOUND)
    first = ask(clew, WHERE, url)
    assert first.outcome == "answered"
    work.write("shop/refunds.py", REFUNDS.replace("RETRY_LIMIT", "NEVER_SEEN"))
    work.commit("change")
    work.git("push", "-q", "origin", "main")
    fault(server)
    before = time.monotonic()
    second = ask(clew, WHERE, url)
    assert time.monotonic() - before < 10
    assert second.outcome == "answered"
    assert second.revisions == first.revisions
    assert second.citations == first.citations
    assert "could not refresh" in second.text
    server.mood = "well"
    third = ask(clew, WHERE, url)
    assert "could not refresh" not in third.text
    assert "NEVER_SEEN" in third.text


@pytest.mark.parametrize("fault", FAULTS)
def test_a_source_never_read_before_fails_in_one_sentence_and_asks_nobody(
    served, make_clew, fault, capfd
):
    server, url, _ = served
    fault(server)
    bound = {**BOUND, "first_timeout": 1.0}
    with pytest.raises((SourceError, SourceUnreachableError)) as raised:
        ask(make_clew(sync=bound), WHERE, url)
    assert raised.value.exit_code == 3
    assert "\n" not in raised.value.message
    assert capfd.readouterr() == ("", "")


def test_a_status_shows_the_head_that_could_not_be_refreshed(served, make_clew):
    server, url, _ = served
    clew = make_clew(sync=BOUND)
    answer = ask(clew, WHERE, url)
    down(server)
    (status,) = asyncio.run(clew.status([url], lambda _: None))
    assert status.head == status.indexed == answer.revisions[status.source]
    assert status.stale


def test_a_force_push_is_followed_and_the_old_answer_stays_readable(served, make_clew):
    _, url, work = served
    clew = make_clew(sync=BOUND)
    first = ask(clew, WHERE, url)
    work.git("checkout", "-q", "--orphan", "again")
    work.write("shop/refunds.py", REFUNDS.replace("RETRY_LIMIT", "OTHER_PAST"))
    work.commit("another past")
    work.git("push", "-q", "--force", "origin", "again:main")
    second = ask(clew, WHERE, url)
    assert "OTHER_PAST" in second.text
    assert second.revisions != first.revisions
    assert asyncio.run(clew.answer(first.id)).answer == first


def test_a_file_deleted_at_the_remote_stops_answering_after_the_next_sync(served, make_clew):
    _, url, work = served
    clew = make_clew(sync=BOUND)
    first = ask(clew, WHERE, url)
    assert {citation.path for citation in first.citations} >= {"shop/refunds.py"}
    work.remove("shop/refunds.py")
    work.commit("remove")
    work.git("push", "-q", "origin", "main")
    second = ask(clew, WHERE, url)
    cited = {c.path for c in second.citations} | {e.path for e in second.evidence}
    assert "shop/refunds.py" not in cited
    assert asyncio.run(clew.answer(first.id)).answer == first


def test_a_branch_that_is_renamed_or_deleted_at_the_remote_is_followed(served, make_clew):
    _, url, work = served
    clew = make_clew(sync=BOUND)
    assert ask(clew, WHERE, url).outcome == "answered"
    work.write("shop/refunds.py", REFUNDS.replace("RETRY_LIMIT", "ON_TRUNK"))
    work.commit("trunk")
    work.git("push", "-q", "origin", "main:trunk", ":main")
    assert "ON_TRUNK" in ask(clew, WHERE, url).text


class Silent(list):
    """The requests of a server that says nothing from the `count`th on."""

    def __init__(self, server, count):
        super().__init__()
        self._server, self._count = server, count
        self.reached = threading.Event()

    def append(self, path):
        super().append(path)
        if len(self) == self._count:
            says_nothing(self._server)
            self.reached.set()


@pytest.mark.parametrize("count", [1, 4], ids=["asked for its head", "asked for its objects"])
def test_a_caller_who_leaves_a_silent_remote_is_let_go_at_once(served, make_clew, count, capfd):
    """Not after the minutes that a first copy may take; and git, which hangs, is ended."""
    server, url, _ = served
    server.seen = Silent(server, count)
    clew = make_clew(sync={**BOUND, "timeout": 600.0, "first_timeout": 600.0})

    async def main():
        task = asyncio.ensure_future(events_of(clew, WHERE, url))
        await asyncio.to_thread(server.seen.reached.wait, 60)
        task.cancel()
        before = time.monotonic()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert time.monotonic() - before < 5

    asyncio.run(main())
    (row,) = asyncio.run(clew.history(10))
    assert row.outcome == "failed"
    assert capfd.readouterr() == ("", "")
