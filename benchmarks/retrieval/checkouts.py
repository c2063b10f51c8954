"""Work trees of pinned commits, made once: out of bare mirrors in a folder, or from GitHub.

One repository is no work tree but a pool of functions: that of the CoSQA questions, which the
CoCLR repository keeps as one JSON file that maps each function's text to its number.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.processes import BenchmarkError

if TYPE_CHECKING:
    from collections.abc import Iterable

GIT = ("git", "-c", "core.hooksPath=/dev/null", "-c", "user.name=bench", "-c", "user.email=bench@")
GITHUB = "https://github.com/{owner}/{name}.git"
POOL_REPO = "Jun-jie-Huang/CoCLR"
POOL_FILE = "data/search/code_idx_map.txt"
DONE = ".git/clew-bench-done"  # written last: without it a checkout is made anew


@dataclass(frozen=True)
class Checkouts:
    """Where work trees are kept, and where they come from.

    Attributes:
        folder: One work tree a commit, `owner+name@commit`.
        mirrors: Path of a bare mirror with {owner} and {name}; "" for clones from GitHub.
    """

    folder: Path
    mirrors: str = ""

    def path(self, repo: str, commit: str) -> Path:
        """Where the work tree of a commit is, or will be."""
        return self.folder / f"{repo.replace('/', '+')}@{commit[:12]}"

    def make(self, repo: str, commit: str) -> Path:
        """The work tree of a commit, made when it isn't there yet.

        Raises:
            BenchmarkError: The repository or the commit can't be had.
        """
        target = self.path(repo, commit)
        if not (target / DONE).exists():
            shutil.rmtree(target, ignore_errors=True)
            mirror = self.mirror(repo, commit)
            (pool if repo == POOL_REPO else check_out)(mirror, commit, target)
            (target / DONE).touch()
        return target

    def make_all(self, wanted: Iterable[tuple[str, str]]) -> list[str]:
        """Make each (repo, commit); the repositories that can't be had, with the reason."""
        missing: list[str] = []
        for repo, commit in sorted(set(wanted)):
            try:
                self.make(repo, commit)
            except BenchmarkError as error:
                missing.append(f"{repo}@{commit[:12]}: {error}")
                print(missing[-1], file=sys.stderr)
        return missing

    def head(self, repo: str) -> str:
        """The commit that a repository is at."""
        mirror = self.mirror(repo)
        if not self.mirrors:
            _git(
                "-C",
                str(mirror),
                "fetch",
                "--quiet",
                "--depth",
                "1",
                "origin",
                "HEAD:refs/heads/at",
            )
        return _git("--git-dir", str(mirror), "rev-parse", "HEAD" if self.mirrors else "at").strip()

    def newest(self, repo: str) -> Path:
        """The files of a repository as it is, made when they aren't there yet."""
        target = self.folder / "newest" / repo.replace("/", "+")
        if not (target / DONE).exists():
            shutil.rmtree(target, ignore_errors=True)
            check_out(self.mirror(repo), self.head(repo), target)
            (target / DONE).touch()
        return target

    def history(self, repo: str) -> Path:
        """A bare repository with the whole history, at its newest commit."""
        mirror = self.mirror(repo)
        if not self.mirrors:
            whole = ("--unshallow",) if (mirror / "shallow").exists() else ()
            _git("-C", str(mirror), "fetch", "--quiet", *whole, "origin", "HEAD:refs/heads/main")
            _git("-C", str(mirror), "symbolic-ref", "HEAD", "refs/heads/main")
        return mirror

    def mirror(self, repo: str, commit: str = "") -> Path:
        """The bare repository that work trees are made from, with this commit."""
        owner, _, name = repo.partition("/")
        if self.mirrors:
            try:
                path = Path(self.mirrors.format(owner=owner, name=name))
            except (LookupError, ValueError):
                raise BenchmarkError(
                    f"--mirrors {self.mirrors} is no path in which only {{owner}} and {{name}} are "
                    "filled in"
                ) from None
            if not path.is_dir():
                raise BenchmarkError(f"there is no mirror of {repo}: {path} is no folder")
            return path
        path = self.folder / "mirrors" / f"{owner}+{name}.git"
        if not path.is_dir():
            _git("init", "--quiet", "--bare", str(path))
            _git("-C", str(path), "remote", "add", "origin", GITHUB.format(owner=owner, name=name))
        if commit:  # and its files: the history is no part of any question
            _git("-C", str(path), "fetch", "--quiet", "--depth", "1", "origin", commit)
        return path


def check_out(mirror: Path, commit: str, folder: Path) -> None:
    """A work tree with the files of the mirror's commit, in one commit of its own.

    It is no clone, because a mirror may lack objects that other commits need; nor is it an
    archive, because `git archive` leaves out what a repository doesn't want to be released.
    """
    folder.mkdir(parents=True)
    index = folder.resolve() / ".index"
    env = os.environ | {"GIT_INDEX_FILE": str(index)}
    bare = ("--git-dir", str(mirror))
    _git(*bare, "read-tree", commit, env=env)
    files = [*GIT, *bare, "checkout-index", "--all", "--quiet", f"--prefix={folder.resolve()}/"]
    subprocess.run(files, env=env, check=False, capture_output=True)  # objects may be missing
    index.unlink()
    commit_all(folder, commit)


def pool(mirror: Path, commit: str, folder: Path) -> None:
    """One file a function, `code/f00000.py` and so on, in one commit."""
    text = _git("--git-dir", str(mirror), "show", f"{commit}:{POOL_FILE}")
    code = folder / "code"
    code.mkdir(parents=True)
    for function, number in json.loads(text).items():
        (code / f"f{number:05d}.py").write_text(f"{function}\n", encoding="utf-8", newline="")
    commit_all(folder, commit)


def commit_all(folder: Path, commit: str) -> None:
    """Put everything in a folder into one commit of a repository of its own."""
    inside = ("-C", str(folder))
    _git(*inside, "init", "--quiet")
    _git(*inside, "add", "--all", "--force")
    _git(*inside, "commit", "--quiet", "-m", f"files of {commit}")


def missing_files(mirror: Path, commit: str) -> list[str]:
    """The files of a commit whose contents the mirror lacks."""
    listed = _git("--git-dir", str(mirror), "ls-tree", "-r", "-z", commit).split("\0")
    entries = [(each.split()[2], each.partition("\t")[2]) for each in listed if " blob " in each]
    asked = "\n".join(oid for oid, _ in entries)
    check = [*GIT, "--git-dir", str(mirror), "cat-file", "--batch-check"]
    done = subprocess.run(check, input=asked, capture_output=True, text=True, check=True)
    said = done.stdout.split("\n")
    return [path for (_, path), each in zip(entries, said, strict=False) if "missing" in each]


def _git(*arguments: str, env: dict[str, str] | None = None) -> str:
    quiet = {**(env or os.environ), "GIT_TERMINAL_PROMPT": "0"}  # a wrong name is no login
    done = subprocess.run([*GIT, *arguments], env=quiet, capture_output=True, check=False)
    if done.returncode:
        said = " ".join(done.stderr.decode(errors="replace").split())
        command = arguments[2] if arguments[0].startswith("-") else arguments[0]
        raise BenchmarkError(f"git {command} ended with {done.returncode}: {said}")
    return done.stdout.decode("utf-8", "surrogateescape")
