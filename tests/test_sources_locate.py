from __future__ import annotations

import os

import pytest

from clew.errors import ForbiddenError, InputError, SourceError
from clew.sources.locate import default_spec, locate, name_apart
from clew.types import Source


def test_a_work_tree_is_found_by_its_root(git_repo, tmp_path):
    repo = git_repo({"a.py": ""}, name="shop")
    source = locate("repos/shop", cwd=tmp_path)
    assert (source.kind, source.name, source.prefix) == ("worktree", "shop", "")
    assert source.location == str(repo.path)
    assert source.id.startswith("shop-")
    assert len(source.id) == len("shop-") + 10


def test_a_folder_inside_a_work_tree_bounds_the_same_source(git_repo, tmp_path):
    repo = git_repo({"src/deep/a.py": ""}, name="shop")
    whole = locate(str(repo.path), cwd=tmp_path)
    part = locate(str(repo.path / "src" / "deep"), cwd=tmp_path)
    assert part.id == whole.id
    assert part.location == whole.location
    assert part.prefix == "src/deep/"
    assert part.name == "shop/src/deep"
    assert locate("deep", cwd=repo.path / "src") == part
    assert locate(".", cwd=repo.path / "src" / "deep") == part


def test_an_untracked_folder_inside_a_work_tree_belongs_to_it(git_repo, tmp_path):
    repo = git_repo({"a.py": ""})
    repo.write("new/b.py", "")
    assert locate("new", cwd=repo.path).prefix == "new/"


def test_an_ignored_folder_never_adopts_the_repository_around_it(git_repo):
    repo = git_repo({".gitignore": "work/\n", "a.py": ""})
    repo.write("work/x/b.py", "")
    for folder in ("work", "work/x"):
        source = locate(folder, cwd=repo.path)
        assert (source.kind, source.prefix) == ("folder", "")
        assert source.location == str(repo.path / folder)
    assert default_spec(repo.path / "work" / "x") == str(repo.path / "work" / "x")


def test_an_ignored_folder_with_tracked_files_still_belongs_to_its_repository(git_repo):
    repo = git_repo({"vendor/a.py": ""})
    repo.write(".gitignore", "vendor/\n")
    assert locate("vendor", cwd=repo.path).prefix == "vendor/"


def test_a_plain_folder_stands_for_itself(tmp_path):
    (tmp_path / "notes").mkdir()
    source = locate("notes", cwd=tmp_path)
    assert (source.kind, source.name) == ("folder", "notes")
    assert default_spec(tmp_path / "notes") == str(tmp_path / "notes")


def test_a_linked_work_tree_is_a_source_of_its_own(git_repo, tmp_path):
    repo = git_repo({"a.py": ""}, name="shop")
    repo.git("worktree", "add", "-q", str(tmp_path / "linked"), "-b", "side")
    source = locate("linked", cwd=tmp_path)
    assert source.kind == "worktree"
    assert source.location == str(tmp_path / "linked")
    assert source.id != locate("repos/shop", cwd=tmp_path).id


def test_a_bare_repository_is_followed_like_a_remote(git_repo, tmp_path):
    repo = git_repo({"a.py": ""}, name="shop")
    repo.git("clone", "-q", "--bare", ".", str(tmp_path / "shop.git"))
    bare = locate("shop.git", cwd=tmp_path)
    assert (bare.kind, bare.name, bare.location) == ("remote", "shop", str(tmp_path / "shop.git"))
    inner = locate(str(repo.path / ".git"), cwd=tmp_path)
    assert (inner.kind, inner.name) == ("remote", "shop")


def test_a_file_address_is_a_path(git_repo, tmp_path):
    repo = git_repo({"a.py": ""}, name="my shop")
    assert locate(repo.path.as_uri(), cwd=tmp_path) == locate(str(repo.path), cwd=tmp_path)
    with pytest.raises(ForbiddenError):
        locate("file://host.example/etc", cwd=tmp_path)


def test_a_symbolic_link_leads_to_the_same_source(git_repo, tmp_path):
    repo = git_repo({"a.py": ""})
    (tmp_path / "link").symlink_to(repo.path)
    assert locate("link", cwd=tmp_path) == locate(str(repo.path), cwd=tmp_path)


def test_the_default_is_the_whole_work_tree(git_repo):
    repo = git_repo({"src/a.py": ""})
    assert default_spec(repo.path / "src") == str(repo.path)


@pytest.mark.parametrize("spec", ["-x", "--upload-pack=touch pwned", "a\nb", "a\0b", "ext::sh"])
def test_an_option_or_a_control_character_is_refused(spec, tmp_path):
    with pytest.raises(ForbiddenError):
        locate(spec, cwd=tmp_path)


def test_a_path_that_does_not_exist_is_one_sentence(tmp_path):
    with pytest.raises(SourceError) as caught:
        locate("github.com/acme/billing", cwd=tmp_path)
    assert "https://github.com/acme/billing" in str(caught.value)
    assert caught.value.exit_code == 3
    assert "\n" not in str(caught.value)


def test_a_file_a_fifo_and_nothing_are_bad_input(tmp_path):
    (tmp_path / "file.py").write_text("")
    os.mkfifo(tmp_path / "pipe")
    for spec in ("file.py", "pipe", ""):
        with pytest.raises(InputError):
            locate(spec, cwd=tmp_path)


def test_a_folder_that_can_not_be_printed_is_bad_input(git_repo, tmp_path):
    for name in (b"caf\xe9", b"two\nlines"):
        (tmp_path / os.fsdecode(name)).mkdir()
        with pytest.raises(InputError):
            locate(".", cwd=tmp_path / os.fsdecode(name))
    repo = git_repo({os.fsdecode(b"caf\xe9/a"): ""})
    assert locate(".", cwd=repo.path / os.fsdecode(b"caf\xe9")).prefix == r"caf\xe9/"


def test_a_whole_home_or_disk_is_not_taken_for_a_project(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    for spec in (str(tmp_path), "~", "/"):
        with pytest.raises(InputError, match="name a folder inside it"):
            locate(spec, cwd=tmp_path)


def test_a_folder_whose_name_looks_like_an_address_is_a_folder(tmp_path):
    (tmp_path / "host:path").mkdir()
    assert locate("host:path", cwd=tmp_path).kind == "folder"


def test_a_repository_that_claims_files_elsewhere_is_refused(git_repo, tmp_path):
    (tmp_path / "private").mkdir()
    repo = git_repo({"a.py": ""})
    repo.git("config", "core.worktree", str(tmp_path / "private"))
    with pytest.raises(ForbiddenError):
        locate(str(repo.path), cwd=tmp_path)


def test_addresses_become_remote_sources_without_contact(tmp_path):
    source = locate("https://git.example/Acme/Billing.git", cwd=tmp_path)
    assert source.kind == "remote"
    assert source.location == "https://git.example/Acme/Billing"
    assert source.name == "git.example/Acme/Billing"
    assert source.id.startswith("acme-billing-")
    with pytest.raises(ForbiddenError):
        locate("http://127.0.0.1:9/x", cwd=tmp_path)
    assert locate("http://127.0.0.1:9/x", cwd=tmp_path, allow_private=True).kind == "remote"


def test_names_within_a_scope_differ_by_as_little_as_it_takes():
    def at(location, kind="worktree", prefix="", name=""):
        return Source(
            f"x-{abs(hash(location)):010d}"[:12],
            name or location.split("/")[-1],
            kind,
            location,
            prefix,
        )

    a, b, c = at("/home/me/one/api"), at("/home/me/two/api"), at("/home/me/web")
    assert [s.name for s in name_apart([a, b, c, a])] == ["one/api", "two/api", "web"]
    deep = [at("/a/x/api"), at("/b/x/api")]
    assert [s.name for s in name_apart(deep)] == ["a/x/api", "b/x/api"]
    both = [
        at("https://h.example/a/b", "remote", name="h.example/a/b"),
        at("ssh://git@h.example/a/b", "remote", name="h.example/a/b"),
    ]
    assert [s.name for s in name_apart(both)] == [s.location for s in both]
