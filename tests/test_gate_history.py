"""What the gate makes of a tool's words that stand in no file: a commit's SHA, name and message."""

from __future__ import annotations

from clew.types import TextEvent
from clew.verify.gate import Gate
from support.fakecorpus import DictCorpus

TOLD = "95519709f0 2026-01-02 Ana Lee: Give `old_name` back\n    It was in `old/till.py` before."


def passed(text: str, *told: str) -> tuple[str, list[str]]:
    gate = Gate([DictCorpus("shop", {"shop/refunds.py": "def retry():\n    pass\n"})])
    gate.show(told)
    events = [*gate.feed(text), *gate.finish()]
    said = "".join(event.text for event in events if isinstance(event, TextEvent))
    return said, [w.type for w in gate.warnings if w.type != "uncited"]


def test_what_a_commit_says_may_be_repeated_in_words_and_in_a_block() -> None:
    for text in (
        "It was changed in `95519709f0` and in `9551970`.\n",
        "The commit \u201cGive `old_name` back\u201d moved it out of `old/till.py`.\n",
        "```text\n95519709f0 2026-01-02 Ana Lee: Give `old_name` back\n```\n",
    ):
        assert passed(text, TOLD) == (text, [])


def test_what_no_tool_has_said_is_still_marked() -> None:
    said, warnings = passed("It was changed in `aaaaaaa0` by `other_name`.\n", TOLD)
    assert said.count("[unverified") == 2
    assert warnings == ["missing_symbol", "missing_symbol"]
    assert "missing_path" in passed("See `old/till.py`.\n")[1]


def test_a_citation_is_checked_whatever_a_commit_says() -> None:
    said, warnings = passed("`old_name` is at `shop/refunds.py:1-2`.\n", TOLD)
    assert "unsupported" in warnings
    assert "[unverified" in said
