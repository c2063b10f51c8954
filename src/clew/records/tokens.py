"""Tokens that may ask over HTTP: made once, shown once, kept as a digest.

What a token may use is the tags that it names, as far as the configuration still has them. It
reads and writes rows of one connection; it never logs or returns a secret that it did not just
make.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from clew.errors import InputError, NotFoundError
from clew.records.store import new_id
from clew.records.tables import token as table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clew.records.store import Records

PREFIX = "clew_"  # so that people and scanners know what they have found
_BYTES = 32
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True, slots=True)
class Token:
    """What is known of a token; times are unix seconds, `revoked_at` None while it may ask."""

    name: str
    tags: tuple[str, ...]
    created_at: float
    revoked_at: float | None = None


class Tokens:
    """The tokens in the records. Every method raises what those of `Records` do."""

    def __init__(self, records: Records) -> None:
        self._records = records

    def create(self, name: str, tags: Sequence[str]) -> tuple[Token, str]:
        """Make a token that may use these tags; returns it with its secret, which isn't kept.

        Raises:
            InputError: The name isn't one, or a token that may ask has it.
        """
        if not _NAME.fullmatch(name):
            raise InputError(
                "A token's name has 1 to 64 letters, digits, dots, dashes or underscores, such as "
                "ci or editor-2."
            )
        made = Token(name, tuple(tags), time.time())
        secret = PREFIX + secrets.token_urlsafe(_BYTES)
        row: dict[str, Any] = {
            "id": new_id(made.created_at),
            "name": name,
            "digest": digest(secret),
            "tags": list(tags),
            "created_at": made.created_at,
        }
        with self._records.writing() as connection:
            if _named(connection, name) is not None:
                raise InputError(
                    f"There is a token named {name}: revoke it first, or choose another name."
                )
            connection.execute(table.insert(), row)
        return made, secret

    def revoke(self, name: str) -> Token:
        """Let a token ask no more, from its next request on.

        Raises:
            NotFoundError: No token that may ask has that name.
        """
        with self._records.writing() as connection:
            row = _named(connection, name)
            if row is None:
                raise NotFoundError(
                    f"No token named {name[:64]!a} may ask: clew token list shows them."
                )
            gone = {"revoked_at": time.time()}
            connection.execute(table.update().where(table.c.id == row["id"]), gone)
        return _token({**row, **gone})

    def every(self) -> list[Token]:
        """Every token, the oldest first, revoked ones included."""
        query = sa.select(table).order_by(table.c.created_at, table.c.id)
        with self._records.reading() as connection:
            return [_token(row) for row in connection.execute(query).mappings()]

    def find(self, secret: str) -> Token | None:
        """The token that may ask with this secret, or None."""
        wanted = digest(secret)
        query = sa.select(table).where(table.c.digest == wanted, table.c.revoked_at.is_(None))
        with self._records.reading() as connection:
            row = connection.execute(query).mappings().first()
        if row is None or not hmac.compare_digest(row["digest"], wanted):
            return None
        return _token(row)


def digest(secret: str) -> str:
    """What is kept of a secret."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _named(connection: sa.Connection, name: str) -> Mapping[Any, Any] | None:
    query = sa.select(table).where(table.c.name == name, table.c.revoked_at.is_(None))
    return connection.execute(query).mappings().first()


def _token(row: Mapping[Any, Any]) -> Token:
    return Token(row["name"], tuple(row["tags"]), row["created_at"], row["revoked_at"])
