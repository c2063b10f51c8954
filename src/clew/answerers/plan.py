"""Reads a question by rule: what kind it is, and what it is about.

The kinds are those that the extract answerer can compose an answer for. A frame such as "where do
we" or "who calls" decides the kind and is taken off; what is left is the subject. Rules are tried
in order, the more particular first. It searches nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from clew.answerers.when import when
from clew.search.query import Query, analyse, with_mark

Intent: TypeAlias = Literal[
    "where", "how", "what", "callers", "callees", "value", "list", "helper", "check", "history"
]

_S = r"(?P<subject>.+?)"
_ASK = r"(?:what(?:'s|\s+is|\s+are)|which\s+is|tell\s+me|give\s+me)\s+(?:the\s+)?"
_USED = r"(?:being\s+)?(?:used|called|invoked|referenced|imported|instantiated)"
_USE = r"(?:use|call|invoke|reference|import|instantiate)"
_THING = r"(?:function|method|class|helper|util(?:ity)?|code|module|way|implementation|component)s?"
_ANY = rf"(?:any\s+|an?\s+|some\s+)?(?:existing\s+)?(?:{_THING}\s+)?(?:(?:for|to|that|which)\s+)?"
_THERE = r"(?:are\s+there|exist|do\s+we\s+have|are\s+(?:defined|available|supported))"
_ALL = r"(?:all|every|each)\s+(?:of\s+)?(?:the\s+|our\s+)?"
_WROTE = (
    r"(?:wrote|written|added|introduced|changed|removed|broke|broken|touched|authored|owns"
    r"|maintains|is\s+responsible\s+for)"
)
_PERSON = r"(?:(?:we|i|you|it|they|one)\s+)?"
_DEED = (
    r"(?:is|are|do(?:es)?|contains?|has|have|holds?|defines?|implements?|handles?|validates?)\s+"
)

_SUBS = (
    r"(?:(?:direct\s+)?sub-?classes|children|implementations|implementors|implementers|members"
    r"|values|variants|cases|methods|fields|attributes|properties|functions|classes)"
)
_MAYBE_ALL = r"(?:(?:all|every|each|me)\s+)*(?:of\s+)?(?:the\s+|our\s+|direct\s+)?"
_SETTABLE = (
    r"(?:environment\s+variables?|env\s+vars?|routes?|endpoints?|(?:command[\s-]line|cli)\s+"
    r"(?:options?|flags?|commands?)|sub-?commands?)"
)
_QUANTITY = (
    r"(?:timeouts?|limit|maximum|minimum|ports?|interval|retries|ttl|threshold|size|length|lifetime"
    r"|expiry|delay|backoff|host|base\s+url|log\s+level|version|capacity|depth)"
)

# (intent, pattern) tried in order, the more particular first; the named group is the subject.
_FRAMES: tuple[tuple[Intent, str], ...] = (
    ("history", rf"(?:when|by\s+whom)\s+(?:was|were|did|has|have)\s+{_S}"),
    ("history", rf"since\s+when\s+(?:was|were|did|has|have|is|are|do|does)\s+{_S}"),
    ("history", rf"why\s+(?:(?:was|were|did|has|have|is|are|do|does|don't|doesn't)\s+)?{_S}"),
    ("history", rf"(?:in\s+)?which\s+(?:commit|version|release|pull\s+request|pr)\s+{_S}"),
    ("history", rf"who\s+(?:(?:has|last)\s+)?{_WROTE}\s+{_S}"),
    ("history", rf"what(?:\s+has|'s)?\s+changed\s+(?:in|since|between)\s+{_S}"),
    (
        "list",
        rf"(?:list|show|find|give\s+me|name|what\s+are|which\s+are)?\s*{_MAYBE_ALL}(?P<subject>{_SUBS}\s+of\s+.+?)",
    ),
    (
        "list",
        (
            r"(?:what|which)(?:\s+(?:class|type|struct|object)e?s)?\s+"
            r"(?P<subject>(?:inherits?(?:\s+from)?|extends?|subclass(?:es)?|implements?)\s+"
            r"(?-i:[\w.:$]*[A-Z]\w*).*?)"
        ),
    ),
    (
        "callees",
        (
            rf"(?:what|which)(?:\s+(?:else|other))?(?:\s+{_THING})?\s+(?:does|do)\s+{_S}\s+"
            r"(?:call|invoke)(?:\s+(?:itself|directly))?"
        ),
    ),
    (
        "callees",
        rf"(?:what|which)(?:\s+{_THING})?\s+(?:is|are)\s+(?:called|invoked)\s+(?:by|in)\s+{_S}",
    ),
    ("callees", rf"(?:(?:find|show|list)\s+)?(?:all\s+)?(?:the\s+)?callees\s+of\s+{_S}"),
    (
        "callers",
        (
            r"(?:who|what|which\s+\w+(?:\s+\w+)?)\s+(?:else\s+)?"
            rf"(?:calls?|uses?|invokes?|imports?|depends?\s+on|references?)\s+{_S}"
        ),
    ),
    (
        "callers",
        rf"(?:where|when|from\s+where|how\s+often)\s+(?:is|are)\s+{_S}\s+{_USED}(?:\s+from)?",
    ),
    (
        "callers",
        rf"(?:is|are)\s+{_S}\s+(?:still\s+|ever\s+|even\s+|actually\s+)?{_USED}(?:\s+anywhere)?",
    ),
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
    ("value", rf"where\s+(?:is|are)\s+{_S}\s+(?:set|assigned|configured|initiali[sz]ed)"),
    ("value", rf"where\s+do(?:es)?\s+{_PERSON}(?:set|assign|configure)\s+{_S}"),
    ("what", rf"(?:{_ASK})?differences?\s+between\s+{_S}"),
    ("what", rf"compare\s+{_S}"),
    ("value", rf"{_ASK}(?P<subject>default\s+.+?)"),
    ("value", rf"{_ASK}(?P<subject>(?:\w+\s+){{0,4}}{_QUANTITY}(?:\s+(?:of|for|in|when)\s+.+?)?)"),
    ("value", rf"(?:what|which)\s+(?P<subject>{_QUANTITY}\s+(?:is|are|does|do|will|should)\s+.+?)"),
    ("list", rf"how\s+many\s+{_S}\s+{_THERE}"),
    (
        "list",
        (
            rf"how\s+many\s+(?:public\s+)?(?P<subject>{_SUBS})\s+(?:does|do|has|have)\s+"
            r"(?P<of>.+?)(?:\s+have)?"
        ),
    ),
    ("value", rf"how\s+(?:many|long|often|large|big|much|far|old)\s+{_S}"),
    ("helper", rf"(?:is|are)\s+there\s+(?:already\s+|currently\s+)?{_ANY}{_S}"),
    ("helper", rf"do\s+we\s+(?:already\s+)?have\s+{_ANY}{_S}"),
    ("list", rf"(?:list|enumerate|show(?:\s+me)?|name|give\s+me)\s+{_ALL}{_S}"),
    ("list", rf"list\s+(?:the\s+|our\s+)?{_S}"),
    ("list", rf"(?:what|which)\s+(?P<subject>\w[\w\s-]*?)\s+{_THERE}"),
    (
        "list",
        rf"(?:what|which)\s+(?P<subject>{_SUBS})\s+(?:does|do|has|have)\s+(?P<of>.+?)(?:\s+have)?",
    ),
    ("list", rf"(?:what|which)\s+(?P<subject>{_SETTABLE})\s+(?:does|do|can|are|is|has|have)\b.*?"),
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
    ("how", rf"what\s+happens\s+(?:when|if|after|before|during|on|to|with|in)\s+{_S}"),
    (
        "what",
        rf"what\s+(?:does|do)\s+{_S}\s+(?:do|mean|return|raise|throw|accept|take|expect|yield)",
    ),
    (
        "what",
        rf"what\s+(?:errors?|exceptions?|types?)\s+(?:does|do|can)\s+{_S}\s+(?:return|raise|throw)",
    ),
    ("what", rf"what\s+(?:is|are)\s+{_S}\s+(?:(?:responsible|used)\s+)?for"),
    ("what", rf"(?:{_ASK}|(?:explain|describe|tell\s+me\s+about|summari[sz]e)\s+(?:the\s+)?){_S}"),
    (
        "how",
        (
            r"how\s+(?:does|do|is|are|can|could|should|did|was|were|to|would)\s+"
            rf"{_PERSON}{_S}(?:\s+(?:works?|working|implemented|handled|done))?"
        ),
    ),
    ("how", rf"when\s+(?:does|do|is|are|will|should)\s+{_S}"),
    (
        "check",
        (
            r"(?:does|do|is|are|was|were|did|has|have|can|could|will|would|should|may|must)(?:n't)?"
            rf"\s+(?:(?:we|i|you|it|they|one|there)\s+)?{_S}"
        ),
    ),
)
_END = r"[\s?.!]*$"
_COMPILED: tuple[tuple[Intent, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(rf"^{frame}{_END}", re.IGNORECASE | re.DOTALL)) for kind, frame in _FRAMES
)
_ARTICLE = re.compile(r"^(?:an?|the|our)\s+", re.IGNORECASE)
_KIND_WORD = re.compile(
    r"\s+(?:class|function|method|module|struct|interface|trait|enum|type|constant|macro|system"
    r"|mechanism|logic|feature|subsystem|component|layer|machinery|package)$"
    r"|^(?:class|function|method|module|struct|interface|trait|enum|constant|macro)\s+(?=\S+$)",
    re.IGNORECASE,
)
_NAME = re.compile(r"[^\W\d]\w*(?:(?:\.|::|#)[^\W\d]\w*)*[?!]?")
_LEAD = re.compile(
    r"^(?:(?:hi|hey|hello|please|so|ok|and|(?:can|could|would)\s+you|do\s+you\s+know|i\s+wonder"
    r"|(?:tell|show)\s+me(?=\s+(?:how|where|what|who|which|if)\b)"
    r"|i\s+(?:want|need|would\s+like)\s+to\s+(?:know|understand|see))\b[\s,]*)+",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"\s+(?:in\s+(?:the|this|our)\s+(?:code(?:base)?|repo(?:sitory)?|project)|"
    r"(?:be\s+)?(?:defined|implemented|located|declared|handled|done|found)|"
    r"lives?|come\s+from|happens?|is|are)$",
    re.IGNORECASE,
)
_COMPARES = re.compile(r"\b(?:differences?\s+between|compare)\b", re.IGNORECASE)
_PAIR = re.compile(
    r"`?([\w.:#]+[?!]?)`?(?:\(\))?\s+(?:and|with|to|vs\.?|versus|or)\s+"
    r"`?([\w.:#]+[?!]?)`?(?:\(\))?",
    re.IGNORECASE,
)
SPELLED = re.compile(r"[a-z0-9][A-Z]|[^\W_]_+[^\W_]")  # a name's humps or inner underscores
LONGEST_FRAME = 400  # characters; a longer question is a paste: it is searched, not parsed


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do for one question.

    Attributes:
        subject: The question without its frame, as typed.
        text: The whole question on one line.
        query: The subject, analysed; `query.identifiers` are names as typed.
    """

    intent: Intent
    subject: str
    query: Query
    text: str = ""

    @property
    def bare(self) -> str:
        """The subject without its article, its quotes and a word for its kind."""
        bare = _ARTICLE.sub("", self.subject.strip()).strip("`'\"“”() ")
        return _KIND_WORD.sub("", bare).strip("`'\"“”() ") or bare

    @property
    def spelled(self) -> str:
        """The name that is all of the subject, when code spells it so and no language does."""
        alone = self.names == (self.bare,) and SPELLED.search(self.bare)
        return self.bare if alone else ""

    @property
    def names(self) -> tuple[str, ...]:
        """Names that may be defined: as typed, one capitalised word, or two that are compared."""
        if _COMPARES.search(self.text) and (pair := _PAIR.fullmatch(self.bare)):
            return pair.groups()
        lone = (self.bare,) if _NAME.fullmatch(self.bare) and self.bare[:1].isupper() else ()
        return self.query.identifiers or lone


def plan(question: str) -> Plan:
    """Decide what a question asks for; one that fits no frame is a search for where."""
    text = _LEAD.sub("", " ".join(when(question).rest.split()))
    if len(text) <= LONGEST_FRAME:
        for intent, frame in _COMPILED:
            if found := frame.match(text):
                subject = _TAIL.sub("", found["subject"].strip())
                subject = with_mark(subject, text[found.start("subject") :])
                if of := found.groupdict().get("of"):
                    subject = f"{subject} of {of.strip()}"
                return Plan(intent, subject, analyse(subject), text)
    return Plan("where", text, analyse(text), text)
