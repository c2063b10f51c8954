"""`clew token` and `--tag` at the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from clew.surfaces.cli.main import run
from support.asking import SHOP

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.gitrepo import GitRepo


@pytest.fixture
def options(git_repo: Callable[..., GitRepo], tmp_path: Path) -> list[str]:
    """A configuration with one tag, and a data folder."""
    shop = git_repo(SHOP, name="shop")
    config = tmp_path / "clew.toml"
    config.write_text(f'data = "data"\n[tags.shop]\nsources = ["{shop.path}"]\n', "utf-8")
    return ["--config", str(config)]


def test_a_token_is_made_shown_once_listed_and_revoked(
    options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["token", "create", "ci", "--tag", "shop", *options]) == 0
    made = capsys.readouterr()
    secret = made.out.strip()
    assert secret.startswith("clew_")
    assert "can't be shown again" in made.err
    assert run(["token", "list", *options]) == 0
    assert capsys.readouterr().out.split("\t")[:2] == ["ci", "shop"]
    assert run(["token", "revoke", "ci", *options]) == 0
    assert run(["token", "list", "--json", *options]) == 0
    (row,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert (row["name"], row["tags"]) == ("ci", ["shop"])
    assert row["revoked_at"] > row["created_at"]
    assert secret not in json.dumps(row)
    assert run(["token", "revoke", "ci", *options]) == 2
    assert "clew token list shows them" in capsys.readouterr().err


def test_a_new_token_as_json(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["token", "create", "ci", "--tag", "shop", "--json", *options]) == 0
    assert set(json.loads(capsys.readouterr().out)) == {"name", "tags", "token"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["ci"], "A token needs a --tag; the configuration has shop"),
        (["ci", "--tag", "none"], "No tag is named 'none'; the configuration has shop"),
        (["a b", "--tag", "shop"], "1 to 64 letters"),
        (["", "--tag", "shop"], "1 to 64 letters"),
    ],
)
def test_a_token_that_could_do_nothing_is_not_made(
    options: list[str], capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert run(["token", "create", *words, *options]) == 2
    assert said in capsys.readouterr().err


def test_every_command_that_reads_takes_a_tag(
    options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    tag = ["--tag", "shop", *options]
    assert run(["index", *tag]) == 0
    assert run(["search", "retry refund", *tag]) == 0
    assert run(["show", "shop/refunds.py:6-7", *tag]) == 0
    assert "def retry_refund" in capsys.readouterr().out
    assert run(["ask", "where are refunds retried?", "--json", *tag]) == 0
    assert json.loads(capsys.readouterr().out)["tag"] == "shop"
    assert run(["ask", "why?", "--tag", "none", *options]) == 2
    assert run(["search", "x", "--repo", ".", *tag]) == 2
    assert "either it or --repo" in capsys.readouterr().err


def test_the_settings_show_the_tags(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["config", "--json", *options]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    (row,) = [row for row in rows if row["key"] == "tags.shop"]
    assert row["value"][0].endswith("shop")
