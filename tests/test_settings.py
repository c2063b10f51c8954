"""Settings: layers, unknown keys, bounds, and the page that documents them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import platformdirs
import pytest
from pydantic import SecretStr

from clew import settings
from clew.errors import SettingsError

ROOT = Path(__file__).parent.parent


@pytest.fixture(autouse=True)
def no_default_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The user's configuration folder is an empty one of the test's own."""
    folder = tmp_path / "user-config"
    folder.mkdir()
    monkeypatch.setattr(platformdirs, "user_config_path", lambda *_, **__: folder)
    return folder


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_without_anything_the_defaults_hold() -> None:
    loaded = settings.load(environ={})
    assert loaded.sync.timeout == 5.0
    assert loaded.sync.first_timeout == 600.0
    assert loaded.search.top == 10
    assert loaded.answer.strict is False
    assert loaded.data.is_absolute()


def test_each_layer_wins_over_the_one_before_it(tmp_path: Path) -> None:
    config = write(
        tmp_path / "c.toml", "[search]\ntop = 20\n[sync]\ntimeout = 7\nfirst_timeout = 70\n"
    )
    environ = {"CLEW_SYNC_TIMEOUT": "8", "CLEW_SEARCH_TOP": "30"}
    loaded = settings.load(config, {"search.top": 40, "sync.timeout": None}, environ)
    assert (loaded.sync.first_timeout, loaded.sync.timeout, loaded.search.top) == (70, 8, 40)


def test_the_file_is_the_flags_then_the_variables_then_the_users(
    tmp_path: Path, no_default_file: Path
) -> None:
    write(no_default_file / "config.toml", "[search]\ntop = 1\n")
    variable = write(tmp_path / "variable.toml", "[search]\ntop = 2\n")
    flag = write(tmp_path / "flag.toml", "[search]\ntop = 3\n")
    environ = {"CLEW_CONFIG": str(variable)}
    assert settings.load(environ={}).search.top == 1
    assert settings.load(environ=environ).search.top == 2
    assert settings.load(flag, environ=environ).search.top == 3


def test_a_file_in_the_current_folder_is_never_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("config.toml", "clew.toml", ".clew.toml", ".env"):
        write(tmp_path / name, "[search]\ntop = 99\n" if name != ".env" else "CLEW_SEARCH_TOP=99\n")
    monkeypatch.chdir(tmp_path)
    assert settings.load(environ={}).search.top == 10


def test_the_constructor_reads_no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_SEARCH_TOP", "99")
    assert settings.Settings().search.top == 10
    assert settings.load().search.top == 99


def test_settings_are_frozen() -> None:
    loaded = settings.load(environ={})
    with pytest.raises(ValueError, match="frozen"):
        loaded.data = Path("/elsewhere")
    with pytest.raises(ValueError, match="frozen"):
        loaded.sync.timeout = 1.0


SAMPLES: dict[str, tuple[str, object]] = {
    "data": ("/elsewhere", Path("/elsewhere").resolve()),
    "sync.timeout": ("1.5", 1.5),
    "sync.first_timeout": ("61", 61.0),
    "sync.allow_private": ("true", True),
    "index.max_file_bytes": ("5000", 5000),
    "index.deny": ("a,b", ("a", "b")),
    "index.workers": ("2", 2),
    "search.top": ("9", 9),
    "search.floor": ("0.25", 0.25),
    "answer.strict": ("1", True),
    "answer.unknown_text": ("No, sorry.", "No, sorry."),
    "answer.evidence_max": ("3", 3),
    "model.answer": ("openai:gpt", "openai:gpt"),
    "model.embed": ("none", "none"),
    "model.rerank": ("cohere:rerank", "cohere:rerank"),
    "model.rerank_seconds": ("2.5", 2.5),
    "model.steps": ("json", "json"),
    "model.context": ("8192", 8192),
    "model.output_tokens": ("900", 900),
    "model.timeout": ("7.5", 7.5),
    "model.retries": ("0", 0),
    "research.turns": ("5", 5),
    "research.tokens": ("5000", 5000),
    "research.cost": ("0.5", 0.5),
    "research.seconds": ("30", 30.0),
    "slack.bot_token": ("xoxb-1", SecretStr("xoxb-1")),
    "slack.app_token": ("xapp-1", SecretStr("xapp-1")),
    "slack.signing_secret": ("00ff", SecretStr("00ff")),
    "slack.at_once": ("7", 7),
    "slack.api": ("https://slack.example/api/", "https://slack.example/api/"),
    "mcp.toolset": ("full", "full"),
    "mcp.max_tokens": ("2000", 2000),
    "mcp.results": ("text", "text"),
    "mcp.seconds": ("20", 20.0),
    "mcp.wait": ("1.5", 1.5),
    "serve.host": ("::1", "::1"),
    "serve.port": ("80", 80),
    "serve.hosts": ("a.example.org,b", ("a.example.org", "b")),
    "serve.origins": ("https://a.example.org", ("https://a.example.org",)),
    "serve.tokens": ("always", "always"),
    "log.level": ("error", "error"),
    "log.format": ("json", "json"),
}


def test_every_variable_sets_its_own_key() -> None:
    assert list(SAMPLES) == [row.key for row in settings.describe()]
    for row in settings.describe():
        text, value = SAMPLES[row.key]
        loaded = settings.load(environ={row.env: text})
        section, _, name = row.key.rpartition(".")
        assert getattr(getattr(loaded, section) if section else loaded, name) == value


def test_slacks_own_variables_are_read_and_ours_stand_over_them() -> None:
    theirs = {"SLACK_BOT_TOKEN": "xoxb-theirs", "SLACK_SIGNING_SECRET": "00ff"}
    slack = settings.load(environ=theirs).slack
    assert slack.bot_token.get_secret_value() == "xoxb-theirs"
    assert slack.signing_secret.get_secret_value() == "00ff"
    both = {**theirs, "CLEW_SLACK_BOT_TOKEN": "xoxb-ours"}
    assert settings.load(environ=both).slack.bot_token.get_secret_value() == "xoxb-ours"
    assert settings.load(environ={**theirs, "SLACK_BOT_TOKEN": " "}).slack.bot_token == SecretStr(
        ""
    )


def test_a_secret_is_shown_nowhere() -> None:
    loaded = settings.load(environ={"SLACK_BOT_TOKEN": "xoxb-theirs"})
    assert "theirs" not in repr(loaded)
    assert "theirs" not in repr(settings.effective(environ={"SLACK_BOT_TOKEN": "xoxb-theirs"}))


def test_the_model_has_a_short_variable_which_a_longer_one_and_a_flag_overrule() -> None:
    short = {"CLEW_MODEL": "openai:a"}
    assert settings.load(environ=short).model.answer == "openai:a"
    both = {**short, "CLEW_MODEL_ANSWER": "openai:b"}
    assert settings.load(environ=both).model.answer == "openai:b"
    assert settings.load(None, {"model.answer": "openai:c"}, both).model.answer == "openai:c"
    assert settings.load(environ={"CLEW_MODEL": ""}).model.answer == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[sync]\ntimeot = 3\n", ["sync.timeot", "sync.timeout"]),
        ("[snyc]\ntimeout = 3\n", ["snyc", "sync"]),
        ("timeout = 3\n", ["timeout", "sync.timeout"]),
        ("zzzzzz = 3\n", ["zzzzzz", "known: data"]),
        ("sync = 3\n", ["sync", "[sync]"]),
        ('[sync]\ntimeout = "5"\n', ["sync.timeout", "a number from 0.1 to 600"]),
        ("[sync]\ntimeout = true\n", ["sync.timeout", "a number from 0.1 to 600"]),
        ("[sync]\ntimeout = nan\n", ["sync.timeout", "a number from 0.1 to 600"]),
        ("[sync]\ntimeout = 6001\n", ["sync.timeout", "a number from 0.1 to 600"]),
        ("[sync]\nallow_private = 1\n", ["sync.allow_private", "true or false"]),
        ("[search]\ntop = 2.5\n", ["search.top", "a whole number from 1 to 100"]),
        ("[search]\ntop = 0\n", ["search.top", "a whole number from 1 to 100"]),
        ('[log]\nlevel = "loud"\n', ["log.level", "one of debug, info, warning, error"]),
        ('[index]\ndeny = "*.x"\n', ["index.deny", "a list of texts"]),
        ("[index]\ndeny = [1]\n", ["index.deny", "a list of texts"]),
        ('[answer]\nunknown_text = ""\n', ["answer.unknown_text", "1 to 1,000 characters"]),
        ("data = 3\n", ["data", "the path of a folder"]),
        ("[data]\nx = 3\n", ["data", "the path of a folder"]),
        ("[sync\n", ["not valid TOML"]),
    ],
)
def test_a_wrong_file_is_refused_with_what_is_allowed(
    tmp_path: Path, text: str, said: list[str]
) -> None:
    config = write(tmp_path / "c.toml", text)
    with pytest.raises(SettingsError) as error:
        settings.load(config, environ={})
    for part in [*said, str(config)]:
        assert part in error.value.message
    assert "\n" not in error.value.message


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({"CLEW_SYNC_TIMOUT": "3"}, ["CLEW_SYNC_TIMOUT", "CLEW_SYNC_TIMEOUT"]),
        ({"CLEW_SYNC_TIMEOUT": "soon"}, ["CLEW_SYNC_TIMEOUT", "the environment", "0.1 to 600"]),
        ({"CLEW_SYNC": "{}"}, ["CLEW_SYNC"]),
        ({"CLEW_SYNC_": "3"}, ["CLEW_SYNC_"]),
        ({"CLEW_ANSWER_STRICT": "perhaps"}, ["CLEW_ANSWER_STRICT", "true or false"]),
    ],
)
def test_a_wrong_variable_is_refused_with_what_is_allowed(
    environ: dict[str, str], said: list[str]
) -> None:
    with pytest.raises(SettingsError) as error:
        settings.load(environ=environ)
    for part in said:
        assert part in error.value.message


def test_a_wrong_flag_is_refused_even_when_a_file_sets_the_key_too(tmp_path: Path) -> None:
    config = write(tmp_path / "c.toml", "[search]\ntop = 5\n")
    with pytest.raises(SettingsError, match=r"search\.top in a flag .* 1 to 100"):
        settings.load(config, {"search.top": 1000}, {})
    with pytest.raises(SettingsError, match=r"did you mean search\.top"):
        settings.load(config, {"search.topp": 1}, {})


def test_a_refused_value_is_never_repeated(tmp_path: Path) -> None:
    config = write(tmp_path / "c.toml", '[log]\nlevel = "hunter2"\n')
    with pytest.raises(SettingsError) as error:
        settings.load(config, environ={})
    assert "hunter2" not in error.value.message


def test_a_named_file_must_exist_and_a_default_one_need_not(tmp_path: Path) -> None:
    missing = tmp_path / "none.toml"
    with pytest.raises(SettingsError, match="--config names"):
        settings.load(missing, environ={})
    with pytest.raises(SettingsError, match="CLEW_CONFIG names"):
        settings.load(environ={"CLEW_CONFIG": str(missing)})
    with pytest.raises(SettingsError, match="which is not a file"):
        settings.load(tmp_path, environ={})
    assert settings.load(environ={}).search.top == 10


def test_a_file_that_is_not_utf8_is_an_error_and_a_byte_order_mark_is_not(tmp_path: Path) -> None:
    bad = tmp_path / "bad.toml"
    bad.write_bytes(b"[log]\nlevel = '\xff'\n")
    with pytest.raises(SettingsError, match="not UTF-8"):
        settings.load(bad, environ={})
    marked = tmp_path / "marked.toml"
    marked.write_bytes(b"\xef\xbb\xbf[search]\ntop = 4\n")
    assert settings.load(marked, environ={}).search.top == 4


def test_an_empty_variable_counts_as_not_set() -> None:
    loaded = settings.load(environ={"CLEW_SEARCH_TOP": "", "CLEW_CONFIG": "", "CLEW_DATA": " "})
    assert loaded.search.top == 10
    assert loaded.data == settings.load(environ={}).data


def test_a_list_in_a_variable_is_separated_by_commas() -> None:
    loaded = settings.load(environ={"CLEW_INDEX_DENY": "*.pem.bak, customers/**,"})
    assert loaded.index.deny == ("*.pem.bak", "customers/**")


def test_a_relative_data_folder_in_the_file_means_beside_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "etc").mkdir()
    config = write(tmp_path / "etc" / "c.toml", 'data = "store"\n')
    monkeypatch.chdir(tmp_path)
    assert settings.load(config, environ={}).data == (tmp_path / "etc" / "store").resolve()
    assert settings.load(environ={"CLEW_DATA": "here"}).data == (tmp_path / "here").resolve()
    home = {"data": "~/clew-data"}
    assert settings.load(overrides=home, environ={}).data == Path("~/clew-data").expanduser()


def test_the_page_lists_every_setting_as_the_code_has_it() -> None:
    page = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    rows = [line for line in page.split("\n") if line.startswith("| `")]
    assert rows == [
        f"| `{row.key}` | `{row.env}` | {row.default} | {row.description} |"
        for row in settings.describe()
    ]


def test_importing_clew_does_not_load_the_settings_library() -> None:
    code = "import sys, clew, clew.types, clew.errors; sys.exit('pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
