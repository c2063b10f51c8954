"""What a view of an index says about a revision."""

from __future__ import annotations

import math
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clew.errors import IndexFailedError, InputError, NotFoundError
from clew.index.postings import FIELDS
from clew.index.tokens import count, terms
from clew.index.view import indexed_revisions, open_view
from clew.types import Revision
from support.indexes import FIELD, view_of
from support.snapshots import MemorySnapshot

SHOP = b'''"""The shop."""
import decimal


class Basket:
    """Holds what a customer has chosen."""

    def add_item(self, item, count=1):
        """Put an item in."""
        self.items.append((item, count))

    def total(self):
        return sum(price(item) * count for item, count in self.items)


def price(item):
    return decimal.Decimal(item.price)
'''
FILES = {
    "README.md": b"# Shop\n\nA basket keeps items.\n\n## Paying\n\nPay at the counter.\n",
    "src/shop.py": SHOP,
    "src/copy.py": SHOP,
    "src/blank.py": b"x = 1",
    "logo.png": b"\x89PNG\0\0\0",
}


@pytest.fixture
def view(tmp_path):
    with view_of(MemorySnapshot(FILES), tmp_path / "i.db") as view:
        yield view


def test_documents_are_all_paths_of_the_revision_with_the_reason_when_skipped(view):
    assert [doc.path for doc in view.documents()] == sorted(FILES)
    assert [doc.id for doc in view.documents()] == list(range(len(FILES)))
    assert view.document("logo.png").skip
    assert sum(view.skipped().values()) == 1
    shop = view.document("src/shop.py")
    assert (shop.skip, shop.language, shop.lines, shop.size) == ("", "python", 17, len(SHOP))
    assert view.document("src") is None
    assert view.document("src/nothing.py") is None


def test_a_chunk_can_be_read_back_with_its_place_and_words(view):
    rows = view.chunks(range(view.chunk_count))
    [chunk] = [row for row in rows if row.name == "price" and row.path == "src/shop.py"]
    assert (chunk.kind, chunk.qualname, chunk.doc_comment) == ("function", "price", "")
    assert "def price(item)" in chunk.signature
    assert chunk.start_line <= 16 <= 17 <= chunk.end_line
    assert view.documents()[chunk.doc].path == "src/shop.py"
    assert view.chunk_start[chunk.id] == chunk.start_line
    assert view.chunk_end[chunk.id] == chunk.end_line
    assert {row.doc_comment for row in rows if row.name == "Basket"} == {
        "Holds what a customer has chosen."
    }
    assert [row.id for row in view.chunks([3, 1, 3])] == [3, 1, 3]
    assert view.chunks([]) == []


def test_chunk_ids_follow_paths_then_lines(view):
    assert view.live.all()
    assert len(view.live) == view.chunk_count
    assert (np.diff(view.chunk_doc) >= 0).all()
    same = np.diff(view.chunk_doc) == 0
    assert (np.diff(view.chunk_start)[same] >= 0).all()


def test_postings_say_which_field_of_which_chunk_holds_a_term_how_often(view):
    found = view.postings("price")
    rows = view.chunks(sorted(set(found.chunk.tolist())))
    assert {row.path for row in rows} == {"src/copy.py", "src/shop.py"}
    fields = {FIELDS[field] for field in found.field.tolist()}
    assert {"name", "qualname", "body", "signature"} <= fields
    assert (np.diff(found.chunk) >= 0).all()
    assert found.document_frequency() == len(rows)


def test_a_files_own_name_and_folders_are_fields_of_each_of_its_chunks(view):
    shop = view.document("src/shop.py").id
    mine = set(np.flatnonzero(view.chunk_doc == shop).tolist())
    stem, folder = view.postings("shop"), view.postings("src")
    assert mine <= set(stem.chunk[stem.field == FIELD["stem"]].tolist())
    assert mine <= set(folder.chunk[folder.field == FIELD["folder"]].tolist())


def test_an_unknown_term_has_no_postings(view):
    found = view.postings("zebra")
    assert (len(found.chunk), len(found.field), len(found.tf)) == (0, 0, 0)
    assert found.document_frequency() == 0


def test_a_count_above_a_byte_saturates(tmp_path):
    files = {"a.md": b"# words\n\n" + b"kangaroo " * 300 + b"\n"}
    with view_of(MemorySnapshot(files), tmp_path / "i.db") as view:
        found = view.postings("kangaroo")
        assert found.tf.max() == 255
        assert view.field_lengths[FIELD["body"]].max() >= 300


def test_text_and_lines_are_those_of_the_file(view):
    assert view.text("src/shop.py") == SHOP.decode()
    assert view.lines("src/shop.py", 16, 17) == SHOP.decode().split("\n")[15:17]
    assert view.lines("src/blank.py", 1, 1) == ["x = 1"]


@pytest.mark.parametrize("span", [(0, 1), (1, 18), (3, 2), (18, 18), (-1, 2)])
def test_a_range_outside_the_file_is_an_error_that_names_its_length(view, span):
    with pytest.raises(InputError, match="17 lines"):
        view.lines("src/shop.py", *span)


def test_a_file_that_is_not_there_or_not_indexed_has_no_text(view):
    with pytest.raises(NotFoundError, match="nothing"):
        view.text("nothing.py")
    with pytest.raises(NotFoundError, match="not indexed"):
        view.text("logo.png")
    with pytest.raises(NotFoundError):
        view.redactions("nothing.py")


def test_texts_stream_by_path_or_as_asked(view):
    assert [doc.path for doc, _ in view.texts()] == [
        "README.md",
        "src/blank.py",
        "src/copy.py",
        "src/shop.py",
    ]
    asked = ["src/shop.py", "logo.png", "nothing", "README.md"]
    assert [doc.path for doc, _ in view.texts(asked)] == ["src/shop.py", "README.md"]
    assert dict(view.texts())[view.document("src/shop.py")] == SHOP.decode()


def test_definitions_and_references_are_found_by_name(view):
    found = view.definitions("price")
    assert [(row.path, row.kind, row.line) for row in found] == [
        ("src/copy.py", "function", 16),
        ("src/shop.py", "function", 16),
    ]
    assert view.definitions("BASKET") == []
    assert {row.name for row in view.definitions("BASKET", fold=True)} == {"Basket"}
    assert ("src/shop.py", 13) in {(row.path, row.line) for row in view.references("price")}
    assert view.has_name("add_item")
    assert view.has_name("Decimal")
    assert not view.has_name("Zebra")
    assert [row.name for row in view.symbols_in("src/shop.py")][:2] == ["Basket", "add_item"]
    assert view.symbols_in("README.md") == view.symbols_in("nothing") == []


def test_a_secret_is_replaced_in_every_view_of_the_text_and_counted(tmp_path):
    key = "AKIA" + "QWERTYUIOPASDF23"
    files = {"conf.py": f'name = "a"\nAWS_KEY = "{key}"\nafter = 1\n'.encode()}
    path = tmp_path / "i.db"
    with view_of(MemorySnapshot(files), path) as view:
        assert view.redactions("conf.py") == 1
        assert "[REDACTED" in view.lines("conf.py", 2, 2)[0]
        assert view.lines("conf.py", 3, 3) == ["after = 1"]
        assert not len(view.postings(key.lower()).chunk)
    stored = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert key.encode() not in stored
    assert key.lower().encode() not in stored


def test_a_prefix_bounds_everything(tmp_path):
    snapshot = MemorySnapshot(FILES, prefix="src/")
    with view_of(snapshot, tmp_path / "i.db") as view:
        assert [doc.path for doc in view.documents()] == [
            path for path in sorted(FILES) if path.startswith("src/")
        ]
        assert not len(view.postings("counter").chunk)


def test_a_revision_that_is_not_indexed_is_an_error(tmp_path):
    snapshot = MemorySnapshot(FILES)
    path = tmp_path / "i.db"
    with pytest.raises(IndexFailedError, match="not indexed"):
        open_view(path, snapshot.source, snapshot.revision)
    assert indexed_revisions(path) == []
    view_of(snapshot, path).close()
    with pytest.raises(IndexFailedError, match="not indexed"):
        open_view(path, snapshot.source, Revision("other", "other"))
    [row] = indexed_revisions(path)
    assert (row.revision, row.prefix, row.files) == (snapshot.revision.id, "", 4)


def test_threads_may_share_a_view(view):
    def ask(at):
        word = ("basket", "item", "price", "counter")[at % 4]
        rows = view.chunks(view.postings(word).chunk.tolist())
        return word, len(rows), view.text("src/shop.py"), len(list(view.texts()))

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(ask, range(200)))
    assert len({(word, rows) for word, rows, _, _ in found}) == 4
    assert {(text, many) for _, _, text, many in found} == {(SHOP.decode(), 4)}


# --- BM25 from the view equals BM25 from the words --------------------------------------------

WORDS = st.sampled_from(
    ["alpha", "beta", "gamma", "delta", "getItem", "get_item", "retries", "retry", "the"]
)
TEXTS = st.lists(st.lists(WORDS, max_size=30).map(" ".join), min_size=1, max_size=6)
WEIGHTS = dict.fromkeys(FIELDS, 1.0) | {"name": 5.0, "stem": 5.0, "folder": 1.5}
K1, B = 1.0, 0.6


def bm25f(tfs, lengths, averages, idf):
    """The score of one chunk for one term, from {field: tf} and {field: length}."""
    weighted = sum(
        WEIGHTS[field] * tf / (1 - B + B * lengths[field] / (averages[field] or 1))
        for field, tf in tfs.items()
    )
    return idf * weighted * (K1 + 1) / (weighted + K1)


def from_words(view, query):
    """The reference: dictionaries over the chunks' own words."""
    chunks = []
    for row in view.chunks(range(view.chunk_count)):
        folder, _, file = row.path.rpartition("/")
        body = "\n".join(view.text(row.path).split("\n")[row.start_line - 1 : row.end_line])
        words = (row.name, file.rpartition(".")[0], row.qualname, row.doc_comment, folder, body)
        texts = dict(zip(FIELDS, (*words, row.signature), strict=True))
        chunks.append({field: count(text) for field, text in texts.items()})
    lengths = [{field: sum(counts.values()) for field, counts in each.items()} for each in chunks]
    averages = {field: sum(each[field] for each in lengths) / len(lengths) for field in FIELDS}
    scores = Counter()
    for term in sorted(set(terms(query))):
        holding = [at for at, each in enumerate(chunks) if any(term in each[f] for f in FIELDS)]
        idf = math.log(1 + (len(chunks) - len(holding) + 0.5) / (len(holding) + 0.5))
        for at in holding:
            tfs = {field: chunks[at][field][term] for field in FIELDS if term in chunks[at][field]}
            scores[at] += bm25f(tfs, lengths[at], averages, idf)
    return scores


def from_view(view, query):
    averages = dict(zip(FIELDS, view.field_lengths.mean(axis=1).tolist(), strict=True))
    scores = Counter()
    for term in sorted(set(terms(query))):
        found = view.postings(term)
        df = found.document_frequency()
        idf = math.log(1 + (view.chunk_count - df + 0.5) / (df + 0.5))
        by_chunk = {}
        rows = zip(found.chunk.tolist(), found.field.tolist(), found.tf.tolist(), strict=True)
        for chunk, field, tf in rows:
            by_chunk.setdefault(chunk, {})[FIELDS[field]] = tf
        for chunk, tfs in by_chunk.items():
            lengths = dict(zip(FIELDS, view.field_lengths[:, chunk].tolist(), strict=True))
            scores[chunk] += bm25f(tfs, lengths, averages, idf)
    return scores


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(texts=TEXTS, query=st.lists(WORDS, min_size=1, max_size=4).map(" ".join))
def test_scores_from_the_view_equal_a_plain_bm25_over_the_same_chunks(
    tmp_path_factory, texts, query
):
    files = {
        f"docs/page{at}.md": f"# {text[:9]}\n\n{text}\n".encode() for at, text in enumerate(texts)
    }
    files["src/code.py"] = "".join(
        f"def f{at}():\n    '''{text}'''\n    return 1\n\n\n" for at, text in enumerate(texts)
    ).encode()
    path = tmp_path_factory.mktemp("bm25") / "i.db"
    with view_of(MemorySnapshot(files), path, max_chunks=3) as view:
        expected, found = from_words(view, query), from_view(view, query)
        assert set(found) == set(expected)
        assert all(math.isclose(found[at], expected[at]) for at in expected)
