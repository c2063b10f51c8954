"""`clew prune` drops what no question needs, keeps what one may need, and may be killed."""

from __future__ import annotations

import asyncio
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from clew.app import PrunePlan
from clew.errors import NotFoundError
from clew.index.sqlite import SqliteReader
from clew.index.view import indexed_revisions, open_view
from clew.settings import ModelSettings
from clew.sources.locate import locate
from clew.sources.prune import own_bytes
from clew.sources.sync import pinned, sync
from clew.workspace import index_path
from support.asking import REFUNDS, SHOP, a_clew, ask
from support.contract import has_shape
from support.indexes import describe

PRUNED = {
    "source": str,
    "location": str,
    "dropped": list,
    "kept": int,
    "freed": int,
    "bytes": int,
    "gone": bool,
    "removed": bool,
    "problem": str | None,
}
LONG_AGO = time.time() - 7_200


@pytest.fixture
def shop(git_repo):
    return git_repo(SHOP, name="shop")


def ignored(_: object) -> None:
    """Say nothing."""


def index(clew, repo):
    async def run():
        with await clew.open([str(repo.path)], ignored) as workspace:
            return workspace.revisions["shop"]

    return asyncio.run(run())


def pruned(clew, *repos, **plan):
    return asyncio.run(clew.prune([str(repo) for repo in repos], PrunePlan(**plan), ignored))


def edited(clew, repo, times):
    """Index the repository after each of some edits that are not committed."""
    seen = []
    for number in range(times):
        repo.write("shop/refunds.py", REFUNDS.replace("5", str(number + 10)))
        seen.append(index(clew, repo))
    assert len(set(seen)) == times
    return seen


def keeps(data):
    return {path.name: path for path in data.glob("git/*.git/refs/clew/keep/*")}


def age(data):
    """As if everything had been pinned two hours ago."""
    for path in keeps(data).values():
        os.utime(path, (LONG_AGO, LONG_AGO))


def revisions(data, repo):
    source = locate(str(repo.path), cwd=repo.path)
    return {row.revision for row in indexed_revisions(index_path(data, source))}


def says(data, repo, revision):
    source = locate(str(repo.path), cwd=repo.path)
    past = pinned(source, revision, data)
    with open_view(index_path(data, source), source, past.revision) as view:
        assert list(past.entries())
        return describe(view)


def loose(data):
    return sum(1 for path in data.glob("git/*.git/objects/??/*") if path.is_file())


def test_the_head_and_the_newest_stay_and_the_others_go(shop, make_clew, tmp_path):
    clew, data = make_clew(), tmp_path / "data"
    seen = edited(clew, shop, 6)
    said = says(data, shop, seen[-2])
    age(data)
    before = loose(data)
    [told] = pruned(clew, keep=2, dry_run=True)
    assert set(told.dropped) == set(seen[:4])
    assert revisions(data, shop) == set(seen)
    [told] = pruned(clew, shop.path, keep=2)
    assert (set(told.dropped), told.kept, told.problem) == (set(seen[:4]), 2, None)
    assert told.freed > 0
    assert told.location == str(shop.path)
    assert revisions(data, shop) == set(seen[4:])
    head = seen[0].partition("+")[0]
    assert set(keeps(data)) == {head, *seen[4:]}
    assert loose(data) < before
    assert says(data, shop, seen[-2]) == said
    source = locate(str(shop.path), cwd=shop.path)
    with pytest.raises(NotFoundError):
        pinned(source, seen[0], data)
    assert index(clew, shop) == seen[-1]
    shop.write("shop/refunds.py", REFUNDS.replace("5", "10"))
    assert index(clew, shop) == seen[0]  # what was dropped can be made again


def test_what_was_pinned_in_the_last_hour_stays(shop, make_clew, tmp_path):
    clew, data = make_clew(), tmp_path / "data"
    seen = edited(clew, shop, 3)
    [told] = pruned(clew, keep=0)
    assert told.dropped == ()
    age(data)
    pinned(locate(str(shop.path), cwd=shop.path), seen[0], data)
    [told] = pruned(clew, keep=0)
    assert told.dropped == (seen[1],)


def test_revisions_of_saved_answers_stay_unless_they_are_named(shop, make_clew, tmp_path):
    clew, data = make_clew(), tmp_path / "data"
    answered = ask(clew, "where are refunds retried?", shop.path)
    seen = edited(clew, shop, 2)
    age(data)
    [told] = pruned(clew, keep=0)
    assert told.dropped == (seen[0],)
    assert says(data, shop, answered.revisions["shop"])
    age(data)
    [told] = pruned(clew, keep=0, answers=True)
    assert told.dropped == (answered.revisions["shop"],)
    assert asyncio.run(clew.answer(answered.id)).answer.text == answered.text


def test_a_source_whose_folder_is_gone_goes_only_when_it_is_said(shop, make_clew, tmp_path):
    clew, data = make_clew(), tmp_path / "data"
    index(clew, shop)
    shutil.rmtree(shop.path)
    [told] = pruned(clew)
    assert (told.gone, told.removed) == (True, False)
    [told] = pruned(clew, gone=True, dry_run=True)
    assert told.removed
    assert list(data.glob("index/*.db"))
    [told] = pruned(clew, gone=True)
    assert told.removed
    assert told.freed > 0
    assert not list(data.glob("index/*.db"))
    assert not list(data.glob("git/*"))
    assert pruned(clew) == []


def test_a_damaged_mirror_is_named_and_the_others_are_pruned(git_repo, shop, make_clew, tmp_path):
    clew, data = make_clew(), tmp_path / "data"
    other = git_repo({"a.py": "x = 1\n"}, name="other")
    index(clew, shop)
    ask(clew, "where is x?", other.path)
    [mirror] = data.glob("git/other-*.git")
    (mirror / "refs/clew/keep/rubbish").write_text("rubbish\n")
    told = {each.source.partition("-")[0]: each for each in pruned(clew)}
    assert "could not be read" in told["other"].problem
    assert told["shop"].problem is None


def test_a_reader_keeps_its_revision_while_it_is_dropped(shop, make_clew, tmp_path):
    clew, data = make_clew(), tmp_path / "data"
    seen = edited(clew, shop, 3)
    source = locate(str(shop.path), cwd=shop.path)
    past = pinned(source, seen[0], data)
    with open_view(index_path(data, source), source, past.revision) as view:
        said = describe(view)
        age(data)
        [told] = pruned(clew, keep=1)
        assert seen[0] in told.dropped
        assert describe(view) == said


def test_questions_asked_while_others_prune_are_all_answered(shop, make_clew, tmp_path):
    clew = make_clew()
    index(clew, shop)
    for number in range(3):
        shop.write("shop/refunds.py", REFUNDS.replace("5", str(number + 10)))
        with ThreadPoolExecutor(3) as pool:
            pruning = [pool.submit(pruned, clew, keep=0, answers=True) for _ in range(2)]
            asked = pool.submit(ask, clew, "where are refunds retried?", shop.path)
            assert asked.result().outcome == "answered"
            for each in pruning:
                assert [one.problem for one in each.result()] == [None]
        age(tmp_path / "data")


def start(data, *arguments):
    command = [sys.executable, "-m", "clew", *map(str, arguments), "--data", str(data), "--json"]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )


def test_a_folder_that_another_process_tidies_is_measured_as_far_as_it_is_there(
    tmp_path, monkeypatch
):
    for name in ("a", "z"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "object").write_bytes(b"12345")
    (tmp_path / "HEAD").write_bytes(b"123")
    look = os.lstat

    def look_as_the_other_takes_away(path, **options):
        found = look(path, **options)
        if str(path).endswith("HEAD"):
            shutil.rmtree(tmp_path / "z")
            (tmp_path / "a" / "object").unlink()
        return found

    monkeypatch.setattr(os, "lstat", look_as_the_other_takes_away)
    assert own_bytes(tmp_path) == 3


def test_two_processes_that_prune_both_end_well(shop, make_clew, tmp_path):
    clew, data = make_clew(), tmp_path / "data"
    seen = edited(clew, shop, 5)
    age(data)
    both = [start(data, "prune", "--keep", "1") for _ in range(2)]
    rows = []
    for process in both:
        out, err = process.communicate()
        assert process.returncode == 0, (out, err)
        rows.append(json.loads(out))
        has_shape(rows[-1], PRUNED)
    assert sorted([*rows[0]["dropped"], *rows[1]["dropped"]]) == sorted(seen[:4])
    assert revisions(data, shop) == {seen[-1]}


def killed_while_pruning(shop, clew, data, seed):
    seen = edited(clew, shop, 4)
    said = says(data, shop, seen[-1])
    age(data)
    script = (
        "import os, sys, threading; n = float(sys.argv.pop(1));"
        "import clew.upkeep, clew.surfaces.cli.pruning, clew.sources.prune;"
        "from clew.surfaces.cli.main import main;"
        "threading.Timer(n, os.kill, (os.getpid(), 9)).start(); main()"
    )
    for at in range(3):
        moment = random.Random(seed * 10 + at).random() * 0.6
        words = ["prune", "--keep", "1", "--data", str(data)]
        process = subprocess.run(
            [sys.executable, "-c", script, str(moment), *words],
            capture_output=True,
            start_new_session=True,
            check=False,
        )
        assert process.returncode in (0, -signal.SIGKILL), process.stderr
        assert says(data, shop, seen[-1]) == said
    [told] = pruned(clew, keep=1)
    assert told.problem is None
    assert revisions(data, shop) == {seen[-1]}
    assert set(keeps(data)) == {seen[-1], seen[-1].partition("+")[0]}
    answer = ask(clew, "where are refunds retried?", shop.path)
    assert answer.revisions["shop"] == seen[-1]
    [mirror] = data.glob("git/*.git")
    checked = subprocess.run(
        ["git", "--git-dir", str(mirror), "fsck", "--connectivity-only"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stderr


def test_killed_at_any_moment_the_head_answers_and_the_next_prune_ends_it(
    shop, make_clew, tmp_path
):
    killed_while_pruning(shop, make_clew(), tmp_path / "data", 0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 15))
def test_killed_at_many_moments_the_head_answers(shop, make_clew, tmp_path, seed):
    killed_while_pruning(shop, make_clew(), tmp_path / "data", seed)


def test_a_pruned_work_tree_is_read_again_from_what_changed_only(tmp_path, make_clew):
    """What our own index of a plain folder names is not taken away."""
    folder = tmp_path / "plain"
    folder.mkdir()
    clew, data = a_clew(tmp_path), tmp_path / "data"
    source = None
    for number in range(4):
        (folder / "a.py").write_text(f"x = {number}\n")
        source = locate(str(folder), cwd=tmp_path)
        ask(clew, "where is x?", folder)
    age(data)
    [told] = pruned(clew, keep=0, answers=True)
    assert told.problem is None
    again = sync(source, data)
    assert dict(again.read([entry.oid for entry in again.entries()])).values()
    assert ask(clew, "where is x?", folder).outcome == "answered"
    clew.close()


def test_a_followed_repository_is_packed_anew_and_its_head_stays(git_repo, make_clew, tmp_path):
    work = git_repo(SHOP, name="work")
    bare = tmp_path / "shop.git"
    subprocess.run(["git", "clone", "-q", "--bare", work.path, bare], check=True)
    clew, data = make_clew(), tmp_path / "data"
    for number in range(3):
        work.write("shop/refunds.py", REFUNDS.replace("5", str(number + 10)))
        work.commit(f"change {number}")
        subprocess.run(["git", "-C", work.path, "push", "-q", bare, "HEAD:main"], check=True)
        answer = ask(clew, "where are refunds retried?", bare)
    age(data)
    [told] = pruned(clew, keep=0, answers=True)
    assert (len(told.dropped), told.kept, told.problem) == (2, 1, None)
    assert set(keeps(data)) == set(answer.revisions.values())
    assert ask(clew, "where are refunds retried?", bare).text == answer.text


def test_the_command_says_what_it_did_in_words(shop, make_clew, tmp_path):
    clew, data = make_clew(), tmp_path / "data"
    edited(clew, shop, 3)
    age(data)

    def run(*words):
        command = [sys.executable, "-m", "clew", "prune", *words, "--data", str(data)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return done.stdout, done.stderr

    out, _ = run("--keep", "1", "--dry-run")
    assert out.startswith(f"{shop.path}: 2 revisions would be dropped, 1 kept (")
    out, _ = run("--keep", "1")
    assert out.startswith(f"{shop.path}: 2 revisions were dropped, 1 kept (")
    shutil.rmtree(shop.path)
    out, err = run()
    assert out.rstrip().endswith("; its folder is gone")
    assert "clew prune --gone" in err
    out, _ = run("--gone")
    assert "was removed" in out
    out, err = run()
    assert (out, err) == ("", "Nothing is kept yet, so there is nothing to drop.\n")


def test_vectors_of_an_embedder_that_is_set_no_longer_go(shop, make_clew, tmp_path):
    index(make_clew(), shop)
    clew = make_clew(model=ModelSettings(embed="none"))
    assert index(clew, shop)
    [path] = list((tmp_path / "data" / "index").glob("*.db"))
    with closing(SqliteReader(path)) as reader:
        assert len(reader.embedders()) == 1
    [told] = pruned(clew)
    assert told.problem is None
    [path] = list((tmp_path / "data" / "index").glob("*.db"))
    with closing(SqliteReader(path)) as reader:
        assert reader.embedders() == []
