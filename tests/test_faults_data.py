"""The data folder is deleted, read-only, full, damaged or open to others: one clear sentence."""

from __future__ import annotations

import asyncio
import gc
import os
import resource
import shutil
import stat
import subprocess
import sys
import threading
import tracemalloc
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from clew.answerers.base import Conclude
from clew.errors import ClewError, IndexFailedError, NotFoundError
from clew.workspace import index_path
from support.asking import REFUNDS, SHOP, Scripted, a_clew, ask, events_of

WHERE = "where are refunds retried?"


@pytest.fixture
def shop(git_repo):
    return git_repo(SHOP, name="shop")


def test_nobody_else_can_read_what_is_kept(shop, make_clew, tmp_path):
    os.umask(0o022)
    ask(make_clew(), WHERE, shop.path)
    data = tmp_path / "data"
    for path in (data, *data.iterdir()):
        if path.name == "grammars":  # holds nothing of anybody's
            continue
        open_to_others = stat.S_IMODE(path.stat().st_mode) & 0o077
        assert not open_to_others or path.stat().st_size == 0, path


@pytest.mark.parametrize("what", ["all", "git", "index", "locks", "grammars"])
def test_a_data_folder_that_was_deleted_is_made_again(shop, make_clew, tmp_path, what):
    first = ask(make_clew(), WHERE, shop.path)
    # Grammars that the process has loaded are not unpacked a second time.
    shutil.rmtree(tmp_path / "data" / ("" if what == "all" else what), what == "grammars")
    again = ask(make_clew(), WHERE, shop.path)
    assert again.outcome == first.outcome == "answered"
    assert again.citations == first.citations


@pytest.mark.parametrize("what", ["all", "git", "index", "locks"])
def test_an_application_that_runs_on_survives_its_data_folder(shop, make_clew, tmp_path, what):
    clew = make_clew()
    ask(clew, WHERE, shop.path)
    shutil.rmtree(tmp_path / "data" / ("" if what == "all" else what))
    assert ask(clew, WHERE, shop.path).outcome == "answered"


def test_a_question_that_loses_its_record_on_the_way_is_one_sentence(shop, make_clew, tmp_path):
    def script(_):
        shutil.rmtree(tmp_path / "data")
        yield Conclude("answered")

    clew = make_clew(answerer=Scripted(script))
    with pytest.raises(NotFoundError, match="not in the records any more"):
        ask(clew, WHERE, shop.path)
    assert asyncio.run(clew.history(10)) == []


@pytest.mark.parametrize("damage", [b"", b"not a database" * 1_000, None], ids=str)
def test_a_damaged_index_is_built_anew(shop, make_clew, tmp_path, damage):
    clew = make_clew()
    ask(clew, WHERE, shop.path)
    (index,) = (tmp_path / "data/index").glob("*.db")
    whole = index.read_bytes()
    index.write_bytes(whole[: len(whole) // 2] if damage is None else damage)
    assert ask(clew, WHERE, shop.path).outcome == "answered"


@pytest.mark.parametrize("damage", [b"not a database" * 1_000, None], ids=str)
def test_damaged_records_are_one_sentence_that_says_what_to_do(shop, make_clew, tmp_path, damage):
    first = make_clew()
    ask(first, WHERE, shop.path)
    first.close()
    records = tmp_path / "data/records.db"
    for beside in tmp_path.glob("data/records.db-*"):
        beside.unlink()
    whole = records.read_bytes()
    records.write_bytes(whole[: len(whole) // 2] if damage is None else damage)
    with pytest.raises(ClewError) as raised:
        ask(make_clew(), WHERE, shop.path)
    assert "damaged" in raised.value.message
    assert raised.value.exit_code == 3


def test_a_data_folder_that_is_a_file_is_one_sentence(shop, make_clew, tmp_path):
    (tmp_path / "data").write_text("")
    with pytest.raises(ClewError) as raised:
        ask(make_clew(), WHERE, shop.path)
    assert raised.value.exit_code in (2, 3)
    assert "\n" not in raised.value.message


@contextmanager
def a_small_disk(folder: Path, size: str, options: str = ""):
    folder.mkdir(parents=True, exist_ok=True)
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}{options}", "tmpfs", str(folder)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("mounting needs root")
    try:
        yield
    finally:
        gc.collect()
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(folder: Path, leave: int) -> Path:
    """Fill the disk but for some bytes."""
    filler = folder / "filler"
    free = shutil.disk_usage(folder).free
    with filler.open("wb") as out:
        out.write(bytes(max(0, free - leave)))
    return filler


@pytest.mark.parametrize("kilobytes", [0, 64, 96, 128, 160, 192, 256])
def test_a_full_disk_is_one_sentence_and_nothing_is_broken_after_it(shop, tmp_path, kilobytes):
    with a_small_disk(tmp_path / "small", "24m"):
        home = tmp_path / "small"
        filler = fill(home, kilobytes * 1024)
        clew = a_clew(home)
        with pytest.raises(ClewError) as raised:
            ask(clew, WHERE, shop.path)
        clew.close()
        assert raised.value.exit_code == 3
        assert "full" in raised.value.message or "No space" in raised.value.message
        assert "\n" not in raised.value.message
        filler.unlink()
        again = a_clew(home)
        assert ask(again, WHERE, shop.path).outcome == "answered"
        again.close()


def test_a_disk_that_fills_up_between_questions_leaves_the_last_revision_to_answer(
    shop, tmp_path, make_clew, monkeypatch
):
    clew = make_clew()
    first = ask(clew, WHERE, shop.path)
    shop.write("shop/refunds.py", REFUNDS.replace("RETRY_LIMIT", "NEWER_LIMIT"))
    shop.commit("newer")

    def full(*_args, **_kwargs):
        raise IndexFailedError("the disk is full: free some space")

    with monkeypatch.context() as patched:
        patched.setattr("clew.workspace.build", full)
        second = ask(clew, WHERE, shop.path)
        assert second.outcome == "answered"
        assert second.revisions == first.revisions
        assert {c.revision for c in second.citations} == set(first.revisions.values())
        assert "could not be indexed: the disk is full" in second.text
        with pytest.raises(IndexFailedError):  # whoever indexes is told, and not answered
            asyncio.run(clew.open([str(shop.path)], lambda _: None, patient=True))
    assert "NEWER_LIMIT" in ask(clew, WHERE, shop.path).text


def test_a_read_only_data_folder_is_one_sentence(shop, tmp_path):
    with a_small_disk(tmp_path / "readonly", "1m", ",ro"):
        clew = a_clew(tmp_path / "readonly")
        with pytest.raises(ClewError) as raised:
            ask(clew, WHERE, shop.path)
        clew.close()
    assert raised.value.exit_code == 3
    assert "\n" not in raised.value.message


# --- hygiene ---------------------------------------------------------------------------------


def open_files() -> list[str]:
    found = []
    for fd in Path("/proc/self/fd").iterdir():
        try:
            found.append(str(fd.readlink()))
        except OSError:
            continue
    # The scanner's runtime (Go) opens its group's limits when it likes, once in a process's life.
    return sorted(path for path in found if not path.startswith("/sys/fs/cgroup/"))


def children() -> list[str]:
    found: list[str] = []
    for task in Path("/proc/self/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # a thread that ends meanwhile
            found += (task / "children").read_text().split()
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_fifty_questions_leave_no_file_thread_process_or_temporary_file_behind(
    shop, make_clew, tmp_path, monkeypatch
):
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr("tempfile.tempdir", None)
    clew = make_clew()

    async def main(rounds):
        for number in range(rounds):
            if number % 10 == 0:
                shop.write("shop/refunds.py", REFUNDS + f"\n\nROUND = {number}\n")
            await events_of(clew, WHERE if number % 3 else "how is the zeppelin moored?", shop.path)

    asyncio.run(main(6))
    gc.disable()  # whoever opens closes: nothing may wait for the collector
    try:
        before = open_files(), threading.active_count(), children()
        asyncio.run(main(50))
        after = open_files(), threading.active_count(), children()
    finally:
        gc.enable()
    assert after == before
    assert list(temporary.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("stop", [1, 3, 6, 9])
def test_a_question_that_is_left_leaves_nothing_open(shop, make_clew, stop):
    clew = make_clew()
    ask(clew, WHERE, shop.path)
    index = index_path(clew._reading().options.data, clew_source(shop))

    async def left():
        from support.asking import a_question

        events = clew.ask(a_question(WHERE, shop.path))
        for _ in range(stop):
            await anext(events)
        await events.aclose()

    gc.disable()
    try:
        asyncio.run(left())
        assert not [path for path in open_files() if path.startswith(str(index))]
    finally:
        gc.enable()


def clew_source(shop):
    from clew.sources.locate import locate

    return locate(str(shop.path), cwd=shop.path)


def test_the_memory_of_twenty_questions_is_that_of_five(shop, make_clew):
    clew = make_clew()

    async def main(rounds):
        for _ in range(rounds):
            await events_of(clew, WHERE, shop.path)

    asyncio.run(main(5))
    gc.collect()
    tracemalloc.start()
    try:
        asyncio.run(main(3))
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        asyncio.run(main(20))
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert grown < 200_000  # bytes; a leaked view would be ten times that
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 2_000_000  # kilobytes
