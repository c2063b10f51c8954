"""What Slack takes and what it refuses in a message, and who would be pinged by it.

By docs.slack.dev: reference/block-kit (blocks, elements, text objects), reference/methods
(chat.postMessage, chat.update), messaging/formatting-message-text. Two limits were measured by
others: that of all blocks together (slackapi/bolt-js issues 2509 and 2867), and the 4,000
characters of a text, where older pages speak of 40,000 (seratch/ChatGPT-in-Slack issue 102).
"""

from __future__ import annotations

import json
import re
from typing import Any

Json = dict[str, Any]
MAX_BLOCKS = 50
MAX_TEXT = 3_000  # of a text object; a markdown block's is MAX_MARKDOWN
MAX_MARKDOWN = 12_000
MAX_PLAIN = 4_000  # of a message's own text
MAX_ALL = 12_000  # of all blocks as JSON
MAX_BUTTON_TEXT = 75
MAX_VALUE = 2_000
_INLINE = {"text", "link", "user", "usergroup", "channel", "broadcast", "emoji", "date", "color"}
_RICH = {"rich_text_section", "rich_text_list", "rich_text_preformatted", "rich_text_quote"}
_SPECIAL = re.compile(
    r"<(?:!(?:channel|here|everyone|subteam\^\w+)|@[UW]\w+)[^<>]*>", re.IGNORECASE
)


def refuse_text(text: object, blocks: list[Json]) -> str:
    """The error for a message's text and blocks, "" when Slack takes them."""
    if not text and not blocks:
        return "no_text"
    if text is not None and not isinstance(text, str):
        return "invalid_arguments"
    if len(text or "") > MAX_PLAIN:
        return "msg_too_long"
    if len(blocks) > MAX_BLOCKS:
        return "invalid_blocks"
    if len(json.dumps(blocks, ensure_ascii=False)) > MAX_ALL:
        return "msg_blocks_too_long"
    ids = [block["block_id"] for block in blocks if "block_id" in block]
    if len(ids) != len(set(ids)) or not all(map(_block_fits, blocks)):
        return "invalid_blocks"
    markdown = sum(len(b["text"]) for b in blocks if b["type"] == "markdown")
    return "msg_too_long" if markdown > MAX_MARKDOWN else ""


def _block_fits(block: Json) -> bool:
    kind = block.get("type")
    if kind == "rich_text":
        elements = block.get("elements")
        return bool(elements) and all(map(_rich_fits, elements))
    if kind == "markdown":
        return isinstance(block.get("text"), str) and 0 < len(block["text"]) <= MAX_MARKDOWN
    if kind == "section":
        return _text_fits(block.get("text"))
    if kind == "header":
        return _text_fits(block.get("text"), limit=150, kinds=("plain_text",))
    if kind == "context":
        elements = block.get("elements") or []
        return 0 < len(elements) <= 10 and all(map(_text_fits, elements))
    if kind == "actions":
        elements = block.get("elements") or []
        actions = [element.get("action_id") for element in elements]
        unique = len(set(actions)) == len(actions)
        return 0 < len(elements) <= 25 and unique and all(map(_button_fits, elements))
    return kind == "divider"


def _text_fits(
    text: object, limit: int = MAX_TEXT, kinds: tuple[str, ...] = ("plain_text", "mrkdwn")
) -> bool:
    return (
        isinstance(text, dict)
        and text.get("type") in kinds
        and isinstance(text.get("text"), str)
        and 0 < len(text["text"]) <= limit
        and set(text) <= {"type", "text", "emoji", "verbatim"}
    )


def _button_fits(button: Json) -> bool:
    return (
        button.get("type") == "button"
        and _text_fits(button.get("text"), MAX_BUTTON_TEXT, ("plain_text",))
        and 0 < len(button.get("action_id", "")) <= 255
        and len(button.get("value", "")) <= MAX_VALUE
        and len(button.get("accessibility_label", "")) <= 75
        and button.get("style", "primary") in ("primary", "danger")
    )


def _rich_fits(element: Json) -> bool:
    kind, inside = element.get("type"), element.get("elements")
    if kind not in _RICH or not inside:
        return False
    if kind == "rich_text_list":
        sections = all(one.get("type") == "rich_text_section" for one in inside)
        indent = element.get("indent", 0)
        known = element.get("style") in ("bullet", "ordered")
        return sections and known and 0 <= indent <= 8 and all(map(_rich_fits, inside))
    allowed = {"text", "link"} if kind == "rich_text_preformatted" else _INLINE
    return all(one.get("type") in allowed and _inline_fits(one) for one in inside)


def _inline_fits(element: Json) -> bool:
    style = element.get("style", {})
    if not (isinstance(style, dict) and set(style) <= {"bold", "italic", "strike", "code"}):
        return False
    if element["type"] == "link":
        url = element.get("url", "")
        return bool(re.match(r"(?:https?|mailto):", url)) and len(url) <= MAX_TEXT
    if element["type"] == "text":
        return isinstance(element.get("text"), str) and 0 < len(element["text"]) <= MAX_TEXT
    return True


# --- pings -----------------------------------------------------------------------------------


def pings(args: Json) -> list[str]:
    """Everything in a message that would notify people besides those in its thread."""
    found = _SPECIAL.findall(str(args.get("text") or ""))
    if args.get("link_names") or args.get("parse") == "full":
        found += re.findall(r"@(?:channel|here|everyone)\b", str(args.get("text") or ""))
    for element in _walk(args.get("blocks") or []):
        kind = element.get("type")
        if kind in ("broadcast", "user", "usergroup"):
            found.append(json.dumps(element))
        elif kind in ("mrkdwn", "markdown"):
            found += _SPECIAL.findall(element["text"])
    return found


def links(args: Json) -> list[str]:
    """Every address that a click in a message leads to."""
    found = [e["url"] for e in _walk(args.get("blocks") or []) if e.get("type") == "link"]
    if not args.get("blocks"):
        found += re.findall(r"<(https?://[^|>]+)", str(args.get("text") or ""))
    return found


def _walk(value: Any) -> list[Json]:
    if isinstance(value, list):
        return [found for one in value for found in _walk(one)]
    if isinstance(value, dict):
        return [value, *(found for one in value.values() for found in _walk(one))]
    return []


def words(blocks: list[Json]) -> str:
    """What a reader of the blocks reads."""
    parts: list[str] = []
    for block in blocks:
        for element in _walk(block):
            text = element.get("text")
            if element.get("type") in ("text", "link", "plain_text", "mrkdwn", "markdown"):
                parts.append(text if isinstance(text, str) else element.get("url", ""))
            elif element.get("type") in _RICH and parts and not parts[-1].endswith("\n"):
                parts.append("\n")
        parts.append("\n")
    return "".join(parts)
