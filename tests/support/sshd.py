"""A real `sshd` on loopback: its own port, host key, configuration and account's key; no PAM.

It runs as the user who tests. Where there is no `sshd`, or it can't run as that user, a server in
Python takes its place; git's own client, `ssh`, is there or the test is skipped.
"""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support import sshlib

if TYPE_CHECKING:
    from collections.abc import Iterator

_SYSTEM = "/usr/sbin:/usr/local/sbin:/sbin"


@dataclass(frozen=True, slots=True)
class SshServer:
    """Where it listens, and the files that a client needs.

    Attributes:
        client: A configuration file with the account's key and no place for known hosts but ours.
        known: The file of known hosts, empty until `trust` writes the host's key.
    """

    port: int
    user: str
    host_key: str
    client: Path
    known: Path

    def url(self, path: Path) -> str:
        return f"ssh://{self.user}@127.0.0.1:{self.port}{path}"

    def trust(self, key: str = "") -> None:
        """Make the host known, by its own key or by another one."""
        self.known.write_text(f"[127.0.0.1]:{self.port} {key or self.host_key}\n")

    @property
    def command(self) -> str:
        """What git runs as ssh: with our configuration instead of the user's."""
        return f"ssh -F {self.client}"


def make_key(file: Path) -> str:
    """Make a key pair and return the public half's type and key."""
    arguments = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(file)]
    subprocess.run(arguments, check=True, stdin=subprocess.DEVNULL)
    return " ".join(file.with_suffix(".pub").read_text().split()[:2])


@contextmanager
def ssh_server(folder: Path) -> Iterator[SshServer]:
    """Serve while the block runs; `folder` must not exist yet."""
    if shutil.which("ssh") is None:
        pytest.skip("no ssh here: install openssh-client to test SSH")
    folder.mkdir(mode=0o700)
    key = make_key(folder / "host")
    (folder / "authorized").write_text(make_key(folder / "account") + "\n")
    for name in ("authorized", "account"):
        (folder / name).chmod(0o600)
    known = folder / "known"
    known.touch()
    (folder / "client").write_text(
        f"IdentityFile {folder}/account\nIdentitiesOnly yes\nIdentityAgent none\n"
        f"UserKnownHostsFile {known}\nGlobalKnownHostsFile /dev/null\n"
    )
    user = pwd.getpwuid(os.geteuid()).pw_name
    with _sshd(folder) as port:
        yield SshServer(port, user, key, folder / "client", known)


@contextmanager
def _sshd(folder: Path) -> Iterator[int]:
    """The system's own server where it can be had, on a free port."""
    program = _program()
    command = [program, "-f", str(folder / "server")]
    (folder / "server").write_text(
        f"HostKey {folder}/host\nAuthorizedKeysFile {folder}/authorized\nPidFile none\n"
        "UsePAM no\nStrictModes no\nPasswordAuthentication no\n"
        "KbdInteractiveAuthentication no\nUseDNS no\nLogLevel ERROR\n"
        f"SetEnv GIT_CONFIG_NOSYSTEM=1 PATH={os.environ['PATH']}\n"
    )
    if (
        program
        and not subprocess.run([*command, "-t"], capture_output=True, check=False).returncode
    ):
        with _listening([*command, "-i"]) as port:
            if _lets_in(folder, port):
                yield port
                return
    with sshlib.listening(folder) as port:
        yield port


def _lets_in(folder: Path, port: int) -> bool:
    """False where the account may not come in at all, such as one that is locked."""
    command = ["ssh", "-F", str(folder / "client"), "-p", str(port), "-o", "BatchMode=yes"]
    command += ["-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null"]
    command += [f"{pwd.getpwuid(os.geteuid()).pw_name}@127.0.0.1", "true"]
    tried = subprocess.run(command, capture_output=True, check=False, stdin=subprocess.DEVNULL)
    return not tried.returncode


@contextmanager
def _listening(command: list[str]) -> Iterator[int]:
    """Accept connections on a free port and give each to an `sshd -i` of its own."""
    code = (
        "import socket, subprocess, sys\n"
        "server = socket.socket(fileno=int(sys.argv[1]))\n"
        "while True:\n"
        "    connection, _ = server.accept()\n"
        "    with connection:\n"
        "        subprocess.Popen(sys.argv[2:], stdin=connection, stdout=connection,\n"
        "                         stderr=subprocess.DEVNULL, start_new_session=True)\n"
    )
    with socket.create_server(("127.0.0.1", 0)) as server:
        arguments = [sys.executable, "-c", code, str(server.fileno()), *command]
        process = subprocess.Popen(arguments, pass_fds=(server.fileno(),))
        try:
            yield server.getsockname()[1]
        finally:
            process.kill()
            process.wait()


def _program() -> str:
    """The system's `sshd`, "" where there is none that this user can run."""
    found = shutil.which("sshd", path=f"{os.environ['PATH']}:{_SYSTEM}")
    alone = os.geteuid() == 0 and not Path("/run/sshd").is_dir()
    return "" if found is None or alone else found
