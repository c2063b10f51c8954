"""Citations, names and quotations of an answer are checked against the sources."""

from __future__ import annotations

import pytest

from clew.types import Evidence
from clew.verify.citations import Checker
from clew.verify.library import Library
from support.fakecorpus import DictCorpus
from support.gated import check_text

WORKER = '''"""Runs jobs."""

import time

MAX_RETRIES = 5


class Worker:
    """Takes jobs from the queue."""

    def run(self, job):
        """Runs one job, and tries again when it fails."""
        for attempt in range(MAX_RETRIES):
            try:
                return job()
            except OSError:
                self.backoff(attempt)
        raise RuntimeError("giving up after too many tries")

    def backoff(self, attempt):
        # Waits longer each
        # time it is called.
        time.sleep(2**attempt)


def connect(url):
    return Client(url)
'''

BILLING = {
    "src/billing/worker.py": WORKER,
    "src/billing/queue.py": "class Queue:\n    def pop(self):\n        return None\n",
    "src/web/queue.py": "class WebQueue:\n    pass\n",
    "docs/my notes.md": "# Notes\n\nThe retry_budget is shared.\n",
    "Dockerfile": "FROM python:3.12\nRUN make\n",
    "README.md": "# Billing\n\nSee [the worker](src/billing/worker.py).\n",
    "empty.py": "",
}
SKIPPED = {"vendor/big.js": "vendored", "logo.png": "binary"}


@pytest.fixture
def billing():
    return DictCorpus("billing", BILLING, SKIPPED)


@pytest.fixture
def check(billing):
    return lambda text, **options: Checker(Library([billing]), **options).check(text)


def only(checked):
    (citation,) = checked.citations
    return citation


def span(citation):
    return citation.path, citation.start_line, citation.end_line


# --- right ---


@pytest.mark.parametrize(
    "text",
    [
        "`Worker.run` tries `MAX_RETRIES` times (`src/billing/worker.py:11-18`).",
        'It says "giving up after too many tries" (src/billing/worker.py:18).',
        "`Worker` waits in `backoff` at src\\billing\\worker.py:20-23.",
        "[`connect`](src/billing/worker.py#L26-L27) opens it.",
        "lines 20-23 of `src/billing/worker.py` hold `backoff`.",
        "See ./Dockerfile:1-2.",
        "The `retry_budget` is in docs/my notes.md:3.",
        'It "waits longer each time it is called"? No: "Waits longer each time it is called" '
        "(src/billing/worker.py:21-22).".replace('"waits longer each time it is called"? No: ', ""),
        'It says "giving up … tries" (src/billing/worker.py:18).',
    ],
)
def test_a_true_citation_is_verified_and_the_text_stays(check, text):
    checked = check(text)
    assert only(checked).verdict == "verified", only(checked)
    assert checked.text == text
    assert not checked.caveats
    assert not checked.flawed


def test_a_citation_names_source_revision_path_and_lines(check):
    citation = only(check("`connect` is at `src/billing/worker.py:26-27`."))
    assert citation.source == "billing"
    assert citation.revision == "billing-rev"
    assert span(citation) == ("src/billing/worker.py", 26, 27)


def test_an_enclosing_definition_may_be_named(check):
    assert only(check("`Worker` waits (`src/billing/worker.py:23`).")).verdict == "verified"


def test_a_comment_right_above_the_lines_belongs_to_them(check):
    assert only(check('"Waits longer each" (src/billing/worker.py:23)')).verdict == "verified"


# --- wrong ---


@pytest.mark.parametrize(
    "mention",
    ["utils/validation.py", "`utils/validation.py`", "[v](utils/validation.py)", "Makefile"],
)
def test_a_file_that_never_existed_is_marked(check, mention):
    mention = "`Makefile`" if mention == "Makefile" else mention
    checked = check(f"The rules are in {mention}, all of them.")
    assert f"{mention} [unverified: no such file]," in checked.text
    assert [c.type for c in checked.caveats] == ["missing_path"]
    assert checked.flawed


def test_a_citation_of_a_file_that_never_existed_is_missing(check):
    checked = check("It retries (`utils/validation.py:3-9`).")
    assert checked.text == "It retries (`utils/validation.py:3-9` [unverified: no such file])."
    assert only(checked).verdict == "missing"
    assert span(only(checked)) == ("utils/validation.py", 3, 9)


def test_lines_past_the_end_are_missing(check):
    checked = check("It ends (src/billing/worker.py:900).")
    assert only(checked).verdict == "missing"
    assert "[unverified: the file has 27 lines]" in checked.text
    assert checked.caveats[0].type == "out_of_range"


@pytest.mark.parametrize("lines", ["0", "28", "28-30", "99999999999999999999"])
def test_no_line_outside_the_file_is_let_through(check, lines):
    assert only(check(f"see src/billing/worker.py:{lines}")).verdict == "missing"


def test_an_empty_file_has_no_line(check):
    assert only(check("see empty.py:1")).verdict == "missing"


def test_lines_that_do_not_hold_the_name_do_not_support_it(check):
    checked = check("`retry_budget` is set (src/billing/worker.py:1-3).")
    assert only(checked).verdict == "unsupported"
    assert "[unverified: `retry_budget` is not in these lines]" in checked.text


def test_each_citation_must_bear_something_of_the_sentence_out(check):
    text = "`connect` (src/billing/worker.py:26-27) is not `Queue` (src/billing/worker.py:1-2)."
    assert [c.verdict for c in check(text).citations] == ["verified", "unsupported"]


def test_a_name_that_is_nowhere_is_marked_once(check):
    checked = check("`PaymentRouter` retries (`src/billing/worker.py:11-18`).")
    assert checked.text.startswith("`PaymentRouter` [unverified: no such name] retries")
    assert checked.text.count("[unverified") == 1
    assert only(checked).verdict == "unsupported"


def test_a_quotation_that_is_nowhere_is_marked(check):
    checked = check('It logs "the moon is made of cheese".')
    assert '"the moon is made of cheese" [unverified: no such words].' in checked.text
    assert checked.caveats[0].type == "missing_quote"


def test_a_numbered_source_is_marked(check):
    checked = check("It retries [7].")
    assert checked.text == "It retries [7] [unverified: it names no file]."


def test_a_folder_has_no_lines(check):
    assert only(check("see `src/billing:3`")).note == "it is a folder"


def test_a_path_that_climbs_out_is_missing(check):
    assert only(check("see ../../etc/passwd:1")).verdict == "missing"


@pytest.mark.parametrize(("path", "why"), [("vendor/big.js", "vendored"), ("logo.png", "binary")])
def test_a_file_that_is_not_indexed_exists_and_its_lines_can_not_be_checked(check, path, why):
    checked = check(f"see {path}:3")
    assert only(checked).verdict == "unsupported"
    assert only(checked).note == f"not indexed ({why}), so its lines can't be checked"
    assert check(f"see {path}.").text == f"see {path}."


# --- repaired ---


def test_a_unique_end_of_a_path_is_completed(check):
    checked = check("`connect` is at `worker.py:26-27`.")
    assert checked.text == "`connect` is at `src/billing/worker.py:26-27`."
    assert only(checked).verdict == "repaired"
    assert only(checked).note == "worker.py is src/billing/worker.py"


def test_an_end_that_fits_two_files_is_left_open_and_says_so(check):
    checked = check("It pops (`queue.py:1`).")
    assert "[unverified: it may be src/billing/queue.py or src/web/queue.py]" in checked.text
    assert only(checked).verdict == "unsupported"


def test_an_end_that_fits_two_files_is_decided_by_what_the_sentence_names(check):
    checked = check("`WebQueue` is at `queue.py:1`.")
    assert checked.text == "`WebQueue` is at `src/web/queue.py:1`."


def test_a_path_without_lines_may_be_short(check):
    assert check("It is in `worker.py` and queue.py.").text == "It is in `worker.py` and queue.py."


@pytest.mark.parametrize(
    ("form", "fixed"),
    [
        ("src/billing/worker.py:3", "src/billing/worker.py:26-27"),
        ("src/billing/worker.py:900", "src/billing/worker.py:26-27"),
        ("src/billing/worker.py#L3-L4", "src/billing/worker.py#L26-L27"),
        ("src/billing/worker.py:L3", "src/billing/worker.py:L26-L27"),
        ("src/billing/worker.py (line 3)", "src/billing/worker.py (lines 26-27)"),
        ("worker.py:3", "src/billing/worker.py:26-27"),
        ("[here](src/billing/worker.py#L3)", "[here](src/billing/worker.py#L26-L27)"),
    ],
)
def test_a_wrong_line_is_repaired_where_the_name_is_defined(check, form, fixed):
    checked = check(f"`connect` is at {form}.")
    assert checked.text == f"`connect` is at {fixed}."
    assert only(checked).verdict == "repaired"
    assert "`connect` is defined at 26-27" in only(checked).note
    assert not checked.caveats


def test_a_repair_that_would_lose_another_claim_is_not_made(check):
    checked = check("`connect` uses `MAX_RETRIES` (src/billing/worker.py:3).")
    assert only(checked).verdict == "unsupported"


def test_an_end_past_the_last_line_is_cut_and_a_reversed_range_turned(check):
    assert check("see src/billing/worker.py:26-99").text == "see src/billing/worker.py:26-27"
    assert check("see src/billing/worker.py:9-3").text == "see src/billing/worker.py:3-9"


def test_several_ranges_are_checked_each(check):
    checked = check("`run` and `connect`: `src/billing/worker.py:11-18,26-27`")
    assert [c.verdict for c in checked.citations] == ["verified", "verified"]
    checked = check("see `src/billing/worker.py:1-2,900`")
    assert [c.verdict for c in checked.citations] == ["verified", "missing"]


def test_the_case_and_the_root_of_a_path_are_repaired(check):
    assert check("see readme.md:1").text == "see README.md:1"
    assert check("see /src/billing/worker.py:1").text == "see src/billing/worker.py:1"
    assert check("see billing/Dockerfile:1").text == "see Dockerfile:1"
    assert only(check("see other/Dockerfile:1")).verdict == "missing"


# --- said to be absent, asked, or quoted ---


@pytest.mark.parametrize(
    "text",
    [
        "There is no `PaymentRouter`.",
        "No file named `utils/validation.py` was found.",
        "`PaymentRouter` does not exist.",
        "Nothing named `PaymentRouter` was found.",
        "Searched: search_code “payment router thing”; grep “payment_router”.",
        "I searched for `payment_router`.",
    ],
)
def test_what_is_said_to_be_absent_need_not_exist(check, text):
    checked = check(text)
    assert checked.text == text
    assert not checked.flawed


def test_words_of_the_question_may_be_repeated(billing):
    checker = Checker(Library([billing]), question="Where is the  payment router thing?")
    assert not checker.check("The nearest thing to “payment router thing” is `connect`.").flawed


def test_a_path_that_the_cited_code_itself_spells_is_no_claim():
    corpus = DictCorpus("app", {"a.py": "open('data/gone.csv')\n"})
    checker = Checker(Library([corpus]))
    assert not checker.check("It opens `data/gone.csv` (`a.py:1`).").flawed
    assert checker.check("It opens `data/gone.csv`.").flawed


# --- two sources ---


@pytest.fixture
def two():
    shared = "def start():\n    pass\n"
    billing = DictCorpus("billing", {"src/app.py": shared + "BILLING = 1\n", "x.py": "a = 1\n"})
    return [billing, DictCorpus("web", {"src/app.py": shared + "WEB_PORT = 1\n"})]


def shown(source, path="src/app.py", lines=(1, 2)):
    return Evidence(source, f"{source}-rev", path, *lines, "grep", "0" * 16)


def test_a_prefix_says_which_source(two):
    checked = Checker(Library(two)).check("`start` is at `web:src/app.py:1-2`.")
    assert only(checked).source == "web"
    assert only(checked).revision == "web-rev"
    assert checked.text == "`start` is at `web:src/app.py:1-2`."


def test_the_same_file_in_two_sources_is_left_open_and_says_so(two):
    checked = Checker(Library(two)).check("`start` is at `src/app.py:1-2`.")
    assert only(checked).verdict == "unsupported"
    assert "it may be billing:src/app.py or web:src/app.py" in checked.text


def test_the_same_file_in_two_sources_is_decided_by_the_evidence(two):
    checker = Checker(Library(two), evidence=[shown("web")])
    checked = checker.check("`start` is at `src/app.py:1-2`.")
    assert checked.text == "`start` is at `web:src/app.py:1-2`."
    assert (only(checked).source, only(checked).verdict) == ("web", "repaired")


def test_the_same_file_in_two_sources_is_decided_by_the_name(two):
    checked = Checker(Library(two)).check("`WEB_PORT` is at `src/app.py:3`.")
    assert checked.text == "`WEB_PORT` is at `web:src/app.py:3`."


def test_a_file_of_one_source_needs_no_prefix(two):
    assert only(Checker(Library(two)).check("see x.py:1")).verdict == "verified"


def test_a_file_is_looked_for_only_in_the_source_that_is_named(two):
    assert only(Checker(Library(two)).check("see web:x.py:1")).verdict == "missing"


def test_an_unknown_source_is_marked(two):
    checked = Checker(Library(two)).check("see `payments:src/app.py:1`")
    assert only(checked).note == 'no source is named "payments"'


# --- cost ---


def test_known_names_cost_no_scan_and_unknown_ones_one_each_sentence(billing):
    checker = Checker(Library([billing]))
    checker.check("`Worker.run` calls `backoff` and `connect`.")
    assert billing.scans == 0
    checker.check("`NoSuchThing` and `other_missing` and `third_missing`.")
    assert billing.scans == 1
    checker.check("`NoSuchThing` again.")
    assert billing.scans == 1


def test_a_scope_too_large_to_scan_is_said_to_be_unchecked(billing, monkeypatch):
    monkeypatch.setattr("clew.verify.library.SCAN_LIMIT", 10)
    gated = check_text("`NoSuchThing` is used.\n", [billing])
    assert "unverified" not in gated.text
    assert "unchecked" in [c.type for c in gated.warnings]
