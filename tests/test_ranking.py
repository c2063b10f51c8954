"""The parts of ranking: BM25F by its formula, roles by path, weights that all count."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.index.postings import FIELDS
from clew.index.tokens import count, terms
from clew.models.embedders import embedder_of
from clew.search import search
from clew.search.corpus import Corpus, profile_of
from clew.search.lexical import best_rows, lexical, matched_fields
from clew.search.priors import PENALTIES
from clew.search.roles import Role, outdated, role_of
from clew.search.signals import SIGNALS
from clew.search.weights import FieldWeights, RankOptions, Weights
from support.searchable import SHOP, searchable

STATIC = embedder_of("static")


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    with searchable(SHOP, tmp_path_factory.mktemp("shop"), embedder=STATIC) as view:
        yield view


# --- BM25F --------------------------------------------------------------------------------------


def plain_bm25f(view, words: list[str], fields: FieldWeights) -> list[float]:
    """The formula, chunk by chunk, over what each chunk holds."""
    rows = view.chunks(range(view.chunk_count))
    found: list[dict[str, dict[str, int]]] = []
    for row in rows:
        *folders, name = row.path.split("/")
        body = "\n".join(view.lines(row.path, row.start_line, row.end_line))
        texts = (row.name, name.split(".")[0], row.qualname, row.doc_comment)
        texts += ("/".join(folders), body, row.signature)
        found.append({f: count(t) for f, t in zip(FIELDS, texts, strict=True)})
    average = sum(sum(f["body"].values()) for f in found) / len(found)
    scores = [0.0] * len(found)
    for word in words:
        df = sum(any(word in held for held in f.values()) for f in found)
        idf = math.log(1 + (len(found) - df + 0.5) / (df + 0.5))
        for at, held in enumerate(found):
            norm = 1 - fields.b_body + fields.b_body * sum(held["body"].values()) / average
            frequency = sum(
                getattr(fields, f) * held[f].get(word, 0) / (norm if f == "body" else 1)
                for f in FIELDS
            )
            scores[at] += idf * frequency / (fields.k1 + frequency)
    return scores


@pytest.mark.parametrize("question", ["discount coupon", "cart total", "router", "retry backoff"])
def test_scores_are_those_of_the_formula(shop, question):
    words = sorted(set(terms(question)))
    # Signature and qualified name may be indexed with more than a row shows: leave them out.
    fields = replace(FieldWeights(), signature=0.0, qualname=0.0, doc=0.0, stem=0.0, folder=0.0)
    scores = lexical(Corpus.of([shop]), dict.fromkeys(words, 1), fields, 64).scores
    assert scores == pytest.approx(plain_bm25f(shop, words, fields), rel=1e-4)
    assert scores.max() > 0


def test_only_the_rarest_terms_are_scored_when_there_are_too_many(shop):
    found = lexical(
        Corpus.of([shop]), dict.fromkeys(("self", "coupon", "zeppelin"), 1), FieldWeights(), 2
    )
    assert [term.text for term in found.terms] == ["zeppelin", "coupon"]


def test_a_folder_s_name_makes_no_word_common(tmp_path):
    files = {f"billing/{name}.py": f"def {name}():\n    return {name}\n" for name in "abcdefgh"}
    files["billing/ticket.py"] = "def billing():\n    return 'ticket'\n"
    with searchable(files, tmp_path) as view:
        corpus = Corpus.of([view])
        (term,) = lexical(corpus, {"bill": 1}, FieldWeights(), 64).terms
        holding = view.postings("bill").document_frequency()
        assert holding == view.chunk_count > term.df == 1


def test_matched_fields_say_where_a_term_stands(shop):
    corpus = Corpus.of([shop])
    found = lexical(corpus, {"cart": 1}, FieldWeights(), 64)
    rows = np.flatnonzero(found.scores > 0).astype(np.int32)
    matched = matched_fields(corpus, found, rows)
    for row, bits in zip(shop.chunks(rows), matched[0], strict=True):
        stem = row.path.split("/")[-1].split(".")[0]
        assert bool(bits >> FIELDS.index("stem") & 1) == ("cart" in terms(stem))


@given(st.lists(st.integers(0, 5), min_size=1, max_size=40), st.integers(1, 10))
def test_the_best_rows_hold_every_row_that_ties_with_the_last(values, wanted):
    scores = np.array(values, np.float32)
    rows = np.arange(len(values), dtype=np.int32)
    best = best_rows(scores, rows, wanted)
    least = sorted(values, reverse=True)[: min(wanted, len(values))][-1]
    assert set(best.tolist()) == {at for at, value in enumerate(values) if value >= least}


def test_a_view_is_profiled_once_and_its_numbers_hold_together(shop):
    profile = profile_of(shop)
    assert profile_of(shop) is profile
    assert sorted(profile.order.tolist()) == list(range(shop.chunk_count))
    for path, number in profile.number.items():
        rows = profile.order[profile.first[number] : profile.first[number + 1]]
        assert {row.path for row in shop.chunks(rows)} <= {path}
        assert shop.chunk_start[rows].tolist() == sorted(shop.chunk_start[rows].tolist())


# --- roles --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("src/app.py", Role(0)),
        ("src/contest/latest.go", Role(0)),
        ("src/testing.py", Role(0)),
        ("lib/attest.rb", Role(0)),
        ("tests/app.py", Role.TEST),
        ("src/__tests__/app.ts", Role.TEST),
        ("src/app_test.go", Role.TEST),
        ("src/test_app.py", Role.TEST),
        ("src/app.spec.ts", Role.TEST),
        ("src/main/AppTest.java", Role.TEST),
        ("spec/models/cart_spec.rb", Role.TEST),
        ("lib/cart_spec.rb", Role.TEST),
        ("src/CartTest.php", Role.TEST),
        ("Sources/CartTests.swift", Role.TEST),
        ("shop/cart_test.cc", Role.TEST),
        ("Shop.Core.Tests/Cart.cs", Role.TEST),
        ("shop/jvmTest/Cart.kt", Role.TEST),
        ("src/latest/Contest.kt", Role(0)),
        ("README.md", Role.DOCUMENT),
        ("LICENSE-MIT", Role.DOCUMENT),
        ("src/history.py", Role(0)),
        ("lib/changes.rb", Role(0)),
        ("docs/usage.rst", Role.DOCUMENT | Role.DOCS_FOLDER),
        ("docs/conf.py", Role.DOCS_FOLDER),
        ("src/app/docs/render.py", Role(0)),
        ("src/app/docs/render.md", Role.DOCUMENT),
        ("pyproject.toml", Role.CONFIG),
        (".github/workflows/ci.yml", Role.CONFIG),
        ("_examples/rest/main.go", Role.EXAMPLE),
        ("benches/speed.rs", Role.EXAMPLE),
        ("vendor/lib/a.go", Role.VENDORED),
        ("src/legacy/app.py", Role.LEGACY),
        ("proto/app_pb2.py", Role.GENERATED),
        ("Forms/Main.Designer.cs", Role.GENERATED),
        ("lib/shop_pb.rb", Role.GENERATED),
        ("shop-core/api/shop-core.klib.api", Role.GENERATED),
        ("shop/cart.api", Role(0)),
        ("src/app/__init__.py", Role.PACKAGE_INIT),
    ],
)
def test_a_path_tells_the_part_that_a_file_plays(path, role):
    assert role_of(path) == role


def test_a_version_folder_is_outdated_only_beside_a_newer_one():
    assert outdated(("api/v1/a.py", "api/v2/a.py", "old/v1/b.py", "v9x/c.py")) == {"api/v1/"}


# --- weights ------------------------------------------------------------------------------------


def test_every_weight_belongs_to_one_signal_or_penalty():
    names = [name for name, _ in SIGNALS] + [name for name, *_ in PENALTIES]
    assert sorted(names) == sorted(field.name for field in dataclasses.fields(Weights))
    assert FieldWeights().in_order() == tuple(getattr(FieldWeights(), f) for f in FIELDS)


@pytest.mark.parametrize("weight", [field.name for field in dataclasses.fields(Weights)])
def test_a_weight_of_zero_silences_its_signal_and_no_other(shop, weight):
    options = RankOptions(weights=replace(Weights(), **{weight: 0.0}))
    for question in ("Cart.apply_discount", "discount coupon in shop/cart.py"):
        for hit in search(question, [shop], options=options, embedder=STATIC).hits:
            assert all(weight not in span.signals for span in hit.spans)


def test_a_chunk_that_holds_more_of_the_question_has_the_greater_share(tmp_path):
    files = {
        "one.py": "def alpha():\n    return ledger\n",
        "two.py": "def beta():\n    return ledger + refund\n",
        "three.py": "def gamma():\n    return ledger + refund + voucher\n",
    }
    with searchable(files, tmp_path) as view:
        hits = search("ledger refund voucher", [view]).hits
    shares = {hit.path: hit.spans[0].signals["share"] for hit in hits}
    assert shares["one.py"] < shares["two.py"] < shares["three.py"]
    assert shares["three.py"] == pytest.approx(Weights().share, abs=1e-3), "it holds all of them"


def test_each_signal_speaks_where_it_should(shop):
    heard: set[str] = set()
    for question in (
        "Cart.apply_discount",
        "Router",
        "discount coupon in shop/cart.py",
        "how does the Router find a handler for a cart coupon",
        "why does apply_discount refuse a coupon",
        "cart coupon documented",
        "delete an item",
    ):
        for hit in search(question, [shop], embedder=STATIC).hits:
            heard |= {name for span in hit.spans for name in span.signals}
    silent = {name for name, _ in SIGNALS} - heard
    assert not silent
    assert {"test", "document", "config", "example"} <= heard
