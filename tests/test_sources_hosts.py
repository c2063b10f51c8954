"""Remotes over HTTPS and SSH as companies have them: own authorities, tokens, keys, odd ports.

Real servers on loopback. Whatever a host does, nothing asks a person, nothing hangs, and nothing
secret is kept (C7).
"""

from __future__ import annotations

import base64
import socket
import time
from typing import TYPE_CHECKING

import pytest

from clew.errors import ForbiddenError, SourceError, SourceUnreachableError
from clew.sources.locate import locate
from clew.sources.sync import sync
from support.certificates import an_authority
from support.githttp import git_server
from support.sshd import make_key, ssh_server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from clew.sources.base import Snapshot
    from clew.types import Source
    from support.certificates import Authority
    from support.githttp import GitServer
    from support.gitrepo import GitRepo
    from support.sshd import SshServer

TOKEN = "t0" + "ken" * 8


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def upstream(git_repo: Callable[..., GitRepo], tmp_path: Path) -> GitRepo:
    """A work tree whose `push` goes to the bare repository `served/shop.git`."""
    repo = git_repo({"a": "1\n"}, name="upstream")
    bare = tmp_path / "served" / "shop.git"
    repo.git("clone", "-q", "--bare", ".", str(bare))
    repo.git("remote", "add", "origin", str(bare))
    return repo


@pytest.fixture
def configure(
    upstream: GitRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str, str], None]:
    """Set a key of the user's own git configuration."""
    file = tmp_path / "gitconfig"
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(file))

    def setting(key: str, value: str) -> None:
        upstream.git("config", "--file", str(file), key, value)

    return setting


def text(snapshot: Snapshot) -> str:
    (entry,) = snapshot.entries()
    ((_, data),) = snapshot.read([entry.oid])
    return (data or b"").decode()


def push(upstream: GitRepo, content: str) -> str:
    """Rewrite the only commit and push it by force."""
    upstream.write("a", content)
    upstream.git("commit", "-q", "-a", "--amend", "-m", content.strip())
    upstream.git("push", "-q", "--force", "origin", "main")
    return upstream.git("rev-parse", "HEAD")


def kept_nowhere(secret: str, data: Path) -> bool:
    every = [path for path in data.rglob("*") if path.is_file()]
    return bool(every) and not any(secret.encode() in path.read_bytes() for path in every)


# --- HTTPS -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return an_authority(tmp_path_factory.mktemp("authority") / "ca")


@pytest.fixture
def secured(upstream: GitRepo, tmp_path: Path, authority: Authority) -> Iterator[GitServer]:
    with git_server(tmp_path / "served", authority.server) as server:
        yield server


def over_https(server: GitServer, tmp_path: Path) -> Source:
    return locate(f"{server.url}/shop", cwd=tmp_path, allow_private=True)


def test_a_host_whose_authority_is_not_known_is_refused(
    secured: GitServer, tmp_path: Path, data: Path
) -> None:
    with pytest.raises(SourceError, match="the certificate of its host can't be verified"):
        sync(over_https(secured, tmp_path), data)
    assert secured.seen == []


@pytest.mark.parametrize("by", ["configuration", "variable"])
def test_a_company_s_own_authority_is_taken_from_git_s_settings(
    secured: GitServer,
    authority: Authority,
    configure: Callable[[str, str], None],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    data: Path,
    by: str,
) -> None:
    if by == "configuration":
        configure(f"http.{secured.url}.sslCAInfo", str(authority.certificate))
    else:
        monkeypatch.setenv("GIT_SSL_CAINFO", str(authority.certificate))
    source = over_https(secured, tmp_path)
    assert source.location.startswith("https://127.0.0.1:")  # an odd port is part of the name
    assert text(sync(source, data)) == "1\n"


def test_turning_verification_off_for_all_in_the_environment_is_the_user_s_own_choice(
    secured: GitServer, configure: Callable[[str, str], None], tmp_path: Path, data: Path
) -> None:
    configure("http.sslVerify", "false")
    assert text(sync(over_https(secured, tmp_path), data)) == "1\n"


@pytest.fixture
def trusted(
    secured: GitServer, authority: Authority, configure: Callable[[str, str], None]
) -> GitServer:
    configure("http.sslCAInfo", str(authority.certificate))
    secured.wanted = "Bearer " + TOKEN
    return secured


def test_a_token_in_a_header_of_git_s_settings_opens_the_host_and_is_never_kept(
    trusted: GitServer, configure: Callable[[str, str], None], tmp_path: Path, data: Path
) -> None:
    source = over_https(trusted, tmp_path)
    with pytest.raises(SourceError, match="give git a credential helper"):
        sync(source, data)
    configure(f"http.{trusted.url}/.extraHeader", f"Authorization: Bearer {TOKEN}")
    told: list[str] = []
    snapshot = sync(source, data, progress=told.append)
    assert text(snapshot) == "1\n"
    assert TOKEN not in f"{told}{snapshot.revision}{source}"
    assert kept_nowhere(TOKEN, data)


def test_a_token_of_git_s_credential_helper_opens_the_host_and_is_never_kept(
    trusted: GitServer, configure: Callable[[str, str], None], tmp_path: Path, data: Path
) -> None:
    pair = base64.b64encode(f"me:{TOKEN}".encode()).decode()
    trusted.wanted = f"Basic {pair}"
    configure(
        "credential.helper",
        f'!f() {{ test "$1" = get && printf "username=me\\npassword={TOKEN}\\n"; }}; f',
    )
    source = over_https(trusted, tmp_path)
    assert text(sync(source, data)) == "1\n"
    assert kept_nowhere(TOKEN, data)
    trusted.wanted = "Basic other"  # the token was revoked
    found = sync(source, data).revision
    assert found.stale is not None
    assert "asks for a password" in found.stale
    assert TOKEN not in found.stale


def test_a_helper_that_asks_a_person_is_given_up_within_the_bound(
    trusted: GitServer, configure: Callable[[str, str], None], tmp_path: Path, data: Path
) -> None:
    configure(f"http.{trusted.url}/.extraHeader", f"Authorization: Bearer {TOKEN}")
    source = over_https(trusted, tmp_path)
    sync(source, data)
    configure(f"http.{trusted.url}/.extraHeader", "Authorization: Bearer old")
    configure("credential.helper", "!sleep 30; :")
    before = time.monotonic()
    assert "timed out" in (sync(source, data, timeout=0.5).revision.stale or "")
    assert time.monotonic() - before < 5


def test_an_askpass_program_of_the_surroundings_is_never_started(
    trusted: GitServer,
    configure: Callable[[str, str], None],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    data: Path,
) -> None:
    witness = tmp_path / "asked"
    program = tmp_path / "askpass"
    program.write_text(f"#!/bin/sh\ntouch {witness}\necho x\n")
    program.chmod(0o755)
    for name in ("GIT_ASKPASS", "SSH_ASKPASS"):
        monkeypatch.setenv(name, str(program))
    configure("core.askPass", str(program))
    with pytest.raises(SourceError):
        sync(over_https(trusted, tmp_path), data)
    assert not witness.exists()


# --- every way a host can fail -----------------------------------------------------------------


@pytest.mark.parametrize("mood", ["down", "silent", "password", "forced"])
def test_over_https_the_last_revision_answers_and_says_why(
    upstream: GitRepo,
    trusted: GitServer,
    authority: Authority,
    configure: Callable[[str, str], None],
    tmp_path: Path,
    data: Path,
    mood: str,
) -> None:
    trusted.wanted = ""
    source = over_https(trusted, tmp_path)
    first = sync(source, data).revision.id
    new = push(upstream, "2\n")
    if mood == "down":
        trusted.shutdown()  # its loop still holds the socket while it polls
        trusted.socket.close()
    elif mood == "silent":
        trusted.mood = "hang"
    elif mood == "password":
        trusted.mood = 401
    before = time.monotonic()
    found = sync(source, data, timeout=5.0 if mood == "forced" else 1.0).revision
    assert time.monotonic() - before < 8
    reasons = {
        "down": "refuses connections",
        "silent": "timed out after 1 s",
        "password": "asks for a password",
        "forced": "",
    }
    if mood == "forced":
        assert (found.id, found.stale) == (new, None)
    else:
        assert found.id == first
        assert reasons[mood] in (found.stale or "")


def test_the_older_protocol_of_git_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ForbiddenError, match="git://"):
        locate("git://host.example/shop", cwd=tmp_path)


# --- SSH ---------------------------------------------------------------------------------------


@pytest.fixture
def sshd(upstream: GitRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SshServer]:
    with ssh_server(tmp_path / "ssh") as server:
        monkeypatch.setenv("GIT_SSH_COMMAND", server.command)
        yield server


def over_ssh(server: SshServer, tmp_path: Path) -> Source:
    return locate(server.url(tmp_path / "served" / "shop"), cwd=tmp_path, allow_private=True)


def test_a_repository_is_read_and_followed_over_ssh(
    upstream: GitRepo, sshd: SshServer, tmp_path: Path, data: Path
) -> None:
    sshd.trust()
    source = over_ssh(sshd, tmp_path)
    assert text(sync(source, data)) == "1\n"
    new = push(upstream, "2\n")
    found = sync(source, data)
    assert (found.revision.id, found.revision.stale) == (new, None)
    assert text(found) == "2\n"


@pytest.mark.parametrize("other", [False, True])
def test_an_unknown_or_changed_host_key_is_an_error_and_no_question(
    sshd: SshServer, tmp_path: Path, data: Path, other: bool
) -> None:
    if other:
        sshd.trust(make_key(tmp_path / "other"))
    with pytest.raises(SourceError, match="the SSH key of its host is not known or has changed"):
        sync(over_ssh(sshd, tmp_path), data)
    assert sshd.known.read_text().count("\n") == int(other)


def test_a_key_that_the_host_does_not_take_is_an_error_and_no_question(
    sshd: SshServer, tmp_path: Path, data: Path
) -> None:
    sshd.trust()
    source = over_ssh(sshd, tmp_path)
    sync(source, data)
    (tmp_path / "ssh" / "authorized").write_text("")
    found = sync(source, data).revision
    assert "refuses access" in (found.stale or "")


def test_a_repository_that_is_not_there_is_said_over_ssh(
    sshd: SshServer, tmp_path: Path, data: Path
) -> None:
    sshd.trust()
    source = locate(sshd.url(tmp_path / "nowhere"), cwd=tmp_path, allow_private=True)
    with pytest.raises(SourceError, match="there is no such repository"):
        sync(source, data)


def test_an_ssh_host_that_is_down_is_said(tmp_path: Path, data: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    source = locate(f"ssh://me@127.0.0.1:{port}/shop", cwd=tmp_path, allow_private=True)
    with pytest.raises(SourceUnreachableError, match="refuses connections"):
        sync(source, data)


def test_an_ssh_host_that_never_speaks_is_given_up_within_the_bound(
    tmp_path: Path, data: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        source = locate(f"ssh://me@127.0.0.1:{port}/shop", cwd=tmp_path, allow_private=True)
        before = time.monotonic()
        with pytest.raises(SourceUnreachableError, match="timed out after 1 s"):
            sync(source, data, first_timeout=1)
        assert time.monotonic() - before < 5
