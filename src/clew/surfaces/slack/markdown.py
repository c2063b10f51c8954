"""An answer's Markdown as Slack's rich text: elements that can hold no markup of their own.

Slack's other texts are parsed for mentions and links; a `text` element of rich text is not, so
nothing that a repository or a model wrote can become one. The only links made here are those of
checked citations. It sends nothing and knows no limits of messages; `message` packs what it gives.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from clew.surfaces.slack.plain import JOINER, harmless, room, size
from clew.surfaces.slack.tables import table_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from markdown_it.token import Token

Json: TypeAlias = dict[str, Any]
MAX_TEXT = 2_800  # characters of one element, escaped; Slack refuses texts of more than 3,000
MAX_ELEMENTS = 6_000  # characters of one element's JSON: many short texts are mostly that
QUOTED = 5  # characters that each line of a quote has more as plain text: "&gt; " and its end
_MAX_INDENT = 8
_STYLES = {"strong": "bold", "em": "italic", "s": "strike"}


@dataclass(frozen=True, slots=True)
class Piece:
    """One element of rich text (`rich_text_section`, `…_list`, `…_preformatted`, `…_quote`).

    Attributes:
        starts: A new part of the answer begins here, such as at a heading.
        plain: The same in plain text, for where Slack takes no blocks; ends in a line end.
    """

    element: Json
    plain: str
    starts: bool = False


def pieces(markdown: str, links: Mapping[str, str]) -> list[Piece]:
    """The Markdown as elements, in order, none longer than Slack takes.

    Args:
        markdown: The text of an answer.
        links: The address behind each citation, by how the text spells it.
    """
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    return list(_Reader(parser.parse(harmless(markdown)), links).read())


@dataclass(slots=True)
class _List:
    """A list that is being read: the number of its current item, and whether that was given out."""

    ordered: bool
    number: int = 0
    given: bool = False


@dataclass(slots=True)
class _Reader:
    tokens: Sequence[Token]
    links: Mapping[str, str]
    at: int = 0
    lists: list[_List] = field(default_factory=list[_List])
    quoted: int = 0

    def read(self) -> Iterator[Piece]:
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            self.at += 1
            yield from self._block(token)

    def _block(self, token: Token) -> Iterator[Piece]:
        match token.type:
            case "heading_open":
                elements = [_bold(one) for one in self._inline()]
                yield from _sections(elements, starts=not self.lists and not self.quoted)
            case "inline":
                yield from self._paragraph(_inline(token.children or [], self.links))
            case "fence" | "code_block":
                yield from preformatted(token.content)
            case "bullet_list_open" | "ordered_list_open":
                start = int(token.attrs.get("start", 1))
                ordered = token.type == "ordered_list_open"
                self.lists.append(_List(ordered, start - 1 if ordered else 0))
            case "bullet_list_close" | "ordered_list_close":
                self.lists.pop()
            case "list_item_open":
                self.lists[-1].number += 1
                self.lists[-1].given = False
            case "blockquote_open" | "blockquote_close":
                self.quoted += 1 if token.type == "blockquote_open" else -1
            case "table_open":
                yield from self._table()
            case _:
                pass  # the ends of what is read above, and rules between parts

    def _inline(self) -> list[Json]:
        """The inline content of the block that has just been opened."""
        token = self.tokens[self.at]
        self.at += 1
        return _inline(token.children or [], self.links)

    def _paragraph(self, elements: list[Json]) -> Iterator[Piece]:
        if self.lists:
            yield from self._item(elements)
        elif self.quoted:
            for part in _parted(elements, QUOTED):
                yield Piece({"type": "rich_text_quote", "elements": part}, _quoted(part))
        else:
            yield from _sections(elements)

    def _item(self, elements: list[Json]) -> Iterator[Piece]:
        """A paragraph of a list's item; those after its first stand below it."""
        inside = self.lists[-1]
        indent = min(len(self.lists) - 1, _MAX_INDENT)
        for part in _parted(elements):
            if inside.given:
                yield from _sections(part)
                continue
            element: Json = {
                "type": "rich_text_list",
                "style": "ordered" if inside.ordered else "bullet",
                "indent": indent,
                "elements": [{"type": "rich_text_section", "elements": part}],
            }
            if inside.ordered:
                element["offset"] = inside.number - 1
            inside.given = True
            mark = f"{inside.number}." if inside.ordered else "•"
            yield Piece(element, f"{'    ' * indent}{mark} {plain_of(part)}\n")

    def _table(self) -> Iterator[Piece]:
        rows: list[list[str]] = []
        while (token := self.tokens[self.at]).type != "table_close":
            self.at += 1
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "inline":
                rows[-1].append(plain_of(_inline(token.children or [], self.links)))
        yield from preformatted("\n".join(table_lines(rows)))


def preformatted(text: str) -> Iterator[Piece]:
    """Code or a drawing, cut between lines where it is too long."""
    for part in cut(text.rstrip("\n"), MAX_TEXT):
        if part.strip():
            content = [{"type": "text", "text": part}]
            element = {"type": "rich_text_preformatted", "elements": content}
            yield Piece(element, f"```\n{part}\n```\n")


def section(text: str, **style: bool) -> Piece:
    """A paragraph of our own words."""
    (made,) = _sections([_text(text, frozenset(style))])
    return made


def cut(text: str, limit: int, line: int = 0) -> Iterator[str]:
    """Parts of at most `limit` characters, escaped; cut inside a line only when it must be."""
    while (fits := room(text, limit, line)) < len(text):
        end = text.rfind("\n", 0, fits + 1)
        if end <= 0:
            yield text[:fits]
            text = text[fits:]
        else:
            yield text[:end]
            text = text[end + 1 :]
    yield text


# --- inline ----------------------------------------------------------------------------------


def _inline(tokens: Sequence[Token], links: Mapping[str, str]) -> list[Json]:
    """Inline tokens as `text` and `link` elements."""
    found: list[Json] = []
    styles: list[str] = []
    targets: list[str] = []
    said = len(found)
    for token in tokens:
        kind, _, edge = token.type.rpartition("_")
        if kind in _STYLES:
            styles.append(_STYLES[kind]) if edge == "open" else styles.remove(_STYLES[kind])
        elif token.type == "link_open":
            targets.append(str(token.attrs.get("href", "")))
            said = len(found)
        elif token.type == "link_close":
            label = plain_of(found[said:])
            # A link of theirs is shown and not made: what it says and where it leads may differ.
            found += _target(targets.pop(), label, styles)
        elif token.type == "image":
            found += _target(str(token.attrs.get("src", "")), "", styles, before=token.content)
        elif token.type == "code_inline":
            found.append(_code(token.content, links, styles))
        elif token.type in ("softbreak", "hardbreak"):
            found.append(_text("\n", frozenset()))
        elif token.content:
            found.append(_text(token.content, frozenset(styles)))
    return _joined(found)


def _joined(elements: Sequence[Json]) -> list[Json]:
    """The elements, with texts of one style that follow each other made one."""
    found: list[Json] = []
    for element in elements:
        last = found[-1] if found else {}
        if element["type"] == "text" and {**last, "text": ""} == {**element, "text": ""}:
            found[-1] = {**last, "text": last["text"] + element["text"]}
        else:
            found.append(element)
    return found


def _target(url: str, label: str, styles: Sequence[str], before: str = "") -> list[Json]:
    if not url or url == label:
        return [_text(before, frozenset(styles))] if before else []
    return [_text(f"{before} ({url})" if before or label else url, frozenset(styles))]


def _code(text: str, links: Mapping[str, str], styles: Sequence[str]) -> Json:
    url = links.get(text.replace(JOINER, ""), "")
    if url.startswith(("https://", "http://")):  # Slack opens no files of the machine Clew is on
        return {"type": "link", "url": url, "text": text, "style": {"code": True}}
    return _text(text, frozenset((*styles, "code")))


def _text(text: str, styles: frozenset[str]) -> Json:
    element: Json = {"type": "text", "text": text}
    if styles:
        element["style"] = dict.fromkeys(sorted(styles), True)
    return element


def _bold(element: Json) -> Json:
    return {**element, "style": {**element.get("style", {}), "bold": True}}


def plain_of(elements: Sequence[Json]) -> str:
    """The elements as plain text; code and citations in backticks, a citation with its address."""
    return "".join(map(_plain, elements))


def _plain(element: Json) -> str:
    text = str(element.get("text", ""))
    if element.get("style", {}).get("code"):
        text = f"`{text}`"
    return f"{text} ({element['url']})" if element["type"] == "link" else text


def _quoted(elements: Sequence[Json]) -> str:
    return "".join(f"> {line}\n" for line in plain_of(elements).split("\n"))


def _sections(elements: list[Json], *, starts: bool = False) -> Iterator[Piece]:
    for part in _parted(elements):
        element = {"type": "rich_text_section", "elements": part}
        yield Piece(element, plain_of(part) + "\n", starts)
        starts = False


def _parted(elements: Sequence[Json], line: int = 0) -> Iterator[list[Json]]:
    """Inline elements in groups of at most `MAX_TEXT` characters, as plain text that is escaped.

    Each line end counts `line` characters more.
    """
    group: list[Json] = []
    used = as_json = 0
    for element in elements:
        whole = element["type"] == "link"
        for text in [element["text"]] if whole else cut(element["text"], MAX_TEXT, line):
            part = {**element, "text": text}
            weight, written = size(_plain(part), line), len(json.dumps(part))
            full = used + weight > MAX_TEXT or as_json + written > MAX_ELEMENTS
            if group and full:
                yield group
                group, used, as_json = [], 0, 0
            if text:
                group.append(part)
                used, as_json = used + weight, as_json + written
    if group:
        yield group
