"""Text that goes into Slack: nothing in it may ping somebody or pose as a link.

What a repository or a model writes is data. Slack reads `<!channel>`, `<@U…>` and `<https://…|…>`
in some fields and not in others; here they are broken wherever the text goes, with a character
that nobody sees. Nothing here knows blocks or messages.
"""

from __future__ import annotations

import re
from html import unescape

JOINER = "\u2060"  # a word joiner: no width, no line break
# The bare words that a workspace's settings may turn into mentions, and what Slack reads in angle
# brackets: everybody, groups, dates, people and channels.
_EVERYBODY = re.compile(r"@(?=(?:channel|here|everyone|group)\b)", re.IGNORECASE)
_COMMAND = re.compile(
    r"<(?:!(?=(?i:channel|here|everyone|group|subteam|date)\b)|[@#](?=[A-Z0-9]{2}))"
)
_IN_BRACKETS = re.compile(r"<([^<>]*)>")
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def harmless(text: str) -> str:
    """The text with every mention broken, and without characters that steer a reader's screen.

    `<!DOCTYPE html>` and `<#include …>` stay as they are: only what Slack would read is broken.
    """
    text = _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n"))
    text = _COMMAND.sub(lambda found: f"<{JOINER}{found[0][1:]}", text)
    return _EVERYBODY.sub(f"@{JOINER}", text)


def escaped(text: str) -> str:
    """Harmless text for a field that Slack reads as its own markup: all of it stands as it is."""
    safe = harmless(text).replace("&", "&amp;")
    return safe.replace("<", "&lt;").replace(">", "&gt;")


def size(text: str, line: int = 0) -> int:
    """How many characters harmless text has once it is escaped, which is what Slack counts.

    Each line end counts `line` characters more.
    """
    signs = 4 * text.count("&") + 3 * (text.count("<") + text.count(">"))
    return len(text) + signs + line * text.count("\n")


def room(text: str, limit: int, line: int = 0) -> int:
    """How many of its first characters have at most `limit` once they are escaped; see `size`."""
    if size(text, line) <= limit:
        return len(text)
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if size(text[:middle], line) <= limit else (low, middle - 1)
    return low


def question_of(text: str, me: str) -> str:
    """What somebody wrote, without Slack's markup and without my name.

    Args:
        text: The `text` of a message event.
        me: My user id; a mention of me is left out.
    """

    def readable(found: re.Match[str]) -> str:
        inner, _, label = found[1].partition("|")
        if inner == f"@{me}":
            return " "
        if inner.startswith("@"):
            return f"@{label or inner[1:]}"
        if inner.startswith("#"):
            return f"#{label or inner[1:]}"
        if inner.startswith("!"):
            return label or inner[1:].partition("^")[0]
        inner = inner.removeprefix("mailto:")
        return inner if label in ("", inner) else f"{label} ({inner})"

    plain = unescape(_IN_BRACKETS.sub(readable, text))
    lines = (re.sub(r"[ \t]+", " ", line).strip() for line in plain.split("\n"))
    return "\n".join(lines).strip().lstrip(",:").strip()
