from __future__ import annotations


def test_a_git_repo_holds_its_files_in_one_commit(git_repo):
    repo = git_repo({"a.py": "x = 1\n", "d/b.bin": b"\x00"})
    assert repo.git("ls-files") == "a.py\nd/b.bin"
    assert repo.git("rev-list", "--count", "HEAD") == "1"
