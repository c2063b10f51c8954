"""Runs the command line: in this process for most tests, as a real process where it matters."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from unittest import mock

from clew.surfaces.cli.main import run

if TYPE_CHECKING:
    from collections.abc import Mapping

SHOP = {
    "shop/refunds.py": '"""Gives money back."""\n\nRETRY_LIMIT = 5\n\n\n'
    'def retry_refund(order):\n    """Retries a refund that the bank declined."""\n'
    "    for attempt in range(RETRY_LIMIT):\n        if order.refund(attempt):\n"
    "            return True\n    return False\n",
    "shop/invoices.py": '"""Bills."""\n\nfrom shop.refunds import retry_refund\n\n\n'
    'def send_invoice(order):\n    """Sends the invoice of an order by mail."""\n'
    "    return order.mail(retry_refund(order))\n",
    "README.md": "# A shop\n\nIt sells things and gives money back.\n",
    "logo.png": "not really",
    ".env": "MODE=test\n",
}


@dataclass(frozen=True)
class Ran:
    """What one command line did."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """Standard output as one JSON value."""
        return json.loads(self.out)

    def rows(self) -> list[Any]:
        """Standard output as JSON lines."""
        *lines, rest = self.out.split("\n")
        assert rest == "", "the last line has no end"
        return [json.loads(line) for line in lines]


def clew(*arguments: object, stdin: bytes = b"") -> Ran:
    """Run a command line in this process."""
    out, err = _pipe(), _pipe()
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        mock.patch.object(sys, "stdin", _pipe(stdin)),
    ):
        code = run([str(argument) for argument in arguments])
    return Ran(code, _written(out), _written(err))


def process(*arguments: object, env: Mapping[str, str] | None = None, **how: Any) -> Ran:
    """Run a command line as a process of its own."""
    done = subprocess.run(
        command(*arguments),
        check=False,
        capture_output=True,
        env={**os.environ, **(env or {})},
        **how,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "clew", *map(str, arguments)]


def _pipe(content: bytes = b"") -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", newline="")


def _written(stream: io.TextIOWrapper) -> str:
    stream.flush()
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue().decode("utf-8")
