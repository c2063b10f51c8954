"""outline, who_calls, what_calls, and the grades of uses, on really indexed code."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from clew.errors import InputError, NotFoundError
from clew.tools.calls import MAX_CALLS, what_calls, who_calls
from clew.tools.find_symbol import find_symbol
from clew.tools.outline import outline
from clew.tools.scope import Scope
from support.fakeview import fake_scope
from support.searchable import SHOP, searchable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

PYTHON = {
    "store/__init__.py": "from .cart import Cart\n",
    "store/cart.py": (
        "from store.money import Money\n\n\nclass Cart:\n    def add(self, item):\n"
        "        self.check(item)\n        return Money(1)\n\n    def check(self, item):\n"
        "        return len(item)\n\n\ndef total(cart):\n    return cart.add(1)\n"
    ),
    "store/money.py": "class Money:\n    def __init__(self, cents):\n        self.cents = cents\n",
    "app.py": (
        "import requests\nfrom store import Cart\nfrom store.cart import (\n    total,\n)\n"
        "from vendor.cart import check\n\nCart()\ntotal(Cart())\ncheck(1)\nrequests.get(2)\n"
    ),
    "other.py": "total(1)\nclass Box:\n    def check(self):\n        pass\n",
}
SCRIPTS = {
    "site/router.ts": "export class Router {\n  go() { return 1; }\n}\nexport function make() {}\n",
    "site/app.ts": (
        "import {\n  Router,\n  make,\n} from './router';\nmake();\nnew Router().go();\n"
    ),
    "site/far.js": "const { make } = require('left-pad');\nmake();\n",
    "go/shop/pay.go": "package shop\n\nfunc Pay(n int) int { return n }\n",
    "go/shop/cart.go": "package shop\n\nfunc Cart() int { return Pay(1) }\n",
    "go/main.go": (
        'package main\n\nimport "example.com/x/go/shop"\n\nfunc main() { shop.Pay(1) }\n'
    ),
    "java/com/foo/Bar.java": (
        "package com.foo;\nclass Bar {\n  static int run() { return 1; }\n"
        "  int twice() { return run() + run(); }\n}\n"
    ),
    "java/com/app/Main.java": (
        "package com.app;\nimport com.foo.Bar;\nclass Main {\n  int go() { return Bar.run(); }\n}\n"
    ),
    "src/cart.rs": "pub struct Basket;\npub fn empty() -> Basket { Basket }\n",
    "src/main.rs": "use crate::cart::{empty, Basket};\nfn main() { empty(); }\n",
}


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scope]:
    folder: Path = tmp_path_factory.mktemp("code")
    with searchable({**PYTHON, **SCRIPTS, **SHOP}, folder) as view:
        yield Scope((view,))


def grades(scope: Scope, name: str) -> Mapping[tuple[str, int], str]:
    uses = find_symbol(scope, name).data.uses
    return {(use.path, use.line): use.grade for use in uses}


@pytest.mark.parametrize(
    ("name", "path", "line", "grade"),
    [
        ("Money", "store/cart.py", 7, "resolved"),  # imported from where it is defined
        ("Cart.add", "store/cart.py", 14, "textual"),  # some object's method of that name
        ("Cart.check", "store/cart.py", 6, "resolved"),  # self, in the class itself
        ("Cart", "app.py", 8, "resolved"),  # imported from a package that passes it on
        ("total", "app.py", 9, "resolved"),  # an import over several lines
        ("Cart.check", "app.py", 10, "textual"),  # imported from a dependency
        ("make", "site/app.ts", 5, "resolved"),
        ("Router", "site/app.ts", 6, "resolved"),
        ("make", "site/far.js", 2, "textual"),
        ("Pay", "go/shop/cart.go", 3, "resolved"),  # one package
        ("Pay", "go/main.go", 5, "resolved"),
        ("Bar.run", "java/com/foo/Bar.java", 4, "resolved"),
        ("Bar.run", "java/com/app/Main.java", 4, "resolved"),
        ("empty", "src/main.rs", 2, "resolved"),
    ],
)
def test_a_use_is_graded(code: Scope, name: str, path: str, line: int, grade: str) -> None:
    assert grades(code, name)[path, line] == grade


def test_a_name_from_a_dependency_says_which(code: Scope) -> None:
    (use,) = [u for u in find_symbol(code, "check").data.uses if (u.path, u.line) == ("app.py", 10)]
    assert use.origin == "vendor.cart"


def test_callers_come_with_the_function_they_are_in(code: Scope) -> None:
    result = who_calls(code, "total", "app.py")
    (caller,) = result.data.callers
    assert (caller.path, caller.name) == ("app.py", "")
    assert "app.py at file level\n    9: total(Cart()) [resolved]" in result.text
    (inside,) = who_calls(code, "Money", "store").data.callers[:1]
    assert (inside.name, inside.kind, inside.start_line) == ("Cart.add", "method", 5)
    assert "store/cart.py:5-7 method Cart.add\n    7: return Money(1) [resolved]" in (
        who_calls(code, "Money").text
    )
    assert "Defined: store/cart.py" in who_calls(code, "Cart.check").text


def test_uses_that_are_no_calls_are_counted_and_not_shown(code: Scope) -> None:
    result = who_calls(code, "Router")
    assert "(1 use that is no call: find_symbol shows them)" in result.text
    assert {use.kind for c in result.data.callers for use in c.calls} == {"call"}


def test_callees_come_with_their_definitions(code: Scope) -> None:
    result = what_calls(code, "Cart.add", "store/cart.py")
    found = {c.name: (c.path, c.qualname, c.grade) for c in result.data.callees}
    assert found["check"] == ("store/cart.py", "Cart.check", "resolved")
    assert found["Money"] == ("store/money.py", "Money", "resolved")
    assert "Cart.check at store/cart.py:9-10 [resolved], called in line 6" in result.text
    outside = what_calls(code, "Cart.check", "store/cart.py")
    assert "defined nowhere here: len" in outside.text


def test_what_has_no_body_here_is_said_to_have_none(code: Scope) -> None:
    with pytest.raises(NotFoundError, match="has no body to read"):
        what_calls(code, "requests")
    with pytest.raises(NotFoundError, match="Nothing named"):
        who_calls(code, "no_such_thing_anywhere")


def test_hundreds_of_calls_are_counted_by_folder() -> None:
    files = {f"pkg{n % 3}/f{n}.py": "go()\n" * 10 for n in range(30)} | {"go.py": "def go():\n"}
    result = who_calls(fake_scope(files), "go")
    assert result.data.total == 300
    assert sum(len(c.calls) for c in result.data.callers) == MAX_CALLS
    assert "Calls by folder:\n  pkg0/  100 calls\n" in result.text
    assert "narrow with scope_path" in result.cut


def test_calls_that_take_too_long_to_grade_stop_and_say_how_far_they_came() -> None:
    files = {"a/f.py": "go()\n" * 10, "b/f.py": "go()\n", "go.py": "def go():\n    stop()\n"}
    scope = fake_scope(files, seconds=-1.0)
    calls = who_calls(scope, "go")
    assert (calls.data.total, calls.data.callers) == (11, ())
    assert calls.summary == "11 calls from 0 places or more"
    assert "0 of 11 calls shown; the time limit of -1 s was reached after 0 of them" in calls.cut
    assert calls.cut.endswith('narrow with scope_path=…, such as "a"')
    called = what_calls(scope, "go")
    assert called.data.callees == ()
    assert "the time limit of -1 s was reached after 0 definitions; ask about one" in called.cut


def test_an_outline_has_every_definition_and_no_body(code: Scope) -> None:
    result = outline(code, "shop/payment.py")
    assert result.data.total == 10
    assert "  6-" in result.text
    assert "class PaymentGateway" in result.text
    assert "    9-11 method def charge(self, card, amount)" in result.text
    assert "time.sleep" not in result.text
    assert all(e.found_by == "outline shop/payment.py" for e in result.evidence)


def test_an_outline_takes_kinds_and_node_types(code: Scope) -> None:
    methods = outline(code, "shop/payment.py", "method").data
    assert {row.kind for row in methods.rows} == {"method"}
    both = outline(code, "shop/payment.py", "class, function").data
    assert [row.name for row in both.rows] == ["PaymentGateway", "retry_with_backoff"]
    raw = outline(code, "shop/payment.py", "for_statement")
    assert [row.signature for row in raw.data.rows] == ["for attempt in range(attempts):"]
    with pytest.raises(InputError, match="did you mean for_statement"):
        outline(code, "shop/payment.py", "for_statment")
    with pytest.raises(InputError, match="it has no grammar"):
        outline(code, "deploy.toml", "nonsense_thing")


def test_a_documents_outline_is_its_headings(code: Scope) -> None:
    result = outline(code, "docs/cart.md")
    assert [row.signature for row in result.data.rows] == ["The cart"]


def test_new_tools_are_read_by_their_own_cap() -> None:
    files = {"a.py": "def go():\n    go()\n" * 900}
    scope = cast("Scope", fake_scope(files, max_chars=2_000))
    for result in (who_calls(scope, "go"), outline(scope, "a.py"), what_calls(scope, "go")):
        assert len(result.text) <= 2_000
        assert result.cut
