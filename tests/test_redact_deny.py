"""Files that are never read."""

from __future__ import annotations

import time

import pytest

from clew.redact import DEFAULT_DENY, DenyList


@pytest.mark.parametrize(
    ("path", "glob"),
    [
        (".env", ".env"),
        ("app/.env.production", ".env.*"),
        ("deploy/prod.env", "*.env"),
        ("certs/Server.PEM", "*.pem"),
        ("config/master.key", "*.key"),
        ("home/.ssh/id_ed25519", "id_ed25519*"),
        ("id_rsa.bak", "id_rsa*"),
        (".npmrc", ".npmrc"),
        ("infra/terraform.tfstate.backup", "*.tfstate.*"),
        ("gcp/service-account-prod.json", "service-account*.json"),
        ("home/.aws/credentials", "**/.aws/credentials"),
    ],
)
def test_a_file_that_holds_secrets_is_denied_by_a_named_glob(path, glob):
    assert DenyList(DEFAULT_DENY).match(path) == glob


@pytest.mark.parametrize(
    "path",
    [
        "src/env.py",
        ".env.example",
        "a/.env.sample",
        ".env.template",
        "src/key.go",
        "credentials.py",
    ],
)
def test_code_and_templates_are_not_denied(path):
    assert DenyList(DEFAULT_DENY).match(path) is None


def test_a_later_glob_wins_and_a_folder_denies_what_is_in_it():
    deny = DenyList((*DEFAULT_DENY, "private/", "!private/readme.md", "/Top.txt"))
    assert deny.match("a/private/b/c.py") == "private/"
    assert deny.match("top.txt") == "/Top.txt"
    assert deny.match("a/top.txt") is None


def test_a_deny_list_is_quick_on_many_paths():
    deny = DenyList(DEFAULT_DENY)
    started = time.process_time()
    assert not any(deny.match(f"src/package{n % 97}/module{n}.py") for n in range(20_000))
    assert time.process_time() - started < 2
