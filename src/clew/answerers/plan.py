"""Reads a question by rule: what kind it is, and what it is about.

The kinds are those that the extract answerer can compose an answer for. A frame such as "where do
we" or "who calls" decides the kind and is taken off; what is left is the subject. Rules are tried
in order, the more particular first. It searches nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from clew.query import Query, analyse

Intent: TypeAlias = Literal["where", "how", "what", "callers", "value", "list", "helper", "history"]

_S = r"(?P<subject>.+?)"
_ASK = r"(?:what(?:'s|\s+is|\s+are)|which\s+is|tell\s+me|give\s+me)\s+(?:the\s+)?"
_USED = r"(?:being\s+)?(?:used|called|invoked|referenced|imported|instantiated)"
_USE = r"(?:use|call|invoke|reference|import|instantiate)"
_THING = r"(?:function|method|class|helper|util(?:ity)?|code|module|way|implementation|component)s?"
_ANY = rf"(?:any\s+|an?\s+|some\s+)?(?:existing\s+)?(?:{_THING}\s+)?(?:(?:for|to|that|which)\s+)?"
_THERE = r"(?:are\s+there|exist|do\s+we\s+have|are\s+(?:defined|available|supported))"
_ALL = r"(?:all|every|each)\s+(?:of\s+)?(?:the\s+|our\s+)?"
_PERSON = r"(?:(?:we|i|you|it|they|one)\s+)?"
_DEED = (
    r"(?:is|are|do(?:es)?|contains?|has|have|holds?|defines?|implements?|handles?|validates?)\s+"
)

# (intent, pattern) tried in order, the more particular first; the named group is the subject.
_FRAMES: tuple[tuple[Intent, str], ...] = (
    ("history", rf"(?:when|why|by\s+whom)\s+(?:was|were|did|has|have)\s+{_S}"),
    ("history", rf"who\s+(?:wrote|added|introduced|changed|removed|broke)\s+{_S}"),
    ("history", rf"what\s+(?:has\s+)?changed\s+(?:in|since|between)\s+{_S}"),
    (
        "callers",
        (
            r"(?:who|what|which\s+\w+(?:\s+\w+)?)\s+"
            rf"(?:calls?|uses?|invokes?|imports?|depends?\s+on|references?)\s+{_S}"
        ),
    ),
    ("callers", rf"where\s+(?:is|are)\s+{_S}\s+{_USED}"),
    ("callers", rf"where\s+do(?:es)?\s+(?:we|it|they|you)\s+{_USE}\s+{_S}"),
    (
        "callers",
        (
            rf"(?:(?:find|show|list)\s+)?(?:all\s+)?(?:the\s+)?"
            rf"(?:callers?|usages?|uses|references?|call\s+sites?)\s+(?:of|to|for)\s+{_S}"
        ),
    ),
    ("value", rf"{_ASK}(?:current\s+|default\s+)?values?\s+(?:of|for)\s+{_S}"),
    ("value", r"what(?:'s|\s+is)\s+(?P<subject>(?-i:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+))"),
    ("value", rf"what\s+(?:is|are)\s+{_S}\s+(?:set\s+to|equal\s+to|by\s+default)"),
    ("value", rf"{_ASK}(?P<subject>default\s+.+?)"),
    ("helper", rf"(?:is|are)\s+there\s+(?:already\s+|currently\s+)?{_ANY}{_S}"),
    ("helper", rf"do\s+we\s+(?:already\s+)?have\s+{_ANY}{_S}"),
    ("list", rf"(?:list|enumerate|show(?:\s+me)?|name|give\s+me)\s+{_ALL}{_S}"),
    ("list", rf"list\s+(?:the\s+|our\s+)?{_S}"),
    ("list", rf"(?:what|which)\s+(?P<subject>\w[\w\s-]*?)\s+{_THERE}"),
    ("list", rf"what\s+are\s+{_ALL}{_S}"),
    (
        "where",
        (
            rf"(?:in\s+)?(?:which|what)\s+(?:file|module|class|function|package|folder|place|line)s?"
            rf"\s+(?:{_DEED})?{_S}"
        ),
    ),
    (
        "where",
        (
            rf"where(?:'s|\s+(?:is|are|do|does|did|can|could|should))?\s+"
            rf"{_PERSON}(?:find\s+)?{_S}"
        ),
    ),
    ("where", rf"(?:find|locate|show(?:\s+me)?|point\s+me\s+to)\s+(?:the\s+)?{_S}"),
    ("what", rf"what\s+(?:does|do)\s+{_S}\s+(?:do|mean)"),
    ("what", rf"what\s+(?:is|are)\s+{_S}\s+(?:(?:responsible|used)\s+)?for"),
    ("what", rf"(?:{_ASK}|(?:explain|describe|tell\s+me\s+about|summari[sz]e)\s+(?:the\s+)?){_S}"),
    (
        "how",
        (
            r"how\s+(?:does|do|is|are|can|could|should|did|was|were|to|would)\s+"
            rf"{_PERSON}{_S}(?:\s+(?:works?|working|implemented|handled|done))?"
        ),
    ),
)
_END = r"[\s?.!]*$"
_COMPILED: tuple[tuple[Intent, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(rf"^{frame}{_END}", re.IGNORECASE | re.DOTALL)) for kind, frame in _FRAMES
)
_ARTICLE = re.compile(r"^(?:an?|the|our)\s+", re.IGNORECASE)
_NAME = re.compile(r"[^\W\d]\w*(?:(?:\.|::|#)[^\W\d]\w*)*")
_LEAD = re.compile(
    r"^(?:(?:hi|hey|hello|please|so|ok|and|can\s+you|could\s+you|would\s+you)\b[\s,]*)+",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"\s+(?:in\s+(?:the|this|our)\s+(?:code(?:base)?|repo(?:sitory)?|project)|"
    r"(?:be\s+)?(?:defined|implemented|located|declared|handled|done|found)|"
    r"lives?|come\s+from|happens?)$",
    re.IGNORECASE,
)
_ELSEWHEN = re.compile(
    r"\b(?:on|in|from|at|as\s+of)\s+(?:the\s+)?"
    r"(?:(?:branch|tag|commit|revision|release)\s+(?P<name>[\w./-]*\w)"
    r"|(?P<before>[\w./-]+)\s+(?:branch|tag)\b"
    r"|(?P<sha>[0-9a-f]{7,40})\b)",
    re.IGNORECASE,
)
# What tells a branch, tag or commit from a word: "the commit message", "in the else branch".
_REF = re.compile(r"[\d/]|^(?:main|master|develop|dev|trunk|staging|production)$")
LONGEST_FRAME = 400  # characters; a longer question is a paste: it is searched, not parsed


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do for one question.

    Attributes:
        subject: The question without its frame, as typed.
        query: The subject, analysed; `query.identifiers` are names as typed.
    """

    intent: Intent
    subject: str
    query: Query

    @property
    def names(self) -> tuple[str, ...]:
        """Names that may be defined: as typed, or a subject of one capitalised word."""
        bare = _ARTICLE.sub("", self.subject).strip("`'\"() ")
        lone = (bare,) if _NAME.fullmatch(bare) and bare[:1].isupper() else ()
        return self.query.identifiers or lone


def plan(question: str) -> Plan:
    """Decide what a question asks for; one that fits no frame is a search for where."""
    text = _LEAD.sub("", " ".join(question.split()))
    if len(text) <= LONGEST_FRAME:
        for intent, frame in _COMPILED:
            if found := frame.match(text):
                subject = _TAIL.sub("", found["subject"].strip())
                return Plan(intent, subject, analyse(subject))
    return Plan("where", text, analyse(text))


def other_revision(question: str) -> str | None:
    """The branch, tag or commit that a question names, or None.

    Answers are read from the head; a question about another state must be refused and not be
    answered from the wrong one.
    """
    for found in _ELSEWHEN.finditer(question):
        name = found["name"] or found["before"] or found["sha"]
        if _REF.search(name):
            return name
    return None
