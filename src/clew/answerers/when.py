"""Reads what a question says about time: which revision it is about, or between which two.

A question about another state than the head must be answered from that state or refused, never
from the head. It looks nothing up: whether a branch or tag is there is for the sources to say.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime

from clew.answerers.dates import written

_NAME = r"[A-Za-z0-9_](?:[\w/+-]|\.(?!\.))*(?:[~^]\d*)*"
_KIND = r"(?:the\s+)?(?:(?P<{0}>branch|tag|commit|revision|release|version)\s+)?"
_WHAT = r"(?:\s+(?:branch|tag|release)\b)?"
# What nobody calls a folder: `on release/2.x`.
_TOPIC = r"(?:release|feature|feat|bugfix|hotfix|fix|chore|support|dependabot|renovate)/"
_NAMED = re.compile(rf"{_TOPIC}|(?:origin|refs|heads|tags)/", re.IGNORECASE)
_MARKED = re.compile(
    r"(?:^|(?<=[\s,(]))(?:on|in|from|at|as\s+of)\s+(?P<the>the\s+)?"
    rf"(?:(?P<kind>branch|tag|commit|revision|release)\s+(?P<quote>[`'\"“]?)(?P<name>{_NAME})[`'\"”]?"
    rf"|(?P<before>{_NAME})\s+(?P<what>branch|tag|release)\b"
    # Without "version" or "v", two numbers may be a ratio and four are an address.
    r"|(?:version\s+(?=v?\d+\.\d)|(?=v\d+\.\d)|(?=\d+\.\d+\.\d+(?!\.?\d)))"
    r"(?P<version>v?\d+(?:\.\d+)+(?:[-.]?(?:rc|beta|alpha|post|dev)[-.]?\d*)?)(?![\w/])"
    r"|(?P<day>\d{4}-\d{2}-\d{2})(?!\w)"
    r"|[`'\"“]?(?P<far>(?:(?-i:HEAD)(?:[~^]\d*)+|(?:origin|refs)/[\w.+-][\w./+-]*))[`'\"”]?"
    r"|(?P<sha>(?=[a-f]*[0-9])[0-9a-f]{7,40})\b)",
    re.IGNORECASE,
)
# A word with nothing behind it in its part of the sentence: "on develop, where …".
_ALONE = re.compile(
    r"(?:^|(?<=[\s,(]))(?:(?P<on>on|at|as\s+of|using|against)|^in)\s+[`'\"“]?"
    rf"(?P<name>{_NAME})[`'\"”]?(?=\s*(?:[,:;?.!)]|$))",
    re.IGNORECASE,
)
_SPANS = (
    re.compile(
        rf"\b(?:between|from)\s+{_KIND.format('k1')}(?P<since>{_NAME}){_WHAT}"
        rf"(?:\s+(?:and|to|until)\s+|\s*\.\.\.?\s*){_KIND.format('k2')}(?P<until>{_NAME}){_WHAT}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b(?:compare|diff)\s+{_KIND.format('k1')}(?P<since>{_NAME}){_WHAT}"
        rf"(?:\s+(?:and|to|with|against|vs\.?)\s+|\s*\.\.\.?\s*|\s+)"
        rf"{_KIND.format('k2')}(?P<until>{_NAME}){_WHAT}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?:^|\s)(?P<k1>)(?P<since>{_NAME})\.\.\.?(?P<k2>)(?P<until>{_NAME})", re.IGNORECASE
    ),
    re.compile(
        rf"\b(?:since|after)\s+{_KIND.format('k1')}(?P<since>{_NAME})(?P<k2>)(?P<until>)",
        re.IGNORECASE,
    ),
)
_CHANGE = re.compile(
    r"\b(?:chang\w*|compar\w*|diff\w*|new|commits?|happened|added|removed)\b", re.IGNORECASE
)
# A question that is about two states, whatever these are called.
_STATES = re.compile(r"^what(?:\s+has|\s+have|'s)?\s+changed\s+(?:between|from)\s", re.IGNORECASE)
# What tells a branch, tag or commit from a word: "the commit message", "in the else branch".
_REF = re.compile(
    r"\d{4}-\d\d-\d\d|v?\d+(?:\.\d+)+|/|[~^]|^v\d+|^HEAD$"
    r"|^[0-9a-f]{7,40}$"
    r"|^(?:main|master|develop|dev|trunk|staging|production|next|stable)$",
    re.IGNORECASE,
)
_NOW = frozenset({"now", "today", "head", "then"})


@dataclass(frozen=True, slots=True)
class When:
    """What a question says about time.

    Attributes:
        at: The revision that is asked about, "" for the head.
        since: What it is compared with when the question is what changed, else "".
        rest: The question without those words.
        perhaps: What may be a branch or tag when there is one, as `heads/NAME` or `tags/NAME`: the
            plain word of "on the feature branch" or "on feature, …", which could be anything.
        other: The question without that word, for when there is one.
    """

    at: str
    since: str
    rest: str
    perhaps: str = ""
    other: str = ""


def when(question: str, today: date | None = None) -> When:
    """Find the revisions that a question names; a word that could be anything is none.

    Args:
        question: As it was asked.
        today: What "yesterday" is counted from; by default the day in UTC.
    """
    text = written(question, today or datetime.now(UTC).date())
    return _span(text) or _state(text, question)


def _span(text: str) -> When | None:
    """What a question says that asks what changed."""
    if not _CHANGE.search(text):
        return None
    both = _STATES.match(text)
    for pattern in _SPANS:
        for found in pattern.finditer(text):
            since, until = _bare(found["since"]), _bare(found["until"])
            now = until.casefold() in _NOW or not until
            sure = found["k1"] or both or _is_ref(since, until)
            if sure and (now or found["k2"] or both or _is_ref(until, since)):
                rest = _without(text, found)
                # "compare v1 and v2" says nothing else.
                rest = "what changed?" if rest == text or not re.search(r"\w", rest) else rest
                return When("" if now else until, since, rest)
    return None


def _state(text: str, question: str) -> When:
    """What a question says that is about one state."""
    perhaps = other = ""
    for found in _MARKED.finditer(text):
        sure = found["version"] or found["day"] or found["sha"] or found["far"]
        name = _bare(sure or found["name"] or found["before"])
        if sure or _REF.search(name) or (found["name"] and _is_meant(text, found, name)):
            return When(name, "", _without(text, found))
        kind = (found["what"] or found["kind"]).casefold()
        if found["the"] and not perhaps and kind in ("branch", "tag", "release"):
            perhaps = f"{'heads' if kind == 'branch' else 'tags'}/{name}"
            other = _without(text, found)
    for found in _ALONE.finditer(text):
        name = _bare(found["name"])
        if found["on"] and re.match(_TOPIC, name, re.IGNORECASE):
            return When(name, "", _without(text, found))
        if not perhaps:
            perhaps, other = f"heads/{name}", _without(text, found)
    return When("", "", question, perhaps, other)


def _is_ref(name: str, other: str) -> bool:
    """Whether one of two names that are compared is a revision's; `src/client` is a folder's."""
    if "/" not in name or _REF.search(name.replace("/", "")):
        return _REF.search(name) is not None
    known = "/" not in other and (not other or _REF.search(other) is not None)
    return known or _NAMED.match(name) is not None


def _is_meant(question: str, found: re.Match[str], name: str) -> bool:
    """Whether a word after "branch" or the like is a name: "on branch feature", quoted, at an end.

    "In the branch predictor" and "on branch prediction failures" are about code.
    """
    if found["quote"] or re.search(r"\d", name):
        return True
    named = found["kind"].casefold() in ("branch", "tag") and not found["the"]
    return named and re.match(r"\s*(?:[,:;?.!)]|$)", question[found.end() :]) is not None


def _bare(name: str) -> str:
    return name.rstrip("./+-")


def _without(question: str, found: re.Match[str]) -> str:
    left, right = question[: found.start()].rstrip(" ,"), question[found.end() :]
    right = right.lstrip(" ," if left else " ,:;")
    rest = f"{left} {right}" if left and right[:1] not in "?.!" else left + right
    return rest or question
