"""One question reads one revision of each source, whatever happens to the source meanwhile."""

from __future__ import annotations

import asyncio
import threading
from contextlib import aclosing

import pytest

from clew.answerers.extract import ExtractAnswerer
from clew.index.build import BuildOptions, build
from clew.index.view import open_view
from clew.sources.locate import locate
from clew.sources.sync import pinned, sync
from clew.types import CitationEvent, StatusEvent
from clew.workspace import index_path
from support.asking import (
    REFUNDS,
    SHOP,
    Paused,
    a_question,
    answer_of,
    ask,
    events_of,
    with_answerer,
)

WHERE = "where are refunds retried?"
MOVED = "# moved\n\n\n" + REFUNDS.replace("RETRY_LIMIT", "MOVED_LIMIT")


@pytest.fixture
def shop(git_repo):
    return git_repo(SHOP, name="shop")


def commit_a_change(shop):
    shop.write("shop/refunds.py", MOVED)
    shop.commit("move")


def edit_without_committing(shop):
    shop.write("shop/refunds.py", MOVED)


def delete_the_file(shop):
    shop.remove("shop/refunds.py")
    shop.commit("remove")


def rewrite_history_and_collect_garbage(shop):
    shop.git("checkout", "-q", "--orphan", "other")
    shop.write("shop/refunds.py", MOVED)
    shop.commit("another past")
    shop.git("branch", "-M", "main")
    shop.git("reflog", "expire", "--expire=now", "--all")
    shop.git("gc", "-q", "--prune=now")


CHANGES = (
    commit_a_change,
    edit_without_committing,
    delete_the_file,
    rewrite_history_and_collect_garbage,
)


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_during_a_question_is_not_seen_by_it_and_seen_by_the_next(shop, make_clew, change):
    clew = make_clew()
    head = shop.git("rev-parse", "HEAD")
    paused = Paused(clew._parts().answerers["extract"])

    async def main():
        first = asyncio.ensure_future(events_of(with_answerer(clew, paused), WHERE, shop.path))
        await asyncio.to_thread(paused.begun.wait, 60)
        change(shop)
        second = await events_of(clew, WHERE, shop.path)
        paused.go_on.set()
        return answer_of(await first), answer_of(second)

    first, second = asyncio.run(main())
    assert first.revisions == {"shop": head}
    assert {citation.revision for citation in first.citations} == {head}
    assert {evidence.revision for evidence in first.evidence} == {head}
    lines = REFUNDS.split("\n")
    named = [c for c in first.citations if c.path == "shop/refunds.py"]
    assert any(lines[c.start_line - 1].startswith("def retry_refund") for c in named)
    assert "MOVED_LIMIT" not in first.text
    assert second.revisions["shop"] != head
    assert all(citation.revision == second.revisions["shop"] for citation in second.citations)
    if change is delete_the_file:
        assert "shop/refunds.py" not in {citation.path for citation in second.citations}
    else:
        assert "MOVED_LIMIT" in second.text


@pytest.mark.parametrize("change", CHANGES)
def test_a_saved_answer_stays_readable_and_its_revision_can_be_opened(shop, make_clew, change):
    clew = make_clew()
    first = ask(clew, WHERE, shop.path)
    change(shop)
    ask(clew, WHERE, shop.path)
    stored = asyncio.run(clew.answer(first.id))
    assert stored.answer == first
    (source, revision) = stored.pinned[0]
    snapshot = pinned(source, revision.id, clew._parts().workspace.data)
    paths = {entry.path: entry.oid for entry in snapshot.entries()}
    (read,) = snapshot.read([paths["shop/refunds.py"]])
    assert read[1] == REFUNDS.encode()


def test_search_and_show_read_the_revision_that_was_opened(shop, make_clew):
    clew = make_clew()

    async def main():
        with await clew.open([str(shop.path)], lambda _: None) as workspace:
            commit_a_change(shop)
            found = await clew.search(workspace, "retry_refund", None, None)
            shown = await clew.show(workspace, "shop/refunds.py", 6, 6)
        with await clew.open([str(shop.path)], lambda _: None) as workspace:
            later = await clew.show(workspace, "shop/refunds.py", 9, 9)
        return found, shown, later

    found, shown, later = asyncio.run(main())
    assert shown.lines == later.lines == ("def retry_refund(order):",)
    assert shown.revision == found.hits[0].revision != later.revision


def test_the_same_revision_is_not_indexed_again(shop, make_clew):
    clew = make_clew()
    ask(clew, WHERE, shop.path)

    def builds(events):
        return [e.message for e in events if isinstance(e, StatusEvent) and "indexing" in e.message]

    assert not builds(asyncio.run(events_of(clew, WHERE, shop.path)))
    commit_a_change(shop)
    assert builds(asyncio.run(events_of(clew, WHERE, shop.path)))
    shop.git("checkout", "-q", "HEAD~1")
    assert not builds(asyncio.run(events_of(clew, WHERE, shop.path)))


# --- many at once ----------------------------------------------------------------------------


def test_twenty_questions_at_once_are_all_answered_from_one_sync_and_one_index(shop, make_clew):
    clew = make_clew()

    async def main():
        return await asyncio.gather(*(events_of(clew, WHERE, shop.path) for _ in range(20)))

    answers = [answer_of(events) for events in asyncio.run(main())]
    assert {answer.outcome for answer in answers} == {"answered"}
    assert len({answer.text for answer in answers}) == 1
    assert len({answer.id for answer in answers}) == 20
    history = asyncio.run(clew.history(50))
    assert {row.outcome for row in history} == {"answered"}
    assert len(history) == 20


class Stuck:
    """Builds of one source that stand still, once there are so many, until they may go on."""

    def __init__(self, monkeypatch, name, many):
        self.waiting, self.go_on = threading.Event(), threading.Event()
        self._many = threading.Barrier(many, self.waiting.set)

        def stuck(snapshot, path, options, progress=None):
            if snapshot.source.name == name and not self.go_on.is_set():
                self._many.wait(60)
                self.go_on.wait(60)
            return build(snapshot, path, options, progress)

        monkeypatch.setattr("clew.workspace.build", stuck)


def test_index_builds_of_one_repository_never_make_a_question_about_another_wait(
    shop, git_repo, make_clew, monkeypatch
):
    """Twelve, because a pool of a few threads hides the fault from one or two."""
    bank = git_repo(SHOP, name="bank")
    stuck = Stuck(monkeypatch, "bank", 12)
    clew = make_clew()

    async def main():
        slow = [asyncio.ensure_future(events_of(clew, WHERE, bank.path)) for _ in range(12)]
        await asyncio.to_thread(stuck.waiting.wait, 60)
        quick = answer_of(await events_of(clew, WHERE, shop.path))
        waited = [task.done() for task in slow]
        stuck.go_on.set()
        return quick, waited, [answer_of(await task) for task in slow]

    quick, waited, slow = asyncio.run(main())
    assert quick.outcome == "answered"
    assert not any(waited)
    assert {answer.outcome for answer in slow} == {"answered"}


def test_an_old_revision_is_readable_while_the_new_one_is_being_built(shop, make_clew):
    clew = make_clew()
    old = ask(clew, WHERE, shop.path).revisions["shop"]
    for number in range(20):
        shop.write(f"more/module{number}.py", f"def helper_{number}():\n    return {number}\n")
    shop.commit("more")
    options = clew._parts().workspace
    source = locate(str(shop.path), cwd=shop.path)
    past = pinned(source, old, options.data)
    path = index_path(options.data, source)
    seen = []

    def progress(step):
        if step.phase == "indexing":
            with open_view(path, source, past.revision) as view:
                seen.append([d.path for d in view.documents()])

    small = BuildOptions(rules=options.build.rules, max_chunks=1)
    report = build(sync(source, options.data), path, small, progress)
    assert report.files == len(SHOP) + 20
    assert seen
    assert all(paths == sorted(SHOP) for paths in seen)


def test_a_caller_that_leaves_during_a_build_stops_it_and_the_next_goes_on(shop, make_clew):
    clew = make_clew()
    for number in range(30):
        shop.write(f"more/module{number}.py", f"def helper_{number}():\n    return {number}\n")
    shop.commit("more")

    async def main():
        async with aclosing(clew.ask(a_question(WHERE, shop.path))) as events:
            async for event in events:
                if isinstance(event, StatusEvent) and "indexing" in event.message:
                    break
        assert not [t for t in threading.enumerate() if t.name.startswith("clew-work")]
        return answer_of(await events_of(clew, WHERE, shop.path))

    answer = asyncio.run(main())
    assert answer.outcome == "answered"


def test_an_extract_answerer_is_stopped_with_its_caller(shop, make_clew):
    clew = make_clew()
    assert isinstance(clew._parts().answerers["extract"], ExtractAnswerer)

    async def main():
        async with aclosing(clew.ask(a_question(WHERE, shop.path))) as events:
            async for event in events:
                if isinstance(event, CitationEvent):
                    break
        assert not [t for t in threading.enumerate() if t.name.startswith("clew-work")]

    asyncio.run(main())
