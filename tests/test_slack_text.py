"""Nothing that a repository or a model writes pings anybody or poses as a link (C18)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.surfaces.slack import message
from clew.surfaces.slack.incoming import asked, is_question
from clew.surfaces.slack.manifest import manifest, scopes
from clew.surfaces.slack.markdown import pieces
from clew.surfaces.slack.plain import escaped, harmless, question_of
from clew.surfaces.slack.tables import WIDTH, table_lines
from clew.types import Answer, Citation, Usage
from support.asking import saying
from support.slack import payloads, rules
from support.slack.running import CHANNEL, a_scene, a_shop, play
from support.slack.workspace import ME, Posted

if TYPE_CHECKING:
    from pathlib import Path

PINGS = ("<!channel>", "<!here|here>", "<!everyone>", "<@U0BOB>", "<!subteam^S012>", "@channel")
PLACES = (
    "In a sentence: {}.",
    "# A title with {}",
    "- a list with {}\n  - and {} below",
    "> a quote of {}",
    "`code {}`",
    "```\ncode {}\n```",
    "    indented {}",
    "| a | b |\n|---|---|\n| {} | x |",
    "[{}](https://evil.example)",
    "![{}](https://evil.example/x.png)",
    "**{}** and *{}*",
    "an unclosed `{} and\n\n```\n{}",
)
URL = "https://git.example/shop/blob/0123/shop/refunds.py#L6-L11"


def an_answer(text: str, *citations: Citation) -> Answer:
    return Answer("1a", "why?", "answered", text, citations, (), {}, (), Usage(), {}, "extract")


def sent(text: str, *citations: Citation) -> list[dict[str, Any]]:
    return [
        {"text": m.text, "blocks": list(m.blocks)}
        for m in message.of_answer(an_answer(text, *citations))
    ]


# --- mentions --------------------------------------------------------------------------------


@pytest.mark.parametrize("ping", PINGS)
@pytest.mark.parametrize("place", PLACES)
def test_a_mention_pings_nobody_wherever_it_stands(place: str, ping: str) -> None:
    for args in sent(place.replace("{}", ping)):
        assert rules.pings(args) == []
        assert rules.pings({**args, "link_names": True}) == []
        assert rules.pings({**args, "blocks": []}) == [], "as plain text"
        assert rules.refuse_text(args["text"], args["blocks"]) == ""
        assert ping not in str(args)


@given(st.text(alphabet="<>!@#|^`*_~[]()&;\n channelhereU0S-:/.\\", max_size=200))
def test_no_text_at_all_pings_anybody(text: str) -> None:
    for args in sent(text):
        assert rules.pings({**args, "link_names": True}) == []
        assert rules.pings({**args, "blocks": []}) == []
        assert rules.refuse_text(args["text"], args["blocks"]) == ""


def test_what_is_no_mention_is_left_as_it_is() -> None:
    for text in ("<!DOCTYPE html>", "<!-- a note -->", "#include <stdio.h>", "a@example.org"):
        assert harmless(text) == text


def test_characters_that_steer_a_screen_are_replaced() -> None:
    assert harmless("a\x1b[31mb\u202ec\r\nd") == "a\ufffd[31mb\ufffdc\nd"


def test_plain_text_is_escaped_for_slack() -> None:
    assert escaped("a < b && c > d <!here>") == "a &lt; b &amp;&amp; c &gt; d &lt;\u2060!here&gt;"


def test_a_repository_file_that_mentions_everybody_pings_nobody(tmp_path: Path) -> None:
    text = "The README says `<!channel>` and <!here>, and `<@U0BOB>` too.\n"

    async def scene() -> None:
        with a_shop(tmp_path, saying(text)) as clew:
            async with a_scene(clew) as on:
                await on.marked(await on.ask("what does the README say about <!channel>?"))
                assert on.slack.pings == []

    play(scene)


# --- links -----------------------------------------------------------------------------------


def test_only_a_checked_citation_is_a_link() -> None:
    cited = Citation("shop", "0123", "shop/refunds.py", 6, 11, "verified", "", URL)
    text = (
        "See `shop/refunds.py:6-11` and `shop/other.py:1`, "
        "[shop/refunds.py](https://evil.example/a) or <https://evil.example/b>, <https://evil.example|here>.\n"
    )
    (args,) = sent(text, cited)
    assert rules.links(args) == [URL]
    words = rules.words(args["blocks"])
    assert "shop/refunds.py (https://evil.example/a)" in words, "it says where it would lead"
    assert rules.links({**args, "blocks": []}) == []
    assert f"`shop/refunds.py:6-11` ({URL})" in args["text"]


def test_a_paragraph_of_many_links_fits() -> None:
    cited = [
        Citation("shop", "0", f"shop/{n}.py", 1, 1, "verified", "", f"{URL}?{n}")
        for n in range(200)
    ]
    found = sent(" and ".join(f"`shop/{n}.py:1`" for n in range(200)), *cited)
    assert [url for args in found for url in rules.links(args)] == [c.url for c in cited]
    for args in found:
        assert rules.refuse_text(args["text"], args["blocks"]) == ""
        assert rules.refuse_text(args["text"], []) == ""


def test_a_citation_that_opens_a_file_of_this_machine_is_no_link() -> None:
    local = Citation("shop", "0", "a.py", 1, 1, "verified", "", "file:///srv/shop/a.py#L1")
    (args,) = sent("See `a.py:1`.", local)
    assert rules.links(args) == []
    assert "/srv/shop" not in str(args)


def test_a_citation_in_one_of_several_sources_is_a_link_too() -> None:
    cited = Citation("shop", "0123", "a.py", 1, 2, "verified", "", URL)
    (args,) = sent("See `shop:a.py:1-2`.", cited)
    assert rules.links(args) == [URL]


# --- Markdown --------------------------------------------------------------------------------


def test_markdown_becomes_rich_text() -> None:
    kinds = [
        p.element["type"] for p in pieces("# A\n\ntext\n\n1. one\n\n> two\n\n```\nx\n```\n", {})
    ]
    assert kinds == [
        "rich_text_section",
        "rich_text_section",
        "rich_text_list",
        "rich_text_quote",
        "rich_text_preformatted",
    ]


def test_a_numbered_list_goes_on_counting_after_code() -> None:
    found = pieces("3. three\n\n   ```\n   x\n   ```\n\n   more\n4. four\n", {})
    lists = [p.element for p in found if p.element["type"] == "rich_text_list"]
    assert [one["offset"] for one in lists] == [2, 3]
    assert [p.plain for p in found] == ["3. three\n", "```\nx\n```\n", "more\n", "4. four\n"]


def test_a_narrow_table_keeps_its_columns_and_a_wide_one_becomes_rows() -> None:
    assert table_lines([["a", "name"], ["12", "b"]]) == ["a  | name", "---+-----", "12 | b"]
    assert table_lines([["a", "b"], ["1", "x" * WIDTH]]) == ["a: 1", f"b: {'x' * WIDTH}"]
    assert table_lines([["a" * WIDTH, "b"]]) == [f"{'a' * WIDTH}, b"]
    assert table_lines([]) == []


# --- what is asked ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (f"<@{ME}> where is it?", "where is it?"),
        (f"<@{ME}>, where is it?", "where is it?"),
        (f"hey <@{ME}> where is it?", "hey where is it?"),
        ("is <@U0BOB|bob> in <#C1|general>?", "is @bob in #general?"),
        ("see <https://a.example/x|the page>", "see the page (https://a.example/x)"),
        ("see <https://a.example/x>", "see https://a.example/x"),
        ("<!subteam^S1|@backend> a &lt; b &amp;&amp; c", "@backend a < b && c"),
        ("<mailto:a@example.org|a@example.org>", "a@example.org"),
    ],
)
def test_a_question_is_read_without_slacks_markup(text: str, plain: str) -> None:
    assert question_of(text, ME) == plain


@pytest.mark.parametrize(
    "text",
    [
        "Where are refunds retried?",
        "hi all, how do we retry refunds",
        "The build fails. Why does it need a key?",
        "does anyone know where refunds are",
        "refunds are retried (are they?) somewhere",
    ],
)
def test_what_asks_is_a_question(text: str) -> None:
    assert is_question(text)


@pytest.mark.parametrize(
    "text",
    [
        "Refunds are retried.",
        "why?",
        "deployed `x = a ? b : c` to production",
        "```\nwhere is it?\n```\nthis fails now",
        "https://a.example/?q=1 is the page",
        "",
    ],
)
def test_what_only_looks_like_asking_is_none(text: str) -> None:
    assert not is_question(text)


@pytest.mark.parametrize(
    "change",
    [
        {"channel": "../etc"},
        {"channel": None},
        {"ts": "now"},
        {"user": "U0ADA/../x"},
        {"thread_ts": "1"},
        {"user": None},
    ],
)
def test_an_event_with_odd_ids_is_no_question(change: dict[str, Any]) -> None:
    body = payloads.mention(Posted(CHANNEL, "1.000001", "U0ADA", f"<@{ME}> why?"))
    assert asked(body, ME)
    body["event"].update(change)
    assert asked(body, ME) is None


# --- manifest --------------------------------------------------------------------------------


def test_the_manifest_asks_for_what_is_used_and_fits_both_ways() -> None:
    assert "socket_mode_enabled: true" in manifest()
    url = "https://clew.example.com/slack/events"
    over_http = manifest(url)
    assert over_http.count(f"request_url: {url}") == 2
    assert "socket_mode_enabled: false" in over_http
    assert {"chat:write", "reactions:write", "app_mentions:read"} <= scopes()
