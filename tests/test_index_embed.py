"""What has no vectors gets them from what the index holds, step by step, and keeps each step."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import filelock
import numpy as np
import pytest

from clew.errors import ProviderDownError, ProviderRefusedError
from clew.index.build import build
from clew.index.compact import compact
from clew.index.sqlite import SqliteReader
from clew.index.view import open_view
from support.embedders import ToyText, static_model
from support.indexes import options, view_of
from support.snapshots import MemorySnapshot
from test_index_vectors import TREE, all_rows, told


@pytest.fixture
def index(tmp_path):
    return tmp_path / "i.db"


def opened(index, one=TREE):
    return open_view(index, one.source, one.revision)


def fresh_of(one, index):
    return view_of(one, index.with_name("f.db"), embedder=ToyText())


def files(count, changed=-1):
    return MemorySnapshot(
        {
            f"m{at}.py": f"def alpha{at}():\n    return {at}\n\n\n"
            f"def beta{at}():\n    return {'gamma' if at == changed else at}\n".encode()
            for at in range(count)
        }
    )


def test_the_time_of_a_build_counts_that_of_the_vectors(index, monkeypatch):
    build(TREE, index, options())
    text, clock = ToyText(), [0.0]
    monkeypatch.setattr("clew.index.build.time.monotonic", lambda: clock[0])

    def slow(texts, *_):
        clock[0] += 100
        return ToyText().embed(texts)

    text.embed = slow
    assert build(TREE, index, options(embedder=text)).seconds >= 100


def test_another_model_gives_other_vectors_without_reading_the_source_again(tmp_path, index):
    one, other = static_model(tmp_path, seed=1), static_model(tmp_path, seed=2)
    build(TREE, index, options(embedder=one, max_chunks=2))
    with opened(index) as view:
        before = told(view, one)
    again = MemorySnapshot(TREE.files)
    said = []
    report = build(again, index, options(embedder=other), said.append)
    assert (again.reads, report.added, report.embedded, report.problem) == ([], 0, 1.0, "")
    assert {each.phase for each in said} == {"embedding"}
    assert [each.done for each in said] == sorted({each.done for each in said})
    with opened(index) as view, view_of(TREE, tmp_path / "f.db", embedder=other) as fresh:
        assert told(view, other) == told(fresh, other)
        assert told(view, one) == before
    said.clear()
    assert build(again, index, options(embedder=one), said.append).embedded == 1.0
    assert said == []  # switching back costs nothing


def test_search_by_words_goes_on_while_vectors_are_made(tmp_path, index):
    build(TREE, index, options(max_chunks=2))
    model = static_model(tmp_path)
    shares = []

    def look(_):
        with opened(index) as view:
            assert len(view.postings("alpha").chunk)
            assert view.vectors(model.id) is None
            shares.append(view.embedded(model.id))

    build(TREE, index, options(embedder=model), look)
    assert shares[0] == 0
    assert shares == sorted(shares)
    assert len(set(shares)) == len(shares) > 2


def test_a_text_embedder_reads_paths_names_and_lines(index):
    text = ToyText()
    report = build(TREE, index, options(embedder=text))
    assert report.embedded == 1.0
    [gamma] = [each for each in text.texts if each.startswith("b.py\ngamma\n")]
    assert gamma.startswith("b.py\ngamma\ndef gamma():\n    pass")
    with opened(index) as view:
        dense = view.vectors(text.id)
        assert dense.dims == 8
        for at, chunk in enumerate(view.chunks(range(view.chunk_count))):
            body = "\n".join(view.lines(chunk.path, chunk.start_line, chunk.end_line))
            [mine] = {each for each in text.texts if each.startswith(chunk.path) and body in each}
            wanted = text.query(mine, [])
            np.testing.assert_allclose(dense.rows(all_rows(view))[at], wanted, atol=0.005)
        assert (dense.norms > 0).sum() == len(set(view.chunk_doc.tolist()))


def test_texts_are_cut_to_what_the_model_reads(index):
    text = ToyText()
    build(MemorySnapshot({"a.txt": b"word " * 1_000}), index, options(embedder=text))
    assert max(map(len, text.texts)) == text.max_chars


def test_an_edit_embeds_only_the_chunks_that_changed(index):
    text = ToyText()
    build(files(9), index, options(embedder=text))
    assert len(text.texts) == 18
    build(files(9, changed=4), index, options(embedder=text))
    [changed] = text.texts[18:]
    assert "beta4" in changed
    new = files(9, changed=4)
    with opened(index, new) as view, fresh_of(new, index) as fresh:
        assert told(view, text) == told(fresh, text)
    with opened(index, files(9)) as view:
        assert view.embedded(text.id) == 1


@pytest.mark.parametrize("error", [ProviderDownError, ProviderRefusedError])
def test_a_provider_that_says_no_keeps_what_was_made_and_goes_on_later(index, error):
    text = ToyText()
    text.fail, text.fail_after = error("over its quota: wait"), 8
    report = build(files(9), index, options(embedder=text))
    assert (report.chunks, report.problem) == (18, "over its quota: wait")
    assert report.embedded == pytest.approx(8 / 18)
    with opened(index, files(9)) as view:
        assert view.embedded(text.id) == pytest.approx(8 / 18)
        assert view.vectors(text.id) is None
        assert len(view.postings("alpha3").chunk)
    text.fail = None
    assert build(files(9), index, options(embedder=text)).embedded == 1
    assert len(text.texts) == len(set(text.texts)) == 18  # nothing is paid for twice


def long_file(functions):
    return MemorySnapshot(
        {
            "long.py": b"\n\n\n".join(
                b"def alpha%d():\n    return %d" % (at, at) for at in range(functions)
            )
        }
    )


def test_a_file_of_many_batches_keeps_what_was_made_of_it(index):
    one, text = long_file(30), ToyText()
    said = []
    for _ in range(2):
        text.fail, text.fail_after = ProviderDownError("down"), len(text.texts) + 8
        build(one, index, options(embedder=text), said.append)
        with opened(index, one) as view:
            assert view.vectors(text.id) is None
    compact(index, lambda _: True, lambda: None)
    text.fail = None
    assert build(one, index, options(embedder=text), said.append).embedded == 1
    assert len(text.texts) == len(set(text.texts)) == 30  # nothing is paid for twice
    assert [each.done for each in said if each.phase == "embedding"][-1] > 20
    with opened(index, one) as view, fresh_of(one, index) as fresh:
        assert told(view, text) == told(fresh, text)
    with closing(SqliteReader(index)) as reader:
        assert not reader.vector_spans(text.id, "part")


class Blind(ToyText):
    """A model that knows no word of what it is given: its vectors are zeros."""

    def embed(self, texts, *_):
        assert len(self.texts) < 60, "it is asked for the same texts again and again"
        return super().embed(texts) * 0


@pytest.mark.parametrize("batch", [1, 4, 29, 100])
def test_texts_that_say_nothing_to_the_model_are_embedded_once(index, batch):
    one, text = long_file(30), Blind(batch=batch)
    assert build(one, index, options(embedder=text)).embedded == 1
    assert len(text.texts) == len(set(text.texts)) == 30
    again = MemorySnapshot({**one.files, "other.py": one.files["long.py"]})
    assert build(again, index, options(embedder=text)).embedded == 1


def test_who_leaves_keeps_what_was_made(index):
    text = ToyText()

    def leave(step):
        if step.phase == "embedding" and step.done >= 8:
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        build(files(9), index, options(embedder=text), leave)
    build(files(9), index, options(embedder=text))
    assert len(text.texts) == len(set(text.texts)) == 18


KILLED = """
import os, signal
from clew.index.build import build
from support.embedders import ToyText
from support.indexes import options
from test_index_embed import Path, files, sys

class Dying(ToyText):
    def embed(self, texts, *_):
        if len(self.texts) >= int(sys.argv[2]):
            os.kill(os.getpid(), signal.SIGKILL)
        return super().embed(texts)

build(files(9), Path(sys.argv[1]), options(embedder=Dying(), max_chunks=5))
"""


@pytest.mark.parametrize("after", [0, 4, 10])
def test_killed_while_embedding_it_goes_on_from_the_last_step(index, after):
    tests = Path(__file__).parent
    done = subprocess.run(
        [sys.executable, "-c", KILLED, index, str(after)],
        env={**os.environ, "PYTHONPATH": str(tests)},
        check=False,
    )
    assert done.returncode == -signal.SIGKILL
    with opened(index, files(9)) as view:
        assert len(view.postings("alpha3").chunk)
        kept = round(view.embedded(ToyText().id) * 18)
    assert kept >= after
    text = ToyText()
    assert build(files(9), index, options(embedder=text)).embedded == 1
    assert len(text.texts) == 18 - kept
    with opened(index, files(9)) as view, fresh_of(files(9), index) as fresh:
        assert told(view, text) == told(fresh, text)


def test_when_time_is_up_the_rest_is_done_the_next_time(index):
    text = ToyText()
    report = build(files(9), index, options(embedder=text, embed_seconds=0.0))
    assert 0 < report.embedded < 1
    assert report.problem == ""
    while report.embedded < 1:
        report = build(files(9), index, options(embedder=text, embed_seconds=0.0))
    assert len(text.texts) == 18


def test_two_processes_do_not_embed_the_same(index):
    build(files(9), index, options())
    text = ToyText()
    with filelock.FileLock(f"{index}.embed.lock"):
        report = build(files(9), index, options(embedder=text))
    assert (report.embedded, text.texts) == (0, [])


def test_vectors_of_an_index_that_was_written_anew_meanwhile_are_made_again(index):
    text = ToyText()
    one = files(3)
    build(MemorySnapshot({"x.py": b"alpha = 1\n"}), index, options())
    build(one, index, options())
    done = []

    def replace(step):
        if step.phase == "embedding" and not done:
            done.append(step)
            compact(index, lambda row: row.id == one.revision.id, lambda: None)

    assert build(one, index, options(embedder=text), replace).embedded == 1
    assert len(done) == 1
    with opened(index, one) as view, view_of(one, index.with_name("f.db"), embedder=text) as fresh:
        assert told(view, text) == told(fresh, text)


def test_partial_vectors_outlive_joins_and_compactions(index):
    text = ToyText()
    text.fail, text.fail_after = ProviderDownError("down"), 12
    old = MemorySnapshot({"old.py": b"old = 1\n" * 3, **files(9).files})
    build(old, index, options(embedder=text, max_chunks=5))
    compact(index, lambda row: row.id == old.revision.id, lambda: None)
    build(files(9), index, options(embedder=text, max_chunks=5))
    compact(index, lambda row: row.id == files(9).revision.id, lambda: None)
    with opened(index, files(9)) as view:
        assert 0.5 < view.embedded(text.id) < 1
    text.fail = None
    build(files(9), index, options(embedder=text))
    assert len(text.texts) == len(set(text.texts))
    with opened(index, files(9)) as view:
        assert view.embedded(text.id) == 1
    with opened(index, files(9)) as view, fresh_of(files(9), index) as fresh:
        assert told(view, text) == told(fresh, text)


def test_a_compaction_drops_the_vectors_of_other_embedders(tmp_path, index):
    one, text = static_model(tmp_path), ToyText()
    for embedder in (one, text):
        build(TREE, index, options(embedder=embedder))
    compact(index, lambda _: True, lambda: None)
    assert stored(index) == sorted([one.id, text.id])
    compact(index, lambda _: True, lambda: None, text.id)
    assert stored(index) == [text.id]
    with opened(index) as view:
        assert view.embedded(text.id) == 1
    compact(index, lambda _: True, lambda: None, "")
    assert stored(index) == []


def stored(index):
    from clew.index.generations import generations

    with closing(SqliteReader(generations(index)[0])) as reader:
        return reader.embedders()


def test_a_revision_of_a_folder_embeds_what_lies_in_it(index):
    text = ToyText()
    both = {"lib/a.py": b"alpha = 1\n", "b.py": b"beta = 2\n"}
    part = MemorySnapshot(both, prefix="lib/")
    assert build(part, index, options(embedder=text)).embedded == 1
    assert len(text.texts) == 1
    build(MemorySnapshot(both), index, options())
    assert build(part, index, options(embedder=text)).embedded == 1
    assert len(text.texts) == 1  # only what is asked is paid for
