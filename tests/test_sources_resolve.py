"""Where a host's name may lead. The answers of the name server are the tests' own."""

from __future__ import annotations

import socket
import threading
import time
from typing import TYPE_CHECKING

import pytest

from clew.errors import ForbiddenError
from clew.sources.gitcmd import Deadline, run
from clew.sources.giterror import GitError
from clew.sources.locate import locate
from clew.sources.resolve import resolved
from clew.sources.sync import sync
from support.certificates import an_authority
from support.githttp import git_server

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.gitrepo import GitRepo

HTTPS = "https://git.example/shop"


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Let every name lead to these addresses; returns the names that were asked for."""

    def use(*addresses: str) -> list[str]:
        asked: list[str] = []

        def look_up(host: str, port: int, **_: object) -> list[tuple[object, ...]]:
            asked.append(host)
            if not addresses:
                raise socket.gaierror(-2, "Name or service not known")
            return [(0, 0, 0, "", (address, port)) for address in addresses]

        monkeypatch.setattr(socket, "getaddrinfo", look_up)
        return asked

    return use


@pytest.mark.parametrize("location", [HTTPS, "ssh://git@git.example/shop", "git@git.example:shop"])
@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.8.8.8",
        "0.0.0.0",
        "169.254.169.254",
        "100.100.100.200",
        "224.0.0.1",
        "::1",
        "::",
        "fe80::1%eth0",
        "fd00:ec2::254",
        "::ffff:127.0.0.1",
        "64:ff9b::a9fe:a9fe",
    ],
)
def test_a_name_that_leads_to_this_machine_or_its_link_is_refused(
    answers: Callable[..., list[str]], location: str, address: str
) -> None:
    answers("192.0.2.7", address)
    with pytest.raises(ForbiddenError, match="leads to this machine"):
        resolved(location, Deadline(5))


@pytest.mark.parametrize("address", ["10.1.2.3", "172.16.0.9", "192.168.1.1", "fd12::1", "8.8.8.8"])
def test_a_company_s_own_network_may_be_named(
    answers: Callable[..., list[str]], address: str
) -> None:
    answers(address)
    shown = f"[{address}]" if ":" in address else address
    assert resolved(HTTPS, Deadline(5)) == (
        "-c",
        f"http.curloptResolve=git.example:443:{shown}",
    )
    assert resolved("ssh://git@git.example:2222/shop", Deadline(5)) == ()


def test_paths_and_numbers_are_not_looked_up(answers: Callable[..., list[str]]) -> None:
    asked = answers("127.0.0.1")
    for location in ("/srv/shop.git", "https://192.0.2.1/shop", "ssh://git@[2001:db8::1]:22/shop"):
        assert resolved(location, Deadline(5)) == ()
    assert asked == []


def test_a_name_that_only_a_proxy_or_ssh_knows_is_left_to_git(
    answers: Callable[..., list[str]],
) -> None:
    answers()
    assert resolved(HTTPS, Deadline(5)) == ()


def test_a_name_server_that_is_silent_is_given_up_within_the_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    released = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: released.wait(10) and [])
    before = time.monotonic()
    with pytest.raises(GitError, match="could not be resolved in time"):
        resolved(HTTPS, Deadline(0.2))
    released.set()
    assert time.monotonic() - before < 2


def test_nothing_is_contacted_where_a_name_leads_here(
    answers: Callable[..., list[str]], tmp_path: Path
) -> None:
    answers("127.0.0.1")
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        source = locate(f"https://git.example:{server.getsockname()[1]}/shop", cwd=tmp_path)
        with pytest.raises(ForbiddenError):
            sync(source, tmp_path / "data")
        with pytest.raises(BlockingIOError):
            server.accept()
    assert not list((tmp_path / "data").rglob("*.git"))


def test_git_goes_where_the_name_was_found_to_lead(
    git_repo: Callable[..., GitRepo], tmp_path: Path
) -> None:
    repo = git_repo({"a": "1\n"})
    repo.git("clone", "-q", "--bare", ".", str(tmp_path / "served" / "shop.git"))
    authority = an_authority(tmp_path / "ca")
    with git_server(tmp_path / "served", authority.server) as server:
        port = server.server_address[1]
        held = ("-c", f"http.curloptResolve=git.example:{port}:127.0.0.1")
        trusting = ("-c", "http.sslVerify=false")
        url = f"https://git.example:{port}/shop.git"
        done = run((*held, *trusting, "ls-remote", "--", url, "HEAD"), Deadline(10))
    assert done.text().startswith(repo.git("rev-parse", "HEAD"))
