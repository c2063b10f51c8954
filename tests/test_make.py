"""The make targets: what is typed reaches the command as it was typed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
STUB = """#!{python}
import json, sys
print(json.dumps(sys.argv[1:]))
"""


@pytest.fixture
def venv(tmp_path: Path) -> Path:
    """An environment that is ready, whose `clew` prints its arguments."""
    folder = tmp_path / "venv"
    command = folder / "bin" / "clew"
    command.parent.mkdir(parents=True)
    command.write_text(STUB.format(python=sys.executable))
    command.chmod(0o755)
    (folder / ".ready").touch()
    return folder


def ask(venv: Path, *arguments: str) -> list[str]:
    make = ["make", "--silent", "--no-print-directory", "-C", str(ROOT), "ask", f"VENV={venv}"]
    env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    done = subprocess.run(
        [*make, *arguments], capture_output=True, text=True, check=True, timeout=60, env=env
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    "question",
    [
        "where is the parser?",
        "what does $(shell exit 1) `exit 1` $(exit 1) $HOME ${HOME} $$ do?",
        'it\'s "quoted"; echo no & | > < * ~ \\ #',
        "-- --help",
        "two\nlines",
    ],
)
def test_a_question_reaches_the_command_as_it_was_typed(venv: Path, question: str):
    assert ask(venv, f"Q={question}") == ["ask", "--", question]


def test_a_repository_may_be_named_with_spaces(venv: Path):
    asked = ask(venv, "Q=x", "REPO=/src/my $(shell exit 1) billing")
    assert asked == ["ask", "--repo", "/src/my $(shell exit 1) billing", "--", "x"]
