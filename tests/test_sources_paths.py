from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.sources.paths import raw, show


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (b"src/app.py", "src/app.py"),
        ("näme/日本.py".encode(), "näme/日本.py"),
        (b"caf\xe9/a.py", r"caf\xe9/a.py"),
        (b"new\nline\x1b[31m", r"new\x0aline\x1b[31m"),
        ("right\u202eleft".encode(), r"right\xe2\x80\xaeleft"),
        (rb"dev-disk-by\x2duuid.swap", r"dev-disk-by\x2duuid.swap"),
        (rb"caf\xe9", r"caf\x5cxe9"),
        (b'say "hi"\\', 'say "hi"\\'),
    ],
)
def test_a_name_is_shown_so_that_it_can_be_printed(name, shown):
    assert show(name) == shown
    assert raw(shown) == name


@given(
    st.binary(max_size=40) | st.from_regex(rb"(\\|x|[0-9a-f]|\xe9|\\x5c|\\xe9)*", fullmatch=True)
)
def test_every_name_comes_back_from_how_it_is_shown(name):
    shown = show(name)
    shown.encode("utf-8")
    assert "\n" not in shown
    assert raw(shown) == name


@given(st.binary(min_size=1, max_size=10), st.binary(min_size=1, max_size=10))
def test_a_folder_is_a_prefix_of_what_it_holds(folder, name):
    assert show(folder + b"/" + name).startswith(show(folder) + "/")
