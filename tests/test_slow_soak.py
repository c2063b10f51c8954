"""Two hundred rounds of edits and questions; at the end the index is what a fresh one would be."""

from __future__ import annotations

import asyncio
import gc
import random
import sys
import threading
from pathlib import Path

import pytest

from support.asking import REFUNDS, SHOP, answer_of, events_of
from support.indexes import describe

WORDS = ("refund", "invoice", "order", "mail", "bank", "retry", "ledger", "parcel", "basket")


def module(chance: random.Random) -> str:
    name, *rest = chance.sample(WORDS, 4)
    body = "\n".join(f"    {word}(order, {chance.randrange(99)})" for word in rest)
    return f'"""About the {name}."""\n\n\ndef {name}_{chance.randrange(999)}(order):\n{body}\n'


def change(repo, chance: random.Random) -> None:
    """One of the things that people do to a repository."""
    files = sorted(p for p in repo.path.rglob("*.py") if ".git" not in p.parts)
    what = chance.randrange(8)
    if what <= 2:
        repo.write(f"shop/{chance.choice(WORDS)}{chance.randrange(40)}.py", module(chance))
    elif what == 3 and len(files) > 3:
        chance.choice(files).unlink()
    elif what == 4 and len(files) > 3:
        moved = chance.choice(files)
        moved.rename(moved.with_name(f"moved{chance.randrange(99)}.py"))
    elif what == 5:
        repo.commit("round")
    elif what == 6 and repo.git("rev-list", "--count", "HEAD") != "1":
        repo.commit("before going back")
        repo.git("reset", "-q", "--hard", "HEAD~1")
    else:
        repo.git("checkout", "-q", "-f", "-B", f"branch{chance.randrange(5)}")


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_two_hundred_rounds_end_as_a_fresh_index(git_repo, make_clew, tmp_path, seed):
    chance = random.Random(seed)
    repo = git_repo({**SHOP, "shop/more.py": REFUNDS}, name="shop")
    clew = make_clew()

    async def ask(text):
        return answer_of(await events_of(clew, text, repo.path))

    async def whole(application):
        with await application.open([str(repo.path)], lambda _: None) as workspace:
            return describe(workspace.views[0])

    async def main():
        for _ in range(200):
            change(repo, chance)
            word = chance.choice(WORDS)
            found = await asyncio.gather(*(ask(f"where is the {word}?") for _ in range(2)))
            assert {answer.outcome for answer in found} <= {"answered", "partial", "no_answer"}
            assert len({answer.text for answer in found}) == 1
            for citation in found[0].citations:
                assert (repo.path / citation.path).is_file()
        return await whole(clew), await whole(make_clew(tmp_path / "fresh"))

    grown, fresh = asyncio.run(main())
    assert grown == fresh
    gc.collect()
    assert not [t for t in threading.enumerate() if t.name.startswith("clew-work")]
    if sys.platform == "linux":
        assert len(list(Path("/proc/self/fd").iterdir())) < 100
