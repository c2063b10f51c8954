"""What a program registers by a call or a decorator: routes, options, commands, variables.

Each kind is a pattern for the lines that register one, in the frameworks people use most. A list
made from them holds what is registered so, and nothing that is registered another way.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from clew.index.tokens import terms


@dataclass(frozen=True, slots=True)
class Registered:
    """One kind of thing that is registered.

    Attributes:
        asked: Words of which one names the kind in a question.
        noun: What it is called in the answer.
        pattern: RE2, for the lines that register one.
        name: Finds its name in such a line; the first group that matched.
    """

    asked: frozenset[str]
    noun: str
    pattern: str
    name: re.Pattern[str]


def _stems(words: str) -> frozenset[str]:
    return frozenset(terms(words))


_STRING = r"[\"'`](?P<name>[^\"'`\n]{1,120})[\"'`]"
KINDS: Final = (
    Registered(
        frozenset({"environ", "env"}),
        "environment variable",
        r"(?:environ(?:\.get)?|getenv|Getenv|LookupEnv|ENV(?:\.fetch)?|env::var(?:_os)?|env!"
        r"|option_env!|env\.get)\s*[(\[]\s*[\"'][A-Za-z_]\w*[\"']|process\.env\.[A-Z_]\w*"
        r"|process\.env\[[\"']\w+[\"']\]|envvar\s*=\s*[\"']\w+[\"']",
        re.compile(
            r"process\.env\.(?P<js>\w+)"
            r"|(?:env\w*|fetch|var|var_os|get|!)\s*[(\[=]\s*[\"'](?P<name>\w+)[\"']",
            re.IGNORECASE,
        ),
    ),
    Registered(
        _stems("route endpoint url"),
        "route",
        r"^\s*@\w[\w.]*\.(?:route|get|post|put|patch|delete|websocket)\(\s*[\"']"
        r"|\b(?:app|router|server|api|r|e|mux)\.(?:get|post|put|patch|delete|all|use|Handle|HandleFunc"
        r"|GET|POST|PUT|PATCH|DELETE|route)\(\s*[\"'`]/"
        r"|http\.HandleFunc\(\s*\"|add_url_rule\(\s*[\"']|^\s*(?:re_)?path\(\s*r?[\"']"
        r"|@(?:Get|Post|Put|Delete|Patch|Request)Mapping\("
        r"|#\[(?:get|post|put|patch|delete)\(\""
        r"|^\s*(?:get|post|put|patch|delete|match|resources?|root|namespace|mount)\s+[:\"'][\w/]+",
        re.compile(rf"{_STRING}|:(?P<sym>\w+)"),
    ),
    Registered(
        _stems("option flag argument"),
        "command-line option",
        r"add_argument\(\s*[\"']-|\boption\(\s*[\"']-|Flags\(\)\.\w+\(|\bflag\.\w+\(\s*[\"&]"
        r"|typer\.Option\(|\.option\(\s*[\"']-|#\[(?:arg|clap)\(.*long|Arg::new\(\"",
        re.compile(r"[\"'](?P<name>--?[\w-]+)[\"' ,<]|[\"'](?P<plain>[\w-]+)[\"']"),
    ),
    Registered(
        _stems("command subcommand"),
        "command",
        r"^\s*@\w[\w.]*\.(?:command|group|callback)\(|^\s*@click\.(?:command|group)\b"
        r"|add_parser\(\s*[\"']|&?cobra\.Command\{|\.command\(\s*[\"'`]\w|Command::new\(\"",
        re.compile(r"(?:add_parser|command|group|new)\(\s*[\"'`](?P<name>[\w: <>\[\]-]+)[\"'`]"),
    ),
)  # fmt: skip


def kind_asked(words: tuple[str, ...]) -> Registered | None:
    """The kind that a question's terms name, when it says little besides."""
    filler = _stems("environment variable cli line http api web available supported program used")
    for kind in KINDS:
        named = kind.asked & set(words)
        if named and set(words) <= kind.asked | filler:
            return kind
    return None


def name_in(kind: Registered, line: str) -> str:
    """What a line registers, "" when the line doesn't spell it."""
    found = kind.name.search(line)
    return next((g for g in found.groups() if g), "") if found else ""
