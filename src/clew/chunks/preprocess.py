"""What a preprocessor would take away before a parse, in C, C++ and C#: hidden in its place.

A grammar sees neither which branch of an `#if` is compiled nor what a macro stands for, and a
branch that opens a brace or an annotation before a class costs it the rest of the file. So the
parser gets the text with such things blanked, byte for byte: lines and offsets stay. Nothing here
evaluates a condition or expands a macro; what is hidden is still cited and searched.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

if TYPE_CHECKING:
    Dialect: TypeAlias = Literal["", "c", "cpp", "csharp", "rust"]

_DIALECTS: Final = frozenset({"c", "cpp", "csharp"})

# Comments and literals, in which brackets and directives mean nothing.
_LITERALS: Final = {
    "c": re.compile(
        rb"//(?:[^\n\\]|\\.)*|/\*.*?(?:\*/|\Z)|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.){1,9}'",
        re.DOTALL,
    ),
    "csharp": re.compile(
        rb"//[^\n]*|/\*.*?(?:\*/|\Z)|\"\"\"+.*?\"\"\"+|\$?@\$?\"(?:[^\"]|\"\")*\""
        rb"|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.){1,9}'",
        re.DOTALL,
    ),
}
_DIRECTIVE = re.compile(
    rb"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif|region|endregion)\b"
    rb"((?:[^\n\\]|\\\r?\n|\\)*)",
    re.MULTILINE,
)
_OTHER_DIRECTIVE = re.compile(rb"^[ \t]*#(?:[^\n\\]|\\\r?\n|\\)*", re.MULTILINE)
_BRACKETS: Final = re.compile(rb"[()\[\]{}]")
_OPENERS: Final = {b")": b"(", b"]": b"[", b"}": b"{"}
_NOT_BLANK = re.compile(rb"[^\s]")

_ARGUMENTS = rb"(?:[ ]?\((?:[^()\n;{}]|\([^()\n;{}]{0,400}\)){0,400}\))"
_ANNOTATION = rb"[A-Z][A-Z0-9]*_[A-Z0-9_]*"
# `class EXPORTED Name {`: read as a function that returns a class.
_BEFORE_NAME = re.compile(
    rb"\b(?:class|struct|union|enum(?:[ \t]+class)?)[ \t]+((?:[A-Z][A-Z0-9_]{2,}" + _ARGUMENTS
    + rb"?\s+)+)(?=[A-Za-z_]\w*(?:[ \t]*<[^<>{};\n]*>)?\s*(?:final\s*)?(?:\{|:[^:]))"
)  # fmt: skip
# `class EXPORTED Name;`; in C, `struct NAME variable;` is a variable.
_BEFORE_FORWARD = re.compile(rb"\bclass[ \t]+([A-Z][A-Z0-9_]{2,}\s+)(?=[A-Za-z_]\w*;)")
# A word in capitals, perhaps with arguments: what may be an annotation.
_CAPITALS = re.compile(rb"[A-Z][A-Z0-9_]{3,}(?![a-z])" + _ARGUMENTS + rb"?")
# What follows `NAMESPACE_BEGIN` alone on a line, and `EXPORTED(…)` before two words.
_DECLARATION = re.compile(
    rb"[ \t]*\r?(?:\n|\Z)"
    rb"|[ \t]+[A-Za-z_][\w:]*(?:<[^;{}()\n]{0,400}>)?(?:\s*[*&]+\s*|\s+)[A-Za-z_~(]"
)
# What follows `EXPORT` at the margin, and `static ALWAYS_INLINE`.
_FUNCTION = re.compile(rb"[ \t]+[A-Za-z_][\w:]*(?:[ \t]*[*&]+[ \t]*|[ \t]+)[A-Za-z_]\w*[ \t]*\(")
_SPECIFIER = re.compile(rb"\b(?:static|inline|extern|constexpr|virtual|friend)[ \t]+\Z")
# What follows `LIB_TRY` before a block of statements.
_BLOCK = re.compile(rb"[ \t]*\{[ \t]*\r?(?:\n|\Z)")
# What follows `int size_ GUARDED_BY(mu_)` and `bool f() const LIFETIME_BOUND`.
_AFTER_ARGUMENTS = re.compile(rb"\s*(?:[;={,]|[A-Z][A-Z0-9]*_)")
_AFTER_BARE = re.compile(rb"\s*[,){;:]|[ \t]+override\b")
# `char* _Nonnull text`, `int *__restrict out`
_QUALIFIER = re.compile(
    rb"[*&>][ \t]*\b(\w*(?:[Nn]on_?[Nn]ull|[Nn]ullable|nullability_unknown)|__restrict(?:__)?)\b"
    rb"(?=[ \t\r\n]+[A-Za-z_*&])"
)
# `DEFINE_FLAG(int, retries, 3, "…");` at the margin: its arguments are no parameters.
_FILE_CALL = re.compile(
    rb"^(" + _ANNOTATION + rb"[ \t]*\((?>[^();]|\((?>[^();]|\([^();]*\))*\))*\)[ \t]*;)",
    re.MULTILINE,
)
# `int f(a, b) int a; char *b; {`, as it was written before 1989.
_OLD_PARAMETERS = re.compile(
    rb"^[A-Za-z_][\w \t*]*\([\w\s,]*\)\s*^((?:[ \t]*[A-Za-z_][\w \t*,\[\]]*;\s*)+)(?=\{)",
    re.MULTILINE,
)
_TYPE_WORDS = re.compile(
    rb"\b(?:auto|bool|break|case|char|class|const|constexpr|delete|do|double|else|enum|explicit"
    rb"|extern|float|goto|if|in|inline|int|long|namespace|new|operator|return|short|signed|sizeof"
    rb"|static|struct|switch|throw|typedef|typename|union|unsigned|using|void|volatile|while"
    rb"|\w+_t)[ \t]*\Z"
)
_AFTER_METHOD = re.compile(rb"\)\s*const\Z")
_CONTROL = re.compile(rb"(?:^|[;{}])[ \t]*(?:else[ \t]+)?(?:if|while|for|switch|return)\b[^;{}]*\Z")

_ROW: Final = 300  # bytes of a line that are looked at before a word
_DEPTH: Final = 12  # of conditions in conditions; the cost of each grows with what it holds

_BLANKS, _MARKS = (bytes(at if at in b"\r\n" else mark for at in range(256)) for mark in b' "')

_NAME = re.compile(rb"[A-Za-z_]\w+")
# Words of the languages and of directives, which are no names.
_WORDS: Final = frozenset(
    b"if ifdef ifndef elif elifdef elifndef else endif defined define undef include region"
    b" endregion auto break case char const continue default do double enum extern float for"
    b" goto inline int long register return short signed sizeof static struct switch typedef"
    b" union unsigned void volatile while bool class namespace template typename using public"
    b" private protected virtual new delete this throw true false nullptr NULL string var"
    b" internal sealed override".split()
)


@dataclass(frozen=True, slots=True)
class Hidden:
    """A text as the parser is to see it.

    Attributes:
        data: As long as the text, with blanks for what is hidden.
        lines: 1-based lines that hold nothing but a directive.
        opening: Those that begin a branch, and so belong to what follows.
        names: The names that were hidden, each with its line.
        calls: Those of macros whose arguments the parser sees as code of the file.
    """

    data: bytes
    lines: frozenset[int] = frozenset()
    opening: frozenset[int] = frozenset()
    names: tuple[tuple[int, str], ...] = ()
    calls: tuple[tuple[int, str], ...] = ()


def hide(data: bytes, dialect: Dialect) -> Hidden:
    """Hides directives, the branches that can't stand beside another, and annotations.

    Args:
        data: A file's text in UTF-8.
        dialect: One of C, C++ or C#; others hide nothing here.
    """
    if dialect not in _DIALECTS:
        return Hidden(data)
    hider = _Hider(data, dialect)
    hider.branches()
    if dialect != "csharp":
        hider.annotations(cpp=dialect == "cpp")
    return hider.hidden()


@dataclass(slots=True)
class _Branch:
    start: int  # after its directive
    end: int
    words: bytes
    directive: tuple[int, int]


class _Hider:
    def __init__(self, data: bytes, dialect: Dialect) -> None:
        self._data = data
        # What has meaning: literals and comments blanked, and in the end what the parser gets.
        literals = _LITERALS["csharp" if dialect == "csharp" else "c"]
        self._bare = bytearray(literals.sub(_blank_literal, data))
        self._spans: list[tuple[int, int]] = []
        self._directives: list[tuple[int, bool]] = []  # where each starts; whether it opens

    def hidden(self) -> Hidden:
        """The result, once everything has been looked at."""
        if not self._spans:
            return Hidden(self._data)
        seen = bytearray(self._data)
        starts = [match.end() for match in re.finditer(rb"\n", self._data)]
        names: set[tuple[int, str]] = set()
        for start, end in self._spans:
            for match in _NAME.finditer(_LITERALS["c"].sub(_blank_literal, self._data[start:end])):
                if match[0] not in _WORDS and match[0].isascii():
                    line = bisect_left(starts, start + match.start() + 1) + 1
                    names.add((line, match[0].decode()))
            seen[start:end] = blank(self._data[start:end])
        rows = [(bisect_left(starts, at + 1) + 1, opens) for at, opens in self._directives]
        return Hidden(
            bytes(seen),
            frozenset(row for row, _ in rows),
            frozenset(row for row, opens in rows if opens),
            tuple(sorted(names)),
        )

    # --- conditions --------------------------------------------------------------------------

    def branches(self) -> None:
        """Hides conditional directives, and of branches that exclude each other all but one."""
        open_groups: list[list[_Branch]] = []
        for match in _DIRECTIVE.finditer(self._bare):
            word = match[1]
            start, end = match.span()
            self._directives.append((start, word not in {b"endif", b"region", b"endregion"}))
            if word in {b"region", b"endregion"}:
                self._hide(start, end)
                continue
            if word in {b"if", b"ifdef", b"ifndef"}:
                open_groups.append([_Branch(end, end, match[2].strip(), (start, end))])
                continue
            if not open_groups:
                self._hide(start, end)
                continue
            group = open_groups[-1]
            group[-1].end = start
            if word == b"endif":
                self._close(open_groups.pop(), len(open_groups))
                self._hide(start, end)
            else:
                group.append(_Branch(end, end, match[2].strip(), (start, end)))
        for group in open_groups:
            for branch in group:
                self._hide(*branch.directive)

    def _close(self, group: list[_Branch], depth: int) -> None:
        """Hides a whole group's directives, and the branches that only one of can be read."""
        for branch in group:
            self._hide(*branch.directive)
        if (
            len(group) > 1
            and depth < _DEPTH
            and not all(self._stands_alone(branch) for branch in group)
        ):
            kept = 1 if group[0].words == b"0" else 0
            for index, branch in enumerate(group):
                if index != kept:
                    self._hide(branch.start, branch.end)

    def _stands_alone(self, branch: _Branch) -> bool:
        """Whether a branch is whole statements, members or entries of a list."""
        text = bytes(self._bare[branch.start : branch.end])
        last = text.rstrip()[-1:]
        if not last:
            return True
        if last not in b";},:" or not _balanced(text):
            return False
        return self._before(branch.directive[0]) in (b"", b";", b"{", b"}", b",", b":")

    # --- annotations -------------------------------------------------------------------------

    def annotations(self, *, cpp: bool) -> None:
        """Hides words in capitals that stand where the grammar expects no name."""
        for match in _OTHER_DIRECTIVE.finditer(bytes(self._bare)):
            start, end = match.span()
            self._bare[start:end] = blank(match[0])  # a macro's text is no code of this file
        for pattern in (
            *(_FILE_CALL, _BEFORE_NAME, _QUALIFIER),
            _BEFORE_FORWARD if cpp else _OLD_PARAMETERS,
        ):
            for match in pattern.finditer(bytes(self._bare)):
                self._hide(*match.span(1))
        text = bytes(self._bare)
        for match in _CAPITALS.finditer(text):
            if self._annotates(text, match):
                self._hide(*match.span())

    def _annotates(self, text: bytes, match: re.Match[bytes]) -> bool:
        """Whether a word in capitals is no part of the declaration that it stands at."""
        start, end = match.span()
        row = text[max(0, start - _ROW) : start]
        row = row[row.rfind(b"\n") + 1 :]
        word = match[0].partition(b"(")[0]
        if not row and _FUNCTION.match(text, end):
            return True
        if word == match[0] and not row.strip() and _BLOCK.match(text, end):
            return self._before(start) in (b";", b"{", b"}", b")")
        if b"_" not in word or (row and not row[-1:].isspace()):
            return False
        if not row.strip() and _DECLARATION.match(text, end) and self._begins(text, start, end):
            return True
        if _SPECIFIER.search(row):
            return _FUNCTION.match(text, end) is not None
        follows = _AFTER_BARE if word == match[0] else _AFTER_ARGUMENTS
        return follows.match(text, end) is not None and self._trails(text, start, row)

    def _trails(self, text: bytes, start: int, row: bytes) -> bool:
        """Whether what stands before an annotation can end a declaration."""
        before = self._before(start)
        if not (before.isalnum() or before in (b"_", b")", b">", b"]")):
            return False
        head = text[max(0, start - 80) : start].rstrip()
        named = _AFTER_METHOD.search(head) or not _TYPE_WORDS.search(head)
        return bool(named) and not _CONTROL.search(row)

    def _begins(self, text: bytes, start: int, end: int) -> bool:
        """Whether a word at a line's start begins a declaration and isn't part of one."""
        before = self._before(start)
        if before not in (b"", b";", b"{", b"}", b":", b">"):
            return False
        match = _NOT_BLANK.search(text, end)
        after = match[0] if match else b""
        if before == b"{" and after == b"}":
            return False  # the one entry of an enumeration
        return after == b"" or after.isalpha() or after in (b"_", b"~", b"}", b"[", b":", b"#")

    # --- both --------------------------------------------------------------------------------

    def _before(self, at: int) -> bytes:
        """The last character with a meaning before an offset."""
        end = at
        while end > 0:
            head = bytes(self._bare[max(0, end - 400) : end]).rstrip()
            if head:
                return head[-1:]
            end = max(0, end - 400)
        return b""

    def _hide(self, start: int, end: int) -> None:
        self._bare[start:end] = blank(bytes(self._bare[start:end]))
        self._spans.append((start, end))


def blank(text: bytes) -> bytes:
    """As many blanks; line ends stay."""
    return text.translate(_BLANKS)


def _blank_literal(match: re.Match[bytes]) -> bytes:
    """A comment as blanks; a string as marks that are neither blank nor bracket."""
    text = match[0]
    return text.translate(_BLANKS if text.startswith(b"/") else _MARKS)


def _balanced(text: bytes) -> bool:
    """Whether every bracket that is opened is closed, and no other."""
    open_ones: list[bytes] = []
    for match in _BRACKETS.finditer(text):
        bracket = match[0]
        if bracket not in _OPENERS:
            open_ones.append(bracket)
        elif not open_ones or open_ones.pop() != _OPENERS[bracket]:
            return False
    return not open_ones
