"""Log lines go to standard error and hold no secret."""

from __future__ import annotations

import json
import logging
import subprocess
import sys

import pytest
import structlog

from clew.log import configure, prepare
from support.cli import clew
from support.secrets import one_of_each

TEXT, SECRET = one_of_each()["database url"]


@pytest.mark.parametrize("style", ["text", "json"])
def test_no_secret_reaches_a_log_line(style, capsys):
    configure("info", style)
    log = structlog.get_logger()
    event = f"connecting to {TEXT}"
    log.info(event, url=TEXT, nested={"urls": [TEXT, 3]}, error=ValueError(TEXT))
    try:
        raise RuntimeError(TEXT)
    except RuntimeError:
        log.exception("failed")
    logging.getLogger("library").warning("at %s", TEXT)
    out, err = capsys.readouterr()
    assert out == ""
    assert SECRET not in err
    assert err.count("[REDACTED:url-password]") >= 6


def test_json_lines_are_json_and_quieter_events_are_not_written(capsys):
    configure("warning", "json")
    structlog.get_logger().info("unheard")
    structlog.get_logger().warning("heard", count=2)
    (line,) = capsys.readouterr().err.splitlines()
    assert json.loads(line)["event"] == "heard"
    assert json.loads(line)["count"] == 2


def test_importing_it_configures_nothing():
    code = """
import clew.log, logging, structlog
print(logging.getLogger().handlers, structlog.is_configured())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["[]", "False"]


def test_the_first_line_of_a_library_sets_the_logging_up(capsys):
    prepare("error", "json")
    logging.getLogger("library").warning("at %s", TEXT)
    assert not structlog.is_configured()
    logging.getLogger("library").error("at %s", TEXT)
    logging.getLogger("library").error("again at %s", TEXT)
    first, second = map(json.loads, capsys.readouterr().err.splitlines())
    assert first["event"].startswith("at ")
    assert first["level"] == "error"
    assert second["event"].startswith("again at ")
    assert SECRET not in str((first, second))


@pytest.mark.parametrize(
    ("level", "heard"),
    [
        ("debug", ["own news", "own warning", "their warning"]),
        ("info", ["own news", "own warning", "their warning"]),
        ("warning", ["own warning", "their warning"]),
        ("error", []),
    ],
)
def test_news_are_heard_of_us_alone_and_nothing_smaller_of_anybody(capsys, level, heard):
    for start in (prepare, configure):
        start(level, "json")
        for name, who in (("clew.slack", "own"), ("library", "their")):
            logging.getLogger(name).debug("%s words", who)
            logging.getLogger(name).info("%s news", who)
            logging.getLogger(name).warning("%s warning", who)
        lines = capsys.readouterr().err.splitlines()
        assert [json.loads(line)["event"] for line in lines] == heard


def test_the_command_line_redacts_what_libraries_say_at_every_setting(tmp_path, monkeypatch):
    asked: list[tuple[str, str]] = []
    monkeypatch.setattr("clew.log.prepare", lambda *how: asked.append(how))
    assert clew("history", "--data", tmp_path).code == 0
    monkeypatch.setenv("CLEW_LOG_LEVEL", "error")
    monkeypatch.setenv("CLEW_LOG_FORMAT", "json")
    assert clew("history", "--data", tmp_path).code == 0
    assert asked == [("warning", "text"), ("error", "json")]
