"""`clew install`: one entry in an editor's file, everything else as it was."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from clew.errors import InputError
from clew.surfaces.cli.main import run
from clew.surfaces.mcp.clients import BACKUP, Editor, installing, uninstalling, where, write

if TYPE_CHECKING:
    from pathlib import Path

FILES = {
    Editor.CLAUDE_CODE: (".mcp.json", "mcpServers"),
    Editor.CURSOR: (".cursor/mcp.json", "mcpServers"),
    Editor.VSCODE: (".vscode/mcp.json", "servers"),
}


@pytest.mark.parametrize("client", Editor)
def test_a_client_is_told_how_to_start_clew(
    client: Editor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file, key = FILES[client]
    assert run(["install", client, "--project", "--data", "here"]) == 0
    written = json.loads((tmp_path / file).read_text("utf-8"))
    entry = written[key]["clew"]
    assert set(written) == {key}
    assert entry["args"][-3:] == ["mcp", "--data", str(tmp_path / "here")]
    assert entry.get("type") == (None if client is Editor.CURSOR else "stdio")
    assert run(["uninstall", client, "--project"]) == 0
    assert json.loads((tmp_path / file).read_text("utf-8")) == {key: {}}


@pytest.mark.parametrize("client", Editor)
def test_the_users_own_file_lies_where_the_client_looks(client: Editor, tmp_path: Path) -> None:
    own, project = where(client, None), where(client, tmp_path)
    assert own.file.name in (".claude.json", "mcp.json")
    assert own.key == project.key
    assert project.file.is_relative_to(tmp_path)
    assert not own.file.is_relative_to(tmp_path)


def test_what_else_is_in_the_file_stays_in_its_order_and_a_copy_is_kept(tmp_path: Path) -> None:
    file = tmp_path / ".mcp.json"
    before = json.dumps(
        {"z": [1, 2.5, None, "ü"], "mcpServers": {"other": {"command": "x"}}, "a": {}},
        indent="\t",
        ensure_ascii=False,
    )
    file.write_text(before, encoding="utf-8")
    file.chmod(0o600)
    write(installing("claude-code", tmp_path, None, None))
    after = file.read_text("utf-8")
    assert list(json.loads(after)) == ["z", "mcpServers", "a"]
    assert list(json.loads(after)["mcpServers"]) == ["other", "clew"]
    assert '\n\t"z"' in after
    assert '"ü"' in after
    assert (tmp_path / f".mcp.json{BACKUP}").read_text("utf-8") == before
    assert file.stat().st_mode & 0o777 == 0o600
    write(uninstalling("claude-code", tmp_path))
    assert json.loads(file.read_text("utf-8")) == json.loads(before)


def test_installing_twice_changes_nothing_more(tmp_path: Path) -> None:
    write(installing("cursor", tmp_path, None, None))
    again = installing("cursor", tmp_path, None, None)
    assert again.before == again.after


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "mcp.json"
    real.parent.mkdir()
    real.write_text("{}", encoding="utf-8")
    (tmp_path / ".mcp.json").symlink_to(real)
    write(installing("claude-code", tmp_path, None, None))
    assert (tmp_path / ".mcp.json").is_symlink()
    assert "clew" in json.loads(real.read_text("utf-8"))["mcpServers"]


@pytest.mark.parametrize(
    "text",
    ['{\n  // mine\n  "servers": {}\n}', '{"servers": {},}', '{"a": 1, "a": 2}', "[1]", "no", "{"],
)
def test_what_is_not_plain_json_is_refused_and_left_as_it_is(tmp_path: Path, text: str) -> None:
    file = tmp_path / ".vscode" / "mcp.json"
    file.parent.mkdir()
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as raised:
        installing("vscode", tmp_path, None, None)
    assert "left as it is" in raised.value.message
    assert "Add it by hand to 'servers'" in raised.value.message
    with pytest.raises(InputError, match="left as it is"):
        uninstalling("vscode", tmp_path)
    assert file.read_text("utf-8") == text


def test_a_list_of_servers_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".mcp.json").write_text('{"mcpServers": []}', encoding="utf-8")
    with pytest.raises(InputError, match="is no object"):
        installing("claude-code", tmp_path, None, None)


def test_a_dry_run_shows_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["install", "vscode", "--project", "--dry-run"]) == 0
    shown = capsys.readouterr()
    assert "clew" in json.loads(shown.out)["servers"]
    assert "would be" in shown.err
    assert not list(tmp_path.iterdir())


def test_a_client_nobody_knows_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["install", "ed"]) == 2
    assert "it can be claude-code, cursor, vscode" in capsys.readouterr().err


def test_nothing_is_installed_that_could_not_be_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import importlib.util

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(importlib.util, "find_spec", lambda *_: None)
    assert run(["install", "cursor", "--project"]) == 2
    assert "install clew[mcp]" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
