"""What an answer by rule says of real definitions is never marked: names, docs, odd spellings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.courier import indexed, tell
from support.gated import check_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clew.index.view import View

FILES = {
    "routes.py": (
        "class Scaffold:\n"
        "    def patch(self, rule):\n"
        '        """Shortcut for a route that takes PATCH."""\n'
        "        return rule\n"
    ),
    "request.rb": (
        "module Rack\n  class Request\n    # Checks whether it was of type PATCH\n"
        "    def patch?\n      verb == 'PATCH'\n    end\n  end\nend\n"
    ),
    "errors.ts": (
        "export interface $ZodCheckDef {\n  check: string;\n}\n\n"
        "export class $ZodError {\n  code = 1;\n}\n"
    ),
    "Stream.scala": (
        "object Stream {\n  def stdout(show: Show): Unit = {\n    show.now()\n  }\n\n"
        "  /** Writes by `Show` and the given charset. */\n"
        "  def lines(text: String): Unit = {\n    println(text)\n  }\n}\n"
    ),
    "order.rb": (
        "class Order\n  # Saves it or says no.\n  def save\n    true\n  end\n\n"
        "  # Saves it or raises.\n  def save!\n    save || raise\n  end\n\n"
        "  def shipped?\n    @shipped\n  end\n\n"
        "  def close\n    save!\n    shipped? && save\n  end\nend\n"
    ),
    "cart.ex": (
        "defmodule Cart do\n  def empty?(c), do: c == []\n\n  def pay!(c), do: empty?(c)\nend\n"
    ),
    "value.php": "<?php\n/** Keeps it. */\nfunction keep($held)\n{\n    return $held;\n}\n",
}


@pytest.fixture(scope="module")
def views(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[View]]:
    with indexed(tmp_path_factory.mktemp("marks"), {"marks": FILES}) as found:
        yield list(found)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("where is Scaffold.patch defined?", "Scaffold.patch"),
        ("what is in request.rb?", "Rack.Request.patch?"),
        ("where is $ZodCheckDef defined?", "$ZodCheckDef"),
        ("where is $ZodError defined?", "$ZodError"),
        ("where is Stream.lines defined?", "Stream.lines"),
    ],
)
def test_nothing_that_is_there_is_marked(views: list[View], question: str, name: str) -> None:
    told = tell(question, *views)
    assert f"`{name}`" in told.text
    assert "[unverified" not in told.text
    assert told.warnings == ()
    assert {citation.verdict for citation in told.citations} == {"verified"}


@pytest.mark.parametrize(
    ("sentence", "why"),
    [
        ("`Scaffold.go` is at `routes.py:2-4`.", "no such file"),
        ("`routes.patch` is at `routes.py:2-4`.", "no such file"),
        ("`$ZodWarning` is at `errors.ts:5-7`.", "no such name"),
        ("`$held` is at `errors.ts:5-7`.", "is not in these lines"),
    ],
)
def test_what_is_only_spelled_so_is_still_marked(
    views: list[View], sentence: str, why: str
) -> None:
    assert why in check_text(f"{sentence}\n", views).text


@pytest.mark.parametrize(
    ("question", "told", "kept_out"),
    [
        (
            "where is Rack.Request.patch? defined?",
            "`Rack.Request.patch?` (method)",
            "`Scaffold.patch`",
        ),
        ("where is patch? defined", "`Rack.Request.patch?` (method)", "`Scaffold.patch`"),
        ("where is save! defined?", "order.rb:8-10", "order.rb:3-5"),
        ("where is Order#save defined?", "order.rb:3-5", "order.rb:8-10"),
        ("who calls save!", "order.rb:17", "order.rb:18"),
        ("who calls save?", "order.rb:18", "order.rb:17"),
        ("who calls Order.shipped??", "order.rb:18", "order.rb:17"),
        ("who calls shipped?", "order.rb:18", "order.rb:17"),
        ("is empty? used anywhere?", "cart.ex:4", "order.rb"),
        ("what does pay! do?", "cart.ex:4", "order.rb"),
        ("what does `shipped?` return?", "order.rb:12", "save"),
        ("who calls Order#shipped?", "order.rb:18", "order.rb:17"),
        ("where is Rack::Request#patch?", "`Rack.Request.patch?` (method)", "`Scaffold.patch`"),
        ("where is Scaffold.patch?", "`Scaffold.patch` (method)", "`Rack.Request.patch?`"),
        # A mark that is the question's, and one that no definition has.
        ("where is Scaffold?", "routes.py:1-4", "order.rb"),
        ("where is Scaffold!", "routes.py:1-4", "order.rb"),
    ],
)
def test_a_name_with_a_mark_of_its_own_is_found_and_no_other(
    views: list[View], question: str, told: str, kept_out: str
) -> None:
    answer = tell(question, *views).text.partition("## Evidence")[0]
    assert told in answer
    assert kept_out not in answer
