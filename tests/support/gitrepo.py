"""Real git repositories in a test's own folder, untouched by the user's git configuration."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

AUTHOR_TIME = "2026-01-02T03:04:05Z"


def git_env(home: Path) -> dict[str, str]:
    """Return an environment for git that nothing outside `home` can influence."""
    env = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    env.update(
        HOME=str(home),
        XDG_CONFIG_HOME=str(home),
        GIT_CONFIG_GLOBAL=os.devnull,
        GIT_CONFIG_NOSYSTEM="1",
        GIT_AUTHOR_NAME="author",
        GIT_AUTHOR_EMAIL="author@example.invalid",
        GIT_AUTHOR_DATE=AUTHOR_TIME,
        GIT_COMMITTER_NAME="author",
        GIT_COMMITTER_EMAIL="author@example.invalid",
        GIT_COMMITTER_DATE=AUTHOR_TIME,
        GIT_TERMINAL_PROMPT="0",
        LC_ALL="C",
    )
    return env


class GitRepo:
    """A repository (a work tree, or a bare one) that a test writes to and commits in."""

    def __init__(self, path: Path, *, bare: bool = False, branch: str = "main") -> None:
        self.path = path
        self.env = git_env(path.parent)
        path.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", branch, *(["--bare"] if bare else []))

    def git(self, *args: str, stdin: bytes | None = None) -> str:
        """Run git in the repository and return its output without the last newline."""
        done = subprocess.run(
            ["git", *args],
            cwd=self.path,
            env=self.env,
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            check=False,
        )
        if done.returncode:
            raise AssertionError(f"git {args} failed: {done.stderr.decode(errors='replace')}")
        return done.stdout.decode(errors="surrogateescape").removesuffix("\n")

    def write(self, path: str, content: str | bytes) -> Path:
        """Write one file, with its folders; text is written as UTF-8 without newline changes."""
        target = self.path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
        return target

    def remove(self, path: str) -> None:
        """Delete one file from the work tree."""
        (self.path / path).unlink()

    def commit(self, message: str = "change") -> str:
        """Commit everything in the work tree and return the commit's SHA."""
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")
