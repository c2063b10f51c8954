"""When, why, by whom, and what changed: answered from the commits (C6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.asking import SHOP, ask

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from clew.app import Clew
    from support.gitrepo import GitRepo


@pytest.fixture
def shop(git_repo: Callable[..., GitRepo]) -> GitRepo:
    repo = git_repo(SHOP, name="shop")
    repo.git("tag", "v1.0")
    text = SHOP["shop/refunds.py"]
    repo.write("shop/refunds.py", text.replace("RETRY_LIMIT = 5", "RETRY_LIMIT = 9"))
    repo.commit("Retry more often")
    text = text.replace("RETRY_LIMIT = 5", "RETRY_LIMIT = 9")
    repo.write("shop/refunds.py", text.replace("return False", "return None"))
    repo.commit("Give nothing back when it fails\n\nThe till in `old/till.py` asked for it.")
    repo.git("tag", "v2.0")
    repo.write("README.md", "# A shop that changed\n")
    repo.commit("Say more")
    return repo


def test_when_something_was_introduced(shop: GitRepo, make_clew: Callable[..., Clew]) -> None:
    answer = ask(make_clew(), "when was retry_refund introduced?", shop.path)
    assert answer.outcome == "answered"
    assert "goes back to 2026-01-02" in answer.text
    assert "author: first\n" in answer.text
    assert {(c.path, c.verdict) for c in answer.citations} == {("shop/refunds.py", "verified")}
    assert not [w for w in answer.warnings if w.type == "no_history"]


def test_the_mark_of_a_name_is_not_the_questions(
    git_repo: Callable[..., GitRepo], make_clew: Callable[..., Clew]
) -> None:
    ruby = "class Order\n  def paid\n    1\n  end\n\n  def paid?\n    true\n  end\nend\n"
    repo = git_repo({"order.rb": ruby}, name="shop")
    for question in ("when was paid? introduced?", "who added Order#paid??"):
        answer = ask(make_clew(), question, repo.path)
        assert answer.text.startswith("## Answer\n\n`Order.paid?` (method) at `order.rb:6-8`")


@pytest.mark.parametrize("question", ["what changed in v2.0?", "what's new in v2.0?"])
def test_what_is_new_in_a_version_is_not_guessed(
    question: str, shop: GitRepo, make_clew: Callable[..., Clew]
) -> None:
    answer = ask(make_clew(), question, shop.path)
    assert answer.outcome == "no_answer"
    assert "ask what changed between the version before it and v2.0" in answer.text
    assert answer.citations == ()


def test_why_is_told_in_the_commits_own_words_without_a_mark(
    shop: GitRepo, make_clew: Callable[..., Clew]
) -> None:
    answer = ask(make_clew(), "why was retry_refund changed?", shop.path)
    assert answer.outcome == "answered"
    assert "author: Give nothing back when it fails\n" in answer.text
    assert "The till in `old/till.py` asked for it.\n" in answer.text
    assert "Retry more often" not in answer.text  # it touched other lines


def test_by_whom(shop: GitRepo, make_clew: Callable[..., Clew]) -> None:
    for question in ("who wrote shop/refunds.py?", "who last changed shop/refunds.py?"):
        answer = ask(make_clew(), question, shop.path)
        assert answer.outcome == "answered"
        assert "author: Give nothing back" in answer.text


def test_what_changed_between_two_tags_reads_the_second(
    shop: GitRepo, make_clew: Callable[..., Clew]
) -> None:
    question = "what changed in shop/refunds.py between v1.0 and v2.0?"
    answer = ask(make_clew(), question, shop.path)
    assert answer.outcome == "answered"
    assert answer.revisions == {"shop": shop.git("rev-parse", "v2.0")}
    assert (
        "2 commits since v1.0 up to v2.0 touched `shop/refunds.py`; 1 file differs" in answer.text
    )
    assert "-3: RETRY_LIMIT = 5\n+3: RETRY_LIMIT = 9\n" in answer.text
    assert {(c.path, c.start_line, c.verdict) for c in answer.citations} == {
        ("shop/refunds.py", 3, "verified"),
        ("shop/refunds.py", 11, "verified"),
    }


def test_nothing_between_two_tags_is_said_of_both(
    shop: GitRepo, make_clew: Callable[..., Clew]
) -> None:
    question = "what changed in shop/invoices.py between v1.0 and v2.0?"
    answer = ask(make_clew(), question, shop.path)
    assert "nothing changed since v1.0 up to v2.0" in answer.text


def test_what_changed_since_a_tag_reads_the_head(
    shop: GitRepo, make_clew: Callable[..., Clew]
) -> None:
    answer = ask(make_clew(), "what changed since v2.0?", shop.path)
    assert answer.outcome == "answered"
    assert "1 commit since v2.0; 1 file differs" in answer.text
    assert "README.md changed, +1 -1" in answer.text
    assert "author: Say more\n" in answer.text


def test_a_file_that_is_gone_is_named_without_a_mark(
    shop: GitRepo, make_clew: Callable[..., Clew]
) -> None:
    shop.remove("shop/invoices.py")
    shop.commit("No more invoices")
    answer = ask(make_clew(), "what changed since v2.0?", shop.path)
    assert "shop/invoices.py removed, +0 -6\n" in answer.text
    assert answer.outcome == "answered"


def test_a_folder_is_meant_by_its_name_and_lock_files_come_last(
    shop: GitRepo, make_clew: Callable[..., Clew]
) -> None:
    shop.write("poetry.lock", "x = 1\n" * 50)
    shop.write("shop/new.py", "x = 1\n")
    shop.commit("Add")
    answer = ask(make_clew(), "what changed in the shop module since v1.0?", shop.path)
    assert "poetry.lock" not in answer.text
    assert "shop/new.py added, +1 -0" in answer.text
    everything = ask(make_clew(), "what changed since v1.0?", shop.path).text
    assert everything.index("shop/new.py added") < everything.index("poetry.lock added")


def test_nothing_changed_is_said(shop: GitRepo, make_clew: Callable[..., Clew]) -> None:
    answer = ask(make_clew(), "what changed in shop/invoices.py since v1.0?", shop.path)
    assert "nothing changed since v1.0" in answer.text


def test_a_source_without_the_older_revision_is_named(
    shop: GitRepo, git_repo: Callable[..., GitRepo], make_clew: Callable[..., Clew]
) -> None:
    bank = git_repo({"bank.py": "def bank():\n    pass\n"}, name="bank")
    answer = ask(make_clew(), "what changed since v2.0?", shop.path, bank.path)
    assert "In shop, 1 commit since v2.0" in answer.text
    assert any('bank has no revision "v2.0"' in w.message for w in answer.warnings)


def test_a_plain_folder_has_no_history_and_says_so(
    tmp_path: Path, make_clew: Callable[..., Clew]
) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "refunds.py").write_text(SHOP["shop/refunds.py"])
    answer = ask(make_clew(), "when was retry_refund introduced?", folder)
    assert answer.outcome == "no_answer"
    assert any("plain folder: it has no history" in w.message for w in answer.warnings)


def test_what_is_not_there_has_no_history(shop: GitRepo, make_clew: Callable[..., Clew]) -> None:
    answer = ask(make_clew(), "when was frobnicate_quux introduced?", shop.path)
    assert answer.outcome == "no_answer"


def test_of_a_file_that_is_not_there_no_other_things_history_is_told(
    shop: GitRepo, make_clew: Callable[..., Clew]
) -> None:
    for question in ("when was refund.py last changed?", "who wrote shop/retry_refund.py?"):
        answer = ask(make_clew(), question, shop.path)
        assert answer.outcome == "partial"
        assert "There is no file" in answer.text
        assert "author:" not in answer.text


def test_a_files_history_is_found_by_the_end_of_its_path(
    shop: GitRepo, make_clew: Callable[..., Clew]
) -> None:
    answer = ask(make_clew(), "when was refunds.py last changed?", shop.path)
    assert answer.outcome == "answered"
    assert "The file at `shop/refunds.py:1-" in answer.text
    shop.write("bank/refunds.py", "def pay():\n    return 1\n")
    shop.commit("Add a bank")
    answer = ask(make_clew(), "when was refunds.py last changed?", shop.path)
    assert answer.outcome == "partial"
    assert "2 files are called so" in answer.text
    assert "- `bank/refunds.py`\n- `shop/refunds.py`\n" in answer.text
