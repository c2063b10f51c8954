"""blame and history on real repositories."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from clew.errors import InputError, NotFoundError, SourceUnreachableError
from clew.tools.blame import blame
from clew.tools.history import MAX_COMMITS, history
from clew.tools.run import run
from support.pasts import past_scope

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.gitrepo import GitRepo

ONE = "def pay(card):\n    return card.charge(1)\n\n\ndef refund(card):\n    return card.back(1)\n"
TWO = ONE.replace("charge(1)", "charge(2)")


@pytest.fixture
def shop(git_repo: Callable[..., GitRepo]) -> GitRepo:
    repo = git_repo({"shop/pay.py": ONE}, name="shop")
    repo.write("shop/pay.py", TWO)
    repo.commit("Charge twice\n\nThe bank asked for it.")
    return repo


def test_blame_names_the_commit_of_every_line(shop: GitRepo, tmp_path: Path) -> None:
    with past_scope(tmp_path / "data", shop.path) as scope:
        result = blame(scope, "shop/pay.py")
    assert [(r.start_line, r.end_line, r.commit.subject) for r in result.data.runs] == [
        (1, 1, "first"),
        (2, 2, "Charge twice"),
        (3, 6, "first"),
    ]
    assert "2026-01-02 author: Charge twice\n  2:     return card.charge(2)" in result.text
    assert result.summary == "6 lines from 2 commits"
    assert [(e.start_line, e.end_line) for e in result.evidence] == [(1, 1), (2, 2), (3, 6)]


def test_uncommitted_lines_are_said_to_be(shop: GitRepo, tmp_path: Path) -> None:
    shop.write("shop/pay.py", TWO.replace("back(1)", "back(3)"))
    shop.write("shop/new.py", "def new():\n    pass\n")
    with past_scope(tmp_path / "data", shop.path) as scope:
        result = blame(scope, "shop/pay.py", 5)
        new = blame(scope, "shop/new.py")
        past = history(scope, "refund")
    assert [r.commit.uncommitted for r in result.data.runs] == [False, True]
    assert result.data.runs[1].commit.sha == ""
    assert "not committed yet: changed in the work tree\n  6:" in result.text
    assert [r.commit.uncommitted for r in new.data.runs] == [True]
    assert [c.subject for c in past.data.commits if not c.uncommitted] == ["first"]
    assert past.data.commits[0].uncommitted


def test_history_of_a_file_a_folder_a_symbol_and_lines(shop: GitRepo, tmp_path: Path) -> None:
    with past_scope(tmp_path / "data", shop.path) as scope:
        for subject in ("shop/pay.py", "shop", "shop/", ".", "pay"):
            result = history(scope, subject)
            assert [c.subject for c in result.data.commits] == ["Charge twice", "first"], subject
            assert result.data.first is not None
            assert result.data.first.subject == "first"
        assert "      The bank asked for it." in result.text
        assert [c.subject for c in history(scope, "refund").data.commits] == ["first"]
        assert [c.subject for c in history(scope, "shop/pay.py", 5, 6).data.commits] == ["first"]
        assert "function refund at shop/pay.py:5-6" in history(scope, "refund").text


def test_a_renamed_file_keeps_its_history(shop: GitRepo, tmp_path: Path) -> None:
    shop.git("mv", "shop/pay.py", "shop/money.py")
    shop.commit("Rename")
    with past_scope(tmp_path / "data", shop.path) as scope:
        result = history(scope, "shop/money.py")
        assert [c.subject for c in result.data.commits] == ["Rename", "Charge twice", "first"]
        assert blame(scope, "shop/money.py", 2, 2).data.runs[0].commit.subject == "Charge twice"


def test_what_changed_between_two_revisions_shows_the_lines(shop: GitRepo, tmp_path: Path) -> None:
    shop.git("tag", "v2")
    shop.write("shop/gone.txt", "x\n")
    shop.commit("Add")
    with past_scope(tmp_path / "data", shop.path) as scope:
        result = history(scope, "shop/pay.py", since="HEAD~2")
        (file,) = result.data.files
        assert [(x.line, x.text, x.added) for x in file.lines] == [
            (2, "    return card.charge(1)", False),
            (2, "    return card.charge(2)", True),
        ]
        assert [c.subject for c in result.data.commits] == ["Charge twice"]
        assert "shop/pay.py changed, +1 -1" in result.text
        assert [(e.path, e.start_line) for e in result.evidence] == [("shop/pay.py", 2)]
        between = history(scope, ".", since="v2", until="main")
        assert [(f.path, f.status) for f in between.data.files] == [("shop/gone.txt", "added")]
        assert not between.evidence  # lines of another revision than the one that is read
        assert history(scope, ".", since="v2", until="v2").data.commits == ()


def test_a_revision_that_is_not_there_is_answered_with_the_nearest(
    shop: GitRepo, tmp_path: Path
) -> None:
    shop.git("tag", "v2.0")
    with past_scope(tmp_path / "data", shop.path) as scope:
        with pytest.raises(NotFoundError, match=r'no revision "v2.1"; did you mean v2\.0'):
            history(scope, ".", since="v2.1")
        for bad in ("--output=x", "-n1", "a..b", "HEAD@{1}", ":/x", "a b", "", "x^{/y}", "\x00"):
            with pytest.raises(InputError):
                history(scope, ".", since=bad)


def test_no_secret_comes_out_of_a_message_a_name_or_an_older_line(
    git_repo: Callable[..., GitRepo], tmp_path: Path
) -> None:
    key = "AKIA" + "Z7QWERTY5ZXCVB3N"
    repo = git_repo({"a.py": f'KEY = "{key}"\nx = 1\n'}, name="leak")
    repo.env["GIT_AUTHOR_NAME"] = key
    repo.write("a.py", "KEY = load()\nx = 1\n")
    repo.commit(f"Take {key} out\n\nIt was {key}.")
    with past_scope(tmp_path / "data", repo.path) as scope:
        results = [
            history(scope, "a.py", since="HEAD~1"),
            history(scope, "a.py"),
            blame(scope, "a.py"),
        ]
    for result in results:
        assert key not in result.text
        assert key not in repr(result.data)
        assert "[REDACTED:" in result.text


def test_a_denied_file_is_compared_by_nobody(
    git_repo: Callable[..., GitRepo], tmp_path: Path
) -> None:
    repo = git_repo({"a.py": "x = 1\n", ".env": "PIN=1\n"}, name="deny")
    repo.write(".env", "PIN=2\n")
    repo.write("a.py", "x = 2\n")
    repo.commit("second")
    with past_scope(tmp_path / "data", repo.path) as scope:
        assert [f.path for f in history(scope, ".", since="HEAD~1").data.files] == ["a.py"]
        for call in ("blame", "history"):
            key = "path" if call == "blame" else "subject"
            refused = run(scope, call, {key: ".env"})
            assert not refused.ok
            assert "deny-list" in refused.text


def test_a_generated_file_has_no_blame_worth_telling(
    git_repo: Callable[..., GitRepo], tmp_path: Path
) -> None:
    repo = git_repo({"api_pb2.py": "x = 1\n", "package-lock.json": "{}", "a.py": "x = 1\n"})
    with past_scope(tmp_path / "data", repo.path) as scope:
        for path in ("api_pb2.py", "package-lock.json"):
            assert "generated file" in blame(scope, path).text
            assert "blame not meaningful" in history(scope, path).text
            assert blame(scope, path).data.generated
            assert history(scope, path).data.generated


def test_a_plain_folder_says_that_it_has_no_history(tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "a.py").write_text("def a():\n    pass\n")
    with past_scope(tmp_path / "data", folder) as scope:
        for call, arguments in (("blame", {"path": "a.py"}), ("history", {"subject": "a"})):
            result = run(scope, call, arguments)
            assert not result.ok
            assert "plain is a plain folder: it has no history" in result.text


def test_a_shallow_history_is_said_to_be(shop: GitRepo, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    url = shop.path.as_uri()
    subprocess.run(["git", "clone", "-q", "--depth=1", url, str(clone)], check=True, env=shop.env)
    with past_scope(tmp_path / "data", clone) as scope:
        result = blame(scope, "shop/pay.py")
        assert result.data.shallow
        assert "the history here is shallow" in result.text
        past = history(scope, "pay")
        assert past.data.first is None
        assert "the history here is shallow" in past.text


def test_programs_of_the_configuration_never_run(shop: GitRepo, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {mark}\ncat\n")
    program.chmod(0o755)
    home = Path.home() / ".gitconfig"
    home.write_text(
        f'[diff "x"]\n\ttextconv = {program}\n\tcommand = {program}\n'
        f"[diff]\n\texternal = {program}\n"
        f"\torderFile = /nowhere\n[blame]\n\tignoreRevsFile = /nowhere\n"
        f"[log]\n\tshowSignature = true\n[gpg]\n\tprogram = {program}\n"
    )
    try:
        shop.write(".gitattributes", "* diff=x\n")
        shop.write(".git/info/attributes", "* diff=x\n")
        shop.commit("attributes")
        with past_scope(tmp_path / "data", shop.path) as scope:
            assert blame(scope, "shop/pay.py", 2, 2).data.runs[0].commit.subject == "Charge twice"
            assert len(history(scope, "pay").data.commits) == 2
            assert history(scope, "shop/pay.py", since="HEAD~2").data.files[0].lines
    finally:
        home.unlink()
    assert not mark.exists()


def test_odd_paths_are_taken_literally(git_repo: Callable[..., GitRepo], tmp_path: Path) -> None:
    files = {"a*.py": "x = 1\n", "ab.py": "y = 1\n", ":(top)b.py": "z = 1\n", "-c.py": "c = 1\n"}
    repo = git_repo(files, name="odd")
    repo.write("ab.py", "y = 2\n")
    repo.commit("second")
    with past_scope(tmp_path / "data", repo.path) as scope:
        assert [c.subject for c in history(scope, "a*.py").data.commits] == ["first"]
        assert blame(scope, ":(top)b.py").data.runs[0].commit.subject == "first"
        assert blame(scope, "./-c.py").data.runs[0].commit.subject == "first"


def test_lines_outside_the_file_are_refused(shop: GitRepo, tmp_path: Path) -> None:
    with past_scope(tmp_path / "data", shop.path) as scope:
        for start, end in ((0, 2), (7, 8), (3, 2)):
            with pytest.raises(InputError, match="6 lines"):
                blame(scope, "shop/pay.py", start, end)
        assert blame(scope, "shop/pay.py", 5, 99).data.runs[-1].end_line == 6


@pytest.mark.parametrize(
    ("subject", "said"),
    [
        ("nothing_of_that_name", "try grep or search_code."),
        ("shop/pai.py", "did you mean shop/pay.py?"),
        ("pay.pi", "did you mean shop/pay.py?"),
        ("src/zebra.py", "list_files shows the paths there are, and a file that was removed is in"),
        ("zebra/", "list_files shows"),
        ("Shop.refnd", "did you mean refund?"),
        ("two words", "list_files shows"),
    ],
)
def test_what_is_not_there_is_named_as_it_was_written_with_what_may_be_meant(
    shop: GitRepo, tmp_path: Path, subject: str, said: str
) -> None:
    with (
        past_scope(tmp_path / "data", shop.path) as scope,
        pytest.raises(NotFoundError) as error,
    ):
        history(scope, subject)
    assert error.value.message.startswith(f'No path and no symbol "{subject}" is here; ')
    assert said in error.value.message


def test_many_commits_are_cut_and_the_first_is_still_named(
    git_repo: Callable[..., GitRepo], tmp_path: Path
) -> None:
    repo = git_repo({"a.py": "x = 1\n"}, name="many")
    for n in range(MAX_COMMITS + 5):
        repo.write("a.py", f"x = {n + 2}\n")
        repo.commit(f"change {n}")
    with past_scope(tmp_path / "data", repo.path) as scope:
        result = history(scope, "a.py")
        assert len(result.data.commits) == MAX_COMMITS
        assert result.data.total == MAX_COMMITS + 6
        assert result.data.first is not None
        assert result.data.first.subject == "first"
        assert "  first: " in result.text
        assert f"{MAX_COMMITS} of {MAX_COMMITS + 6} commits shown" in result.cut


def test_a_bound_that_has_passed_is_said_and_never_silence(shop: GitRepo, tmp_path: Path) -> None:
    with past_scope(tmp_path / "data", shop.path) as scope:
        hasty = replace(scope, seconds=0.0)
        with pytest.raises(SourceUnreachableError, match="took longer"):
            blame(hasty, "shop/pay.py")
