"""What a test leaves behind, in the repository or the user's home, is found out."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.tempcheck import nothing_left_behind


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path, Path]:
    made = tmp_path / "root", tmp_path / "home", tmp_path / "grammars"
    for folder in made:
        folder.mkdir()
    return made


def test_the_session_lives_in_a_home_of_its_own(tmp_path: Path) -> None:
    assert Path.home().is_relative_to(tmp_path.parents[2])
    assert not [name for name in os.environ if name.startswith(("CLEW_", "GIT_"))]


def test_a_session_that_writes_nowhere_else_passes(folders: tuple[Path, Path, Path]) -> None:
    root, home, grammars = folders
    with nothing_left_behind(root, home, grammars):
        assert Path.home() == home
        (grammars / "python.so").touch()
        (root / ".pytest_cache").mkdir()
    assert Path.home() != home


def test_what_is_left_in_the_root_or_the_home_is_named(folders: tuple[Path, Path, Path]) -> None:
    def session() -> None:
        with nothing_left_behind(*folders):
            (folders[0] / "answers.db").touch()
            Path(os.environ["XDG_DATA_HOME"], "clew").mkdir(parents=True)

    (folders[0] / "README.md").touch()
    with pytest.raises(AssertionError, match=r"answers\.db, .*home/share/clew") as raised:
        session()
    assert "README" not in str(raised.value)
