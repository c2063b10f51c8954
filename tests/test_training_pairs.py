"""What training material is made of a repository: questions, and code without their answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from training import arrays, bags, changes, collect, mirrors, questions
from training.collect import CHANGE, COMMENT, HEADING, NAME, SENTENCE, Limits, Material

from clew.index import tokens
from support.gitrepo import GitRepo

if TYPE_CHECKING:
    from pathlib import Path

PYTHON = '''"""Everything about refunds."""


class RefundQueue:
    """Keeps the refunds that a bank has not answered yet."""

    @traced
    def retry_refund_later(self, order, delay):
        """Puts an order back so that it is tried again after a while.

        Args:
            order: What was paid.
        """
        # the bank forgets what it heard within one minute
        moment = self.clock.now() + delay
        self.waiting.push(order, moment)
'''
PYTHON += "".join(f"        self.ledger.note_{n}(order, moment, delay)\n" for n in range(40))
PYTHON += "        return moment\n"
GO = """package queue

// PushAll adds several items at once while holding the lock.
func (q *Queue) PushAll(items []Item) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	q.items = append(q.items, items...)
}
"""
GUIDE = """# Pausing the worker

Send it a signal and wait.
It ends what it has begun.
Nothing is lost meanwhile.
Then start it again.
"""


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    made = GitRepo(tmp_path / "shop")
    made.write("shop/refunds.py", PYTHON)
    made.write("queue/queue.go", GO)
    made.write("docs/guide.md", GUIDE)
    made.write("tests/test_refunds.py", PYTHON.replace("bank", "inspector"))
    made.write("LICENSE", "Boost Software License - Version 1.0 - August 17th, 2003\n")
    made.commit("Start")
    made.write(
        "queue/queue.go", GO.replace("q.mutex.Lock()", "q.mutex.Lock() // waits for readers")
    )
    made.commit("queue: wait until nobody reads the items any more (#12)")
    return made


def read(repo: GitRepo, *, held_out: bool = False) -> Material:
    git_dir = repo.path / ".git"
    return collect.collect(git_dir, mirrors.commit_of(git_dir), Limits(), held_out=held_out)


def asked(found: Material, kind: int) -> list[tuple[set[str], set[str]]]:
    """The terms of each question of a kind, with those of its bag."""
    return [
        (set(terms), {term for term, _, _ in found.bags[at]})
        for one, terms, at in found.questions
        if one == kind
    ]


# --- what is asked ---------------------------------------------------------------------------


def test_a_doc_comment_asks_for_its_code_which_has_lost_it(repo: GitRepo) -> None:
    found = {" ".join(sorted(question)): bag for question, bag in asked(read(repo), SENTENCE)}
    wanted = " ".join(
        sorted(tokens.count("Puts an order back so that it is tried again after a while"))
    )
    bag = found[wanted]
    assert {"moment", "retryrefundlater", "trace"} <= bag
    assert not {"tri", "paid", "while"} & bag
    assert any("append" in bag and "hold" not in bag for bag in found.values())


def test_a_name_asks_for_its_code_without_the_name(repo: GitRepo) -> None:
    chunk = next(
        bag
        for bag in read(repo, held_out=True).bags
        if any(t == "retryrefundlater" for t, _, _ in bag)
    )
    left = {(term, field) for term, field, _ in bags.without_name(chunk, "retry_refund_later")}
    assert not {"retryrefundlater", "retri", "later"} & {term for term, _ in left}
    assert ("refundqueue", bags.QUALNAME) in left
    assert ("moment", bags.BODY) in left


def test_a_comment_inside_asks_for_the_code_around_it(repo: GitRepo) -> None:
    (question, bag), *_ = asked(read(repo), COMMENT)
    assert {"bank", "forget", "minut"} <= question
    assert not {"forget", "minut"} & bag
    assert "moment" in bag


def test_a_commit_asks_for_what_it_changed(repo: GitRepo) -> None:
    ((question, bag),) = asked(read(repo), CHANGE)
    assert question == set(tokens.count("wait until nobody reads the items any more"))
    assert "pushall" in bag


def test_a_heading_asks_for_its_section_without_it(repo: GitRepo) -> None:
    question, bag = asked(read(repo), HEADING)[0]
    assert question == {"paus", "worker"}
    assert "signal" in bag
    assert "paus" not in bag


def test_tests_and_what_they_say_are_not_read(repo: GitRepo) -> None:
    terms = {term for bag in read(repo).bags for term, _, _ in bag}
    assert "inspector" not in terms
    assert "bank" in terms


def test_held_out_material_keeps_every_chunk_and_no_doc_comment(repo: GitRepo) -> None:
    found = read(repo, held_out=True)
    assert {kind for kind, _, _ in found.questions} == {SENTENCE, CHANGE}
    assert not any(field == bags.DOC for bag in found.bags for _, field, _ in bag)
    assert len(found.file_of) == len(found.bags) > 4


def test_the_same_commit_gives_the_same_material(repo: GitRepo) -> None:
    one, other = read(repo), read(repo)
    assert one == other


# --- what is a question ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("doc", "wanted"),
    [
        ("Counts what is left. Then more.", "Counts what is left."),
        ("@brief Counts what is left\n@param x it", "Counts what is left"),
        (
            "Counts {@link Things things} that are `left`\n\nMore",
            "Counts Things things that are left",
        ),
        (
            "Counts :py:class:`~a.Thing` once\nAnd again.\nArgs:\n  x",
            "Counts a.Thing once And again.",
        ),
        ("@param x it", ""),
    ],
)
def test_the_first_sentence_of_a_doc_comment_loses_its_markup(doc: str, wanted: str) -> None:
    assert questions.first_sentence(doc) == wanted


@pytest.mark.parametrize(
    "doc",
    [
        "Gets it.",
        "Copyright 2026 the authors of this file",
        "TODO make this work for larger orders too",
        "x = y + z * 3; q[1] -> (a, b, c) => {}",
        "Zählt was von der Bestellung übrig ist",
    ],
)
def test_what_is_no_prose_is_no_question(doc: str) -> None:
    assert not questions.question(doc, "")


def test_a_question_does_not_begin_with_the_name_that_it_asks_for() -> None:
    assert questions.question("PushAll adds several items at once", "PushAll") == (
        "adds several items at once"
    )


def test_a_change_is_answered_by_the_chunk_that_holds_most_of_its_lines() -> None:
    chunks = [["import things"], ["    count += delta", "    return count"]]
    assert changes.answer(["count += delta", "return count"], chunks) == 1
    assert changes.answer(["gone altogether", "and this too"], chunks) is None
    assert changes.answer([], chunks) is None


# --- arrays ----------------------------------------------------------------------------------


def test_arrays_hold_what_was_packed_and_survive_a_file(tmp_path: Path) -> None:
    found = Material(
        bags=[[("alpha", 0, 2), ("beta", 5, 1)], [], [("beta", 3, 7)]],
        questions=[(SENTENCE, {"beta": 1}, 2), (NAME, {"gamma": 2, "alpha": 1}, 0)],
        file_of=[0, 0, 1],
        files=2,
    )
    path = tmp_path / "one.npz"
    arrays.save(path, arrays.pack(found))
    both = arrays.join([arrays.load(path), arrays.load(path)])
    assert both.terms == ("alpha", "beta", "gamma")
    assert both.bag_start.tolist() == [0, 2, 2, 3, 5, 5, 6]
    assert both.bag_times.tolist() == [2, 1, 7] * 2
    assert both.asked_bag.tolist() == [2, 0, 5, 3]
    assert both.repo.tolist() == [0, 0, 1, 1]
    assert both.file_of.tolist() == [0, 0, 1, 2, 2, 3]
    one = arrays.pick(both, np.array([2, 5]), np.array([2]))
    assert [one.terms[term] for term in one.bag_term] == ["beta", "beta"]
    assert one.asked_bag.tolist() == [1]
