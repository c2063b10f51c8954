"""What a repository only points at is named with its reason, and the rest is answered (C8, C9)."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from support.asking import SHOP, ask

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from clew.app import Clew
    from support.gitrepo import GitRepo

WHERE = "where are refunds retried?"
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 9\n"


def left_out(clew: Clew, path: Path) -> dict[str, str]:
    """Path → reason, as `clew status --skipped` lists it."""
    (status,) = asyncio.run(clew.status([str(path)], lambda _: None))
    return {name: reason for name, reason, why in status.skipped_files if why}


def test_lfs_pointers_submodules_and_missing_objects_are_named_with_their_reason(
    git_repo: Callable[..., GitRepo], make_clew: Callable[..., Clew], tmp_path: Path
) -> None:
    inner = git_repo({"x.py": "x = 1\n"}, name="inner")
    repo = git_repo({**SHOP, "model.py": POINTER, "big/data.py": "x = 1\n"}, name="shop")
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner.path), "sub")
    repo.commit("add a submodule")
    repo.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "part"
    repo.git("clone", "-q", "--filter=blob:none", "--no-checkout", repo.path.as_uri(), str(clone))
    repo.git("-C", str(clone), "sparse-checkout", "set", "shop")
    repo.git("-C", str(clone), "checkout", "-q", "main")
    clew = make_clew()
    answer = ask(clew, WHERE, clone)
    assert answer.outcome == "answered"
    assert "shop/refunds.py" in {each.path for each in answer.citations}
    listed = left_out(clew, clone)
    assert listed["sub"] == "submodule"
    assert listed["model.py"] == "lfs pointer"
    assert listed["big/data.py"] == "missing object"


def test_one_odd_source_is_reported_and_the_other_is_answered(
    git_repo: Callable[..., GitRepo], make_clew: Callable[..., Clew], tmp_path: Path
) -> None:
    shop = git_repo(SHOP, name="shop")
    unborn = git_repo(name="unborn")
    shop.git("clone", "-q", "--shared", str(shop.path), str(tmp_path / "borrower"))
    alternates = tmp_path / "borrower" / ".git" / "objects" / "info" / "alternates"
    alternates.write_text(f"{tmp_path}/nowhere\n")
    answer = ask(make_clew(), WHERE, shop.path, unborn.path, tmp_path / "borrower")
    assert answer.citations
    told = " ".join(str(caveat) for caveat in answer.warnings)
    assert "unborn" in told
    assert "borrower" in told
