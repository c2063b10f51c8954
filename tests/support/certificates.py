"""A certificate authority of a test's own, made by `openssl`, and a server's certificate by it."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")


@dataclass(frozen=True, slots=True)
class Authority:
    """The authority's certificate, and what a server for 127.0.0.1 needs to prove itself by it."""

    certificate: Path
    server: ssl.SSLContext


def an_authority(folder: Path) -> Authority:
    """Make one below a folder; skips the test where there is no `openssl`."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl here to make a certificate authority with")
    folder.mkdir(parents=True)
    ca, key = folder / "ca.pem", folder / "server.key"
    _openssl(
        folder,
        *("req", "-x509", *_KEY, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2"),
        *("-subj", "/CN=an authority", "-addext", "keyUsage=critical,keyCertSign"),
    )
    asked = ("-keyout", key.name, "-out", "server.csr", "-subj", "/CN=127.0.0.1")
    _openssl(folder, "req", *_KEY, *asked)
    (folder / "names").write_text("subjectAltName=IP:127.0.0.1,DNS:localhost\n")
    _openssl(
        folder,
        *("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key"),
        *("-CAcreateserial", "-extfile", "names", "-out", "server.pem", "-days", "2"),
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "server.pem", key)
    return Authority(ca, context)


def _openssl(folder: Path, *arguments: str) -> None:
    done = subprocess.run(["openssl", *arguments], cwd=folder, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
