"""The events of one question: their order, and that nothing unchecked is among them (C1)."""

from __future__ import annotations

import asyncio
import threading
from contextlib import aclosing

import pytest

from clew.answerers.base import Conclude, Found, Say
from clew.types import (
    Caveat,
    CitationEvent,
    DoneEvent,
    Evidence,
    StatusEvent,
    TextEvent,
    ToolCallEvent,
)
from support.asking import REFUNDS, SHOP, Scripted, a_question, answer_of, events_of, said, saying


@pytest.fixture
def shop(git_repo):
    return git_repo(SHOP, name="shop")


def run(clew, text, *repos):
    return asyncio.run(events_of(clew, text, *repos))


def test_the_last_event_is_done_once_and_its_text_is_what_was_streamed(shop, make_clew):
    events = run(make_clew(), "where are refunds retried?", shop.path)
    done = [at for at, event in enumerate(events) if isinstance(event, DoneEvent)]
    assert done == [len(events) - 1]
    answer = answer_of(events)
    assert said(events) == answer.text
    cited = [event.citation for event in events if isinstance(event, CitationEvent)]
    assert tuple(cited) == answer.citations
    assert cited


def test_a_citation_comes_right_after_the_text_that_holds_it(shop, make_clew):
    events = run(make_clew(), "where are refunds retried?", shop.path)
    read = ""
    for event in events:
        if isinstance(event, TextEvent):
            read += event.text
        if isinstance(event, CitationEvent):
            assert f"{event.citation.path}:{event.citation.start_line}" in read


def test_progress_comes_first_then_tools_then_text(shop, make_clew):
    events = run(make_clew(), "where are refunds retried?", shop.path)
    kinds = [type(event) for event in events]
    assert kinds[0] is StatusEvent
    assert kinds.index(StatusEvent) < kinds.index(ToolCallEvent) < kinds.index(TextEvent)
    assert answer_of(events).usage.tool_calls == kinds.count(ToolCallEvent)


def test_text_reaches_the_reader_before_the_answerer_is_done(shop, make_clew):
    read = threading.Event()

    def script(_):
        yield Say("The first sentence stands alone.\n\n")
        yield Say("The second one follows.\n\n")
        assert read.is_set()
        yield Conclude("answered")

    async def main():
        clew = make_clew(answerer=Scripted(script))
        async with aclosing(clew.ask(a_question("where?", shop.path))) as events:
            async for event in events:
                if isinstance(event, TextEvent) and "first" in event.text:
                    read.set()

    asyncio.run(main())
    assert read.is_set()


def test_the_closing_names_the_commit_and_every_caveat(shop, make_clew):
    caveat = Caveat("cut", "Only the first ten are listed.")
    steps = [Say("Here.\n"), Conclude("answered", (caveat,))]
    answer = answer_of(run(make_clew(answerer=Scripted(lambda _: steps)), "where?", shop.path))
    head = shop.git("rev-parse", "HEAD")
    assert caveat in answer.warnings
    assert caveat.message in answer.text
    assert f"`shop` at `{head[:10]}`" in answer.text
    assert answer.revisions == {"shop": head}


def test_evidence_is_kept_once_in_the_order_it_was_found(shop, make_clew):
    def found(line):
        span = ("shop", "r", "shop/refunds.py", line, line)
        return Evidence(*span, found_by="grep", digest="0" * 16)

    steps = [Found((found(2), found(1))), Found((found(2), found(3))), Conclude("answered")]
    answer = answer_of(run(make_clew(answerer=Scripted(lambda _: steps)), "where?", shop.path))
    assert [evidence.start_line for evidence in answer.evidence] == [2, 1, 3]


# --- C1: what a careless answerer says -------------------------------------------------------

INVENTED = {
    "a numbered source": "It is retried by the worker [7].",
    "a line past the end": "See `shop/refunds.py:900`.",
    "a range past the end": "See shop/refunds.py:800-900 for it.",
    "a file that never was": "It is in `utils/validation.py`.",
    "a bare file": "Look into utils/validation.py for the rest.",
    "a dotted path": "See ./utils/validation.py:3.",
    "an L range": "See utils/validation.py:L10-L20.",
    "an anchor": "See utils/validation.py#L10.",
    "a windows path": "See utils\\validation.py:3.",
    "a path with spaces": "See `my utils/the validation.py:3`.",
    "a file without an extension": "See `deploy/Dockerfile:3`.",
    "another language": "See `lib/validation.rs:12`.",
    "a link": "See [the code](utils/validation.py#L3).",
    "a symbol": "`validate_everything()` does it.",
    "a symbol at real lines": "`validate_everything` is at `shop/refunds.py:6-11`.",
    "a quotation": 'It says "refunds are never retried by anyone" at `shop/refunds.py:6-11`.',
    "in a list": "- first\n- see `utils/validation.py:3`",
    "in a table": "| what | where |\n| --- | --- |\n| it | `utils/validation.py:3` |",
    "in a code block": "```python\n# utils/validation.py:3\nrun()\n```",
    "in a heading": "## How utils/validation.py does it",
    "in a quotation block": "> see utils/validation.py:3",
    "bold": "**utils/validation.py:3** does it.",
}


@pytest.mark.parametrize("kind", INVENTED)
def test_nothing_invented_reaches_a_reader_without_a_mark(shop, make_clew, kind):
    steps = [*(Say(letter) for letter in INVENTED[kind] + "\n\n"), Conclude("answered")]
    events = run(make_clew(answerer=Scripted(lambda _: steps)), "where are refunds?", shop.path)
    answer = answer_of(events)
    assert answer.outcome == "partial"
    assert answer.warnings
    assert "[unverified: " in answer.text.split("## Caveats")[0]
    assert all(citation.verdict != "verified" for citation in answer.citations)


@pytest.mark.parametrize("kind", INVENTED)
def test_strict_leaves_out_what_is_invented_and_says_so(shop, make_clew, kind):
    steps = [Say("It is so.\n\n" + INVENTED[kind] + "\n\n"), Conclude("answered")]
    clew = make_clew(answerer=Scripted(lambda _: steps), answer={"strict": True})
    answer = answer_of(run(clew, "where are refunds?", shop.path))
    assert answer.outcome == "partial"
    body = answer.text.split("## Caveats")[0]
    for word in ("validat", "900", "[7]", "never retried", "Dockerfile"):
        assert word not in body
    assert "It is so." in body


NOT_PATHS = (
    "See https://example.org/utils/validation.py for it.",
    "It needs version 1.2.3 or 4.5.",
    "It uses `os.path` and numpy.random.",
    "At about 10:30 and/or later, e.g. with TCP/IP.",
)


@pytest.mark.parametrize("text", NOT_PATHS)
def test_what_only_looks_like_a_path_is_left_alone(shop, make_clew, text):
    answer = answer_of(run(make_clew(answerer=saying(text + "\n")), "where?", shop.path))
    assert not any(warning.type == "missing_path" for warning in answer.warnings)


def test_a_wrong_line_is_repaired_where_the_named_symbol_tells(shop, make_clew):
    text = "`retry_refund` is defined at `shop/refunds.py:1`.\n"
    events = run(make_clew(answerer=saying(text)), "where are refunds?", shop.path)
    answer = answer_of(events)
    (citation,) = answer.citations
    assert citation.verdict == "repaired"
    lines = REFUNDS.split("\n")
    assert lines[citation.start_line - 1].startswith("def retry_refund")
    assert f"shop/refunds.py:{citation.start_line}" in answer.text
    assert answer.outcome == "answered"
