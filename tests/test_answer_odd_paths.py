"""Files with odd names are cited, found by the gate, and never taken for others."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from clew.verify.gate import Gate
from support.courier import tell
from support.gitrepo import GitRepo
from support.pasts import past_scope

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clew.index.view import View
    from clew.tools.scope import Scope

NAMES = (
    *("-rf.py", "a#L3.py", "new\nline.py", "tab\tname.py", "sp ace.py", "back\\slash.py"),
    *("tick`x.py", 'q"uote.py', "star*.py", "brace{x}.py", "(paren).py", "#hash.py", "a:b.py"),
    *("percent%41.py", "dir [x]/y.py", "ünï.py", "c,d.py", "e;f.py", "g'h.py", "~tilde.py"),
    *("at@x.py", "a&b.py", "<x>.py", "dollar$x.py", "trail-.py", "x.py:3", "é/ü (1).py"),
)


@pytest.fixture(scope="module")
def scope(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scope]:
    folder = tmp_path_factory.mktemp("odd")
    odd, even = GitRepo(folder / "odd"), GitRepo(folder / "even")
    for at, name in enumerate(NAMES):
        odd.write(name, f"def oddly_named_{at}(x):\n    return x + {at}\n")
    even.write("even.py", "def evenly():\n    pass\n")
    for repo in (odd, even):
        repo.commit()
    with past_scope(folder / "data", odd.path, even.path) as found:
        yield found


def told(question: str, *views: View) -> list[tuple[str, str]]:
    """What is cited, with its verdict; nothing may be marked or warned of."""
    found = tell(question, *views)
    assert found.warnings == ()
    assert "[unverified" not in found.text
    return [(citation.path, citation.verdict) for citation in found.citations]


def spelled(name: str) -> str:
    """A path as Clew shows it: what can't be printed as its number."""
    return re.sub(r"[\t\n]", lambda sign: f"\\x{ord(sign[0]):02x}", name)


@pytest.mark.parametrize("at", range(len(NAMES)))
def test_a_file_with_an_odd_name_is_cited_and_verified(scope: Scope, at: int) -> None:
    question = f"where is oddly_named_{at} defined?"
    assert (spelled(NAMES[at]), "verified") in told(question, scope.views[0])
    assert (spelled(NAMES[at]), "verified") in told(question, *scope.views)


@pytest.mark.parametrize("name", ["-fr.py", "b#L3.py", "a#L4.py", "q'uote.py"])
def test_a_file_that_is_called_nearly_so_is_still_not_there(scope: Scope, name: str) -> None:
    gate = Gate(scope.views[:1])
    events = [*gate.feed(f"It is at `{name}:1-2`.\n"), *gate.finish()]
    assert "[unverified: no such file]" in "".join(getattr(event, "text", "") for event in events)
    assert all(citation.verdict == "missing" for citation in gate.citations)
