"""The gate lets an answer's text through a sentence at a time, checked and without secrets."""

from __future__ import annotations

import string
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.redact import SecretSpan
from clew.types import CitationEvent, TextEvent
from clew.verify.gate import Gate
from clew.verify.sentences import AHEAD, LIMIT, Splitter, split_sentences
from support.fakecorpus import DictCorpus
from support.gated import check_text

FILES = {
    "billing/worker.py": "def retry():\n    pass\n\n\ndef backoff():\n    pass\n",
    "Makefile": "all:\n\techo\n",
}
CORPUS = DictCorpus("billing", FILES)


def cut(text: str, places: list[int]) -> list[str]:
    marks = sorted({p % (len(text) + 1) for p in places})
    return [text[a:b] for a, b in zip([0, *marks], [*marks, len(text)], strict=True)]


def through(pieces, secrets=lambda text: (), **options):
    gate = Gate([CORPUS], secrets=secrets, **options)
    events = [event for piece in pieces for event in gate.feed(piece)]
    return [*events, *gate.finish()], gate


def shown(events):
    return "".join(event.text for event in events if isinstance(event, TextEvent))


def units(text):
    splitter = Splitter(lambda _text, at: at)
    return [*splitter.push(text), *splitter.close()]


# --- splitting ---


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One.", " Two!", " Three?", " Four"]),
        ("See e.g. foo and i.e. Bar, cf. Baz.", ["See e.g. foo and i.e. Bar, cf. Baz."]),
        ("It is v1.2. Next.", ["It is v1.2.", " Next."]),
        ("It is in a.py:10-20. Next.", ["It is in a.py:10-20.", " Next."]),
        ("It calls `a. B()` here. Next.", ["It calls `a. B()` here.", " Next."]),
        (
            "Is it `patch?` (it is) or `go!` then? Yes.",
            ["Is it `patch?` (it is) or `go!` then?", " Yes."],
        ),
        ("It asks `patch?` Next.", ["It asks `patch?`", " Next."]),
        ('He said "No. Never." Next.', ['He said "No. Never."', " Next."]),
        ("It retries. `a.py:3-9` Then it stops.", ["It retries. `a.py:3-9`", " Then it stops."]),
        (
            "It retries. (`a.py:3`, `b.py:4`). Then.",
            ["It retries. (`a.py:3`, `b.py:4`).", " Then."],
        ),
        ("It retries.\n`a.py:3-9`\n", ["It retries.\n`a.py:3-9`\n"]),
        ("It retries. `a.py:3-9` holds it.", ["It retries.", " `a.py:3-9` holds it."]),
        ("One\ntwo. Three\nfour.", ["One\ntwo.", " Three\nfour."]),
        ("一つ。二つ。", ["一つ。", "二つ。"]),
        ("Wait... what? Yes.", ["Wait... what?", " Yes."]),
        ("By A. Author. Next.", ["By A. Author.", " Next."]),
        ("(It is so.) Next.", ["(It is so.)", " Next."]),
        ("**Bold.** Next.", ["**Bold.**", " Next."]),
    ],
)
def test_sentences_end_where_a_reader_says(text, expected):
    assert split_sentences(text) == expected
    assert [unit.text for unit in units(text)] == expected


def test_blocks_are_units():
    text = (
        "# Title\n\nA para. Two.\n- one\n  more. And more.\n- two\n\n"
        "| a | b |\n|---|---|\n| c | d |\n\n```py\nx = 1. Y\n\n# no heading\n```\nend"
    )
    assert [(unit.kind, unit.text) for unit in units(text)] == [
        ("heading", "# Title\n"),
        ("blank", "\n"),
        ("text", "A para."),
        ("text", " Two.\n"),
        ("item", "- one\n  more. And more.\n"),
        ("item", "- two\n"),
        ("blank", "\n"),
        ("table", "| a | b |\n|---|---|\n| c | d |\n"),
        ("blank", "\n"),
        ("block", "```py\nx = 1. Y\n\n# no heading\n```\n"),
        ("text", "end"),
    ]


def test_an_unclosed_block_ends_with_the_text():
    assert [unit.kind for unit in units("~~~\nx. Y\n\n# z\n")] == ["block"]


def test_a_block_ends_only_at_its_own_kind_of_fence():
    text = "````\n```\n~~~\n````\nafter"
    assert [unit.text for unit in units(text)] == ["````\n```\n~~~\n````\n", "after"]


def test_a_sentence_is_emitted_before_the_next_one_is_whole():
    gate = Gate([CORPUS], secrets=lambda text: ())
    assert list(gate.feed("It is so. And")) == []
    assert list(gate.feed(" then it ")) == [TextEvent("It is so.")]


MARKDOWN = st.lists(
    st.sampled_from(
        [
            "It retries. ", "`billing/worker.py:1-2`", "`nope.py:3`", "worker.py:1", "e.g. ",
            "v1.2. ",
            "\n", "\n\n", "- ", "1. ", "# ", "```", "```py\n", "~~~", "| ", "a", "B", ".", "!", " ",
            "`", '"', "(", ")", "[7]", "**", "> ", "。", "retry()", "No_Such", "\r", "\r\n", "\t",
            "-----BEGIN RSA PRIVATE KEY-----", "Abc0" * 9, "\x1b[31m", "Makefile:1", ": ", "x" * 50,
        ]
    ),
    max_size=40,
).map("".join)  # fmt: skip
PLACES = st.lists(st.integers(0, 10_000), max_size=30)


@given(MARKDOWN, PLACES, st.booleans())
@settings(max_examples=300, deadline=None)
def test_what_comes_out_does_not_depend_on_the_cuts(text, places, strict):
    whole, gate = through([text], strict=strict)
    pieces, other = through(cut(text, places), strict=strict)
    assert pieces == whole
    assert other.warnings == gate.warnings
    letters, _ = through(list(text), strict=strict)
    assert letters == whole


@given(MARKDOWN, PLACES)
@settings(max_examples=300, deadline=None)
def test_units_joined_are_the_text(text, places):
    splitter = Splitter(lambda _text, at: at)
    found = [u for piece in cut(text, places) for u in splitter.push(piece)]
    found += splitter.close()
    assert "".join(unit.text for unit in found) == text
    assert all(unit.text for unit in found)


@given(st.text(alphabet=string.ascii_lowercase + " .,\n-#`*|!?é漢", max_size=400))
@settings(max_examples=300, deadline=None)
def test_text_without_a_flaw_comes_out_as_it_went_in(text):
    events, gate = through([text])
    if not gate.warnings and not gate.citations:
        assert shown(events) == text
    assert (
        check_text(text, [CORPUS])
        .text.replace("[unverified: no such file]", "")
        .startswith(text[:1])
    )


@pytest.mark.parametrize("word", ["ab ", "a. ", "`", "\n", "(", "a.b", "```\n", "- ", "a.b:1,"])
def test_a_sentence_without_an_end_is_emitted_in_bounded_pieces(word):
    text = word * (60_000 // len(word))
    started = time.process_time()
    events, _ = through([text])
    texts = [event.text for event in events if isinstance(event, TextEvent)]
    marks = 40 * text.count("a.b:1")
    assert max(map(len, texts)) <= LIMIT + AHEAD + marks
    assert time.process_time() - started < 5


def test_a_megabyte_without_a_space_is_emitted_in_bounded_pieces():
    gate = Gate([CORPUS], secrets=lambda text: ())
    emitted: list[str] = []
    for _ in range(1000):
        emitted += [event.text for event in gate.feed("x" * 1000)]
    assert len(emitted) > 50
    emitted += [event.text for event in gate.finish()]
    assert "".join(emitted) == "x" * 1_000_000
    assert max(map(len, emitted)) <= LIMIT + AHEAD


def test_pieces_of_a_long_sentence_end_between_words():
    events, _ = through(["word " * 20_000])
    assert all(event.text.endswith(" ") for event in events)


def test_a_long_block_is_cut_at_line_ends_and_stays_one_block():
    text = "```\n" + "see gone.py:1. Then\n" * 2_000 + "```\nAfter.\n"
    found = units(text)
    assert [unit.kind for unit in found[:-1]] == ["block"] * (len(found) - 1)
    assert all(unit.text.endswith("\n") for unit in found)
    assert found[-1].text == "After.\n"


# --- events ---


def test_a_citation_comes_right_after_the_text_that_holds_it():
    events, gate = through(
        ["`retry` is first (`worker.py:1-2`). `backoff` is next (Makefile:9).\n"]
    )
    kinds = [type(event) for event in events]
    assert kinds == [TextEvent, CitationEvent, TextEvent, CitationEvent]
    assert events[0].text == "`retry` is first (`billing/worker.py:1-2`)."
    assert [c.verdict for c in gate.citations] == ["repaired", "missing"]


def test_a_citation_is_emitted_once():
    events, _ = through(["See Makefile:1. And see Makefile:1 again.\n"])
    assert sum(isinstance(event, CitationEvent) for event in events) == 1


def test_claims_in_every_kind_of_block_are_checked():
    for text in (
        "# The nope.py file\n",
        "- in `nope.py`\n",
        "| x | nope.py |\n|---|---|\n",
        "```\nimport './lib/nope.js'\n```\n",
        "> in nope.py\n",
    ):
        assert "[unverified: no such file]" in check_text(text, [CORPUS]).text, text


def test_code_that_the_source_itself_holds_claims_nothing():
    corpus = DictCorpus("app", {"a.py": "# see old/gone.py:3\nx = 1\n"})
    text = "It is `a.py:1-2`:\n\n```py\n# see old/gone.py:3\nx = 1\n```\n"
    assert check_text(text, [corpus]).text == text
    assert "unverified" in check_text(text.replace("old/gone", "old/new"), [corpus]).text


def test_control_characters_can_not_reach_a_terminal():
    text = "a\x1b[31mb\x07c\rd\x9be\u202ef\x7f\x00 end\r\nnext\ttab\n"
    out = check_text(text, [CORPUS]).text
    assert out == "a␛[31mb␇c␍d\ufffde\ufffdf␡␀ end\nnext\ttab\n"


# --- strict ---


def test_strict_leaves_out_what_is_not_verified_and_says_how_much():
    text = (
        "It retries. See nope.py:3. It stops.\n\n"
        "- good\n- in `nope.py`\n- one. In nope.rb. Two.\n\n"
        "| a | b |\n|---|---|\n| c | nope.py |\n| d | e |\n\n```\nx\nopen('./lib/nope.py')\n```\n"
    )
    gated = check_text(text, [CORPUS], strict=True)
    assert gated.text == (
        "It retries. It stops.\n\n- good\n- one. Two.\n\n"
        "| a | b |\n|---|---|\n| d | e |\n\n```\nx\n```\n"
    )
    assert gated.citations == ()
    assert "5 sentences were left out as not verified." in [c.message for c in gated.warnings]


def test_strict_keeps_what_is_repaired():
    gated = check_text("See worker.py:1.\n", [CORPUS], strict=True)
    assert gated.text == "See billing/worker.py:1.\n"


# --- uncited ---


def uncited(text, **options):
    found = check_text(text, [CORPUS], **options).warnings
    return [c.message for c in found if c.type == "uncited"]


def test_a_statement_about_code_without_a_citation_is_told_once_per_section():
    text = "`retry` calls `backoff`. `backoff` returns.\n\n# Two\n\n`retry` raises.\n"
    assert uncited(text) == [
        'No citation stands with "`retry` calls `backoff`.".',
        'No citation stands with "`retry` raises.".',
    ]


@pytest.mark.parametrize(
    "text",
    [
        "`retry` calls `backoff` (`billing/worker.py:1-6`).\n",
        "`retry` is in `billing/worker.py`.\n",
        "# How `retry` calls `backoff`\n",
        "Does `retry` call `backoff`?\n",
        "`retry` does it in two steps:\n",
        "## Caveats\n\n`retry` was read in part.\n",
        "**Caveats**\n\n`retry` was read in part.\n",
        "Hello there.\n",
        "- `retry` calls it. It is at `billing/worker.py:1`.\n",
        "There is no `PaymentRouter`.\n",
        "```\nretry() calls\n```\n",
    ],
)
def test_what_needs_no_citation_is_not_told(text):
    assert uncited(text) == []


def test_the_abstention_is_let_through_as_it_is():
    text = "I don't know; ask in `#PaymentRouter`, see nope.md. Or call `helpdesk_line`.\n"
    gated = check_text(text, [CORPUS], exempt=[text])
    assert gated.text == text
    assert gated.warnings == ()


# --- secrets ---

AWS = "AKIA" + "QYLPMN5HNM4OSQ7V"
PEM = (
    "-----BEGIN RSA " + "PRIVATE KEY-----\n"
    + "".join(f"{'MIIEowIBAAKCAQEA' + str(n) * 40:.60}\n" for n in range(10, 22))
    + "-----END RSA " + "PRIVATE KEY-----\n"
)  # fmt: skip


def fake(text):
    at = text.find("SECRET")
    while at >= 0:
        end = at + 6
        while end < len(text) and text[end].isalnum():
            end += 1
        yield SecretSpan(at, end, "fake")
        at = text.find("SECRET", end)


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_a_secret_in_pieces_is_never_shown(size):
    text = f"The key is {AWS}. Next one.\n\n{PEM}\nAfter.\n"
    gate = Gate([CORPUS])
    out = ""
    for at in range(0, len(text), size):
        for event in gate.feed(text[at : at + size]):
            out += event.text
        assert "AKIA" not in out
        assert "MIIE" not in out
    out += shown(gate.finish())
    assert "[REDACTED:" in out
    assert "AKIA" not in out
    assert "MIIE" not in out
    assert out.startswith("The key is ")
    assert out.endswith("After.\n")
    assert out.count("\n") == text.count("\n")


def test_a_private_key_whose_end_never_comes_is_not_shown():
    text = "Here:\n\n" + PEM[: len(PEM) // 2].replace("\n", "\n\n")
    assert "MIIE" not in check_text(text, [CORPUS]).text


def test_the_mere_name_of_a_private_key_is_shown():
    text = "It looks for `-----BEGIN RSA PRIVATE KEY-----` first. Then it reads on.\n"
    assert check_text(text, [CORPUS]).text == text


def test_a_key_whose_name_stands_in_the_sentence_before_is_found():
    def needs_context(text):
        at = text.find("token. ")
        return [SecretSpan(at + 7, at + 13, "ctx")] if at >= 0 else []

    events, _ = through(["This is the token. Abcdef is it.\n"], needs_context)
    assert shown(events) == "This is the token. [REDACTED:ctx] is it.\n"


@given(st.integers(LIMIT - 200, LIMIT + 20), st.integers(1, 300), PLACES)
@settings(max_examples=60, deadline=None)
def test_a_forced_cut_never_halves_a_secret(start, length, places):
    text = "x" * start + " SECRET" + "a" * length + " " + "y" * 30_000
    events, _ = through(cut(text, places), fake)
    out = shown(events)
    assert "SECRET" not in out
    assert out.count("[REDACTED:fake]") == 1


def test_a_caveat_never_holds_a_secret():
    gated = check_text(f"See {AWS}.py:3 and `{AWS}`.\n", [CORPUS])
    assert AWS not in gated.text
    assert not any(AWS in c.message for c in gated.warnings)
    assert not any(AWS in c.path for c in gated.citations)


def test_a_source_that_is_not_there_is_marked_even_where_there_is_one_source_only():
    events, gate = through(["It retries in `bank:billing/worker.py:1`."])
    assert "unverified" in shown(events)
    assert "unknown_source" in [warning.type for warning in gate.warnings]
    assert not [
        e for e in events if isinstance(e, CitationEvent) and e.citation.verdict == "verified"
    ]
