"""What a question asks for, read from its text alone.

`analyse` finds the names, paths and quotes in it, drops the frame around them ("where do we …",
"who calls …") and says which kinds of file the asker wants. It never looks at an index, so the
same text always gives the same `Query`, and it accepts any text: empty, huge or in any script.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from clew.index.tokens import terms

if TYPE_CHECKING:
    from collections.abc import Iterable

QueryKind: TypeAlias = Literal["symbol", "path", "quoted", "prose"]
Want: TypeAlias = Literal["tests", "docs", "examples", "config", "generated", "legacy", "vendored"]

MAX_CHARACTERS: Final = 20_000
"""What lies beyond is not read: nobody types it, and a pasted log repeats itself."""
MAX_TERMS: Final = 256
"""Distinct terms that are looked up at all; ranking keeps the rarest of them."""
TITLE: Final = 2
"""How often a title says its words for the text below it, on top of its own …"""
TITLE_TERMS: Final = 2
"""… and how many words make a line one: a greeting doesn't."""
LONG: Final = 12
"""Terms; a longer question mentions more than it asks for."""
SHORT: Final = 200
"""Characters; a longer text may be a paste, in which words with marks are no names."""
MAX_NAMES: Final = 16
"""Names, paths and quotes of each sort that are looked up."""


@dataclass(frozen=True, slots=True)
class Query:
    """A question, taken apart.

    Attributes:
        text: As it was asked, without surrounding space.
        kind: What the whole of it is; `prose` unless it is one name, one path or one quote.
        title: What the text is about in short: its first line, without the question's frame
            ("where do we …").
        terms: Distinct index terms of the text without the frame, in order of appearance.
        times: How often each of them is said; a title says it for the text below it too, and what
            stands before a colon (`router: …`) is said once more: it names the part that is meant.
        identifiers: Names as written (`Flask.run`, `get_user`, `save!`), in order, without `()`.
        capitalised: Plain words with a capital inside a sentence; perhaps the name of a type.
        quoted: What stands in quotes, without them.
        paths: What looks like a path or a file name.
        wants: Kinds of file that it asks for, so that they are not held back …
        surely: … or that it mentions among much else, when it is long.
    """

    text: str
    kind: QueryKind
    title: str
    terms: tuple[str, ...]
    times: tuple[int, ...]
    identifiers: tuple[str, ...] = ()
    capitalised: tuple[str, ...] = ()
    quoted: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    wants: frozenset[Want] = frozenset()
    surely: bool = True


_NAME = r"[^\W\d]\w*"
_JOIN = r"(?:\.|::|->|\#)"
# A name of Ruby or Elixir may end in a mark: `valid?`, `save!`.
_SYMBOL = re.compile(rf"[@$&]?{_NAME}(?:{_JOIN}{_NAME})*[?!]?(?:\(\))?")
# What follows a name's own mark, and not the end of a question or an exclamation.
_GOES_ON = re.compile(r"\s+[a-z]|[,;:)?!]")
# A plain word with a mark inside a sentence.
_MARKED = re.compile(r"(?<![\w.:/#>])[a-z_]\w*[?!](?=\s+[a-z]|[,;)])")
_COMPOUND = re.compile(  # what nobody would write in prose
    r"""[a-z0-9][A-Z]            # getUser, HttpCookies
      | [A-Z]{2}[a-z]{2}         # HTTPServer
      | [^\W_]_+[^\W_]           # get_user
      | ^_+[a-z] | ^[@$&]        # _private, @decorated, $variable
      | :: | -> | \# | \(\)$     # a::b, a->b, A#b, run()
      | \w\.\w{2}                # app.run
    """,
    re.VERBOSE,
)
_EXTENSION = """(?: pyi?|pyx|[mc]?jsx?|[mc]?tsx?|go|rs|java|kts?|scala|rb|erb|php|[ch]|cc|cpp|cxx
    |hh|hpp|cs|fs|vb|swift|mm?|exs?|erl|hs|lua|sh|bash|zsh|fish|ps1|bat|zig|nim|jl|r|p[lm]|sql|proto|graphql
    |vue|svelte|html|s?css|less|mdx?|rst|txt|adoc|jsonc?|ya?ml|toml|ini|cfg|conf|xml|gradle|lock|tf
    |nix|cmake|mk )"""
_FILE_NAME = "(?: (?:Docker|Make|Rake|Gem|Jenkins|Proc)file|CMakeLists\\.txt|LICENSE|CODEOWNERS )"
_PATH = re.compile(
    rf"""(?<![\w/.:@-])
    (?: (?:\.{{0,2}}/)? (?:[\w.@+-]+/)* (?: [\w@+-][\w.@+-]*\.{_EXTENSION}\b | {_FILE_NAME}\b )
      | \.{{0,2}}/? (?:[\w.@+-]+/)+ (?:[\w.@+-]*\w/?)?     # a folder, or a file without extension
    )""",
    re.VERBOSE,
)
_URL = re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://\S+", re.IGNORECASE)
_TICKS = re.compile(r"(?<!`)`{1,3}([^`\n]{1,200})`")
_QUOTES = re.compile(r"\"([^\"\n]{2,200})\"|“([^”\n]{2,200})”|(?<!\w)'([^'\n]{2,200})'(?!\w)")
_TOPIC = re.compile(
    r"""^\W* (?: \w+\( ([^()\n]{1,40}) \)  # fix(router): …
      | ((?:[\w./+-]+[ ,/]+){0,2} (?!\w*(?:Error|Exception|Warning)\b) [\w./+-]{2,40}) \]? )
    !?:\s+\w""",
    re.VERBOSE,
)
_CAPITALISED = re.compile(r"(?<=[\w,;)] )[A-Z][a-z]\w{2,}\b")

_LEAD = re.compile(
    r"""^[\s*>-]*
    (?:(?:hi|hello|hey|please|so|ok|okay|and|also|but|then)\b[\s,:]*)*
    (?:(?:can|could|would)\s+(?:you|someone|anyone)\s+(?:please\s+)?)?
    (?:(?:please\s+)?(?:tell|show|explain|describe|find\s+out)\b(?:\s+to\b)?(?:\s+(?:me|us)\b)?\s*)?
    (?:(?:i|we)(?:'d|\s+would)?\s+(?:want|like|need)\s+to\s+(?:know|understand|see|find)\b\s*)?
    """,
    re.IGNORECASE | re.VERBOSE,
)
_THING = r"(?:file|function|method|class|type|module|package|code|part|place|component|struct)s?"
_FRAMES = (
    re.compile(
        rf"""^(?:who|what|which)\b\s*(?:{_THING}\b\s*)?(?:is\b|are\b|else\b|also\b)?\s*
        (?: happens?\s+(?:when|if|to|after|before|during)
          | (?:call|use|invoke|import|reference|handle|implement|define|contain|declare)s?
          | depends?\s+on | (?:responsible|in\s+charge)\s+(?:for|of) )(?=\s)""",
        re.IGNORECASE | re.VERBOSE,
    ),
    re.compile(
        rf"""^(?:where|how|what|why|which|who|whose|when|is|are|does|do|did)\b(?:'s|'re)?\s*
        (?:exactly\b\s*)? (?:(?:in\s+the\s+code(?:base)?|{_THING})\b\s*)?
        (?:(?:is|are|was|were|do|does|did|can|could|should|would|will|has|have|had)\b\s*)?
        (?:(?:there|we|you|i|it|they|one|this|these|our|the|a|an|any)\b\s*)*
        (?:code\s+(?:that|which|for)\b\s*)?""",
        re.IGNORECASE | re.VERBOSE,
    ),
)
_TAIL = re.compile(
    r"""(?:\s+(?:works?|working|do|done|look\s+like|defined|implemented|declared|located|found|lives?|happens?
       |happening|used|called(?:\s+from)?|go|come\s+from|mean
       |in\s+(?:this|the)\s+(?:repo|repository|code|codebase|project)))+\s*$""",
    re.IGNORECASE | re.VERBOSE,
)


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)


_WANTS: Final[dict[Want, re.Pattern[str]]] = {
    "tests": _words(
        r"tests?(?!\s+(?:clients?|hosts?|servers?|apps?|runners?|harness|helpers?|doubles?)\b)"
        r"|tested|testing|\w+_tests?|test_\w+|specs?|fixtures?|mock(?:s|ed)?|conftest"
    ),
    "docs": _words(
        r"docs?|documentation|documented|readme|changelog|tutorials?|guides?|manual|release notes"
        r"|licen[cs]ed?|contributing|getting started"
        r"|how (?:to|(?:do|can|should|would) (?:i|we|you)|is it)"
        r" (?:install(?:ed)?|set(?: it)? up|contribute|upgrade|get started)"
    ),
    "examples": _words(r"examples?|samples?|demos?|tutorials?|benchmarks?"),
    "config": _words(
        r"ya?ml|toml|pyproject|package\.json|docker(?:file)?|makefile|workflows?|github actions|ci"
        r"|dependenc(?:y|ies)|lint(?:er|ing)?|tox|nox|build (?:files?|scripts?|system)"
        r"|config(?:uration)? files?"
    ),
    "generated": _words(r"(?:auto)?generated|codegen|\w+_pb2"),
    "legacy": _words(r"legacy|deprecated|older|old|previous|v\d+"),
    "vendored": _words(r"vendor(?:ed)?|third[-_ ]party|bundled"),
}


def analyse(text: str) -> Query:
    """Takes a question apart; never fails, whatever the text."""
    text = text[:MAX_CHARACTERS].strip()
    bare = _URL.sub(" ", text)
    core = _without_frame(bare)
    paths = _distinct(m.group().rstrip(".") for m in _PATH.finditer(bare))
    title = _title(core)
    said = Counter(terms(core) or terms(text))
    words = tuple(said)[:MAX_TERMS]
    whole = title == core
    if not whole:
        said.update(TITLE * terms(title))
    if (topic := _TOPIC.match(title)) is not None:
        said.update(terms(topic.group(1) or topic.group(2)))
    return Query(
        text=text,
        kind=_kind(bare.strip(), core),
        title=title,
        terms=words,
        times=tuple(said[word] for word in words),
        identifiers=_identifiers(bare, core, paths),
        capitalised=_distinct(m.group() for m in _CAPITALISED.finditer(bare)),
        quoted=_distinct(q for m in _QUOTES.finditer(bare) for q in m.groups() if q),
        paths=paths,
        wants=_wants(text if whole else title),
        surely=whole and len(words) <= LONG,
    )


def _wants(text: str) -> frozenset[Want]:
    return frozenset(want for want, pattern in _WANTS.items() if pattern.search(text))


def _title(core: str) -> str:
    """The first line that says something, where lines follow it; else the whole."""
    lines = core.split("\n")
    for line in lines[:-1]:
        if len(terms(line)) >= TITLE_TERMS:
            return line
    return core


def last_name(identifier: str) -> str:
    """`Flask.run` → `run`, `Record#save!` → `save`: its last word."""
    return re.split(_JOIN, identifier)[-1].rstrip("?!")


def spellings(identifier: str) -> tuple[str, ...]:
    """What a definition may be stored under, the likeliest first: `A.save!` → `save!`, `save`.

    The mark behind a name may be the question's, and one that ends the question may be the name's.
    """
    name = re.split(_JOIN, identifier)[-1]
    bare = name.rstrip("?!")
    marked = tuple(bare + mark for mark in "?!" if bare + mark != name)
    return (name, bare) if bare != name else (name, *marked)


def qualifier(identifier: str) -> str:
    """`flask.Flask.run` → `Flask`: the definition around it, "" when the name stands alone."""
    parts = re.split(_JOIN, identifier)
    return parts[-2] if len(parts) > 1 else ""


def _without_frame(text: str) -> str:
    """What the question is about; the whole text where nothing else would be left."""
    lead = _LEAD.match(text)
    rest = text[lead.end() :] if lead else text
    frame = _FRAMES[0].match(rest) or _FRAMES[1].match(rest)
    if frame is None:
        return rest if rest.strip() else text
    core = _TAIL.sub("", rest[frame.end() :].rstrip(" \t\r\n?.!"))
    core = with_mark(core, rest[frame.end() :])
    return core if re.search(r"\w", core) else text


def with_mark(subject: str, text: str) -> str:
    """A name that begins a text, with its own mark where that ends it: `save!`, and of `a??` one.

    What is no single name stays as it is.
    """
    name, text = subject.strip(), text.strip()
    rest = text[len(name) :].strip()
    own = rest[:1] == "!" or rest[:2] in ("??", "?!")
    named = own and text.startswith(name) and _SYMBOL.fullmatch(name)
    return name + rest[0] if named and name[-1] not in "?!)" else subject


def _kind(text: str, core: str) -> QueryKind:
    """The kind of the whole question; one name in a frame is a question about that name."""
    rest = core.strip(" \t\r\n?!.,;:")
    if (quote := _QUOTES.fullmatch(rest)) is not None:
        inner = next(q for q in quote.groups() if q)
        return "symbol" if _SYMBOL.fullmatch(inner) else "quoted"
    name = rest.strip("`")
    if _PATH.fullmatch(name):
        return "path"
    if not _SYMBOL.fullmatch(name):
        return "prose"
    alone = name.isascii() and (rest == text.strip(" ?!.") or rest != name)
    return "symbol" if alone or _is_compound(name) or name[0].isupper() else "prose"


def _is_compound(word: str) -> bool:
    return _COMPOUND.search(word) is not None


def _as_meant(found: re.Match[str]) -> str:
    """A word without a mark that ends its sentence."""
    word = found.group()
    ends = word.endswith(("?", "!")) and _GOES_ON.match(found.string, found.end()) is None
    return word[:-1] if ends else word


def _identifiers(text: str, core: str, paths: tuple[str, ...]) -> tuple[str, ...]:
    """Names as written: in backticks or quotes, compound, or standing alone."""
    found = [m.group(1).strip() for m in _TICKS.finditer(text)]
    found += [q for m in _QUOTES.finditer(text) for q in m.groups() if q]
    found.append(re.sub(r"([?!])[?!]+\Z", r"\1", core.strip(" \t\r\n`\"'.,;:")))
    found = [word for word in found if _SYMBOL.fullmatch(word)]
    found += [w for m in _SYMBOL.finditer(text) if _is_compound(w := _as_meant(m))]
    found += [m.group() for m in _MARKED.finditer(text)] if len(text) <= SHORT else []
    found = [word for word in found if not {word + "?", word + "!"} & set(found)]
    names = (word.lstrip("@$&").removesuffix("()") for word in found)
    return _distinct(n for n in names if len(n) > 1 and not any(n in path for path in paths))


def _distinct(words: Iterable[str], limit: int = MAX_NAMES) -> tuple[str, ...]:
    """The first `limit` different words, in order."""
    seen: dict[str, None] = {}
    for word in words:
        seen.setdefault(word)
        if len(seen) == limit:
            break
    return tuple(seen)
