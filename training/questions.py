"""Turns doc comments, names and inner comments into what somebody might ask.

It works on text that Clew's chunker has cleaned of comment markers already, and judges by form
only: too short, no prose, a licence, a note to programs.
"""

from __future__ import annotations

import re

MIN_WORDS, MAX_WORDS = 4, 40

_TAG = re.compile(r"<[^<>]{1,60}>")
_LINK = re.compile(r"\{@\w+\s+([^{}]*)\}")  # Javadoc
_ROLE = re.compile(r":(?:\w+:)+`~?([^`<]*)[^`]*`")  # Sphinx
_MARKDOWN_LINK = re.compile(r"\[`?([^\[\]`]*)`?\](?:\([^()]*\)|\[[^\[\]]*\])?")
_SUMMARY = re.compile(r"^\s*[@\\](?:description|desc|summary|brief|remarks|short|details)\b")
_DETAILS = re.compile(
    r"^(?:@|:\w+|\\\w+|Args?:|Arguments|Returns?:|Parameters?|Raises:|Yields:|Examples?\b|#|```|>>>"
    r"|\.\. |={3,}|-{3,}|~{3,}|- |\* )"
)
_END = re.compile(r"(.+?[.!?])(?:\s+[A-Z]|\s*$)")
_NO_QUESTION = re.compile(
    r"copyright|licen[sc]e|all rights reserved|inheritdoc|\btodo\b|fixme|eslint|nolint|noqa"
    r"|auto-?generated|deprecated|istanbul|rubocop|prettier-ignore|type: ignore|pragma|https?://"
    r"|see also|={4,}|-{4,}",
    re.IGNORECASE,
)


def first_sentence(doc: str) -> str:
    """Cut the first sentence out of a doc comment, without its markup; "" when it has none."""
    text = _LINK.sub(r"\1", _TAG.sub(" ", doc))
    lines: list[str] = []
    for line in text.split("\n"):
        bare = _SUMMARY.sub("", line).strip()
        if not bare or _DETAILS.match(bare):
            if lines:
                break
            continue
        lines.append(bare)
    text = _MARKDOWN_LINK.sub(r"\1", _ROLE.sub(r"\1", " ".join(lines)))
    text = re.sub(r"\s+", " ", text.replace("`", "").replace("*", "")).strip()
    ended = _END.match(text)
    return ended[1] if ended else text


def question(doc: str, name: str) -> str:
    """Make a question of a doc comment's first sentence; "" when it is of no use as one.

    A leading mention of the definition's own name goes (`Foo returns …`): it would give the
    answer away.
    """
    text = first_sentence(doc)
    if name:
        own = (
            rf"^(?:the\s+)?{re.escape(name)}(?:\(\))?\s*[-:,–]*\s*(?:is\s+|method\s+|function\s+)?"
        )
        text = re.sub(own, "", text, flags=re.IGNORECASE)
    return text if is_prose(text) else ""


def is_prose(text: str) -> bool:
    """Whether a text reads as a sentence about something, in ASCII, of a question's length."""
    if not MIN_WORDS <= len(text.split()) <= MAX_WORDS or not text.isascii():
        return False
    letters = sum(char.isalpha() or char == " " for char in text)
    return letters >= 0.8 * len(text) and not _NO_QUESTION.search(text)
