"""Reads what a question says about time: which revision it is about, or between which two.

A question about another state than the head must be answered from that state or refused, never
from the head. It looks nothing up: whether a branch or tag is there is for the sources to say.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_NAME = r"[A-Za-z0-9_][\w./+-]*(?:[~^]\d*)*"
_KIND = r"(?:the\s+)?(?:(?:branch|tag|commit|revision|release|version)\s+)?"
_MARKED = re.compile(
    r"(?:^|(?<=[\s,(]))(?:on|in|from|at|as\s+of)\s+(?P<the>the\s+)?"
    rf"(?:(?P<kind>branch|tag|commit|revision|release)\s+(?P<quote>[`'\"“]?)(?P<name>{_NAME})[`'\"”]?"
    rf"|(?P<before>{_NAME})\s+(?P<what>branch|tag|release)\b"
    # Without "version" or "v", two numbers may be a ratio and four are an address.
    r"|(?:version\s+(?=v?\d+\.\d)|(?=v\d+\.\d)|(?=\d+\.\d+\.\d+(?!\.?\d)))"
    r"(?P<version>v?\d+(?:\.\d+)+(?:[-.]?(?:rc|beta|alpha|post|dev)[-.]?\d*)?)(?![\w/])"
    r"|(?P<day>\d{4}-\d{2}-\d{2})(?!\w)"
    r"|(?P<sha>(?=[a-f]*[0-9])[0-9a-f]{7,40})\b)",
    re.IGNORECASE,
)
_SPANS = (
    re.compile(
        rf"\b(?:between|from)\s+{_KIND}(?P<since>{_NAME})\s+(?:and|to|until)\s+{_KIND}"
        rf"(?P<until>{_NAME})",
        re.IGNORECASE,
    ),
    re.compile(rf"\b(?:since|after)\s+{_KIND}(?P<since>{_NAME})(?P<until>)", re.IGNORECASE),
)
_CHANGE = re.compile(r"\b(?:chang\w*|diff\w*|new|commits?|happened|added|removed)\b", re.IGNORECASE)
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
            plain word of "on the feature branch", which could be anything.
        other: The question without that word, for when there is one.
    """

    at: str
    since: str
    rest: str
    perhaps: str = ""
    other: str = ""


def when(question: str) -> When:
    """Find the revisions that a question names; a word that could be anything is none."""
    if _CHANGE.search(question):
        for pattern in _SPANS:
            for found in pattern.finditer(question):
                since, until = _bare(found["since"]), _bare(found["until"])
                now = until.casefold() in _NOW or not until
                if _REF.search(since) and (now or _REF.search(until)):
                    return When("" if now else until, since, _without(question, found))
    perhaps = other = ""
    for found in _MARKED.finditer(question):
        sure = found["version"] or found["day"] or found["sha"]
        name = _bare(sure or found["name"] or found["before"])
        if sure or _REF.search(name) or (found["name"] and _is_meant(question, found, name)):
            return When(name, "", _without(question, found))
        if found["before"] and found["the"] and not perhaps:
            place = "heads" if found["what"].casefold() == "branch" else "tags"
            perhaps, other = f"{place}/{name}", _without(question, found)
    return When("", "", question, perhaps, other)


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
    left, right = question[: found.start()].rstrip(" ,"), question[found.end() :].lstrip(" ,")
    rest = f"{left} {right}" if left and right[:1] not in "?.!" else left + right
    return rest or question
