"""How reStructuredText, AsciiDoc, plain text and notebooks are cut."""

from __future__ import annotations

import json

from clew.chunks.parse import parse
from support.snippets_config import NOTEBOOK

WORDS = "Some words about the thing at hand, long enough to fill a line of text.\n" * 4


def sections(path: str, text: str) -> list[tuple[int, int, str]]:
    return [(c.start_line, c.end_line, c.qualname) for c in parse(path, text).chunks]


# --- reStructuredText ------------------------------------------------------------------------


def test_rst_levels_follow_the_order_of_signs():
    text = (
        f"====\nTop\n====\n\n{WORDS}\nOne\n~~~\n\n{WORDS}\n"
        f"Two\n...\n\n{WORDS}\nThree\n~~~~~\n\n{WORDS}"
    )
    assert [name for *_, name in sections("a.rst", text)] == [
        "Top",
        "Top > One",
        "Top > One > Two",
        "Top > Three",
    ]


def test_an_rst_table_literal_block_or_rule_is_no_heading():
    text = (
        f"Top\n===\n\n{WORDS}\n===  ===\na    b\n===  ===\n\nSo::\n\n    In\n    ==\n\n"
        f"----\n\n{WORDS}+---+\n| a |\n+---+\n"
    )
    assert [name for *_, name in sections("a.rst", text)] == ["Top"]


def test_an_rst_label_belongs_to_the_heading_below_and_titles_are_plain():
    text = f"Top\n===\n\n{WORDS}\n.. _use:\n\n:ref:`Use <use>` of ``run()``\n-----\n\n{WORDS}"
    assert sections("a.rst", text) == [(1, 8, "Top"), (9, 17, "Top > Use of run()")]


def test_long_rst_is_not_cut_inside_what_is_indented():
    block = ".. code-block:: py\n\n" + "    x = 1\n\n" * 12
    text = "Top\n===\n\n" + (WORDS + "\n" + block) * 8
    rows = text.split("\n")
    found = sections("a.rst", text)
    assert len(found) > 2
    assert all(not rows[start - 1].startswith(" ") for start, *_ in found)


# --- AsciiDoc --------------------------------------------------------------------------------


def test_asciidoc_headings_of_both_kinds_are_found():
    text = f"= Top\n\n{WORDS}\n[[one]]\n== One *now*\n\n{WORDS}\nOld style\n~~~~~~~~~\n\n{WORDS}"
    assert sections("a.adoc", text) == [
        (1, 7, "Top"),
        (8, 15, "Top > One now"),
        (16, 22, "Top > One now > Old style"),
    ]


def test_asciidoc_blocks_and_comments_hold_no_headings():
    text = f"= Top\n\n{WORDS}\n----\n== a\n----\n\n////\n== b\n////\n\n....\nc\n~\n....\n\n{WORDS}"
    assert [name for *_, name in sections("a.adoc", text)] == ["Top"]


# --- plain text ------------------------------------------------------------------------------


def test_what_looks_like_a_heading_in_plain_text_is_one():
    text = (
        f"Guide to it\n===========\n\n{WORDS}\nINSTALLING\n\n{WORDS}\n2.1 Using it\n\n{WORDS}\n"
        f"----------------------\nOn a rule\n\n{WORDS}"
    )
    assert [name for *_, name in sections("README", text)] == [
        "Guide to it",
        "Guide to it > INSTALLING",
        "Guide to it > INSTALLING > 2.1 Using it",
        "Guide to it > On a rule",
    ]


def test_a_sentence_a_number_or_a_list_is_no_heading():
    text = f"{WORDS}\n1. Do this.\n\nNOT\nALONE\n\n3 apples;\n\n-----\n\nA B\n- x\n"
    assert {name for *_, name in sections("a.txt", text)} == {""}


# --- notebooks -------------------------------------------------------------------------------


def test_a_notebook_has_its_cells_as_chunks_and_drops_outputs():
    parsed = parse("a.ipynb", NOTEBOOK)
    rows = NOTEBOOK.split("\n")
    covered = [rows[c.start_line - 1 : c.end_line] for c in parsed.chunks]
    assert [(c.kind, c.name, c.parents) for c in parsed.chunks] == [
        ("section", "Train a model", ()),
        ("block", "", ("Train a model",)),
        ("block", "", ("Train a model",)),
    ]
    assert "# Train a model" in covered[0][0]
    assert "%matplotlib" in covered[1][0]
    assert "return" in covered[1][-1]
    assert not any("output of a run" in line for lines in covered for line in lines)


def test_code_in_a_notebook_has_symbols_on_the_files_own_lines():
    parsed = parse("a.ipynb", NOTEBOOK)
    rows = NOTEBOOK.split("\n")
    assert [(s.qualname, s.kind) for s in parsed.symbols] == [("train", "function")]
    assert "def train" in rows[parsed.symbols[0].line - 1]
    assert {r.name for r in parsed.references if r.kind == "call"} == {"fit", "zeros", "train"}
    assert all(r.name in rows[r.line - 1] for r in parsed.references)


def test_a_long_cell_is_cut_like_a_file():
    source = [
        f"def f{n}():\n" if k == 0 else f"    x{k} = {k}\n" for n in range(8) for k in range(12)
    ]
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "source": source}
    text = json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4}, indent=1)
    assert [c.name for c in parse("a.ipynb", text).chunks] == [f"f{n}" for n in range(8)]


def test_a_notebook_on_one_line_gets_windows():
    text = json.dumps(json.loads(NOTEBOOK))
    assert [c.kind for c in parse("a.ipynb", text).chunks] == ["window"]
