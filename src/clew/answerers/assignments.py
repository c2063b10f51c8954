"""Tells which lines give a name a value, in code, configuration and environment files.

It reads one line at a time and knows how assignments are spelled: a comparison, a call's keyword
argument, a type without a value or a branch's colon is none. It searches nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_DECLARES = (
    r"(?:(?:export|public|private|protected|internal|static|final|readonly|const|let|var|val|local"
    r"|constexpr|mut|pub(?:\([\w:]+\))?|default|abstract|override|volatile|extern|unsigned|declare"
    r"|int|long|short|double|float|boolean|bool|string|String|char|auto|ENV|ARG|set|define|global)"
    r"\s+)*"
)
_OWNER = r"(?:(?:self|this|cls|[\w@$.]+)\.|@{1,2}|\$|--?)?"
_DOLLARS: Final = (".php", ".sh", ".bash", ".zsh", ".ps1", ".psm1", ".pl", ".env", ".scss", ".mk")
_KEY = r"[\"']?(?P<name>[\w.-]*\w)[\"']?"
_TYPE = r"(?:\s*:\s*[^=]{1,120}?)?"
# name = value, name := value, name ?= value, name: type = value
_EQUALS = re.compile(
    rf"^\s*[-\s]*{_DECLARES}(?:[A-Z][\w<>\[\], ]*\s+)?{_OWNER}{_KEY}(?:\[[^\]]*\])?{_TYPE}\s*"
    r"(?P<sign>(?::|\?|\|\||\+)?=)(?![=~>])\s*(?P<value>\S.*)$"
)
_SUBSCRIPT = re.compile(
    r"^\s*[\w.]+\[[\"'](?P<name>[\w.-]+)[\"']\]\s*=(?![=~>])\s*(?P<value>\S.*)$"
)
# name: value, "name": value
_COLON = re.compile(rf"^\s*(?:-\s+|{{\s*)?{_KEY}\s*(?P<sign>:|=>)\s+(?P<value>\S.*)$")
_QUOTED_COLON = re.compile(r"^\s*{?\s*[\"'](?P<name>[\w.-]+)[\"']\s*:\s*(?P<value>\S.*)$")
_ENV = re.compile(r"^\s*(?:ENV|ARG)\s+(?P<name>\w+)[\s=]\s*(?P<value>\S.*)$")
_RUST_GO = re.compile(
    r"^\s*(?:pub(?:\([\w:]+\))?\s+)?(?:const|static|#define)\s+(?:mut\s+)?(?P<name>\w+)\s*(?::[^=]+)?[=\s]\s*(?P<value>\S.*)$"
)
# A read with a fallback: getenv("NAME", "value"), env.fetch("NAME", 1)
_FALLBACK = re.compile(
    r"(?:getenv|environ\.get|env\.get|ENV\.fetch|env|setdefault|get_env|config\.get|\.get|fetch)\s*"
    r"\(\s*[\"'](?P<name>[\w.-]+)[\"']\s*,\s*(?P<value>[^),]*[^\s),])"
)
# add_argument("--name", default=5), option("--name", …, default=5)
_OPTION = re.compile(r"[\"']--(?P<name>[\w-]+)[\"'].*?\bdefault\s*[=:]\s*(?P<value>[^,)]*[^\s,)])")
# A parameter with a default inside a signature on one line.
_PARAMETER = re.compile(
    r"(?<=[(,\s*&])(?P<name>[^\W\d]\w*)\s*(?::\s*[^=,()]{1,80}(?:\[[^\]]*\])?\s*)?=(?![=>])\s*"
    r"(?P<value>(?:[^,()]|\([^()]*\))+)"
)
_HEAD = re.compile(
    r"^\s*(?:(?:export|default|public|private|protected|static|async|pub)\s+)*"
    r"(?:def|function|fn|func|constructor)\b"
)
_CONFIG: Final = (
    ".yml", ".yaml", ".json", ".json5", ".jsonc", ".toml", ".ini", ".cfg", ".conf", ".properties",
    ".env", ".tf", ".xml", ".gradle", ".rb", ".js", ".ts", ".mjs", ".cjs", ".tsx", ".jsx", ".go",
    ".php", ".swift", ".kt", ".dart", ".example", ".sample",
)  # fmt: skip
_STATEMENT = re.compile(
    r"^\s*(?:if|elif|else|while|for|return|assert|case|when|switch|yield|raise|throw|import|from"
    r"|with|except|catch|del|print|echo|puts|expect|unless|and|or|not|#|//|\*|--\s)(?:\b|\s|$)"
)
_TYPE_ONLY = re.compile(
    r"^(?:str|int|float|bool|bytes|string|number|boolean|any|unknown|void|Vec|Option|u?size|[iu]\d+"
    r"|f\d+|z\.|typing\.|Optional|Callable|Promise)\b"
)
_LITERAL = re.compile(
    r"^(?:[-+]?\d|[\"'`\[{(]|true\b|false\b|True\b|False\b|None\b|nil\b|null\b|r?[\"']"
    r"|(?:time|datetime)\.|\w*(?:timedelta|Duration|Path|Decimal)\b|os\.|env|frozenset|Some\((?=[\d\"'])|Duration::)"
)


@dataclass(frozen=True, slots=True)
class Assignment:
    """What one line gives a value to.

    Attributes:
        name: As written, without owner and quotes.
        value: The text of the value on this line; it may go on below.
        how: "assigned", "default" for a parameter's, or "fallback" for a read that has one.
    """

    name: str
    value: str
    how: str = "assigned"

    @property
    def literal(self) -> bool:
        """Whether the value is spelled out, and not computed from other names."""
        return _LITERAL.match(self.value) is not None


def assignments(path: str, line: str, *, signature: bool = False) -> list[Assignment]:
    """The assignments on one line of a file.

    Args:
        path: The file's path; its ending says which forms are assignments.
        line: The line as it is.
        signature: The line belongs to a function's head, where `name=value` is a default.
    """
    if len(line) > 2_000:
        return []
    found = [
        Assignment(m["name"], m["value"].strip(), "fallback") for m in _FALLBACK.finditer(line)
    ]
    found += [Assignment(m["name"], m["value"].strip(), "default") for m in _OPTION.finditer(line)]
    if signature or _HEAD.match(line):
        head = line.split("->", 1)[0]
        found += [
            Assignment(m["name"], m["value"].strip(), "default") for m in _PARAMETER.finditer(head)
        ]
        return found
    if _STATEMENT.match(line):
        return found
    match = _statement(path, line)
    return [match, *found] if match else found


def _statement(path: str, line: str) -> Assignment | None:
    if found := _SUBSCRIPT.match(line) or _RUST_GO.match(line):
        return _made(found)
    python = path.endswith((".py", ".pyi"))
    if found := _EQUALS.match(line):
        # In Python `name=value,` without spaces is a call's keyword argument, indented as such.
        keyword = python and line[:1].isspace() and line[found.start("sign") - 1] != " "
        foreign = line.lstrip().startswith("$") and not path.endswith(_DOLLARS)
        if not keyword and not foreign and not found["name"].isdigit():
            return _made(found)
    if found := _ENV.match(line):
        return _made(found)
    if found := _QUOTED_COLON.match(line):
        return _made(found)
    name = path.rpartition("/")[2].casefold()
    if name.endswith(_CONFIG) or name.startswith((".env", "dockerfile")):
        found = _COLON.match(line)
        if found and found["sign"] == "=>" and not path.endswith((".rb", ".php")):
            return None
        typed = (
            found and path.endswith((".ts", ".tsx", ".mts", ".cts")) and line.rstrip()[-1:] == ";"
        )
        if found and not typed and not _TYPE_ONLY.match(found["value"]):
            return _made(found)
    return None


def _made(found: re.Match[str]) -> Assignment:
    name = re.split(r"[.]", found["name"])[-1]
    return Assignment(name, found["value"].strip())
