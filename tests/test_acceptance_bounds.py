"""Out of bounds: refused in one clear sentence, and nothing is read, run or asked (C6, C24)."""

from __future__ import annotations

import asyncio
import time

import pytest

from clew.errors import ForbiddenError, InputError, SourceError, UserError
from clew.tools.grep import grep
from clew.tools.list_files import list_files
from clew.tools.read_file import read_file
from support.asking import SHOP, a_clew, ask
from support.cli import clew as run
from support.gitrepo import GitRepo

WHERE = "where are refunds retried?"
CANARY = "the-canary-of-this-machine"


def a_shop_with_links(repo):
    """A repository whose links lead out, beside a file that nobody may see."""
    (repo.path.parent / "outside.txt").write_text(CANARY)
    (repo.path / "link.txt").symlink_to(repo.path.parent / "outside.txt")
    (repo.path / "passwd").symlink_to("/etc/passwd")
    (repo.path / "up").symlink_to("..")
    repo.commit("links")
    return repo


@pytest.fixture
def shop(git_repo):
    return a_shop_with_links(git_repo(SHOP, name="shop"))


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """The same repository and an application for it, for tests that change neither."""
    folder = tmp_path_factory.mktemp("bounds")
    repo = GitRepo(folder / "shop")
    for path, content in SHOP.items():
        repo.write(path, content)
    clew = a_clew(folder)
    yield a_shop_with_links(repo), clew
    clew.close()


OUTSIDE = (
    "../../etc/passwd",
    "../outside.txt",
    "shop/../../outside.txt",
    "..\\outside.txt",
    "/etc/passwd",
    "//etc/passwd",
    "C:\\Windows\\win.ini",
    "~/.ssh/id_rsa",
    "file:///etc/passwd",
    "link.txt",
    "passwd",
    "up/outside.txt",
    ".git/config",
    ".git/HEAD",
    "--output=/tmp/x",
    "-rf",
    "shop/refunds.py\0.txt",
    "\0",
    "shop/refunds.py\n../outside.txt",
    ":(top)outside.txt",
    ":!x",
    "",
    ".",
    "..",
    "shop",
    "x" * 5_000,
)


@pytest.mark.parametrize("path", OUTSIDE)
def test_a_path_that_leads_out_is_refused_by_show_and_by_the_tools(kept, path):
    shop, clew = kept

    async def main():
        with await clew.open([str(shop.path)], lambda _: None) as workspace:
            with pytest.raises(UserError) as shown:
                await clew.show(workspace, path, None, None)
            scope = clew._reading().scope_of(workspace.views)
            with pytest.raises(UserError) as read:
                read_file(scope, path)
        return shown.value, read.value

    for error in asyncio.run(main()):
        assert error.exit_code == 2
        assert CANARY not in error.message
        assert "root:" not in error.message
        assert "\n" not in error.message
        assert "\0" not in error.message
        assert len(error.message) < 1_000


@pytest.mark.parametrize("path", [path for path in OUTSIDE if "\0" not in path])
def test_a_path_that_leads_out_is_exit_code_2_at_the_command_line(kept, path):
    shop, _ = kept
    ran = run("show", "--repo", shop.path, "--data", shop.path.parent / "data", "--", path)
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.count("\n") == 1
    assert CANARY not in ran.err


@pytest.mark.parametrize("path", OUTSIDE)
def test_a_question_about_a_path_that_leads_out_shows_nothing_of_it(kept, path):
    shop, clew = kept
    answer = ask(clew, f"what is in `{path[:200]}`?", shop.path)
    assert CANARY not in answer.text
    assert "root:" not in answer.text
    assert all(not evidence.path.startswith(("..", "/")) for evidence in answer.evidence)


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "(a|aa)+$", "(.*a){25}", r"^(\w+\s?)*$", "(x+x+)+y", "a{1,900}" * 3]
)
def test_a_pattern_that_blows_up_elsewhere_is_quick_or_refused(git_repo, make_clew, pattern):
    repo = git_repo({"a.py": "a" * 50_000 + "!\n" + "x" * 50_000 + "\n"})
    clew = make_clew()

    async def main():
        with await clew.open([str(repo.path)], lambda _: None) as workspace:
            scope = clew._reading().scope_of(workspace.views)
            before = time.monotonic()
            try:
                grep(scope, pattern)
            except UserError as error:
                return time.monotonic() - before, error.message
            return time.monotonic() - before, ""

    seconds, message = asyncio.run(main())
    assert seconds < 5
    assert "\n" not in message


@pytest.mark.parametrize("glob", ["../**", "/etc/*", "**/../../*", "\0", "[", "--output=x"])
def test_a_glob_lists_nothing_from_outside(kept, glob):
    shop, clew = kept

    async def main():
        with await clew.open([str(shop.path)], lambda _: None) as workspace:
            scope = clew._reading().scope_of(workspace.views)
            try:
                return list_files(scope, glob).text
            except UserError as error:
                return error.message

    listed = asyncio.run(main())
    assert "outside.txt" not in listed
    assert "passwd" not in listed.replace(glob, "")


REFUSED = (
    ("ext::sh -c touch% {canary}", ForbiddenError),
    ("fd::17", ForbiddenError),
    ("http://169.254.169.254/latest/meta-data", ForbiddenError),
    ("http://[fd00:ec2::254]/x.git", ForbiddenError),
    ("http://localhost/x.git", ForbiddenError),
    ("http://127.1/x.git", ForbiddenError),
    ("http://2130706433/x.git", ForbiddenError),
    ("http://0x7f.1/x.git", ForbiddenError),
    ("http://10.0.0.1/x.git", ForbiddenError),
    ("ftp://git.example/x.git", ForbiddenError),
    ("git://git.example/x.git", ForbiddenError),
    ("gopher://git.example/x", ForbiddenError),
    ("--upload-pack=touch {canary}", ForbiddenError),
    ("-u", ForbiddenError),
    ("ssh://-oProxyCommand=touch {canary}/x", ForbiddenError),
    ("-oProxyCommand=x@host:repo", ForbiddenError),
    ("https://user:hunter2hunter2@git.example/x.git", None),
    ("/nowhere/\0/x", ForbiddenError),
    ("x\ny", ForbiddenError),
    ("/etc/passwd", InputError),
    ("/", InputError),
    ("", InputError),
    ("file://host/x", ForbiddenError),
)


@pytest.mark.parametrize(("spec", "error"), REFUSED)
def test_an_address_that_is_no_repository_of_the_asker_s_is_refused(
    tmp_path, make_clew, spec, error, capfd
):
    canary = tmp_path / "canary"
    before = time.monotonic()
    with pytest.raises(error or (UserError, SourceError)) as raised:
        ask(make_clew(sync={"first_timeout": 2.0}), WHERE, spec.format(canary=canary))
    assert time.monotonic() - before < 10
    assert not canary.exists()
    assert "\n" not in raised.value.message
    assert "hunter2hunter2" not in raised.value.message
    assert capfd.readouterr() == ("", "")


def test_a_repository_that_names_programs_starts_none_of_them(shop, make_clew, tmp_path):
    """Hooks, monitors, filters, drivers, aliases and pagers are data of who wrote them."""
    canary = tmp_path / "canary"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch '{canary}'\ncat\n")
    program.chmod(0o755)
    hooks = shop.path / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-checkout", "pre-commit", "reference-transaction", "post-index-change"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch '{canary}'\n")
        (hooks / name).chmod(0o755)
    for key in (
        "core.fsmonitor",
        "core.pager",
        "core.sshCommand",
        "core.editor",
        "core.askPass",
        "diff.external",
        "diff.odd.textconv",
        "diff.odd.command",
        "filter.odd.clean",
        "filter.odd.smudge",
        "filter.odd.process",
        "credential.helper",
        "uploadpack.packObjectsHook",
        "gpg.program",
        "alias.ls-tree",
    ):
        shop.git("config", key, str(program))
    shop.write(".gitattributes", "* filter=odd diff=odd\n")
    shop.write("shop/new.py", "def new():\n    return 1\n")
    answer = ask(make_clew(), WHERE, shop.path)
    assert answer.outcome == "answered"
    assert not canary.exists()


def test_settings_inside_the_asked_repository_are_only_text(shop, make_clew, tmp_path, monkeypatch):
    shop.write("config.toml", f'data = "{tmp_path / "stolen"}"\n')
    shop.write("clew.toml", f'data = "{tmp_path / "stolen"}"\n')
    monkeypatch.chdir(shop.path)
    assert run("ask", WHERE, "--data", tmp_path / "data").code == 0
    assert not (tmp_path / "stolen").exists()


# --- C6: asked about a branch ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("on branch release/2.x, where are refunds retried?", "release/2.x"),
        ("where are refunds retried on the release/2.x branch?", "release/2.x"),
        ("in tag v1.2.0, where are refunds retried?", "v1.2.0"),
        ("where are refunds retried at commit deadbeefcafe?", "deadbeefcafe"),
        ("where are refunds retried as of deadbeefcafe1234567890?", "deadbeefcafe"),
    ],
)
def test_a_question_about_a_state_that_is_not_there_is_never_answered_from_the_head(
    shop, make_clew, text, name
):
    clew = make_clew()
    with pytest.raises(UserError) as raised:
        ask(clew, text, shop.path)
    assert name in raised.value.message
    (row,) = asyncio.run(clew.history(10))
    assert row.outcome == "refused"


def test_a_question_about_the_head_s_own_branch_or_commit_is_answered(shop, make_clew):
    clew = make_clew()
    head = shop.git("rev-parse", "HEAD")
    for at in ("on branch main", f"at commit {head[:12]}", f"as of {head}"):
        answer = ask(clew, f"{at}, where are refunds retried?", shop.path)
        assert answer.outcome == "answered"
        assert answer.revisions == {"shop": head}


@pytest.mark.parametrize(
    "text",
    [
        "where is the branch taken when a refund fails?",
        "how does the retry loop branch?",
        "where is the commit message of a refund written?",
        "in the else branch, where are refunds retried?",
        "where are refunds retried in release mode?",
    ],
)
def test_the_word_branch_or_commit_in_another_sense_refuses_nothing(kept, text):
    shop, clew = kept
    assert ask(clew, text, shop.path).outcome in ("answered", "partial", "no_answer")


def test_no_command_of_git_can_ask_a_person(make_clew, git_repo, monkeypatch):
    """Not even when the environment names somebody to ask."""
    monkeypatch.setenv("GIT_ASKPASS", "/bin/false")
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_WORK_TREE", "/nowhere")
    repo = git_repo(SHOP)
    assert ask(make_clew(), WHERE, repo.path).outcome == "answered"
