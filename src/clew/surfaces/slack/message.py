"""Answers and words as Slack messages: packed within Slack's limits, each also as plain text.

Every message fits on its own: few enough blocks, short enough texts, and plain text that Slack
takes as it is when it refuses the blocks. It sends nothing.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from clew.surfaces.slack.markdown import Json, Piece, pieces, section
from clew.surfaces.slack.plain import escaped, size

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from clew.records.receipts import Verdict
    from clew.types import Answer, Citation

# Slack's limits: 50 blocks, 3,000 characters a text, and about 12,000 for all blocks of a message
# with their JSON (not documented; `msg_blocks_too_long`); a text alone, escaped, 4,000, of which a
# part is left for a number and the last line.
MAX_BLOCKS = 40
MAX_PLAIN = 3_600
MAX_JSON = 10_000
MAX_BLOCK_TEXT = 2_900
FEEDBACK: dict[str, Verdict] = {"clew_feedback_up": "up", "clew_feedback_down": "down"}
_BUTTONS = (
    ("clew_feedback_up", "👍", "This answer helped"),
    ("clew_feedback_down", "👎", "This answer did not help"),
)


@dataclass(frozen=True, slots=True)
class Message:
    """One message: `blocks` for Slack's screens, `text` for notifications and where they fail."""

    text: str
    blocks: tuple[Json, ...] = ()


def of_words(text: str) -> Message:
    """A message of one paragraph of our own words."""
    made = section(text)
    return Message(escaped(text), ({"type": "rich_text", "elements": [made.element]},))


def of_answer(answer: Answer) -> list[Message]:
    """An answer as the messages of a thread, in order; the last one has the buttons."""
    links = {spelled: c.url for c in answer.citations if c.url for spelled in _spellings(c)}
    found = list(_packed(pieces(answer.text, links)))
    found = found or [of_words("There is no text to this answer.")]
    if len(found) > 1:
        found = [_numbered(m, at, len(found)) for at, m in enumerate(found, 1)]
    last = found[-1]
    closing = (_footer(answer), _buttons(answer))
    note = escaped(_about(answer))
    found[-1] = Message(f"{last.text}\n{note}", (*last.blocks, *closing))
    return found


def _spellings(citation: Citation) -> tuple[str, str]:
    """How the text spells a citation: without its source, and with it when there are several."""
    lines = f"{citation.start_line}-{citation.end_line}"
    if citation.start_line == citation.end_line:
        lines = str(citation.start_line)
    return f"{citation.path}:{lines}", f"{citation.source}:{citation.path}:{lines}"


# --- packing ---------------------------------------------------------------------------------


def _packed(found: Iterable[Piece]) -> Iterator[Message]:
    """Pieces in messages, as few as the limits allow."""
    blocks: list[Json] = []
    group: list[Piece] = []
    text, as_json = "", 0

    def close() -> Message:
        if group:
            blocks.append(_block(group))
        return Message(escaped(text.rstrip("\n")), tuple(blocks))

    for piece in found:
        weight = len(json.dumps(piece.element, ensure_ascii=False))
        full = size(text) + size(piece.plain) > MAX_PLAIN or as_json + weight > MAX_JSON
        if text and (full or len(blocks) >= MAX_BLOCKS):
            yield close()
            blocks, group, text, as_json = [], [], "", 0
        together = sum(len(one.plain) for one in group) + len(piece.plain)
        if group and (piece.starts or together > MAX_BLOCK_TEXT):
            blocks.append(_block(group))
            group = []
        group.append(piece)
        text += ("\n" if piece.starts and text else "") + piece.plain
        as_json += weight
    if text:
        yield close()


def _block(group: Sequence[Piece]) -> Json:
    """One block of rich text; paragraphs that follow each other become one element."""
    elements: list[Json] = []
    after_heading = False
    for piece in group:
        element = piece.element
        joined = bool(elements) and elements[-1]["type"] == element["type"] == "rich_text_section"
        if joined:
            gap = {"type": "text", "text": "\n" if after_heading else "\n\n"}
            before = elements[-1]["elements"]
            elements[-1] = {**element, "elements": [*before, gap, *element["elements"]]}
        else:
            elements.append(element)
        after_heading = piece.starts
    return {"type": "rich_text", "elements": elements}


def _numbered(message: Message, at: int, of: int) -> Message:
    label = f"({at} of {of})"
    block = {"type": "context", "elements": [{"type": "plain_text", "text": label}]}
    return replace(message, text=f"{label}\n{message.text}", blocks=(block, *message.blocks))


def _about(answer: Answer) -> str:
    tag = f"tag {answer.tag} · " if answer.tag else ""
    outcome = answer.outcome.replace("_", " ")
    return f"{tag}{outcome} · answer {answer.id}"


def _footer(answer: Answer) -> Json:
    return {"type": "context", "elements": [{"type": "plain_text", "text": _about(answer)}]}


def _buttons(answer: Answer) -> Json:
    return {
        "type": "actions",
        "elements": [
            {
                "type": "button",
                "action_id": action,
                "text": {"type": "plain_text", "text": label, "emoji": True},
                "value": answer.id,
                "accessibility_label": said,
            }
            for action, label, said in _BUTTONS
        ],
    }
