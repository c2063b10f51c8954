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
