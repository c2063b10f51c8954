"""`clew doctor` and `clew config`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from clew.doctor import examine
from clew.errors import IndexFailedError, SettingsError
from clew.settings import Settings, effective
from clew.surfaces.cli.main import run
from support.asking import SHOP, ask

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from clew.app import Clew
    from clew.doctor import Finding
    from support.gitrepo import GitRepo


def by_check(found: list[Finding]) -> dict[str, Finding]:
    return {finding.check: finding for finding in found}


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    folder = tmp_path / "data"
    folder.mkdir(mode=0o700)
    return Settings(data=folder)


def test_a_healthy_machine_has_nothing_to_repair(settings: Settings) -> None:
    found = by_check(examine(settings))
    assert {name for name, each in found.items() if each.level == "fail"} == set()
    assert set(found) == {
        "configuration",
        "git",
        "data folder",
        "disk",
        "records",
        "index",
        "grammars",
        "secret scanner",
        "model",
        "embedder",
        "reranker",
    }
    assert found["records"].message == found["index"].message == "none yet"


def test_what_was_asked_is_found_readable(
    git_repo: Callable[..., GitRepo], make_clew: Callable[..., Clew], tmp_path: Path
) -> None:
    repo = git_repo(SHOP, name="shop")
    clew = make_clew()
    ask(clew, "where is a refund retried?", repo.path)
    clew.close()
    found = by_check(examine(Settings(data=tmp_path / "data")))
    assert found["records"].message == "readable"
    assert found["index"].message == "1 readable"


def test_damaged_files_are_named_with_what_to_do(settings: Settings) -> None:
    (settings.data / "index").mkdir()
    (settings.data / "index" / "shop-1.2.db").write_bytes(b"no database at all" * 100)
    (settings.data / "records.db").write_bytes(b"no database at all" * 100)
    found = by_check(examine(settings))
    assert found["records"].level == "fail"
    assert "records.db" in found["records"].advice
    assert found["index"].level in ("fail", "warn")
    assert found["index"].advice


def test_a_git_that_is_old_or_not_there_fails(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    assert by_check(examine(settings))["git"].message == "the git program is not installed"
    old = folder / "git"
    old.write_text("#!/bin/sh\necho git version 2.9.1\n")
    old.chmod(0o755)
    found = by_check(examine(settings))["git"]
    assert found.level == "fail"
    assert found.message.startswith("git version 2.9.1 is too old")
    assert "2.31" in found.advice


def test_a_data_folder_that_others_can_read_is_a_warning(settings: Settings) -> None:
    settings.data.chmod(0o755)
    found = by_check(examine(settings))["data folder"]
    assert found.level == "warn"
    assert "chmod 700" in found.advice


def test_a_data_folder_that_is_not_there_yet_is_fine(tmp_path: Path) -> None:
    found = by_check(examine(Settings(data=tmp_path / "new" / "data")))["data folder"]
    assert found.level == "ok"
    assert "made when it is first needed" in found.message


def test_looking_makes_no_data_folder_that_others_can_read(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path / "new" / "data")
    examine(settings)
    assert by_check(examine(settings))["data folder"].level == "ok"


@pytest.mark.parametrize("below", ["", "data", "deep/data"])
def test_a_file_where_the_data_folder_would_be_fails_once_for_each_check(
    tmp_path: Path, below: str
) -> None:
    (tmp_path / "file").write_text("here")
    found = examine(Settings(data=tmp_path / "file" / below))
    assert "is a file" in by_check(found)["data folder"].message
    assert "CLEW_DATA" in by_check(found)["data folder"].advice
    assert len(found) == len(by_check(found))


def test_grammars_that_do_not_load_are_one_finding(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: object) -> None:
        raise IndexFailedError("it can't be unpacked")

    monkeypatch.setattr("clew.chunks.grammars.load", fails)
    found = [each for each in examine(settings) if each.check == "grammars"]
    assert [each.level for each in found] == ["fail"]
    assert "it can't be unpacked" in found[0].message
    assert "python" in found[0].advice
    assert "zig" in found[0].advice


def test_a_model_without_its_package_key_or_name_fails(tmp_path: Path) -> None:
    settings = Settings.model_validate({"data": tmp_path, "model": {"answer": "nonsense"}})
    found = by_check(examine(settings))["model"]
    assert found.level == "fail"
    assert found.advice


def test_a_wrong_configuration_is_one_finding_among_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "wrong.toml"
    file.write_text("[search]\ntop = 0\n")
    code = run(["doctor", "--config", str(file), "--data", str(tmp_path / "data"), "--json"])
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert code == 3
    assert [row["check"] for row in rows if row["level"] == "fail"] == ["configuration"]
    assert "search.top" in rows[0]["message"]
    assert len(rows) > 5


def test_doctor_says_each_finding_on_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["doctor", "--data", str(tmp_path / "data")]) == 0
    assert "ok\tgit\tgit version" in capsys.readouterr().out


def test_config_shows_where_each_value_is_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "AKIA" + "Z7QWERTY5ZXCVB3N"
    file = tmp_path / "clew.toml"
    file.write_text(f'[search]\ntop = 7\n[answer]\nunknown_text = "Ask {key}"\n')
    monkeypatch.setenv("CLEW_LOG_LEVEL", "info")
    arguments = ["config", "--config", str(file), "--data", str(tmp_path / "data")]
    assert run([*arguments, "--json"]) == 0
    out = capsys.readouterr().out
    rows = {row["key"]: (row["value"], row["origin"]) for row in map(json.loads, out.splitlines())}
    assert rows["search.top"] == (7, str(file))
    assert rows["log.level"] == ("info", "the environment")
    assert rows["data"] == (str(tmp_path / "data"), "a flag")
    assert rows["sync.timeout"] == (5.0, "the defaults")
    assert key not in out
    assert run(arguments) == 0
    assert f"search.top\t7\t{file}" in capsys.readouterr().out


def test_effective_settings_refuse_what_load_refuses() -> None:
    with pytest.raises(SettingsError, match="CLEW_SERCH_TOP"):
        effective(environ={"CLEW_SERCH_TOP": "3"})
