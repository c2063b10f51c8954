"""SQL: statements by the words they begin with, whatever the dialect.

A reader of our own. On 1,963 statements' files in 25 dialects the grammar failed on 1,581 and left
45% of the bytes in errors; what a statement creates, and from which tables it reads, is told by
a few words that all dialects share. Nothing here checks SQL.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from clew.chunks.outline import Key, Outline
from clew.chunks.readers.masks import clip, mask, words
from clew.types import Reference

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clew.chunks.outline import KeyKind

_NOT_CODE = re.compile(r"--[^\n]*|/\*.*?(?:\*/|\Z)|'(?:[^'\\]|''|\\.)*'", re.DOTALL)
_PART = r"(?:\"[^\"\n]+\"|`[^`\n]+`|\[[^\]\n]+\]|[\w$#@]+)"
_NAME = rf"((?:{_PART}\s*\.\s*)*{_PART})"
_CREATE = re.compile(
    r"\s*CREATE\s+(?:(?:OR\s+(?:REPLACE|ALTER)|GLOBAL|LOCAL|TEMP|TEMPORARY|UNLOGGED|EXTERNAL|VIRTUAL"
    r"|TRANSIENT|MATERIALIZED|RECURSIVE|UNIQUE|CLUSTERED|NONCLUSTERED|FOREIGN|SECURE|AGGREGATE"
    r"|CONSTRAINT|FULLTEXT|SPATIAL|EVENT|DEFINER\s*=\s*\S+|FORCE|EDITIONABLE|NONEDITIONABLE)\s+)*"
    r"(TABLE|VIEW|FUNCTION|PROCEDURE|PROC|TRIGGER|INDEX|TYPE|DOMAIN|SCHEMA|DATABASE|SEQUENCE"
    r"|PACKAGE(?:\s+BODY)?|MACRO|STAGE|TASK|STREAM|MODEL)\s+(?:CONCURRENTLY\s+)?"
    rf"(?:IF\s+NOT\s+EXISTS\s+)?{_NAME}",
    re.IGNORECASE,
)
_KINDS: Final[dict[str, KeyKind]] = {
    "TABLE": "struct", "VIEW": "struct", "FUNCTION": "function", "PROCEDURE": "function",
    "PROC": "function", "TRIGGER": "function", "MACRO": "function", "TYPE": "type",
    "DOMAIN": "type", "SCHEMA": "module", "DATABASE": "module", "PACKAGE": "module",
}  # fmt: skip
_ROUTINES: Final = frozenset({"FUNCTION", "PROCEDURE", "PROC", "TRIGGER", "PACKAGE", "TASK"})
_STATEMENT = re.compile(
    r"\s*(?:CREATE|ALTER|DROP|INSERT|UPDATE|DELETE|SELECT|WITH|MERGE|GRANT|REVOKE|COMMENT|TRUNCATE"
    r"|BEGIN|COMMIT|SET|USE|CALL|EXEC|EXECUTE|DO|DECLARE|COPY|EXPLAIN|ANALYZE|VALUES|REPLACE)\b",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(r"\s*(?:GO|/|DELIMITER\s+\S+)\s*\Z", re.IGNORECASE)
_ROUTINE_END = re.compile(r"(?:END\b[^;]*|\$\w*\$.*);\s*\Z", re.IGNORECASE)
_INSIDE = re.compile(r"(?:CREATE|ALTER|DROP)\b", re.IGNORECASE)
_DOLLAR = re.compile(r"\$\w*\$")
_TABLE_EXPRESSION = re.compile(
    r"(?:\s*WITH\s+(?:RECURSIVE\s+)?|,?\s*)(\w+)\s+AS\s*\(\s*\Z", re.IGNORECASE
)
_COLUMN = re.compile(rf"\s+({_PART})\s+[A-Za-z]")
_NO_COLUMN = re.compile(
    r"\s*(?:CONSTRAINT|PRIMARY|FOREIGN|UNIQUE|KEY|INDEX|CHECK|LIKE|EXCLUDE|PERIOD|PARTITION|ON|AS|WITH|USING|SELECT|FROM|WHERE"
    r"|COMMENT|SET|DEFAULT|REFERENCES|NOT|NULL|ROW|OPTIONS|CLUSTER)\b",
    re.IGNORECASE,
)
_READS = re.compile(
    rf"\b(?:FROM|JOIN|INTO|UPDATE|REFERENCES|TABLE|CALL|EXEC)\s+(?:ONLY\s+)?{_NAME}",
    re.IGNORECASE,
)
# An index or a trigger is on a table.
_BELONGS = re.compile(
    rf"\b(?:INDEX|TRIGGER|INSERT|UPDATE|DELETE)\b.*?\bON\s+{_NAME}", re.IGNORECASE
)
_CALL = re.compile(r"\b([A-Za-z_]\w*)\s*\(")
_MODEL = re.compile(r"\b(?:ref|source)\(\s*(?:['\"][\w-]+['\"]\s*,\s*)?['\"]([\w.-]+)['\"]\s*\)")
# Words that stand where the name of a table or a function does.
_WORDS: Final = words(
    "all and any as avg bigint binary by case cast char character check coalesce concat convert "
    "count cross date datetime decimal default delete distinct each else end enum except exists "
    "explicit float for from full function group having identity if ifnull in index inner insert "
    "int integer interval into is isnull join key lateral left length like lower max min not null "
    "nullif number numeric nvarchar on only or order outer over partition primary references "
    "replace returns right round row_number select set some sum table then timestamp top trigger "
    "trim unique unnest update upper using value values varbinary varchar varchar2 when where "
    "with count_big decode nvl exec conflict delete update"
)


def read_sql(lines: Sequence[str]) -> Outline:
    """What statements create, a table's columns as fields; and the tables and functions used."""
    masked = clip(mask("\n".join(lines), _NOT_CODE).split("\n"))
    reader = _Reader()
    for number, line in enumerate(masked, 1):
        reader.read(number, line)
    return Outline(reader.keys, _references(lines, masked), comment=("--", "/*", "#"))


class _Reader:
    """Follows statements from line to line."""

    def __init__(self) -> None:
        self.keys: list[Key] = []
        self._open = False  # whether a statement has begun that has not ended yet
        self._routine = False  # whether it holds statements of its own
        self._table = False
        self._columns = 0  # brackets that are open in a table's definition
        self._dollar = ""

    def read(self, number: int, line: str) -> None:
        """Takes the next line, without its comments and strings."""
        if not self._dollar and line.strip():
            if _SEPARATOR.match(line):
                self._open = self._routine = self._table = False
            elif _STATEMENT.match(line) and self._begins(line):
                self._begin(number, line)
            else:
                self._go_on(number, line)
        if self._table:
            self._columns += line.count("(") - line.count(")")
        for mark in _DOLLAR.findall(line):
            self._dollar = "" if mark == self._dollar else self._dollar or mark
        ends = _ROUTINE_END.match(line) if self._routine else line.rstrip().endswith(";")
        if ends and not self._dollar:
            self._open = self._routine = self._table = False

    def _begins(self, line: str) -> bool:
        """Whether a statement's first word begins one, rather than going on with the last."""
        # What stands inside a view or a routine is a query, or indented.
        return not self._open or _INSIDE.match(line) is not None

    def _go_on(self, number: int, line: str) -> None:
        """A further line of a statement: a column of a table, or a query with a name."""
        if self._table and self._columns == 1:
            match = None if _NO_COLUMN.match(line) else _COLUMN.match(line)
            if match:
                self.keys.append(Key(number, 2, _bare(match[1]), "field", end=number))
        elif not self._routine and (match := _TABLE_EXPRESSION.match(line)):
            self.keys.append(Key(number, 2, match[1]))

    def _begin(self, number: int, line: str) -> None:
        self._open, self._routine, self._table, self._columns = True, False, False, 0
        match = _CREATE.match(line)
        if match is None:
            self.keys.append(Key(number, 1))
            if with_ := _TABLE_EXPRESSION.match(line):
                self.keys.append(Key(number, 2, with_[1]))
            return
        what = match[1].upper().split()[0]
        owner, name = _split(match[2])
        self.keys.append(Key(number, 1, name, _KINDS.get(what, "variable"), owner=owner))
        self._routine = what in _ROUTINES
        self._table = what == "TABLE"


def _split(name: str) -> tuple[str, str]:
    parts = [_bare(part) for part in re.findall(_PART, name)]
    return ".".join(parts[:-1]), parts[-1]


def _bare(name: str) -> str:
    return name.strip('"`[]')


def _references(lines: Sequence[str], masked: Sequence[str]) -> Iterator[Reference]:
    for number, line in enumerate(masked, 1):
        seen = {match.end(2) for match in _CREATE.finditer(line)}
        for match in (*_READS.finditer(line), *_BELONGS.finditer(line)):
            name = _split(match[1])[1]
            if match.end(1) not in seen and name.lower() not in _WORDS and not name.isdigit():
                seen.add(match.end(1))
                yield Reference(name, number, "use")
        for match in _CALL.finditer(line):
            if match.end(1) not in seen and match[1].lower() not in _WORDS:
                yield Reference(match[1], number, "call")
        if "(" in line and ("ref" in line or "source" in line):
            for match in _MODEL.finditer(lines[number - 1]):
                yield Reference(match[1], number, "import")
