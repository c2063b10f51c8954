"""search(): the right function first, tests and documents held back, nothing invented."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clew.errors import InputError
from clew.models.embedders import embedder_of
from clew.search import search
from clew.types import SearchResult
from support.searchable import CART, SHOP, searchable

STATIC = embedder_of("static")


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    with searchable(SHOP, tmp_path_factory.mktemp("shop"), embedder=STATIC) as view:
        yield view


@pytest.fixture(params=[None, STATIC], ids=["by words", "by vectors too"])
def embedder(request):
    return request.param


def paths(result: SearchResult) -> list[str]:
    return [hit.path for hit in result.hits]


def best(result: SearchResult) -> tuple[str, str]:
    return result.hits[0].path, result.hits[0].spans[0].symbol


# --- what comes first -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "path", "symbol"),
    [
        ("where do we apply a discount?", "shop/cart.py", "Cart.apply_discount"),
        ("what happens when a coupon is expired?", "shop/cart.py", "Cart.apply_discount"),
        ("how are failing calls retried with backoff?", "shop/payment.py", "retry_with_backoff"),
        ("how do we give the money of a charge back", "shop/payment.py", "PaymentGateway.refund"),
        ("which handler matches an address", "web/router.ts", "Router.match"),
        ("retry_with_backoff", "shop/payment.py", "retry_with_backoff"),
        ("Retry_With_Backoff", "shop/payment.py", "retry_with_backoff"),
        ("where is `Cart.total` defined?", "shop/cart.py", "Cart.total"),
        ("Router", "web/router.ts", "Router"),
        ("who calls charge()?", "shop/payment.py", "PaymentGateway.charge"),
    ],
)
def test_the_function_that_answers_comes_first_not_the_head_of_its_file(
    shop, embedder, question, path, symbol
):
    result = search(question, [shop], embedder=embedder)
    assert best(result) == (path, symbol)
    assert result.relevant


def test_a_span_is_a_whole_definition_with_its_lines(shop):
    span = search("apply_discount", [shop]).hits[0].spans[0]
    lines = CART.split("\n")[span.start_line - 1 : span.end_line]
    assert lines[0].strip() == "def apply_discount(self, coupon):"
    assert any("coupon.reduce" in line for line in lines)
    assert not any("def total" in line for line in lines)


def test_a_file_comes_once_with_at_most_three_spans_best_first(shop, embedder):
    result = search("cart item total discount owner quantity", [shop], embedder=embedder)
    assert len(set(paths(result))) == len(result.hits)
    scores = [hit.score for hit in result.hits]
    assert scores == sorted(scores, reverse=True)
    for hit in result.hits:
        within = [span.score for span in hit.spans]
        assert 1 <= len(within) <= 3
        assert within == sorted(within, reverse=True)
        assert hit.score == within[0]


def test_the_signals_of_a_span_add_up_to_its_score(shop, embedder):
    for hit in search("where do we apply a discount?", [shop], embedder=embedder).hits:
        for span in hit.spans:
            assert sum(span.signals.values()) == pytest.approx(span.score, abs=0.002)


def test_a_qualifier_tells_methods_of_one_name_apart(tmp_path):
    files = {
        f"app/{name}.py": f"class {name.title()}:\n"
        + "".join(f"    def step{n}(self):\n        return {n}\n\n" for n in range(12))
        + f"    def run(self):\n        return {name!r}\n"
        for name in ("server", "worker")
    }
    with searchable(files, tmp_path) as view:
        for name in ("Server", "Worker"):
            assert best(search(f"{name}.run", [view]))[1] == f"{name}.run"
            assert best(search(f"{name}::run", [view]))[1] == f"{name}.run"


def test_a_path_in_the_question_brings_that_file_first(shop, embedder):
    assert paths(search("shop/money.py", [shop], embedder=embedder))[0] == "shop/money.py"
    assert paths(search("what is in money.py?", [shop], embedder=embedder))[0] == "shop/money.py"


# --- what is held back, and when not ----------------------------------------------------------


def test_code_comes_before_tests_documents_examples_and_configuration(shop, embedder):
    found = paths(search("apply a discount coupon to the cart", [shop], embedder=embedder))
    assert found[0] == "shop/cart.py"
    assert set(found) > {"tests/test_cart.py", "docs/cart.md", "examples/checkout.py"}


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("where is the discount coupon tested?", "tests/test_cart.py"),
        ("what does the documentation say about an expired coupon discount", "docs/cart.md"),
        ("an example of apply discount", "examples/checkout.py"),
        ("how do I install the cart?", "docs/cart.md"),
    ],
)
def test_what_is_asked_for_is_not_held_back(shop, embedder, question, path):
    assert path in paths(search(question, [shop], embedder=embedder))[:2]


def test_a_long_question_that_only_mentions_tests_gets_the_code_and_its_tests(tmp_path):
    files = {**SHOP, "tests/test_refund.py": "def test_refund(gateway):\n    gateway.refund(1)\n"}
    question = (
        "Why does the test for the payment provider expect that the gateway can refund the money "
        "of a charge that was captured before, and what does the provider answer to such a refund?"
    )
    with searchable(files, tmp_path) as view:
        found = paths(search(question, [view]))
    assert found[0] == "shop/payment.py"
    assert "tests/test_refund.py" in found[:3]


# --- pasted texts -------------------------------------------------------------------------------


def test_the_first_line_of_a_pasted_text_says_what_it_is_about(shop, embedder):
    body = (
        "I use the shop on a new machine.\n\n"
        "    mine = Cart('me')\n    mine.add(item)\n    mine.total()\n\n"
        "Expected: an answer. Router and cart and address are as they were."
    )
    for title, path in (
        ("A failing call is not repeated with backoff", "shop/payment.py"),
        ("The handler of a path pattern is not forgotten", "web/router.ts"),
        ("An expired coupon lowers the total", "shop/cart.py"),
    ):
        assert paths(search(f"{title}\n\n{body}", [shop], embedder=embedder))[0] == path


def test_what_a_text_repeats_counts_more_than_what_it_says_once(shop):
    often = "refund the refund of a refund after the route"
    assert best(search(often, [shop]))[1] == "PaymentGateway.refund"


def test_a_traceback_of_an_installed_copy_leads_to_the_file_here(shop):
    text = (
        "It crashes\n\nTraceback (most recent call last):\n"
        '  File "/usr/lib/python3/site-packages/shop/money.py", line 3, in __init__\n'
        "TypeError: unsupported operand"
    )
    spans = {hit.path: hit.spans[0] for hit in search(text, [shop]).hits}
    assert "path" in spans["shop/money.py"].signals
    other = search(text.replace("shop/money.py", "elsewhere/money.py"), [shop]).hits
    assert all("path" not in span.signals for hit in other for span in hit.spans)


# --- other words --------------------------------------------------------------------------------


def test_words_that_mean_nearly_the_same_find_what_the_question_does_not_say(shop):
    question = "delete an article"
    spans = {h.path: h.spans[0] for h in search(question, [shop], embedder=STATIC).hits}
    assert spans["shop/cart.py"].symbol == "Cart.remove"
    assert "related" in spans["shop/cart.py"].signals


def test_an_older_version_comes_after_the_one_beside_it_unless_asked_for(tmp_path):
    code = "def parse_email(text):\n    return text\n"
    files = {"src/v3/email.py": code, "src/v4/email.py": code}
    with searchable(files, tmp_path) as view:
        assert paths(search("parse email", [view])) == ["src/v4/email.py", "src/v3/email.py"]
        assert paths(search("parse email in v3", [view]))[0] == "src/v3/email.py"


# --- scope ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("glob", "inside"),
    [
        ("tests/", {"tests/test_cart.py"}),
        ("*.md", {"docs/cart.md"}),
        ("shop/**/*.py", {"shop/cart.py", "shop/payment.py", "shop/money.py"}),
        ("**/*.py", {path for path in SHOP if path.endswith(".py")}),
        ("nothing/here", set()),
    ],
)
def test_a_glob_bounds_the_search_from_inside(shop, glob, inside):
    result = search("apply a discount coupon to the cart", [shop], k=1, path_glob=glob)
    assert set(paths(result)) <= inside
    assert len(result.hits) == min(1, len(inside))
    named = search("shop/cart.py apply_discount", [shop], path_glob=glob)
    assert set(paths(named)) <= inside


def test_two_sources_rank_like_one_that_holds_both(tmp_path):
    one = {path: text for path, text in SHOP.items() if path.startswith("shop/")}
    other = {path: text for path, text in SHOP.items() if not path.startswith("shop/")}
    with (
        searchable(SHOP, tmp_path, "whole") as whole,
        searchable(one, tmp_path, "one") as a,
        searchable(other, tmp_path, "other") as b,
    ):
        for question in ("apply a discount", "Cart", "retry", "web/router.ts", "total price"):
            together, apart = search(question, [whole]), search(question, [a, b])
            assert [(h.path, h.score, h.spans) for h in together.hits] == [
                (h.path, h.score, h.spans) for h in apart.hits
            ]
            assert together.coverage == apart.coverage
        assert {hit.source for hit in apart.hits} <= {"one", "other"}
        assert all(hit.source == ("one" if hit.path in one else "other") for hit in apart.hits)


def test_the_same_file_in_two_sources_is_two_hits(tmp_path):
    files = {"shop/cart.py": CART}
    with searchable(files, tmp_path, "b") as b, searchable(files, tmp_path, "a") as a:
        hits = search("apply_discount", [b, a]).hits
    assert [hit.source for hit in hits] == ["b", "a"]


def test_ties_break_by_path_and_line(tmp_path):
    code = "def alpha():\n    return beta\n\n\ndef gamma():\n    return beta\n"
    files = {f"{name}/same.py": code for name in ("c", "a", "b")}
    with searchable(files, tmp_path) as view:
        result = search("beta", [view])
    assert paths(result) == ["a/same.py", "b/same.py", "c/same.py"]
    assert [span.start_line for span in result.hits[0].spans] == [1, 5]


# --- the relevance floor ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "question",
    [
        "how does kubernetes autoscaling work",
        "where is the GPU kernel compiled?",
        "how do we train the neural network",
        "KafkaConsumer",
        "src/kernel/scheduler.c",
        "日本語の検索はどこですか",
    ],
)
def test_a_question_about_something_else_is_not_relevant(shop, embedder, question):
    assert not search(question, [shop], embedder=embedder).relevant


def test_a_name_or_path_that_exists_is_always_relevant(shop, embedder):
    for question in ("Money", "who calls post()?", "shop/money.py"):
        assert search(question, [shop], embedder=embedder).relevant, question


def test_coverage_is_a_share_and_falls_with_words_that_nothing_holds(shop):
    full = search("expired coupon", [shop]).coverage
    half = search("expired coupon zeppelin", [shop]).coverage
    assert full == 1.0
    assert 0 < half < full


# --- odd questions ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "question",
    ["", "   ", "???", "where is the", "🎉🎉", "\0", "a" * 50_000, "discount " * 10_000, "`" * 999],
)
def test_odd_questions_give_a_result(shop, embedder, question):
    result = search(question, [shop], embedder=embedder)
    assert isinstance(result, SearchResult)
    assert 0.0 <= result.coverage <= 1.0


def test_a_question_of_ten_thousand_words_still_finds_its_rare_ones(shop):
    question = " ".join(["cart item shop"] * 3_000) + " backoff"
    assert "shop/payment.py" in paths(search(question[-15_000:], [shop]))


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.text(max_size=80), st.sampled_from([None, "*.py", "[", "!", "a b", "\\"]))
def test_any_text_and_any_glob_search_without_surprise(shop, text, glob):
    try:
        first = search(text + " cart", [shop], path_glob=glob)
    except InputError:
        return
    again = search(text + " cart", [shop], path_glob=glob)
    assert (first.hits, first.coverage) == (again.hits, again.coverage)


def test_nothing_in_scope_gives_nothing(tmp_path):
    assert search("cart", []).hits == ()
    with searchable({"logo.png": "\0"}, tmp_path) as view:
        result = search("cart", [view])
    assert (result.hits, result.relevant, result.coverage) == ((), False, 0.0)


def test_no_results_can_not_be_asked_for(shop):
    with pytest.raises(InputError, match="at least 1"):
        search("cart", [shop], k=0)
