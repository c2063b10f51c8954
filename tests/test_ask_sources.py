"""Several sources in one question: bad ones are named, and equal names are told apart (C3, C8)."""

from __future__ import annotations

import asyncio

import pytest

from clew.answerers.base import Conclude, Say
from clew.errors import ClewError, ForbiddenError, InputError, SourceError
from support.asking import INVOICES, REFUNDS, SHOP, Scripted, ask

WHERE = "where are refunds retried?"


@pytest.fixture
def shop(git_repo):
    return git_repo(SHOP, name="shop")


def missing(tmp_path, git_repo):
    return tmp_path / "nowhere"


def without_commits(tmp_path, git_repo):
    return git_repo(name="fresh").path


def without_commits_bare(tmp_path, git_repo):
    return git_repo(name="fresh.git", bare=True).path


def with_a_broken_head(tmp_path, git_repo):
    repo = git_repo(SHOP, name="headless")
    (repo.path / ".git/HEAD").write_text("ref: refs/heads/gone\n")
    return repo.path


def with_a_lost_tree(tmp_path, git_repo):
    repo = git_repo(SHOP, name="broken")
    tree = repo.git("rev-parse", "HEAD^{tree}")
    (repo.path / ".git/objects" / tree[:2] / tree[2:]).unlink()
    return repo.path


def unreachable(tmp_path, git_repo):
    return "http://127.0.0.1:9/shop.git"  # the discard port: nothing listens there


BAD = (
    missing,
    without_commits,
    without_commits_bare,
    with_a_broken_head,
    with_a_lost_tree,
    unreachable,
)


@pytest.mark.parametrize("make_bad", BAD)
def test_one_bad_source_is_named_and_the_others_answer(
    shop, git_repo, tmp_path, make_clew, make_bad
):
    bad = make_bad(tmp_path, git_repo)
    clew = make_clew(sync={"allow_private": True})
    answer = ask(clew, WHERE, bad, shop.path)
    assert answer.outcome == "answered"
    assert set(answer.revisions) == {"shop"}
    (caveat,) = [w for w in answer.warnings if w.type == "source_failed"]
    name = str(bad).rstrip("/").rpartition("/")[2].removesuffix(".git")
    assert name in caveat.message
    assert caveat.message in answer.text


@pytest.mark.parametrize("make_bad", BAD)
def test_a_bad_source_alone_is_the_error_with_its_exit_code(
    git_repo, tmp_path, make_clew, make_bad
):
    with pytest.raises(ClewError) as raised:
        ask(make_clew(sync={"allow_private": True}), WHERE, make_bad(tmp_path, git_repo))
    assert raised.value.exit_code == 3
    assert "\n" not in raised.value.message


def test_a_file_whose_object_is_lost_is_listed_and_the_rest_answers(shop, tmp_path, make_clew):
    bare = tmp_path / "holey.git"
    shop.git("clone", "-q", "--bare", str(shop.path), str(bare))
    oid = shop.git("rev-parse", "HEAD:shop/invoices.py")
    (bare / "objects" / oid[:2] / oid[2:]).unlink()
    clew = make_clew()
    assert ask(clew, WHERE, bare).outcome == "answered"
    (status,) = asyncio.run(clew.status([str(bare)], lambda _: None))
    assert [(path, why) for path, why, _ in status.skipped_files] == [
        ("shop/invoices.py", "missing object")
    ]


def test_all_bad_is_the_first_one_s_error(tmp_path, make_clew):
    with pytest.raises(SourceError, match="first"):
        ask(make_clew(), WHERE, tmp_path / "first", tmp_path / "second")


@pytest.mark.parametrize(
    ("spec", "error"),
    [
        ("ext::sh -c true", ForbiddenError),
        ("--upload-pack=true", ForbiddenError),
        ("http://169.254.169.254/latest", ForbiddenError),
        ("", InputError),
    ],
)
def test_what_is_refused_for_safety_is_refused_whatever_stands_beside_it(
    shop, make_clew, spec, error
):
    with pytest.raises(error):
        ask(make_clew(), WHERE, shop.path, spec)


def test_a_failing_status_names_the_source_and_tells_about_the_others(shop, tmp_path, make_clew):
    clew = make_clew()
    ask(clew, WHERE, shop.path)
    repos = [str(tmp_path / "nowhere"), str(shop.path)]
    found = asyncio.run(clew.status(repos, lambda _: None))
    problems = {status.source: status.problem for status in found}
    assert problems.pop("shop") is None
    assert "nowhere" in "".join(problems.values())


def test_a_citation_says_which_of_two_repositories_its_file_is_in(git_repo, make_clew):
    """The same path, and even the same text, in both."""
    repos = [git_repo(SHOP, name=name) for name in ("shop", "bank")]
    answer = ask(make_clew(), WHERE, *(repo.path for repo in repos))
    cited = {(citation.source, citation.path) for citation in answer.citations}
    assert {("shop", "shop/refunds.py"), ("bank", "shop/refunds.py")} <= cited
    for source, path in cited:
        assert f"`{source}:{path}:" in answer.text
    for citation in answer.citations:
        assert citation.revision == answer.revisions[citation.source]


def test_a_citation_that_does_not_say_which_is_marked_where_both_have_the_file(git_repo, make_clew):
    repos = [git_repo(SHOP, name=name) for name in ("shop", "bank")]
    steps = [Say("See `shop/refunds.py:1-3`.\n"), Conclude("answered")]
    clew = make_clew(answerer=Scripted(lambda _: steps))
    answer = ask(clew, WHERE, *(repo.path for repo in repos))
    assert answer.outcome == "partial"
    assert "[unverified: " in answer.text


def test_repositories_of_one_name_are_named_apart(git_repo, make_clew):
    repos = [git_repo(SHOP, name=f"{parent}/shop") for parent in ("red", "blue")]
    answer = ask(make_clew(), WHERE, *(repo.path for repo in repos))
    assert set(answer.revisions) == {"red/shop", "blue/shop"}
    assert {citation.source for citation in answer.citations} == {"red/shop", "blue/shop"}


def test_a_repository_named_twice_is_one_source(shop, make_clew):
    answer = ask(make_clew(), WHERE, shop.path, f"{shop.path}/", shop.path / "shop/..")
    assert set(answer.revisions) == {"shop"}


def test_a_repository_and_a_folder_of_it_are_two_scopes_of_one_revision(shop, make_clew):
    clew = make_clew()
    answer = ask(clew, WHERE, shop.path, shop.path / "shop")
    assert answer.outcome == "answered"
    assert set(answer.revisions) == {"shop", "shop/shop"}
    assert len(set(answer.revisions.values())) == 1
    alone = ask(clew, "where is the readme of the shop?", shop.path / "shop")
    assert all(citation.path.startswith("shop/") for citation in alone.citations)


def test_fifty_sources_with_one_bad_one_are_all_read(git_repo, tmp_path, make_clew):
    repos = [git_repo({"a.py": REFUNDS}, name=f"r{n}") for n in range(12)]
    plain = [tmp_path / f"folder{n}" for n in range(37)]
    for folder in plain:
        folder.mkdir()
        (folder / "b.py").write_text(INVOICES)
    named = [repo.path for repo in repos] + plain + [tmp_path / "nowhere"]
    answer = ask(make_clew(), WHERE, *named)
    assert len(answer.revisions) == 49
    assert [w.type for w in answer.warnings].count("source_failed") == 1
    assert answer.outcome == "answered"
