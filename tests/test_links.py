"""Where a citation opens."""

from __future__ import annotations

import pytest

from clew.sources.links import link
from clew.types import Revision, Source

AT = Revision("a" * 40, "b" * 40, commit="a" * 40)


@pytest.mark.parametrize(
    ("location", "url"),
    [
        (
            "https://github.com/acme/billing.git",
            f"https://github.com/acme/billing/blob/{'a' * 40}/src/a%20b.py#L3-L9",
        ),
        (
            "git@gitlab.com:acme/billing.git",
            f"https://gitlab.com/acme/billing/-/blob/{'a' * 40}/src/a%20b.py#L3-9",
        ),
        ("https://git.example.org/acme/billing", None),
    ],
)
def test_a_code_host_page_opens_at_the_pinned_commit(location: str, url: str | None):
    source = Source("x", "x", "remote", location)
    assert link(source, AT, "src/a b.py", 3, 9) == url


def test_a_local_file_opens_as_a_file():
    source = Source("x", "x", "worktree", "/src/billing")
    assert link(source, AT, "a.py", 3, 9) == "file:///src/billing/a.py#L3"
