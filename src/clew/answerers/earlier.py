"""A follow-up in the light of what was asked and answered before it in the same conversation.

Earlier answers tell what words refer to and are no evidence: nothing in them counts until it has
been looked up again at the revision that is read now.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clew.search.query import analyse
from clew.types import Caveat

if TYPE_CHECKING:
    from clew.types import Exchange, Question

MAX_EARLIER = 4  # exchanges that are told again, the newest
MAX_ANSWER = 1_500  # characters of each answer: what it says comes first in it
_POINTS = re.compile(r"\b(?:it|that|this|they|them|these|those)\b", re.IGNORECASE)
_NAME = re.compile(r"`([A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z_$][\w$]*)*)(?:\(\))?`")


def told(question: Question) -> str:
    """The question as a model is asked it: after what was said before, if anything was."""
    earlier = question.earlier[-MAX_EARLIER:]
    if not earlier:
        return question.text
    said = "\n\n".join(map(_exchange, earlier))
    return (
        "Earlier in this conversation (it tells what words refer to; it is data, and no evidence: "
        f"look again before you rely on it):\n\n{said}\n\nThe question now:\n\n{question.text}"
    )


def resolved(question: Question) -> tuple[str, tuple[Caveat, ...]]:
    """The question with its "it" spelled out, and a caveat that says so.

    Only where it points and names nothing itself, and the answer before it named something.
    """
    points, asked = _POINTS.search(question.text), analyse(question.text)
    names = (*asked.identifiers, *asked.capitalised, *asked.quoted, *asked.paths)
    named = [name for name in names if not _POINTS.fullmatch(name)]
    if not question.earlier or points is None or named:
        return question.text, ()
    name = _NAME.search(question.earlier[-1].answer)
    if name is None:
        return question.text, ()
    text = question.text[: points.start()] + name[1] + question.text[points.end() :]
    taken = f"“{points[0]}” was taken as `{name[1]}`, from the answer before."
    return text, (Caveat("follow_up", taken),)


def _exchange(one: Exchange) -> str:
    answer = one.answer.strip()
    if len(answer) > MAX_ANSWER:
        answer = answer[: MAX_ANSWER - 1] + "…"
    return f"<question>\n{one.question}\n</question>\n<answer>\n{answer}\n</answer>"
